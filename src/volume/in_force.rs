//! Whether the options that were asked for are in force: read back from the kernel, not
//! taken on trust.

use super::device::Device;
use super::mount::Mount;

/// An option that did not take.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the mount option '{option}' did not take: {why}")]
pub struct NotInForce {
    /// The option.
    pub option: String,
    /// What is in force instead, and why.
    pub why: String,
}

/// What is known of a requested option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Force {
    /// It is in force.
    In,
    /// It is not.
    Not,
    /// Nothing shows it either way.
    Unknown,
}

/// Checks that every option is in force; gives back those that nothing shows. Of options
/// that contradict each other only the last is looked for.
///
/// # Errors
/// [`NotInForce`] with the first that is not.
pub fn check(
    requested: &[String],
    mount: &Mount,
    device: Option<&Device>,
) -> Result<Vec<String>, NotInForce> {
    let mut unverified = Vec::new();
    for (place, option) in requested.iter().enumerate() {
        let overruled = requested[place + 1..].iter().any(|later| family(later) == family(option));
        if overruled {
            continue;
        }
        match force(option, mount) {
            Force::In => discards_can_arrive(option, device)?,
            Force::Not => {
                let why = format!("in force are {}", mount.options.join(","));
                return Err(NotInForce { option: option.clone(), why });
            }
            Force::Unknown => unverified.push(option.clone()),
        }
    }
    Ok(unverified)
}

/// Options of a family overrule each other.
fn family(option: &str) -> &str {
    match option {
        "noatime" | "relatime" | "strictatime" | "atime" => "atime",
        "sync" | "async" => "sync",
        "ro" | "rw" => "rw",
        _ => {
            let name = option.split('=').next().unwrap_or(option);
            name.strip_prefix("no").unwrap_or(name)
        }
    }
}

fn force(option: &str, mount: &Mount) -> Force {
    let known = |in_force: bool| if in_force { Force::In } else { Force::Not };
    match option {
        "defaults" => Force::In,
        "noatime" | "nodiratime" | "nosuid" | "nodev" | "noexec" | "lazytime" | "dirsync"
        | "sync" | "ro" | "rw" | "relatime" => known(mount.has(option)),
        // The rule without a name: neither of the other two.
        "strictatime" => known(!mount.has("noatime") && !mount.has("relatime")),
        "atime" => known(!mount.has("noatime")),
        "nolazytime" => known(!mount.has("lazytime")),
        "async" => known(!mount.has("sync")),
        "discard" => known(mount.has("discard")),
        "nodiscard" => known(!discards(mount)),
        _ => of_file_system(option, mount),
    }
}

/// True when deletes are passed on as discards, in whichever way.
fn discards(mount: &Mount) -> bool {
    mount.has("discard") || mount.option("discard").is_some()
}

/// Other options: shown as they were given, or with a default added (`compress=zstd` as
/// `compress=zstd:3`); `noX` by X not being shown.
fn of_file_system(option: &str, mount: &Mount) -> Force {
    if mount.has(option) {
        return Force::In;
    }
    let (name, value) = option.split_once('=').unwrap_or((option, ""));
    if let Some(shown) = mount.option(name) {
        let longer = shown.strip_prefix(value).is_some_and(|rest| rest.starts_with(':'));
        return if shown == value || longer { Force::In } else { differing(value, shown) };
    }
    if let Some(positive) = option.strip_prefix("no")
        && (mount.has(positive) || mount.option(positive).is_some())
    {
        return Force::Not;
    }
    Force::Unknown
}

/// A value shown otherwise than given may be the same in other words (`64k`, `65536`):
/// only two plain numbers can be told apart.
fn differing(value: &str, shown: &str) -> Force {
    match (value.parse::<u64>(), shown.parse::<u64>()) {
        (Ok(given), Ok(shown)) if given != shown => Force::Not,
        (Ok(_), Ok(_)) => Force::In,
        _ => Force::Unknown,
    }
}

/// Some file systems show `discard` on a device that cannot.
fn discards_can_arrive(option: &str, device: Option<&Device>) -> Result<(), NotInForce> {
    if !option.starts_with("discard") {
        return Ok(());
    }
    match device.and_then(Device::discards_blocked_by) {
        None => Ok(()),
        Some(layer) => Err(NotInForce {
            option: option.to_owned(),
            why: format!("{} does not pass discards on", layer.title()),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mount(options: &str, unlisted: &str) -> Mount {
        let list = |text: &str| text.split_terminator(',').map(str::to_owned).collect();
        Mount {
            mount_point: "/mnt".into(),
            file_system: "ext4".into(),
            source: "/dev/sda1".into(),
            options: list(options),
            unlisted_options: list(unlisted),
        }
    }

    fn checked(requested: &str, shown: &Mount) -> Result<Vec<String>, NotInForce> {
        let requested: Vec<String> = requested.split(',').map(str::to_owned).collect();
        check(&requested, shown, None)
    }

    #[test]
    fn what_is_shown_is_in_force() {
        let shown = mount("rw,noatime,discard,commit=30,compress=zstd:3", "");
        let requested = "noatime,discard,commit=30,compress=zstd,rw,async";
        assert_eq!(checked(requested, &shown), Ok(vec![]));
    }

    #[test]
    fn what_contradicts_what_is_shown_is_not() {
        let shown = mount("rw,relatime,discard=async,commit=30", "");
        for option in ["noatime", "strictatime", "nodiscard", "commit=5", "discard", "lazytime"] {
            assert!(checked(option, &shown).is_err(), "{option}");
        }
        assert_eq!(checked("relatime", &shown), Ok(vec![]));
    }

    #[test]
    fn what_tune2fs_set_counts() {
        let shown = mount("rw,relatime", "discard");
        assert!(checked("nodiscard", &shown).is_err());
        assert_eq!(checked("discard", &shown), Ok(vec![]));
    }

    #[test]
    fn strictatime_is_the_rule_without_a_name() {
        assert_eq!(checked("strictatime,lazytime", &mount("rw,lazytime", "")), Ok(vec![]));
    }

    #[test]
    fn overruled_options_are_not_looked_for() {
        assert_eq!(checked("noatime,relatime", &mount("rw,relatime", "")), Ok(vec![]));
        assert_eq!(checked("nodiscard,discard", &mount("rw,discard", "")), Ok(vec![]));
    }

    #[test]
    fn what_nothing_shows_is_said() {
        assert_eq!(
            checked("frob,x=64k", &mount("rw,x=65536", "")),
            Ok(vec!["frob".to_owned(), "x=64k".to_owned()])
        );
    }
}
