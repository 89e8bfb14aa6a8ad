//! The machine a run took place on, as far as it bears on the figures.
//!
//! Data, and how the kernel is asked for it. What the kernel does not tell is left out,
//! and so is the machine's name: results are passed on.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// A machine and its settings at one moment.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Host {
    /// The kernel's release: `6.1.0-18-amd64`.
    pub kernel: String,
    /// Which build of it, and for what.
    pub kernel_version: String,
    /// The instruction set it runs on.
    pub architecture: String,
    /// Processors (hardware threads) at work.
    pub cpus: u64,
    /// The processors' model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_model: Option<String>,
    /// What steers the processors' frequency: `performance`, `powersave`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_governor: Option<String>,
    /// Where the kernel's clock comes from: `tsc`, `kvm-clock`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_source: Option<String>,
    /// Memory, bytes.
    pub memory_bytes: u64,
    /// Swap space, bytes.
    pub swap_bytes: u64,
    /// When dirty pages are written back.
    pub dirty_pages: DirtyPages,
    /// Tasks running or waiting for a device, averaged over 1, 5 and 15 minutes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<[f64; 3]>,
    /// Where the power comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power: Option<PowerSource>,
}

/// The kernel's settings of `/proc/sys/vm/dirty_*`. Of a ratio and the bytes beside it,
/// the one that is not 0 holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirtyPages {
    /// Per cent of the memory from which on writers must write back themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<u64>,
    /// The same in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Per cent of the memory from which on the kernel writes back by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background_ratio: Option<u64>,
    /// The same in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background_bytes: Option<u64>,
    /// Age from which on pages are written back, hundredths of a second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expire_centisecs: Option<u64>,
    /// How often the kernel looks, hundredths of a second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writeback_centisecs: Option<u64>,
    /// Age from which on inodes with nothing but new times are written back (`lazytime`),
    /// seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_expire_seconds: Option<u64>,
}

/// Where a machine's power comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PowerSource {
    /// The mains.
    Mains,
    /// Its battery: processors and drives may be slowed down.
    Battery,
}

impl PowerSource {
    /// Its name as printed.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Mains => "mains",
            Self::Battery => "battery",
        }
    }
}

impl Host {
    /// This machine, now.
    #[must_use]
    pub fn describe() -> Self {
        let names = rustix::system::uname();
        let system = rustix::system::sysinfo();
        let unit = u64::from(system.mem_unit.max(1));
        let cpus = Cpus::parse(&fs::read_to_string("/proc/cpuinfo").unwrap_or_default());
        let governor = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
        let clock = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
        Self {
            kernel: names.release().to_string_lossy().into_owned(),
            kernel_version: names.version().to_string_lossy().into_owned(),
            architecture: names.machine().to_string_lossy().into_owned(),
            cpus: cpus.count,
            cpu_model: cpus.model,
            cpu_governor: text(Path::new(governor)),
            clock_source: text(Path::new(clock)),
            memory_bytes: system.totalram as u64 * unit,
            swap_bytes: system.totalswap as u64 * unit,
            dirty_pages: DirtyPages::now(),
            load: text(Path::new("/proc/loadavg")).and_then(|line| load(&line)),
            power: power(Path::new("/sys/class/power_supply")),
        }
    }
}

impl DirtyPages {
    fn now() -> Self {
        let number = |name: &str| text(&Path::new("/proc/sys/vm").join(name))?.parse().ok();
        Self {
            ratio: number("dirty_ratio"),
            bytes: number("dirty_bytes"),
            background_ratio: number("dirty_background_ratio"),
            background_bytes: number("dirty_background_bytes"),
            expire_centisecs: number("dirty_expire_centisecs"),
            writeback_centisecs: number("dirty_writeback_centisecs"),
            time_expire_seconds: number("dirtytime_expire_seconds"),
        }
    }
}

/// The processors of `/proc/cpuinfo`.
struct Cpus {
    count: u64,
    model: Option<String>,
}

