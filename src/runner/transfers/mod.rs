//! Playing transfers of one large file: every pattern with every size of record.

mod cliff;
mod recorder;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use rustix::io::Errno;

use super::clock::Moment;
use super::failure::Stop;
use super::location::{lock, no_access, open_directory};
use super::measurement::{Activity, Failure, Phase, PhaseActivity, PhaseTime, RunResult};
use super::transferred::Transferred;
use super::{Refusal, Runner};
use crate::engine::blocks::{BlockError, block_engine};
use crate::engine::nameless::{CallError, LargeFile};
use crate::engine::{Call, Cause};
use crate::units::human_bytes;
use crate::volume::activity::ProcessCounts;
use crate::volume::cache::{self, Dropped};
use crate::volume::device::Device;
use crate::volume::host::Host;
use crate::volume::place::Place;
use crate::volume::quiet::{self, Waited};
use crate::workload::Config;
use crate::workload::content::FileContent;
use crate::workload::policy::{Cache, Settle, SyncPolicy};
use crate::workload::transfer::{Pass, Pattern};

use recorder::{About, PassRecorder};

/// The largest record in which a file is laid out that is read, or written over, first.
const LAYING_OUT: u64 = 16 << 20;

/// Plays them, from the first check to the last removal.
///
/// # Errors
/// [`Refusal`] when they cannot begin; nothing was created then.
pub fn play(
    runner: &mut Runner<'_>,
    config: &Config,
    config_files: &[PathBuf],
) -> Result<RunResult, Refusal> {
    let location = &config.effective_locations()[0].path;
    let directory = open_directory(location)?;
    lock(location, &directory)?;
    let place =
        Place::describe(location, &directory).map_err(|error| no_access(location, error))?;
    let size = size(config, &place)?;
    let mut result = RunResult::new(config, config_files, vec![place]);
    let counter = runner.progress.counter().unwrap_or_default();
    let mut playing = Playing {
        counter,
        passes: 0,
        devices: result.places[0].device.clone().into_iter().collect(),
        runner,
        config,
        location,
        directory: &directory,
        size,
        writing: 0,
        written: false,
        warnings: Vec::new(),
    };
    playing.play(&mut result);
    result.warnings.append(&mut playing.warnings);
    result.warnings.extend(super::warnings::of_transfers(&result));
    Ok(result)
}

/// Bytes of the file: what was asked for, in whole records of every size.
fn size(config: &Config, place: &Place) -> Result<u64, Refusal> {
    let transfers = &config.transfers;
    let unit = transfers.unit().unwrap_or(u64::MAX);
    let asked = transfers.file_size.bytes(place.free_bytes, Host::describe().memory_bytes);
    let size = asked / unit * unit;
    if size == 0 {
        return Err(Refusal::Settings(format!(
            "a file of {} has no room for a record of every size: raise `set file-size`, or lower \
             `set records`",
            human_bytes(asked)
        )));
    }
    if size > place.free_bytes {
        return Err(Refusal::NoRoom {
            path: place.path.clone(),
            what: format!("{} are", human_bytes(size)),
            available: human_bytes(place.free_bytes),
            hint: "lower `set file-size`, or free some space",
        });
    }
    Ok(size)
}

/// Transfers in progress.
struct Playing<'p, 'r> {
    runner: &'p mut Runner<'r>,
    config: &'p Config,
    location: &'p Path,
    directory: &'p File,
    devices: Vec<Device>,
    counter: Arc<AtomicU64>,
    /// Passes that are done.
    passes: u64,
    /// Bytes of the file.
    size: u64,
    /// Which writing of the file is the latest.
    writing: u64,
    /// True when all of it is written.
    written: bool,
    warnings: Vec<String>,
}

