//! Streams of work for cards: who compresses what, and how fast. One reader serves load files and workloads.

use halftrack_base::Span;
use halftrack_input::messages::toml_file::UNEXPECTED_VALUE;
use halftrack_input::{Expect, Fields, Located};
use halftrack_zedc::{INPUT_BYTES_MAX, Operation};
use serde::Serialize;

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

/// Programs with their names in files.
pub const EXPLOITERS: [(&str, Exploiter); 6] = [
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

/// Stream as it was read, with the place of the name of its partition.
#[derive(Debug, Clone)]
pub struct ReadStream {
    /// Partition.
    pub partition: Located<String>,
    /// Stream.
    pub stream: Stream,
}

/// Reads every `[[compression]]`, whose partition is the value of `partition_key`. Whether there is such a partition, the caller
/// decides.
pub fn read_streams(fields: &mut Fields<'_>, partition_key: &'static str) -> Vec<ReadStream> {
    let mut names: Vec<Located<String>> = Vec::new();
    let streams = fields.tables("compression", |stream| {
        let name = stream.required("name", Expect::text());
        let partition = stream.required(partition_key, Expect::text());
        let exploiter = stream.required("exploiter", Expect::one_of(EXPLOITERS));
        let operations = [("deflate", Operation::Deflate), ("inflate", Operation::Inflate)];
        let operation = stream.or("operation", Expect::one_of(operations), Operation::Deflate);
        let mb_per_s = stream.required("mb_per_s", Expect::number(MB_PER_S.0..=MB_PER_S.1));
        let length = Expect::integer(1..=INPUT_BYTES_MAX as u32);
        let request_bytes = stream.required("request_bytes", length);
        let shrinks = stream.required("ratio", ratio());
        names.extend(name.clone());
        let (mb_per_s, request_bytes) = (mb_per_s?, request_bytes?);
        if mb_per_s.value * 1e6 / f64::from(request_bytes.value) > REQUESTS_PER_S_MAX {
            let message = format!("a stream has at most {REQUESTS_PER_S_MAX:.0} requests a second");
            let fix = "lower the rate, or lengthen the requests";
            stream.error(UNEXPECTED_VALUE, mb_per_s.span, message, fix);
            return None;
        }
        let partition = partition?;
        let read = Stream {
            name: name?.value,
            partition: partition.value.clone(),
            exploiter: exploiter?.value,
            operation,
            mb_per_s: mb_per_s.value,
            request_bytes: request_bytes.value,
            ratio: shrinks?.value,
        };
        Some(ReadStream { partition, stream: read })
    });
    for (index, name) in names.iter().enumerate() {
        if let Some(first) = names[..index].iter().find(|other| other.value == name.value) {
            fields.named_twice(&format!("stream {}", name.value), name.span.clone(), first.span.clone());
        }
    }
    streams
}

/// Expects a ratio of compression.
pub fn ratio() -> Expect<'static, f64> {
    Expect::number(1.0..=1000.0)
}
