//! What is asked of a comparison, before it is known whether it can be done, and the plan
//! it comes to.

use std::path::PathBuf;

use super::analysis::DEFAULT_METRIC;
use super::arms::{self, ArmError, arm_set};
use super::file::{self, FileError};
use super::plan::{Arm, Blocks, FORMAT, FORMAT_VERSION, Factorial, Plan, VolumePlan};
use super::{noise, values};
use crate::runner::measurement::Tool;
use crate::volume::host::Host;
use crate::workload::Config;
use crate::workload::transfer::{FileSize, WorkloadKind};

/// Blocks of an experiment that says nothing about them.
pub const DEFAULT_BLOCKS: u64 = 20;
/// Differences within this share are none that matter.
pub const DEFAULT_MARGIN: f64 = 0.03;
/// Confidence level of verdicts.
pub const CONFIDENCE: f64 = 0.95;
/// Waiting for a narrow interval ends after this, nanoseconds, if nothing else is said.
const DEFAULT_PATIENCE: u64 = 1_800_000_000_000;
/// Type of file system of a scratch image.
pub const DEFAULT_FILE_SYSTEM: &str = "ext4";
/// The place asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A scratch image of so many bytes; none leaves it to the settings.
    Scratch(Option<u64>),
    /// A device.
    Device(PathBuf),
    /// A file system that is mounted, to be remounted.
    Mountpoint(PathBuf),
}

/// What is asked for. What is none or empty is left to what is asked elsewhere, or to the
/// defaults.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Request {
    /// Arms by themselves.
    pub arms: Vec<Arm>,
    /// A ready-made set of arms.
    pub arm_set: Option<String>,
    /// The arm others are set against.
    pub base: Option<String>,
    /// Where.
    pub place: Option<Place>,
    /// Type of file system of a scratch image.
    pub file_system: Option<String>,
    /// What a device is formatted with.
    pub format: Option<String>,
    /// The device that may be erased.
    pub yes_erase: Option<PathBuf>,
    /// Number of blocks.
    pub blocks: Option<u64>,
    /// Half-width to reach, a share.
    pub until: Option<f64>,
    /// Time to keep within, nanoseconds.
    pub time_ns: Option<u64>,
    /// Seed of the order.
    pub seed: Option<u64>,
    /// The base against itself.
    pub against_itself: bool,
    /// The metric that is the question.
    pub metric: Option<String>,
    /// The margin, a share.
    pub margin: Option<f64>,
    /// File of an experiment of the base against itself, for the noise floor.
    pub noise: Option<PathBuf>,
    /// Commands before each run: of all arms, or `ARM=COMMAND`.
    pub before: Vec<String>,
    /// The same after each run.
    pub after: Vec<String>,
    /// File of an experiment to go on with.
    pub resume: Option<PathBuf>,
    /// File of the experiment.
    pub save: Option<PathBuf>,
    /// Formats of the outcome, each with the file it goes to.
    pub reports: Vec<(String, Option<PathBuf>)>,
}

/// A request that cannot be planned.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// Its arms.
    #[error(transparent)]
    Arms(#[from] ArmError),
    /// A metric there is not.
    #[error("there is no metric '{given}'{}; `trimark metrics` lists them", meant(given))]
    NoMetric {
        /// What was asked for.
        given: String,
    },
    /// Two things that exclude each other, or a value out of bounds.
    #[error("{0}")]
    Value(String),
    /// The file of the noise.
    #[error(transparent)]
    Noise(#[from] FileError),
}

fn meant(given: &str) -> String {
    let near = values::definitions()
        .map(|(name, ..)| (strsim::damerau_levenshtein(name, given), name))
        .min()
        .filter(|(distance, _)| *distance <= 1 + given.len() / 4);
    near.map_or_else(String::new, |(_, name)| format!(" (did you mean '{name}'?)"))
}

/// What a plan is made with besides the request.
pub struct About<'a> {
    /// The settings all arms begin from.
    pub config: &'a Config,
    /// The files they were read from.
    pub config_files: &'a [PathBuf],
    /// The command line.
    pub command: Vec<String>,
    /// Arms where none are asked for.
    pub default_arm_set: Option<&'a str>,
}

