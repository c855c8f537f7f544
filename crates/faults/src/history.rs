//! A history of reads and writes, and the checker that finds what no run may show: an older acknowledged write seen after a
//! newer one, over whatever paths they went; a record that is not whole; a chain that skipped a record.
//!
//! Every write has a number of its own that its records hold from end to end, and no two I/Os with a write among them have
//! a record at once. So a record is a register whose values come in the order of their numbers: one that was acknowledged,
//! or seen once, is never followed by an older one. A chain writes its records in their order: when a record of it was seen,
//! those before it have been written too, wherever it stopped.

use std::collections::BTreeMap;
use std::fmt;

use halftrack_base::Time;
use halftrack_link::driver::{IoEnd, IoStart};
use halftrack_workload::{Pattern, RecordId};

/// Events of a record, and when which write was known to have been there.
type RecordHistory<'a> = (Vec<&'a HistoryEvent>, Vec<(Time, u32)>);

/// Stream and job of the read-back.
const READ_BACK: (u16, u32) = (u16::MAX, 0);

/// Volume, track and record.
type Record = (u64, u32, u8);

/// Access of an I/O to one record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Wrote the value with this number; whether that was acknowledged.
    Write {
        /// Number of the write.
        number: u32,
        /// It ended normally.
        is_acknowledged: bool,
    },
    /// Saw the value with this number; nothing where the octets are no value of the record.
    Read {
        /// Number of the write.
        number: Option<u32>,
    },
}

/// One record of one I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryEvent {
    /// Stream and job.
    pub job: (u16, u32),
    /// Volume, track and record.
    pub record: Record,
    /// When the I/O began.
    pub began: Time,
    /// When it ended; the end of time where it did not.
    pub ended: Time,
    /// Access.
    pub access: Access,
}

/// A read that saw what it must not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Violation {
    /// The read.
    pub read: HistoryEvent,
    /// Number that had been acknowledged or read before it began.
    pub known: u32,
}

impl Violation {
    /// Returns whether it was found when everything was over.
    #[must_use]
    pub fn is_of_read_back(&self) -> bool {
        self.read.job == READ_BACK
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (volume, track, record) = self.read.record;
        let at_s = self.read.began.as_ps() as f64 / 1e12;
        let reader = if self.is_of_read_back() { "the read-back" } else { "a read" };
        write!(formatter, "volume {volume} track {track} record {record}: {reader} at {at_s:.6} s found ")?;
        match self.read.access {
            Access::Read { number: Some(seen) } => {
                write!(formatter, "write {seen} after write {}", self.known)
            }
            Access::Read { number: None } | Access::Write { .. } => {
                write!(formatter, "no whole value after write {}", self.known)
            }
        }
    }
}

/// The reads and writes of a run.
#[derive(Debug)]
pub struct History {
    pattern: Pattern,
    record_bytes: u16,
    open: BTreeMap<u64, (Time, IoStart)>,
    events: Vec<HistoryEvent>,
    /// Records of each write, in the order of its chain.
    chains: BTreeMap<u32, Vec<Record>>,
}

/// Returns the name of a record that events have.
fn key(id: RecordId) -> Record {
    (id.volume, id.track, id.record)
}

impl History {
    /// Returns an empty history of records of this length, whose values are of the pattern of `contents_seed`.
    #[must_use]
    pub fn new(contents_seed: u64, record_bytes: u16) -> Self {
        Self {
            pattern: Pattern::new(contents_seed),
            record_bytes,
            open: BTreeMap::new(),
            events: Vec::new(),
            chains: BTreeMap::new(),
        }
    }

    /// Returns the length of a record.
    #[must_use]
    pub fn record_bytes(&self) -> u16 {
        self.record_bytes
    }

    /// Notes the start of an I/O.
    pub fn started(&mut self, now: Time, start: &IoStart) {
        if let Some(number) = start.write {
            self.chains.insert(number, start.records.iter().copied().map(key).collect());
        }
        self.open.insert(start.io, (now, start.clone()));
    }

    /// Notes the end of an I/O.
    pub fn ended(&mut self, now: Time, end: &IoEnd<'_>) {
        if let Some((began, start)) = self.open.remove(&end.io) {
            self.note(&start, (began, now), end.result.is_ok(), end.data);
        }
    }

