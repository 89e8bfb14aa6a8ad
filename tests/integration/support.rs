//! What the tests share: the program, scratch directories, and skipping out loud.

use std::collections::BTreeMap;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use nix::sys::signal::{SigHandler, Signal, signal};
use tempfile::TempDir;

/// The program under test. It heeds signals also where these tests are started by what
/// ignores some, such as a shell that starts them in the background.
pub fn trimark() -> &'static str {
    static HEEDED: Once = Once::new();
    HEEDED.call_once(|| {
        for ignored in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
            // SAFETY: no handler is set; the default ends the process as ever.
            unsafe { signal(ignored, SigHandler::SigDfl) }.expect("a disposition");
        }
    });
    env!("CARGO_BIN_EXE_trimark")
}

/// A scratch directory of this test's own, removed when dropped.
pub fn scratch() -> TempDir {
    tempfile::Builder::new().prefix("trimark-test-").tempdir().expect("a scratch directory")
}

/// The program under the name `postmark`, in a directory of its own.
pub struct AsPostmark {
    directory: TempDir,
}

impl AsPostmark {
    pub fn new() -> Self {
        let directory = scratch();
        std::os::unix::fs::symlink(trimark(), directory.path().join("postmark")).expect("a link");
        Self { directory }
    }

    pub fn path(&self) -> PathBuf {
        self.directory.path().join("postmark")
    }
}

/// Says why a test did nothing; under `TRIMARK_REQUIRE_ALL=1` that is a failure.
pub fn skip(reason: &str) {
    assert!(
        std::env::var_os("TRIMARK_REQUIRE_ALL").is_none_or(|value| value != "1"),
        "TRIMARK_REQUIRE_ALL=1, but {reason}"
    );
    // Past the test harness's capturing, so that it is seen.
    let _ = writeln!(std::io::stderr().lock(), "SKIPPED: {reason}");
}

/// Where a program is, or none after saying that the test is skipped.
pub fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let sbin = ["/usr/sbin".into(), "/sbin".into()];
    let found = std::env::split_paths(&path)
        .chain(sbin)
        .map(|directory: PathBuf| directory.join(name))
        .find(|candidate| candidate.is_file());
    if found.is_none() {
        skip(&format!("`{name}` is not installed"));
    }
    found
}

/// True for root; otherwise says that the test is skipped.
pub fn root() -> bool {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        skip("this test needs root");
    }
    is_root
}

/// Held by tests that empty the caches of the whole system, and by those that count what a
/// device reads meanwhile: they would disturb each other.
pub fn system_caches() -> MutexGuard<'static, ()> {
    static CACHES: Mutex<()> = Mutex::new(());
    CACHES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a program in a directory with this standard input.
pub fn run_in(
    directory: &Path,
    program: impl AsRef<Path>,
    arguments: &[&str],
    input: &str,
) -> Output {
    let mut child = Command::new(program.as_ref())
        .args(arguments)
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_owned();
    // A program that ends early closes the pipe; that is no error of the test.
    let feeder = std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    let output = child.wait_with_output().expect("the program ends");
    feeder.join().expect("the input is written");
    output
}

/// Standard output as text.
pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Standard error as text.
pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Every path below a directory, relative to it, sorted.
pub fn entries(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(next) = pending.pop() {
        for entry in std::fs::read_dir(&next).expect("a directory").flatten() {
            let path = entry.path();
            let relative = path.strip_prefix(directory).expect("below");
            found.push(relative.to_string_lossy().into_owned());
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                pending.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The real PostMark, or none after saying that the test is skipped.
pub fn real_postmark() -> Option<PathBuf> {
    let path = program("postmark")?;
    let directory = scratch();
    let answer = stdout(&run_in(directory.path(), &path, &[], "  show\n"));
    // Ours reads past leading blanks, PostMark does not.
    if answer == "PostMark v1.51 : 8/14/01\npm>Eh?\npm>" {
        return Some(path);
    }
    skip(&format!("'{}' is not PostMark itself", path.display()));
    None
}

/// A scratch directory in memory, where there is a place: runs in it take little time,
/// mostly less than the second that PostMark counts at least.
pub fn scratch_in_memory() -> TempDir {
    let place = tempfile::Builder::new().prefix("trimark-test-").tempdir_in("/dev/shm");
    place.unwrap_or_else(|_| scratch())
}

/// Everything about an entry that a program could have changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    content: EntryContent,
    inode: u64,
    mode: u32,
    modified: (i64, i64),
}

/// What an entry is. The times of directories change with what is in them.
#[derive(Debug, Clone, PartialEq, Eq)]
enum EntryContent {
    Directory,
    Link(PathBuf),
    File(Vec<u8>),
}

/// Every entry below a directory as it is now, by its path relative to that.
pub fn snapshot(directory: &Path) -> BTreeMap<PathBuf, Entry> {
    let entry = |relative: String| {
        let path = directory.join(&relative);
        let data = path.symlink_metadata().expect("metadata");
        let content = if data.is_dir() {
            EntryContent::Directory
        } else if data.is_symlink() {
            EntryContent::Link(path.read_link().expect("a link"))
        } else {
            EntryContent::File(std::fs::read(&path).expect("a file"))
        };
        let modified = if data.is_dir() { (0, 0) } else { (data.mtime(), data.mtime_nsec()) };
        let entry = Entry { content, inode: data.ino(), mode: data.mode(), modified };
        (PathBuf::from(relative), entry)
    };
    entries(directory).into_iter().map(entry).collect()
}

/// Demands that a directory is as it was; names the entries that are not.
pub fn assert_unchanged(directory: &Path, before: &BTreeMap<PathBuf, Entry>, context: &str) {
    let now = snapshot(directory);
    let new = now.iter().filter(|(path, entry)| before.get(*path) != Some(entry));
    let left: Vec<String> = new.map(|(path, entry)| entry.describe(path)).collect();
    let gone: Vec<&PathBuf> = before.keys().filter(|path| !now.contains_key(*path)).collect();
    assert!(left.is_empty() && gone.is_empty(), "new: {left:?}, gone: {gone:?}: {context}");
}

impl Entry {
    fn describe(&self, path: &Path) -> String {
        let what = match &self.content {
            EntryContent::Directory => "directory".into(),
            EntryContent::Link(to) => format!("link to {}", to.display()),
            EntryContent::File(bytes) => {
                let start = String::from_utf8_lossy(&bytes[..bytes.len().min(30)]);
                format!("{} bytes: {start}", bytes.len())
            }
        };
        format!("{} ({what})", path.display())
    }
}