impl Request {
    /// What is asked for in `above` wins.
    #[must_use]
    pub fn under(self, above: Self) -> Self {
        let stop_above = above.blocks.is_some() || above.until.is_some();
        let arms_above = !above.arms.is_empty() || above.arm_set.is_some();
        let list = |above: Vec<_>, below| if above.is_empty() { below } else { above };
        Self {
            arms: if arms_above { above.arms } else { self.arms },
            arm_set: if arms_above { above.arm_set } else { self.arm_set },
            base: above.base.or(self.base),
            place: above.place.or(self.place),
            file_system: above.file_system.or(self.file_system),
            format: above.format.or(self.format),
            yes_erase: above.yes_erase.or(self.yes_erase),
            blocks: if stop_above { above.blocks } else { self.blocks },
            until: if stop_above { above.until } else { self.until },
            time_ns: above.time_ns.or(self.time_ns),
            seed: above.seed.or(self.seed),
            against_itself: above.against_itself || self.against_itself,
            metric: above.metric.or(self.metric),
            margin: above.margin.or(self.margin),
            noise: above.noise.or(self.noise),
            before: list(above.before, self.before),
            after: list(above.after, self.after),
            resume: above.resume.or(self.resume),
            save: above.save.or(self.save),
            reports: if above.reports.is_empty() { self.reports } else { above.reports },
        }
    }

    /// Checks that nothing is asked for that the plan of a resumed experiment has already.
    ///
    /// # Errors
    /// [`RequestError::Value`]
    pub fn check_resumed(&self) -> Result<(), RequestError> {
        let only = Self {
            resume: self.resume.clone(),
            yes_erase: self.yes_erase.clone(),
            reports: self.reports.clone(),
            ..Self::default()
        };
        if *self == only {
            return Ok(());
        }
        Err(RequestError::Value(
            "an experiment is resumed as it was planned: leave out everything but --resume and \
             --report. (More blocks than planned, because of what was seen, would need another \
             kind of interval from the start: plan a new one with --blocks N, or with --until.)"
                .into(),
        ))
    }

    /// The plan it comes to. `configure` gives the settings an arm's runs are made with.
    ///
    /// # Errors
    /// [`RequestError`], or that of `configure`.
    pub fn plan<E: From<RequestError>>(
        &self,
        about: &About<'_>,
        configure: &dyn Fn(&Arm) -> Result<Config, E>,
    ) -> Result<Plan, E> {
        let (mut arms, factorial) = self.all_arms(about.default_arm_set)?;
        self.add_commands(&mut arms)?;
        let base = self.base.clone().or_else(|| arms.first().map(|arm| arm.name.clone()));
        let base = base.ok_or(RequestError::Arms(ArmError::TooFew))?;
        if self.against_itself {
            arms = arms::twice(arms, &base).map_err(RequestError::from)?;
        }
        arms::check(&arms, &base).map_err(RequestError::from)?;
        for arm in &mut arms {
            arm.config = configure(arm)?;
        }
        let metric = self.checked_metric(&arms)?;
        Ok(Plan {
            format: FORMAT.into(),
            version: FORMAT_VERSION,
            tool: Tool::this(),
            started: jiff::Timestamp::now().to_string(),
            command: about.command.clone(),
            host: Host::describe(),
            config_files: about.config_files.to_vec(),
            config: about.config.clone(),
            volume: self.volume(&arms, about.config)?,
            factorial: factorial.filter(|_| !self.against_itself),
            against_itself: self.against_itself,
            seed: self.seed.unwrap_or_else(fresh_seed),
            blocks: self.checked_blocks()?,
            time_limit_ns: self.time_ns.or(self.until.map(|_| DEFAULT_PATIENCE)),
            known_noise: self.known_noise(&metric)?,
            metric,
            margin: self.checked_margin()?,
            confidence: CONFIDENCE,
            arms,
            base,
        })
    }

