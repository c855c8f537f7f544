//! The hardware of a study: what the catalog has for the request.

use halftrack_catalog::{Catalog, Channel, ChannelWork, ControlUnit, Cpc, ProcessorNumbers};
use halftrack_config::CardMisfit;
use halftrack_deck::model::machines::Machine;
use halftrack_input::messages::study::{NO_COMMON_SPEED, NOT_IN_CATALOG, NOT_ON_MACHINE};
use halftrack_input::nearest_or_all;

use crate::refusals::Refusals;
use crate::request::Request;

/// A nominal link speed, Gbit/s, and whether it has forward error correction.
type LineSpeed = (u32, bool);

/// Catalog entries that a study is made of.
#[derive(Debug, Clone, Copy)]
pub struct Equipment<'a> {
    /// Catalog id of the processor complex.
    pub cpc_id: &'a str,
    /// The processor complex.
    pub cpc: &'a Cpc,
    /// Its limits in IOCP.
    pub iocp: &'static Machine,
    /// Catalog id of the channel cards.
    pub card_id: &'a str,
    /// The channel cards.
    pub card: &'a Channel,
    /// Catalog id of the directors.
    pub director_id: &'a str,
    /// Catalog id of the boxes.
    pub box_id: &'a str,
    /// Channels and boxes have transport mode.
    pub transport: bool,
}

impl<'a> Equipment<'a> {
    /// Chooses the entries of `catalog` for `request`; `None` after a refusal.
    pub fn of(request: &Request, catalog: &'a Catalog, refusals: &mut Refusals<'_>) -> Option<Self> {
        let (cpc_id, cpc) = processor_complex(request, catalog, refusals)?;
        let machine_type = cpc.machine_type.value;
        let Some(iocp) = Machine::of(machine_type) else {
            let message =
                format!("{cpc_id} has the machine type {machine_type}, whose limits for IOCP are unknown");
            refusals.refuse(NOT_IN_CATALOG, "--model", message, "name a model of a known machine type");
            return None;
        };
        let (card_id, card) = channel_card(request, iocp, catalog, refusals)?;
        let Some((director_id, box_id)) = fabric(card, catalog) else {
            let message =
                format!("no director and box of the catalog have a link speed in common with {card_id}");
            refusals.refuse(NO_COMMON_SPEED, "--card", message, "name another card");
            return None;
        };
        let kind = catalog.control_units.get(box_id)?;
        let transport = has_transport(card) && kind.transport.is_some();
        Some(Self { cpc_id, cpc, iocp, card_id, card, director_id, box_id, transport })
    }

    /// Returns ports of a channel card.
    pub fn ports(&self) -> usize {
        self.card.common.ports_per_card.value as usize
    }

    /// Returns IOP threads of the model.
    pub fn iop_threads(&self) -> u32 {
        iop_threads(self.cpc)
    }

    /// Returns IOP thread time of an I/O, µs.
    pub fn thread_us(&self) -> f64 {
        thread_us(self.cpc)
    }
}

/// Returns IOP threads of `cpc` without additional SAPs.
pub fn iop_threads(cpc: &Cpc) -> u32 {
    u32::from(cpc.sap_cores.value) * u32::from(cpc.processor.threads_per_core.value)
}

/// Returns IOP thread time of a start and an interrupt of `cpc`, µs.
pub fn thread_us(cpc: &Cpc) -> f64 {
    let ProcessorNumbers { iop_start_us, iop_interrupt_us, growth, .. } = &cpc.processor;
    let drawers = cpc.drawers.as_ref().map_or(1, |drawers| drawers.value);
    let growth = growth.as_ref().map_or(1.0, |growth| growth.factor(drawers, cpc.sap_cores.value));
    (iop_start_us.value + iop_interrupt_us.value) * growth
}

/// Returns the entry with the requested id or model; a model that several have must be named by id.
fn processor_complex<'a>(
    request: &Request,
    catalog: &'a Catalog,
    refusals: &mut Refusals<'_>,
) -> Option<(&'a str, &'a Cpc)> {
    let wanted = &request.model;
    let entries: Vec<_> = catalog.cpcs.ids().filter_map(|id| Some((id, catalog.cpcs.get(id)?))).collect();
    if let Some(exact) = entries.iter().find(|(id, _)| id == wanted) {
        return Some(*exact);
    }
    let same: Vec<_> = entries.iter().filter(|(_, cpc)| cpc.model.eq_ignore_ascii_case(wanted)).collect();
    match same.as_slice() {
        [one] => Some(**one),
        [] => {
            let message = format!("the catalog has no processor complex with model or id `{wanted}`");
            let known = entries.iter().flat_map(|(id, cpc)| [*id, cpc.model.as_str()]);
            let fix = format!("{} (`halftrack study models` lists them)", nearest_or_all(wanted, known));
            refusals.refuse(NOT_IN_CATALOG, "--model", message, fix);
            None
        }
        several => {
            let ids: Vec<_> = several.iter().map(|(id, _)| *id).collect();
            let message = format!("{} processor complexes have model `{wanted}`", ids.len());
            refusals.refuse(NOT_IN_CATALOG, "--model", message, format!("name one of {}", ids.join(", ")));
            None
        }
    }
}

