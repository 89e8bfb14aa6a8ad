//! PostMark's stream of operations, draw for draw.
//!
//! The order of draws is the specification: source text, then per create location,
//! subdirectory and size, per transaction the bias before the file it applies to.

use std::collections::TryReserveError;

use super::config::{Bias, Config};
use super::content::SourceText;
use super::file_set::{FileSet, PooledFile};
use super::generator::{Generator, Mt19937};
use super::operation::{FileId, Operation, Skip, Step};

/// The pool is empty, so no transaction is possible: PostMark stops here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("out of files")]
pub struct OutOfFiles;

/// The two halves of a transaction; a half is `None` when its bias is off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transaction {
    /// Read or append.
    pub data: Option<Step>,
    /// Create or delete.
    pub name: Option<Step>,
}

/// The operations of one run, one after the other.
///
/// Call [`create`](Self::create) `number` times, [`transaction`](Self::transaction) once
/// per transaction and [`delete_next`](Self::delete_next) until it is `None`.
pub struct PostmarkStream {
    generator: Mt19937,
    files: FileSet,
    size_low: u64,
    size_high: u64,
    /// Cumulative weights of the locations; empty for a single one.
    weights: Vec<u64>,
    subdirectories: u64,
    bias_read: Bias,
    bias_create: Bias,
    created: u64,
    deleted: u64,
    deletion_from: usize,
}

impl PostmarkStream {
    /// Seeds the generator, draws the source text and lays out an empty table.
    ///
    /// # Errors
    /// [`TryReserveError`] when there is no memory for the table.
    pub fn new(config: &Config) -> Result<(Self, SourceText), TryReserveError> {
        Ok(Self::new_unless(config, &|| false)?.expect("it is never told to stop"))
    }

    /// The same, but `stop` is asked now and then; `None` if it says so.
    ///
    /// # Errors
    /// [`TryReserveError`] when there is no memory for the table.
    pub fn new_unless(
        config: &Config,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<(Self, SourceText)>, TryReserveError> {
        let mut generator = Mt19937::new(config.seed as u32);
        let (high, block) = (config.size_high, config.write_block);
        let Some(text) = SourceText::draw_unless(&mut generator, high, block, stop) else {
            return Ok(None);
        };
        let stream = Self {
            generator,
            files: FileSet::new(config.number)?,
            size_low: config.size_low,
            size_high: config.size_high,
            weights: cumulative_weights(config),
            subdirectories: config.effective_subdirectories(),
            bias_read: config.bias_read,
            bias_create: config.bias_create,
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
        let size = self.size_low + self.generator.below(self.size_high - self.size_low);
        self.files.insert(slot, PooledFile { id: file, size });
        Step::Play(Operation::Create { file, size })
    }

    /// The next transaction.
    ///
    /// # Errors
    /// [`OutOfFiles`] when no file is left.
    #[inline]
    pub fn transaction(&mut self) -> Result<Transaction, OutOfFiles> {
        if self.created == self.deleted {
            return Err(OutOfFiles);
        }
        let data = self.bias_read.map(|bias| {
            if self.generator.below(10) < u64::from(bias) { self.read() } else { self.append() }
        });
        let name = self.bias_create.map(|bias| {
            if self.generator.below(10) < u64::from(bias) { self.create() } else { self.delete() }
        });
        Ok(Transaction { data, name })
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
        if size >= self.size_high {
            return Step::Skip(Skip::FileFull);
        }
        let bytes = self.generator.below(self.size_high - size) + 1;
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
            let Ok(transaction) = stream.transaction() else { break };
            transaction.data.into_iter().chain(transaction.name).for_each(&mut add);
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
        (0..10).for_each(|_| drop(stream.create()));
        let done = (0..20).take_while(|_| stream.transaction().is_ok()).count();
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
                let Ok(t) = stream.transaction() else { break };
                steps.extend(t.data.into_iter().chain(t.name));
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
