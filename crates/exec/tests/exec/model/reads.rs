//! Reads and searches outside and inside of domains.

use std::cmp::Ordering;

use crate::model::chain::At;
use crate::model::fault::{Fault, SHORT_COUNT};
use crate::model::line::{Done, Line, Outcome, done};
use crate::model::unit::Unit;
use crate::model::volume::{HEADS, Record};

/// Gives bytes until they are not taken any more.
pub fn give(bytes: &[u8], line: &mut impl Line) {
    for &byte in bytes {
        if !line.give(Some(byte)) {
            break;
        }
    }
}

/// Returns the ending of a command that moved the areas of a record: unit exception at the end of a file.
fn record_done(record: &Record, device_bytes: usize) -> Outcome {
    let status = if record.data.is_empty() { 0x01 } else { 0 };
    Ok(Done { status, device_bytes: device_bytes as u32 })
}

impl Unit {
    /// Returns the first place behind the area passed last where a count area begins; nothing at the end of the track.
    pub fn next_place(&self) -> Option<usize> {
        match self.chain.at {
            At::Index | At::Home => Some(0),
            At::Count(place) | At::Key(place) | At::Data(place) => Some(place + 1),
            At::End => None,
        }
    }

    /// Passes the end of the track: to the next one, or to the index of the same.
    fn pass_end(&mut self, many: bool) -> Result<(), Fault> {
        if many {
            return self.next_track();
        }
        // A choice: inside a domain, a command without the multi-track bit does not pass the index.
        self.chain.passes += 1;
        if self.chain.passes == 2 || self.chain.domain.is_some() {
            return Err(Fault::NoRecord);
        }
        self.chain.at = At::Index;
        Ok(())
    }

    /// Goes to the next track: inside a domain over cylinders, or over the tracks that its set leaves out.
    pub fn next_track(&mut self) -> Result<(), Fault> {
        let here = self.located()?;
        let fixed = self.chain.mask() & 0x18 == 0x18;
        let next = match &mut self.chain.domain {
            Some(domain) => domain.next_track(here).ok_or(Fault::FileProtected)?,
            None if fixed => return Err(Fault::FileProtected),
            None if (here + 1).is_multiple_of(HEADS) => return Err(Fault::EndOfCylinder),
            None => here + 1,
        };
        let last = self.volume.tracks.len() as u32 - 1;
        if next > self.chain.extent.map_or(last, |extent| extent.end) {
            return Err(Fault::FileProtected);
        }
        self.chain.track = Some(next);
        self.chain.at = At::Index;
        Ok(())
    }

    /// Goes to the next record, record zero counted or not.
    fn next_record(&mut self, least: usize, many: bool) -> Result<usize, Fault> {
        self.located()?;
        let mut advanced = false;
        loop {
            match self.next_place().map(|place| place.max(least)) {
                Some(place) if place < self.track().records.len() => {
                    self.chain.at = At::Count(place);
                    return Ok(place);
                }
                // A choice: inside a domain, the search for a record ends with the first empty track.
                _ if advanced && many && self.chain.domain.is_some() => return Err(Fault::NoRecord),
                _ => self.pass_end(many)?,
            }
            advanced = true;
        }
    }

    /// Returns the record whose data area comes next.
    pub fn data_ahead(&mut self, many: bool) -> Result<usize, Fault> {
        match self.chain.at {
            At::Count(place) | At::Key(place) => Ok(place),
            _ => self.next_record(1, many),
        }
    }

    /// Returns the record whose key area comes next.
    pub fn key_ahead(&mut self, many: bool) -> Result<usize, Fault> {
        match self.chain.at {
            At::Count(place) => Ok(place),
            _ => self.next_record(1, many),
        }
    }

    /// Executes Read Data.
    pub fn read_data(&mut self, many: bool, line: &mut impl Line) -> Outcome {
        self.located()?;
        let place = self.data_ahead(many)?;
        self.chain.at = At::Data(place);
        self.chain.passes = 0;
        let record = self.record(place);
        give(&record.data, line);
        record_done(record, record.data.len())
    }

    /// Executes Read Key and Data.
    pub fn read_key_and_data(&mut self, many: bool, line: &mut impl Line) -> Outcome {
        self.located()?;
        let place = self.key_ahead(many)?;
        self.chain.at = At::Data(place);
        self.chain.passes = 0;
        let record = self.record(place);
        let areas = [record.key.clone(), record.data.clone()].concat();
        give(&areas, line);
        record_done(record, areas.len())
    }

