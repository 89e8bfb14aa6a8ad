//! Whether what is deleted is discarded on the device: what the mount says, what the
//! layers can do, and what happens.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

use super::{Ground, Tested};
use crate::interrupt::Interrupt;
use crate::units::human_bytes;
use crate::volume::cache::sync_file_system;
use crate::volume::device::{Device, DeviceCounts};
use crate::volume::{mount::Mount, place::Place};

/// Written and deleted, bytes.
pub const SIZE: u64 = 8 << 20;
/// With less room than this it is not tried, bytes.
pub const ROOM: u64 = 4 * SIZE;
/// Discards that have not come by then are not waited for.
const PATIENCE: Duration = Duration::from_secs(8);
/// How often the device is looked at.
const LOOK: Duration = Duration::from_millis(50);
/// How often the file system is told again to write back: xfs frees what was deleted in
/// the background.
const PUSH: Duration = Duration::from_secs(1);

/// How a file system discards what is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DiscardMode {
    /// Not by itself.
    Off,
    /// When the delete is committed.
    Sync,
    /// Later, in the background (btrfs; some minutes later).
    Async,
}

impl DiscardMode {
    fn in_force(mount: &Mount) -> Self {
        if mount.option("discard") == Some("async") {
            Self::Async
        } else if mount.has("discard") || mount.option("discard").is_some() {
            Self::Sync
        } else {
            Self::Off
        }
    }
}

/// What reached the device after a delete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reach {
    /// Bytes that were written, deleted and so might be discarded.
    pub bytes_deleted: u64,
    /// Bytes discarded since, by anybody.
    pub bytes_discarded: u64,
    /// Requests for it.
    pub requests: u64,
    /// How long they were waited for, nanoseconds.
    pub waited_ns: u64,
    /// True when at least half of the deleted bytes were discarded.
    pub reached: bool,
    /// Bytes that the file system added in the meantime to those it means to discard
    /// later, where it tells (btrfs).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_queued: Option<u64>,
}

/// Discards of a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Discards {
    /// The mount whose options decide, where it is not the place's own: that of an
    /// overlay's upper directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<Mount>,
    /// By the options in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_force: Option<DiscardMode>,
    /// True when the list of mounts does not show the option (`tune2fs -o discard`).
    pub unlisted: bool,
    /// Whether the device takes discards, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_discards: Option<bool>,
    /// The lowest layer that discards cannot pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked_by: Option<String>,
    /// By trial.
    pub observed: Tested<Reach>,
}

pub(super) fn examine(
    ground: Ground<'_>,
    directory: &File,
    place: &Place,
    interrupt: &Interrupt,
) -> Discards {
    let decided_by = place.mount.as_ref().and_then(upper_mount);
    let mount = decided_by.as_ref().or(place.mount.as_ref());
    let in_force = mount.map(DiscardMode::in_force);
    let unlisted =
        mount.is_some_and(|mount| mount.unlisted_options.iter().any(|option| option == "discard"));
    let blocking = place.device.as_ref().and_then(Device::discards_blocked_by);
    let blocked_by = blocking.map(super::super::device::Layer::title);
    let device_discards = place.device.as_ref().map(|_| blocked_by.is_none());
    let observed = match device_to_watch(in_force, place, blocked_by.as_deref()) {
        Err(reason) => Tested::Untested(reason),
        Ok(device) => super::try_in(
            ground,
            |ground| tried(ground, directory, device, interrupt),
            "discards were not tried",
        ),
    };
    Discards { decided_by, in_force, unlisted, device_discards, blocked_by, observed }
}

/// The mount of an overlay's upper directory: what is written goes there.
fn upper_mount(mount: &Mount) -> Option<Mount> {
    Mount::of(&File::open(mount.option("upperdir")?).ok()?)
}

/// The device whose discards a trial would count, or why a trial makes no sense.
fn device_to_watch<'a>(
    in_force: Option<DiscardMode>,
    place: &'a Place,
    blocked_by: Option<&str>,
) -> Result<&'a Device, String> {
    let device = place.device.as_ref().ok_or("there is no device under it")?;
    match in_force {
        None => return Err("the mount is not known".into()),
        Some(DiscardMode::Off) => return Err("discard is not in force".into()),
        Some(DiscardMode::Sync | DiscardMode::Async) => {}
    }
    if let Some(layer) = blocked_by {
        return Err(format!("{layer} cannot discard"));
    }
    if place.free_bytes < ROOM {
        return Err(format!("it takes {} free", human_bytes(ROOM)));
    }
    Ok(device)
}

