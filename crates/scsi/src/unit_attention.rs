//! Unit attentions of a unit: events that each nexus gets to see once, in their order (SAM-5, 5.14).

use std::collections::{BTreeMap, VecDeque};

use crate::limits::NEXUSES_MAX;
use crate::nexus::Nexus;
use crate::sense::SenseCode;

/// Pending unit attentions for each nexus that the unit has seen.
#[derive(Debug, Clone, Default)]
pub(crate) struct UnitAttentions {
    pending: BTreeMap<Nexus, Pending>,
    /// Commands that the unit has seen.
    commands: u64,
}

/// Events of a nexus.
#[derive(Debug, Clone)]
struct Pending {
    events: VecDeque<SenseCode>,
    /// Number of its last command.
    last_command: u64,
}

impl UnitAttentions {
    /// Lets a nexus in; a new one starts with a reset, and so does one that made room for others since its last command.
    pub fn admit(&mut self, nexus: Nexus) {
        self.commands += 1;
        if let Some(pending) = self.pending.get_mut(&nexus) {
            pending.last_command = self.commands;
            return;
        }
        if self.pending.len() >= NEXUSES_MAX {
            let oldest = self.pending.iter().min_by_key(|(_, one)| one.last_command).map(|(at, _)| *at);
            oldest.and_then(|oldest| self.pending.remove(&oldest));
        }
        let events = VecDeque::from([SenseCode::POWER_ON_OR_RESET]);
        self.pending.insert(nexus, Pending { events, last_command: self.commands });
    }

    /// Adds an event for one nexus. Resets remove what is older; no event is pending twice.
    pub fn establish(&mut self, nexus: Nexus, event: SenseCode) {
        if let Some(pending) = self.pending.get_mut(&nexus) {
            add(pending, event);
        }
    }

    /// Adds an event for every nexus that the unit has seen, but for `except`.
    pub fn establish_for_others(&mut self, except: Option<Nexus>, event: SenseCode) {
        for (nexus, pending) in &mut self.pending {
            if except != Some(*nexus) {
                add(pending, event);
            }
        }
    }

    /// Returns the nexuses that the unit has seen.
    pub fn nexuses(&self) -> Vec<Nexus> {
        self.pending.keys().copied().collect()
    }

    /// Takes the oldest event of a nexus.
    pub fn take(&mut self, nexus: Nexus) -> Option<SenseCode> {
        self.pending.get_mut(&nexus)?.events.pop_front()
    }

    /// Removes an event that another command has reported.
    pub fn clear(&mut self, nexus: Nexus, event: SenseCode) {
        if let Some(pending) = self.pending.get_mut(&nexus) {
            pending.events.retain(|one| *one != event);
        }
    }
}

fn add(pending: &mut Pending, event: SenseCode) {
    if event.code == SenseCode::POWER_ON_OR_RESET.code {
        pending.events.clear();
    }
    if !pending.events.contains(&event) {
        pending.events.push_back(event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEXUS: Nexus = Nexus { initiator: 1, target_port: 1 };

    #[test]
    fn the_nexus_that_was_silent_the_longest_makes_room() {
        let nexus = |initiator| Nexus { initiator, target_port: 1 };
        let mut attentions = UnitAttentions::default();
        for initiator in 0..NEXUSES_MAX as u64 {
            attentions.admit(nexus(initiator));
            attentions.take(nexus(initiator));
        }
        attentions.admit(nexus(0));
        attentions.admit(nexus(u64::MAX));
        assert_eq!(attentions.nexuses().len(), NEXUSES_MAX);
        attentions.admit(nexus(0));
        assert_eq!(attentions.take(nexus(0)), None);
        attentions.admit(nexus(1));
        assert_eq!(attentions.take(nexus(1)), Some(SenseCode::POWER_ON_OR_RESET));
    }

    #[test]
    fn events_come_in_order_once_and_behind_the_last_reset() {
        let mut attentions = UnitAttentions::default();
        attentions.establish(NEXUS, SenseCode::MODE_PARAMETERS_CHANGED);
        assert_eq!(attentions.take(NEXUS), None, "not seen yet: its first event is the reset");
        attentions.admit(NEXUS);
        attentions.admit(NEXUS);
        for event in [
            SenseCode::RESERVATIONS_RELEASED,
            SenseCode::NEXUS_LOSS,
            SenseCode::REPORTED_LUNS_CHANGED,
            SenseCode::MODE_PARAMETERS_CHANGED,
            SenseCode::REPORTED_LUNS_CHANGED,
        ] {
            attentions.establish_for_others(None, event);
        }
        attentions.establish_for_others(Some(NEXUS), SenseCode::ACCESS_STATE_CHANGED);
        attentions.clear(NEXUS, SenseCode::MODE_PARAMETERS_CHANGED);
        let taken: Vec<_> = std::iter::from_fn(|| attentions.take(NEXUS)).collect();
        assert_eq!(taken, [SenseCode::NEXUS_LOSS, SenseCode::REPORTED_LUNS_CHANGED]);
    }
}
