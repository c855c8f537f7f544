//! A CCW in words.

use halftrack_program::command::TRANSFER_IN_CHANNEL;
use halftrack_program::{CcwFlags, CcwFormat, MIDAW_BYTES, MIDAW_LIST_MAXIMUM};

use crate::assembly::commands::encoded;
use crate::command_name::{by_code, name_of};
use crate::content::AddressText;
use crate::disassembly::ccw_chain::FoundCcw;
use crate::disassembly::data_words::hexadecimal;
use crate::disassembly::image::Image;
use crate::disassembly::setting_words::settings;
use crate::parameter::channel_blocks::MIDAW;
use crate::parameter::decoding::{Length, decode};
use crate::text::command_text::FLAGS;

/// How far behind or before a CCW its transfer in channel may lead to be written `*-8`.
const NEAR: i64 = 64;

/// Where a MIDAW has its flags, and the one of the last of a list.
const FLAGS_AT: usize = 5;
const LAST: u8 = 0x80;

/// Words for a CCW, and the storage that they fill besides it.
pub(crate) struct CcwWords {
    pub text: String,
    /// Address and bytes of parameters that are written with the CCW.
    pub parameters: Option<(u64, usize)>,
}

/// Returns the statement of the CCW at `at`. `is_free` returns whether no other statement fills a run of storage.
pub(crate) fn ccw_words(
    image: &Image,
    format: CcwFormat,
    at: u32,
    ccw: &FoundCcw,
    is_free: &dyn Fn(u64, usize) -> bool,
) -> CcwWords {
    let operand = AddressText::absolute(u64::from(ccw.address));
    let statement = encoded(format, ccw.command, ccw.flags.0, ccw.count, operand);
    if !is_exact(&statement.bytes, ccw, format) {
        return CcwWords { text: format!("raw X'{}'", hexadecimal(&ccw.octets)), parameters: None };
    }
    if ccw.command == TRANSFER_IN_CHANNEL && ccw.flags.is_empty() && ccw.count == 0 {
        return CcwWords { text: format!("tic {}", target(at, ccw.address)), parameters: None };
    }
    let name = if ccw.is_continued { format!("0x{:02X}", ccw.command) } else { name_of(ccw.command) };
    let mut words = vec![name];
    words.extend(FLAGS.iter().filter(|(_, bit)| ccw.flags.0 & bit != 0).map(|(name, _)| (*name).to_owned()));
    words.push(ccw.count.to_string());
    let parameters = parameters(image, ccw, is_free);
    if let Some(written) = &parameters {
        words.push(written.clone());
    }
    // Without an address the assembler would find room for the data.
    if ccw.address != 0 || ccw.count != 0 {
        words.push(format!("@0x{:X}", ccw.address));
    }
    let filled = parameters.map(|_| (u64::from(ccw.address), usize::from(ccw.count)));
    CcwWords { text: words.join(" "), parameters: filled }
}

/// Returns whether the statement, but for the address, which is always explicit, gives exactly these octets.
fn is_exact(statement: &[u8], ccw: &FoundCcw, format: CcwFormat) -> bool {
    match format {
        CcwFormat::Zero => statement[4..] == ccw.octets[4..],
        CcwFormat::One => true,
    }
}

fn target(at: u32, address: u32) -> String {
    let distance = i64::from(address) - i64::from(at);
    if distance.abs() > NEAR {
        format!("0x{address:X}")
    } else if distance < 0 {
        format!("*{distance}")
    } else {
        format!("*+{distance}")
    }
}

/// Returns the parameters of the CCW, in parentheses.
fn parameters(image: &Image, ccw: &FoundCcw, is_free: &dyn Fn(u64, usize) -> bool) -> Option<String> {
    let direct = CcwFlags::INDIRECT | CcwFlags::MODIFIED_INDIRECT | CcwFlags::CHAIN_DATA;
    if ccw.flags.0 & direct.0 != 0 || ccw.is_continued {
        return None;
    }
    let block = by_code(ccw.command)?.parameters?;
    let (address, bytes) = (u64::from(ccw.address), usize::from(ccw.count));
    if !is_free(address, bytes) {
        return None;
    }
    let octets = image.octets(address, bytes)?;
    Some(settings(block, &decode(block, &octets, Length::Padded)?))
}

/// Returns the list of MIDAWs of a CCW as data, and its bytes.
pub(crate) fn midaw_list(image: &Image, ccw: &FoundCcw) -> Option<(String, usize)> {
    if !ccw.flags.contains(CcwFlags::MODIFIED_INDIRECT) || ccw.flags.contains(CcwFlags::INDIRECT) {
        return None;
    }
    let place = |index: usize| u64::from(ccw.address) + (index * MIDAW_BYTES) as u64;
    let is_last = |index: &usize| {
        image.octets(place(*index), MIDAW_BYTES).is_none_or(|octets| octets[FLAGS_AT] & LAST != 0)
    };
    let last = (0..usize::from(MIDAW_LIST_MAXIMUM)).find(is_last)?;
    let mut words = Vec::new();
    for index in 0..=last {
        let octets = image.octets(place(index), MIDAW_BYTES)?;
        words.push(format!("midaw{}", settings(&MIDAW, &decode(&MIDAW, &octets, Length::Exact)?)));
    }
    Some((words.join(" "), words.len() * MIDAW_BYTES))
}
