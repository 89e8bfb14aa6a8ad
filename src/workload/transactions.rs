//! PostMark's stream of operations, draw for draw.
//!
//! The order of draws is the specification: source text, then per create location,
//! subdirectory and size, per transaction the bias before the file it applies to.

use std::collections::TryReserveError;

use super::config::{Bias, Config};
use super::content::FileContent;
use super::file_set::FileSet;
use super::generator::{AnyGenerator, Generator, Mt19937, Xoshiro};
use super::operation::{FileId, Operation, PooledFile, Skip, Step};
use super::policy::GeneratorKind;
use super::sizes::SizeSource;

/// How many draws ahead slots are fetched: those of about two transactions.
const DRAWS_AHEAD: usize = 12;
/// The draws of one transaction, about.
const DRAWS_EACH: usize = 7;

/// The pool is empty, so no transaction is possible: PostMark stops here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("out of files")]
pub struct OutOfFiles;

/// The operations of one run, one after the other.
///
/// Call [`create`](Self::create) `number` times, [`data_half`](Self::data_half) and
/// [`name_half`](Self::name_half) once per transaction and
/// [`delete_next`](Self::delete_next) until it is `None`. What a call returns is to be
/// played before the next: the table is never more than one operation ahead of the disk.
pub struct PostmarkStream {
    generator: AnyGenerator,
    files: FileSet,
    sizes: SizeSource,
    /// Cumulative weights of the locations; empty for a single one.
    weights: Vec<u64>,
    subdirectories: u64,
    bias_read: Bias,
    bias_create: Bias,
    /// Whether the table is so large that slots must be fetched ahead of their use.
    prefetches: bool,
    created: u64,
    deleted: u64,
    deletion_from: usize,
}

impl PostmarkStream {
    /// Seeds the generator, draws the source text and lays out an empty table, for sizes as
    /// PostMark has them.
    ///
    /// # Errors
    /// [`TryReserveError`] when there is no memory for the table.
    pub fn new(config: &Config) -> Result<(Self, FileContent), TryReserveError> {
        let drawn = Self::of_worker(config, &config.uniform_sizes(), 0, &|| false)?;
        Ok(drawn.expect("it is never told to stop"))
    }

    /// The same for any sizes, and one of several workers, counted from 0, each with a
    /// stream of its own if the generator can split. `stop` is asked now and then; none if
    /// it says so.
    ///
    /// # Errors
    /// [`TryReserveError`] when there is no memory for the table.
    pub fn of_worker(
        config: &Config,
        sizes: &SizeSource,
        worker: u64,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<(Self, FileContent)>, TryReserveError> {
        let mut generator = match config.effective_generator() {
            GeneratorKind::Postmark => {
                AnyGenerator::Postmark(Box::new(Mt19937::new(config.seed as u32)))
            }
            GeneratorKind::Xoshiro => AnyGenerator::Xoshiro(Xoshiro::new(config.seed, worker)),
        };
        let block = config.read_block.max(config.write_block);
        let (high, content) = (sizes.high(), config.content);
        let drawn = FileContent::draw(&mut generator, high, block, content, config.seed, stop);
        let Some(text) = drawn else { return Ok(None) };
        let files = FileSet::new(config.number, config.limits(sizes.high()))?;
        let stream = Self {
            generator,
            sizes: sizes.clone(),
            weights: cumulative_weights(config),
            subdirectories: config.effective_subdirectories(),
            bias_read: config.bias_read,
            bias_create: config.bias_create,
            prefetches: files.wants_prefetch(),
            files,
            created: 0,
            deleted: 0,
            deletion_from: 0,
        };
        Ok(Some((stream, text)))
    }

    /// The next create, or the reason there is none.
    pub fn create(&mut self) -> Step {
        let Some(slot) = self.files.take_slot() else {
            return Step::Skip(Skip::TableFull);
        };
        self.created += 1;
        let file = FileId { number: self.created, directory: self.choose_directory() };
        let size = self.sizes.draw(&mut self.generator);
        self.files.insert(slot, PooledFile { id: file, size });
        Step::Play(Operation::Create { file, size })
    }

    /// The first half of the next transaction: read or append; none when its bias is off.
    ///
    /// # Errors
    /// [`OutOfFiles`] when no file is left.
    #[inline]
    pub fn data_half(&mut self) -> Result<Option<Step>, OutOfFiles> {
        if self.created == self.deleted {
            return Err(OutOfFiles);
        }
        if self.prefetches {
            self.prefetch();
        }
        Ok(self.bias_read.map(|bias| {
            if self.generator.below(10) < u64::from(bias) { self.read() } else { self.append() }
        }))
    }

    /// The second half of the transaction: create or delete; none when its bias is off.
    #[inline]
    pub fn name_half(&mut self) -> Option<Step> {
        self.bias_create.map(|bias| {
            if self.generator.below(10) < u64::from(bias) { self.create() } else { self.delete() }
        })
    }

    /// The next delete of the final phase, in the order of the table.
    pub fn delete_next(&mut self) -> Option<Operation> {
        let slot = self.files.next_in_use(self.deletion_from)?;
        self.deletion_from = slot + 1;
        Some(self.delete_slot(slot))
    }

    /// The running number of the newest file; 0 before the first.
    #[must_use]
    pub fn newest(&self) -> u64 {
        self.created
    }

    /// The files in the pool, in the order of the table.
    pub fn files(&self) -> impl Iterator<Item = FileId> {
        let first = self.files.next_in_use(0);
        let next = |&slot: &usize| self.files.next_in_use(slot + 1);
        std::iter::successors(first, next).map(|slot| self.files.file(slot).id)
    }

    /// How many files are in the pool.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.files.len()
    }

