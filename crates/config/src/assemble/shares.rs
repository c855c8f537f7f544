//! Limits that channels share: cards with more than one channel in use, and the domains and fanouts above them.

use std::collections::BTreeMap;

use halftrack_catalog as catalog;
use halftrack_input::Sourced;

use crate::assemble::fabric::Fabric;
use crate::assemble::hardware;
use crate::assemble::interconnects::Interconnects;
use crate::channel_plug::ChannelPlug;
use crate::configuration::Channel;
use crate::share::Share;

/// Returns the shares: fanouts and domains by name, cards by first port, then channels whose bus has limits one way.
/// Every channel on a card that shares anything gets its index. A card with a single channel in use limits nothing that
/// the channel's own bus does not; in a domain it stands for the way there.
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
        let is_fcp = |member: &usize| channels[*member].hardware.fcp.is_some();
        let (fcp, ficon): (Vec<usize>, Vec<usize>) = members.into_iter().partition(is_fcp);
        let (limits, of_ficon) = card_limits(kind, fcp.len(), ficon.len());
        if limits.is_none() && of_ficon.is_none() && card.domain.is_none() {
            continue;
        }
        let mut share = Share { name: format!("card {}", first.name()), ..limits.unwrap_or_default() };
        if let Some(domain) = &card.domain {
            share.parent = interconnects.domain(&domain.value);
            share.standby_parent = interconnects.standby(&domain.value);
        }
        let index = shares.len() as u32;
        shares.push(share);
        fcp.iter().chain(&ficon).for_each(|member| channels[*member].share = Some(index));
        if let Some(own) = of_ficon {
            ficon.iter().for_each(|member| channels[*member].share = Some(index + 1));
            shares.push(Share {
                name: format!("FICON of card {}", first.name()),
                parent: Some(index),
                ..own
            });
        }
    }
    for (plug, channel) in plugs.iter().zip(channels) {
        let Some(one_way) = fabric.card(*plug).and_then(|(_, kind)| one_way(*plug, kind)) else { continue };
        let parent = channel.share.replace(shares.len() as u32);
        shares.push(Share { parent, ..one_way });
    }
    shares
}

/// Returns the limits of all channels of a card with so many FCP and FICON channels in use. The second ones are those that
/// only FICON channels have, where others are beside them. One channel alone is limited by its own bus.
fn card_limits(kind: &catalog::Channel, fcp: usize, ficon: usize) -> (Option<Share>, Option<Share>) {
    let limits = |limits: &Option<catalog::CardLimits>, channels: usize| {
        let limits = limits.as_ref().filter(|_| channels > 1);
        limits.map(|limits| hardware::share(String::new(), Some(limits)))
    };
    let (of_all, of_ficon) = (limits(&kind.card, fcp + ficon), limits(&kind.ficon_card, ficon));
    match (of_all, of_ficon) {
        // Where all channels have both limits, one share has them.
        (Some(of_all), Some(of_ficon)) if fcp == 0 => (Some(of_all.within(&of_ficon)), None),
        (None, of_ficon) if fcp == 0 => (of_ficon, None),
        both => both,
    }
}

/// Limits of each direction of a channel's bus, where its card has them; both together are the bus itself.
fn one_way(plug: ChannelPlug, kind: &catalog::Channel) -> Option<Share> {
    let catalog::ChannelWork::Priced(work) = &kind.work else { return None };
    let rate = |rate: &Option<Sourced<f64>>| rate.as_ref().map(|rate| hardware::bytes_per_s(rate.value));
    let (read_bytes_per_s, write_bytes_per_s) =
        (rate(&work.bus_read_mb_per_s), rate(&work.bus_write_mb_per_s));
    read_bytes_per_s.or(write_bytes_per_s)?;
    let name = format!("bus {}", plug.name());
    Some(Share {
        name,
        read_bytes_per_s,
        write_bytes_per_s,
        bytes_per_s: None,
        parent: None,
        standby_parent: None,
    })
}
