//! `--history`: every I/O of the streams as lines of JSON, for a checker that is not this process.
//!
//! ```text
//! {"at_ns":…,"contents_seed":1}                                      a run of the driver begins
//! {"at_ns":…,"start":0,"job":[0,3],"write":17,"records":[[0,15,1]]}   an I/O begins; `write` is null for a read
//! {"at_ns":…,"end":0,"normal":true,"seen":[]}                         it has ended; a read saw these writes
//! ```
//!
//! A line is given to the operating system before the driver goes on, so that a process that is killed has lost none.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use halftrack_base::Time;
use halftrack_config::ChannelFile;
use halftrack_link::Clock;
use halftrack_link::driver::{IoEnd, IoObserver, IoStart};
use halftrack_workload::{Pattern, RecordId, UNWRITTEN};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::standard_error;

/// Observer that writes a history.
pub struct HistoryFile {
    path: PathBuf,
    /// Nothing after an error.
    file: Option<File>,
    clock: Clock,
    pattern: Pattern,
    /// Records of the reads under way.
    reads: BTreeMap<u64, Vec<RecordId>>,
}

impl HistoryFile {
    /// Opens the history at `path` for one more run. Returns the number of the last write that stands in it, too.
    ///
    /// # Errors
    /// A file that cannot be read or written.
    pub fn open(path: &Path, file: &ChannelFile, clock: Clock) -> Result<(Self, u32), Failure> {
        let failure = |error| Failure::output(path.to_owned(), error);
        let earlier = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(failure(error)),
        };
        let open = OpenOptions::new().create(true).append(true).open(path).map_err(failure)?;
        let pattern = Pattern::new(file.run.contents_seed);
        let mut history =
            Self { path: path.to_owned(), file: Some(open), clock, pattern, reads: BTreeMap::new() };
        // The line of a process that was killed may lack its end.
        if !earlier.is_empty() && !earlier.ends_with('\n') {
            history.write("\n");
        }
        let at_ns = clock.unix_ns(clock.now());
        history.line(&json!({ "at_ns": at_ns, "contents_seed": file.run.contents_seed }));
        Ok((history, last_write(&earlier)))
    }

    fn line(&mut self, event: &Value) {
        self.write(&format!("{event}\n"));
    }

    fn write(&mut self, text: &str) {
        if let Some(Err(error)) = self.file.as_mut().map(|file| file.write_all(text.as_bytes())) {
            self.file = None;
            standard_error::print(&format!(
                "halftrack: {}: {error}: the history ends\n",
                self.path.display()
            ));
        }
    }

    /// Returns the write that each record of a read shows; nothing where it is no whole value.
    fn seen(&self, records: &[RecordId], data: &[u8]) -> Vec<Option<u32>> {
        let record_bytes = data.len() / records.len().max(1);
        let octets = data.chunks_exact(record_bytes.max(1));
        records
            .iter()
            .zip(octets)
            .map(|(id, octets)| {
                let write = self.pattern.generation(*id, octets)?;
                self.pattern.first_difference(*id, write, octets).is_none().then_some(write)
            })
            .collect()
    }
}

/// Returns the number of the last write of a history.
fn last_write(history: &str) -> u32 {
    let events = history.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let writes = events.filter_map(|event| u32::try_from(event.get("write")?.as_u64()?).ok());
    writes.max().unwrap_or(UNWRITTEN)
}

impl IoObserver for HistoryFile {
    fn started(&mut self, now: Time, start: &IoStart) {
        let records: Vec<_> = start.records.iter().map(|id| (id.volume, id.track, id.record)).collect();
        if start.write.is_none() {
            self.reads.insert(start.io, start.records.clone());
        }
        let (at_ns, io) = (self.clock.unix_ns(now), start.io);
        self.line(&json!({
            "at_ns": at_ns, "start": io, "job": start.job, "write": start.write, "records": records
        }));
    }

    fn ended(&mut self, now: Time, end: &IoEnd<'_>) {
        let records = self.reads.remove(&end.io).unwrap_or_default();
        let seen = if end.result.is_ok() { self.seen(&records, end.data) } else { Vec::new() };
        let (at_ns, is_normal) = (self.clock.unix_ns(now), end.result.is_ok());
        self.line(&json!({ "at_ns": at_ns, "end": end.io, "normal": is_normal, "seen": seen }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_write_counts_behind_a_line_that_is_cut_off() {
        let history = "{\"at_ns\":1,\"write\":7}\n{\"at_ns\":2,\"write\":null}\n{\"at_ns\":3,\"wri";
        assert_eq!((last_write(history), last_write("")), (7, UNWRITTEN));
    }
}
