//! Guests that were moved over logical links: their passes, how long they stood, and whether they converged.

use std::fmt;

use halftrack_drawing::number;
use halftrack_record::{RelocationOutcome, RelocationPass, RelocationSummary, Run};
use serde::Serialize;

/// Picoseconds of a millisecond and of a second.
const PS_PER_MS: f64 = 1e9;
const PS_PER_S: f64 = 1e12;
/// Octets of a megabyte.
const MB: f64 = 1e6;
/// Passes that the text shows; all are in JSON.
const PASSES_SHOWN: usize = 8;

/// A relocated guest.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RelocatedGuest {
    /// Name of the guest.
    pub guest: String,
    /// Name of the logical link.
    pub islink: String,
    /// System that it leaves.
    pub from: String,
    /// System to which it moves.
    pub to: String,
    /// Beginning, s from the start of the run, warm-up included.
    pub start_s: f64,
    /// Passes over its memory that are over.
    pub passes: Vec<GuestPass>,
    /// Octets of all passes.
    pub bytes: u64,
    /// Longest time for which it was to be stopped, ms.
    pub wanted_quiesce_ms: f64,
    /// Time for which it was stopped, ms; `None` where it goes on at its old place.
    pub quiesce_ms: Option<f64>,
    /// Time of all passes, s; `None` before the end.
    pub total_s: Option<f64>,
    /// Outcome.
    pub outcome: RelocationOutcome,
    /// Outcome in words.
    pub words: String,
}

/// Pass over the memory of a guest.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct GuestPass {
    /// Octets moved.
    pub bytes: u64,
    /// Time, s.
    pub seconds: f64,
    /// The guest was stopped.
    pub quiesced: bool,
}

impl RelocatedGuest {
    /// Returns the guests of `run`.
    pub(crate) fn of(run: &Run) -> Vec<Self> {
        run.relocations.iter().map(Self::new).collect()
    }

    fn new(relocation: &RelocationSummary) -> Self {
        let pass = |pass: &RelocationPass| GuestPass {
            bytes: pass.bytes,
            seconds: pass.span_ps as f64 / PS_PER_S,
            quiesced: pass.is_quiesced,
        };
        let passes: Vec<_> = relocation.passes.iter().map(pass).collect();
        Self {
            guest: relocation.guest.clone(),
            islink: relocation.islink.clone(),
            from: relocation.from.clone(),
            to: relocation.to.clone(),
            start_s: relocation.start_ps as f64 / PS_PER_S,
            bytes: passes.iter().map(|pass| pass.bytes).sum(),
            words: words(relocation.outcome, &passes),
            passes,
            wanted_quiesce_ms: relocation.wanted_quiesce_ps as f64 / PS_PER_MS,
            quiesce_ms: relocation.quiesce_ps.map(|ps| ps as f64 / PS_PER_MS),
            total_s: relocation.total_ps.map(|ps| ps as f64 / PS_PER_S),
            outcome: relocation.outcome,
        }
    }
}

/// Returns an outcome in words.
fn words(outcome: RelocationOutcome, passes: &[GuestPass]) -> String {
    let running = match passes.iter().filter(|pass| !pass.quiesced).count() {
        1 => "1 pass".to_owned(),
        count => format!("{count} passes"),
    };
    match outcome {
        RelocationOutcome::Converged => format!("moved; it converged in {running}"),
        RelocationOutcome::Quiesced => {
            format!("moved, though it did not converge in {running}: it was stopped for as long as that took")
        }
        RelocationOutcome::Cancelled => {
            format!("NOT MOVED: it did not converge in {running}, and goes on where it was")
        }
        RelocationOutcome::Unfinished => format!("not over at the end of the run, after {running}"),
    }
}

impl RelocatedGuest {
    /// Returns what became of the guest, without its passes.
    pub(crate) fn headline(&self) -> String {
        let Self { guest, from, to, words, .. } = self;
        let mut line = format!("guest {guest} from {from} to {to}: {words}");
        if let Some(total_s) = self.total_s {
            line += &format!("; {} MB in {total_s:.3} s", number::grouped(self.bytes as f64 / MB, 1));
        }
        if let Some(quiesce_ms) = self.quiesce_ms {
            line += &format!("; stopped for {quiesce_ms:.3} ms of {} wanted", self.wanted_quiesce_ms);
        }
        line
    }
}

impl fmt::Display for RelocatedGuest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.headline())?;
        for (at, pass) in self.passes.iter().enumerate().take(PASSES_SHOWN) {
            let (moved, seconds) = (number::grouped(pass.bytes as f64 / MB, 1), pass.seconds);
            let is_stopped = if pass.quiesced { ", stopped" } else { "" };
            write!(f, "\n  pass {}: {moved} MB in {seconds:.3} s{is_stopped}", at + 1)?;
        }
        match self.passes.len().saturating_sub(PASSES_SHOWN) {
            0 => Ok(()),
            more => write!(f, "\n  and {more} more"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relocation(outcome: RelocationOutcome) -> RelocationSummary {
        let pass = |bytes, is_quiesced| RelocationPass { bytes, span_ps: 500_000_000_000, is_quiesced };
        RelocationSummary {
            guest: "LINUX1".into(),
            islink: "LINK".into(),
            from: "VMA".into(),
            to: "VMB".into(),
            start_ps: 0,
            wanted_quiesce_ps: 1_000_000_000_000,
            passes: vec![pass(100_000_000, false), pass(20_000_000, true)],
            quiesce_ps: Some(500_000_000_000),
            total_ps: Some(1_000_000_000_000),
            outcome,
        }
    }

    #[test]
    fn a_guest_that_did_not_converge_is_told_plainly() {
        let mut one = relocation(RelocationOutcome::Cancelled);
        (one.quiesce_ps, one.passes) = (None, vec![one.passes[0]; 12]);
        let text = RelocatedGuest::new(&one).to_string();
        assert!(text.contains("NOT MOVED: it did not converge in 12 passes"), "{text}");
        assert!(text.ends_with("and 4 more") && !text.contains("stopped"), "{text}");
        let text = RelocatedGuest::new(&relocation(RelocationOutcome::Converged)).to_string();
        assert!(text.contains("converged in 1 pass;") && text.contains("120.0 MB in 1.000 s"), "{text}");
        assert!(text.contains("stopped for 500.000 ms of 1000 wanted"), "{text}");
        assert!(text.ends_with("pass 2: 20.0 MB in 0.500 s, stopped"), "{text}");
    }
}
