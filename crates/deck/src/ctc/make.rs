//! Statements for ends that are missing.

use std::collections::{BTreeMap, BTreeSet};

use super::ends::{End, Image, Port};
use super::pairs::Connections;
use crate::model::Deck;
use crate::syntax::layout::lay_out;

/// One control unit to be made: the deck and channel that it is on, and the CUADD that it has.
type Place = (usize, usize, u8);

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
    for ((_, channel, cuadd), wanted) in &wanted {
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
    let images = decks[at].partitions.iter().filter_map(|partition| {
        let image = Image { deck: at, css: partition.css, mif: partition.mif, name: partition.name.clone()? };
        let may = path.access.contains(&(image.css, image.name.clone()));
        (may && Some(image.cuadd(spanned)) == end.cuadd).then_some(image)
    });
    let user = images.into_iter().next().ok_or_else(|| {
        format!("no partition on channel {:02X} is image {}", path.chpid.value, end.target())
    })?;
    let own = found.ports.get(&(end.image.deck, end.channel));
    let own =
        own.ok_or_else(|| format!("the port of channel {:02X} is unknown; give it with --port", end.chpid))?;
    Ok(((at, index, end.image.cuadd(end.spanned)), *own, user))
}

/// Numbers that are taken in a deck.
struct Numbers<'a> {
    units: BTreeSet<u16>,
    /// Partitions that may use the devices of a number; an empty list is all of them.
    devices: BTreeMap<u16, Vec<&'a [(u8, String)]>>,
}

impl<'a> Numbers<'a> {
    fn of(deck: &'a Deck) -> Self {
        let mut devices: BTreeMap<u16, Vec<&[(u8, String)]>> = BTreeMap::new();
        for device in &deck.devices {
            for number in (0..device.count).map(|step| device.number.value.wrapping_add(step)) {
                devices.entry(number).or_default().push(&device.candidates);
            }
        }
        Self { units: deck.control_units.iter().map(|unit| unit.number.value).collect(), devices }
    }

    /// Returns `wish` where it is free, else the next number that is.
    fn unit(&mut self, wish: u16) -> u16 {
        let free =
            (wish..u16::MAX).chain(0..wish).find(|number| !self.units.contains(number)).unwrap_or(wish);
        self.units.insert(free);
        free
    }

    /// Returns the first of `count` numbers that are in use in none of `users`. The search begins at `wish`, because
    /// both ends had best have equal numbers, else at a multiple of 16.
    fn devices(&mut self, wish: u16, count: u16, users: &'a [(u8, String)]) -> u16 {
        let unseen = |by: &&[(u8, String)]| {
            !by.is_empty() && !users.is_empty() && !users.iter().any(|user| by.contains(user))
        };
        let is_free = |number: u16| self.devices.get(&number).is_none_or(|lists| lists.iter().all(unseen));
        let fits = |first: &u16| (0..count).all(|step| first.checked_add(step).is_some_and(is_free));
        let others = (wish / 16 + 1..0x1000).chain(0..wish / 16).map(|sixteen| sixteen * 16);
        let first = std::iter::once(wish).chain(others).find(fits).unwrap_or(wish);
        for number in (0..count).filter_map(|step| first.checked_add(step)) {
            self.devices.entry(number).or_default().push(users);
        }
        first
    }
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
    let css: BTreeSet<u8> = wanted.users.iter().map(|(css, _)| *css).collect();
    let by_css = |value: &dyn Fn(u8) -> String| {
        let each: Vec<String> = css.iter().map(|&css| format!("(CSS({css}),{})", value(css))).collect();
        format!("({})", each.join(","))
    };
    let link =
        if model.two_byte_link { wanted.link.to_string() } else { format!("{:02X}", wanted.link.port) };
    let unit = numbers.unit(model.unit);
    let (first, count) = model.addresses;
    let mut put = |operation: &str, operands: &[String]| {
        for card in lay_out(&format!("         {operation} "), operands) {
            text.push_str(&card);
            text.push('\n');
        }
    };
    put(
        "CNTLUNIT",
        &[
            format!("CUNUMBR={unit:04X}"),
            format!("PATH={}", by_css(&|_| format!("{:02X}", path.chpid.value))),
            format!("UNITADD=(({first:02X},{count:03}))"),
            format!("LINK={}", by_css(&|_| link.clone())),
            format!("CUADD={cuadd:02X}"),
            format!("UNIT={}", model.unit_type),
        ],
    );
    let wish = model.devices.first().map_or(unit, |(number, _)| *number);
    // Without a candidate list everybody on the channel sees them.
    let users = if path.shared { wanted.users.as_slice() } else { &[] };
    let number = numbers.devices(wish, count, users);
    let mut operands = vec![
        format!("ADDRESS=({number:04X},{count:03})"),
        format!("UNITADD={first:02X}"),
        format!("CUNUMBR=({unit:04X})"),
    ];
    if path.shared {
        let names = |css: u8| {
            let here = wanted.users.iter().filter(|(of, _)| *of == css).map(|(_, name)| name.as_str());
            here.collect::<Vec<_>>().join(",")
        };
        operands.push(format!("PARTITION={}", by_css(&names)));
    }
    operands.push(format!("UNIT={}", model.unit_type));
    put("IODEVICE", &operands);
}
