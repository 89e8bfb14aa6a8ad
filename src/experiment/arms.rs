//! Arms as people write them: options, ready-made sets, and what does not go together.

use std::path::PathBuf;

use super::plan::{Arm, Factorial};
use crate::conditioning::Step;
use crate::workload::Config;

/// A ready-made set of arms.
pub struct ArmSet {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it compares, in one line.
    pub help: &'static str,
    /// Names and options of its arms; the first is the base.
    pub arms: &'static [(&'static str, &'static str)],
    /// What they vary, where the arms are the four combinations of two options: neither,
    /// the first, the second, both.
    pub factors: Option<[&'static str; 2]>,
}

/// Every ready-made set.
pub const ARM_SETS: &[ArmSet] = &[
    ArmSet {
        name: "discard",
        help: "no discards, and discards with each delete",
        arms: &[("nodiscard", "nodiscard"), ("discard", "discard")],
        factors: None,
    },
    ArmSet {
        name: "trim",
        help: "no discards, discards with each delete, all free space trimmed before each run",
        arms: &[
            ("nodiscard", "nodiscard"),
            ("discard", "discard"),
            ("fstrim", "nodiscard,trim=before"),
        ],
        factors: None,
    },
    ArmSet {
        name: "atime",
        help: "access times: never, by the kernel's default rule, always, always but written late",
        arms: &[
            ("noatime", "noatime"),
            ("relatime", "relatime"),
            ("strictatime", "strictatime"),
            ("lazytime", "strictatime,lazytime"),
        ],
        factors: None,
    },
    ArmSet {
        name: "trim-atime",
        help: "discard and noatime in all four combinations: the effect of each, and whether \
               they add up",
        arms: &[
            ("neither", "nodiscard,relatime"),
            ("discard", "discard,relatime"),
            ("noatime", "nodiscard,noatime"),
            ("both", "discard,noatime"),
        ],
        factors: Some(["discard", "noatime"]),
    },
];

/// Arms that cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArmError {
    /// Not a name with options.
    #[error("an arm is NAME=OPTIONS, such as 'fast=noatime,discard', not '{0}'")]
    NoName(String),
    /// An unfit name.
    #[error(
        "'{0}' cannot be the name of an arm: 1 to 40 letters, digits, blanks and any of + - _ . are"
    )]
    Name(String),
    /// A quote without its end.
    #[error("arm '{0}': a quote is not closed")]
    Quote(String),
    /// An option of ours with a value it cannot have.
    #[error("arm '{arm}': '{item}' cannot be: {reason}")]
    Value {
        /// The arm.
        arm: String,
        /// The option.
        item: String,
        /// Why, and what can.
        reason: String,
    },
    /// No such set.
    #[error("there is no set of arms '{given}'; there are {}", known.join(", "))]
    NoSet {
        /// What was asked for.
        given: String,
        /// What there is.
        known: Vec<&'static str>,
    },
    /// One arm, or none.
    #[error(
        "there is nothing to compare: at least two arms are needed, by --arm NAME=OPTIONS, \
             --arms SET or the script's `arm NAME OPTIONS`, or --aa for one against itself"
    )]
    TooFew,
    /// Two of a name.
    #[error("two arms are called '{0}'")]
    Twice(String),
    /// No arm of the base's name.
    #[error("there is no arm '{given}' to be the base; there are {}", known.join(", "))]
    NoBase {
        /// What was asked for.
        given: String,
        /// What there is.
        known: Vec<String>,
    },
    /// Places of runs that exclude each other.
    #[error("{0}")]
    Mixed(String),
}

/// The set of that name.
///
/// # Errors
/// [`ArmError::NoSet`]
pub fn arm_set(name: &str) -> Result<&'static ArmSet, ArmError> {
    ARM_SETS.iter().find(|set| set.name == name).ok_or_else(|| ArmError::NoSet {
        given: name.to_owned(),
        known: ARM_SETS.iter().map(|set| set.name).collect(),
    })
}

impl ArmSet {
    /// Its arms.
    ///
    /// # Errors
    /// None for the sets of the table, which a test reads.
    pub fn arms(&self) -> Result<Vec<Arm>, ArmError> {
        self.arms.iter().map(|(name, options)| parse(name, options)).collect()
    }

    /// Its analysis, where it combines two options.
    #[must_use]
    pub fn factorial(&self) -> Option<Factorial> {
        let factors = self.factors?.map(str::to_owned);
        let names: Vec<String> = self.arms.iter().map(|(name, _)| (*name).to_owned()).collect();
        Some(Factorial { factors, cells: names.try_into().ok()? })
    }
}

/// Reads `NAME=OPTIONS`.
///
/// # Errors
/// [`ArmError`]
pub fn parse_pair(text: &str) -> Result<Arm, ArmError> {
    let (name, options) = text.split_once('=').ok_or_else(|| ArmError::NoName(text.to_owned()))?;
    parse(name.trim(), options)
}

