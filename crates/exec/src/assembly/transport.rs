//! The blocks of a transport-mode program: TCW, TCCB, TSB, and its user data.

use std::ops::Range;

use halftrack_input::messages::exec as message;
use halftrack_program::{
    TCAH_BYTES, TCAT_BYTES, TSB_BYTES, TcwFlags, TidawFlags, Transfer, transport_count, with_check_word,
};

use crate::assembly::assembler::Assembler;
use crate::assembly::commands::{DATA_BOUNDARY, DataArea, LISTED_BOUNDARY};
use crate::assembly::fragment::{Fragment, List, WordKind};
use crate::content::{AddressText, Content, Patch};
use crate::parameter::channel_blocks::{TCAH, TCAT, TCW};
use crate::parameter::encoding::encode_over;
use crate::parameter::field::Setting;
use crate::text::statement::{Command, UserData};

const CHAIN_COMMAND: u8 = 0x40;
const TCW_BOUNDARY: u64 = 64;
const TCCB_BOUNDARY: u64 = 8;
/// Overhead in TCAL besides the transport-command area.
const TCAL_OVERHEAD: usize = 12;

/// A transport-mode program, as far as its statements were read.
#[derive(Debug)]
pub(crate) struct Transport {
    /// Fragment of the TCW.
    pub tcw: usize,
    /// Fragment of the TCCB.
    pub tccb: usize,
    pub dcws: Vec<(Command, Range<usize>)>,
    pub tcw_settings: Vec<Setting>,
    pub tcah_settings: Vec<Setting>,
    pub tcat_settings: Vec<Setting>,
    pub input: Option<Data>,
    pub output: Option<Data>,
}

/// User data of one direction.
#[derive(Debug)]
pub(crate) struct Data {
    pub area: DataArea,
    /// Target of the TCW.
    address: AddressText,
    has_tidaws: bool,
    /// Bytes with the check words that are inserted.
    count: u64,
}

impl Assembler {
    /// Returns a program of which nothing is known yet.
    pub(crate) fn transport(&mut self, place: Option<AddressText>, span: &Range<usize>) -> Transport {
        let tcw = self.add(Fragment::area(TCW.bytes as u64, TCW_BOUNDARY, span.clone()).at(place));
        let tccb = self.add(Fragment::area(0, TCCB_BOUNDARY, span.clone()));
        Transport {
            tcw,
            tccb,
            dcws: Vec::new(),
            tcw_settings: Vec::new(),
            tcah_settings: Vec::new(),
            tcat_settings: Vec::new(),
            input: None,
            output: None,
        }
    }

    /// Returns the area of an `input` or `output` statement.
    pub(crate) fn user_data(
        &mut self,
        data: &UserData,
        place: Option<AddressText>,
        boundary: Option<u64>,
        span: &Range<usize>,
    ) -> Data {
        let pieces = data.tidaws.clone().unwrap_or_default();
        let written = data.content.as_ref().map(|content| content.bytes.len() as u64);
        let in_pieces = pieces.iter().map(|(bytes, _)| bytes).sum();
        let bytes = data.count.or(written).unwrap_or(in_pieces);
        if bytes == 0 {
            let error = self.error(message::COUNT, span, "the user data need a count, or data");
            self.found.push(error.fix("write `input 4096`"));
        }
        let usual = if data.tidaws.is_some() { LISTED_BOUNDARY } else { DATA_BOUNDARY };
        let boundary = boundary.unwrap_or(usual);
        let address = match (&data.content, place) {
            (Some(content), place) => {
                let content = content.clone().rooted(self.fragments.len());
                AddressText::fragment(self.add(Fragment::data(content, boundary, span.clone()).at(place)), 0)
            }
            (None, Some(place)) => {
                self.reserve(&place, bytes, span);
                place
            }
            (None, None) => AddressText::fragment(self.add(Fragment::area(bytes, boundary, span.clone())), 0),
        };
        let area = DataArea { address: address.clone(), bytes };
        let pieces = if pieces.is_empty() { vec![(bytes, 0)] } else { pieces };
        let count = with_check_words(&pieces, bytes);
        let has_tidaws = data.tidaws.is_some();
        let address = if has_tidaws {
            let list = List { kind: WordKind::Tidaw, data: address, pieces };
            AddressText::fragment(self.add(Fragment::list(list, span.clone())), 0)
        } else {
            address
        };
        Data { area, address, has_tidaws, count }
    }

    /// Assembles the TCW and the TCCB. A program without statements has neither: its ORB points to blocks that lie
    /// elsewhere as data.
    pub(crate) fn finish_transport(&mut self, transport: Transport, span: &Range<usize>) {
        if transport.dcws.is_empty()
            && transport.tcw_settings.is_empty()
            && transport.tcah_settings.is_empty()
        {
            return;
        }
        let tccb = self.tccb(&transport, span);
        let tca_bytes = tccb.area_bytes;
        let rooted = tccb.content.rooted(transport.tccb);
        let fragment = &mut self.fragments[transport.tccb];
        (fragment.bytes, fragment.content) = (rooted.bytes.len() as u64, Some(rooted));
        let tsb = self.add(Fragment::area(TSB_BYTES as u64, TCCB_BOUNDARY, span.clone()));
        let base = tcw_base(&transport, tca_bytes, tsb);
        let tcw = encode_over(&TCW, base, &transport.tcw_settings).rooted(transport.tcw);
        self.fragments[transport.tcw].content = Some(tcw);
    }

