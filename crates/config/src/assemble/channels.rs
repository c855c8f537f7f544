//! Channels: a CHPID of the deck on the port of a card of the plant.

use std::collections::BTreeMap;
use std::ops::Range;

use halftrack_deck::model::ChannelPath;

use crate::assemble::fabric::{End, Fabric};
use crate::assemble::hardware;
use crate::assemble::inputs::Inputs;
use crate::configuration::Channel;
use crate::numbers;

/// Channel type of FICON channels, native and zHPF (IOCP, TYPE=FC).
const FICON: &str = "FC";

/// What is known of a channel path that a deck names.
pub enum ChannelAt<'a> {
    /// A channel of the configuration, its index and its CHPID statement.
    Known(u32, &'a ChannelPath),
    /// Not of type FC.
    OtherType(&'a ChannelPath),
    /// Something about it has been reported.
    Broken,
    /// The deck does not define it.
    Undefined,
}

/// The FICON channels of the deck.
pub struct Channels<'a> {
    channels: Vec<Channel>,
    /// Index of a channel, or `None` when it is broken, and its statement; by (CSS, CHPID).
    at: BTreeMap<(u8, u8), (Option<u32>, &'a ChannelPath)>,
    /// Its PCHID's end, by index.
    ends: Vec<End>,
}

impl<'a> Channels<'a> {
    /// The channels whose card and cable agree with their CHPID statement; the others are reported.
    pub fn new(inputs: &Inputs<'a>, fabric: &Fabric<'_>) -> Self {
        let mut found = BTreeMap::new();
        let mut statements = Vec::new();
        for statement in &inputs.deck.channel_paths {
            let pchid = statement.pchid.as_ref().map(|pchid| pchid.value);
            let channel = channel(inputs, fabric, statement);
            statements.push((statement, pchid.filter(|_| channel.is_some())));
            found.extend(pchid.zip(channel));
        }
        let index: BTreeMap<u16, u32> = found.keys().copied().zip(0..).collect();
        let mut at = BTreeMap::new();
        for (statement, pchid) in statements {
            let index = pchid.and_then(|pchid| index.get(&pchid).copied());
            at.extend(statement.css.iter().map(|css| ((*css, statement.chpid.value), (index, statement))));
        }
        let ends = found.keys().map(|pchid| End::Channel(*pchid)).collect();
        Self { channels: found.into_values().collect(), at, ends }
    }

    /// What is known of CHPID `chpid` in channel subsystem `css`.
    pub fn at(&self, css: u8, chpid: u8) -> ChannelAt<'a> {
        match self.at.get(&(css, chpid)) {
            None => ChannelAt::Undefined,
            Some((_, statement)) if statement.channel_type.value != FICON => ChannelAt::OtherType(statement),
            Some((None, _)) => ChannelAt::Broken,
            Some((Some(index), statement)) => ChannelAt::Known(*index, statement),
        }
    }

    /// Channel number `index`.
    pub fn channel(&self, index: u32) -> &Channel {
        &self.channels[index as usize]
    }

    /// The fibre end of channel number `index`.
    pub fn end(&self, index: u32) -> &End {
        &self.ends[index as usize]
    }

    /// The channels, by PCHID.
    pub fn into_channels(self) -> Vec<Channel> {
        self.channels
    }
}

