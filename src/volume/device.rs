//! The block device under a place: what it is, what it is made of, and what the kernel
//! counts for it.

use std::fs::{self, File};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::mount::Mount;

/// The unit of the kernel's sector counts, bytes, whatever the device's own.
pub const SECTOR: u64 = 512;
/// More layers than this are a loop in the description, not in the devices.
const MOST_LAYERS: usize = 16;

/// What the kernel has counted for a device since it came up, or between two moments.
/// Source: the kernel's `Documentation/block/stat.rst`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceCounts {
    /// Read requests completed.
    pub reads: u64,
    /// Bytes read.
    pub bytes_read: u64,
    /// Write requests completed.
    pub writes: u64,
    /// Bytes written.
    pub bytes_written: u64,
    /// Discard requests completed.
    pub discards: u64,
    /// Bytes discarded.
    pub bytes_discarded: u64,
    /// Flush requests completed.
    pub flushes: u64,
}

impl DeviceCounts {
    /// What came since an earlier moment.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            reads: self.reads.saturating_sub(earlier.reads),
            bytes_read: self.bytes_read.saturating_sub(earlier.bytes_read),
            writes: self.writes.saturating_sub(earlier.writes),
            bytes_written: self.bytes_written.saturating_sub(earlier.bytes_written),
            discards: self.discards.saturating_sub(earlier.discards),
            bytes_discarded: self.bytes_discarded.saturating_sub(earlier.bytes_discarded),
            flushes: self.flushes.saturating_sub(earlier.flushes),
        }
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            reads: self.reads + other.reads,
            bytes_read: self.bytes_read + other.bytes_read,
            writes: self.writes + other.writes,
            bytes_written: self.bytes_written + other.bytes_written,
            discards: self.discards + other.discards,
            bytes_discarded: self.bytes_discarded + other.bytes_discarded,
            flushes: self.flushes + other.flushes,
        }
    }

    /// Reads the fields of a `stat` file; older kernels have no discards or flushes.
    fn parse(text: &str) -> Option<Self> {
        let fields: Vec<u64> =
            text.split_ascii_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
        if fields.len() < 11 {
            return None;
        }
        let field = |index: usize| fields.get(index).copied().unwrap_or(0);
        Some(Self {
            reads: field(0),
            bytes_read: field(2) * SECTOR,
            writes: field(4),
            bytes_written: field(6) * SECTOR,
            discards: field(11),
            bytes_discarded: field(13) * SECTOR,
            flushes: field(15),
        })
    }
}

/// What kind of layer a device is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LayerKind {
    /// A part of another device.
    Partition,
    /// A file as a device.
    Loop,
    /// Encrypted (dm-crypt, LUKS).
    Crypt,
    /// Another device-mapper target (LVM, multipath, …).
    Mapper,
    /// Software RAID.
    Raid,
    /// A drive, or what passes for one.
    Disk,
}

/// One device of the stack under a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layer {
    /// The kernel's name: `sda1`.
    pub name: String,
    /// What it is.
    pub kind: LayerKind,
    /// True when it hangs on a USB bridge.
    pub usb: bool,
    /// Its size, bytes.
    pub size: u64,
    /// The model, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// True for spinning disks, as far as the kernel knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotational: Option<bool>,
    /// The I/O scheduler in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduler: Option<String>,
    /// `write back` or `write through`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_cache: Option<String>,
    /// The unit of discards, bytes; 0 where it cannot discard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discard_granularity: Option<u64>,
    /// The largest discard, bytes; 0 where it cannot, or must not, discard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discard_max_bytes: Option<u64>,
    /// The file behind a loop device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backing_file: Option<PathBuf>,
}

impl LayerKind {
    /// Its name as printed.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Partition => "partition",
            Self::Loop => "loop device",
            Self::Crypt => "dm-crypt",
            Self::Mapper => "device mapper",
            Self::Raid => "software RAID",
            Self::Disk => "disk",
        }
    }
}

impl Layer {
    /// Its name and what it is: `sda (disk on a USB bridge)`.
    #[must_use]
    pub fn title(&self) -> String {
        let usb = if self.usb && self.kind == LayerKind::Disk { " on a USB bridge" } else { "" };
        format!("{} ({}{usb})", self.name, self.kind.name())
    }

