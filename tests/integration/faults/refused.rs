//! Locations that a run must not begin in. Nothing is created or changed then.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::{
    AsPostmark, program, root, run_in, scratch, scratch_in_memory, snapshot, stderr, stdout,
    trimark,
};

fn run_at(location: &Path, settings: &[&str]) -> Output {
    let location = location.to_string_lossy().into_owned();
    let mut arguments = vec!["run", "--no-rc", "--location", &location];
    for setting in settings {
        arguments.extend(["--set", setting]);
    }
    run_in(Path::new("/"), trimark(), &arguments, "")
}

fn assert_refused(output: &Output, code: i32, reasons: &[&str]) {
    let errors = stderr(output);
    assert_eq!(output.status.code(), Some(code), "{errors}");
    assert_eq!(stdout(output), "");
    for reason in reasons {
        assert!(errors.contains(reason), "{reason} is not in: {errors}");
    }
}

#[test]
fn a_location_that_is_no_directory_is_refused() {
    let directory = scratch_in_memory();
    let file = directory.path().join("file");
    std::fs::write(&file, "mine").expect("a file");
    std::os::unix::fs::symlink("nowhere", directory.path().join("dangling")).expect("a link");
    let before = snapshot(directory.path());
    let missing = directory.path().join("missing");
    assert_refused(&run_at(&missing, &[]), 2, &["no such directory", &missing.to_string_lossy()]);
    assert_refused(&run_at(&missing.join("deeper"), &[]), 2, &["no such directory"]);
    assert_refused(&run_at(&file, &[]), 2, &["not a directory", &file.to_string_lossy()]);
    assert_refused(&run_at(&file.join("below"), &[]), 2, &["part of its path is no directory"]);
    assert_refused(&run_at(&directory.path().join("dangling"), &[]), 2, &["no such directory"]);
    assert_eq!(snapshot(directory.path()), before);
}

#[test]
fn one_bad_location_of_two_keeps_both_untouched() {
    let directory = scratch_in_memory();
    let good = directory.path().join("good");
    std::fs::create_dir(&good).expect("a directory");
    let script = format!(
        "set location {}\nset location +{}\nrun\n",
        good.display(),
        directory.path().join("bad").display()
    );
    let before = snapshot(directory.path());
    let output = run_in(directory.path(), trimark(), &["--no-rc"], &script);
    assert_refused(&output, 2, &["no such directory"]);
    assert_eq!(snapshot(directory.path()), before);
}

/// The program where everybody may start it, and a way to start it as nobody.
struct AsNobody {
    directory: tempfile::TempDir,
    setpriv: PathBuf,
}

impl AsNobody {
    fn new() -> Option<Self> {
        if !root() {
            return None;
        }
        let setpriv = program("setpriv")?;
        let directory = scratch();
        let readable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(directory.path(), readable).expect("permissions");
        std::fs::copy(trimark(), directory.path().join("trimark")).expect("a copy");
        Some(Self { directory, setpriv })
    }

    fn location(&self, name: &str, mode: u32) -> PathBuf {
        let path = self.directory.path().join(name);
        std::fs::create_dir(&path).expect("a directory");
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(&path, permissions).expect("permissions");
        path
    }

    fn run(&self, location: &Path) -> Output {
        Command::new(&self.setpriv)
            .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
            .arg(self.directory.path().join("trimark"))
            .args(["run", "--no-rc", "--set", "number 5", "--set", "transactions 5", "--location"])
            .arg(location)
            .current_dir("/")
            .output()
            .expect("setpriv starts")
    }
}

#[test]
fn a_directory_without_permission_is_refused() {
    let Some(nobody) = AsNobody::new() else { return };
    for (name, mode) in [("unreadable", 0o700), ("unwritable", 0o755), ("unsearchable", 0o744)] {
        let location = nobody.location(name, mode);
        let output = nobody.run(&location);
        assert_refused(&output, 3, &["Permission denied", "`set location DIR`"]);
        assert_eq!(snapshot(&location).len(), 0);
    }
    let open = nobody.location("open", 0o777);
    let output = nobody.run(&open);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(snapshot(&open).len(), 0);
}

/// Makes an entry of the user's: a file, or an empty directory where the name ends in `/`.
fn put(directory: &Path, name: &str) {
    match name.strip_suffix('/') {
        Some(name) => std::fs::create_dir(directory.join(name)).expect("a directory"),
        None => std::fs::write(directory.join(name), "the user's").expect("a file"),
    }
}

#[test]
fn users_files_in_the_way_are_refused_and_untouched() {
    let flat = ["number 10"].as_slice();
    let deep = ["number 10", "subdirectories 4"].as_slice();
    for (name, settings) in
        [("1", flat), ("7", flat), ("3/", flat), ("10", flat), ("s0/", deep), ("s3", deep)]
    {
        for postmark in [false, true] {
            let directory = scratch_in_memory();
            put(directory.path(), name);
            put(directory.path(), "notes");
            let before = snapshot(directory.path());
            let named = directory.path().join(name.trim_end_matches('/'));
            if postmark {
                let sets: String = settings.iter().map(|line| format!("set {line}\n")).collect();
                let script =
                    format!("{sets}set location {}\nrun\nquit\n", directory.path().display());
                let program = AsPostmark::new();
                let output = run_in(directory.path(), program.path(), &[], &script);
                assert_eq!(output.status.code(), Some(0));
                assert!(stderr(&output).contains(&*named.to_string_lossy()));
                assert!(!stdout(&output).contains("per second"));
            } else {
                let output = run_at(directory.path(), settings);
                assert_refused(&output, 1, &[&named.to_string_lossy(), "left untouched"]);
            }
            assert_eq!(snapshot(directory.path()), before);
        }
    }
}

#[test]
fn a_users_file_the_run_comes_to_later_ends_it_untouched() {
    let directory = scratch_in_memory();
    put(directory.path(), "15");
    let before = snapshot(directory.path());
    let output = run_at(directory.path(), &["number 10", "transactions 100"]);
    assert_eq!(output.status.code(), Some(1));
    let errors = stderr(&output);
    let path = directory.path().join("15");
    assert!(errors.contains(&format!("'{}' failed in open", path.display())), "{errors}");
    assert!(errors.contains("left untouched"), "{errors}");
    assert_eq!(snapshot(directory.path()), before);
}
