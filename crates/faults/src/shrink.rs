//! Short scripts of failures: events are taken out, then shortened, as long as the run fails.

use halftrack_base::Span;

use crate::check::check;
use crate::machine::Machine;
use crate::mutation::Mutation;
use crate::script::Script;

/// Shortest fault that a script is shrunk to.
const LASTS_MIN: Span = Span::from_ms(2);

/// Returns a short script with which the run of this machine still fails; `script` itself when it does not fail.
#[must_use]
pub fn shrink(machine: &Machine, script: &Script, mutation: Option<Mutation>) -> Script {
    let fails = |script: &Script| !check(machine, script, mutation).is_good();
    let mut script = script.clone();
    if !fails(&script) {
        return script;
    }
    loop {
        let shorter = (0..script.events.len()).rev().map(|place| without(&script, place));
        match shorter.into_iter().find(fails) {
            Some(found) => script = found,
            None => break,
        }
    }
    for place in 0..script.events.len() {
        while let Some(shorter) = shortened(&script, place).filter(fails) {
            script = shorter;
        }
    }
    script
}

/// Returns a script without one event.
fn without(script: &Script, place: usize) -> Script {
    let mut shorter = script.clone();
    shorter.events.remove(place);
    shorter
}

/// Returns a script of which one event lasts half as long.
fn shortened(script: &Script, place: usize) -> Option<Script> {
    let mut shorter = script.clone();
    let lasts = &mut shorter.events[place].lasts;
    *lasts = Span::from_us(lasts.as_ps() / 2_000_000);
    (*lasts >= LASTS_MIN).then_some(shorter)
}
