//! The commands that position without a domain: seeks, Recalibrate, sectors, and the file mask.

use halftrack_program::command::{RECALIBRATE, SEEK, SEEK_CYLINDER, SEEK_HEAD};
use halftrack_program::{DataPort, FileMask, NO_SECTOR, Octets, SECTORS, SeekControl, TrackAddress};
use halftrack_volume::{CountArea, Track, Tracks};

use crate::chain::{COUNT_TOO_SMALL, Chain, INVALID_PARAMETER, INVALID_SEQUENCE};
use crate::phase::{Phase, Span};
use crate::position::Position;
use crate::sense::UnitCheck;

/// Bytes of a seek address: two zeros and CCHH.
pub(crate) const SEEK_BYTES: usize = 6;

impl Chain {
    /// Returns the seek, Seek Cylinder, Seek Head and Recalibrate.
    pub(crate) fn seek<T: Tracks>(
        &mut self,
        tracks: &mut T,
        command: u8,
        parameters: &[u8],
    ) -> Result<(), UnitCheck> {
        self.outside_domain()?;
        let extent = self.extent_on(tracks.geometry());
        let permitted = match extent.seek_control() {
            SeekControl::All => true,
            SeekControl::CylinderAndHead => matches!(command, SEEK_CYLINDER | SEEK_HEAD),
            SeekControl::HeadOnly => command == SEEK_HEAD,
            SeekControl::None => false,
        };
        if !permitted {
            return Err(UnitCheck::FileProtected);
        }
        let track = if command == RECALIBRATE {
            TrackAddress::default()
        } else {
            self.seek_address(command, parameters)?
        };
        if !tracks.geometry().contains(track) {
            return Err(INVALID_PARAMETER);
        }
        if !extent.contains(track) {
            return Err(UnitCheck::FileProtected);
        }
        let records = tracks.track(track).map_err(UnitCheck::from_fault)?.records();
        self.position = Some(Position::at_index(track, records));
        self.index_points = 0;
        Ok(())
    }

    fn seek_address(&self, command: u8, parameters: &[u8]) -> Result<TrackAddress, UnitCheck> {
        let Some(&[0, 0, c0, c1, h0, h1]) = parameters.first_chunk::<SEEK_BYTES>() else {
            let short = parameters.len() < SEEK_BYTES;
            return Err(if short { COUNT_TOO_SMALL } else { INVALID_PARAMETER });
        };
        let track = TrackAddress::from_cchh([c0, c1, h0, h1]);
        match command {
            SEEK | SEEK_CYLINDER => Ok(track),
            _ => {
                let cylinder = self.located()?.track().cylinder();
                TrackAddress::new(cylinder, track.head()).ok_or(INVALID_PARAMETER)
            }
        }
    }

    /// Returns the set File Mask: once in a chain, and not where Define Extent has set it.
    pub(crate) fn set_file_mask(&mut self, parameters: &[u8]) -> Result<(), UnitCheck> {
        self.outside_domain()?;
        if self.file_mask.is_some() || self.extent.is_some() {
            return Err(INVALID_SEQUENCE);
        }
        let mask = FileMask(*parameters.first().ok_or(COUNT_TOO_SMALL)?);
        if !mask.is_valid() {
            return Err(INVALID_PARAMETER);
        }
        self.file_mask = Some(mask);
        Ok(())
    }

    /// Returns the set Sector. Nothing rotates here: the sector is checked and has no effect.
    pub(crate) fn set_sector(&mut self, parameters: &[u8]) -> Result<(), UnitCheck> {
        self.outside_domain()?;
        self.located()?;
        match *parameters.first().ok_or(COUNT_TOO_SMALL)? {
            0..SECTORS | NO_SECTOR => Ok(()),
            _ => Err(INVALID_PARAMETER),
        }
    }