    /// True when the pool holds no file.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Has the slots fetched that the draws to come would choose. Many will not be used as
    /// such, but a slot fetched too much costs far less than one waited for.
    #[inline]
    fn prefetch(&self) {
        let (draws, next) = self.generator.block();
        let from = (next + DRAWS_AHEAD).min(draws.len());
        let slots = self.files.slot_count() as u32;
        for draw in draws[from..].iter().take(DRAWS_EACH) {
            let slot = (draw % slots) as usize;
            self.files.prefetch(slot);
        }
    }

    fn choose_directory(&mut self) -> u32 {
        let location = match self.weights.last() {
            Some(&total) => {
                let drawn = self.generator.below(total);
                self.weights.partition_point(|&up_to| up_to <= drawn) as u64
            }
            None => 0,
        };
        let subdirectory = self.generator.below(self.subdirectories);
        (location * self.subdirectories.max(1) + subdirectory) as u32
    }

    /// Draws until a slot in use is hit. The pool must not be empty.
    fn choose_slot(&mut self) -> usize {
        loop {
            let slot = self.generator.below(self.files.slot_count()) as usize;
            if self.files.in_use(slot) {
                return slot;
            }
        }
    }

    fn read(&mut self) -> Step {
        let slot = self.choose_slot();
        let PooledFile { id, size } = self.files.file(slot);
        Step::Play(Operation::Read { file: id, size })
    }

    fn append(&mut self) -> Step {
        let slot = self.choose_slot();
        let PooledFile { id, size } = self.files.file(slot);
        let Some(bytes) = self.sizes.append(size, &mut self.generator) else {
            return Step::Skip(Skip::FileFull);
        };
        self.files.resize(slot, size + bytes);
        Step::Play(Operation::Append { file: id, size, bytes })
    }

    fn delete(&mut self) -> Step {
        let slot = self.choose_slot();
        Step::Play(self.delete_slot(slot))
    }

    fn delete_slot(&mut self, slot: usize) -> Operation {
        self.deleted += 1;
        Operation::Delete { file: self.files.remove(slot).id }
    }
}

