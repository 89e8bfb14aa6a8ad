//! What a trim came to, for people.

use std::io::{self, Write};

use super::place;
use crate::units::{grouped, human_bytes, human_duration};
use crate::volume::device::DeviceCounts;
use crate::volume::trim::{Check, Trimmed};

/// Writes what a trim came to.
///
/// # Errors
/// The error of writing.
pub fn trimmed(trimmed: &Trimmed, out: &mut dyn Write) -> io::Result<()> {
    place::place(&trimmed.place, out)?;
    let free = (trimmed.place.free_bytes, trimmed.free_bytes_after);
    let mut line = |what: &str, found: String| writeln!(out, "{what:<14}{found}");
    line("free before", human_bytes(free.0))?;
    line("free after", human_bytes(free.1))?;
    let took = human_duration(trimmed.elapsed_ns);
    line("trimmed", format!("{} says the file system, in {took}", exactly(trimmed.bytes)))?;
    line("on the device", trimmed.device.as_ref().map_or_else(|| "no device".into(), discards))?;
    if trimmed.bytes == 0 {
        line("", "0 bytes is not \"unsupported\": it was asked, and took it".into())?;
        if trimmed.place.mount.as_ref().is_some_and(|mount| mount.file_system == "ext4") {
            line("", "ext4 leaves out what it has trimmed since it was mounted".into())?;
        }
    }
    Ok(())
}

/// Writes what the trial of a trim came to.
///
/// # Errors
/// The error of writing.
pub fn check(check: &Check, out: &mut dyn Write) -> io::Result<()> {
    let arrived = if check.arrived() { "DISCARDS ARRIVE" } else { "DISCARDS DO NOT ARRIVE" };
    writeln!(
        out,
        "{:<14}{arrived}: {} written, deleted and trimmed; on the device {}",
        "check",
        human_bytes(check.bytes_deleted),
        discards(&check.device)
    )
}

fn discards(counts: &DeviceCounts) -> String {
    let requests = grouped(counts.discards);
    format!("{} discarded in {requests} requests", exactly(counts.bytes_discarded))
}

fn exactly(bytes: u64) -> String {
    format!("{} ({} bytes)", human_bytes(bytes), grouped(bytes))
}
