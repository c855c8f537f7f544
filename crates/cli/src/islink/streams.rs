//! Streams of a system: files, made-up octets, guests and requests.

use std::io;
use std::path::Path;

use halftrack_base::SharedOctets;
use halftrack_config::islink_file::{
    HostEntry, IslinkFile, RelocateEntry, RequestEntry, StreamContents, StreamEntry,
};
use halftrack_input::messages::islink as numbers;
use halftrack_input::{Diagnostic, Located};
use halftrack_isfc::relocation::{Changes, Otherwise, PAGE_BYTES, Plan};
use halftrack_isfc::workload::Sizes;
use halftrack_link::islink::{
    Arriving, Conversation, Departing, Duplex, FileSink, FileSource, Guest, GuestWrites, Incoming, Outgoing,
    PatternSink, PatternSource, RequestPlan, Requesting, Responding, Sink, Source, Streams, pattern,
};

use super::opening::beside;

/// Opens the streams of a file; messages are added to `found`.
pub fn open_streams(file: &IslinkFile, path: &Path, found: &mut Vec<Diagnostic>) -> Streams {
    let mut streams = Streams::default();
    let pattern = pattern();
    for entry in &file.sent {
        match source(entry, path, &pattern) {
            Ok(source) => streams.outgoing.push(Outgoing { stream: entry.stream, source }),
            Err(error) => found.push(no_file(file, &entry.contents, &error)),
        }
    }
    for entry in &file.received {
        match sink(entry, path, &pattern) {
            Ok(sink) => streams.incoming.push(Incoming { stream: entry.stream, sink }),
            Err(error) => found.push(no_file(file, &entry.contents, &error)),
        }
    }
    let mut duplexes: Vec<(u32, Box<dyn Conversation>)> = Vec::new();
    for entry in &file.relocations {
        match departing(file, entry, path) {
            Ok(departing) => duplexes.push((entry.stream, Box::new(departing))),
            Err(wrong) => found.push(*wrong),
        }
    }
    for entry in &file.hosts {
        match arriving(file, entry, path) {
            Ok(arriving) => duplexes.push((entry.stream, Box::new(arriving))),
            Err(wrong) => found.push(*wrong),
        }
    }
    for entry in &file.requests {
        let requesting = Requesting::new(entry.stream, pattern.clone(), request_plan(entry));
        duplexes.push((entry.stream, Box::new(requesting)));
    }
    for stream in &file.responses {
        duplexes.push((*stream, Box::new(Responding::new(*stream, pattern.clone()))));
    }
    streams.conversations =
        duplexes.into_iter().map(|(stream, conversation)| Duplex { stream, conversation }).collect();
    streams
}

fn source(entry: &StreamEntry, path: &Path, pattern: &SharedOctets) -> io::Result<Box<dyn Source>> {
    Ok(match &entry.contents.value {
        StreamContents::File(name) => Box::new(FileSource::open(&beside(path, name))?),
        StreamContents::Pattern(bytes) => {
            Box::new(PatternSource::new(pattern.clone(), entry.stream, Some(*bytes)))
        }
    })
}

fn sink(entry: &StreamEntry, path: &Path, pattern: &SharedOctets) -> io::Result<Box<dyn Sink>> {
    Ok(match &entry.contents.value {
        StreamContents::File(name) => Box::new(FileSink::open(&beside(path, name))?),
        StreamContents::Pattern(_) => Box::new(PatternSink::new(pattern.clone(), entry.stream)),
    })
}

/// Returns a guest that leaves, with its memory.
fn departing(file: &IslinkFile, entry: &RelocateEntry, path: &Path) -> Result<Departing, Box<Diagnostic>> {
    let place = beside(path, &entry.memory.value);
    let no_file = |error| Box::new(no_file(file, &entry.memory, &error));
    let memory_bytes = std::fs::metadata(&place).map_err(no_file)?.len();
    if memory_bytes == 0 || memory_bytes % PAGE_BYTES != 0 {
        let message = format!("the memory has {memory_bytes} octets: expected whole pages of {PAGE_BYTES}");
        let fix = "make a file of whole pages: `head -c 64M /dev/urandom > linux01.mem`";
        let span = entry.memory.span.clone();
        return Err(Box::new(Diagnostic::error(numbers::GUEST_MEMORY, &file.source, span, message).fix(fix)));
    }
    let pages = memory_bytes / PAGE_BYTES;
    if let Some(set) = entry.working_set_pages.as_ref().filter(|set| set.value > pages) {
        let message = format!("the working set has {} pages, and the memory {pages}", set.value);
        let fix = format!("give at most {pages}");
        let wrong = Diagnostic::error(numbers::GUEST_WORKING_SET, &file.source, set.span.clone(), message);
        return Err(Box::new(wrong.fix(fix)));
    }
    let writes = GuestWrites {
        pages_per_s: entry.dirty_pages_per_s,
        working_set_pages: entry.working_set_pages.as_ref().map_or(pages, |set| set.value),
        seed: entry.seed,
    };
    let plan = Plan {
        memory_bytes,
        changes: Changes::Counted,
        quiesce_max: entry.quiesce,
        passes_max: entry.passes,
        otherwise: if entry.immediate { Otherwise::Quiesce } else { Otherwise::Cancel },
    };
    let guest = Guest::load(&place, writes).map_err(no_file)?;
    Departing::new(entry.guest, plan, guest, &place).map_err(no_file)
}

fn arriving(file: &IslinkFile, entry: &HostEntry, path: &Path) -> Result<Arriving, Box<Diagnostic>> {
    let arriving = Arriving::new(entry.guest, &beside(path, &entry.memory.value));
    arriving.map_err(|error| Box::new(no_file(file, &entry.memory, &error)))
}

fn request_plan(entry: &RequestEntry) -> RequestPlan {
    RequestPlan {
        sizes: Sizes { request_bytes: entry.request_bytes, response_bytes: entry.response_bytes },
        depth: entry.depth,
        think: entry.think,
        requests: entry.requests,
    }
}

fn no_file<T>(file: &IslinkFile, place: &Located<T>, error: &io::Error) -> Diagnostic {
    let message = format!("the file cannot be opened: {error}");
    let fix = "name a file that is there, relative to the directory of this one";
    Diagnostic::error(numbers::NO_STREAM_FILE, &file.source, place.span.clone(), message).fix(fix)
}
