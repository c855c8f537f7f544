//! Lists of indirect words for data that lie in one piece.

use halftrack_program::{IdawFormat, TIDAW_BYTES, Tidaw, TidawFlags};

use crate::assembly::fragment::{List, WordKind};

const PAGE: u64 = 4096;
const LAST: u8 = 0x80;
/// TIDAWs in a page of a list, the jump to the next page among them.
const TIDAWS_PER_PAGE: usize = PAGE as usize / TIDAW_BYTES;

/// One word: where its data lie, how many they are, its flags.
type Word = (u64, u64, u8);

/// Returns the words that the pieces of `list` need when the data lie at `address`.
fn words(list: &List, address: u64) -> Vec<Word> {
    let block = match list.kind {
        WordKind::Idaw(format) => u64::from(format.block_bytes()),
        WordKind::Midaw | WordKind::Tidaw => PAGE,
    };
    let mut words: Vec<Word> = Vec::new();
    let mut at = address;
    for (bytes, flags) in &list.pieces {
        let end = at.saturating_add(*bytes);
        while at < end {
            let stop = end.min((at / block + 1).saturating_mul(block));
            // The flags of a piece hold at its end, but skipping holds all through.
            let shown = if stop == end { *flags } else { *flags & TidawFlags::SKIP.0 };
            words.push((at, stop - at, shown));
            at = stop;
        }
    }
    if let Some(last) = words.last_mut() {
        last.2 = last.2 & !TidawFlags::INSERT_CHECK_WORD.0 | LAST;
    }
    words
}

/// Returns the octets of a list with its data at `address`. The list itself will lie at `list_address`, as far as it
/// refers to itself.
pub(crate) fn octets(list: &List, address: u64, list_address: u64) -> Vec<u8> {
    let words = words(list, address);
    match list.kind {
        WordKind::Idaw(IdawFormat::One) => {
            words.iter().flat_map(|(at, ..)| (*at as u32).to_be_bytes()).collect()
        }
        WordKind::Idaw(_) => words.iter().flat_map(|(at, ..)| at.to_be_bytes()).collect(),
        WordKind::Midaw => words.iter().flat_map(|word| midaw(*word)).collect(),
        WordKind::Tidaw => tidaws(&words, list_address),
    }
}

fn midaw((at, bytes, flags): Word) -> Vec<u8> {
    let mut octets = vec![0, 0, 0, 0, 0, flags];
    octets.extend((bytes as u16).to_be_bytes());
    octets.extend(at.to_be_bytes());
    octets
}

/// TIDAWs; a list of more than a page jumps at the end of each.
fn tidaws(words: &[Word], list_address: u64) -> Vec<u8> {
    let mut octets = Vec::new();
    for (index, (at, bytes, flags)) in words.iter().enumerate() {
        let entries = octets.len() / TIDAW_BYTES;
        if entries % TIDAWS_PER_PAGE == TIDAWS_PER_PAGE - 1 && index + 1 < words.len() {
            let next = list_address + octets.len() as u64 + TIDAW_BYTES as u64;
            octets.extend(Tidaw { flags: TidawFlags::TRANSFER_IN_CHANNEL, count: 0, address: next }.emit());
        }
        octets.extend(Tidaw { flags: TidawFlags(*flags), count: *bytes as u32, address: *at }.emit());
    }
    octets
}

/// Returns the bytes of a list, its boundary, and whether it must not cross a page.
pub(crate) fn shape(list: &List, bytes: u64) -> (u64, bool) {
    match list.kind {
        WordKind::Idaw(format) => (format.entry_bytes() as u64, false),
        WordKind::Midaw => (16, bytes <= PAGE),
        WordKind::Tidaw if bytes > PAGE => (PAGE, false),
        WordKind::Tidaw => (16, true),
    }
}