/// The channel of a CHPID statement; nothing for other types and for what has been reported.
fn channel(inputs: &Inputs<'_>, fabric: &Fabric<'_>, statement: &ChannelPath) -> Option<Channel> {
    if statement.channel_type.value != FICON {
        return None;
    }
    let chpid = statement.chpid.value;
    let css = statement.css.iter().copied().min()?;
    let Some(pchid) = &statement.pchid else {
        let message =
            format!("CHPID {chpid:02X} has no PCHID, so that the plant cannot say what card it is on");
        let error = inputs.in_deck(numbers::NO_PCHID, &statement.chpid.span, message);
        inputs.report(error.fix("add PCHID= to the CHPID statement"));
        return None;
    };
    let end = End::Channel(pchid.value);
    if fabric.is_broken(&end) {
        return None;
    }
    let Some((card, kind)) = fabric.card(pchid.value) else {
        let message = format!("the plant has no card with PCHID {:03X} of CHPID {chpid:02X}", pchid.value);
        let cards =
            inputs.plant.cards.first().map(|card| inputs.plant.label(&card.span, "cards of the plant"));
        let mut error = inputs
            .in_deck(numbers::NO_CARD, &pchid.span, message)
            .fix(format!("add \"{:03X}\" to the `pchids` of a `[[card]]`", pchid.value));
        error.others.extend(cards);
        inputs.report(error);
        return None;
    };
    let said = card.pchids.iter().find(|one| one.value == pchid.value);
    let said = said.map_or(card.span.clone(), |one| one.span.clone());
    let Some(fibre) = fabric.at(&end).map(|index| fabric.fibre(index)) else {
        let message = format!("PCHID {:03X} of CHPID {chpid:02X} is not cabled", pchid.value);
        let error = inputs
            .in_deck(numbers::NO_CABLE, &pchid.span, message)
            .other(inputs.plant.label(&said, "this port has no `[[cable]]`"))
            .fix(format!("add a `[[cable]]` with `pchid = \"{:03X}\"`", pchid.value));
        inputs.report(error);
        return None;
    };
    if !agrees(inputs, statement, fibre.other(&end), &fibre.span) {
        return None;
    }
    let in_force = (fibre.speed.gbps, fibre.speed.fec);
    let speed = kind.speeds.iter().find(|speed| (speed.gbps, speed.fec) == in_force)?;
    let mut subsystems = statement.css.clone();
    subsystems.sort_unstable();
    Some(Channel {
        name: format!("CSS{css}.{chpid:02X}"),
        css: subsystems,
        chpid,
        pchid: pchid.value,
        shared: statement.shared,
        switched: statement.switch.is_some(),
        hardware: hardware::channel(&card.kind.value, kind),
        share: None,
        link_gbps: fibre.speed.gbps,
        generation: speed.generation.value,
        initial_pacing: kind.initial_pacing.value,
    })
}

/// Reports a cable that does not lead where SWITCH= says.
fn agrees(inputs: &Inputs<'_>, statement: &ChannelPath, to: &End, cable: &Range<usize>) -> bool {
    let chpid = statement.chpid.value;
    let (number, span, message, fix) = match (&statement.switch, to) {
        (Some(switch), End::Director(port)) if switch.value == port.director => return true,
        (None, End::Adapter(_)) => return true,
        (Some(switch), _) if !inputs.plant.directors.iter().any(|one| one.id.value == switch.value) => (
            numbers::NO_DIRECTOR,
            &switch.span,
            format!(
                "CHPID {chpid:02X} is on switch {:02X}, but the plant has no such director",
                switch.value
            ),
            format!("add a `[[director]]` with `id = \"{:02X}\"`, or correct SWITCH=", switch.value),
        ),
        (Some(switch), _) => (
            numbers::OTHER_DIRECTOR,
            &switch.span,
            format!("CHPID {chpid:02X} is on switch {:02X}, but its cable leads to {to}", switch.value),
            "correct SWITCH=, or `to` of the cable".to_owned(),
        ),
        (None, _) => (
            numbers::OTHER_DIRECTOR,
            &statement.chpid.span,
            format!("CHPID {chpid:02X} is on no switch, but its cable leads to {to}"),
            "add SWITCH= to the CHPID statement, or cable the channel to a host-adapter port".to_owned(),
        ),
    };
    let cable = inputs.plant.label(cable, "where its cable leads");
    inputs.report(inputs.in_deck(number, span, message).other(cable).fix(fix));
    false
}
