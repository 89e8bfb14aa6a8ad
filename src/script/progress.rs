//! PostMark's lines of progress, to the byte.

use std::io::Write;

use crate::runner::Progress;
use crate::runner::measurement::Phase;

/// Prints a run's progress as PostMark does. A reader that went away does not stop the
/// run: it is noticed when the report is written.
pub struct ClassicProgress<'a> {
    out: &'a mut dyn Write,
}

impl<'a> ClassicProgress<'a> {
    /// Prints to `out`.
    pub fn new(out: &'a mut dyn Write) -> Self {
        Self { out }
    }

    fn print(&mut self, text: &str) {
        let _ = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
    }
}

impl Progress for ClassicProgress<'_> {
    fn begin(&mut self, phase: Phase) {
        self.print(match phase {
            Phase::Subdirectories => "Creating subdirectories...",
            Phase::Creation => "Creating files...",
            Phase::Transactions => "Performing transactions",
            Phase::Deletion => "Deleting files...",
            Phase::SubdirectoryRemoval => "Deleting subdirectories...",
            // What follows PostMark does not have; it appears only where it was asked for.
            Phase::CreationSync | Phase::TransactionSync | Phase::DeletionSync => "Syncing...",
            Phase::CacheDrop => "Emptying caches...",
            Phase::Transfers => "Transferring...",
            Phase::WarmUp => "Warming up...",
        });
    }

    fn tenth(&mut self) {
        self.print(".");
    }

    fn out_of_files(&mut self) {
        self.print(
            "out of files!\nFor this workload, either increase the number of files or\n\
             decrease the number of transactions.\n",
        );
    }

    fn end(&mut self, _: Phase) {
        self.print("Done\n");
    }
}