    /// True when discards can pass it.
    #[must_use]
    pub fn discards(&self) -> bool {
        self.discard_max_bytes.is_some_and(|bytes| bytes > 0)
    }
}

/// The device under a place, with all layers below it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    /// The device itself first, then what it stands on.
    pub layers: Vec<Layer>,
}

impl Device {
    /// The device under an open directory, if it is on one: directly, or (btrfs, overlay)
    /// by its mount's source or upper directory.
    #[must_use]
    pub fn under(directory: &File, mount: Option<&Mount>) -> Option<Self> {
        let number = directory.metadata().ok()?.dev();
        Self::of_number(number).or_else(|| {
            let mount = mount?;
            if let Some(upper) = mount.option("upperdir") {
                let upper = File::open(upper).ok()?;
                let below = super::mount::Mount::of(&upper);
                return Self::under(&upper, below.as_ref());
            }
            let source = fs::metadata(&mount.source).ok()?;
            source.file_type().is_block_device().then(|| Self::of_number(source.rdev()))?
        })
    }

    /// The device of that number.
    #[must_use]
    pub fn of_number(number: u64) -> Option<Self> {
        let mut layers = Vec::new();
        describe_layers(&system_directory(number)?, &mut layers);
        (!layers.is_empty()).then_some(Self { layers })
    }

    /// The kernel's name of the device itself.
    #[must_use]
    pub fn name(&self) -> &str {
        self.layers.first().map_or("", |layer| &layer.name)
    }

    /// What the kernel has counted for the device itself.
    #[must_use]
    pub fn counts(&self) -> Option<DeviceCounts> {
        let path = Path::new("/sys/class/block").join(self.name()).join("stat");
        DeviceCounts::parse(&fs::read_to_string(path).ok()?)
    }

    /// The first layer that discards cannot pass, if one blocks them.
    #[must_use]
    pub fn discards_blocked_by(&self) -> Option<&Layer> {
        // A loop device discards by punching holes, whatever its file is on.
        let end = self.layers.iter().position(|layer| layer.kind == LayerKind::Loop);
        let relevant = &self.layers[..end.map_or(self.layers.len(), |index| index + 1)];
        if relevant.first().is_some_and(Layer::discards) {
            return None;
        }
        relevant.iter().rev().find(|layer| !layer.discards())
    }
}

fn system_directory(number: u64) -> Option<PathBuf> {
    let (major, minor) = (rustix::fs::major(number), rustix::fs::minor(number));
    fs::canonicalize(format!("/sys/dev/block/{major}:{minor}")).ok()
}

fn describe_layers(directory: &Path, layers: &mut Vec<Layer>) {
    let Some(name) = directory.file_name().map(|name| name.to_string_lossy().into_owned()) else {
        return;
    };
    if layers.len() >= MOST_LAYERS || layers.iter().any(|layer| layer.name == name) {
        return;
    }
    let kind = kind(directory, &name);
    let whole = if kind == LayerKind::Partition { directory.parent() } else { Some(directory) };
    let whole = whole.unwrap_or(directory);
    let queue = |file: &str| text(&whole.join("queue").join(file));
    let number = |file: &str| queue(file)?.parse().ok();
    let backing_file = text(&directory.join("loop/backing_file")).map(PathBuf::from);
    layers.push(Layer {
        kind,
        usb: directory.to_string_lossy().contains("/usb"),
        size: text(&directory.join("size")).and_then(|size| size.parse().ok()).unwrap_or(0)
            * SECTOR,
        model: text(&whole.join("device/model")).filter(|model| !model.is_empty()),
        rotational: queue("rotational").map(|flag| flag == "1"),
        scheduler: queue("scheduler").map(|list| chosen(&list)),
        write_cache: queue("write_cache"),
        discard_granularity: number("discard_granularity"),
        discard_max_bytes: number("discard_max_bytes"),
        backing_file: backing_file.clone(),
        name,
    });
    for below in below(directory, kind, backing_file.as_deref()) {
        describe_layers(&below, layers);
    }
}

