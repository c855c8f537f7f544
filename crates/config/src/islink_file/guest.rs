//! `[[relocate]]` and `[[host]]`: guests that leave the system, and that come to it.

use halftrack_base::Span;
use halftrack_input::{Expect, Fields, Located};
use halftrack_isfc::SystemName;

use super::stream::{Names, stream_number};

/// Words of the name of a guest.
const GUEST_WORDS: &str = "a user ID of one to eight letters, digits, @, #, $, _, -, + and :";
/// Longest stop of a guest by default: MAXQUIESCE of z/VM's VMRELOCATE, ms.
const QUIESCE_DEFAULT_MS: u64 = 10_000;
/// Longest stop that can be wished, ms.
const QUIESCE_MAX_MS: u64 = 86_400_000;
/// Passes of the running guest by default. Our choice.
const PASSES_DEFAULT: u32 = 8;
const PASSES_MAX: u32 = 1000;
/// Most writes of a modelled guest in a second.
const DIRTY_MAX_PER_S: u64 = 1_000_000;

/// A guest that leaves the system.
#[derive(Debug, Clone)]
pub struct RelocateEntry {
    /// Name of the guest.
    pub guest: SystemName,
    /// Number of the stream.
    pub stream: u32,
    /// Name of the file with its memory, beside the system's.
    pub memory: Located<String>,
    /// Writes of the guest on its pages, in a second.
    pub dirty_pages_per_s: u64,
    /// Pages that it writes on; none for all.
    pub working_set_pages: Option<Located<u64>>,
    /// Seed of pages and contents.
    pub seed: u64,
    /// Longest time for which the guest may be stopped.
    pub quiesce: Span,
    /// Most passes of the running guest.
    pub passes: u32,
    /// The guest is stopped and moved although its passes did not converge.
    pub immediate: bool,
}

/// A guest that comes to the system.
#[derive(Debug, Clone)]
pub struct HostEntry {
    /// Name of the guest.
    pub guest: SystemName,
    /// Number of the stream.
    pub stream: u32,
    /// Name of the file that becomes its memory, beside the system's.
    pub memory: Located<String>,
}

/// Reads name, stream and memory of a guest.
fn read_guest(table: &mut Fields<'_>, names: &mut Names) -> Option<(SystemName, u32, Located<String>)> {
    let guest = table.required("guest", Expect::parsed(GUEST_WORDS, |text| text.parse().ok()));
    let stream = stream_number(table, names);
    let memory = table.required("memory", Expect::text());
    let (guest, memory) = (guest?, memory?);
    names.guests.push(guest.clone());
    names.memories.push(memory.clone());
    Some((guest.value, stream?, memory))
}

/// Reads the guests that leave; their names, streams and memories join `names`.
pub(super) fn read_relocations(fields: &mut Fields<'_>, names: &mut Names) -> Vec<RelocateEntry> {
    fields.tables("relocate", |table| {
        let guest = read_guest(table, names);
        let dirty_pages_per_s = table.or("dirty_pages_per_s", Expect::integer(0..=DIRTY_MAX_PER_S), 0);
        let working_set_pages = table.optional("working_set_pages", Expect::integer(1..=u64::MAX));
        let seed = table.or("seed", Expect::integer(0..=u64::MAX), 1);
        let quiesce_ms = table.or("quiesce_ms", Expect::integer(0..=QUIESCE_MAX_MS), QUIESCE_DEFAULT_MS);
        let passes = table.or("passes", Expect::integer(1..=PASSES_MAX), PASSES_DEFAULT);
        let immediate = table.or("immediate", Expect::flag(), false);
        let (guest, stream, memory) = guest?;
        Some(RelocateEntry {
            guest,
            stream,
            memory,
            dirty_pages_per_s,
            working_set_pages,
            seed,
            quiesce: Span::from_ms(quiesce_ms),
            passes,
            immediate,
        })
    })
}

/// Reads the guests that come; their names, streams and memories join `names`.
pub(super) fn read_hosts(fields: &mut Fields<'_>, names: &mut Names) -> Vec<HostEntry> {
    fields.tables("host", |table| {
        let (guest, stream, memory) = read_guest(table, names)?;
        Some(HostEntry { guest, stream, memory })
    })
}