    fn all_arms(
        &self,
        default_set: Option<&str>,
    ) -> Result<(Vec<Arm>, Option<Factorial>), RequestError> {
        match (&self.arm_set, self.arms.as_slice()) {
            (Some(_), [_, ..]) => Err(RequestError::Value(
                "there are arms by themselves and a ready-made set: choose one".into(),
            )),
            (Some(name), []) => {
                let set = arm_set(name)?;
                Ok((set.arms()?, set.factorial()))
            }
            (None, []) => match default_set {
                Some(name) => {
                    let set = arm_set(name)?;
                    Ok((set.arms()?, set.factorial()))
                }
                None if self.against_itself => {
                    Ok((vec![Arm { name: "as it is".into(), ..Arm::default() }], None))
                }
                None => Err(ArmError::TooFew.into()),
            },
            (None, arms) => Ok((arms.to_vec(), None)),
        }
    }

    fn add_commands(&self, arms: &mut [Arm]) -> Result<(), RequestError> {
        let names: Vec<String> = arms.iter().map(|arm| arm.name.clone()).collect();
        for (commands, add) in [
            (&self.before, (|arm, command| arm.before.push(command)) as fn(&mut Arm, String)),
            (&self.after, |arm, command| arm.after.push(command)),
        ] {
            for command in commands {
                let named = command
                    .split_once('=')
                    .filter(|(name, _)| names.iter().any(|known| known == name));
                let (whose, command) = match named {
                    Some((name, command)) => (Some(name), command),
                    None => (None, command.as_str()),
                };
                if command.trim().is_empty() {
                    return Err(RequestError::Value(
                        "a command before or after runs is empty".into(),
                    ));
                }
                arms.iter_mut()
                    .filter(|arm| whose.is_none_or(|name| arm.name == name))
                    .for_each(|arm| add(arm, command.to_owned()));
            }
        }
        Ok(())
    }

    fn volume(&self, arms: &[Arm], config: &Config) -> Result<VolumePlan, RequestError> {
        let here =
            || config.locations.first().map_or_else(|| ".".into(), |first| first.path.clone());
        let as_they_are = arms.iter().any(|arm| arm.directory.is_some() || arm.file.is_some());
        if let (true, Some(_)) = (as_they_are, &self.place) {
            return Err(RequestError::Value(
                "arms with dir= or file= are taken as they are: leave out --scratch, --device and \
                 --mountpoint"
                    .into(),
            ));
        }
        if self.format.is_some() && !matches!(self.place, Some(Place::Device(_))) {
            return Err(RequestError::Value(
                "--mkfs is for --device; the type of a scratch image is chosen by --fs".into(),
            ));
        }
        let elsewhere = as_they_are || !matches!(self.place, None | Some(Place::Scratch(_)));
        if self.file_system.is_some() && elsewhere {
            return Err(RequestError::Value(
                "--fs is for scratch images; a device is formatted by --mkfs TYPE".into(),
            ));
        }
        Ok(match &self.place {
            _ if arms.iter().any(|arm| arm.file.is_some()) => VolumePlan::Files,
            Some(Place::Device(device)) => {
                VolumePlan::Device { device: device.clone(), format: self.format.clone() }
            }
            Some(Place::Mountpoint(directory)) => {
                VolumePlan::Mountpoint { directory: directory.clone() }
            }
            Some(Place::Scratch(Some(bytes))) => self.scratch(*bytes),
            None if as_they_are
                || arms.iter().all(arms::is_plain) && !config.locations.is_empty() =>
            {
                VolumePlan::Directories { directory: here() }
            }
            Some(Place::Scratch(None)) | None => self.scratch(scratch_bytes(arms)),
        })
    }