impl Playing<'_, '_> {
    fn play(&mut self, result: &mut RunResult) {
        result.settled_before = self.settle();
        let before = self.counts();
        let start = self.runner.clock.now();
        self.runner.progress.begin(Phase::Transfers);
        let outcome = self.all(&mut result.transfers);
        let end = self.runner.clock.now();
        let complete = outcome.is_ok();
        if let Err(stop) = outcome {
            result.status = stop.into();
        } else {
            self.runner.progress.end(Phase::Transfers);
        }
        let origin = start.second_begun();
        let relative = |moment: Moment| Moment(moment.since(origin));
        let (begun, ended) = (relative(start), relative(end));
        result.phases =
            vec![PhaseTime { phase: Phase::Transfers, start: begun, end: ended, complete }];
        for transferred in &mut result.transfers {
            transferred.start = relative(transferred.start);
            transferred.end = relative(transferred.end);
            let timeline = transferred.timeline.clone().relative_to(origin);
            transferred.timeline = timeline;
            for stall in &mut transferred.stalls {
                stall.start = relative(stall.start);
            }
        }
        if self.config.measures() {
            let Activity { device, process } = self.counts().since(&before);
            result.activity.push(PhaseActivity { phase: Phase::Transfers, device, process });
        }
        if self.runner.interrupt.pending().is_none() {
            result.settled_after = self.settle();
        }
        result.activity_total = self.config.measures().then(|| self.counts().since(&before));
    }

    fn all(&mut self, transferred: &mut Vec<Transferred>) -> Result<(), Stop> {
        let transfers = &self.config.transfers;
        let created = LargeFile::create(
            self.runner.system,
            self.location,
            self.directory,
            self.config.direct,
        );
        let path = self.location.to_owned();
        let file = created.map_err(|error| self.of_call("create the file", path, error))?;
        let longest = transfers.records.iter().max().copied().unwrap_or(1).max(self.laying());
        let content = FileContent::of_blocks(self.config.content, self.config.seed, longest);
        for &record in &transfers.records {
            for &pattern in &transfers.patterns {
                self.prepare(pattern, &file, &content)?;
                let (done, outcome) = self.pass(pattern, record, &file, &content);
                self.passes += 1;
                transferred.push(done);
                outcome?;
            }
        }
        let path = file.path.clone();
        file.close().map_err(|error| self.of_call("close the file", path, error))
    }

