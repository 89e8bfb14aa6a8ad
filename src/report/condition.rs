//! What bringing a drive to a state came to, for people.

use std::io::{self, Write};

use crate::conditioning::Conditioned;
use crate::units::{grouped, human_bytes, human_duration, human_rate};

/// Writes what was done.
///
/// # Errors
/// The error of writing.
pub fn conditioned(done: &Conditioned, out: &mut dyn Write) -> io::Result<()> {
    let mut line = |what: &str, found: String| writeln!(out, "{what:<16}{found}");
    let end = if done.complete { "" } else { ", STOPPED" };
    let rounds = match done.step.rounds() {
        1 => String::new(),
        of => format!(", {} of {of} rounds", done.rounds),
    };
    line("condition", format!("{}{rounds}{end}", done.step))?;
    if done.bytes_written > 0 {
        line("written", written(done))?;
    }
    if let Some(bytes) = done.bytes_trimmed {
        line("trimmed", format!("{} says the file system", human_bytes(bytes)))?;
    }
    line("took", human_duration(done.elapsed_ns))?;
    let free = [done.free_before, done.free_least, done.free_after].map(exactly);
    line("free before", free[0].clone())?;
    line("at the fullest", free[1].clone())?;
    line("free after", format!("{}{}", free[2], difference(done)))?;
    if let Some(device) = &done.device {
        let [written, discarded] = [device.bytes_written, device.bytes_discarded].map(human_bytes);
        line("on the device", format!("{written} written, {discarded} discarded"))?;
    }
    for note in &done.notes {
        line("note", note.clone())?;
    }
    Ok(())
}

fn written(done: &Conditioned) -> String {
    let per_second = |amount: u64, time: u64| amount as f64 / (time.max(1) as f64 / 1e9);
    let in_order = done.bytes_written - done.bytes_at_random;
    let rate = per_second(in_order, done.filling_ns) / 1e6;
    let mut text = format!("{} in order ({rate:.1} MB/s)", human_bytes(in_order));
    if done.files > 0 {
        text += &format!(
            ", {} files in {} directories ({} files/s)",
            grouped(done.files),
            grouped(done.directories),
            human_rate(per_second(done.files, done.filling_ns))
        );
    }
    if done.bytes_at_random > 0 {
        let time = done.elapsed_ns.saturating_sub(done.filling_ns);
        let rate = per_second(done.bytes_at_random, time) / 1e6;
        let bytes = human_bytes(done.bytes_at_random);
        text += &format!(", {bytes} at random ({rate:.1} MB/s)");
    }
    text
}

fn difference(done: &Conditioned) -> String {
    match done.free_before.checked_sub(done.free_after) {
        Some(0) => ", all of it back".into(),
        None => ", more than before".into(),
        Some(bytes) => format!(", {} less than before: the file system's own", human_bytes(bytes)),
    }
}

fn exactly(bytes: u64) -> String {
    format!("{} ({} bytes)", human_bytes(bytes), grouped(bytes))
}
