//! Channel paths that meet on one card.
//!
//! The ports of one card are neighbours: their PCHIDs are equal after integer division by 4. Reference: IOCP, section
//! 7 and R371, R374. The types of one kind of card are domain knowledge (M); the rule applies only since the cards of
//! PCIe drawers, zEC12 and later: before them cards had up to 16 ports.

use halftrack_input::Located;

use crate::model::channel_types::ChannelType;
use crate::model::machines::{Generation, Machine, Mixing};
use crate::rules::definitions::{Channel, Definitions};
use crate::syntax::findings::Findings;
use crate::syntax::statement::Statement;

/// Returns the kind of card that a type is a port of.
fn card_of(kind: &ChannelType) -> Option<&'static str> {
    match kind.name {
        "FC" | "FCP" => Some("FICON"),
        name if name.starts_with("OS") => Some("OSA"),
        "CL5" | "CL6" => Some("coupling"),
        _ => None,
    }
}

/// Returns true when two types cannot meet on a card of `machine`.
fn refuses(one: &ChannelType, other: &ChannelType, machine: &Machine) -> bool {
    let (Some(card), Some(other_card)) = (card_of(one), card_of(other)) else { return false };
    let is_pair = |a: &str, b: &str| (one.name == a && other.name == b) || (one.name == b && other.name == a);
    card != other_card
        || (is_pair("FC", "FCP") && machine.mixing == Mixing::No)
        || (is_pair("OSC", "OSD") && machine.generation >= Generation::Z17)
}

/// Returns true when channel paths of both types may be on one card of `machine`; `mixtype` when both have MIXTYPE.
pub fn may_share_card(one: &ChannelType, other: &ChannelType, mixtype: bool, machine: &Machine) -> bool {
    if machine.generation < Generation::Zec12 {
        return true;
    }
    let mixes = one.name != other.name && card_of(one) == Some("FICON") && card_of(other) == Some("FICON");
    !refuses(one, other, machine) && (mixtype || !mixes || machine.mixing != Mixing::Mixtype)
}

/// Checks R371, R374.
pub(crate) fn check(
    statement: &Statement,
    kind: &ChannelType,
    pchid: Option<&Located<u16>>,
    definitions: &Definitions,
    findings: &mut Findings,
) {
    let machine = definitions.machine;
    let Some(pchid) = pchid.filter(|_| machine.generation >= Generation::Zec12) else { return };
    let is_neighbour = |channel: &&Channel| {
        channel.path.pchid.as_ref().is_some_and(|other| other.value / 4 == pchid.value / 4)
            && channel.path.pchid.as_ref().map(|other| other.value) != Some(pchid.value)
    };
    for other in definitions.channels.iter().filter(is_neighbour) {
        let Some(other_kind) = other.kind else { continue };
        let label = findings.label(&other.path.channel_type.span, "the other channel of the card");
        if refuses(kind, other_kind, machine) {
            let words = format!(
                "TYPE={} and TYPE={} cannot share a card of a {} (PCHIDs {:03X}-{:03X})",
                kind.name,
                other_kind.name,
                machine.machine_type,
                pchid.value / 4 * 4,
                pchid.value / 4 * 4 + 3
            );
            let message = findings.error(374, &pchid.span, words).other(label);
            findings.report(message.fix("use a PCHID of another card"));
            return;
        }
        let mixtype = statement.flag("MIXTYPE").is_some() && other.path.mixtype;
        if !may_share_card(kind, other_kind, mixtype, machine) {
            let words = format!(
                "{} and {} share a card: both PCHIDs, {:03X} too, need MIXTYPE",
                kind.name, other_kind.name, pchid.value
            );
            let message = findings.error(371, &pchid.span, words).other(label);
            findings.report(message.fix("add MIXTYPE to both, or use another card"));
            return;
        }
    }
}
