//! `[[islink.request]]` and `[[islink.relocate]]`: requests and guests that move over a logical link.

use halftrack_base::Span;
use halftrack_input::messages::study as numbers;
use halftrack_input::{Expect, Fields, Located};
use halftrack_isfc::relocation::{Changes, Otherwise, PAGE_BYTES, Plan};
use halftrack_isfc::workload::Sizes;

use crate::byte_size::{byte_size, byte_size_to};
use crate::unique::check_unique;
use crate::workload_file::RUN_MAX_S;

/// Most octets of a request or a response.
const MESSAGE_BYTES_MAX: u64 = 16 << 20;
/// Most requests at a time.
const DEPTH_MAX: u32 = 4096;
/// Longest time from a response to the next request, us.
const THINK_MAX_US: f64 = 60e6;
/// Most writes on pages in a second.
const DIRTY_MAX: u64 = 1_000_000_000;
/// Longest time for which a guest may be wanted to be stopped, ms.
const QUIESCE_MAX_MS: f64 = 3.6e6;
/// Longest time by default, ms: 10 s, as for z/VM (VMRELOCATE, MAXQUIESCE).
const QUIESCE_DEFAULT_MS: f64 = 10_000.0;
/// Most passes of a running guest, and how many by default.
const PASSES_MAX: u32 = 1000;
const PASSES_DEFAULT: u32 = 16;

/// Requests of one system to the other.
#[derive(Debug, Clone)]
pub struct Requests {
    /// Name, unique in the file.
    pub name: Located<String>,
    /// System that makes them.
    pub from: Located<String>,
    /// Octets of each and of its response.
    pub sizes: Sizes,
    /// Requests at a time.
    pub depth: u32,
    /// Time from a response to the next request.
    pub think: Span,
    /// Requests in all; none for as many as there is time for.
    pub count: Option<u64>,
}

/// A guest that moves from one system to the other.
#[derive(Debug, Clone)]
pub struct Relocate {
    /// Name, unique in the file.
    pub guest: Located<String>,
    /// System on which it is.
    pub from: Located<String>,
    /// Its memory, the changes to that, and how it is moved.
    pub plan: Plan,
    /// When, from the start of the run.
    pub at: Located<Span>,
}

/// Names of all work of logical links.
#[derive(Debug, Default)]
pub(super) struct WorkNames {
    pub requests: Vec<Located<String>>,
    pub guests: Vec<Located<String>>,
}

impl WorkNames {
    /// Reports names that stand twice.
    pub(super) fn check(self, fields: &Fields<'_>) {
        check_unique(fields, "request", self.requests);
        check_unique(fields, "guest", self.guests);
    }
}

/// Reads requests; their names join `names`.
pub(super) fn read_requests(link: &mut Fields<'_>, names: &mut Vec<Located<String>>) -> Vec<Requests> {
    link.tables("request", |request| {
        let name = request.required("name", Expect::text());
        names.extend(name.clone());
        let from = request.required("from", Expect::text());
        let asked = request.required("request", byte_size_to(MESSAGE_BYTES_MAX));
        let response = request.required("response", byte_size_to(MESSAGE_BYTES_MAX));
        let depth = request.or("depth", Expect::integer(1..=DEPTH_MAX), 1);
        let think_us = request.or("think_us", Expect::number(0.0..=THINK_MAX_US), 0.0);
        let count = request.optional("count", Expect::integer(1..=u64::from(u32::MAX)));
        let sizes = Sizes { request_bytes: asked?.value as u32, response_bytes: response?.value as u32 };
        Some(Requests {
            name: name?,
            from: from?,
            sizes,
            depth,
            think: Span::from_s_f64(think_us / 1e6),
            count: count.map(|count| count.value),
        })
    })
}

/// Reads guests; their names join `names`.
pub(super) fn read_relocations(link: &mut Fields<'_>, names: &mut Vec<Located<String>>) -> Vec<Relocate> {
    link.tables("relocate", |guest| {
        let name = guest.required("guest", Expect::text());
        names.extend(name.clone());
        let from = guest.required("from", Expect::text());
        let memory = guest.required("memory", byte_size());
        let dirty = guest.or("dirty_pages_per_s", Expect::integer(0..=DIRTY_MAX), 0);
        let working_set = guest.optional("working_set", byte_size());
        let quiesce_ms = guest.or("quiesce_ms", Expect::number(0.0..=QUIESCE_MAX_MS), QUIESCE_DEFAULT_MS);
        let passes = guest.optional("passes", Expect::integer(1..=PASSES_MAX));
        let is_immediate = guest.or("immediate", Expect::flag(), false);
        let words = [("cancel", Otherwise::Cancel), ("quiesce", Otherwise::Quiesce)];
        let otherwise = guest.optional("otherwise", Expect::one_of(words));
        let at_s = guest.required("at_s", Expect::number(0.0..=RUN_MAX_S));
        let memory_bytes = memory?.value;
        if let Some(working_set) = working_set.as_ref().filter(|one| one.value > memory_bytes) {
            let message =
                format!("a working set of {} octets in a memory of {memory_bytes}", working_set.value);
            guest.error(numbers::RELOCATION, working_set.span.clone(), message, "give at most the memory");
        }
        if let Some(passes) = passes.as_ref().filter(|passes| is_immediate && passes.value != 1) {
            let message =
                format!("`immediate` has one pass of the running guest, and here are {}", passes.value);
            guest.error(
                numbers::RELOCATION,
                passes.span.clone(),
                message,
                "give one of `immediate` and `passes`",
            );
        }
        let working_set_bytes = working_set.map_or(memory_bytes, |one| one.value);
        let otherwise = match otherwise {
            Some(given) => given.value,
            None if is_immediate => Otherwise::Quiesce,
            None => Otherwise::Cancel,
        };
        let passes_max = if is_immediate { 1 } else { passes.map_or(PASSES_DEFAULT, |passes| passes.value) };
        let plan = Plan {
            memory_bytes,
            changes: Changes::Modelled {
                pages_per_s: dirty,
                working_set_pages: working_set_bytes.div_ceil(PAGE_BYTES),
            },
            quiesce_max: Span::from_s_f64(quiesce_ms / 1e3),
            passes_max,
            otherwise,
        };
        let at = at_s?;
        let at = Located::new(Span::from_s_f64(at.value), at.span);
        Some(Relocate { guest: name?, from: from?, plan, at })
    })
}
