//! A share of something, as files write it and as streams draw it.

use halftrack_input::{Expect, Fields};

/// Returns the value of `key`, between 0 and 1, as parts per million; nothing when it is left out.
pub fn share_ppm(fields: &mut Fields<'_>, key: &'static str) -> Option<u32> {
    fields.optional(key, Expect::number(0.0..=1.0)).map(|share| (share.value * 1e6).round() as u32)
}
