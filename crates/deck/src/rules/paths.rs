//! Rules between a control unit and the channels of its paths.
//!
//! Reference: IOCP, section 4.4; R226, R229, R234, R237, R251-R253; the rest in [`crate::rules::channel_load`] and
//! [`crate::rules::links`]. Paths over channels whose own statement had errors are left out: their rules could
//! only repeat the root cause in other words.

use crate::model::Path;
use crate::rules::definitions::{Channel, Definitions, Unit};
use crate::rules::links::LinkUse;
use crate::syntax::findings::Findings;
use halftrack_input::Diagnostic;

/// A path and its channel.
#[derive(Clone, Copy)]
pub(crate) struct Leg<'a> {
    pub(crate) path: &'a Path,
    pub(crate) index: usize,
    pub(crate) channel: &'a Channel,
}

/// Returns the paths of `unit` over sound channels of known type.
pub(crate) fn legs<'a>(unit: &'a Unit, channels: &'a [Channel]) -> Vec<Leg<'a>> {
    let pairs = unit.definition.paths.iter().zip(&unit.channels);
    let leg = |(path, index): (&'a Path, &Option<usize>)| {
        let index = (*index)?;
        let channel = channels.get(index).filter(|channel| channel.sound && channel.kind.is_some())?;
        Some(Leg { path, index, channel })
    };
    pairs.filter_map(leg).collect()
}

/// Checks `unit`, which will be number `index` of the definitions, against its channels and takes up its use of
/// them.
pub(crate) fn check(unit: &Unit, index: usize, definitions: &mut Definitions, findings: &mut Findings) {
    let Definitions { machine, channels, units, load, links, .. } = definitions;
    let legs = legs(unit, channels);
    check_receivers(&legs, findings);
    check_family(&legs, findings);
    check_sharing(&legs, findings);
    check_image(unit, &legs, findings);
    // Links of a statement that is already wrong (by R245, for instance) belong to the wrong channels.
    if unit.sound {
        check_links(&legs, links, findings);
        links.check(unit, index, &legs, units, findings);
        load.check(unit, &legs, machine, findings);
    }
}

