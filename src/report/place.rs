//! The lines on machines and devices that several reports share.

use std::io::{self, Write};

use crate::units::{grouped, human_bytes};
use crate::volume::device::{Device, Layer};
use crate::volume::host::{DirtyPages, Host};
use crate::volume::{mount::Mount, place::Place};

/// So many of the last things that were done to a drive are shown.
const STATES: usize = 4;

/// The lines on a directory, its mount and its devices.
pub fn place(place: &Place, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "Location   {}", place.resolved.display())?;
    if let Some(mount) = &place.mount {
        self::mount(mount, out)?;
    }
    if let Some(device) = &place.device {
        self::device(device, out)?;
    }
    let latest = place.state.len().saturating_sub(STATES);
    for (place, state) in place.state[latest..].iter().enumerate() {
        let label = if place == 0 { "state of the drive:" } else { "then" };
        writeln!(out, "           {label} {state}")?;
    }
    let inodes = place.free_inodes.map(|free| format!(", {} inodes", grouped(free)));
    let free = human_bytes(place.free_bytes);
    writeln!(out, "           free at the start: {free}{}", inodes.unwrap_or_default())
}

/// Two lines on a mount.
pub fn mount(mount: &Mount, out: &mut dyn Write) -> io::Result<()> {
    let at = mount.mount_point.display();
    writeln!(out, "           {} on {at} from {}", mount.file_system, mount.source)?;
    writeln!(out, "           options in force: {}", options(mount))
}

/// The listed options; of the unlisted ones, most of them defaults, only `discard`.
fn options(mount: &Mount) -> String {
    let discard = mount.unlisted_options.iter().find(|option| *option == "discard");
    let all: Vec<&str> = mount.options.iter().chain(discard).map(String::as_str).collect();
    all.join(",")
}

/// Two lines on a machine.
pub fn host(host: &Host, out: &mut dyn Write) -> io::Result<()> {
    let model = host.cpu_model.as_deref().unwrap_or(&host.architecture);
    let mut first = format!("Linux {}, {} × {model}", host.kernel, host.cpus);
    if let Some(governor) = &host.cpu_governor {
        first += &format!(" ({governor})");
    }
    first += &format!(", memory {}", human_bytes(host.memory_bytes));
    if host.swap_bytes > 0 {
        first += &format!(", swap {}", human_bytes(host.swap_bytes));
    }
    let mut second = dirty_pages(&host.dirty_pages);
    if let Some([one, five, fifteen]) = host.load {
        second.push(format!("load {one:.2} {five:.2} {fifteen:.2}"));
    }
    if let Some(clock) = &host.clock_source {
        second.push(format!("clock {clock}"));
    }
    if let Some(power) = host.power {
        second.push(format!("on {}", power.name()));
    }
    writeln!(out, "Machine    {first}")?;
    if second.is_empty() { Ok(()) } else { writeln!(out, "           {}", second.join(", ")) }
}

fn dirty_pages(dirty: &DirtyPages) -> Vec<String> {
    let bound = |bytes: Option<u64>, ratio: Option<u64>| {
        bytes.filter(|bytes| *bytes > 0).map(human_bytes).or_else(|| Some(format!("{} %", ratio?)))
    };
    let background = bound(dirty.background_bytes, dirty.background_ratio);
    let limit = bound(dirty.bytes, dirty.ratio);
    let age = dirty.expire_centisecs.map(|hundredths| format!("{} s", hundredths as f64 / 100.0));
    [("written back from", background), ("limit", limit), ("age", age)]
        .into_iter()
        .filter_map(|(what, value)| Some(format!("{what} {}", value?)))
        .enumerate()
        .map(|(index, text)| if index == 0 { format!("dirty pages {text}") } else { text })
        .collect()
}

/// A line on each layer of a device, the one under the file system first.
fn device(device: &Device, out: &mut dyn Write) -> io::Result<()> {
    for (index, layer) in device.layers.iter().enumerate() {
        let on = if index == 0 { "device" } else { "on" };
        writeln!(out, "           {on} {}", layer_line(layer))?;
    }
    Ok(())
}

fn layer_line(layer: &Layer) -> String {
    let mut parts = vec![layer.title()];
    parts.extend(layer.model.clone());
    parts.push(human_bytes(layer.size));
    if let Some(rotational) = layer.rotational {
        parts.push(if rotational { "rotational" } else { "not rotational" }.into());
    }
    parts.extend(layer.scheduler.as_ref().map(|name| format!("scheduler {name}")));
    parts.extend(layer.write_cache.as_ref().map(|mode| format!("cache {mode}")));
    parts.push(if layer.discards() {
        let bytes = |bytes: Option<u64>| grouped(bytes.unwrap_or(0));
        let unit = bytes(layer.discard_granularity);
        format!("discards of {unit} to {} bytes", bytes(layer.discard_max_bytes))
    } else {
        "no discards".into()
    });
    parts.extend(layer.backing_file.as_ref().map(|file| format!("file '{}'", file.display())));
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_known_of_a_machine_is_said() {
        let shown = |described: &Host| {
            let mut out = Vec::new();
            host(described, &mut out).expect("memory");
            String::from_utf8(out).expect("UTF-8")
        };
        let mut described = Host {
            kernel: "6.1".into(),
            architecture: "riscv64".into(),
            cpus: 4,
            memory_bytes: 2 << 30,
            ..Host::default()
        };
        assert_eq!(shown(&described), "Machine    Linux 6.1, 4 × riscv64, memory 2 GiB\n");
        described.dirty_pages.ratio = Some(20);
        described.dirty_pages.bytes = Some(0);
        assert!(shown(&described).ends_with("\n           dirty pages limit 20 %\n"));
        described.dirty_pages.bytes = Some(1 << 20);
        assert!(shown(&described).ends_with("\n           dirty pages limit 1 MiB\n"));
    }
}
