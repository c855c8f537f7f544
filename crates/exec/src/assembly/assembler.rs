//! The things of a text, their labels, and their addresses.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use halftrack_input::messages::exec as message;
use halftrack_input::{Diagnostic, Label, SourceFile};

use crate::assembly::indirect;
use crate::assembly::placement::Room;
use crate::assembly::thing::{Place, Thing};
use crate::content::{AddressText, Base, Content};

/// Storage of a text that does not say how much it has.
const USUAL_STORAGE_BYTES: u64 = 16 << 20;
/// Labels that a message lists.
const LABELS_SHOWN: usize = 20;
/// How often places that hang on labels of such places are looked at again.
const ROUNDS: usize = 16;

/// What a text comes to, while it is being put together.
pub(crate) struct Assembler {
    pub source: Arc<SourceFile>,
    pub found: Vec<Diagnostic>,
    pub things: Vec<Thing>,
    pub storage_bytes: u64,
    /// Things for which storage has no room.
    without_room: Vec<usize>,
    labels: BTreeMap<String, (AddressText, Range<usize>)>,
}

impl Assembler {
    pub(crate) fn new(source: &Arc<SourceFile>) -> Self {
        Self {
            source: Arc::clone(source),
            found: Vec::new(),
            things: Vec::new(),
            storage_bytes: USUAL_STORAGE_BYTES,
            without_room: Vec::new(),
            labels: BTreeMap::new(),
        }
    }

    pub(crate) fn error(&self, number: u16, span: &Range<usize>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(number, &self.source, span.clone(), message)
    }

    pub(crate) fn add(&mut self, thing: Thing) -> usize {
        self.things.push(thing);
        self.things.len() - 1
    }

    /// Gives a name to an address.
    pub(crate) fn label(&mut self, name: &str, span: &Range<usize>, address: AddressText) {
        if let Some((_, first)) = self.labels.get(name) {
            let first = Label::new(&self.source, first.clone(), "it stands here first");
            let error = self.error(message::LABEL, span, format!("the label `{name}` stands here again"));
            self.found.push(error.other(first));
            return;
        }
        self.labels.insert(name.to_owned(), (address, span.clone()));
    }

    /// Returns the address that a text says, when everything that it counts from has its place.
    pub(crate) fn resolve(&self, address: &AddressText) -> Option<i128> {
        let mut address = address.clone();
        // A label leads to a thing or to a number, never to a label.
        if let Base::Label(name) = &address.base {
            let (named, _) = self.labels.get(name)?;
            address = AddressText { offset: named.offset + address.offset, ..named.clone() };
        }
        match address.base {
            Base::Absolute => Some(address.offset),
            Base::Thing(number) => Some(i128::from(self.things.get(number)?.address?) + address.offset),
            Base::Label(_) | Base::Here => None,
        }
    }

    /// Returns the value, which must be known and no higher than `max`; what is wrong is said.
    pub(crate) fn known(&mut self, address: &AddressText, max: u64) -> Option<u64> {
        if let Base::Label(name) = &address.base
            && !self.labels.contains_key(name)
        {
            let error = self.error(message::LABEL, &address.span, format!("nothing has the label `{name}`"));
            let names: Vec<&str> = self.labels.keys().take(LABELS_SHOWN).map(String::as_str).collect();
            let error = match names.as_slice() {
                [] => error.fix(format!("put `{name}:` before a statement")),
                names => error.fix(format!("the labels are {}", names.join(", "))),
            };
            self.found.push(error);
            return None;
        }
        let Some(resolved) = self.resolve(address) else {
            if address.base == Base::Here {
                let error = self.error(message::LABEL, &address.span, "`*` means nothing here");
                self.found.push(error.fix("`*` is the address of a CCW, in its own statement"));
            }
            return None;
        };
        match u64::try_from(resolved) {
            Ok(number) if number <= max => Some(number),
            _ => {
                let shown =
                    if resolved < 0 { format!("-0x{:X}", -resolved) } else { format!("0x{resolved:X}") };
                let message = format!("the address {shown} where one from 0 to 0x{max:X} is expected");
                self.found.push(self.error(message::NUMBER, &address.span, message));
                None
            }
        }
    }

    /// Gives everything its address.
    pub(crate) fn place(&mut self) {
        for (name, span) in self.unknown_labels() {
            let address = AddressText { base: Base::Label(name), offset: 0, span };
            self.known(&address, u64::MAX);
        }
        self.place_given();
        let mut room = Room::new(self.storage_bytes, self.taken());
        self.place_anywhere(&mut room);
        for _ in 0..ROUNDS {
            self.place_given();
        }
        self.say_circles();
        self.place_lists(&mut room);
        self.report_without_room();
        self.say_overlaps();
    }

    /// Returns the labels that places name and that nothing has.
    fn unknown_labels(&self) -> Vec<(String, Range<usize>)> {
        let places = self.things.iter().filter_map(|thing| match &thing.place {
            Place::At(AddressText { base: Base::Label(name), span, .. }) => Some((name, span)),
            _ => None,
        });
        let unknown = places.filter(|(name, _)| !self.labels.contains_key(*name));
        unknown.map(|(name, span)| (name.clone(), span.clone())).collect()
    }

