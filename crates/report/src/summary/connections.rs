//! Connections of a run under endpoint security: their states at its end, and what changed.

use std::fmt;

use halftrack_drawing::number;
use halftrack_record::{ConnectionChange, ConnectionCounts, ConnectionState, Run};
use serde::Serialize;

/// Changes that the text shows; all are in the record.
const CHANGES_SHOWN: usize = 8;
/// Picoseconds of a second.
const PS_PER_S: f64 = 1e12;

/// Connections of a run, over all channels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConnectionSummary {
    /// By state at the end of the run.
    pub at_end: ConnectionCounts,
    /// Changes in the run, warm-up included.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<ConnectionChange>,
}

impl ConnectionSummary {
    /// Returns those of `run`; `None` where no part of the site takes part in endpoint security.
    pub(super) fn of(run: &Run) -> Option<Self> {
        let last = run.intervals.last()?;
        let each: Vec<_> = last.channels.iter().filter_map(|channel| channel.connections).collect();
        let mut at_end = ConnectionCounts::default();
        for counts in &each {
            ConnectionState::ALL.into_iter().for_each(|state| at_end.add(state, counts.of(state)));
        }
        (!each.is_empty()).then(|| Self { at_end, changes: run.connection_changes.clone() })
    }
}

/// Returns the states of `counts` in words: `4 encrypted, 1 refused`.
pub(crate) fn connection_words(counts: &ConnectionCounts) -> String {
    let states = ConnectionState::ALL.into_iter().filter(|state| counts.of(*state) > 0);
    let words: Vec<_> = states.map(|state| format!("{} {}", counts.of(state), state.word())).collect();
    words.join(", ")
}

impl fmt::Display for ConnectionSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "connections: {}", connection_words(&self.at_end))?;
        for change in self.changes.iter().take(CHANGES_SHOWN) {
            let ConnectionChange { at_ps, channel, port, before, after } = change;
            let at_s = *at_ps as f64 / PS_PER_S;
            let (before, after) = (before.word(), after.word());
            write!(f, "\nat {at_s} s: {channel} to {port} was {before} and is {after}")?;
        }
        match self.changes.len().saturating_sub(CHANGES_SHOWN) {
            0 => Ok(()),
            more => write!(f, "\nand {} later", number::counted(more, "change")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden;

    #[test]
    fn connections_are_told_by_state_with_what_changed() {
        let mut run = golden::run();
        assert_eq!(ConnectionSummary::of(&run), None);
        let encrypted = ConnectionCounts { encrypted: 2, ..ConnectionCounts::default() };
        for interval in &mut run.intervals {
            interval.channels[0].connections = Some(encrypted);
            interval.channels[1].connections = Some(ConnectionCounts { refused: 1, ..encrypted });
        }
        let change = |at_ps| ConnectionChange {
            at_ps,
            channel: "CSS0.41".to_owned(),
            port: "BOXA 0030".to_owned(),
            before: ConnectionState::Down,
            after: ConnectionState::Refused,
        };
        run.connection_changes = (1..=10).map(|at| change(at * 250_000_000_000)).collect();
        let text = ConnectionSummary::of(&run).expect("it takes part").to_string();
        assert!(text.starts_with("connections: 4 encrypted, 1 refused\nat 0.25 s: CSS0.41 to BOXA 0030 was down and is refused\n"), "{text}");
        assert!(text.ends_with("and 2 changes later"), "{text}");
    }
}
