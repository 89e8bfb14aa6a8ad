//! What an arm really is, whatever was asked for.

use super::plan::Arm;
use super::stage::Ready;
use crate::conditioning::Step;
use crate::workload::Config;

/// All by which the runs of an arm may differ from another's.
#[derive(Debug, Clone, PartialEq)]
pub struct Really {
    identity: String,
    options: Vec<String>,
    conditions: Vec<Step>,
    trim_before: bool,
    scheduler: Option<String>,
    config: Config,
    commands: Vec<String>,
}

impl Really {
    /// Of an arm whose place is ready.
    #[must_use]
    pub fn of(arm: &Arm, ready: &Ready) -> Self {
        Self {
            identity: ready.identity.clone(),
            options: ready.options_in_force.clone(),
            conditions: arm.conditions.clone(),
            trim_before: arm.trim_before,
            scheduler: arm.scheduler.clone(),
            config: arm.config.clone(),
            commands: arm.before.iter().chain(&arm.after).cloned().collect(),
        }
    }
}

impl std::fmt::Display for Really {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} with {} in force, the same settings and commands",
            self.identity,
            self.options.join(",")
        )
    }
}
