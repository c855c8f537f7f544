//! CCWs of a text, and what they point to.

use std::ops::Range;

use halftrack_input::messages::exec as message;
use halftrack_program::command::{CommandClass, class};
use halftrack_program::{CCW_BYTES, CcwFormat};

use crate::assembly::assembler::Assembler;
use crate::assembly::fragment::{Fragment, List, Place, WordKind};
use crate::content::{AddressText, Base, Content, Patch};
use crate::text::statement::{Command, ListKind, Start};

/// Boundary of data that are put anywhere.
pub(crate) const DATA_BOUNDARY: u64 = 8;
/// Boundary of data that a list of indirect words describes: each word is then for a page.
pub(crate) const LISTED_BOUNDARY: u64 = 4096;

/// Where the data of a command lie and how many they are: what `show`, `save` and `expect` at it mean.
#[derive(Debug, Clone)]
pub(crate) struct DataArea {
    pub address: AddressText,
    pub bytes: u64,
}

impl Assembler {
    /// Puts a CCW behind the others of `block`; returns where its data lie.
    pub(crate) fn ccw(
        &mut self,
        start: &Start,
        block: usize,
        command: Command,
        place: Option<AddressText>,
        boundary: Option<u64>,
        span: &Range<usize>,
    ) -> DataArea {
        let here = self.fragments[block].bytes;
        let place = place.map(|place| place.rooted(block, here));
        let count = self.count(start, &command, place.is_some(), span);
        let area = self.data_of(&command, place, boundary, count, span);
        let operand = self.operand(start, &command, &area, span);
        let ccw = encoded(start.format, command.code, command.flags, count, operand);
        self.append(block, ccw);
        area.unwrap_or(DataArea { address: AddressText::absolute(0), bytes: 0 })
    }

    /// Puts the octets of a CCW behind the others of `block`.
    pub(crate) fn append(&mut self, block: usize, ccw: Content) {
        let fragment = &mut self.fragments[block];
        fragment.bytes += CCW_BYTES as u64;
        fragment.content.get_or_insert_default().append(ccw);
    }

    /// Returns the count as written, or that of the data, or what such a command always has.
    fn count(&mut self, start: &Start, command: &Command, placed: bool, span: &Range<usize>) -> u16 {
        let class = class(command.code);
        let data = command.content.as_ref().map(|content| content.bytes.len() as u64);
        let usual = command.usual_count.map(u64::from);
        // Format 0 has no count of zero but in transfer in channel.
        let least = u64::from(start.format == CcwFormat::Zero && class != CommandClass::TransferInChannel);
        let moves = !matches!(class, CommandClass::Control | CommandClass::TransferInChannel);
        let count = match (command.count, data, usual) {
            (Some(count), ..) => count,
            (None, Some(count), _) | (None, None, Some(count)) => count,
            (None, None, None) if moves || placed && class == CommandClass::Control => {
                let error = self.error(message::COUNT, span, "this command needs a count, or data");
                self.found.push(error.fix("write the count behind the flags: read-data CC 4096"));
                return 0;
            }
            (None, None, None) => least,
        };
        u16::try_from(count).unwrap_or_else(|_| {
            let message = format!("the count {count} where a CCW has one of at most 65535");
            let error = self.error(message::COUNT, span, message);
            self.found.push(error.fix("divide the data among CCWs with CD"));
            0
        })
    }

    /// Returns where the data lie: at the place, in a new fragment, or nowhere.
    fn data_of(
        &mut self,
        command: &Command,
        place: Option<AddressText>,
        boundary: Option<u64>,
        count: u16,
        span: &Range<usize>,
    ) -> Option<DataArea> {
        let bytes = u64::from(count);
        let usual = if command.list.is_some() { LISTED_BOUNDARY } else { DATA_BOUNDARY };
        let boundary = boundary.unwrap_or(usual);
        let class = class(command.code);
        let address = match (&command.content, place) {
            (Some(content), place) => {
                let number = self.fragments.len();
                let content = content.clone().rooted(number);
                AddressText::fragment(self.add(Fragment::data(content, boundary, span.clone()).at(place)), 0)
            }
            (None, Some(place)) => {
                self.reserve(&place, bytes, span);
                place
            }
            (None, None) if count == 0 || matches!(class, CommandClass::TransferInChannel) => return None,
            // A control command without parameters, whose count is there because format 0 wants one.
            (None, None) if class == CommandClass::Control && command.count.is_none() => return None,
            (None, None) => AddressText::fragment(self.add(Fragment::area(bytes, boundary, span.clone())), 0),
        };
        Some(DataArea { address, bytes })
    }

    /// Keeps what lies anywhere away from an area that a CCW names by number.
    pub(crate) fn reserve(&mut self, place: &AddressText, bytes: u64, span: &Range<usize>) {
        if place.base == Base::Absolute {
            self.add(Fragment::area(bytes, 1, span.clone()).at(Some(place.clone())));
        }
    }

    /// Returns the address field of the CCW.
    fn operand(
        &mut self,
        start: &Start,
        command: &Command,
        area: &Option<DataArea>,
        span: &Range<usize>,
    ) -> AddressText {
        let Some(area) = area else { return AddressText::absolute(0) };
        let kind = match command.list {
            None => return area.address.clone(),
            Some(ListKind::Idaws) => WordKind::Idaw(start.idaws),
            Some(ListKind::Midaws) => WordKind::Midaw,
        };
        let list = List { kind, data: area.address.clone(), pieces: vec![(area.bytes, 0)] };
        AddressText::fragment(self.add(Fragment::list(list, span.clone())), 0)
    }

    /// Returns a block of CCWs, so far without one.
    pub(crate) fn block(&mut self, place: Option<AddressText>, span: &Range<usize>) -> usize {
        let fragment = Fragment::data(Content::default(), CCW_BYTES as u64, span.clone());
        let place = place.map_or(Place::Anywhere, Place::At);
        self.add(Fragment { place, ..fragment })
    }
}

/// Encodes a CCW. Nothing is checked: texts contain wrong CCWs too.
pub(crate) fn encoded(format: CcwFormat, code: u8, flags: u8, count: u16, operand: AddressText) -> Content {
    let [high, low] = count.to_be_bytes();
    let (bytes, at, width) = match format {
        CcwFormat::Zero => (vec![code, 0, 0, 0, flags, 0, high, low], 1, 3),
        CcwFormat::One => (vec![code, flags, high, low, 0, 0, 0, 0], 4, 4),
    };
    Content { bytes, patches: vec![Patch { at, width, address: operand }] }
}