/// Writes a file to the device, deletes it, and counts the device's discards.
fn tried(
    ground: &Path,
    directory: &File,
    device: &Device,
    interrupt: &Interrupt,
) -> io::Result<Reach> {
    let uncounted = || io::Error::other("the kernel counts none for this device");
    let path = ground.join("discard");
    write_out(&path, directory)?;
    let before = device.counts().ok_or_else(uncounted)?;
    let queued_before = queued(device);
    std::fs::remove_file(&path)?;
    let (begun, mut pushed) = (Instant::now(), None::<Instant>);
    loop {
        if pushed.is_none_or(|last| last.elapsed() >= PUSH) {
            sync_file_system(directory)?;
            pushed = Some(Instant::now());
        }
        let counts = device.counts().ok_or_else(uncounted)?.since(&before);
        let queued = queued(device).zip(queued_before).map(|(now, then)| now.saturating_sub(then));
        let reach = Reach::of(counts, begun.elapsed(), queued);
        let patient = begun.elapsed() < PATIENCE && interrupt.pending().is_none();
        if reach.reached || reach.is_queued() || !patient {
            return Ok(reach);
        }
        sleep(LOOK);
    }
}

/// What btrfs means to discard in the background, bytes; none for other file systems.
fn queued(device: &Device) -> Option<u64> {
    let file_systems = std::fs::read_dir("/sys/fs/btrfs").ok()?.flatten();
    let of_device = file_systems
        .map(|entry| entry.path())
        .find(|file_system| file_system.join("devices").join(device.name()).exists())?;
    let text = std::fs::read_to_string(of_device.join("discard/discardable_bytes")).ok()?;
    text.trim().parse().ok()
}

/// Writes what cannot be compressed, all the way to the device.
pub fn write_out(path: &Path, directory: &File) -> io::Result<()> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut chunk = vec![0; 1 << 20];
    let mut file = File::create_new(path)?;
    for _ in 0..SIZE / chunk.len() as u64 {
        random.fill_bytes(&mut chunk);
        file.write_all(&chunk)?;
    }
    file.sync_all()?;
    // Discards of earlier deletes are not this trial's.
    sync_file_system(directory)
}

impl Reach {
    /// True when the file system has at least half of the deleted bytes in its queue.
    #[must_use]
    pub fn is_queued(&self) -> bool {
        self.bytes_queued.is_some_and(|queued| queued >= self.bytes_deleted / 2)
    }

    fn of(counts: DeviceCounts, waited: Duration, bytes_queued: Option<u64>) -> Self {
        Self {
            bytes_deleted: SIZE,
            bytes_discarded: counts.bytes_discarded,
            requests: counts.discards,
            waited_ns: waited.as_nanos() as u64,
            reached: counts.bytes_discarded >= SIZE / 2,
            bytes_queued,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_mean_what_the_file_systems_mean_by_them() {
        let mode = |listed: &[&str], unlisted: &[&str]| {
            let strings = |words: &[&str]| words.iter().map(ToString::to_string).collect();
            DiscardMode::in_force(&Mount {
                mount_point: "/".into(),
                file_system: "any".into(),
                source: "none".into(),
                options: strings(listed),
                unlisted_options: strings(unlisted),
            })
        };
        assert_eq!(mode(&["rw"], &["nodiscard"]), DiscardMode::Off);
        assert_eq!(mode(&["rw", "discard"], &[]), DiscardMode::Sync);
        assert_eq!(mode(&["rw"], &["discard"]), DiscardMode::Sync);
        assert_eq!(mode(&["discard=async"], &[]), DiscardMode::Async);
    }

    #[test]
    fn a_few_foreign_discards_are_not_ours() {
        let reach = |bytes_discarded| {
            let counts = DeviceCounts { bytes_discarded, ..DeviceCounts::default() };
            Reach::of(counts, Duration::ZERO, None).reached
        };
        assert!(!reach(SIZE / 4) && reach(SIZE));
    }
}
