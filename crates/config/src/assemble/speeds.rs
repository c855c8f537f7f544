//! Link speeds: what a plug offers, what its settings leave of it, and what two plugs have in common.

use std::fmt;
use std::ops::Range;

use halftrack_catalog as catalog;
use halftrack_catalog::{CircuitInterface, LinkGeneration, Shelf};
use halftrack_input::Sourced;
use halftrack_input::messages::study as numbers;

use crate::assemble::hardware::{bytes_per_s, whole};
use crate::assemble::inputs::Inputs;
use crate::plant::{Card, SpeedSetting};

/// The generations of links.
type LinkShelf = Shelf<LinkGeneration>;

/// A link speed: both ends of a fibre run at one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineSpeed {
    /// Nominal Gbit/s.
    pub gbps: u32,
    /// With forward error correction.
    pub fec: bool,
}

impl fmt::Display for LineSpeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.gbps, if self.fec { " with FEC" } else { "" })
    }
}

/// Speeds and their rates, octets a second, slowest first, without FEC before with.
pub type Speeds = Vec<(LineSpeed, u64)>;

/// Speeds and credits that a plug offers, as far as its settings allow.
pub struct Plug {
    /// At least one speed.
    pub speeds: Speeds,
    /// Receive buffers.
    pub credits: u32,
    /// It is of the parallel interface (bus and tags), not of a fibre.
    pub parallel: bool,
}

impl Plug {
    /// Creates a plug that can do `speeds` with `setting`; `None` when that leaves no speed.
    pub fn new(speeds: Speeds, setting: &SpeedSetting, credits: u32) -> Option<Self> {
        let speeds = allowed(speeds, setting);
        (!speeds.is_empty()).then_some(Self { speeds, credits, parallel: false })
    }

    /// Returns the plug over the `interface` of a circuit, if it is one.
    pub fn over(self, interface: Option<CircuitInterface>) -> Self {
        Self { parallel: interface == Some(CircuitInterface::Parallel), ..self }
    }
}

/// Returns the speeds that both ends offer, each at the rate of the slower. FEC is agreed by both or by none.
pub fn in_common(one: &Speeds, other: &Speeds) -> Speeds {
    let both = one.iter().filter_map(|(speed, bytes_per_s)| {
        let (_, theirs) = other.iter().find(|(other, _)| other == speed)?;
        Some((*speed, *bytes_per_s.min(theirs)))
    });
    both.collect()
}

/// Returns speeds of a card, at the rates of `links`.
pub fn of_channel(kind: &catalog::Channel, links: &LinkShelf) -> Speeds {
    let each = kind.speeds.iter().map(|one| (one.gbps, one.fec, one.mb_per_s.as_ref()));
    each.filter_map(|(gbps, fec, own)| rated(gbps, fec, own, links)).collect()
}

/// Returns speeds of the port of a director or control unit, or of a multiplexer, at the rates of `links`.
pub fn of_port(speeds: &[catalog::Speed], links: &LinkShelf) -> Speeds {
    let each = speeds.iter().map(|one| (one.gbps, one.fec, one.mb_per_s.as_ref()));
    each.filter_map(|(gbps, fec, own)| rated(gbps, fec, own, links)).collect()
}

/// Returns a speed and its rate: its own where it is not Fibre Channel, and that of its generation where it is. The
/// catalog has reported one of no generation.
fn rated(
    gbps: u32,
    fec: bool,
    own_mb_per_s: Option<&Sourced<f64>>,
    links: &LinkShelf,
) -> Option<(LineSpeed, u64)> {
    let rate = match own_mb_per_s {
        Some(mb_per_s) => bytes_per_s(mb_per_s.value),
        None => whole(links.octets_per_s(gbps, fec)?),
    };
    Some((LineSpeed { gbps, fec }, rate))
}

/// Returns the part of `speeds` that a setting allows.
pub fn allowed(speeds: Speeds, setting: &SpeedSetting) -> Speeds {
    speeds.into_iter().filter(|(speed, _)| setting.allows(speed.gbps, speed.fec)).collect()
}

/// Returns the fastest and its rate, octets a second. Where FEC is a choice, which it is below 32 Gbit/s, it is off
/// until an end is set to it: in the sample report of the paper on the FICON Express32S none of the four links of 16
/// Gbit/s has it (codes 21, 27 and 2C of `fex32s-2023`). That nobody there had set it is our reading.
pub fn fastest(speeds: &Speeds) -> Option<(LineSpeed, u64)> {
    speeds.iter().copied().max_by_key(|(speed, _)| (speed.gbps, !speed.fec))
}

