//! The blocks of a transport-mode program in words.

use halftrack_program::{TCAH_BYTES, TCAT_BYTES, TCW_BYTES, Tcah, Tcw, Transfer, parse_dcws};

use crate::command_name::{by_code, name_of};
use crate::disassembly::data_words::constant;
use crate::disassembly::image::Image;
use crate::disassembly::setting_words::settings;
use crate::parameter::channel_blocks::{TCAH, TCAT, TCW};
use crate::parameter::decoding::{Length, decode, every_field};
use crate::parameter::field::Block;

/// Statements of a transport-mode program, and the storage that they fill.
pub(crate) struct TransportWords {
    pub lines: Vec<String>,
    pub filled: Vec<(u64, usize)>,
}

/// Returns the statements behind `start transport`, when the TCW at `address` and its TCCB can be read.
pub(crate) fn transport_words(image: &Image, address: u32) -> Option<TransportWords> {
    let octets = image.octets(u64::from(address), TCW_BYTES)?;
    let tcw = Tcw::parse(&octets).ok()?;
    let at = tcw.tccb_address;
    let tcah_octets = image.octets(at, TCAH_BYTES)?;
    let tcah = Tcah::parse(&tcah_octets).ok()?;
    let area_at = at.checked_add(TCAH_BYTES as u64)?;
    let area = image.octets(area_at, tcah.area_bytes())?;
    let dcws = parse_dcws(&area).ok()?;
    let tcat_bytes = TCAT_BYTES + if tcw.transfer == Transfer::Bidirectional { 4 } else { 0 };
    let tcat_octets = image.octets(area_at.checked_add(area.len() as u64)?, tcat_bytes)?;
    let mut lines =
        vec![format!("tcw {}", all(&TCW, &octets)?), format!("tcah {} @0x{at:X}", all(&TCAH, &tcah_octets)?)];
    let last = dcws.len() - 1;
    for (index, placed) in dcws.iter().enumerate() {
        let dcw = &placed.dcw;
        let mut words = vec![name_of(dcw.command)];
        if index != last {
            words.push("CC".to_owned());
        }
        words.push(dcw.data_count.to_string());
        if !dcw.control_data.is_empty() {
            words.push(control(dcw.command, &dcw.control_data));
        }
        lines.push(words.join(" "));
    }
    lines.push(format!("tcat {}", all(&TCAT, &tcat_octets)?));
    let tccb_bytes = TCAH_BYTES + area.len() + tcat_bytes;
    Some(TransportWords { lines, filled: vec![(u64::from(address), TCW_BYTES), (at, tccb_bytes)] })
}

fn control(command: u8, octets: &[u8]) -> String {
    let block = by_code(command).and_then(|known| known.parameters);
    let named = block.and_then(|block| Some(settings(block, &decode(block, octets, Length::Exact)?)));
    named.unwrap_or_else(|| constant(octets))
}

/// Returns settings of every field, also of those that are zero: the assembler has defaults of its own for missing
/// ones.
fn all(block: &Block, octets: &[u8]) -> Option<String> {
    Some(settings(block, &every_field(block, octets)?))
}
