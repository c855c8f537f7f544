//! The history that `drive` leaves, with what the image holds when all is over, and its verdict.

use std::collections::BTreeMap;

use halftrack_base::{Span, Time};
use halftrack_faults::history::{Access, HistoryEvent, violations};
use halftrack_workload::{Pattern, RecordId};
use serde_json::Value;

/// Stream and job of the read-back.
const READ_BACK: (u16, u32) = (u16::MAX, 0);

type Record = (u64, u32, u8);

/// Data of records by track and record number.
type Held = BTreeMap<(u32, u8), Vec<u8>>;

/// History of all runs of the driver.
#[derive(Debug, Default)]
pub struct Log {
    events: Vec<HistoryEvent>,
    chains: BTreeMap<u32, Vec<Record>>,
    /// Writes that were acknowledged, reads that ended normally, and I/Os that ended with an error.
    pub counts: (u64, u64, u64),
    /// I/Os without an end, by run of the driver.
    pub open: Vec<usize>,
}

struct Start {
    at: Time,
    job: (u16, u32),
    write: Option<u32>,
    records: Vec<Record>,
}

impl Log {
    /// Reads a history.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut log = Self::default();
        let (mut open, mut first_ns) = (BTreeMap::new(), None);
        for line in text.lines() {
            // The last line of a process that was killed may be cut off.
            let Ok(event) = serde_json::from_str::<Value>(line) else { continue };
            let at_ns = event["at_ns"].as_u64().ok_or("no time")?;
            let since_ns = at_ns.saturating_sub(*first_ns.get_or_insert(at_ns));
            let at = Time::ZERO.saturating_add(Span::from_ns(since_ns));
            if event.get("contents_seed").is_some() {
                log.end_run(std::mem::take(&mut open));
            } else if let Some(io) = event["start"].as_u64() {
                open.insert(io, start(at, &event).ok_or_else(|| format!("a start: {line}"))?);
            } else if let Some(io) = event["end"].as_u64() {
                let start = open.remove(&io).ok_or_else(|| format!("an end without a start: {line}"))?;
                log.ended(&start, at, &event);
            }
        }
        log.end_run(open);
        // Before the first run there was none.
        log.open.remove(0);
        Ok(log)
    }

    fn end_run(&mut self, open: BTreeMap<u64, Start>) {
        self.open.push(open.len());
        for start in open.into_values() {
            self.note(&start, Time::MAX, false, &[]);
        }
    }

    fn ended(&mut self, start: &Start, at: Time, event: &Value) {
        let is_normal = event["normal"] == true;
        let seen: Vec<_> = event["seen"].as_array().into_iter().flatten().map(Value::as_u64).collect();
        let count = match (is_normal, start.write) {
            (true, Some(_)) => &mut self.counts.0,
            (true, None) => &mut self.counts.1,
            (false, _) => &mut self.counts.2,
        };
        *count += 1;
        self.note(start, at, is_normal, &seen);
    }

    fn note(&mut self, start: &Start, ended: Time, is_normal: bool, seen: &[Option<u64>]) {
        if let Some(write) = start.write {
            self.chains.insert(write, start.records.clone());
        }
        for (place, &record) in start.records.iter().enumerate() {
            let access = match start.write {
                Some(number) => Access::Write { number, is_acknowledged: is_normal },
                None if is_normal => {
                    Access::Read { number: seen.get(place).copied().flatten().map(|seen| seen as u32) }
                }
                None => continue,
            };
            self.events.push(HistoryEvent { job: start.job, record, began: start.at, ended, access });
        }
    }

    /// Reads back what a volume holds, by track and record number; the first laws that are broken, in words.
    pub fn judge(&mut self, held: &Held, contents_seed: u64) -> Result<(), String> {
        let pattern = Pattern::new(contents_seed);
        let last = self.events.iter().map(|event| event.began).max().unwrap_or_default();
        let ends = self.events.iter().map(|event| event.ended).filter(|at| *at < Time::MAX);
        let at = ends.max().unwrap_or_default().max(last).saturating_add(Span::from_ns(1));
        let mut records: Vec<_> = self.events.iter().map(|event| event.record).collect();
        records.sort_unstable();
        records.dedup();
        for record in records {
            let (volume, track, number) = record;
            let id = RecordId { volume, track, record: number };
            let octets = held.get(&(track, number)).ok_or_else(|| format!("no record {record:?}"))?;
            let write = pattern.generation(id, octets);
            let whole = write.filter(|write| pattern.first_difference(id, *write, octets).is_none());
            let access = Access::Read { number: whole };
            self.events.push(HistoryEvent { job: READ_BACK, record, began: at, ended: at, access });
        }
        let found = violations(&self.events, &self.chains);
        let words: Vec<_> = found.iter().take(4).map(ToString::to_string).collect();
        if found.is_empty() { Ok(()) } else { Err(format!("{} reads: {}", found.len(), words.join("; "))) }
    }
}

fn start(at: Time, event: &Value) -> Option<Start> {
    let number = |value: &Value| value.as_u64();
    let job = (number(&event["job"][0])? as u16, number(&event["job"][1])? as u32);
    let write = number(&event["write"]).map(|write| write as u32);
    let record = |of: &Value| Some((number(&of[0])?, number(&of[1])? as u32, number(&of[2])? as u8));
    let records = event["records"].as_array()?.iter().map(record).collect::<Option<_>>()?;
    Some(Start { at, job, write, records })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HISTORY: &str = r#"{"at_ns":1,"contents_seed":7}
{"at_ns":2,"start":0,"job":[0,0],"write":1,"records":[[0,15,1]]}
{"at_ns":3,"end":0,"normal":true,"seen":[]}
{"at_ns":4,"start":1,"job":[0,0],"write":2,"records":[[0,15,1]]}
{"at_ns":5,"end":1,"normal":true,"seen":[]}
{"at_ns":6,"start":2,"job":[0,0],"write":null,"records":[[0,15,1]]}
{"at_ns":7,"end":2,"normal":true,"seen":[2]}
"#;

    /// Judges a history, of a volume that holds this write.
    fn judge(history: &str, write: u32) -> Result<(), String> {
        let mut octets = Vec::new();
        Pattern::new(7).append(RecordId { volume: 0, track: 15, record: 1 }, write, 512, &mut octets);
        Log::read(history).unwrap().judge(&BTreeMap::from([((15, 1), octets)]), 7)
    }

    #[test]
    fn a_volume_with_an_older_write_and_a_read_of_one_are_found() {
        assert_eq!(judge(HISTORY, 2), Ok(()));
        assert!(judge(HISTORY, 1).unwrap_err().contains("the read-back"));
        assert!(judge(HISTORY, 3).is_err(), "nobody wrote it");
        assert!(judge(&HISTORY.replace("[2]", "[1]"), 2).is_err());
        assert!(judge(&HISTORY.replace("[2]", "[null]"), 2).is_err(), "no whole value");
    }

    #[test]
    fn a_write_without_an_end_may_be_there_or_not() {
        let cut_off = &HISTORY[..HISTORY.find("{\"at_ns\":5").unwrap()];
        assert_eq!((judge(cut_off, 1), judge(cut_off, 2)), (Ok(()), Ok(())));
        assert_eq!(Log::read(cut_off).unwrap().open, [1]);
        assert!(judge(cut_off, 0).is_err());
    }
}