fn kind(directory: &Path, name: &str) -> LayerKind {
    if directory.join("partition").exists() {
        LayerKind::Partition
    } else if directory.join("loop").exists() {
        LayerKind::Loop
    } else if directory.join("md").exists() {
        LayerKind::Raid
    } else if name.starts_with("dm-") {
        let uuid = text(&directory.join("dm/uuid")).unwrap_or_default();
        if uuid.starts_with("CRYPT-") { LayerKind::Crypt } else { LayerKind::Mapper }
    } else {
        LayerKind::Disk
    }
}

/// The devices a layer stands on.
fn below(directory: &Path, kind: LayerKind, backing_file: Option<&Path>) -> Vec<PathBuf> {
    match kind {
        LayerKind::Partition => directory.parent().map(Path::to_owned).into_iter().collect(),
        LayerKind::Loop => backing_file
            .and_then(|file| File::open(file).ok())
            .and_then(|file| system_directory(file.metadata().ok()?.dev()))
            .into_iter()
            .collect(),
        LayerKind::Crypt | LayerKind::Mapper | LayerKind::Raid => {
            let Ok(slaves) = fs::read_dir(directory.join("slaves")) else { return Vec::new() };
            slaves.flatten().filter_map(|entry| entry.path().canonicalize().ok()).collect()
        }
        LayerKind::Disk => Vec::new(),
    }
}

fn text(path: &Path) -> Option<String> {
    Some(fs::read_to_string(path).ok()?.trim().to_owned())
}

/// The entry in brackets of a list such as `[none] mq-deadline`.
fn chosen(list: &str) -> String {
    let bracketed = list.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    bracketed.map_or_else(|| list.to_owned(), |(chosen, _)| chosen.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "  133449 11991 14645426 491249 24668 32721 10928512 25184 0 24804 522162 \
                        22395 22 3079120 4840 3698 888\n";

    #[test]
    fn counts_are_read_from_their_fields() {
        let counts = DeviceCounts::parse(STAT).expect("17 fields");
        assert_eq!((counts.reads, counts.bytes_read), (133_449, 14_645_426 * 512));
        assert_eq!((counts.writes, counts.bytes_written), (24_668, 10_928_512 * 512));
        assert_eq!((counts.discards, counts.bytes_discarded), (22_395, 3_079_120 * 512));
        assert_eq!(counts.flushes, 3698);
        let earlier = DeviceCounts { reads: 133_000, ..DeviceCounts::default() };
        assert_eq!(counts.since(&earlier).reads, 449);
    }

    #[test]
    fn old_kernels_have_fewer_fields() {
        let old = STAT.split_whitespace().take(11).collect::<Vec<_>>().join(" ");
        assert_eq!(DeviceCounts::parse(&old).expect("11 fields").discards, 0);
        assert_eq!(DeviceCounts::parse("1 2 3"), None);
        assert_eq!(DeviceCounts::parse("a b c d e f g h i j k"), None);
    }

    #[test]
    fn the_chosen_scheduler_is_in_brackets() {
        assert_eq!(chosen("none [mq-deadline] bfq"), "mq-deadline");
        assert_eq!(chosen("none"), "none");
    }

    fn layer(name: &str, kind: LayerKind, discard_max_bytes: u64) -> Layer {
        Layer {
            name: name.into(),
            kind,
            usb: false,
            size: 0,
            model: None,
            rotational: None,
            scheduler: None,
            write_cache: None,
            discard_granularity: None,
            discard_max_bytes: Some(discard_max_bytes),
            backing_file: None,
        }
    }

    #[test]
    fn the_layer_that_blocks_discards_is_the_lowest_that_cannot() {
        let disk = layer("sda", LayerKind::Disk, 1);
        let crypt = layer("dm-0", LayerKind::Crypt, 0);
        let device = Device { layers: vec![crypt.clone(), disk.clone()] };
        assert_eq!(device.discards_blocked_by(), Some(&crypt));
        let dumb = layer("sda", LayerKind::Disk, 0);
        let device = Device { layers: vec![crypt, dumb.clone()] };
        assert_eq!(device.discards_blocked_by(), Some(&dumb));
        let on_file = layer("loop0", LayerKind::Loop, 1);
        assert_eq!(Device { layers: vec![on_file, dumb] }.discards_blocked_by(), None);
    }
}
