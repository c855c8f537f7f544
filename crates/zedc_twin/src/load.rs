//! The load file: who compresses what, how long the run is, and when firmware is updated.

use std::sync::Arc;

use halftrack_base::Span;
use halftrack_deck::model::Deck;
use halftrack_input::messages::toml_file::UNEXPECTED_VALUE;
use halftrack_input::{Diagnostic, Expect, Fields, Located, SourceFile, nearest_or_all, read_document};
use halftrack_zedc::{INPUT_BYTES_MAX, Operation, ResourceGroup};
use serde::Serialize;

/// Longest run, s.
const SECONDS_MAX: f64 = 3600.0;
/// Lowest and highest rate of a stream, MB/s.
const MB_PER_S: (f64, f64) = (0.001, 1e6);
/// Most requests of a stream a second.
const REQUESTS_PER_S_MAX: f64 = 1e7;

/// Program that compresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Exploiter {
    /// BSAM and QSAM, data sets of extended format.
    Bsam,
    /// SMF records over the logger.
    Smf,
    /// DFSMSdss and DFSMShsm.
    Dss,
    /// Java.
    Java,
    /// Encryption Facility.
    Encryption,
    /// File transfer.
    FileTransfer,
}

const EXPLOITERS: [(&str, Exploiter); 6] = [
    ("bsam", Exploiter::Bsam),
    ("smf", Exploiter::Smf),
    ("dss", Exploiter::Dss),
    ("java", Exploiter::Java),
    ("encryption", Exploiter::Encryption),
    ("file-transfer", Exploiter::FileTransfer),
];

impl Exploiter {
    /// Returns the name in files and reports.
    pub fn name(self) -> &'static str {
        EXPLOITERS.iter().find(|(_, one)| *one == self).map_or("", |(name, _)| name)
    }
}

/// Requests of one program.
#[derive(Debug, Clone, PartialEq)]
pub struct Stream {
    /// Name.
    pub name: String,
    /// Partition of the deck.
    pub partition: String,
    /// Program.
    pub exploiter: Exploiter,
    /// Function of the card.
    pub operation: Operation,
    /// Mean rate of data that are not compressed, MB/s.
    pub mb_per_s: f64,
    /// Length of a request before compression, bytes.
    pub request_bytes: u32,
    /// Ratio of compression.
    pub ratio: f64,
}

impl Stream {
    /// Returns the mean time between two requests.
    pub fn between_arrivals(&self) -> Span {
        Span::from_us_f64(f64::from(self.request_bytes) / self.mb_per_s)
    }
}

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
    let streams = read_streams(fields, deck);
    let updates = read_updates(fields);
    let (warmup, measured, seed) = run?;
    Some(Load { warmup, measured, seed, software_mb_per_s: software, streams, updates })
}

fn read_streams(fields: &mut Fields<'_>, deck: &Deck) -> Vec<Stream> {
    let mut names: Vec<Located<String>> = Vec::new();
    let streams = fields.tables("compression", |stream| {
        let name = stream.required("name", Expect::text());
        let partition = stream.required("partition", Expect::text());
        let exploiter = stream.required("exploiter", Expect::one_of(EXPLOITERS));
        let operations = [("deflate", Operation::Deflate), ("inflate", Operation::Inflate)];
        let operation = stream.or("operation", Expect::one_of(operations), Operation::Deflate);
        let mb_per_s = stream.required("mb_per_s", Expect::number(MB_PER_S.0..=MB_PER_S.1));
        let length = Expect::integer(1..=INPUT_BYTES_MAX as u32);
        let request_bytes = stream.required("request_bytes", length);
        let ratio = stream.required("ratio", Expect::number(1.0..=1000.0));
        if let Some(name) = &name {
            names.push(name.clone());
        }
        let (mb_per_s, request_bytes) = (mb_per_s?, request_bytes?);
        if mb_per_s.value * 1e6 / f64::from(request_bytes.value) > REQUESTS_PER_S_MAX {
            let message = format!("a stream has at most {REQUESTS_PER_S_MAX:.0} requests a second");
            stream.error(
                UNEXPECTED_VALUE,
                mb_per_s.span,
                message,
                "lower the rate, or lengthen the requests",
            );
            return None;
        }
        Some(Stream {
            name: name?.value,
            partition: known_partition(partition?, stream, deck)?,
            exploiter: exploiter?.value,
            operation,
            mb_per_s: mb_per_s.value,
            request_bytes: request_bytes.value,
            ratio: ratio?.value,
        })
    });
    for (index, name) in names.iter().enumerate() {
        if let Some(first) = names[..index].iter().find(|other| other.value == name.value) {
            fields.named_twice(&format!("stream {}", name.value), name.span.clone(), first.span.clone());
        }
    }
    streams
}

fn known_partition(name: Located<String>, fields: &Fields<'_>, deck: &Deck) -> Option<String> {
    let known = || deck.partitions.iter().filter_map(|partition| partition.name.as_deref());
    if known().any(|one| one == name.value) {
        return Some(name.value);
    }
    let message = format!("the deck has no partition {}", name.value);
    fields.error(UNEXPECTED_VALUE, name.span, message, nearest_or_all(&name.value, known()));
    None
}

fn read_updates(fields: &mut Fields<'_>) -> Vec<Update> {
    let mut updates: Vec<Update> = Vec::new();
    fields.tables("update", |update| {
        let groups = [("RG1", ResourceGroup::One), ("RG2", ResourceGroup::Two)];
        let group = update.required("group", Expect::one_of(groups));
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
