//! Writes: updates of areas, and formats that erase the rest of the track.

use crate::model::chain::{At, Before};
use crate::model::fault::{Fault, INVALID_SEQUENCE};
use crate::model::line::{Done, Line, Outcome, done, exactly};
use crate::model::unit::Unit;
use crate::model::volume::{Record, cchh};

/// Takes an area from the program: how many bytes came, and the area with zeros for what it lacks.
fn take(bytes: usize, line: &mut impl Line) -> (usize, Vec<u8>) {
    let mut area: Vec<u8> = (0..bytes).map_while(|_| line.take()).collect();
    let came = area.len();
    area.resize(bytes, 0);
    (came, area)
}

impl Unit {
    /// Executes Write Data, Write Key and Data right behind the search that found the record.
    pub fn classic_update(&mut self, command: u8, line: &mut impl Line) -> Outcome {
        let key = command & 0x08 != 0;
        match self.chain.before {
            Before::FoundId => {}
            Before::FoundKey if !key => {}
            _ => return Err(INVALID_SEQUENCE),
        }
        self.permit(true, false)?;
        self.update(command, line)
    }

    /// Writes over the data, or the key and the data, of a record. A record that nothing comes for stays.
    pub fn update(&mut self, command: u8, line: &mut impl Line) -> Outcome {
        let key = command & 0x08 != 0;
        let many = command & 0x80 != 0;
        let place = if key { self.key_ahead(many)? } else { self.data_ahead(many)? };
        self.chain.at = At::Data(place);
        self.chain.passes = 0;
        let mut record = self.record(place).clone();
        let key_bytes = if key { record.key.len() } else { 0 };
        let bytes = key_bytes + record.data.len();
        let wanted = self.chain.domain.as_ref().and_then(|domain| domain.update_bytes);
        if wanted.is_some_and(|wanted| usize::from(wanted) != bytes) {
            return Err(Fault::OtherLength);
        }
        let (came, areas) = take(bytes, line);
        if came > 0 {
            if key {
                record.key = areas[..key_bytes].to_vec();
            }
            record.data = areas[key_bytes..].to_vec();
        }
        let status = if record.data.is_empty() { 0x01 } else { 0 };
        self.track_mut().records[place] = record;
        Ok(Done { status, device_bytes: bytes as u32 })
    }

    /// Returns the place behind the record that a format write works on.
    fn behind(&self) -> Result<usize, Fault> {
        self.located()?;
        if self.chain.domain.is_none() {
            if !matches!(self.chain.before, Before::FoundId | Before::FoundKey | Before::Format) {
                return Err(INVALID_SEQUENCE);
            }
            self.permit(false, false)?;
        }
        match self.chain.at {
            At::Count(place) | At::Key(place) | At::Data(place) => Ok(place + 1),
            At::Index | At::Home | At::End => Err(INVALID_SEQUENCE),
        }
    }

    /// Executes Write Count, Key and Data.
    pub fn format_behind(&mut self, line: &mut impl Line) -> Outcome {
        let place = self.behind()?;
        self.format(place, line)
    }

    /// Executes Write Count, Key and Data behind record zero of the next track.
    pub fn format_next_track(&mut self, line: &mut impl Line) -> Outcome {
        self.next_track()?;
        self.format(1, line)
    }

    /// Executes Write R0, where the home address was found, written or located.
    pub fn write_record_zero(&mut self, line: &mut impl Line) -> Outcome {
        self.located()?;
        let oriented = self.chain.before == Before::FoundHome || self.behind_locate();
        if !oriented || self.chain.at != At::Home {
            return Err(INVALID_SEQUENCE);
        }
        self.permit(false, true)?;
        self.format(0, line)
    }

    /// Executes Write Home Address.
    pub fn write_home_address(&mut self, line: &mut impl Line) -> Outcome {
        self.located()?;
        if !matches!(self.chain.at, At::Index | At::Home) {
            return Err(INVALID_SEQUENCE);
        }
        self.permit(false, true)?;
        let home = exactly(line)?;
        let [c0, c1, h0, h1] = cchh(self.located()?);
        if self.fixed_homes && home != [0, c0, c1, h0, h1] {
            return Err(Fault::WriteInhibited);
        }
        self.chain.at = At::Home;
        self.chain.passes = 0;
        self.track_mut().home = home;
        done(5)
    }

    /// Writes a record at a place, and erases what was there and behind.
    fn format(&mut self, place: usize, line: &mut impl Line) -> Outcome {
        let count: [u8; 8] = exactly(line)?;
        let (_, key) = take(usize::from(count[5]), line);
        let (_, data) = take(usize::from(count[6]) << 8 | usize::from(count[7]), line);
        let bytes = 8 + key.len() + data.len();
        let mut track = self.track().clone();
        track.records.truncate(place);
        track.records.push(Record { count, key, data });
        if !track.fits() {
            return Err(Fault::InvalidTrack);
        }
        *self.track_mut() = track;
        self.chain.at = At::Data(place);
        self.chain.passes = 0;
        done(bytes)
    }

    /// Returns the erase: takes a record like a format write, and erases the track from where it would stand.
    pub fn erase(&mut self, line: &mut impl Line) -> Outcome {
        let place = self.behind()?;
        let count: [u8; 8] = exactly(line)?;
        let bytes = usize::from(count[5]) + (usize::from(count[6]) << 8 | usize::from(count[7]));
        take(bytes, line);
        self.track_mut().records.truncate(place);
        self.chain.at = At::End;
        self.chain.passes = 0;
        done(8 + bytes)
    }

    /// Executes Write Full Track: records as count, key and data, record zero first, as far as the data go. The track is
    /// what was written of it even where a record turns out wrong: a choice.
    pub fn write_full_track(&mut self, line: &mut impl Line) -> Outcome {
        self.whole_track()?;
        self.chain.at = At::End;
        let mut bytes = 0;
        for place in 0.. {
            let (came, count) = take(8, line);
            bytes += came;
            if came == 0 && place > 0 {
                break;
            }
            if came == 8 && place > 0 && count == [0xFF; 8] {
                break;
            }
            if came < 8 || count == [0xFF; 8] {
                return Err(Fault::InvalidTrack);
            }
            let (key_came, key) = take(usize::from(count[5]), line);
            let (data_came, data) = take(usize::from(count[6]) << 8 | usize::from(count[7]), line);
            bytes += key_came + data_came;
            let mut track = self.track().clone();
            track.records.truncate(place);
            let count = std::array::from_fn(|at| count[at]);
            track.records.push(Record { count, key, data });
            if !track.fits() {
                return Err(Fault::InvalidTrack);
            }
            *self.track_mut() = track;
        }
        done(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::fault::SHORT_COUNT;

    struct Bytes(Vec<u8>);

    impl Line for Bytes {
        fn give(&mut self, _: Option<u8>) -> bool {
            false
        }

        fn take(&mut self) -> Option<u8> {
            if self.0.is_empty() { None } else { Some(self.0.remove(0)) }
        }
    }

    #[test]
    fn what_does_not_come_is_zero() {
        assert_eq!(take(4, &mut Bytes(vec![1, 2])), (2, vec![1, 2, 0, 0]));
        assert_eq!(exactly::<4>(&mut Bytes(vec![1, 2])), Err(SHORT_COUNT));
    }
}
