//! Work for the machine: `workload.toml`, read and checked by itself.

mod compression;
mod conversation;
mod eadm;
mod islink;
mod islink_work;
mod program;
mod run;
mod stream;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::configuration::RunOptions;
use crate::fault_script::{Event, Scope, read_event};
use crate::sample::Sample;

pub use compression::{Shrink, StreamCompression};
pub use conversation::Conversation;
pub use eadm::EadmFlow;
use halftrack_input::messages::toml_file as numbers;
use halftrack_input::{Diagnostic, SourceFile, read_document};
use halftrack_zedc_twin::{ReadStream, read_streams};
pub use islink::{IsLink, PerChannel};
pub use program::RECORDS_MAX;
pub use run::RUN_MAX_S;
pub(crate) use stream::{ALL_PPM, StreamKeys, read_arrivals, read_stream_keys};
pub use stream::{Stream, StreamArrivals, StreamLocality, TraceKeys};

/// A workload file by meaning, each entry with its place in the text.
#[derive(Debug, Clone)]
pub struct WorkloadFile {
    /// The text that the spans point into.
    pub source: Arc<SourceFile>,
    /// How long to run.
    pub run: RunOptions,
    /// The I/O driver's streams.
    pub streams: Vec<Stream>,
    /// Operations on EADM subchannels.
    pub eadm: Vec<EadmFlow>,
    /// Compression without I/O.
    pub compression: Vec<ReadStream>,
    /// Data that one processor compresses in software, MB/s.
    pub software_mb_per_s: Option<f64>,
    /// Sockets between partitions.
    pub conversations: Vec<Conversation>,
    /// Logical links of ISFC.
    pub islinks: Vec<IsLink>,
    /// Disturbances of the run.
    pub events: Vec<Event>,
    /// The traces of the study, by the names of their files.
    pub traces: BTreeMap<String, Arc<SourceFile>>,
    /// The samples of data of the study, by the names of their files.
    pub samples: BTreeMap<String, Arc<Sample>>,
}

/// Reads a workload file; the messages are about this file alone, and its traces are for those who have them.
pub fn read_workload(source: &Arc<SourceFile>) -> (Option<WorkloadFile>, Vec<Diagnostic>) {
    read_document(source, |fields| {
        let run = run::read_run(fields);
        let streams = stream::read_streams(fields);
        let eadm = eadm::read_eadm(fields);
        let compression = read_streams(fields, "lpar");
        let software_mb_per_s = compression::read_software(fields);
        let conversations = conversation::read_conversations(fields);
        let islinks = islink::read_islinks(fields);
        let events = fields.tables("event", |event| read_event(event, Scope::Twin));
        for wanted in
            streams.iter().filter_map(|stream| stream.synchronous.as_ref()).filter(|_| run.real_data)
        {
            let message = "`synchronous` and `data = \"real\"` exclude each other: the octets of synchronous requests \
                           do not move through the protocol machines";
            fields.error(numbers::CHOOSE_ONE, wanted.span.clone(), message, "remove one of them");
        }
        compression::check_streams(fields, &streams, &compression, software_mb_per_s);
        if !["stream", "islink", "compression", "conversation"].iter().any(|table| fields.has(table)) {
            let message = "no `[[stream]]`: expected at least one stream of I/Os";
            let fix = "add a `[[stream]]` with `name`, `lpar`, `devices`, `program` and `closed` or `open`";
            fields.error(numbers::MISSING_KEY, fields.span(), message, fix);
        }
        let source = Arc::clone(fields.source());
        Some(WorkloadFile {
            source,
            run,
            streams,
            eadm,
            compression,
            software_mb_per_s,
            conversations,
            islinks,
            events,
            traces: BTreeMap::new(),
            samples: BTreeMap::new(),
        })
    })
}