/// Running sums of the weights, as PostMark repeats each location by its weight.
fn cumulative_weights(config: &Config) -> Vec<u64> {
    if config.locations.len() < 2 {
        return Vec::new();
    }
    let mut sum = 0;
    config
        .locations
        .iter()
        .map(|location| {
            sum += location.weight;
            sum
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::operation::OperationKind;
    use proptest::prelude::*;

    /// Counts and bytes of a whole run, by kind.
    #[derive(Debug, Default, PartialEq, Eq)]
    struct Totals {
        counts: [u64; 4],
        bytes: [u64; 4],
        deleted_alone: u64,
    }

    fn play(config: &Config) -> Totals {
        let (mut stream, _) = PostmarkStream::new(config).expect("small table");
        let mut totals = Totals::default();
        let mut add = |step| {
            if let Step::Play(operation) = step {
                let operation: Operation = operation;
                totals.counts[operation.kind() as usize] += 1;
                totals.bytes[operation.kind() as usize] += operation.bytes();
            }
        };
        for _ in 0..config.number {
            add(stream.create());
        }
        for _ in 0..config.transactions {
            let Ok(data) = stream.data_half() else { break };
            data.into_iter().chain(stream.name_half()).for_each(&mut add);
        }
        let left = stream.len();
        while let Some(operation) = stream.delete_next() {
            add(Step::Play(operation));
        }
        totals.deleted_alone = left;
        totals
    }

    /// Known answers, seed 42, observed on PostMark 1.53.
    #[test]
    fn known_answers() {
        let rows = [
            (
                (500, 100_000),
                10_000,
                20_000,
                [20_163, 10_053, 9_945, 20_163],
                10_326,
                584_971_616,
                1_222_242_297,
            ),
            ((500, 10_000), 500, 500, [764, 243, 257, 764], 528, 1_430_770, 4_662_068),
            (
                (500, 10_000),
                20_000,
                200_000,
                [120_240, 99_680, 99_704, 120_240],
                20_480,
                659_939_177,
                800_255_003,
            ),
        ];
        for ((size_low, size_high), number, transactions, counts, alone, read, written) in rows {
            let config = Config { size_low, size_high, number, transactions, ..Config::default() };
            let totals = play(&config);
            assert_eq!(totals.counts, counts);
            assert_eq!(totals.deleted_alone, alone);
            assert_eq!(totals.bytes[OperationKind::Read as usize], read);
            let [created, _, appended, _] = totals.bytes;
            assert_eq!(created + appended, written);
        }
    }

    #[test]
    fn biases_of_minus_one_leave_their_half_out() {
        let config = Config { bias_read: None, bias_create: None, ..Config::default() };
        assert_eq!(play(&config).counts, [500, 0, 0, 500]);
    }

    #[test]
    fn deleting_all_runs_out_of_files() {
        let config = Config { number: 10, bias_create: Some(0), ..Config::default() };
        let (mut stream, _) = PostmarkStream::new(&config).expect("small table");
        for _ in 0..10 {
            stream.create();
        }
        let mut transaction = || stream.data_half().map(|_| stream.name_half()).is_ok();
        let done = (0..20).take_while(|_| transaction()).count();
        assert_eq!(done, 10);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn every_created_file_is_deleted_once_and_sizes_stay_in_bounds(
            low in 1u64..2000, range in 0u64..3000, number in 1u64..200, transactions in 1u64..800,
            bias_read in prop::option::of(0u8..=10), bias_create in prop::option::of(0u8..=10),
            subdirectories in 0u64..5, seed in 1u64..1000,
        ) {
            let config = Config {
                size_low: low, size_high: low + range, number, transactions, seed,
                subdirectories, bias_read, bias_create, ..Config::default()
            };
            let (mut stream, _) = PostmarkStream::new(&config).expect("small table");
            let mut sizes = std::collections::HashMap::new();
            let mut steps: Vec<Step> = (0..number).map(|_| stream.create()).collect();
            for _ in 0..transactions {
                let Ok(data) = stream.data_half() else { break };
                steps.extend(data.into_iter().chain(stream.name_half()));
            }
            steps.extend(std::iter::from_fn(|| stream.delete_next().map(Step::Play)));
            for step in steps {
                match step {
                    Step::Play(Operation::Create { file, size }) => {
                        prop_assert!(size >= low && (size < low + range || range == 0));
                        prop_assert!(sizes.insert(file, size).is_none());
                    }
                    Step::Play(Operation::Read { file, size }) => prop_assert_eq!(sizes[&file], size),
                    Step::Play(Operation::Append { file, size, bytes }) => {
                        prop_assert_eq!(sizes.insert(file, size + bytes), Some(size));
                        prop_assert!(bytes > 0 && size + bytes <= low + range);
                    }
                    Step::Play(Operation::Delete { file }) => prop_assert!(sizes.remove(&file).is_some()),
                    Step::Skip(_) => {}
                }
            }
            prop_assert!(sizes.is_empty());
        }
    }
}