    /// Brings the file to where a pattern begins; not timed.
    fn prepare(
        &mut self,
        pattern: Pattern,
        file: &LargeFile<'_>,
        content: &FileContent,
    ) -> Result<(), Stop> {
        let failed = |what: &'static str| {
            let path = file.path.clone();
            move |playing: &Self, error| playing.of_call(what, path, error)
        };
        if pattern == Pattern::Write {
            self.written = false;
            file.empty().map_err(|error| failed("empty the file")(self, error))?;
            // What was given back is discarded before the clock runs, not while it does.
            let _ = cache::sync_file_system(self.directory);
        } else if !self.written {
            self.runner.interrupt.pending().map_or(Ok(()), |s| Err(Stop::Interrupted(s)))?;
            self.pass(Pattern::Write, self.laying(), file, content).1?;
            file.sync().map_err(|error| failed("lay out the file")(self, error))?;
        }
        if self.config.cache == Cache::Cold && !pattern.writes() {
            self.drop_caches(file)?;
        }
        Ok(())
    }

    /// Bytes of a record in which the file is laid out; the file is whole ones.
    fn laying(&self) -> u64 {
        let transfers = &self.config.transfers;
        let unit = transfers.unit().filter(|&unit| unit <= LAYING_OUT);
        unit.or_else(|| transfers.records.iter().max().copied()).unwrap_or(1)
    }

    fn drop_caches(&mut self, file: &LargeFile<'_>) -> Result<(), Stop> {
        let directories = [(self.location, self.directory)];
        let dropped = cache::empty(&directories, || file.drop_from_cache()).map_err(|error| {
            super::failure::of_call(
                Phase::Transfers,
                "empty caches",
                "fadvise",
                file.path.clone(),
                &error,
            )
        })?;
        let warning = "the page cache was emptied of this file only: the system's needs root";
        if dropped == Dropped::Files && !self.warnings.iter().any(|known| known == warning) {
            self.warnings.push(warning.into());
        }
        Ok(())
    }

    /// One way through the file, and whether it came to its end.
    fn pass(
        &mut self,
        pattern: Pattern,
        record: u64,
        file: &LargeFile<'_>,
        content: &FileContent,
    ) -> (Transferred, Result<(), Stop>) {
        let config = self.config;
        let transfers = &config.transfers;
        self.writing += u64::from(pattern.writes());
        let pass = Pass::new(pattern, record, self.size, config.seed + self.writing);
        let depth = (config.transfers.depth).min(pass.blocks()) as usize;
        let mut engine = block_engine(self.runner.system, depth, record as usize);
        let interrupt = self.runner.interrupt.clone();
        let before = self.counts();
        let about = About {
            pass,
            content,
            writing: self.writing,
            verify: config.verify,
            sync_every: match config.sync {
                SyncPolicy::FsyncEvery(every) => Some(every),
                _ => None,
            },
            interval_ns: config.interval_ns,
            clock: self.runner.clock,
            interrupt: &interrupt,
            counter: &self.counter,
            place: (self.passes, (transfers.patterns.len() * transfers.records.len()) as u64),
        };
        let mut recorder = PassRecorder::begin(about, depth);
        let played = engine.play(file.descriptor(), &mut recorder);
        let interrupted = recorder.interrupted;
        let mut done = recorder.finish(config.transfers.depth, engine.name());
        let outcome = match played {
            Err(error) => Err(self.of_block(pattern, file, error)),
            Ok(()) if interrupted => {
                Err(Stop::Interrupted(interrupt.pending().unwrap_or_default()))
            }
            Ok(()) => self.sync(pattern, file, &mut done),
        };
        if pattern.writes() {
            self.written = outcome.is_ok();
        }
        let Activity { device, process } = self.counts().since(&before);
        (done.device, done.process) = (device, process);
        (done, outcome)
    }

    /// The sync at the end of a pass that writes.
    fn sync(
        &self,
        pattern: Pattern,
        file: &LargeFile<'_>,
        done: &mut Transferred,
    ) -> Result<(), Stop> {
        let syncs = matches!(self.config.sync, SyncPolicy::Phase | SyncPolicy::Close);
        if !(syncs && pattern.writes()) {
            return Ok(());
        }
        let begun = self.runner.clock.now();
        file.sync().map_err(|error| self.of_call(pattern.name(), file.path.clone(), error))?;
        done.sync_ns = Some(self.runner.clock.now().since(begun));
        Ok(())
    }

    fn counts(&self) -> Activity {
        if !self.config.measures() {
            return Activity::default();
        }
        let device = self.devices.first().and_then(Device::counts);
        Activity { device, process: ProcessCounts::now() }
    }

    fn settle(&self) -> Option<Waited> {
        let stop = || self.runner.interrupt.pending().is_some();
        if self.config.settle != Settle::Off {
            // Where it fails there is nothing to wait for, and a pass says so itself.
            let _ = cache::sync_file_system(self.directory);
        }
        match self.config.settle {
            Settle::Off => None,
            Settle::Auto => Some(quiet::until_quiet(&self.devices, stop)),
            Settle::For(nanoseconds) => Some(quiet::for_time(nanoseconds, stop)),
        }
    }

    fn of_call(&self, what: &str, path: PathBuf, error: CallError) -> Stop {
        self.failed(what, path, error.call, Some(error.errno), &Cause::Errno(error.errno))
    }

    fn of_block(&self, pattern: Pattern, file: &LargeFile<'_>, error: BlockError) -> Stop {
        let errno = match error.cause {
            Cause::Errno(errno) => Some(errno),
            _ => None,
        };
        let what = format!("{} at offset {} of", pattern.name(), error.offset);
        self.failed(&what, file.path.clone(), error.call, errno, &error.cause)
    }

    fn failed(
        &self,
        what: &str,
        path: PathBuf,
        call: Call,
        errno: Option<Errno>,
        cause: &Cause,
    ) -> Stop {
        Stop::Failed(Box::new(Failure {
            phase: Phase::Transfers,
            operation: what.into(),
            call: call.name().into(),
            path,
            errno: errno.map(Errno::raw_os_error),
            message: cause.to_string(),
            hint: errno.and_then(|errno| hint(errno, self.config.direct)).map(str::to_owned),
        }))
    }
}

/// What may mend a failed call, where the error tells.
fn hint(errno: Errno, direct: bool) -> Option<&'static str> {
    match errno {
        Errno::NOSPC => Some("the file system is full: lower `set file-size`"),
        Errno::DQUOT => Some("your disk quota is used up: lower `set file-size`"),
        Errno::FBIG => {
            Some("larger than this file system or your limits allow: lower `set file-size`")
        }
        Errno::ROFS => Some("the file system is, or has become, read-only"),
        Errno::IO => Some("the device failed: see the kernel's log"),
        Errno::INVAL if direct => {
            Some("this file system or device cannot bypass the cache so: `set direct false`")
        }
        _ => None,
    }
}
