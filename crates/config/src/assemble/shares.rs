//! What channels share: cards with more than one channel in use, and the domains and fanouts above them.

use std::collections::BTreeMap;

use crate::assemble::fabric::Fabric;
use crate::assemble::hardware;
use crate::assemble::interconnects::Interconnects;
use crate::channel_plug::ChannelPlug;
use crate::configuration::Channel;
use crate::share::Share;

/// The shares: fanouts and domains by name, then cards by first port; every channel on a card that shares anything is
/// told its index. A card with a single channel in use limits nothing that the channel's own bus does not; in a domain
/// it stands for the way there.
pub fn shares(
    fabric: &Fabric<'_>,
    interconnects: &Interconnects<'_>,
    plugs: &[ChannelPlug],
    channels: &mut [Channel],
) -> Vec<Share> {
    let mut sharing: BTreeMap<ChannelPlug, Vec<usize>> = BTreeMap::new();
    for (index, plug) in plugs.iter().enumerate() {
        let first = fabric.card(*plug).and_then(|(card, _)| card.plugs().min());
        sharing.entry(first.unwrap_or(*plug)).or_default().push(index);
    }
    let mut shares = interconnects.shares();
    for (first, members) in sharing {
        let Some((card, kind)) = fabric.card(first) else { continue };
        let limits = kind.card.as_ref().filter(|_| members.len() > 1);
        if limits.is_none() && card.domain.is_none() {
            continue;
        }
        let mut share = hardware::share(format!("card {}", first.name()), limits);
        if let Some(domain) = &card.domain {
            share.parent = interconnects.domain(&domain.value);
            share.standby_parent = interconnects.standby(&domain.value);
        }
        let index = shares.len() as u32;
        shares.push(share);
        members.into_iter().for_each(|member| channels[member].share = Some(index));
    }
    shares
}
