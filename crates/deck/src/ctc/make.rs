//! Statements for ends that are missing.

use std::collections::BTreeMap;

use super::devices::DeviceRun;
use super::ends::{End, Image, Port};
use super::new_end::NewEnd;
use super::numbers::Numbers;
use super::pairs::Connections;
use crate::model::Deck;

/// One control unit to be made: deck and channel that it is on, CUADD, unit addresses and devices. The last two are
/// those of the end that it answers.
type Place = (usize, usize, u8, (u8, u16), Vec<DeviceRun>);

/// The properties of a missing end.
struct Wanted<'a> {
    /// An end that it answers.
    model: &'a End,
    /// The port of the channel of that end.
    link: Port,
    /// Partitions that use it.
    users: Vec<(u8, String)>,
}

/// Returns the cards that deck `at` of `decks` needs for its missing ends. With them come the ends for which no cards
/// can be written, and why.
pub fn missing_ends(decks: &[&Deck], found: &Connections, at: usize) -> (String, Vec<String>) {
    let mut wanted: BTreeMap<Place, Wanted<'_>> = BTreeMap::new();
    let mut refused = Vec::new();
    for end in found.missing.iter().map(|&missing| &found.ends[missing]) {
        match place(decks, found, end) {
            Ok((place, link, user)) if place.0 == at => {
                let one =
                    wanted.entry(place).or_insert_with(|| Wanted { model: end, link, users: Vec::new() });
                one.users.push((user.css, user.name));
            }
            Ok(_) => {}
            Err(why) => refused.push(format!("CNTLUNIT {:04X} of {}: {why}", end.unit, end.image)),
        }
    }
    refused.sort_unstable();
    refused.dedup();
    let mut text = String::new();
    let Some(deck) = decks.get(at) else { return (text, refused) };
    for one in wanted.values_mut() {
        one.users.sort_unstable();
        one.users.dedup();
    }
    let mut numbers = Numbers::of(deck);
    for ((_, channel, cuadd, ..), wanted) in &wanted {
        write(deck, *channel, *cuadd, wanted, &mut numbers, &mut text);
    }
    (text, refused)
}

/// Returns the place of the end opposite to `end`, the link that it needs, and its partition.
fn place(decks: &[&Deck], found: &Connections, end: &End) -> Result<(Place, Port, Image), String> {
    let link = end.link.ok_or("it has no link")?;
    let channel = found.ports.iter().find(|(_, port)| **port == link).map(|(channel, _)| *channel);
    let (at, index) = channel.ok_or("the channel at its link is unknown")?;
    let path =
        decks.get(at).and_then(|deck| deck.channel_paths.get(index)).ok_or("its channel is not defined")?;
    let spanned = path.css.len() > 1;
    let mut images = Image::all(decks[at], at).filter(|image| {
        let may = path.access.contains(&(image.css, image.name.clone()));
        may && Some(image.cuadd(spanned)) == end.cuadd
    });
    let user = images.next().ok_or_else(|| {
        format!("no partition on channel {:02X} is image {}", path.chpid.value, end.target())
    })?;
    let own = found.ports.get(&(end.image.deck, end.channel));
    let own =
        own.ok_or_else(|| format!("the port of channel {:02X} is unknown; give it with --port", end.chpid))?;
    let place = (at, index, end.image.cuadd(end.spanned), end.addresses, end.devices.clone());
    Ok((place, *own, user))
}

fn write<'a>(
    deck: &Deck,
    channel: usize,
    cuadd: u8,
    wanted: &'a Wanted<'_>,
    numbers: &mut Numbers<'a>,
    text: &mut String,
) {
    let Some(path) = deck.channel_paths.get(channel) else { return };
    let model = wanted.model;
    let unit = numbers.unit(model.unit);
    let (first, count) = model.addresses;
    let wish = model.devices.first().map_or(unit, |run| run.number);
    // Without a candidate list everybody on the channel sees them.
    let users = if path.shared { wanted.users.as_slice() } else { &[] };
    let devices = if !model.devices.is_empty() && numbers.take(&model.devices, users) {
        model.devices.clone()
    } else {
        vec![DeviceRun { number: numbers.devices(wish, count, users), count, unit_address: first }]
    };
    let link =
        if model.two_byte_link { wanted.link.to_string() } else { format!("{:02X}", wanted.link.port) };
    let made = NewEnd {
        unit,
        chpid: path.chpid.value,
        css: wanted.users.iter().map(|(css, _)| *css).collect(),
        link: Some(link),
        cuadd,
        unit_type: &model.unit_type,
        addresses: (first, count),
        devices,
        candidates: users,
    };
    text.push_str(&made.cards());
}
