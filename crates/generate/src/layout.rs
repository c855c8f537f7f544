//! Layout of a study: made of the request and the equipment once nothing is refused.

use crate::channels::Channels;
use crate::devices;
use crate::equipment::Equipment;
use crate::interconnects::{Card, Interconnects};
use crate::partitions::{self, Partition};
use crate::request::{Load, Request};
use crate::shares::shares;
use crate::storage::Storage;

/// A study before it is text.
#[derive(Debug)]
pub struct Layout<'a> {
    /// Catalog entries that it is made of.
    pub equipment: Equipment<'a>,
    /// The request, with nothing left to choose.
    pub request: Request,
    /// Channel subsystems.
    pub css_count: u8,
    /// Logical partitions.
    pub partitions: Vec<Partition>,
    /// Central processors of each.
    pub cps: u32,
    /// Channels.
    pub channels: Channels,
    /// Domains and fanouts.
    pub interconnects: Interconnects,
    /// Channel cards.
    pub cards: Vec<Card>,
    /// Boxes and logical control units.
    pub storage: Storage,
    /// Devices that each partition has for itself: first and last device number of each range.
    pub shares: Vec<Vec<(u32, u32)>>,
    /// Work of all partitions.
    pub load: Load,
}

/// The sizes of a study that follow from the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Logical partitions.
    pub lpars: u32,
    /// Channel subsystems.
    pub css_count: u32,
    /// Logical control units.
    pub control_units: u32,
    /// Channel cards.
    pub cards: usize,
}

impl<'a> Layout<'a> {
    /// Creates the study of `request`, whose `sizes` are known to fit.
    pub fn new(request: &Request, equipment: Equipment<'a>, sizes: Sizes) -> Self {
        let css_count = sizes.css_count as u8;
        let channels = Channels::new(request.channels, css_count);
        let interconnects = Interconnects::new(equipment.cpc, sizes.cards);
        let ports = equipment.ports();
        let cards = interconnects.plug(&channels.by_card(ports), ports);
        let devices = devices::divided(request.bases, request.aliases, sizes.control_units);
        let storage = Storage::new(&channels, &devices);
        let partitions = partitions::dealt(sizes.lpars, css_count, equipment.iocp);
        let shares = shares(&storage.control_units, &partitions);
        let load = request.load.unwrap_or_else(|| saturating(&equipment, sizes.lpars));
        let request = Request {
            lpars: Some(sizes.lpars),
            css: Some(sizes.css_count),
            card: Some(equipment.card_id.to_owned()),
            load: Some(load),
            ..request.clone()
        };
        Self {
            equipment,
            request,
            css_count,
            partitions,
            cps: partitions::cps_of_one(equipment.cpc, sizes.lpars),
            channels,
            interconnects,
            cards,
            storage,
            shares,
            load,
        }
    }

    /// Returns PCHID of channel `at`; its CHPID on machines without PCHIDs.
    pub fn pchid(&self, card: &Card, port: usize) -> usize {
        match self.equipment.iocp.has_pchids() {
            true => card.pchid + port,
            false => self.channels.all[card.channels[port]].chpid,
        }
    }
}

/// Time that an I/O spends beside IOP threads at most while these are saturated, µs: half as much again as a read of 4
/// KiB takes over cables of some kilometres.
const ELSEWHERE_US: f64 = 150.0;

/// Returns the closed jobs that keep every IOP thread busy: for each the one that it works for, and those that are
/// elsewhere meanwhile.
fn saturating(equipment: &Equipment<'_>, lpars: u32) -> Load {
    let for_one = 1 + (ELSEWHERE_US / equipment.thread_us().max(f64::MIN_POSITIVE)).ceil().min(1e6) as u32;
    Load::Jobs((equipment.iop_threads() * for_one).max(lpars))
}
