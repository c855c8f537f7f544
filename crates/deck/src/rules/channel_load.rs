//! How many control units and unit addresses each channel reaches.
//!
//! Reference: IOCP, section 3; R235, R238, R357, R359. A spanned channel is one physical channel: its counts run over all
//! its channel subsystems, and a control unit counts once.

use std::collections::{BTreeMap, BTreeSet};

use halftrack_input::Severity;

use crate::model::LinkAddress;
use crate::model::channel_types::ChannelType;
use crate::model::machines::Machine;
use crate::rules::definitions::Unit;
use crate::rules::paths::Leg;
use crate::syntax::findings::Findings;

/// Ranges of unit addresses of an FC channel, those of a spanned one multiplied (reference: IOCP, section 3).
const FC_RANGES: u32 = 256;

/// The load of every channel.
#[derive(Debug, Default)]
pub(crate) struct ChannelLoad {
    by_channel: BTreeMap<usize, Load>,
}

#[derive(Debug, Default)]
struct Load {
    control_units: u32,
    unit_addresses: u32,
    ranges: u32,
    /// Unit address ranges, counted again in each channel subsystem.
    ranges_of_all_css: u32,
    links: BTreeSet<LinkAddress>,
}

impl ChannelLoad {
    /// Checks R357: a spanned channel may have several links for one control unit.
    fn link(&mut self, leg: &Leg<'_>, kind: &ChannelType, findings: &mut Findings) {
        let Some(link) = leg.path.link else { return };
        let links = &mut self.by_channel.entry(leg.index).or_default().links;
        let max = usize::try_from(kind.control_unit_count_max).unwrap_or(usize::MAX);
        if links.insert(link) && links.len() == max + 1 {
            let words = format!(
                "channel {:02X} has {} link addresses, limit {max} for TYPE={}",
                leg.path.chpid,
                links.len(),
                kind.name
            );
            findings.report(findings.error(357, &leg.path.span, words).fix("use another channel"));
        }
    }

    /// Checks R359 of a spanned FC channel: the channel subsystems multiply its ranges. A warning, because it is not
    /// certain that IOCP counts a control unit again in each.
    fn ranges_of_all_css(&mut self, unit: &Unit, leg: &Leg<'_>, kind: &ChannelType, findings: &mut Findings) {
        if kind.name != "FC" {
            return;
        }
        let load = self.by_channel.entry(leg.index).or_default();
        let were = load.ranges_of_all_css;
        load.ranges_of_all_css += u32::try_from(unit.definition.unit_addresses.len()).unwrap_or(u32::MAX);
        // R235 or R357 about the channel is enough.
        let is_news = load.control_units < FC_RANGES && load.links.len() <= FC_RANGES as usize;
        if is_news && were <= FC_RANGES && load.ranges_of_all_css > FC_RANGES {
            let words = format!(
                "channel {:02X} has {} ranges of unit addresses over its channel subsystems, limit {FC_RANGES} for TYPE=FC",
                leg.path.chpid, load.ranges_of_all_css
            );
            let message = findings.error(359, &leg.path.span, words).severity(Severity::Warning);
            findings.report(message.fix("use another channel, or span fewer channel subsystems"));
        }
    }

    /// Adds `unit` to the load of its channels. A limit is reported where it is first passed.
    pub(crate) fn check(
        &mut self,
        unit: &Unit,
        legs: &[Leg<'_>],
        machine: &Machine,
        findings: &mut Findings,
    ) {
        let more: u32 = unit.definition.unit_addresses.iter().map(|(_, count)| u32::from(*count)).sum();
        for (position, leg) in legs.iter().enumerate() {
            let Some(kind) = leg.channel.kind else { continue };
            self.link(leg, kind, findings);
            self.ranges_of_all_css(unit, leg, kind, findings);
            if legs[..position].iter().any(|earlier| earlier.index == leg.index) {
                continue;
            }
            let load = self.by_channel.entry(leg.index).or_default();
            let was = (load.control_units, load.unit_addresses);
            load.control_units += 1;
            load.unit_addresses += more;
            let units_max = kind.control_unit_count_max;
            if was.0 <= units_max && load.control_units > units_max {
                let words = format!(
                    "channel {:02X} has {} control units, limit {units_max} for TYPE={}",
                    leg.path.chpid, load.control_units, kind.name
                );
                findings.report(findings.error(235, &leg.path.span, words).fix("use another channel"));
            }
            let ranges_were = load.ranges;
            load.ranges += u32::try_from(unit.definition.unit_addresses.len()).unwrap_or(u32::MAX);
            if let Some(max) =
                kind.unit_address_range_count_max.filter(|&max| ranges_were <= max && load.ranges > max)
            {
                let words = format!(
                    "channel {:02X} has {} ranges of unit addresses, limit {max} for TYPE={}",
                    leg.path.chpid, load.ranges, kind.name
                );
                findings.report(findings.error(359, &leg.path.span, words).fix("use another channel"));
            }
            let Some(addresses_max) = kind.unit_addresses.on(machine) else { continue };
            if was.1 <= addresses_max && load.unit_addresses > addresses_max {
                let words = format!(
                    "channel {:02X} reaches {} unit addresses, limit {addresses_max} for TYPE={} on a {}",
                    leg.path.chpid, load.unit_addresses, kind.name, machine.machine_type
                );
                let message = findings
                    .error(238, &leg.path.span, words)
                    .fix("use another channel, or lower the counts of UNITADD");
                findings.report(message);
            }
        }
    }
}