    /// Notes what the I/Os that have not ended may have written.
    pub fn finish(&mut self) {
        for (began, start) in std::mem::take(&mut self.open).into_values() {
            self.note(&start, (began, Time::MAX), false, &[]);
        }
    }

    fn note(&mut self, start: &IoStart, (began, ended): (Time, Time), is_normal: bool, data: &[u8]) {
        let mut rest = data;
        for &id in &start.records {
            let (octets, behind) = rest.split_at(rest.len().min(usize::from(self.record_bytes)));
            rest = behind;
            let access = match (start.write, is_normal) {
                (Some(number), is_acknowledged) => Access::Write { number, is_acknowledged },
                (None, true) => Access::Read { number: self.value(id, octets) },
                (None, false) => continue,
            };
            self.events.push(HistoryEvent { job: start.job, record: key(id), began, ended, access });
        }
    }

    /// Notes what a record holds when everything is over.
    pub fn read_back(&mut self, now: Time, id: RecordId, octets: &[u8]) -> HistoryEvent {
        let access = Access::Read { number: self.value(id, octets) };
        let event = HistoryEvent { job: READ_BACK, record: key(id), began: now, ended: now, access };
        self.events.push(event);
        event
    }

    /// Returns the number of the write whose value is in `octets`, when they are one from end to end.
    fn value(&self, id: RecordId, octets: &[u8]) -> Option<u32> {
        let number = self.pattern.generation(id, octets)?;
        let is_whole = octets.len() == usize::from(self.record_bytes);
        (is_whole && self.pattern.first_difference(id, number, octets).is_none()).then_some(number)
    }

    /// Returns the events so far.
    #[must_use]
    pub fn events(&self) -> &[HistoryEvent] {
        &self.events
    }

    /// Returns the records that were read or written.
    #[must_use]
    pub fn records(&self) -> Vec<RecordId> {
        let mut records: Vec<_> = self.events.iter().map(|event| event.record).collect();
        records.sort_unstable();
        records.dedup();
        let id = |(volume, track, record)| RecordId { volume, track, record };
        records.into_iter().map(id).collect()
    }

    /// Returns the reads that saw an older value after a newer one, no value, or one that nobody wrote.
    #[must_use]
    pub fn violations(&self) -> Vec<Violation> {
        violations(&self.events, &self.chains)
    }
}

/// Returns the reads of `events` that saw what they must not; `chains` are the records of each write.
#[must_use]
pub fn violations(events: &[HistoryEvent], chains: &BTreeMap<u32, Vec<Record>>) -> Vec<Violation> {
    let mut records: BTreeMap<_, RecordHistory<'_>> = BTreeMap::new();
    for event in events {
        records.entry(event.record).or_default().0.push(event);
        let Some((at, number)) = known(event) else { continue };
        let chain = chains.get(&number).map_or(&[][..], Vec::as_slice);
        let before = chain.iter().position(|record| *record == event.record).unwrap_or(0);
        for record in chain[..before].iter().chain([&event.record]) {
            records.entry(*record).or_default().1.push((at, number));
        }
    }
    let mut found = Vec::new();
    for (mut events, mut ends) in records.into_values() {
        // In the order in which they begin, with what was known when.
        events.sort_by_key(|event| event.began);
        ends.sort_unstable_by_key(|(at, _)| *at);
        let (mut next, mut newest, mut written) = (0, 0, 0);
        for event in events {
            while let Some(&(_, number)) = ends.get(next).filter(|(at, _)| *at <= event.began) {
                newest = newest.max(number);
                next += 1;
            }
            match event.access {
                Access::Write { number, .. } => written = written.max(number),
                Access::Read { number } => {
                    if number.is_none_or(|seen| seen < newest || seen > written) {
                        found.push(Violation { read: *event, known: newest });
                    }
                }
            }
        }
    }
    found
}

