//! The fragments of a text, their labels, and their addresses.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use halftrack_input::messages::exec as message;
use halftrack_input::{Diagnostic, Label, SourceFile};

use crate::assembly::fragment::{Fragment, Place};
use crate::assembly::indirect;
use crate::assembly::placement::Room;
use crate::content::{AddressText, Base, Content};

/// Default storage of a text.
const USUAL_STORAGE_BYTES: u64 = 16 << 20;
/// Labels that a message lists.
const LABELS_SHOWN: usize = 20;
/// Most rounds of resolving addresses that depend on labels of other such addresses.
const ROUNDS: usize = 16;

/// State of the assembly of a text.
pub(crate) struct Assembler {
    pub source: Arc<SourceFile>,
    pub found: Vec<Diagnostic>,
    pub fragments: Vec<Fragment>,
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
            fragments: Vec::new(),
            storage_bytes: USUAL_STORAGE_BYTES,
            without_room: Vec::new(),
            labels: BTreeMap::new(),
        }
    }

    pub(crate) fn error(&self, number: u16, span: &Range<usize>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(number, &self.source, span.clone(), message)
    }

    pub(crate) fn add(&mut self, fragment: Fragment) -> usize {
        self.fragments.push(fragment);
        self.fragments.len() - 1
    }

    /// Gives a name to an address.
    pub(crate) fn label(&mut self, name: &str, span: &Range<usize>, address: AddressText) {
        if let Some((_, first)) = self.labels.get(name) {
            let first = Label::new(&self.source, first.clone(), "it is first defined here");
            let error = self.error(message::LABEL, span, format!("duplicate label `{name}`"));
            self.found.push(error.other(first));
            return;
        }
        self.labels.insert(name.to_owned(), (address, span.clone()));
    }

    /// Resolves the address in a text, when its base has its place.
    pub(crate) fn resolve(&self, address: &AddressText) -> Option<i128> {
        let mut address = address.clone();
        // A label leads to a fragment or to a number, never to a label.
        if let Base::Label(name) = &address.base {
            let (named, _) = self.labels.get(name)?;
            address = AddressText { offset: named.offset + address.offset, ..named.clone() };
        }
        match address.base {
            Base::Absolute => Some(address.offset),
            Base::Fragment(number) => Some(i128::from(self.fragments.get(number)?.address?) + address.offset),
            Base::Label(_) | Base::Here => None,
        }
    }

    /// Resolves a value, which must be resolvable and at most `max`; reports an error otherwise.
    pub(crate) fn known(&mut self, address: &AddressText, max: u64) -> Option<u64> {
        if let Base::Label(name) = &address.base
            && !self.labels.contains_key(name)
        {
            let error = self.error(message::LABEL, &address.span, format!("unknown label `{name}`"));
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
                let error = self.error(message::LABEL, &address.span, "`*` has no meaning here");
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
        self.report_circular_addresses();
        self.place_lists(&mut room);
        self.report_without_room();
        self.report_overlaps();
    }

    /// Returns the labels that places name and that nothing has.
    fn unknown_labels(&self) -> Vec<(String, Range<usize>)> {
        let places = self.fragments.iter().filter_map(|fragment| match &fragment.place {
            Place::At(AddressText { base: Base::Label(name), span, .. }) => Some((name, span)),
            _ => None,
        });
        let unknown = places.filter(|(name, _)| !self.labels.contains_key(*name));
        unknown.map(|(name, span)| (name.clone(), span.clone())).collect()
    }

    /// Gives an address to fragments whose addresses can be resolved.
    fn place_given(&mut self) {
        for number in 0..self.fragments.len() {
            let fragment = &self.fragments[number];
            let Place::At(address) = &fragment.place else { continue };
            if fragment.address.is_some() || self.resolve(address).is_none() {
                continue;
            }
            let address = address.clone();
            let placed = self.known(&address, u64::MAX);
            self.fragments[number].address = Some(placed.unwrap_or(0));
            self.check_inside(number);
        }
    }

    /// Reports octets outside storage; areas of programs that are to fail may lie there.
    fn check_inside(&mut self, number: usize) {
        let fragment = &self.fragments[number];
        let end = fragment.address.unwrap_or(0).checked_add(fragment.bytes);
        if fragment.content.is_some() && end.is_none_or(|end| end > self.storage_bytes) {
            self.without_room.push(number);
        }
    }

    /// Reports one error for all blocks without room, at the first of them.
    fn report_without_room(&mut self) {
        let Some(first) = self
            .without_room
            .iter()
            .map(|number| self.fragments[*number].span.clone())
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
        let placed = self.fragments.iter().filter_map(|fragment| Some((fragment.address?, fragment.bytes)));
        placed.filter(|(_, bytes)| *bytes > 0).map(|(at, bytes)| (at, at.saturating_add(bytes))).collect()
    }

    fn place_anywhere(&mut self, room: &mut Room) {
        for number in 0..self.fragments.len() {
            let fragment = &self.fragments[number];
            if fragment.list.is_none() && matches!(fragment.place, Place::Anywhere) {
                let address = room.find(fragment.bytes, fragment.boundary, fragment.within_page);
                self.give(number, address);
            }
        }
    }

    fn give(&mut self, number: usize, address: Option<u64>) {
        if address.is_none() {
            self.without_room.push(number);
        }
        self.fragments[number].address = Some(address.unwrap_or(0));
    }

    fn report_circular_addresses(&mut self) {
        for number in 0..self.fragments.len() {
            let fragment = &self.fragments[number];
            if let (None, None, Place::At(address)) = (fragment.address, &fragment.list, &fragment.place) {
                let address = address.clone();
                let is_unknown =
                    matches!(&address.base, Base::Label(name) if !self.labels.contains_key(name));
                if address.base == Base::Here {
                    self.known(&address, u64::MAX);
                } else if !is_unknown {
                    let message = "this address depends on labels that depend on it";
                    let error = self.error(message::LABEL, &address.span, message);
                    self.found.push(error.fix("give one of them an address"));
                }
                self.fragments[number].address = Some(0);
            }
        }
    }

    fn place_lists(&mut self, room: &mut Room) {
        for number in 0..self.fragments.len() {
            let Some(list) = self.fragments[number].list.clone() else { continue };
            // A list for more than there is could be longer than storage.
            let listed: u64 = list.pieces.iter().map(|(bytes, _)| bytes).sum();
            if listed > self.storage_bytes {
                self.give(number, None);
                continue;
            }
            let Some(data) = self.known(&list.data, u64::MAX) else {
                self.fragments[number].address = Some(0);
                continue;
            };
            let octets = indirect::octets(&list, data, 0);
            let bytes = octets.len() as u64;
            let (boundary, within_page) = indirect::shape(&list, bytes);
            let address = room.find(bytes, boundary, within_page);
            self.give(number, address);
            let octets = indirect::octets(&list, data, address.unwrap_or(0));
            let fragment = &mut self.fragments[number];
            (fragment.bytes, fragment.content) = (bytes, Some(Content::of(octets)));
        }
    }

    /// Reports overlaps: two statements must not put octets into the same place.
    fn report_overlaps(&mut self) {
        let mut filled: Vec<usize> = (0..self.fragments.len())
            .filter(|number| self.fragments[*number].content.is_some() && self.fragments[*number].bytes > 0)
            .collect();
        filled.sort_by_key(|number| self.fragments[*number].address);
        let mut before: Option<usize> = None;
        for number in filled {
            if let Some(lower) = before {
                let (low, high) = (&self.fragments[lower], &self.fragments[number]);
                let (begin, end) =
                    (high.address.unwrap_or(0), low.address.unwrap_or(0).saturating_add(low.bytes));
                if begin < end && self.found.is_empty() {
                    let other = Label::new(&self.source, low.span.clone(), "the other");
                    let message = format!("the octets at 0x{begin:X} overlap those of another statement");
                    let error = self.error(message::STORAGE, &high.span, message).other(other);
                    self.found.push(error.fix("move one of them, or leave its address out"));
                }
            }
            before = Some(number);
        }
    }

    /// Returns the octets of a fragment with all addresses in them.
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
