//! A809, A817: PCIe functions that are to stand in for each other, and many virtual functions of a port.
//!
//! The part of A809 about resource groups is with the rooms that have the hardware.

use std::collections::{BTreeMap, BTreeSet};

use halftrack_input::messages::deck::{FUNCTION_PAIR, MANY_VIRTUAL};

use super::notes::Notes;
use crate::model::placement::{Place, Placement};
use crate::model::{Adapter, Deck, Function};

/// Virtual functions of a zHyperLink port in the papers on zHyperLink; the table of IOCP has more.
const HYL_VIRTUAL: u16 = 64;

pub(super) fn advise(deck: &Deck, placement: &dyn Placement, notes: &mut Notes) {
    pairs(deck, placement, notes);
    for function in &deck.functions {
        let (Some(vf), Some("HYL")) = (&function.vf, function.kind.as_ref().map(|kind| kind.value.as_str()))
        else {
            continue;
        };
        let last = vf.value.saturating_add(function.count.saturating_sub(1));
        if last > HYL_VIRTUAL {
            let words = format!(
                "FUNCTION {:04X}: VF {last} of a zHyperLink port; {HYL_VIRTUAL} a port are published",
                function.fid.value
            );
            notes.advise(MANY_VIRTUAL, &vf.span, words, "use the other port, or another adapter");
        }
    }
}

/// Advises on pairs of functions. Functions of one type, network and partition on several adapters are there for
/// availability.
fn pairs(deck: &Deck, placement: &dyn Placement, notes: &mut Notes) {
    let mut purposes: BTreeMap<_, Vec<(&Function, u16)>> = BTreeMap::new();
    for function in &deck.functions {
        if let (Some(kind), Some(access), Some(adapter)) =
            (&function.kind, &function.access, &function.adapter)
            && let Adapter::Pchid(pchid) = adapter.value
        {
            let purpose = (&kind.value, access, &function.pnetids);
            purposes.entry(purpose).or_default().push((function, pchid));
        }
    }
    for ((kind, (_, lpar), _), functions) in purposes {
        let pchids: BTreeSet<u16> = functions.iter().map(|(_, pchid)| *pchid).collect();
        let places: Option<Vec<Place>> = pchids.iter().map(|pchid| placement.place(*pchid)).collect();
        let (Some(places), Some((last, _))) = (places.filter(|places| places.len() > 1), functions.last())
        else {
            continue;
        };
        let common = |of: fn(&Place) -> Option<&str>| {
            let names: Option<BTreeSet<&str>> = places.iter().map(of).collect();
            names.filter(|names| names.len() == 1)?.first().map(|name| (*name).to_owned())
        };
        if let Some(card) = common(|place| place.card.as_deref()) {
            let words = format!(
                "FUNCTION {:04X}: all functions TYPE={kind} of partition {lpar} are on card {card}",
                last.fid.value
            );
            let fix = "use an adapter in another domain and resource group for one of them";
            notes.advise(FUNCTION_PAIR, &last.fid.span, words, fix);
        }
    }
}
