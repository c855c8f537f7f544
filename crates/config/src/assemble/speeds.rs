//! Link speeds: what a plug offers, what a card's settings leave of it, and what two plugs have in common.

use halftrack_catalog as catalog;

use crate::assemble::hardware::bytes_per_s;
use crate::assemble::inputs::Inputs;
use crate::numbers;
use crate::plant::Card;

/// What a plug offers.
pub struct Plug {
    /// Speeds as (Gbit/s, MB/s), slowest first.
    pub speeds: Vec<(u32, f64)>,
    /// Receive buffers.
    pub credits: u32,
}

impl Plug {
    /// The plug of a port with these speeds.
    pub fn new(speeds: &[catalog::Speed], credits: u32) -> Self {
        Self { speeds: speeds.iter().map(|speed| (speed.gbps, speed.mb_per_s.value)).collect(), credits }
    }

    /// The plug of a card, as far as its settings allow.
    pub fn of_card(card: &Card, kind: &catalog::Channel) -> Self {
        let speeds = settings(card, kind).map(|speed| (speed.gbps, speed.mb_per_s.value));
        Self { speeds: speeds.collect(), credits: kind.credits.value }
    }
}

/// The speeds of the card that its settings allow, slowest first.
pub fn settings<'a>(
    card: &'a Card,
    kind: &'a catalog::Channel,
) -> impl Iterator<Item = &'a catalog::ChannelSpeed> {
    let gbps = card.link_gbps.as_ref().map(|gbps| gbps.value);
    let fec = card.fec.as_ref().map(|fec| fec.value);
    let allowed = move |speed: &&catalog::ChannelSpeed| {
        gbps.is_none_or(|gbps| gbps == speed.gbps) && fec.is_none_or(|fec| fec == speed.fec)
    };
    kind.speeds.iter().filter(allowed)
}

/// Reports settings of `card` that its generation does not offer.
pub fn offered(inputs: &Inputs<'_>, card: &Card, kind: &catalog::Channel) -> bool {
    if settings(card, kind).next().is_some() {
        return true;
    }
    let wanted = card.link_gbps.as_ref().map(|gbps| gbps.span.clone());
    let span = wanted.or_else(|| card.fec.as_ref().map(|fec| fec.span.clone())).unwrap_or(card.span.clone());
    let message = format!("a {} does not offer this speed", card.kind.value);
    let offers: Vec<_> = kind
        .speeds
        .iter()
        .map(|speed| format!("{}{}", speed.gbps, if speed.fec { " with FEC" } else { "" }))
        .collect();
    let fix = format!("it offers {} Gbit/s", offers.join(", "));
    inputs.report(inputs.in_plant(numbers::SPEED_NOT_OFFERED, &span, message).fix(fix));
    false
}

/// The slower of the two ends' data rates at `gbps`, bytes per second.
pub fn rate_at(a: &Plug, b: &Plug, gbps: u32) -> Option<u64> {
    let rate = |plug: &Plug| plug.speeds.iter().find(|speed| speed.0 == gbps).map(|speed| speed.1);
    Some(bytes_per_s(rate(a)?.min(rate(b)?)))
}

/// The speeds of a plug, in words.
pub fn listed(plug: &Plug) -> String {
    let mut all: Vec<_> = plug.speeds.iter().map(|(gbps, _)| gbps.to_string()).collect();
    all.dedup();
    all.join(", ")
}

/// The speeds that both plugs offer, in words.
pub fn in_common(a: &Plug, b: &Plug) -> String {
    let both = a.speeds.iter().filter(|speed| rate_at(a, b, speed.0).is_some());
    let all: Vec<_> = both.map(|(gbps, _)| gbps.to_string()).collect();
    format!("{} Gbit/s", all.join(", "))
}