/// Reads the options of an arm: mount options as mount(8) takes them, and our own, with
/// commas between them. Quotes keep commas and blanks together.
///
/// # Errors
/// [`ArmError`]
pub fn parse(name: &str, options: &str) -> Result<Arm, ArmError> {
    check_name(name)?;
    let mut arm = Arm { name: name.to_owned(), ..Arm::default() };
    for item in split(options).ok_or_else(|| ArmError::Quote(name.to_owned()))? {
        take(&mut arm, &item)?;
    }
    Ok(arm)
}

fn check_name(name: &str) -> Result<(), ArmError> {
    let fit = |letter: char| letter.is_alphanumeric() || " +-_.".contains(letter);
    let length = name.chars().count();
    if (1..=40).contains(&length) && name.chars().all(fit) && name.trim() == name {
        Ok(())
    } else {
        Err(ArmError::Name(name.to_owned()))
    }
}

/// Parts between commas outside quotes, without the quotes; none when one is not closed.
fn split(text: &str) -> Option<Vec<String>> {
    let (mut parts, mut part, mut quote) = (Vec::new(), String::new(), None);
    for letter in text.chars() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (None, '"' | '\'') => quote = Some(letter),
            (None, ',') => parts.push(std::mem::take(&mut part)),
            _ => part.push(letter),
        }
    }
    parts.push(part);
    let parts = parts.into_iter().map(|part| part.trim().to_owned());
    quote.is_none().then(|| parts.filter(|part| !part.is_empty()).collect())
}

fn take(arm: &mut Arm, item: &str) -> Result<(), ArmError> {
    let wrong = |reason: &str| ArmError::Value {
        arm: arm.name.clone(),
        item: item.to_owned(),
        reason: reason.to_owned(),
    };
    if let Some(setting) = item.strip_prefix("set ") {
        arm.settings.push(setting.trim().to_owned());
        return Ok(());
    }
    let Some((key, value)) = item.split_once('=') else {
        // `defaults` is mount(8)'s word for no options.
        let words = item.split_whitespace().filter(|word| *word != "defaults");
        arm.mount_options.extend(words.map(str::to_owned));
        return Ok(());
    };
    if value.is_empty() && OWN.contains(&key) {
        return Err(wrong("its value is missing"));
    }
    match key {
        "condition" => {
            arm.conditions.push(Step::parse(value).map_err(|error| wrong(&error.reason))?);
        }
        "trim" if value == "before" => arm.trim_before = true,
        "trim" => return Err(wrong("the only way is trim=before")),
        "fs" => arm.file_system = Some(value.to_owned()),
        "mkfs" => arm.mkfs = value.split_whitespace().map(str::to_owned).collect(),
        "scheduler" => arm.scheduler = Some(value.to_owned()),
        "dir" => arm.directory = Some(PathBuf::from(value)),
        "file" => arm.file = Some(PathBuf::from(value)),
        "before" => arm.before.push(value.to_owned()),
        "after" => arm.after.push(value.to_owned()),
        _ => arm.mount_options.extend(item.split_whitespace().map(str::to_owned)),
    }
    Ok(())
}

/// Name of the second arm where one is compared with itself.
const AGAIN: &str = "again";

/// An arm that asks for nothing of a file system.
pub(super) fn is_plain(arm: &Arm) -> bool {
    arm.mount_options.is_empty()
        && arm.file_system.is_none()
        && arm.mkfs.is_empty()
        && arm.scheduler.is_none()
}

/// The base arm, and itself again.
pub(super) fn twice(arms: Vec<Arm>, base: &str) -> Result<Vec<Arm>, ArmError> {
    let known = arms.iter().map(|arm| arm.name.clone()).collect();
    let arm = arms.into_iter().find(|arm| arm.name == base);
    let arm = arm.ok_or(ArmError::NoBase { given: base.to_owned(), known })?;
    let again = Arm { name: format!("{base} {AGAIN}"), ..arm.clone() };
    Ok(vec![arm, again])
}

/// Our own options that have a value.
const OWN: [&str; 9] =
    ["condition", "trim", "fs", "mkfs", "scheduler", "dir", "file", "before", "after"];

/// Checks that arms can be compared at all.
///
/// # Errors
/// [`ArmError`]
pub fn check(arms: &[Arm], base: &str) -> Result<(), ArmError> {
    if arms.len() < 2 {
        return Err(ArmError::TooFew);
    }
    for (place, arm) in arms.iter().enumerate() {
        if arms[..place].iter().any(|other| other.name == arm.name) {
            return Err(ArmError::Twice(arm.name.clone()));
        }
        check_alone(arm)?;
    }
    if !arms.iter().any(|arm| arm.name == base) {
        let known = arms.iter().map(|arm| arm.name.clone()).collect();
        return Err(ArmError::NoBase { given: base.to_owned(), known });
    }
    for (key, has) in [
        ("file", (|arm| arm.file.is_some()) as fn(&Arm) -> bool),
        ("dir", |arm| arm.directory.is_some()),
    ] {
        let (with, without): (Vec<&Arm>, Vec<&Arm>) = arms.iter().partition(|arm| has(arm));
        if let ([first, ..], [other, ..]) = (with.as_slice(), without.as_slice()) {
            return Err(ArmError::Mixed(format!(
                "arm '{}' has {key}=… and arm '{}' has not: give it to all of them or to none",
                first.name, other.name
            )));
        }
    }
    Ok(())
}

