//! The load file: who compresses what, how long the run is, and when firmware is updated.

use std::sync::Arc;

use halftrack_base::Span;
use halftrack_deck::model::Deck;
use halftrack_input::messages::toml_file::UNEXPECTED_VALUE;
use halftrack_input::{Diagnostic, Expect, Fields, Located, SourceFile, nearest_or_all, read_document};
use halftrack_zedc::ResourceGroup;

use crate::stream::{ReadStream, Stream, read_streams};

/// Longest run, s.
const SECONDS_MAX: f64 = 3600.0;
/// Update of the firmware of a resource group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Update {
    /// Resource group.
    pub group: ResourceGroup,
    /// When it begins, from the start of the run.
    pub at: Span,
    /// How long it takes.
    pub length: Span,
}

/// Load of a machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Load {
    /// Time before anything is counted.
    pub warmup: Span,
    /// Time that is counted.
    pub measured: Span,
    /// Seed of the arrivals.
    pub seed: u64,
    /// Data that one processor compresses in software, MB/s.
    pub software_mb_per_s: Option<f64>,
    /// Streams.
    pub streams: Vec<Stream>,
    /// Updates, none of which overlap.
    pub updates: Vec<Update>,
}

/// Reads a load file for the partitions of `deck`, with every message about it; there is a load only when no one is an error.
pub fn read_load(source: &Arc<SourceFile>, deck: &Deck) -> (Option<Load>, Vec<Diagnostic>) {
    let (load, found) = read_document(source, |fields| read(fields, deck));
    (load.filter(|_| !halftrack_input::has_errors(&found)), found)
}

fn read(fields: &mut Fields<'_>, deck: &Deck) -> Option<Load> {
    let run = fields.table("run", |run| {
        let warmup = run.or("warmup_s", Expect::number(0.0..=SECONDS_MAX), 0.0);
        let measured = run.required("measured_s", Expect::positive(SECONDS_MAX));
        let seed = run.or("seed", Expect::integer(0..=u64::MAX >> 1), 1);
        Some((Span::from_s_f64(warmup), Span::from_s_f64(measured?.value), seed))
    });
    let software = fields.optional_table("software", |software| {
        Some(software.required("mb_per_s", Expect::positive(1e6))?.value)
    });
    let streams = read_streams(fields, "partition");
    let streams = streams.into_iter().filter_map(|stream| of_deck(stream, fields, deck)).collect();
    let updates = read_updates(fields);
    let (warmup, measured, seed) = run?;
    Some(Load { warmup, measured, seed, software_mb_per_s: software, streams, updates })
}

fn of_deck(stream: ReadStream, fields: &Fields<'_>, deck: &Deck) -> Option<Stream> {
    let known = || deck.partitions.iter().filter_map(|partition| partition.name.as_deref());
    let ReadStream { partition: Located { value: name, span }, stream } = stream;
    if known().any(|one| one == name) {
        return Some(stream);
    }
    let message = format!("the deck has no partition {name}");
    fields.error(UNEXPECTED_VALUE, span, message, nearest_or_all(&name, known()));
    None
}

/// Expects the name of a resource group of the cards.
pub fn resource_group() -> Expect<'static, ResourceGroup> {
    Expect::one_of([("RG1", ResourceGroup::One), ("RG2", ResourceGroup::Two)])
}

fn read_updates(fields: &mut Fields<'_>) -> Vec<Update> {
    let mut updates: Vec<Update> = Vec::new();
    fields.tables("update", |update| {
        let group = update.required("group", resource_group());
        let at = update.required("at_s", Expect::number(0.0..=SECONDS_MAX));
        let length = update.required("for_s", Expect::positive(SECONDS_MAX));
        let (at, length) = (at?, length?);
        let read = Update {
            group: group?.value,
            at: Span::from_s_f64(at.value),
            length: Span::from_s_f64(length.value),
        };
        if updates.iter().any(|other| read.at <= other.at + other.length && other.at <= read.at + read.length)
        {
            let message = "two updates overlap: one resource group is updated at a time";
            update.error(UNEXPECTED_VALUE, at.span, message, "begin it when the other one has ended");
            return None;
        }
        updates.push(read);
        Some(())
    });
    updates
}
