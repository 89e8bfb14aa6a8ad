//! Commands of the user's around each run, for what this program cannot do itself.

use std::path::Path;
use std::process::{Command, Stdio};

use super::plan::Arm;
use super::record::HookRun;

/// When a command runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// The place of the run is ready.
    Before,
    /// The run is over.
    After,
}

impl Moment {
    /// Its name in results.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::After => "after",
        }
    }

    fn commands(self, arm: &Arm) -> &[String] {
        match self {
            Self::Before => &arm.before,
            Self::After => &arm.after,
        }
    }
}

/// A command that did not end well.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{command}`, to be obeyed {moment} each run of arm '{arm}', {how}{}", said(output))]
pub struct HookError {
    /// The command.
    pub command: String,
    /// `before` or `after`
    pub moment: &'static str,
    /// The arm.
    pub arm: String,
    /// What became of it.
    pub how: String,
    /// What it printed.
    pub output: String,
}

fn said(output: &str) -> String {
    let output = output.trim();
    if output.is_empty() { String::new() } else { format!("; it said: {output}") }
}

/// Obeys the arm's commands of a moment, each by `/bin/sh -c`, one after the other.
/// `TRIMARK_ARM` and `TRIMARK_DIR` tell them for what and where.
///
/// # Errors
/// [`HookError`] at the first that cannot be started or whose exit status is not 0.
pub fn obey(moment: Moment, arm: &Arm, directory: &Path) -> Result<Vec<HookRun>, HookError> {
    let commands = moment.commands(arm).iter();
    commands.map(|command| obey_one(moment, command, arm, directory)).collect()
}

fn obey_one(
    moment: Moment,
    command: &str,
    arm: &Arm,
    directory: &Path,
) -> Result<HookRun, HookError> {
    let failed = |how: String, output: String| HookError {
        command: command.to_owned(),
        moment: moment.name(),
        arm: arm.name.clone(),
        how,
        output,
    };
    let output = Command::new("/bin/sh")
        .args(["-c", command])
        .env("TRIMARK_ARM", &arm.name)
        .env("TRIMARK_DIR", directory)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| failed(format!("cannot be started: {error}"), String::new()))?;
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    if !output.status.success() {
        return Err(failed(format!("ended with {}", output.status), text));
    }
    Ok(HookRun {
        command: command.to_owned(),
        moment: moment.name().to_owned(),
        status: output.status.code(),
        output: text,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arm(before: &str) -> Arm {
        Arm { name: "a".into(), before: vec![before.into()], ..Arm::default() }
    }

    #[test]
    fn what_a_command_prints_is_kept() {
        let arm = arm("echo $TRIMARK_ARM in $TRIMARK_DIR; echo oh >&2");
        let runs = obey(Moment::Before, &arm, Path::new("/some")).expect("a command");
        assert_eq!(runs[0].output, "a in /some\noh\n");
        assert_eq!((runs[0].status, runs[0].moment.as_str()), (Some(0), "before"));
        assert_eq!(obey(Moment::After, &arm, Path::new("/some")), Ok(vec![]));
    }

    #[test]
    fn a_failing_command_says_what_it_said() {
        let error = obey(Moment::Before, &arm("echo no such drive >&2; exit 3"), Path::new("/"));
        let text = error.expect_err("a failure").to_string();
        assert!(text.contains("exit status: 3") && text.contains("no such drive"), "{text}");
    }
}