    fn tccb(&mut self, transport: &Transport, span: &Range<usize>) -> Tccb {
        let total = |data: &Option<Data>| data.as_ref().map_or(0, |data| data.area.bytes);
        let moved = total(&transport.input) + total(&transport.output);
        let counts = self.dcw_counts(&transport.dcws, moved);
        let mut area = Content::default();
        for ((command, dcw_span), count) in transport.dcws.iter().zip(counts) {
            area.append(self.dcw(command, count, dcw_span));
        }
        if area.bytes.len() + TCAL_OVERHEAD > usize::from(u8::MAX) {
            let message = format!("the DCWs take {} bytes where an area has at most 240", area.bytes.len());
            let error = self.error(message::COUNT, span, message);
            self.found.push(error.fix("read many records with one read-track-data"));
        }
        let area_bytes = area.bytes.len();
        let mut head = Content::of(TCAH.template_octets());
        head.bytes[7] = (area_bytes + TCAL_OVERHEAD) as u8;
        let mut content = encode_over(&TCAH, head, &transport.tcah_settings);
        debug_assert_eq!(content.bytes.len(), TCAH_BYTES);
        content.append(area);
        content.append(tcat(transport));
        Tccb { content, area_bytes }
    }

    /// Returns the data counts: as written, and what is left for the one that has none.
    fn dcw_counts(&mut self, dcws: &[(Command, Range<usize>)], moved: u64) -> Vec<u32> {
        let counted: u64 = dcws.iter().filter_map(|(command, _)| command.count).sum();
        let silent = dcws.iter().filter(|(command, _)| command.count.is_none()).count();
        let rest = if silent == 1 { moved.saturating_sub(counted) } else { 0 };
        let count = |command: &Command| command.count.unwrap_or(rest);
        let mut counts = Vec::new();
        for (command, span) in dcws {
            counts.push(u32::try_from(count(command)).unwrap_or_else(|_| {
                let message = format!("the data count {} where a DCW has 32 bits", count(command));
                self.found.push(self.error(message::COUNT, span, message));
                0
            }));
        }
        counts
    }

    fn dcw(&mut self, command: &Command, count: u32, span: &Range<usize>) -> Content {
        if command.flags & !CHAIN_COMMAND != 0 {
            let error = self.error(message::WORD, span, "a DCW has no flag but CC");
            self.found.push(error.fix("give the TCCB as data and name it in tcw(tccb-address ...)"));
        }
        let control = command.content.clone().unwrap_or_default();
        let control_bytes = control.bytes.len();
        if control_bytes > usize::from(u8::MAX) {
            let message = format!("{control_bytes} bytes of control data where a DCW has at most 232");
            self.found.push(self.error(message::COUNT, span, message));
        }
        let mut dcw = Content::of(vec![command.code, command.flags & CHAIN_COMMAND, 0, control_bytes as u8]);
        dcw.append(Content::of(count.to_be_bytes().to_vec()));
        dcw.append(control);
        dcw.bytes.resize(dcw.bytes.len().next_multiple_of(4), 0);
        dcw
    }
}

struct Tccb {
    content: Content,
    area_bytes: usize,
}

fn tcat(transport: &Transport) -> Content {
    let count = |data: &Option<Data>| data.as_ref().map_or(0, |data| data.count) as u32;
    let (input, output) = (count(&transport.input), count(&transport.output));
    let bidirectional = transport.input.is_some() && transport.output.is_some();
    let mut start = Content::of(vec![0; TCAT_BYTES]);
    let first = if bidirectional { output } else { input.max(output) };
    start.put(4, Content::of(transport_count(first).to_be_bytes().to_vec()));
    if bidirectional {
        start.put(8, Content::of(transport_count(input).to_be_bytes().to_vec()));
    }
    encode_over(&TCAT, start, &transport.tcat_settings)
}

fn tcw_base(transport: &Transport, tca_bytes: usize, tsb: usize) -> Content {
    let tidaws = |data: &Option<Data>| data.as_ref().is_some_and(|data| data.has_tidaws);
    let mut flags = TcwFlags::default();
    if tidaws(&transport.input) {
        flags = flags | TcwFlags::INPUT_TIDAWS;
    }
    if tidaws(&transport.output) {
        flags = flags | TcwFlags::OUTPUT_TIDAWS;
    }
    let transfer = match (&transport.input, &transport.output) {
        (None, None) => Transfer::None,
        (Some(_), None) => Transfer::Read,
        (None, Some(_)) => Transfer::Write,
        (Some(_), Some(_)) => Transfer::Bidirectional,
    };
    let mut bytes = vec![0; TCW.bytes];
    bytes[1] = flags.0;
    bytes[5] = (tca_bytes + 4) as u8 & 0xFC | transfer.bits();
    let mut tcw = Content::of(bytes);
    let mut point = |at: usize, address: AddressText| tcw.patches.push(Patch { at, width: 8, address });
    point(24, AddressText::fragment(tsb, 0));
    point(32, AddressText::fragment(transport.tccb, 0));
    for (data, address_at) in [(&transport.output, 8), (&transport.input, 16)] {
        if let Some(data) = data {
            point(address_at, data.address.clone());
        }
    }
    for (data, count_at) in [(&transport.output, 40), (&transport.input, 44)] {
        let count = data.as_ref().map_or(0, |data| data.count) as u32;
        tcw.put(count_at, Content::of(count.to_be_bytes().to_vec()));
    }
    tcw
}

/// Returns the bytes of user data with the check words that pieces insert.
fn with_check_words(pieces: &[(u64, u8)], bytes: u64) -> u64 {
    let mut total = 0;
    let mut since = 0;
    for (piece, flags) in pieces {
        since += piece;
        if flags & TidawFlags::INSERT_CHECK_WORD.0 != 0 {
            total += u64::from(with_check_word(u32::try_from(since).unwrap_or(u32::MAX)));
            since = 0;
        }
    }
    let counted: u64 = pieces.iter().map(|(bytes, _)| bytes).sum();
    total + since + bytes.saturating_sub(counted)
}
