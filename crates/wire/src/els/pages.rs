//! Link services that are pages of one length behind their code: PRLI and RSCN (FC-LS).

use super::CODE_BYTES;
use crate::error::ParseError;

/// Returns the number of pages of `page_bytes` follow `head`: at least one, and at most `pages_max`.
pub(super) fn count(
    head: [u8; CODE_BYTES],
    page_bytes: usize,
    pages_max: usize,
) -> Result<usize, ParseError> {
    if usize::from(head[1]) != page_bytes {
        return Err(ParseError::Field { field: "page length", value: u32::from(head[1]) });
    }
    let length = u16::from_be_bytes([head[2], head[3]]);
    let pages = usize::from(length).saturating_sub(CODE_BYTES) / page_bytes;
    if usize::from(length) != CODE_BYTES + pages * page_bytes || !(1..=pages_max).contains(&pages) {
        return Err(ParseError::Field { field: "payload length", value: u32::from(length) });
    }
    Ok(pages)
}

/// Writes into the head of `service` that so many pages of `page_bytes` follow.
pub(super) fn announce(pages: usize, page_bytes: usize, service: &mut [u8]) {
    service[1] = page_bytes as u8;
    service[2..CODE_BYTES].copy_from_slice(&((CODE_BYTES + pages * page_bytes) as u16).to_be_bytes());
}
