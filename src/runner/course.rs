//! The course of a run: its phases over time, and what the kernel counted in each. Data
//! only.

use serde::{Deserialize, Serialize};

use super::phase::Phase;
use super::timeline::{Stall, Timeline};
use crate::volume::activity::ProcessCounts;
use crate::volume::device::DeviceCounts;

/// One phase over time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseTimeline {
    /// The phase.
    pub phase: Phase,
    /// It over time.
    #[serde(flatten)]
    pub timeline: Timeline,
    /// Where it stood still.
    pub stalls: Vec<Stall>,
}

/// What the kernel counted in a stretch of time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Activity {
    /// On the devices under the locations, by anybody; none where there is no device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<DeviceCounts>,
    /// By this process.
    pub process: ProcessCounts,
}

impl Activity {
    /// What came since an earlier moment.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let device = self.device.zip(earlier.device).map(|(now, then)| now.since(&then));
        Self { device, process: self.process.since(&earlier.process) }
    }
}

/// What the kernel counted in a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseActivity {
    /// The phase.
    pub phase: Phase,
    /// On the devices under the locations, by anybody; none where there is no device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<DeviceCounts>,
    /// By this process.
    pub process: ProcessCounts,
}