/// What an arm says about a file system cannot hold for a place taken as it is.
fn check_alone(arm: &Arm) -> Result<(), ArmError> {
    let mixed = |with: &str, what: &str| {
        ArmError::Mixed(format!(
            "arm '{}' has {with}, which is taken as it is, and so cannot have {what}",
            arm.name
        ))
    };
    let changes = !arm.mount_options.is_empty()
        || arm.file_system.is_some()
        || !arm.mkfs.is_empty()
        || arm.scheduler.is_some();
    if arm.file.is_some() && (changes || runs_differ(arm) || arm.directory.is_some()) {
        return Err(mixed("file=…", "other options"));
    }
    if arm.directory.is_some() && changes {
        return Err(mixed("dir=…", "mount options, fs=, mkfs= or scheduler="));
    }
    Ok(())
}

/// True when an arm's runs are to differ by something that mounting does not show.
fn runs_differ(arm: &Arm) -> bool {
    arm.trim_before
        || !arm.conditions.is_empty()
        || !arm.settings.is_empty()
        || !arm.before.is_empty()
        || !arm.after.is_empty()
        || arm.config != Config::default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(text: &str) -> Arm {
        parse("a", text).expect("options")
    }

    #[test]
    fn every_set_can_be_compared() {
        for set in ARM_SETS {
            let arms = set.arms().expect("arms");
            assert_eq!(check(&arms, set.arms[0].0), Ok(()), "{}", set.name);
            assert_eq!(set.factorial().is_some(), set.factors.is_some());
        }
    }

    #[test]
    fn mount_options_and_our_own() {
        let arm =
            options("noatime,commit=30, discard ,set sync close,mkfs=-O ^has_journal,fs=ext4");
        assert_eq!(arm.mount_options, ["noatime", "commit=30", "discard"]);
        assert_eq!(arm.settings, ["sync close"]);
        assert_eq!(arm.mkfs, ["-O", "^has_journal"]);
        assert_eq!(arm.file_system.as_deref(), Some("ext4"));
        let steps = options("condition='fill-purge:2 size=4k',condition=trim").conditions;
        assert_eq!(steps.iter().map(Step::name).collect::<Vec<_>>(), ["fill-purge", "trim"]);
        assert_eq!(options("defaults"), options(""));
        assert_eq!(options("noatime discard").mount_options, ["noatime", "discard"]);
    }

    #[test]
    fn quotes_keep_commas() {
        let arm = options("before='echo a, b',context=\"u:r,t\"");
        assert_eq!(arm.before, ["echo a, b"]);
        assert_eq!(arm.mount_options, ["context=u:r,t"]);
        assert_eq!(parse("a", "before='x"), Err(ArmError::Quote("a".into())));
    }

    #[test]
    fn a_pair_is_a_name_and_options() {
        assert_eq!(parse_pair("slow=commit=1").expect("an arm").mount_options, ["commit=1"]);
        assert!(matches!(parse_pair("noatime"), Err(ArmError::NoName(_))));
        assert!(matches!(parse_pair("=noatime"), Err(ArmError::Name(_))));
        assert!(matches!(parse("a", "trim=after"), Err(ArmError::Value { .. })));
        assert!(matches!(parse("a", "condition=fil"), Err(ArmError::Value { .. })));
        assert!(matches!(parse("a", "fs="), Err(ArmError::Value { .. })));
    }

    #[test]
    fn what_cannot_be_compared_is_refused() {
        let arm = |name, text| parse(name, text).expect("options");
        let check = |arms: &[Arm]| check(arms, "a");
        assert_eq!(check(&[arm("a", "")]), Err(ArmError::TooFew));
        assert_eq!(check(&[arm("a", ""), arm("a", "ro")]), Err(ArmError::Twice("a".into())));
        assert!(matches!(check(&[arm("b", ""), arm("c", "")]), Err(ArmError::NoBase { .. })));
        let mixed = [arm("a", "dir=/tmp"), arm("b", "noatime")];
        assert!(matches!(check(&mixed), Err(ArmError::Mixed(_))));
        let both = [arm("a", "dir=/tmp,noatime"), arm("b", "dir=/var")];
        assert!(matches!(check(&both), Err(ArmError::Mixed(_))));
        assert!(matches!(arm_set("trims"), Err(ArmError::NoSet { .. })));
    }
}
