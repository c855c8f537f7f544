//! Scripts of faults: which part fails how, when, and for how long.

mod fitted;
mod part;
mod random_script;

use std::fmt;

use halftrack_base::{Span, Time};

pub use halftrack_config::fault_script::{FaultKind, Hosts, Target};
pub use part::{Part, domain_of};

/// One fault.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FaultEvent {
    /// When, from the start of the streams.
    pub at: Span,
    /// For how long.
    pub lasts: Span,
    /// Kind.
    pub kind: FaultKind,
    /// The part.
    pub part: Part,
    /// Share of the frames or credits that a fault of a link takes, parts in a million.
    pub share_ppm: u32,
    /// How much later a frame comes.
    pub late: Span,
}

/// The faults of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Script {
    /// How long the streams run.
    pub duration: Span,
    /// Faults, by time.
    pub events: Vec<FaultEvent>,
}

impl Script {
    /// Returns the time from the start of the streams at which the last fault is over.
    #[must_use]
    pub fn last_end(&self) -> Span {
        let ends = self.events.iter().map(|event| event.at.saturating_add(event.lasts));
        ends.max().unwrap_or_default()
    }
}

impl FaultEvent {
    /// Returns whether the process of the control unit ends at once, or begins anew for want of space.
    #[must_use]
    pub fn ends_control_unit(&self) -> bool {
        let kills = matches!(
            self.kind,
            FaultKind::ProcessKilled | FaultKind::PowerLost | FaultKind::DiskFull | FaultKind::DiskTorn
        );
        kills && self.part == Part::ControlUnit
    }

    /// Returns whether the volume has to lie on a disk with faults.
    #[must_use]
    pub fn needs_disk(&self) -> bool {
        matches!(
            self.kind,
            FaultKind::PowerLost | FaultKind::DiskFull | FaultKind::DiskSlow | FaultKind::DiskTorn
        )
    }

    /// Returns when the fault begins and is over, in a run whose streams start at `start`.
    #[must_use]
    pub fn times(&self, start: Time) -> (Time, Time) {
        let begins = start.saturating_add(self.at);
        (begins, begins.saturating_add(self.lasts))
    }
}

/// Returns a span in seconds, exact to the picosecond up to an hour.
fn seconds(span: Span) -> f64 {
    span.as_ps() as f64 / 1e12
}

impl fmt::Display for Script {
    /// Writes the script as a file that reads back the same.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "duration_s = {}", seconds(self.duration))?;
        self.events.iter().try_for_each(|event| write!(formatter, "\n{event}"))
    }
}

impl fmt::Display for FaultEvent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (at_s, lasts_s) = (seconds(self.at), seconds(self.lasts));
        writeln!(
            formatter,
            "[[event]]\nat_s = {at_s}\nlasts_s = {lasts_s}\nkind = \"{}\"",
            self.kind.word()
        )?;
        if let Some((target, name)) = self.part.name() {
            writeln!(formatter, "{} = \"{name}\"", target.key())?;
        }
        if self.kind.has_share() {
            writeln!(formatter, "share = {}", f64::from(self.share_ppm) / 1e6)?;
        }
        if self.kind.has_lateness() {
            writeln!(formatter, "late_us = {}", self.late.as_ps() / 1_000_000)?;
        }
        Ok(())
    }
}
