//! A logical link: its devices, wires and statements.

use halftrack_base::CodePage;

use super::channels::{self, Wire};
use super::free;
use super::made;
use super::recipe::{Recipe, usable};
use super::request::LinkRequest;
use crate::ctc::ends::Image;
use crate::ctc::pairs::connections;
use crate::model::Deck;

/// One device, by its place in the order of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkDevice {
    /// Device number at both ends.
    pub number: u16,
    /// Unit address at both ends.
    pub unit_address: u8,
    /// Index of its wire.
    pub wire: usize,
    /// Which of the systems write to it.
    pub writers: [bool; 2],
}

/// The rate that a logical link is expected to have.
#[derive(Debug, Clone, PartialEq)]
pub struct ExpectedRate {
    /// MB/s (10^6 bytes a second) that each system writes, at most.
    pub mb_per_s: f64,
    /// Where the rates of the channels are from.
    pub origin: String,
}

/// A planned logical link.
#[derive(Debug, Clone)]
pub struct LogicalLink {
    /// The partitions.
    pub systems: [Image; 2],
    /// Names of the systems.
    pub nodes: [String; 2],
    /// Its sizes.
    pub recipe: Recipe,
    /// Its channels.
    pub wires: Vec<Wire>,
    /// Its devices in the order of numbers.
    pub devices: Vec<LinkDevice>,
    /// CNTLUNIT and IODEVICE statements of each system.
    pub cards: [String; 2],
    /// The decks with these statements.
    pub decks: Vec<Deck>,
    /// Rate that it is expected to have; `None` where none is catalogued.
    pub rate: Option<ExpectedRate>,
}

/// Plans the logical link of `request`. Its statements have been read behind the decks: they break no rule, and every
/// device has its other end.
///
/// # Errors
/// All reasons for which there is none.
pub fn plan(request: &LinkRequest<'_>) -> Result<LogicalLink, Vec<String>> {
    let one = |why: String| vec![why];
    check_systems(request).map_err(one)?;
    let found = connections(request.decks, request.ports);
    let mut wires = channels::wires(request, &found)?;
    let needed = channels_needed(request, &wires).map_err(one)?;
    wires.truncate(needed);
    let recipe = match request.per_channel {
        Some(count) => Recipe::with(wires.len(), count),
        None => Recipe::of(wires.len()),
    };
    let recipe = recipe.map_err(one)?;
    let stripes = recipe.stripes();
    let first = free::first_device(request, &wires, &stripes).map_err(one)?;
    let count = |wire: usize| stripes.iter().filter(|&&at| at == wire).count();
    let bases =
        wires.iter().enumerate().map(|(at, wire)| free::unit_addresses(request, &found, wire, count(at)));
    let mut next = bases.collect::<Result<Vec<u8>, String>>().map_err(one)?;
    let writes = usable(stripes.len());
    // z/VM orders names by their EBCDIC octets: letters are before digits.
    let [near, far] = request.nodes.each_ref().map(|node| CodePage::Page1047.octets(node));
    let low = usize::from(far < near);
    let devices = (first..=u16::MAX).zip(stripes.iter().enumerate()).map(|(number, (at, &wire))| {
        let unit_address = next[wire];
        next[wire] = unit_address.saturating_add(1);
        let mut writers = [writes[1].contains(&at); 2];
        writers[low] = writes[0].contains(&at);
        LinkDevice { number, unit_address, wire, writers }
    });
    let devices: Vec<LinkDevice> = devices.collect();
    let cards = made::cards(request, &wires, &devices);
    let decks = made::verified(request, &cards, &devices)?;
    let rate = expected(request, &wires);
    let (systems, nodes) = (request.systems.clone(), request.nodes.clone());
    Ok(LogicalLink { systems, nodes, recipe, wires, devices, cards, decks, rate })
}

fn check_systems(request: &LinkRequest<'_>) -> Result<(), String> {
    let [near, far] = &request.systems;
    if near == far {
        return Err(format!("{near} cannot have a logical link to itself: name two partitions"));
    }
    if request.nodes[0] == request.nodes[1] {
        return Err(format!(
            "both systems are called {}: names of the systems decide who writes from which end; name them with --node",
            request.nodes[0]
        ));
    }
    if let Some(undivided) = request.systems.iter().find(|system| system.mif == 0) {
        return Err(format!("{undivided} is no partition with an image id, which CUADD needs"));
    }
    Ok(())
}

/// Returns how many of `wires` carry the rate that is wanted; all of them where no rate is known.
fn channels_needed(request: &LinkRequest<'_>, wires: &[Wire]) -> Result<usize, String> {
    let (Some(wanted), Some(rates)) = (request.wanted_mb_per_s, request.rates) else {
        return Ok(wires.len());
    };
    let mut sum = 0.0;
    for (at, wire) in wires.iter().enumerate() {
        let Some(rate) = rates.of(wire.is_shared) else { return Ok(wires.len()) };
        sum += rate;
        if sum >= wanted {
            return Ok(at + 1);
        }
    }
    Err(format!(
        "{wanted} MB/s need more than {} channels, which carry {sum} MB/s at most ({}): give more with --over",
        wires.len(),
        rates.origin
    ))
}

fn expected(request: &LinkRequest<'_>, wires: &[Wire]) -> Option<ExpectedRate> {
    let rates = request.rates?;
    let each = wires.iter().map(|wire| rates.of(wire.is_shared));
    Some(ExpectedRate { mb_per_s: each.sum::<Option<f64>>()?, origin: rates.origin.clone() })
}