/// Returns speeds in words. 0 Gbit/s is the catalog's word for what is not Fibre Channel: ESCON, bus and tags.
pub fn listed(speeds: &Speeds) -> String {
    let fibre_channel: Vec<_> =
        speeds.iter().filter(|(speed, _)| speed.gbps > 0).map(|(speed, _)| speed.to_string()).collect();
    if fibre_channel.is_empty() {
        return String::from("no speed of Fibre Channel");
    }
    format!("{} Gbit/s", fibre_channel.join(", "))
}

/// Reports settings of `card` that its generation does not offer.
pub fn offered(inputs: &Inputs<'_>, card: &Card, kind: &catalog::Channel) -> bool {
    setting_offered(
        inputs,
        &card.kind.value,
        &of_channel(kind, &inputs.catalog.links),
        &card.speed,
        &card.span,
    )
}

/// Reports settings of directors' and host adapters' ports that their generation does not offer.
pub fn check_port_settings(inputs: &Inputs<'_>) {
    let links = &inputs.catalog.links;
    for director in &inputs.plant.directors {
        let Some(kind) = inputs.catalog.directors.get(&director.kind.value) else { continue };
        let (name, speeds) = (&director.kind.value, of_port(&kind.speeds, links));
        if !setting_offered(inputs, name, &speeds, &director.speed, &director.id.span) {
            continue;
        }
        for port in &director.ports {
            let bridge = kind.bridge.as_ref().filter(|_| port.is_bridge);
            let speeds = bridge.map_or_else(|| speeds.clone(), |bridge| of_port(&bridge.speeds, links));
            setting_offered(inputs, name, &speeds, &director.setting(port.id.value), &port.id.span);
        }
    }
    for control_unit in &inputs.plant.control_units {
        let name = &control_unit.kind.value;
        let Some(kind) = inputs.catalog.control_units.get(name) else { continue };
        for port in &control_unit.ports {
            setting_offered(inputs, name, &of_port(&kind.speeds, links), &port.speed, &port.id.span);
        }
    }
}

/// Reports a setting that leaves none of `speeds` of hardware `kind`, at the setting or else at `place`.
fn setting_offered(
    inputs: &Inputs<'_>,
    kind: &str,
    speeds: &Speeds,
    setting: &SpeedSetting,
    place: &Range<usize>,
) -> bool {
    if !allowed(speeds.clone(), setting).is_empty() {
        return true;
    }
    let span = setting.span().unwrap_or_else(|| place.clone());
    let error =
        inputs.in_plant(numbers::SPEED_NOT_OFFERED, &span, format!("a {kind} does not offer this speed"));
    inputs.report(error.fix(format!("it offers {}", listed(speeds))));
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn speeds(of: &[(u32, bool, u64)]) -> Speeds {
        of.iter().map(|(gbps, fec, rate)| (LineSpeed { gbps: *gbps, fec: *fec }, *rate)).collect()
    }

    fn plug(of: &[(u32, bool, u64)]) -> Plug {
        Plug::new(speeds(of), &SpeedSetting::default(), 1).expect("speeds")
    }

    #[test]
    fn fec_is_agreed_by_both_ends_or_by_none() {
        let new = plug(&[(16, false, 1_600_000_000), (16, true, 1_600_000_000)]);
        let old = plug(&[(8, false, 800_000_000), (16, false, 1_500_000_000)]);
        let agreed = |a: &Plug, b: &Plug| {
            fastest(&in_common(&a.speeds, &b.speeds)).map(|(speed, rate)| (speed.fec, rate))
        };
        assert_eq!(agreed(&new, &new), Some((false, 1_600_000_000)), "a choice is off until it is set");
        let set = plug(&[(16, true, 1_600_000_000)]);
        assert_eq!(agreed(&new, &set), Some((true, 1_600_000_000)));
        let faster =
            plug(&[(16, false, 1_600_000_000), (16, true, 1_600_000_000), (32, true, 3_200_000_000)]);
        assert_eq!(agreed(&faster, &faster), Some((true, 3_200_000_000)), "32 Gbit/s are never without");
        assert_eq!(agreed(&new, &old), Some((false, 1_500_000_000)));
        assert_eq!(agreed(&old, &plug(&[(16, true, 1_600_000_000)])), None);
    }

    #[test]
    fn speeds_are_shown_with_their_fec() {
        assert_eq!(
            listed(&speeds(&[(8, false, 800_000_000), (16, true, 1_600_000_000)])),
            "8, 16 with FEC Gbit/s"
        );
        assert_eq!(listed(&speeds(&[(0, false, 17_000_000)])), "no speed of Fibre Channel");
        assert_eq!(
            listed(&speeds(&[(0, false, 17_000_000), (1, false, 100_000_000)])),
            "1 Gbit/s",
            "a director with a bridge"
        );
    }
}
