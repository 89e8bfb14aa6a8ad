//! What was found out about a directory, for people and for programs.

use std::io::{self, Write};

use super::place;
use crate::units::{grouped, human_bytes, human_duration};
use crate::volume::probe::{AccessTimes, DirectIo, DiscardMode, Discards, Probe, Reach, Tested};

/// Writes the findings as one JSON document on a line.
///
/// # Errors
/// The error of writing.
pub fn json(probe: &Probe, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, probe)?;
    writeln!(out)
}

/// Writes the findings for people.
///
/// # Errors
/// The error of writing.
pub fn text(probe: &Probe, out: &mut dyn Write) -> io::Result<()> {
    place::place(&probe.place, out)?;
    if let Some(upper) = &probe.discards.decided_by {
        writeln!(out, "           its upper directory is on")?;
        place::mount(upper, out)?;
    }
    place::host(&probe.host, out)?;
    let mut line = |what: &str, found: String| writeln!(out, "{what:<14}{found}");
    line("access times", access_times(&probe.access_times))?;
    line("discards", discards(&probe.discards))?;
    line("", reach(&probe.discards))?;
    line("O_DIRECT", said(&probe.direct_io, |found| direct_io(*found).into()))?;
    line("birth times", said(&probe.birth_times, |kept| if *kept { "kept" } else { "none" }.into()))
}

fn said<T>(tested: &Tested<T>, found: impl FnOnce(&T) -> String) -> String {
    match tested {
        Tested::Found(value) => found(value),
        Tested::Untested(reason) => format!("not tested: {reason}"),
    }
}

fn access_times(times: &AccessTimes) -> String {
    let lazily = if times.lazytime { " with lazytime" } else { "" };
    let in_force = times.in_force.map_or("unknown", |mode| mode.name());
    let observed = said(&times.observed, |mode| format!("observed {}", mode.name()));
    let agree = match times.agrees {
        Some(true) => ": they agree",
        Some(false) => ": THEY DISAGREE",
        None => "",
    };
    format!("in force {in_force}{lazily}; {observed}{agree}")
}

fn discards(discards: &Discards) -> String {
    let in_force = match discards.in_force {
        None => "unknown whether in force",
        Some(DiscardMode::Off) => "not in force",
        Some(DiscardMode::Sync) if discards.unlisted => {
            "in force (set in the file system itself; not among the mount's options)"
        }
        Some(DiscardMode::Sync) => "in force",
        Some(DiscardMode::Async) => "in force, in the background (async)",
    };
    let device = match (&discards.blocked_by, discards.device_discards) {
        (Some(layer), _) => format!("; the device cannot: {layer} blocks them"),
        (None, Some(_)) => "; the device can".into(),
        (None, None) => "; no device".into(),
    };
    format!("{in_force}{device}")
}

fn reach(discards: &Discards) -> String {
    said(&discards.observed, |reach| {
        let Reach { bytes_deleted, bytes_discarded, requests, waited_ns, .. } = reach;
        let verdict = if reach.reached {
            "they reach it"
        } else if reach.is_queued() {
            "not yet, but they are in the file system's queue"
        } else {
            "THEY DO NOT REACH IT in time"
        };
        format!(
            "{verdict}: {} deleted, {} discarded by {} requests within {}",
            human_bytes(*bytes_deleted),
            human_bytes(*bytes_discarded),
            grouped(*requests),
            human_duration(*waited_ns)
        )
    })
}

fn direct_io(found: DirectIo) -> &'static str {
    match found {
        DirectIo::Honoured => "honoured",
        DirectIo::Ignored => "taken, but ignored: data go through the page cache",
        DirectIo::Taken => "taken; whether it is honoured cannot be seen",
        DirectIo::Refused => "refused",
    }
}
