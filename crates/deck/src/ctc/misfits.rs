//! Ends that seem to belong together and cannot.

use std::collections::{BTreeMap, BTreeSet};

use super::devices::DeviceRun;
use super::ends::{End, Port};
use super::pairs::{Connections, Wiring, can_meet};

/// Why two ends cannot work together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The first leads to an image that is not that of the second, which leads to the first.
    Image,
    /// Two ESCON channels of one kind: both of TYPE=CTC or none.
    ChannelTypes,
    /// A FICON channel at one end, an ESCON channel at the other.
    Mixed,
}

/// Two ends, as indices, that seem to belong together and cannot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// The end at fault; one of the two where both are.
    pub one: usize,
    /// The other.
    pub other: usize,
    /// The fault.
    pub fault: Fault,
    /// The ports, or the cable, of both channels are known and lead to each other. Otherwise the ends are thought to
    /// belong together because they have the same devices and unit addresses.
    pub is_known: bool,
}

impl Misfit {
    /// Returns the fault, as a verdict.
    pub fn words(&self, found: &Connections) -> String {
        let (one, other) = (&found.ends[self.one], &found.ends[self.other]);
        match self.fault {
            Fault::Image => {
                let image = other.image.cuadd(other.spanned);
                format!("CUADD {} IS NOT IMAGE {image:02X} OF {}", one.target(), other.image)
            }
            Fault::ChannelTypes => format!("BOTH CHANNELS ARE TYPE={}", one.channel_type),
            Fault::Mixed => format!("TYPE={} AND TYPE={}", one.channel_type, other.channel_type),
        }
    }
}

/// Devices and unit addresses of an end.
type Shape<'a> = (&'a [DeviceRun], (u8, u16));

/// Returns the misfits among the ends that are `open`: those that have no other end. Each end is in one at most.
pub(super) fn misfits(ends: &[End], open: &[usize], wiring: &Wiring) -> Vec<Misfit> {
    let mut alike: BTreeMap<Shape<'_>, Vec<usize>> = BTreeMap::new();
    for &at in open.iter().filter(|&&at| !ends[at].devices.is_empty()) {
        alike.entry((&ends[at].devices, ends[at].addresses)).or_default().push(at);
    }
    let mut candidates: Vec<Misfit> = Vec::new();
    for group in alike.values() {
        for (place, &one) in group.iter().enumerate() {
            candidates
                .extend(group[place + 1..].iter().filter_map(|&other| misfit(ends, one, other, wiring)));
        }
    }
    candidates.sort_by_key(|misfit| (!misfit.is_known, misfit.one, misfit.other));
    let mut taken = BTreeSet::new();
    candidates.retain(|misfit| {
        let is_free = !taken.contains(&misfit.one) && !taken.contains(&misfit.other);
        if is_free {
            taken.extend([misfit.one, misfit.other]);
        }
        is_free
    });
    candidates
}

/// Returns the fault that keeps two ends of the same devices apart, if they seem to belong together.
fn misfit(ends: &[End], one: usize, other: usize, wiring: &Wiring) -> Option<Misfit> {
    let (near, far) = (&ends[one], &ends[other]);
    if near.image == far.image || !can_meet(near, far) {
        return None;
    }
    let is_ficon = |end: &End| end.channel_type == "FC";
    let is_ctc = |end: &End| end.channel_type == "CTC";
    let is_known = evidence(near, far, wiring)?;
    let (one, other, fault) = match (near.leads_to(far), far.leads_to(near)) {
        (true, true) if is_ficon(near) != is_ficon(far) => (one, other, Fault::Mixed),
        (true, true) if !is_ficon(near) && is_ctc(near) == is_ctc(far) => (one, other, Fault::ChannelTypes),
        (true, false) if is_ficon(near) == is_ficon(far) => (other, one, Fault::Image),
        (false, true) if is_ficon(near) == is_ficon(far) => (one, other, Fault::Image),
        _ => return None,
    };
    Some(Misfit { one, other, fault, is_known })
}

/// Returns true when the channels are known to lead to each other, false when they may; `None` when they do not.
fn evidence(near: &End, far: &End, wiring: &Wiring) -> Option<bool> {
    let (mine, its) = (near.channel_key(), far.channel_key());
    let (Some(to_far), Some(to_near)) = (near.link, far.link) else {
        let leads = |from, to| wiring.cables.get(&from).map(|known| *known == to);
        return match (leads(mine, its), leads(its, mine)) {
            (Some(false), _) | (_, Some(false)) => None,
            (one, other) => Some(one.is_some() || other.is_some()),
        };
    };
    let is_at = |channel, port: Port| wiring.ports.get(&channel) == Some(&port);
    let may = wiring.may_be_at(mine, to_near)
        && wiring.may_be_at(its, to_far)
        && ((mine == its) == (to_near == to_far));
    may.then(|| is_at(mine, to_near) && is_at(its, to_far))
}