    /// Executes Read Count. It does not stop the count of index points: only reads of data or home address do.
    pub fn read_count(&mut self, many: bool, line: &mut impl Line) -> Outcome {
        let place = self.next_record(1, many)?;
        give(&self.record(place).count, line);
        done(8)
    }

    /// Executes Read Count, Key and Data.
    pub fn read_count_key_and_data(&mut self, many: bool, line: &mut impl Line) -> Outcome {
        let place = self.next_record(1, many)?;
        self.give_record(place, line)
    }

    fn give_record(&mut self, place: usize, line: &mut impl Line) -> Outcome {
        self.chain.at = At::Data(place);
        self.chain.passes = 0;
        let Some(record) = self.track().records.get(place) else { return Err(Fault::InvalidTrack) };
        let areas = [record.count.to_vec(), record.key.clone(), record.data.clone()].concat();
        give(&areas, line);
        record_done(record, areas.len())
    }

    /// Executes Read Multiple Count, Key and Data: the records that follow on the track.
    pub fn read_multiple(&mut self, line: &mut impl Line) -> Outcome {
        let place = self.next_record(1, false)?;
        let mut bytes = Vec::new();
        for record in &self.track().records[place..] {
            bytes.extend([record.count.to_vec(), record.key.clone(), record.data.clone()].concat());
        }
        self.chain.at = At::End;
        self.chain.passes = 0;
        give(&bytes, line);
        done(bytes.len())
    }

    /// Executes Read R0: count, key and data of record zero. Right behind a locate, the multi-track bit has no effect: a
    /// choice.
    pub fn read_record_zero(&mut self, many: bool, line: &mut impl Line) -> Outcome {
        self.located()?;
        let stays = matches!(self.chain.at, At::Index | At::Home) || self.behind_locate();
        if many && !stays {
            self.next_track()?;
        }
        self.give_record(0, line)
    }

    /// Executes Read Home Address.
    pub fn read_home_address(&mut self, command: u8, line: &mut impl Line) -> Outcome {
        self.located()?;
        let stays = self.chain.at == At::Index || self.behind_locate();
        if command == 0x9A && !stays {
            self.next_track()?;
        }
        self.chain.at = At::Home;
        self.chain.passes = 0;
        give(&self.track().home.clone(), line);
        done(5)
    }

    /// Returns the search ID equal (31), high (51), equal or high (71).
    pub fn search_id(&mut self, command: u8, line: &mut impl Line) -> Outcome {
        let place = self.next_record(0, command & 0x80 != 0)?;
        let id = self.record(place).count[..5].to_vec();
        compare(command & 0x60, &id, line)
    }

    /// Returns the search Key equal (29), high (49), equal or high (69). Records without a key are passed over.
    pub fn search_key(&mut self, command: u8, line: &mut impl Line) -> Outcome {
        self.located()?;
        let mut place = self.key_ahead(command & 0x80 != 0)?;
        while self.record(place).key.is_empty() {
            self.chain.at = At::Data(place);
            place = self.next_record(1, command & 0x80 != 0)?;
        }
        self.chain.at = At::Key(place);
        let key = self.record(place).key.clone();
        compare(command & 0x60, &key, line)
    }

    /// Returns the search Home Address equal.
    pub fn search_home_address(&mut self, many: bool, line: &mut impl Line) -> Outcome {
        self.located()?;
        let stays = self.chain.at == At::Index || many && self.behind_locate();
        if !stays {
            self.pass_end(many)?;
        }
        self.chain.at = At::Home;
        let home = self.track().home[1..].to_vec();
        compare(0x20, &home, line)
    }
}

/// Compares an area with the program's argument, byte by byte as far as the argument goes: equal (0x20), high
/// (0x40), or either.
fn compare(condition: u8, area: &[u8], line: &mut impl Line) -> Outcome {
    let mut order = None;
    for &byte in area {
        let Some(argument) = line.take() else { break };
        order = Some(order.unwrap_or(Ordering::Equal).then(byte.cmp(&argument)));
    }
    let order = order.ok_or(SHORT_COUNT)?;
    let found = condition & 0x20 != 0 && order.is_eq() || condition & 0x40 != 0 && order.is_gt();
    Ok(Done { status: if found { 0x40 } else { 0 }, device_bytes: area.len() as u32 })
}
