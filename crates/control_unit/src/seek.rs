//! The commands that position without a domain: seeks, Recalibrate, sectors, and the file mask.

use halftrack_program::command::{RECALIBRATE, SEEK, SEEK_CYLINDER, SEEK_HEAD};
use halftrack_program::{DataPort, FileMask, NO_SECTOR, Octets, SECTORS, SeekControl, TrackAddress};
use halftrack_volume::{Track, Tracks};

use crate::chain::{COUNT_TOO_SMALL, Chain, INVALID_PARAMETER, INVALID_SEQUENCE};
use crate::phase::{Phase, Span};
use crate::position::Position;
use crate::sense::UnitCheck;

/// Bytes of a seek address: two zeros and CCHH.
pub(crate) const SEEK_BYTES: usize = 6;

impl Chain {
    /// Seek, Seek Cylinder, Seek Head and Recalibrate.
    pub(crate) fn seek<T: Tracks>(
        &mut self,
        tracks: &mut T,
        command: u8,
        parameters: &[u8],
    ) -> Result<Span, UnitCheck> {
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
        let (track, span) = if command == RECALIBRATE {
            (TrackAddress::default(), Span::IMMEDIATE)
        } else {
            (self.seek_address(command, parameters)?, Span::of(SEEK_BYTES as u32))
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
        Ok(span)
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

    /// Set File Mask: once in a chain, and not where Define Extent has set it.
    pub(crate) fn set_file_mask(&mut self, parameters: &[u8]) -> Result<Span, UnitCheck> {
        self.outside_domain()?;
        if self.file_mask.is_some() || self.extent.is_some() {
            return Err(INVALID_SEQUENCE);
        }
        let mask = FileMask(*parameters.first().ok_or(COUNT_TOO_SMALL)?);
        if !mask.is_valid() {
            return Err(INVALID_PARAMETER);
        }
        self.file_mask = Some(mask);
        Ok(Span::of(1))
    }

    /// Set Sector. Nothing rotates here: the sector is checked and has no effect.
    pub(crate) fn set_sector(&mut self, parameters: &[u8]) -> Result<Span, UnitCheck> {
        self.outside_domain()?;
        self.located()?;
        match *parameters.first().ok_or(COUNT_TOO_SMALL)? {
            0..SECTORS | NO_SECTOR => Ok(Span::of(1)),
            _ => Err(INVALID_PARAMETER),
        }
    }

    /// Read Sector: where the record at hand begins if the track is full of its like, which makes a later Set
    /// Sector no worse than none.
    pub(crate) fn read_sector<T: Tracks, P: DataPort>(
        &mut self,
        tracks: &mut T,
        phase: &mut Phase<'_, P>,
    ) -> Result<Span, UnitCheck> {
        let position = self.located()?;
        let geometry = *tracks.geometry();
        let track = tracks.track(position.track()).map_err(UnitCheck::from_fault)?;
        let data_bytes = track.count(position.place()).map_or(0, |count| count.data_bytes);
        let sector = geometry.sector(position.place(), data_bytes).unwrap_or(0);
        phase.give(Octets::Bytes(&[sector]));
        Ok(Span::of(1))
    }
}