    /// Executes Read Sector: where the record at hand begins.
    pub(crate) fn read_sector<T: Tracks, P: DataPort>(
        &mut self,
        tracks: &mut T,
        phase: &mut Phase<'_, P>,
    ) -> Result<Span, UnitCheck> {
        let position = self.located()?;
        let device = tracks.geometry().device_type();
        let track = tracks.track(position.track()).map_err(UnitCheck::from_fault)?;
        let cells =
            |count: CountArea| device.record_cells(u32::from(count.key_bytes), u32::from(count.data_bytes));
        let before: u32 = (1..position.place()).filter_map(|place| track.count(place)).map(cells).sum();
        phase.give(Octets::Bytes(&[device.sector(before)]));
        Ok(Span::of(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::*;
    use halftrack_program::command::*;

    fn seek_with_mask(mask: u8, command: u8) -> Result<(), UnitCheck> {
        let mut unit = sought(&MemoryTracks::of_4k(), 100, 0);
        unit.does(SET_FILE_MASK, &[mask]);
        let end = unit.send(command, &seek_to(100, 3));
        if end.sense.is_some() { Err(reason(end)) } else { Ok(()) }
    }

    #[test]
    fn a_seek_takes_six_bytes_and_stands_before_the_track() {
        let mut unit = Unit::new(MemoryTracks::of_4k());
        let end = unit.send(SEEK, &seek_to(100, 3));
        assert_eq!((end.status.0, end.moved_bytes, end.device_bytes), (0x0C, 6, 6));
        assert_eq!(unit.bytes(READ_HOME_ADDRESS), [0, 0, 100, 0, 3]);
        unit.does(SEEK_HEAD, &seek_to(7, 5));
        assert_eq!(unit.bytes(READ_HOME_ADDRESS), [0, 0, 100, 0, 5], "of the same cylinder");
        unit.does(SEEK_CYLINDER, &seek_to(7, 2));
        assert_eq!(unit.bytes(READ_HOME_ADDRESS), [0, 0, 7, 0, 2]);
        let end = unit.send(RECALIBRATE, &[]);
        assert_eq!((end.status.0, end.device_bytes, end.immediate), (0x0C, 0, true));
        assert_eq!(unit.bytes(READ_HOME_ADDRESS), [0; 5]);
    }

    #[test]
    fn seek_addresses_are_checked() {
        let refused = |octets: &[u8]| reason(Unit::new(MemoryTracks::of_4k()).send(SEEK, octets));
        assert_eq!(refused(&[0; 5]), COUNT_TOO_SMALL);
        assert_eq!(refused(&[0, 1, 0, 0, 0, 0]), INVALID_PARAMETER);
        assert_eq!(refused(&seek_to(3339, 0)), INVALID_PARAMETER);
        assert_eq!(refused(&seek_to(0, 15)), INVALID_PARAMETER);
        let head = Unit::new(MemoryTracks::of_4k()).send(SEEK_HEAD, &seek_to(0, 1));
        assert_eq!(reason(head), INVALID_SEQUENCE, "of no cylinder");
    }

    #[test]
    fn seeks_stay_in_the_extent() {
        let mut unit = Unit::new(MemoryTracks::of_4k());
        unit.does(DEFINE_EXTENT, &read_extent().emit());
        assert_eq!(reason(unit.clone().send(SEEK, &seek_to(99, 0))), UnitCheck::FileProtected);
        assert_eq!(reason(unit.clone().send(RECALIBRATE, &[])), UnitCheck::FileProtected);
        unit.does(SEEK, &seek_to(101, 14));
    }

    #[test]
    fn the_file_mask_lets_some_seeks_through() {
        let passed =
            |mask| [SEEK, SEEK_CYLINDER, SEEK_HEAD].map(|command| seek_with_mask(mask, command).is_ok());
        assert_eq!(passed(0x00), [true, true, true]);
        assert_eq!(passed(0x08), [false, true, true]);
        assert_eq!(passed(0x10), [false, false, true]);
        assert_eq!(passed(0x18), [false, false, false]);
        assert_eq!(seek_with_mask(0x18, SEEK), Err(UnitCheck::FileProtected));
    }

    #[test]
    fn without_seeks_heads_do_not_switch_either() {
        let mut unit = sought(&MemoryTracks::of_4k().with(100, 3, &[]), 100, 3);
        unit.does(SET_FILE_MASK, &[0x18]);
        assert_eq!(reason(unit.run(multi_track(READ_DATA))), UnitCheck::FileProtected);
    }

    #[test]
    fn the_file_mask_is_set_once() {
        let mut unit = Unit::new(MemoryTracks::of_4k());
        assert_eq!(reason(unit.clone().send(SET_FILE_MASK, &[])), COUNT_TOO_SMALL);
        assert_eq!(reason(unit.clone().send(SET_FILE_MASK, &[0x20])), INVALID_PARAMETER);
        assert_eq!(reason(unit.clone().send(SET_FILE_MASK, &[0x06])), INVALID_PARAMETER);
        let mut defined = unit.clone();
        defined.does(DEFINE_EXTENT, &read_extent().emit());
        assert_eq!(reason(defined.send(SET_FILE_MASK, &[0])), INVALID_SEQUENCE);
        unit.does(SET_FILE_MASK, &[0xC0]);
        assert_eq!(reason(unit.send(SET_FILE_MASK, &[0xC0])), INVALID_SEQUENCE);
    }

    #[test]
    fn sectors_are_those_of_the_records() {
        let mut unit = sought(&MemoryTracks::of_4k(), 100, 3);
        unit.does(SET_SECTOR, &[223]);
        unit.does(SET_SECTOR, &[NO_SECTOR]);
        assert_eq!(reason(unit.clone().send(SET_SECTOR, &[224])), INVALID_PARAMETER);
        let sectors = [(); 3].map(|()| {
            unit.bytes(READ_DATA);
            unit.bytes(READ_SECTOR)[0]
        });
        assert_eq!(sectors, [6, 24, 41]);
    }
}