/// Checks R250.
fn check_receivers(legs: &[Leg<'_>], findings: &mut Findings) {
    let receiver = |leg: &&Leg<'_>| matches!(leg.channel.path.channel_type.value.as_str(), "CFR" | "CBR");
    if let Some(leg) = legs.iter().find(receiver) {
        let kind = &leg.channel.path.channel_type;
        let message = findings
            .error(250, &leg.path.span, format!("TYPE={} takes no control unit", kind.value))
            .other(findings.label(&kind.span, "a receiver"))
            .fix("define the control unit on the sender");
        findings.report(message);
    }
}

/// Checks R234.
fn check_family(legs: &[Leg<'_>], findings: &mut Findings) {
    let Some((first, rest)) = legs.split_first() else { return };
    let family = |leg: &Leg<'_>| leg.channel.kind.map(|kind| kind.family);
    if let Some(other) = rest.iter().find(|leg| family(leg) != family(first)) {
        let (a, b) = (&first.channel.path.channel_type.value, &other.channel.path.channel_type.value);
        let message = findings
            .error(234, &other.path.span, format!("channel types {a} and {b} cannot serve one control unit"))
            .other(findings.label(&other.channel.path.channel_type.span, b.clone()))
            .other(findings.label(&first.channel.path.channel_type.span, a.clone()))
            .fix("use channels of one type");
        findings.report(message);
    }
}

/// Checks R237.
fn check_sharing(legs: &[Leg<'_>], findings: &mut Findings) {
    let Some((first, rest)) = legs.split_first() else { return };
    if let Some(other) = rest.iter().find(|leg| leg.channel.path.shared != first.channel.path.shared) {
        let words = |leg: &Leg<'_>| if leg.channel.path.shared { "shared" } else { "not shared" };
        let message = findings
            .error(237, &other.path.span, "shared and unshared channels are mixed on one control unit")
            .other(findings.label(&first.channel.path.chpid.span, words(first)))
            .other(findings.label(&other.channel.path.chpid.span, words(other)))
            .fix("make them all shared or all unshared");
        findings.report(message);
    }
}

/// Checks R251.
fn check_image(unit: &Unit, legs: &[Leg<'_>], findings: &mut Findings) {
    let Some(cuadd) = &unit.definition.cuadd else { return };
    let too_small = legs
        .iter()
        .find(|leg| leg.channel.kind.and_then(|kind| kind.cuadd_max).is_some_and(|max| cuadd.value > max));
    if let Some(leg) = too_small {
        let kind = &leg.channel.path.channel_type;
        let words = format!("CUADD {:02X} must be 0-F where {} takes part", cuadd.value, kind.value);
        let message = findings
            .error(251, &cuadd.span, words)
            .other(findings.label(&kind.span, format!("channel {:02X}", leg.path.chpid)))
            .fix("use CUADD 0-F");
        findings.report(message);
    }
}

/// Returns the rule that the link address of a path breaks.
pub(crate) fn link_fault(leg: &Leg<'_>) -> Option<u16> {
    let kind = leg.channel.kind?;
    match (leg.path.link, &leg.channel.path.switch) {
        (Some(_), _) if !kind.has_links => Some(229),
        (None, Some(_)) if kind.has_links => Some(226),
        (Some(link), _) if !in_range(link.switch, link.port, kind.two_byte_links) => Some(252),
        (Some(_), None) if kind.two_byte_links => Some(253),
        _ => None,
    }
}

/// Checks R226, R229, R252, R253. A missing LINK, or a LINK that has no meaning, is one mistake however many paths it
/// concerns; a channel without switch is one mistake however many control units it serves.
fn check_links(legs: &[Leg<'_>], links: &mut LinkUse, findings: &mut Findings) {
    let mut reported = Vec::new();
    for leg in legs {
        let Some(rule) = link_fault(leg) else { continue };
        let known = match rule {
            226 | 229 => reported.contains(&rule),
            253 => !links.suspend(leg.index),
            _ => false,
        };
        if !known {
            reported.push(rule);
            findings.report(link_message(rule, leg, findings));
        }
    }
}

fn link_message(rule: u16, leg: &Leg<'_>, findings: &Findings) -> Diagnostic {
    let Path { css, chpid, span, .. } = leg.path;
    let channel = &leg.channel.path;
    let name = &channel.channel_type.value;
    let switch = channel.switch.as_ref();
    let (words, place, label, fix) = match rule {
        226 => (
            match switch {
                Some(switch) => format!(
                    "channel {chpid:02X} (CSS {css}) is on switch {:02X} and needs a link address",
                    switch.value
                ),
                None => format!("channel {chpid:02X} (CSS {css}) needs a link address"),
            },
            switch.map_or(&channel.chpid.span, |switch| &switch.span),
            "switch",
            "code the port of the control unit in LINK, at the position of the channel",
        ),
        229 => (
            format!("TYPE={name} has no link addresses (channel {chpid:02X})"),
            &channel.channel_type.span,
            "channel type",
            "drop LINK, or code ** here",
        ),
        253 => (
            format!("channel {chpid:02X} (CSS {css}) is on no switch but has a link address"),
            &channel.chpid.span,
            "channel without SWITCH",
            "add SWITCH to the CHPID, or code ** for no link address",
        ),
        _ => (
            format!("link address \"{}\" is not valid for TYPE={name}", shown(leg.path)),
            &channel.channel_type.span,
            "channel type",
            "use 01-FE; only FC has link addresses of four digits",
        ),
    };
    findings.error(rule, span, words).other(findings.label(place, label)).fix(fix)
}

/// Returns true for one byte 01-FE; for two bytes, where the type has them, 0000-FFFF.
fn in_range(switch: Option<u8>, port: u8, two_bytes: bool) -> bool {
    match switch {
        Some(_) => two_bytes,
        None => (0x01..=0xFE).contains(&port),
    }
}

/// Returns the link address of `path` as coded.
pub(crate) fn shown(path: &Path) -> String {
    match path.link {
        None => "**".to_owned(),
        Some(link) => match link.switch {
            Some(switch) => format!("{switch:02X}{:02X}", link.port),
            None => format!("{:02X}", link.port),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_byte_links_are_01_to_fe_and_two_byte_links_need_ficon() {
        assert!(!in_range(None, 0x00, true));
        assert!(in_range(None, 0xFE, false));
        assert!(!in_range(None, 0xFF, true));
        assert!(in_range(Some(0), 0, true));
        assert!(!in_range(Some(0x11), 4, false));
    }
}