    fn scratch(&self, bytes: u64) -> VolumePlan {
        let file_system = self.file_system.clone();
        VolumePlan::Scratch {
            bytes,
            file_system: file_system.unwrap_or_else(|| DEFAULT_FILE_SYSTEM.into()),
        }
    }

    fn checked_metric(&self, arms: &[Arm]) -> Result<String, RequestError> {
        let name = self.metric.clone().unwrap_or_else(|| default_metric(arms));
        let known = values::definitions().any(|(known, ..)| known == name);
        if known { Ok(name) } else { Err(RequestError::NoMetric { given: name }) }
    }

    fn checked_blocks(&self) -> Result<Blocks, RequestError> {
        match (self.blocks, self.until) {
            (Some(_), Some(_)) => Err(RequestError::Value(
                "there is a number of blocks and a width to reach: choose one".into(),
            )),
            (Some(0), _) => Err(RequestError::Value("0 blocks compare nothing".into())),
            (_, Some(half_width)) if !(half_width > 0.0 && half_width < 1.0) => {
                Err(RequestError::Value("the width to reach must lie between 0 and 100 %".into()))
            }
            (None, Some(half_width)) => Ok(Blocks::Until { half_width }),
            (blocks, None) => Ok(Blocks::Fixed { blocks: blocks.unwrap_or(DEFAULT_BLOCKS) }),
        }
    }

    fn checked_margin(&self) -> Result<f64, RequestError> {
        let margin = self.margin.unwrap_or(DEFAULT_MARGIN);
        if margin > 0.0 && margin < 1.0 {
            Ok(margin)
        } else {
            Err(RequestError::Value("the margin must lie between 0 and 100 %".into()))
        }
    }

    fn known_noise(&self, metric: &str) -> Result<Option<f64>, RequestError> {
        let Some(path) = &self.noise else { return Ok(None) };
        let saved = file::read(path)?;
        if !saved.plan.against_itself {
            return Err(RequestError::Value(format!(
                "'{}' does not compare an arm with itself: make one by `trimark compare --aa`",
                path.display()
            )));
        }
        noise::of(&saved.plan, &saved.runs, metric).map(Some).ok_or_else(|| {
            RequestError::Value(format!(
                "'{}' has too few blocks with {metric} to tell the noise",
                path.display()
            ))
        })
    }
}

/// The question where none was asked: of transfers, their first pattern.
fn default_metric(arms: &[Arm]) -> String {
    let config = arms.first().map(|arm| &arm.config);
    let config = config.filter(|config| config.workload == WorkloadKind::Transfers);
    match config.and_then(|config| config.transfers.patterns.first()) {
        Some(pattern) => format!("transfer_{}", pattern.name().replace('-', "_")),
        None => DEFAULT_METRIC.into(),
    }
}

/// Room for the largest pool of any arm, its table full of files of the largest size, or
/// for the file of transfers, and a quarter more for the file system.
fn scratch_bytes(arms: &[Arm]) -> u64 {
    const LEAST: u64 = 1 << 30;
    let pool = |config: &Config| {
        if config.workload == WorkloadKind::Transfers {
            return match config.transfers.file_size {
                FileSize::Bytes(bytes) => bytes,
                // A share of what is free fits whatever there is.
                size => size.bytes(0, Host::describe().memory_bytes),
            };
        }
        let each = config.size_high.max(config.size_low).max(4096);
        config.number.saturating_mul(2).saturating_mul(each).saturating_mul(config.workers)
    };
    let largest = arms.iter().map(|arm| pool(&arm.config)).max().unwrap_or(0);
    largest.saturating_add(largest / 4).max(LEAST)
}

/// A seed nobody chose; it is in the plan.
fn fresh_seed() -> u64 {
    jiff::Timestamp::now().as_nanosecond() as u64 % 1_000_000_000
}
