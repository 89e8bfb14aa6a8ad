//! Changes of a [`Config`], each already within its bounds.

use std::path::PathBuf;

use super::config::{Bias, Config, EngineKind, Location};
use super::policy::{Cache, Content, GeneratorKind, LatencyLevel, Settle, SteadyRule, SyncPolicy};
use super::sizes::Sizes;
use super::transfer::{FileSize, Pattern, WorkloadKind};

/// A change of the list of locations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LocationChange {
    /// This location only.
    Replace(Location),
    /// One more.
    Add(Location),
    /// One less: the first of that path.
    Remove(PathBuf),
}

/// One change of one parameter, already within its bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Assignment {
    /// Sizes of files: low and high bound, bytes.
    Size {
        /// Low bound.
        low: u64,
        /// High bound, at least `low`.
        high: u64,
    },
    /// Files of the initial pool.
    Number(u64),
    /// Seed of the generator.
    Seed(u64),
    /// Transactions of a run.
    Transactions(u64),
    /// Where the files go.
    Location(LocationChange),
    /// Subdirectories of each location.
    Subdirectories(u64),
    /// Bytes of one read.
    ReadBlock(u64),
    /// Bytes of one write.
    WriteBlock(u64),
    /// The engine.
    Engine(EngineKind),
    /// Read instead of append.
    BiasRead(Bias),
    /// Create instead of delete.
    BiasCreate(Bias),
    /// End of the transactions, nanoseconds; none to go by their number alone.
    Duration(Option<u64>),
    /// Transactions that do not count, nanoseconds; none for no such.
    Warmup(Option<u64>),
    /// How often the run is played.
    Iterations(u64),
    /// How closely latencies are measured.
    Latency(LatencyLevel),
    /// Length of an interval of the timeline, nanoseconds.
    Interval(u64),
    /// When data are forced to the device.
    Sync(SyncPolicy),
    /// What the page cache holds.
    Cache(Cache),
    /// Whether the page cache is bypassed.
    Direct(bool),
    /// How long to wait for a quiet device.
    Settle(Settle),
    /// What is written.
    Content(Content),
    /// Whether reads are compared.
    Verify(bool),
    /// Where sizes come from.
    Sizes(Sizes),
    /// A directory whose files per directory are taken over.
    FanOut(Option<PathBuf>),
    /// Until what the run is repeated.
    Steady(Option<SteadyRule>),
    /// Threads.
    Workers(u64),
    /// Where the random numbers come from.
    Generator(GeneratorKind),
    /// What is played.
    Workload(WorkloadKind),
    /// The patterns of transfers.
    Patterns(Vec<Pattern>),
    /// Bytes of a transfer.
    Records(Vec<u64>),
    /// How large the file of transfers is.
    FileSize(FileSize),
    /// Transfers under way at once.
    Depth(u64),
}

/// Why an assignment, though each value is in bounds, cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AssignmentError {
    /// The location to remove is not in the list.
    #[error("cannot find location '{}'", .0.display())]
    NoSuchLocation(PathBuf),
}

impl Config {
    /// Makes one change.
    ///
    /// # Errors
    /// [`AssignmentError`] when it does not fit what is set; nothing is changed then.
    pub fn apply(&mut self, assignment: Assignment) -> Result<(), AssignmentError> {
        match assignment {
            Assignment::Size { low, high } => (self.size_low, self.size_high) = (low, high),
            Assignment::Number(number) => self.number = number,
            Assignment::Seed(seed) => self.seed = seed,
            Assignment::Transactions(transactions) => {
                (self.transactions, self.transactions_set) = (transactions, true);
            }
            Assignment::Location(change) => self.change_location(change)?,
            Assignment::Subdirectories(count) => self.subdirectories = count,
            Assignment::ReadBlock(bytes) => self.read_block = bytes,
            Assignment::WriteBlock(bytes) => self.write_block = bytes,
            Assignment::Engine(engine) => self.engine = engine,
            Assignment::BiasRead(bias) => self.bias_read = bias,
            Assignment::BiasCreate(bias) => self.bias_create = bias,
            Assignment::Duration(duration) => self.duration_ns = duration,
            Assignment::Warmup(warmup) => self.warmup_ns = warmup,
            Assignment::Iterations(iterations) => self.iterations = iterations,
            Assignment::Latency(latency) => self.latency = latency,
            Assignment::Interval(interval) => self.interval_ns = interval,
            Assignment::Sync(sync) => self.sync = sync,
            Assignment::Cache(cache) => self.cache = cache,
            Assignment::Direct(direct) => self.direct = direct,
            Assignment::Settle(settle) => self.settle = settle,
            Assignment::Content(content) => self.content = content,
            Assignment::Verify(verify) => self.verify = verify,
            Assignment::Sizes(sizes) => self.sizes = sizes,
            Assignment::FanOut(directory) => self.fan_out = directory,
            Assignment::Steady(rule) => self.steady = rule,
            Assignment::Workers(workers) => self.workers = workers,
            Assignment::Generator(generator) => self.generator = generator,
            Assignment::Workload(workload) => self.workload = workload,
            Assignment::Patterns(patterns) => self.transfers.patterns = patterns,
            Assignment::Records(records) => self.transfers.records = records,
            Assignment::FileSize(size) => self.transfers.file_size = size,
            Assignment::Depth(depth) => self.transfers.depth = depth,
        }
        Ok(())
    }

    fn change_location(&mut self, change: LocationChange) -> Result<(), AssignmentError> {
        match change {
            LocationChange::Replace(location) => self.locations = vec![location],
            LocationChange::Add(location) => self.locations.push(location),
            LocationChange::Remove(path) => {
                let place = self.locations.iter().position(|location| location.path == path);
                self.locations.remove(place.ok_or(AssignmentError::NoSuchLocation(path))?);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn location(path: &str, weight: u64) -> Location {
        Location { path: path.into(), weight }
    }

    #[test]
    fn locations_are_replaced_added_and_removed() {
        let mut config = Config::default();
        let mut change = |change| config.apply(Assignment::Location(change));
        change(LocationChange::Replace(location("a", 1))).expect("replace");
        change(LocationChange::Add(location("b", 4))).expect("add");
        change(LocationChange::Add(location("a", 2))).expect("add twice");
        change(LocationChange::Remove("a".into())).expect("remove the first a");
        let missing = change(LocationChange::Remove("c".into()));
        assert_eq!(missing, Err(AssignmentError::NoSuchLocation("c".into())));
        assert_eq!(config.locations, [location("b", 4), location("a", 2)]);
    }
}
