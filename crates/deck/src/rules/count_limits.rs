//! R204: how many channels of a type a machine has.
//!
//! The reference has the rule and no numbers. Those here are domain knowledge (M), so that more channels are a warning:
//! HiperSockets and internal coupling channels are firmware with published counts of their generation; FICON channels
//! are the ports that the largest model takes.

use halftrack_input::Severity;

use crate::model::machines::Generation::{self, Z9, Z10, Z14, Z15, Z16, Z17, Z196, Z800, Z900, Z990, Zec12};
use crate::rules::definitions::{Channel, Definitions};
use crate::syntax::findings::Findings;

/// One limit: channels of `types` together, on machines of the generations `from` to `to`.
struct CountLimit {
    types: &'static [&'static str],
    from: Generation,
    to: Generation,
    count: usize,
}

const fn row(
    types: &'static [&'static str],
    (from, to): (Generation, Generation),
    count: usize,
) -> CountLimit {
    CountLimit { types, from, to, count }
}

const FICON: &[&str] = &["FC", "FCV", "FCP"];

/// All limits (M).
const LIMITS: [CountLimit; 13] = [
    row(&["IQD"], (Z900, Z800), 4),
    row(&["IQD"], (Z990, Z10), 16),
    row(&["IQD"], (Z196, Z17), 32),
    row(&["ICP"], (Z900, Z14), 32),
    row(&["ICP"], (Z15, Z17), 64),
    row(FICON, (Z900, Z900), 96),
    row(FICON, (Z800, Z800), 32),
    row(FICON, (Z990, Z990), 240),
    row(FICON, (Z9, Z10), 336),
    row(FICON, (Z196, Z196), 288),
    row(FICON, (Zec12, Z14), 320),
    row(FICON, (Z15, Z16), 384),
    row(FICON, (Z17, Z17), 384),
];

/// Checks R204, at the first channel past a limit. A spanned channel is one.
pub(crate) fn check(definitions: &Definitions, findings: &mut Findings) {
    let machine = definitions.machine;
    for limit in LIMITS.iter().filter(|limit| (limit.from..=limit.to).contains(&machine.generation)) {
        let is_one = |channel: &&Channel| limit.types.contains(&channel.path.channel_type.value.as_str());
        let channels: Vec<&Channel> = definitions.channels.iter().filter(is_one).collect();
        let Some(past) = channels.get(limit.count) else { continue };
        findings.about(format!("CHPID {:02X}", past.path.chpid.value));
        let words = format!(
            "{} channels of TYPE={}; a {} is known to have {}",
            channels.len(),
            limit.types.join(", "),
            machine.machine_type,
            limit.count
        );
        let message = findings.error(204, &past.path.chpid.span, words).severity(Severity::Warning);
        findings.report(message.fix("remove channels, or check SYSTEM="));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::machines::MACHINES;

    #[test]
    fn no_machine_has_two_limits_for_one_type() {
        for machine in &MACHINES {
            let mine: Vec<_> = LIMITS
                .iter()
                .filter(|limit| (limit.from..=limit.to).contains(&machine.generation))
                .map(|limit| limit.types[0])
                .collect();
            let mut once = mine.clone();
            once.dedup();
            assert_eq!(mine, once, "{}", machine.machine_type);
        }
    }
}
