//! Cards whose channels limit each other: those with more than one channel in use.

use std::collections::BTreeMap;

use crate::assemble::fabric::Fabric;
use crate::assemble::hardware;
use crate::configuration::{Card, Channel};

/// The cards, by first PCHID; every channel on one of them is told its index. A card with a single channel in use
/// limits nothing that the channel's own bus does not.
pub fn cards(fabric: &Fabric<'_>, channels: &mut [Channel]) -> Vec<Card> {
    let mut sharing: BTreeMap<u16, Vec<usize>> = BTreeMap::new();
    for (index, channel) in channels.iter().enumerate() {
        let first =
            fabric.card(channel.pchid).and_then(|(card, _)| card.pchids.iter().map(|p| p.value).min());
        sharing.entry(first.unwrap_or(channel.pchid)).or_default().push(index);
    }
    let mut cards = Vec::new();
    for (first, members) in sharing.into_iter().filter(|(_, members)| members.len() > 1) {
        let limits = fabric.card(first).and_then(|(_, kind)| kind.card.as_ref());
        let Some(limits) = limits else { continue };
        let index = cards.len() as u32;
        cards.push(hardware::card(first, limits));
        members.into_iter().for_each(|member| channels[member].card = Some(index));
    }
    cards
}
