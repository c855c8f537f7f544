//! Link incidents: their records, and the ports that receive them (FC-LS; recovery reference section 4.1).

use std::collections::VecDeque;

use halftrack_base::Time;
use halftrack_wire::els::{IncidentReceiver, LinkIncident};

/// Records that wait for one receiver. Of more the oldest are dropped.
const WAITING_MAX: usize = 16;
const PS_PER_S: u64 = 1_000_000_000_000;
const PS_PER_NS: u64 = 1_000;

/// Returns the seconds and nanoseconds of an instant.
pub(crate) fn stamp(now: Time) -> (u32, u32) {
    let seconds = u32::try_from(now.as_ps() / PS_PER_S).unwrap_or(u32::MAX);
    (seconds, (now.as_ps() % PS_PER_S / PS_PER_NS) as u32)
}

/// Returns the receivers of a record: every one that registered unconditionally, and the first of the others.
pub(crate) fn receivers(registered: impl Iterator<Item = (usize, IncidentReceiver)>) -> Vec<usize> {
    let mut has_conditional = false;
    let receives = |(_, receiver): &(usize, IncidentReceiver)| match receiver {
        IncidentReceiver::Unconditional => true,
        IncidentReceiver::Conditional => !std::mem::replace(&mut has_conditional, true),
        IncidentReceiver::Withdrawn => false,
    };
    registered.filter(receives).map(|(index, _)| index).collect()
}

/// Records that one receiver has not acknowledged, the oldest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IncidentReports {
    /// Records that the port wants to have.
    pub(crate) receiver: IncidentReceiver,
    waiting: VecDeque<LinkIncident>,
}

impl Default for IncidentReports {
    fn default() -> Self {
        Self { receiver: IncidentReceiver::Withdrawn, waiting: VecDeque::new() }
    }
}

impl IncidentReports {
    /// Adds a record; true when no other is on its way.
    pub(crate) fn add(&mut self, incident: LinkIncident) -> bool {
        if self.waiting.len() == WAITING_MAX {
            // The first is on its way.
            self.waiting.remove(1);
        }
        self.waiting.push_back(incident);
        self.waiting.len() == 1
    }

    /// Returns the record that is on its way.
    pub(crate) fn first(&self) -> Option<LinkIncident> {
        self.waiting.front().copied()
    }

    /// Removes the record that was on its way, and returns the next.
    pub(crate) fn next(&mut self) -> Option<LinkIncident> {
        self.waiting.pop_front();
        self.first()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_conditional_receivers_one_gets_a_record() {
        use IncidentReceiver::{Conditional, Unconditional, Withdrawn};
        let of = |registered: &[IncidentReceiver]| receivers(registered.iter().copied().enumerate());
        assert_eq!(of(&[Conditional, Unconditional, Conditional, Withdrawn, Unconditional]), [0, 1, 4]);
        assert_eq!(of(&[Withdrawn, Conditional]), [1]);
    }

    #[test]
    fn the_instant_is_seconds_and_nanoseconds() {
        assert_eq!(stamp(Time::from_ps(7_000_000_009_123)), (7, 9));
    }
}
