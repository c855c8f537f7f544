//! Commands that move whole tracks, or their data areas.

use crate::model::chain::{At, Before};
use crate::model::domain::Domain;
use crate::model::fault::{Fault, INVALID_SEQUENCE};
use crate::model::line::{Done, Line, Outcome, done};
use crate::model::reads::give;
use crate::model::unit::Unit;

/// The data areas of a track that a command moves.
struct DataAreas {
    first: usize,
    bytes: usize,
    status: u8,
}

impl Unit {
    /// Goes to the track that a command works on: this one, or the next when all of it has passed. It must have as
    /// many records as the program declared.
    pub fn whole_track(&mut self) -> Result<(), Fault> {
        self.located()?;
        if self.chain.at == At::End {
            self.next_track()?;
        }
        let records = self.track().records.len().saturating_sub(1);
        let declared = self.chain.extent.and_then(|extent| extent.records);
        if declared.is_some_and(|declared| usize::from(declared) != records) {
            return Err(Fault::InvalidTrack);
        }
        Ok(())
    }

    /// Executes Read Track: every record as count, key and data, and 8 bytes of ones.
    pub fn read_track(&mut self, line: &mut impl Line) -> Outcome {
        if !matches!(self.chain.before, Before::Locate | Before::ReadTrack) {
            return Err(INVALID_SEQUENCE);
        }
        self.whole_track()?;
        let mut bytes = Vec::new();
        for record in &self.track().records {
            bytes.extend([record.count.to_vec(), record.key.clone(), record.data.clone()].concat());
        }
        bytes.extend([0xFF; 8]);
        give(&bytes, line);
        self.chain.at = At::End;
        done(bytes.len())
    }

    /// Returns the data areas from the record at hand to the end of the track.
    /// They end earlier at the end of the file or of the wanted part of the last track. Choices: record zero is never among them; a track that ends before its wanted part does has an
    /// invalid format.
    fn data_areas(&self, domain: &Domain) -> Result<DataAreas, Fault> {
        let first = match self.chain.at {
            At::Count(place) => place.max(1),
            _ => self.next_place().unwrap_or(usize::MAX).max(1),
        };
        let wanted = domain.last_track_bytes.filter(|_| domain.left == 1).map(usize::from);
        let (mut bytes, mut status) = (0, 0);
        for record in self.track().records.iter().skip(first) {
            if wanted.is_some_and(|wanted| wanted <= bytes) {
                break;
            }
            if record.data.is_empty() {
                status = 0x01;
                break;
            }
            bytes += record.data.len();
        }
        match wanted {
            Some(wanted) if wanted <= bytes => Ok(DataAreas { first, bytes: wanted, status: 0 }),
            Some(_) if status == 0 => Err(Fault::InvalidTrack),
            _ => Ok(DataAreas { first, bytes, status }),
        }
    }

    /// Executes Read Track Data.
    pub fn read_track_data(&mut self, domain: &Domain, line: &mut impl Line) -> Outcome {
        self.whole_track()?;
        let areas = self.data_areas(domain)?;
        let records = self.track().records.iter().skip(areas.first);
        let mut bytes: Vec<u8> = records.flat_map(|record| record.data.clone()).collect();
        bytes.truncate(areas.bytes);
        give(&bytes, line);
        self.chain.at = At::End;
        Ok(Done { status: areas.status, device_bytes: areas.bytes as u32 })
    }

    /// Executes Write Track Data. A record that nothing comes for stays; one that part comes for has zeros behind.
    pub fn write_track_data(&mut self, domain: &Domain, line: &mut impl Line) -> Outcome {
        self.whole_track()?;
        let areas = self.data_areas(domain)?;
        let mut left = areas.bytes;
        for place in areas.first..self.track().records.len() {
            let length = self.record(place).data.len();
            let sent: Vec<u8> = (0..length.min(left)).map_while(|_| line.take()).collect();
            let part = length.min(left);
            left -= part;
            let short = sent.len() < part;
            if !sent.is_empty() {
                let data = &mut self.track_mut().records[place].data;
                data.fill(0);
                data[..sent.len()].copy_from_slice(&sent);
            }
            if short || left == 0 {
                break;
            }
        }
        self.chain.at = At::End;
        Ok(Done { status: areas.status, device_bytes: areas.bytes as u32 })
    }
}
