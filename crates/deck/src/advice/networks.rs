//! A810, A811, 839, 840: physical networks of adapters that are to work together.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use halftrack_input::messages::deck::{NETWORK_ALONE, NETWORKS_DIFFER, NO_NETWORK, NO_VIRTUAL_CHANNEL};

use super::notes::Notes;
use crate::model::machines::Generation;
use crate::model::{Adapter, ChannelPath, Deck, Function};
use crate::rules::functions::ENSEMBLE_NETWORK;

pub(super) fn advise(deck: &Deck, notes: &mut Notes) {
    differing(deck, notes);
    virtual_channels(deck, notes);
    let networks = |types: &[&str]| -> BTreeSet<&str> {
        let channels = deck.channel_paths.iter();
        let chosen = channels.filter(|path| types.contains(&path.channel_type.value.as_str()));
        chosen.flat_map(|path| path.pnetids.iter().flatten().map(String::as_str)).collect()
    };
    let (osa, internal) = (networks(&["OSD", "OSH"]), networks(&["OSD", "OSH", "IQD"]));
    let mut reported = BTreeSet::new();
    for function in &deck.functions {
        let kind = function.kind.as_ref().map(|kind| kind.value.as_str()).unwrap_or_default();
        let partners = match kind {
            "ROCE" | "ROC2" => &osa,
            "ISM" => &internal,
            _ => continue,
        };
        let named: Vec<&str> = function.pnetids.iter().flatten().map(String::as_str).collect();
        if named.is_empty() && kind != "ISM" {
            let words = format!(
                "FUNCTION {:04X}: TYPE={kind} has no PNETID and will not be used",
                function.fid.value
            );
            notes.advise(
                NO_NETWORK,
                &function.fid.span,
                words,
                "add PNETID= of the OSA channel of the same network",
            );
            notes.warn();
        }
        for network in named {
            if network != ENSEMBLE_NETWORK && !partners.contains(network) && reported.insert((kind, network))
            {
                let with = if kind == "ISM" { "OSD, OSH or IQD" } else { "OSD or OSH" };
                let words = format!(
                    "FUNCTION {:04X}: no channel of TYPE={with} has its PNETID {network}",
                    function.fid.value
                );
                let fix = "give the channel that begins its connections the same PNETID";
                notes.advise(NETWORK_ALONE, &function.fid.span, words, fix);
            }
        }
    }
}

/// Gives A811. Older machines have no VCHID for HiperSockets; the machine from which on it is needed is domain
/// knowledge (M).
fn virtual_channels(deck: &Deck, notes: &mut Notes) {
    if deck.machine().generation < Generation::Z13 {
        return;
    }
    let without = |path: &&ChannelPath| path.channel_type.value == "IQD" && path.vchid.is_none();
    for path in deck.channel_paths.iter().filter(without) {
        let words = format!("CHPID {:02X}: TYPE=IQD has no VCHID", path.chpid.value);
        notes.advise(NO_VIRTUAL_CHANNEL, &path.chpid.span, words, "add VCHID=, such as 7E0, one for each");
    }
}

/// Advises on networks that differ at one port. Networks are those of ports, so that all users of a port agree.
fn differing(deck: &Deck, notes: &mut Notes) {
    type Coded<'a> = (&'a [Option<String>], &'a Range<usize>);
    let mut by_port: BTreeMap<(Adapter, Option<u8>), Coded<'_>> = BTreeMap::new();
    let functions = deck.functions.iter().filter_map(|function: &Function| {
        let adapter = function.adapter.as_ref()?.value;
        let subject = format!("FUNCTION {:04X}", function.fid.value);
        Some(((adapter, function.port), function.pnetids.as_slice(), &function.fid.span, subject))
    });
    for (port, networks, span, subject) in functions {
        let (first, other) = *by_port.entry(port).or_insert((networks, span));
        if first != networks {
            let words = format!("{subject}: its PNETID is not that of another function of the same port");
            notes.advise(NETWORKS_DIFFER, span, words, "give all functions of a port the same PNETID");
            notes.warn();
            notes.also(other, "the other function");
        }
    }
}