impl Cpus {
    fn parse(cpuinfo: &str) -> Self {
        let fields = || {
            let pairs = cpuinfo.lines().filter_map(|line| line.split_once(':'));
            pairs.map(|(name, value)| (name.trim(), value.trim()))
        };
        let counted = fields().filter(|(name, _)| *name == "processor").count();
        // Some architectures list no processors in this way.
        let allowed = || std::thread::available_parallelism().map_or(1, usize::from);
        let model = fields().find(|(name, value)| *name == "model name" && !value.is_empty());
        Self {
            count: if counted > 0 { counted } else { allowed() } as u64,
            model: model.map(|(_, value)| value.to_owned()),
        }
    }
}

/// The averages of `/proc/loadavg`.
fn load(line: &str) -> Option<[f64; 3]> {
    let averages: Vec<f64> =
        line.split_whitespace().take(3).map(str::parse).collect::<Result<_, _>>().ok()?;
    averages.iter().all(|average| average.is_finite()).then(|| averages.try_into().ok())?
}

/// The mains if any of their adapters is plugged in; the battery if one is in use.
fn power(supplies: &Path) -> Option<PowerSource> {
    let mut battery = false;
    for supply in fs::read_dir(supplies).ok()?.flatten().map(|entry| entry.path()) {
        match text(&supply.join("type")).as_deref() {
            Some("Mains" | "USB") if text(&supply.join("online")).as_deref() == Some("1") => {
                return Some(PowerSource::Mains);
            }
            // One of scope "Device" is a mouse's, say.
            Some("Battery") if text(&supply.join("scope")).as_deref() != Some("Device") => {
                battery |= text(&supply.join("status")).as_deref() == Some("Discharging");
            }
            _ => {}
        }
    }
    battery.then_some(PowerSource::Battery)
}

fn text(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?.trim().to_owned();
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_described() {
        let host = Host::describe();
        assert!(!host.kernel.is_empty() && host.cpus > 0 && host.memory_bytes > 1 << 20);
        let json = serde_json::to_string(&host).expect("JSON");
        assert!(!json.contains("null"), "{json}");
        let again: Host = serde_json::from_str(&json).expect("the same");
        assert_eq!(again, host);
    }

    #[test]
    fn processors_are_counted() {
        let cpuinfo = "processor\t: 0\nmodel name\t: A B: C\n\nprocessor\t: 1\nmodel name\t: D\n";
        let cpus = Cpus::parse(cpuinfo);
        assert_eq!((cpus.count, cpus.model.as_deref()), (2, Some("A B: C")));
        assert_eq!(Cpus::parse("processor\t: 0\n").model, None);
        assert!(Cpus::parse("").count > 0);
    }

    #[test]
    fn load_averages_are_three_numbers() {
        assert_eq!(load("0.50 1.25 2.00 1/123 4567"), Some([0.5, 1.25, 2.0]));
        assert_eq!(load("0.50 nan 2.00"), None);
        assert_eq!(load("0.50"), None);
    }

    #[test]
    fn the_power_source_is_the_one_in_use() {
        let supplies = tempfile::tempdir().expect("a directory");
        let set = |supply: &str, file: &str, text: &str| {
            let directory = supplies.path().join(supply);
            fs::create_dir_all(&directory).expect("a directory");
            fs::write(directory.join(file), text).expect("a file");
        };
        assert_eq!(power(supplies.path()), None);
        set("mouse", "type", "Battery\n");
        set("mouse", "scope", "Device\n");
        set("mouse", "status", "Discharging\n");
        assert_eq!(power(supplies.path()), None);
        set("BAT0", "type", "Battery\n");
        set("BAT0", "status", "Discharging\n");
        assert_eq!(power(supplies.path()), Some(PowerSource::Battery));
        set("AC", "type", "Mains\n");
        set("AC", "online", "0\n");
        assert_eq!(power(supplies.path()), Some(PowerSource::Battery));
        set("AC", "online", "1\n");
        assert_eq!(power(supplies.path()), Some(PowerSource::Mains));
    }
}
