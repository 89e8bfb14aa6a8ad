//! Mount options as mount(8) takes them, and what they are to the kernel.

use rustix::mount::MountAttrFlags;

/// Options of the mount, which the kernel knows by flags; the rest is the file system's.
/// Each name with what it takes away and what it sets.
const MOUNT_FLAGS: &[(&str, MountAttrFlags, MountAttrFlags)] = &[
    ("noatime", ATIME, MountAttrFlags::MOUNT_ATTR_NOATIME),
    ("relatime", ATIME, NONE),
    ("strictatime", ATIME, MountAttrFlags::MOUNT_ATTR_STRICTATIME),
    ("atime", MountAttrFlags::MOUNT_ATTR_NOATIME, NONE),
    ("norelatime", NONE, NONE),
    ("nostrictatime", MountAttrFlags::MOUNT_ATTR_STRICTATIME, NONE),
    ("nodiratime", NONE, MountAttrFlags::MOUNT_ATTR_NODIRATIME),
    ("diratime", MountAttrFlags::MOUNT_ATTR_NODIRATIME, NONE),
    ("nosuid", NONE, MountAttrFlags::MOUNT_ATTR_NOSUID),
    ("suid", MountAttrFlags::MOUNT_ATTR_NOSUID, NONE),
    ("nodev", NONE, MountAttrFlags::MOUNT_ATTR_NODEV),
    ("dev", MountAttrFlags::MOUNT_ATTR_NODEV, NONE),
    ("noexec", NONE, MountAttrFlags::MOUNT_ATTR_NOEXEC),
    ("exec", MountAttrFlags::MOUNT_ATTR_NOEXEC, NONE),
];
const NONE: MountAttrFlags = MountAttrFlags::empty();
const ATIME: MountAttrFlags = MountAttrFlags::MOUNT_ATTR__ATIME;

/// Words of mount(8) and /etc/fstab that mean nothing to the kernel.
const FOR_OTHERS: [&str; 8] =
    ["defaults", "auto", "noauto", "user", "users", "nouser", "nofail", "_netdev"];

/// Well-known options of file systems, for "did you mean".
const WELL_KNOWN: &[&str] = &[
    "async",
    "autodefrag",
    "barrier",
    "commit",
    "compress",
    "compress-force",
    "data",
    "datacow",
    "delalloc",
    "dirsync",
    "discard",
    "errors",
    "inode64",
    "journal_checksum",
    "lazytime",
    "logbsize",
    "logbufs",
    "noautodefrag",
    "nobarrier",
    "nodatacow",
    "nodelalloc",
    "nodiscard",
    "nojournal_checksum",
    "nolazytime",
    "nossd",
    "ro",
    "rw",
    "space_cache",
    "ssd",
    "stripe",
    "subvol",
    "sync",
    "thread_pool",
];

/// Options sorted by who is told of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Sorted<'a> {
    /// Flags of the mount.
    pub flags: MountAttrFlags,
    /// Options of the file system, with their values.
    pub file_system: Vec<(&'a str, Option<&'a str>)>,
}

/// Sorts options; of those that contradict each other the last holds, as with mount(8).
#[must_use]
pub fn sort(options: &[String]) -> Sorted<'_> {
    let mut sorted = Sorted { flags: NONE, file_system: Vec::new() };
    for option in options {
        if FOR_OTHERS.contains(&option.as_str()) || option.starts_with("x-") {
            continue;
        }
        match MOUNT_FLAGS.iter().find(|(name, ..)| name == option) {
            Some((_, clear, set)) => sorted.flags = (sorted.flags & !*clear) | *set,
            None => sorted.file_system.push(match option.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (option.as_str(), None),
            }),
        }
    }
    sorted
}

/// A well-known option that is nearly the same.
#[must_use]
pub fn suggestion(option: &str) -> Option<&'static str> {
    let name = option.split('=').next().unwrap_or(option);
    let flags = MOUNT_FLAGS.iter().map(|(name, ..)| *name);
    flags
        .chain(WELL_KNOWN.iter().copied())
        .map(|known| (strsim::damerau_levenshtein(known, name), known))
        .filter(|(distance, _)| *distance > 0 && *distance <= 1 + name.len() / 5)
        .min()
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(text: &str) -> Vec<String> {
        text.split(',').map(str::to_owned).collect()
    }

    #[test]
    fn mount_and_file_system_are_told_apart() {
        let given = options("defaults,noatime,nodiratime,discard,commit=5,lazytime,x-some");
        let sorted = sort(&given);
        let flags = MountAttrFlags::MOUNT_ATTR_NOATIME | MountAttrFlags::MOUNT_ATTR_NODIRATIME;
        assert_eq!(sorted.flags, flags);
        assert_eq!(
            sorted.file_system,
            [("discard", None), ("commit", Some("5")), ("lazytime", None)]
        );
    }

    #[test]
    fn the_last_of_contradicting_options_holds() {
        let last = |text| sort(&options(text)).flags;
        assert_eq!(last("noatime,relatime"), NONE);
        assert_eq!(last("relatime,strictatime"), MountAttrFlags::MOUNT_ATTR_STRICTATIME);
        assert_eq!(last("strictatime,noatime"), MountAttrFlags::MOUNT_ATTR_NOATIME);
    }

    #[test]
    fn slips_are_suggested() {
        assert_eq!(suggestion("noatme"), Some("noatime"));
        assert_eq!(suggestion("discrad"), Some("discard"));
        assert_eq!(suggestion("comit=5"), Some("commit"));
        assert_eq!(suggestion("frobnicate"), None);
    }
}