/// Returns the requested card, or the fastest that the machine has.
fn channel_card<'a>(
    request: &Request,
    iocp: &Machine,
    catalog: &'a Catalog,
    refusals: &mut Refusals<'_>,
) -> Option<(&'a str, &'a Channel)> {
    let ficon = catalog.channels.ids().filter_map(|id| Some((id, catalog.channels.get(id)?)));
    let ficon = ficon.filter(|(_, card)| fastest(&line_speeds(card)).is_some());
    let mut fits: Vec<_> =
        ficon.filter(|(_, card)| CardMisfit::of(&card.attachment, iocp).is_none()).collect();
    // The sort is stable: of equals the first by id.
    fits.sort_by_key(|(_, card)| std::cmp::Reverse((fastest(&line_speeds(card)), has_transport(card))));
    let Some(wanted) = &request.card else { return fits.first().copied() };
    let found = fits.iter().find(|(id, _)| id == wanted).copied();
    if found.is_none() {
        let known = fits.iter().map(|(id, _)| *id);
        let (number, message) = match catalog.channels.get(wanted) {
            None => (NOT_IN_CATALOG, format!("the catalog has no channel card `{wanted}`")),
            Some(card) if fastest(&line_speeds(card)).is_none() => {
                (NOT_ON_MACHINE, format!("{wanted} is no FICON card"))
            }
            Some(_) => (NOT_ON_MACHINE, format!("a {} has no {wanted}", iocp.machine_type)),
        };
        refusals.refuse(number, "--card", message, nearest_or_all(wanted, known));
    }
    // With any card the other limits are seen too.
    found.or(fits.first().copied())
}

/// Returns the director and box with the fastest speeds in common with `card` and each other. Boxes with published
/// times come before those with assumed ones; of directors that serve alike the slowest is taken, which is made for it.
fn fabric<'a>(card: &Channel, catalog: &'a Catalog) -> Option<(&'a str, &'a str)> {
    let of_card = line_speeds(card);
    let mut best = None;
    for (director_id, director) in entries(&catalog.directors) {
        let of_director: Vec<_> = director.speeds.iter().map(|one| (one.gbps, one.fec)).collect();
        let Some(channel) = fastest(&in_common(&of_card, &of_director)) else { continue };
        for (box_id, kind) in entries(&catalog.control_units) {
            let of_box: Vec<_> = kind.speeds.iter().map(|one| (one.gbps, one.fec)).collect();
            let Some(adapter) = fastest(&in_common(&of_director, &of_box)) else { continue };
            let made_for = std::cmp::Reverse(fastest(&of_director));
            let rank = (
                channel,
                kind.between.is_none(),
                adapter,
                made_for,
                has_transport(card) && is_transport(kind),
            );
            if best.as_ref().is_none_or(|(known, _)| rank > *known) {
                best = Some((rank, (director_id, box_id)));
            }
        }
    }
    best.map(|(_, ids)| ids)
}

fn entries<T: halftrack_catalog::Hardware>(
    shelf: &halftrack_catalog::Shelf<T>,
) -> impl Iterator<Item = (&str, &T)> {
    shelf.ids().filter_map(|id| Some((id, shelf.get(id)?)))
}

fn line_speeds(card: &Channel) -> Vec<LineSpeed> {
    card.speeds.iter().map(|one| (one.gbps, one.fec)).collect()
}

fn in_common(one: &[LineSpeed], other: &[LineSpeed]) -> Vec<LineSpeed> {
    one.iter().copied().filter(|speed| other.contains(speed)).collect()
}

/// Returns the fastest speed of Fibre Channel: 0 Gbit/s is the catalog's word for ESCON and parallel channels.
fn fastest(speeds: &[LineSpeed]) -> Option<LineSpeed> {
    speeds.iter().copied().filter(|(gbps, _)| *gbps > 0).max()
}

fn has_transport(card: &Channel) -> bool {
    matches!(&card.work, ChannelWork::Priced(priced) if priced.transport.is_some())
}

fn is_transport(kind: &ControlUnit) -> bool {
    kind.transport.is_some()
}
