//! `[[relocate]]` and `[[host]]`: guests that move to the other system.

use halftrack_base::Span;
use halftrack_input::{Expect, Fields, Located};

/// Octets of a page of storage.
const PAGE_BYTES: u64 = 4096;
/// Passes over the storage by default, the first of all of it and the last with the guest stopped included.
const PASSES_DEFAULT: u32 = 16;
/// Most of them.
const PASSES_MAX: u32 = 1000;
/// Time for which the guest may stand still, by default, ms. Our choice.
const QUIESCE_DEFAULT_MS: u32 = 100;
/// Longest such time, ms.
const QUIESCE_MAX_MS: u32 = 600_000;
/// Most pages that a guest writes in a second.
const DIRTY_MAX: u64 = 1_000_000_000;

/// A guest that leaves.
#[derive(Debug, Clone)]
pub struct RelocationEntry {
    /// Its name.
    pub guest: String,
    /// Stream of its pages.
    pub stream: u32,
    /// File of its storage, which has what the storage held last when the guest is gone.
    pub memory: Located<String>,
    /// Pages that it writes in a second.
    pub dirty_pages_per_s: u64,
    /// Pages that it writes to, of the first ones; none for all.
    pub working_set_pages: Option<u64>,
    /// Most passes over its storage.
    pub passes_max: u32,
    /// Longest time for which it may stand still.
    pub quiesce: Span,
    /// It is moved even when that time is not enough after the last pass.
    pub is_immediate: bool,
    /// Seed of the pages that it writes.
    pub seed: u64,
}

/// A guest that comes.
#[derive(Debug, Clone)]
pub struct HostedGuestEntry {
    /// Its name.
    pub guest: String,
    /// Stream of its pages.
    pub stream: u32,
    /// File of its storage.
    pub memory: Located<String>,
}

/// Reads `[[relocate]]`; names and streams join `guests` and `streams`.
pub(super) fn read_relocations(
    fields: &mut Fields<'_>,
    guests: &mut Vec<Located<String>>,
    streams: &mut Vec<Located<String>>,
) -> Vec<RelocationEntry> {
    fields.tables("relocate", |table| {
        let head = read_head(table, guests, streams);
        let dirty = table.or("dirty_pages_per_s", Expect::integer(0..=DIRTY_MAX), 0);
        let pages = Expect::integer(1..=u64::MAX / PAGE_BYTES);
        let working_set = table.optional("working_set_pages", pages);
        let passes_max = table.or("passes", Expect::integer(2..=PASSES_MAX), PASSES_DEFAULT);
        let quiesce_ms = table.or("quiesce_ms", Expect::integer(1..=QUIESCE_MAX_MS), QUIESCE_DEFAULT_MS);
        let is_immediate = table.or("immediate", Expect::flag(), false);
        let seed = table.or("seed", Expect::integer(0..=u64::MAX), 1);
        let HostedGuestEntry { guest, stream, memory } = head?;
        Some(RelocationEntry {
            guest,
            stream,
            memory,
            dirty_pages_per_s: dirty,
            working_set_pages: working_set.map(|pages| pages.value),
            passes_max,
            quiesce: Span::from_ms(u64::from(quiesce_ms)),
            is_immediate,
            seed,
        })
    })
}

/// Reads `[[host]]`; names and streams join `guests` and `streams`.
pub(super) fn read_hosted(
    fields: &mut Fields<'_>,
    guests: &mut Vec<Located<String>>,
    streams: &mut Vec<Located<String>>,
) -> Vec<HostedGuestEntry> {
    fields.tables("host", |table| read_head(table, guests, streams))
}

fn read_head(
    table: &mut Fields<'_>,
    guests: &mut Vec<Located<String>>,
    streams: &mut Vec<Located<String>>,
) -> Option<HostedGuestEntry> {
    let guest = table.required("guest", super::system_name());
    let stream = table.required("stream", Expect::integer(1..=u32::MAX));
    let memory = table.required("memory", Expect::text());
    guests.extend(guest.clone());
    streams.extend(stream.iter().map(|stream| Located::new(stream.value.to_string(), stream.span.clone())));
    Some(HostedGuestEntry { guest: guest?.value, stream: stream?.value, memory: memory? })
}
