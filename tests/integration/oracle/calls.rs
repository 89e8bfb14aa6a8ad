//! System call by system call, under strace: what happens to the files of the pool.
//!
//! Ours may differ in this only: names are relative to a directory descriptor, files are
//! made with `O_EXCL`, descriptors with `O_CLOEXEC` (and `O_LARGEFILE`, which changes
//! nothing where `off_t` has 64 bits), and there is a manifest beside the pool.

use std::path::Path;

use super::Pair;
use super::workload::{Bounds, DIRECTORIES, Settings, generate};
use crate::support::program;

const TRACED: &str = "trace=openat,open,creat,read,write,pread64,pwrite64,readv,writev,close,unlink,\
                      unlinkat,mkdir,mkdirat,rmdir,rename,lseek,newfstatat,fstat,ftruncate,fsync,\
                      fdatasync,fadvise64,fallocate,chmod,fchmod";
const RUNS: usize = 60;
const BOUNDS: Bounds =
    Bounds { number: 10, transactions: 30, blocks: &[100, 4096, 5000, 8192, 12_288] };
/// Flags that ours adds.
const ADDED: [&str; 3] = ["O_EXCL", "O_LARGEFILE", "O_CLOEXEC"];

/// One line of strace: `PID call(arguments) = result`.
struct Line<'a> {
    call: &'a str,
    arguments: &'a str,
    result: &'a str,
}

impl<'a> Line<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let (_, line) = line.split_once(' ')?;
        let (call, rest) = line.trim_start().split_once('(')?;
        let (arguments, result) = rest.rsplit_once(" = ")?;
        Some(Self { call, arguments: arguments.trim_end().strip_suffix(')')?, result })
    }

    /// The path of the descriptor that comes first, and the arguments after it.
    fn descriptor(&self) -> Option<(&'a str, &'a str)> {
        let (_, rest) = self.arguments.split_once('<')?;
        let (path, rest) = rest.split_once('>')?;
        Some((path, rest.trim_start_matches(", ")))
    }

    /// A file's full name, given as a string or by a descriptor with a string, and the
    /// arguments after it.
    fn name(&self, directory: &str) -> Option<(String, &'a str)> {
        let (directory, named) = if self.arguments.starts_with('"') {
            (directory, self.arguments)
        } else {
            self.descriptor()?
        };
        let (name, rest) = named.strip_prefix('"')?.split_once('"')?;
        let path = Path::new(directory).join(name); // an empty name is the descriptor's own
        let path = path.to_string_lossy().trim_end_matches('/').to_owned();
        Some((path, rest.trim_start_matches(", ")))
    }

    /// The call in a notation that both programs share: what it does, to what, and how.
    fn event(&self, directory: &str) -> Option<(String, String)> {
        let outcome = if self.result.starts_with('-') { self.result } else { "done" };
        let (path, what) = match self.call {
            "openat" => {
                let (path, rest) = self.name(directory)?;
                (path, format!("open {} = {outcome}", without_added(rest)))
            }
            "mkdir" | "mkdirat" => {
                let (path, mode) = self.name(directory)?;
                (path, format!("mkdir {mode} = {outcome}"))
            }
            "unlinkat" => {
                let (path, flags) = self.name(directory)?;
                let call = if flags == "AT_REMOVEDIR" { "rmdir" } else { "unlink" };
                (path, format!("{call} = {outcome}"))
            }
            "unlink" | "rmdir" => (self.name(directory)?.0, format!("{} = {outcome}", self.call)),
            "fstat" | "newfstatat" => {
                let state = self.arguments.split_once('{')?.1.split_once('}')?.0;
                (self.descriptor()?.0.to_owned(), format!("fstat {state} = {outcome}"))
            }
            "close" => (self.descriptor()?.0.to_owned(), format!("close = {outcome}")),
            _ => {
                let (path, rest) = self.descriptor()?;
                (path.to_owned(), format!("{} {rest} = {}", self.call, self.result))
            }
        };
        let name = path.strip_prefix(directory)?.strip_prefix('/')?;
        is_of_pool(name).then(|| (name.to_owned(), what))
    }
}

fn without_added(flags_and_mode: &str) -> String {
    let (flags, mode) = flags_and_mode.split_once(", ").unwrap_or((flags_and_mode, ""));
    let kept: Vec<&str> = flags.split('|').filter(|flag| !ADDED.contains(flag)).collect();
    format!("{} {mode}", kept.join("|"))
}

