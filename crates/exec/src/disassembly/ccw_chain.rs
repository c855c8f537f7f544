//! Which CCWs a command-mode program may come to, without running it.

use std::collections::BTreeMap;

use halftrack_program::command::{CommandClass, class};
use halftrack_program::{CCW_BYTES, CcwFlags, CcwFormat, CcwView};

use crate::disassembly::image::Image;

/// Most CCWs of a search.
const CCWS_MAX: usize = 65_536;

/// A CCW as it lies in storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FoundCcw {
    pub octets: [u8; CCW_BYTES],
    pub command: u8,
    pub flags: CcwFlags,
    pub count: u16,
    pub address: u32,
    /// Reached by data chaining, where the command code means nothing.
    pub is_continued: bool,
}

/// Returns the CCWs that lie where the program at `address` may come to, by address.
pub(crate) fn found(image: &Image, format: CcwFormat, address: u32) -> BTreeMap<u32, FoundCcw> {
    let mut found = BTreeMap::new();
    let mut open = vec![(address, false)];
    while let Some((at, is_continued)) = open.pop() {
        if found.contains_key(&at) || found.len() == CCWS_MAX {
            continue;
        }
        let Some(ccw) = read(image, format, at, is_continued) else { continue };
        found.insert(at, ccw);
        let mut goes_to = |target: Option<u32>, continued: bool| {
            if let Some(target) = target {
                open.push((target, continued));
            }
        };
        let next = at.checked_add(CCW_BYTES as u32);
        if class(ccw.command) == CommandClass::TransferInChannel {
            goes_to(Some(ccw.address), is_continued);
        } else if ccw.flags.contains(CcwFlags::CHAIN_DATA) {
            goes_to(next, true);
        } else if ccw.flags.contains(CcwFlags::CHAIN_COMMAND) {
            goes_to(next, false);
            // A search that is satisfied skips one CCW.
            if is_search(ccw.command) {
                goes_to(at.checked_add(2 * CCW_BYTES as u32), false);
            }
        }
    }
    found
}

/// Returns the search commands end with status modifier.
fn is_search(command: u8) -> bool {
    matches!(command & 0x7F, 0x29 | 0x31 | 0x39 | 0x49 | 0x51 | 0x69 | 0x71)
}

fn read(image: &Image, format: CcwFormat, at: u32, is_continued: bool) -> Option<FoundCcw> {
    if !at.is_multiple_of(CCW_BYTES as u32) {
        return None;
    }
    let octets: [u8; CCW_BYTES] = image.octets(u64::from(at), CCW_BYTES)?.try_into().ok()?;
    if octets == [0; CCW_BYTES] {
        return None;
    }
    let view = CcwView::new(&octets, format).ok()?;
    let (command, flags, count, address) = (view.command(), view.flags(), view.count(), view.address());
    Some(FoundCcw { octets, command, flags, count, address, is_continued })
}
