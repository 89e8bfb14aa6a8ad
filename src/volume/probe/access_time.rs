//! What reading does to a file's access time: what the mount says, and what happens.

use std::fs::{self, File, FileTimes};
use std::io::{self, Read};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, StatxFlags};
use serde::{Deserialize, Serialize};

use super::{Ground, Tested};
use crate::volume::mount::Mount;

/// The kernel's time of day for files moves in ticks of at most 10 ms; two of them.
const TICK: Duration = Duration::from_millis(25);
/// `relatime` updates an access time of more than a day ago, whatever the other times.
const LONG_AGO: Duration = Duration::from_secs(48 * 3600);

/// When reading updates the access time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccessTime {
    /// Never.
    Noatime,
    /// When it is older than the last change, or than a day.
    Relatime,
    /// Every time.
    Strictatime,
}

impl AccessTime {
    /// The mount option's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Noatime => "noatime",
            Self::Relatime => "relatime",
            Self::Strictatime => "strictatime",
        }
    }

    /// What a mount's options mean: the kernel lists nothing for `strictatime`.
    fn in_force(mount: &Mount) -> Self {
        if mount.has("noatime") {
            Self::Noatime
        } else if mount.has("relatime") {
            Self::Relatime
        } else {
            Self::Strictatime
        }
    }
}

/// Access times of a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessTimes {
    /// By the options in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_force: Option<AccessTime>,
    /// True with `lazytime`: new times stay in memory until something else is written.
    /// By the options; it cannot be seen from outside.
    pub lazytime: bool,
    /// By trial.
    pub observed: Tested<AccessTime>,
    /// Whether both agree, where both are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agrees: Option<bool>,
}

pub(super) fn observe(ground: Ground<'_>, mount: Option<&Mount>) -> AccessTimes {
    let in_force = mount.map(AccessTime::in_force);
    let observed = super::try_in(ground, tried, "access times were not tried");
    let agrees = in_force.zip(observed.found().copied()).map(|(said, seen)| said == seen);
    let lazytime = mount.is_some_and(|mount| mount.has("lazytime"));
    AccessTimes { in_force, lazytime, observed, agrees }
}

/// Reads a file whose access time is older than a day, which all but `noatime` note; then
/// again, which only `strictatime` does: by then the access time is newer than the last
/// change. It cannot be *set* so: setting times is itself a change, made now.
fn tried(directory: &Path) -> io::Result<AccessTime> {
    let path = directory.join("access");
    fs::write(&path, "read me")?;
    let then = SystemTime::now() - LONG_AGO;
    let times = FileTimes::new().set_accessed(then).set_modified(then - LONG_AGO);
    File::options().write(true).open(&path)?.set_times(times)?;
    if !updated_by_reading(&path)? {
        return Ok(AccessTime::Noatime);
    }
    let again = updated_by_reading(&path)?;
    Ok(if again { AccessTime::Strictatime } else { AccessTime::Relatime })
}

fn updated_by_reading(path: &Path) -> io::Result<bool> {
    let before = access_time(path)?;
    sleep(TICK);
    File::open(path)?.read_exact(&mut [0])?;
    Ok(access_time(path)? != before)
}

fn access_time(path: &Path) -> io::Result<(i64, u32)> {
    // From the server itself, where there is one.
    let flags = AtFlags::STATX_FORCE_SYNC;
    let times = rustix::fs::statx(rustix::fs::CWD, path, flags, StatxFlags::ATIME)?;
    Ok((times.stx_atime.tv_sec, times.stx_atime.tv_nsec))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_mean_what_the_kernel_means_by_them() {
        let mount = |options: &[&str]| Mount {
            mount_point: "/".into(),
            file_system: "ext4".into(),
            source: "none".into(),
            options: options.iter().map(ToString::to_string).collect(),
            unlisted_options: Vec::new(),
        };
        assert_eq!(AccessTime::in_force(&mount(&["noatime", "rw"])), AccessTime::Noatime);
        assert_eq!(AccessTime::in_force(&mount(&["relatime", "rw"])), AccessTime::Relatime);
        assert_eq!(AccessTime::in_force(&mount(&["rw"])), AccessTime::Strictatime);
    }
}