/// A file `17` or a subdirectory `s3`.
fn is_of_pool(name: &str) -> bool {
    let last = name.rsplit('/').next().unwrap_or_default();
    let digits = last.strip_prefix('s').unwrap_or(last);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Plays a script under strace: the calls on the pool's files and subdirectories.
fn trace(pair: &Pair, strace: &Path, program: &Path, script: &str) -> (Vec<String>, String) {
    let file = pair.beside("trace");
    let (file_name, program) = (file.to_string_lossy(), program.to_string_lossy());
    let arguments = ["-f", "-y", "-s", "40", "-e", TRACED, "-o", &file_name, &program];
    let played = pair.play(strace, &arguments, script);
    assert!(played.files.is_empty(), "{:?}", played.files);
    let directory = pair.directory().canonicalize().expect("the directory");
    let directory = directory.to_string_lossy();
    let text = std::fs::read_to_string(&file).expect("the trace");
    let events = text.lines().filter_map(|line| Line::parse(line)?.event(&directory));
    (events.map(|(name, what)| format!("{name}: {what}")).collect(), text)
}

/// Compares the calls of both programs in runs with this buffering; returns them.
fn compare(buffering: bool) -> Option<Vec<String>> {
    let strace = program("strace")?;
    let pair = Pair::new()?;
    pair.make_directories(&DIRECTORIES);
    let mut runs: Vec<Settings> =
        generate(RUNS, BOUNDS).into_iter().map(|run| Settings { buffering, ..run }).collect();
    // Files of whole blocks only: the remainder is of no bytes.
    let whole =
        Settings { size: (8192, 8192), biases: (5, 5), transactions: 30, ..runs[0].clone() };
    runs.push(Settings { blocks: (4096, 4096), ..whole.clone() });
    runs.push(Settings { blocks: (8192, 8192), ..whole });
    let script: String = runs.iter().map(|run| run.script() + "run\n").collect();
    let (real, _) = trace(&pair, &strace, &pair.real, &script);
    let (ours, text) = trace(&pair, &strace, &pair.ours.path(), &script);
    for (index, (expected, got)) in real.iter().zip(&ours).enumerate() {
        let before = &real[index.saturating_sub(5)..index];
        assert_eq!(got, expected, "call {index}, after {before:#?}");
    }
    assert_eq!(ours.len(), real.len());
    check_added_flags(&text);
    Some(real)
}

/// Every file of a pool is made exclusively, and no descriptor outlives an `exec`.
fn check_added_flags(trace: &str) {
    let mut created = 0;
    for line in trace.lines().filter(|line| line.contains("openat(")) {
        assert!(line.contains("O_CLOEXEC"), "{line}");
        if line.contains("O_WRONLY|O_CREAT|") && line.contains("O_TRUNC")
            || line.contains("O_RDWR|O_CREAT|")
        {
            assert!(line.contains("O_EXCL"), "{line}");
            created += 1;
        }
    }
    assert!(created > RUNS, "{created} files");
}

fn count(events: &[String], what: &str) -> usize {
    events.iter().filter(|event| event.contains(what)).count()
}

#[test]
fn unbuffered_runs_make_postmarks_calls() {
    let Some(events) = compare(false) else { return };
    let opened = ["open O_RDWR|O_CREAT 0644", "open O_RDWR|O_APPEND ", "open O_RDONLY "];
    let empty_transfers = ["write \"\", 0 = 0", "read \"\", 0 = 0"];
    for what in opened.into_iter().chain(empty_transfers) {
        assert!(count(&events, what) > 10, "{what}");
    }
    assert!(count(&events, "mkdir 0700") > 10 && count(&events, "rmdir") > 10);
    assert_eq!(count(&events, "fstat") + count(&events, "lseek"), 0);
}

#[test]
fn buffered_runs_make_stdios_calls() {
    let Some(events) = compare(true) else { return };
    for what in
        ["O_TRUNC 0666", "O_WRONLY|O_CREAT|O_APPEND 0666", "fstat", "lseek", "write", "read"]
    {
        assert!(count(&events, what) > 10, "{what}");
    }
}

#[test]
fn lines_of_strace_are_read() {
    let event = |line: &str| Line::parse(line).and_then(|line| line.event("/w"));
    let is = |name: &str, what: &str| Some((name.to_owned(), what.to_owned()));
    for line in ["1 unlink(\"a/7\")     = 0", "1 unlinkat(3</w/a>, \"7\", 0) = 0"] {
        assert_eq!(event(line), is("a/7", "unlink = done"));
    }
    let ours = "9 openat(4</w/b>, \"s0/1\", O_RDWR|O_CREAT|O_EXCL|O_CLOEXEC, 0644) = 7</w/b/s0/1>";
    let real = "8 openat(AT_FDCWD</w>, \"b/s0/1\", O_RDWR|O_CREAT, 0644) = 3</w/b/s0/1>";
    assert_eq!(event(ours), is("b/s0/1", "open O_RDWR|O_CREAT 0644 = done"));
    assert_eq!(event(real), event(ours));
    let stat = "8 newfstatat(3</w/1>, \"\", {st_size=5, ...}, AT_EMPTY_PATH) = 0";
    assert_eq!(event(stat), is("1", "fstat st_size=5, ... = done"));
    assert_eq!(event("8 fstat(3</w/1>, {st_size=5, ...}) = 0"), event(stat));
    let failed = "8 unlink(\"7\") = -1 ENOENT (No such file or directory)";
    assert_eq!(event(failed), is("7", "unlink = -1 ENOENT (No such file or directory)"));
    assert_eq!(event("1 read(0<pipe:[5]>, \"a = b\", 9) = 5"), None);
    assert_eq!(event("1 pwrite64(5</w/a/.trimark-run>, \"0\", 20, 19) = 20"), None);
}
