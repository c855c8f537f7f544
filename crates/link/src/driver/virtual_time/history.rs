//! A history of reads and writes, and the checker that finds what no run may show: an older acknowledged write seen after a
//! newer one, over whatever paths they went.
//!
//! Every write has a value of its own (its job, its sequence number, its record), and no two I/Os with a write among them
//! have a record at once. So a record is a register whose values come in the order of their sequence numbers: one that was
//! acknowledged, or seen once, is never followed by an older one.

use std::collections::BTreeMap;

use halftrack_base::Time;
use halftrack_exchange::ExchangeEnd;
use halftrack_workload::{Pattern, RecordId};

use crate::driver::contents::Contents;
use crate::driver::io_driver::Io;

/// Access of an I/O to one record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Wrote the value with this sequence number; whether that was acknowledged.
    Write { sequence: u32, acknowledged: bool },
    /// Saw the value with this sequence number; nothing where the octets are no value of the record.
    Read { sequence: Option<u32> },
}

/// One record of one I/O.
#[derive(Debug, Clone, Copy)]
pub struct Event {
    /// Stream and job.
    #[allow(dead_code, reason = "for the message")]
    pub job: (u16, u32),
    /// Volume, track and record.
    pub record: (u64, u32, u8),
    /// When the I/O began.
    pub began: Time,
    /// When it ended.
    pub ended: Time,
    /// Access.
    pub access: Access,
}

/// A read that saw what it must not.
#[derive(Debug, Clone, Copy)]
pub struct Violation {
    /// The read.
    #[allow(dead_code, reason = "for the message")]
    pub read: Event,
    /// Sequence number that had been acknowledged or read before it began.
    #[allow(dead_code, reason = "for the message")]
    pub known: u32,
}

/// Notes what an I/O of `records` records did that ends now: well, or not.
pub fn note(
    history: &mut Vec<Event>,
    pattern: &Pattern,
    contents: &Contents,
    (io, ended, records): (&Io, Time, u16),
    is_right: bool,
    exchange: Option<&ExchangeEnd>,
) {
    let mut octets = exchange.map_or(&[][..], |exchange| &exchange.data);
    for place in contents.region().places(io.place, records) {
        let id = contents.id(place);
        let (octets_of_record, rest) =
            octets.split_at(octets.len().min(usize::from(contents.region().record_bytes)));
        octets = rest;
        let access = match (io.request.write, is_right) {
            (true, acknowledged) => Access::Write { sequence: io.generation, acknowledged },
            (false, true) => Access::Read { sequence: sequence(pattern, id, octets_of_record) },
            (false, false) => continue,
        };
        let job = (io.request.stream, io.request.job);
        history.push(Event { job, record: (id.volume, id.track, id.record), began: io.began, ended, access });
    }
}

/// Returns the sequence number of the value in `octets`, when they are one from end to end.
pub fn sequence(pattern: &Pattern, id: RecordId, octets: &[u8]) -> Option<u32> {
    let sequence = pattern.generation(id, octets)?;
    pattern.first_difference(id, sequence, octets).is_none().then_some(sequence)
}

/// Returns the reads that saw an older value after a newer one, or none.
pub fn violations(events: &[Event]) -> Vec<Violation> {
    let mut records: BTreeMap<_, Vec<&Event>> = BTreeMap::new();
    for event in events {
        records.entry(event.record).or_default().push(event);
    }
    let mut found = Vec::new();
    for mut events in records.into_values() {
        // In the order in which they begin, with what was known when.
        events.sort_by_key(|event| event.began);
        let mut ends: Vec<(Time, u32)> = events.iter().filter_map(|event| known(event)).collect();
        ends.sort_unstable_by_key(|(at, _)| *at);
        let (mut next, mut newest, mut written) = (0, 0, 0);
        for event in events {
            while let Some(&(_, sequence)) = ends.get(next).filter(|(at, _)| *at <= event.began) {
                newest = newest.max(sequence);
                next += 1;
            }
            match event.access {
                Access::Write { sequence, .. } => written = written.max(sequence),
                Access::Read { sequence } => {
                    if sequence.is_none_or(|seen| seen < newest || seen > written) {
                        found.push(Violation { read: *event, known: newest });
                    }
                }
            }
        }
    }
    found
}

/// Returns the value that an event makes known, and when.
fn known(event: &Event) -> Option<(Time, u32)> {
    match event.access {
        Access::Write { sequence, acknowledged: true } | Access::Read { sequence: Some(sequence) } => {
            Some((event.ended, sequence))
        }
        Access::Write { .. } | Access::Read { sequence: None } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(from: u64, to: u64, access: Access) -> Event {
        let at = |us| Time::from_ps(us * 1_000_000);
        Event { job: (0, 0), record: (0, 15, 1), began: at(from), ended: at(to), access }
    }

    fn write(from: u64, sequence: u32, acknowledged: bool) -> Event {
        event(from, from + 5, Access::Write { sequence, acknowledged })
    }

    fn read(from: u64, sequence: u32) -> Event {
        event(from, from + 5, Access::Read { sequence: Some(sequence) })
    }

    #[test]
    fn an_older_value_after_a_newer_one_is_found() {
        let history = [write(0, 1, true), write(10, 2, true), read(20, 2), read(30, 1), read(40, 2)];
        let found = violations(&history);
        assert_eq!((found.len(), found[0].known), (1, 2), "{found:?}");
        assert!(violations(&history[..3]).is_empty());
    }

    #[test]
    fn a_write_of_unknown_outcome_may_be_seen_or_not_but_stays_once_seen() {
        let unknown = [write(0, 1, true), write(10, 2, false)];
        let with = |reads: &[Event]| violations(&[&unknown[..], reads].concat()).len();
        assert_eq!((with(&[read(20, 1)]), with(&[read(20, 2)])), (0, 0));
        assert_eq!(with(&[read(20, 1), read(30, 2)]), 0);
        assert_eq!(with(&[read(20, 2), read(30, 1)]), 1);
        assert_eq!(with(&[write(20, 3, true), read(30, 2)]), 1, "a newer acknowledged one was there");
    }

    #[test]
    fn what_nobody_wrote_is_found() {
        assert_eq!(violations(&[write(0, 1, true), read(10, 7)]).len(), 1);
        let torn = event(10, 11, Access::Read { sequence: None });
        assert_eq!(violations(&[write(0, 1, true), torn]).len(), 1);
    }
}