/// Returns the value that an event makes known, and when.
fn known(event: &HistoryEvent) -> Option<(Time, u32)> {
    match event.access {
        Access::Write { number, is_acknowledged: true } | Access::Read { number: Some(number) } => {
            Some((event.ended, number))
        }
        Access::Write { .. } | Access::Read { number: None } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(us: u64) -> Time {
        Time::from_ps(us * 1_000_000)
    }

    fn event(from: u64, to: u64, access: Access) -> HistoryEvent {
        HistoryEvent { job: (0, 0), record: (0, 15, 1), began: at(from), ended: at(to), access }
    }

    fn write(from: u64, number: u32, is_acknowledged: bool) -> HistoryEvent {
        event(from, from + 5, Access::Write { number, is_acknowledged })
    }

    fn read(from: u64, number: u32) -> HistoryEvent {
        event(from, from + 5, Access::Read { number: Some(number) })
    }

    fn of(events: &[HistoryEvent]) -> Vec<Violation> {
        violations(events, &BTreeMap::new())
    }

    #[test]
    fn an_older_value_after_a_newer_one_is_found() {
        let history = [write(0, 1, true), write(10, 2, true), read(20, 2), read(30, 1), read(40, 2)];
        let found = of(&history);
        assert_eq!((found.len(), found[0].known), (1, 2), "{found:?}");
        assert!(of(&history[..3]).is_empty());
    }

    /// A late duplicate of write 1 comes behind write 2, which nobody has read: the next read shows it.
    #[test]
    fn a_late_duplicate_is_found() {
        assert_eq!(of(&[write(0, 1, true), write(10, 2, true), read(30, 1)]).len(), 1);
    }

    #[test]
    fn a_write_that_was_lost_is_found() {
        assert_eq!(of(&[write(0, 3, true), read(20, 0)]).len(), 1);
    }

    #[test]
    fn a_write_of_unknown_outcome_may_be_seen_or_not_but_stays_once_seen() {
        let unknown = [write(0, 1, true), write(10, 2, false)];
        let with = |reads: &[HistoryEvent]| of(&[&unknown[..], reads].concat()).len();
        assert_eq!((with(&[read(20, 1)]), with(&[read(20, 2)])), (0, 0));
        assert_eq!(with(&[read(20, 1), read(30, 2)]), 0);
        assert_eq!(with(&[read(20, 2), read(30, 1)]), 1);
        assert_eq!(with(&[write(20, 3, true), read(30, 2)]), 1, "a newer acknowledged one was there");
    }

    #[test]
    fn a_value_without_a_write_and_a_torn_record_are_found() {
        assert_eq!(of(&[write(0, 1, true), read(10, 7)]).len(), 1);
        let torn = event(10, 11, Access::Read { number: None });
        assert_eq!(of(&[write(0, 1, true), torn]).len(), 1);
    }

    /// Of a chain over three records that broke, the third was written and the second was not.
    #[test]
    fn a_chain_that_skipped_a_record_is_found() {
        let of_record = |record, event: HistoryEvent| HistoryEvent { record: (0, 15, record), ..event };
        let chain = |record| of_record(record, write(0, 1, false));
        let chains = BTreeMap::from([(1, vec![(0, 15, 1), (0, 15, 2), (0, 15, 3)])]);
        let writes = [chain(1), chain(2), chain(3)];
        let seen = |record, number, from| of_record(record, read(from, number));
        let with = |reads: &[HistoryEvent]| violations(&[&writes[..], reads].concat(), &chains).len();
        assert_eq!(with(&[seen(1, 1, 20), seen(2, 1, 30), seen(3, 0, 40)]), 0, "it stopped before the third");
        assert_eq!(with(&[seen(3, 1, 20), seen(2, 0, 30)]), 1);
    }

    #[test]
    fn an_io_that_did_not_end_may_have_written() {
        let id = RecordId { volume: 1, track: 15, record: 1 };
        let mut history = History::new(7, 1024);
        let start = IoStart { io: 0, job: (0, 0), records: vec![id], write: Some(1) };
        history.started(at(0), &start);
        history.finish();
        for (number, expected) in [(0, 0), (1, 0), (2, 1)] {
            let mut octets = Vec::new();
            Pattern::new(7).append(id, number, 1024, &mut octets);
            let mut history = History { events: history.events.clone(), ..History::new(7, 1024) };
            history.read_back(at(9), id, &octets);
            assert_eq!(history.violations().len(), expected, "{number}");
        }
    }
}
