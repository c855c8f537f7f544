//! Compression of streams, and `[compression_software]`: compression where no card takes the data. The work of cards without I/O,
//! `[[compression]]`, is read as that of a load file is.

use std::ops::Range;

use halftrack_input::messages::toml_file as numbers;
use halftrack_input::{Expect, Fields, Located};
use halftrack_zedc_twin::{EXPLOITERS, Exploiter, ReadStream, ratio};

use super::stream::{ALL_PPM, Stream, file_of_study};
use crate::study_files::SAMPLE_ENDING;

/// Highest rate of one processor, MB/s.
const MB_PER_S_MAX: f64 = 1e6;

/// Keys of streams whose data no card can have.
const OTHER_KEYS: [(&str, &str); 3] = [
    ("luns", "data sets of extended format are on disks of FICON"),
    ("synchronous", "a synchronous request waits for nothing but its link"),
    ("trace", "recorded I/Os have moved the octets that were left"),
];

/// The `compression` of a stream: its data shrink on the way to the channel, and grow behind it.
#[derive(Debug, Clone)]
pub struct StreamCompression {
    /// Program.
    pub exploiter: Exploiter,
    /// How far the data shrink.
    pub shrink: Shrink,
    /// Place of the table.
    pub span: Range<usize>,
}

/// How far data shrink.
#[derive(Debug, Clone)]
pub enum Shrink {
    /// By this ratio.
    Ratio(f64),
    /// As those of a file of the study do.
    Sample(Located<String>),
}

/// Reads `compression` of the stream at hand, whose reads are `read_ppm` per million I/Os.
pub(super) fn read_compression(stream: &mut Fields<'_>, read_ppm: u32) -> Option<StreamCompression> {
    let compression = stream.optional_table("compression", |table| {
        let exploiter = table.required("exploiter", Expect::one_of(EXPLOITERS));
        let words = "the name of a .data file of the study directory";
        let name = |text: &str| file_of_study(text, SAMPLE_ENDING);
        let sample = table.optional("data", Expect::parsed(words, name));
        let given = table.optional("ratio", ratio());
        if table.has("data") == table.has("ratio") {
            let message = "`compression` needs exactly one of `data` and `ratio`";
            let fix = "give `data = \"records.data\"`, on which the ratio is measured, or `ratio = 4.0`";
            table.error(numbers::CHOOSE_ONE, table.span(), message, fix);
            return None;
        }
        let shrink = sample.map(Shrink::Sample).or(given.map(|ratio| Shrink::Ratio(ratio.value)));
        Some(StreamCompression { exploiter: exploiter?.value, shrink: shrink?, span: table.span() })
    })?;
    for (key, why) in OTHER_KEYS {
        if stream.has(key) {
            let message = format!("`compression` and `{key}` exclude each other: {why}");
            stream.error(numbers::CHOOSE_ONE, compression.span.clone(), message, "remove one of them");
        }
    }
    if !matches!(read_ppm, 0 | ALL_PPM) {
        let message = "a compressed stream reads a data set or writes it, and this one does both";
        let fix = "give `read_share = 0` or `read_share = 1`, and a stream to the other direction";
        stream.error(numbers::UNEXPECTED_VALUE, compression.span.clone(), message, fix);
    }
    Some(compression)
}

/// Reports compressed streams without a rate of software, or with the name of other compression.
pub(super) fn check_streams(
    fields: &mut Fields<'_>,
    streams: &[Stream],
    work: &[ReadStream],
    software_mb_per_s: Option<f64>,
) {
    for stream in streams {
        let Some(compression) = &stream.compression else { continue };
        if software_mb_per_s.is_none() {
            let message =
                "a stream is compressed, and how fast software is where no card takes its data is not given";
            let fix = "add `[compression_software]` with `mb_per_s`";
            fields.error(numbers::MISSING_KEY, compression.span.clone(), message, fix);
        }
        if work.iter().any(|one| one.stream.name == stream.name.value) {
            let message =
                format!("stream {0} is compressed, and a [[compression]] is {0} too", stream.name.value);
            fields.error(numbers::UNEXPECTED_VALUE, stream.name.span.clone(), message, "rename one of them");
        }
    }
}

/// Reads the data that one processor compresses, MB/s.
pub(super) fn read_software(fields: &mut Fields<'_>) -> Option<f64> {
    fields.optional_table("compression_software", |software| {
        Some(software.required("mb_per_s", Expect::positive(MB_PER_S_MAX))?.value)
    })
}
