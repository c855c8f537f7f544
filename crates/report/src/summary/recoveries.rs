//! Frames that links lost in a run, and the recoveries of the channels.

use std::fmt;

use halftrack_drawing::number;
use halftrack_record::{Recoveries, Run};
use serde::Serialize;

use crate::formula::total;

/// Frames lost and recoveries of a run, over all links and channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RecoverySummary {
    /// Frames, or parts of a burst, that errors and faults took.
    pub frames_lost: u64,
    /// Links that lost any; each direction of a fibre is one.
    pub links: u64,
    /// Time-outs of channels.
    pub time_outs: u64,
    /// Starts that were driven again after an interface control check.
    pub redrives: u64,
    /// Starts that ended because their interrupt was missing.
    pub missing_interrupts: u64,
}

impl RecoverySummary {
    /// Returns those of `run`; `None` when nothing was lost.
    pub(super) fn of(run: &Run) -> Option<Self> {
        let links = || run.intervals.iter().flat_map(|interval| &interval.links).filter(|link| link.lost > 0);
        let mut names: Vec<&str> = links().map(|link| link.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let channels = || run.intervals.iter().flat_map(|interval| &interval.channels);
        let sum =
            |of: fn(&Recoveries) -> u64| total(channels().map(|channel| of(&channel.recoveries))) as u64;
        let found = Self {
            frames_lost: total(links().map(|link| link.lost)) as u64,
            links: names.len() as u64,
            time_outs: sum(|one| one.time_outs),
            redrives: sum(|one| one.redrives),
            missing_interrupts: sum(|one| one.missing_interrupts),
        };
        let all = [found.frames_lost, found.time_outs, found.redrives, found.missing_interrupts];
        all.iter().any(|count| *count > 0).then_some(found)
    }
}

impl fmt::Display for RecoverySummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counted =
            |count: u64, noun: &str| number::counted(usize::try_from(count).unwrap_or(usize::MAX), noun);
        let Self { frames_lost, links, time_outs, redrives, missing_interrupts } = *self;
        write!(
            f,
            "frames lost: {} on {}; {}, {}, {}",
            number::count(frames_lost.into()),
            counted(links, "link"),
            counted(time_outs, "time-out"),
            counted(redrives, "redrive"),
            counted(missing_interrupts, "missing interrupt")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden;

    #[test]
    fn frames_that_are_lost_are_told_with_what_they_led_to() {
        let mut run = golden::run();
        assert_eq!(RecoverySummary::of(&run), None);
        for interval in &mut run.intervals {
            interval.links[0].lost = 600;
            interval.channels[0].recoveries =
                Recoveries { time_outs: 3, redrives: 500, missing_interrupts: 0 };
        }
        let found = RecoverySummary::of(&run).expect("frames were lost");
        assert_eq!(
            found.to_string(),
            "frames lost: 1,200 on 1 link; 6 time-outs, 1,000 redrives, 0 missing interrupts"
        );
    }
}