    /// Things at addresses that can be told.
    fn place_given(&mut self) {
        for number in 0..self.things.len() {
            let thing = &self.things[number];
            let Place::At(address) = &thing.place else { continue };
            if thing.address.is_some() || self.resolve(address).is_none() {
                continue;
            }
            let address = address.clone();
            let placed = self.known(&address, u64::MAX);
            self.things[number].address = Some(placed.unwrap_or(0));
            self.check_inside(number);
        }
    }

    /// Octets cannot be put where there is no storage; areas of programs that are to fail may lie there.
    fn check_inside(&mut self, number: usize) {
        let thing = &self.things[number];
        let end = thing.address.unwrap_or(0).checked_add(thing.bytes);
        if thing.content.is_some() && end.is_none_or(|end| end > self.storage_bytes) {
            self.without_room.push(number);
        }
    }

    /// One error for all that finds no room, at the first of them.
    fn report_without_room(&mut self) {
        let Some(first) = self
            .without_room
            .iter()
            .map(|number| self.things[*number].span.clone())
            .min_by_key(|span| span.start)
        else {
            return;
        };
        let subject = match self.without_room.len() - 1 {
            0 => "this does".to_owned(),
            others => format!("this and {others} more after it do"),
        };
        let message = format!("{subject} not fit into the {} bytes of storage", self.storage_bytes);
        let error = self.error(message::STORAGE, &first, message);
        self.found.push(error.fix("write `storage 64M`, for example, as the first statement"));
    }

    fn taken(&self) -> Vec<(u64, u64)> {
        let placed = self.things.iter().filter_map(|thing| Some((thing.address?, thing.bytes)));
        placed.filter(|(_, bytes)| *bytes > 0).map(|(at, bytes)| (at, at.saturating_add(bytes))).collect()
    }

    fn place_anywhere(&mut self, room: &mut Room) {
        for number in 0..self.things.len() {
            let thing = &self.things[number];
            if thing.list.is_none() && matches!(thing.place, Place::Anywhere) {
                let address = room.find(thing.bytes, thing.boundary, thing.within_page);
                self.give(number, address);
            }
        }
    }

    fn give(&mut self, number: usize, address: Option<u64>) {
        if address.is_none() {
            self.without_room.push(number);
        }
        self.things[number].address = Some(address.unwrap_or(0));
    }

    fn say_circles(&mut self) {
        for number in 0..self.things.len() {
            let thing = &self.things[number];
            if let (None, None, Place::At(address)) = (thing.address, &thing.list, &thing.place) {
                let address = address.clone();
                let is_unknown =
                    matches!(&address.base, Base::Label(name) if !self.labels.contains_key(name));
                if address.base == Base::Here {
                    self.known(&address, u64::MAX);
                } else if !is_unknown {
                    let message = "this place hangs on labels that hang on it";
                    let error = self.error(message::LABEL, &address.span, message);
                    self.found.push(error.fix("give one of them an address"));
                }
                self.things[number].address = Some(0);
            }
        }
    }

    fn place_lists(&mut self, room: &mut Room) {
        for number in 0..self.things.len() {
            let Some(list) = self.things[number].list.clone() else { continue };
            // A list for more than there is could be longer than storage.
            let listed: u64 = list.pieces.iter().map(|(bytes, _)| bytes).sum();
            if listed > self.storage_bytes {
                self.give(number, None);
                continue;
            }
            let Some(data) = self.known(&list.data, u64::MAX) else {
                self.things[number].address = Some(0);
                continue;
            };
            let octets = indirect::octets(&list, data, 0);
            let bytes = octets.len() as u64;
            let (boundary, within_page) = indirect::shape(&list, bytes);
            let address = room.find(bytes, boundary, within_page);
            self.give(number, address);
            let octets = indirect::octets(&list, data, address.unwrap_or(0));
            let thing = &mut self.things[number];
            (thing.bytes, thing.content) = (bytes, Some(Content::of(octets)));
        }
    }

    /// Two statements must not put octets into the same place.
    fn say_overlaps(&mut self) {
        let mut filled: Vec<usize> = (0..self.things.len())
            .filter(|number| self.things[*number].content.is_some() && self.things[*number].bytes > 0)
            .collect();
        filled.sort_by_key(|number| self.things[*number].address);
        let mut before: Option<usize> = None;
        for number in filled {
            if let Some(lower) = before {
                let (low, high) = (&self.things[lower], &self.things[number]);
                let (begin, end) =
                    (high.address.unwrap_or(0), low.address.unwrap_or(0).saturating_add(low.bytes));
                if begin < end && self.found.is_empty() {
                    let other = Label::new(&self.source, low.span.clone(), "the other");
                    let message =
                        format!("this puts octets at 0x{begin:X}, where another statement puts some");
                    let error = self.error(message::STORAGE, &high.span, message).other(other);
                    self.found.push(error.fix("move one of them, or leave its address out"));
                }
            }
            before = Some(number);
        }
    }

    /// Returns the octets of a thing with all addresses in them.
    pub(crate) fn octets(&mut self, content: &Content) -> Vec<u8> {
        let mut octets = content.bytes.clone();
        for patch in &content.patches {
            let max = if patch.width >= 8 { u64::MAX } else { (1 << (8 * patch.width)) - 1 };
            let address = self.known(&patch.address, max).unwrap_or(0).to_be_bytes();
            octets[patch.at..patch.at + patch.width].copy_from_slice(&address[8 - patch.width..]);
        }
        octets
    }
}
