//! One command chain on one device: what its commands so far allow the next one to do.
//!
//! ```text
//! Define Extent (63) ── extent ──► Locate Record (47, 4B) ── domain ──► reads, writes ──► (count used up)
//! Prefix (E7) does both.           may come again  ◄─────────────────────────────────────────┘
//!
//! Seek (07) ──► Search (31 ...) ── status modifier ──► reads, writes       without Define Extent: whole device
//! ```

use halftrack_program::{DataPort, FileMask, Geometry};
use halftrack_volume::Tracks;

use crate::access::{Access, DeviceRead};
use crate::domain::Domain;
use crate::extent::Extent;
use crate::phase::{Phase, Scratch, Span};
use crate::position::{Area, AtTrackEnd, Position, RecordSearch};
use crate::predecessor::Predecessor;
use crate::sense::{Message, UnitCheck};
use crate::subsystem_function::Prepared;
use crate::track_set::TrackSet;

/// The command may not stand where it stands in the chain.
pub(crate) const INVALID_SEQUENCE: UnitCheck = UnitCheck::CommandReject(Message::InvalidSequence);
/// A parameter of the command is invalid.
pub(crate) const INVALID_PARAMETER: UnitCheck = UnitCheck::CommandReject(Message::InvalidParameter);
/// The count of the command is less than its parameters need.
pub(crate) const COUNT_TOO_SMALL: UnitCheck = UnitCheck::CommandReject(Message::CountTooSmall);
/// Unit check of a write against the file mask. Public sources name file protected and command reject; our choice is
/// the message that names the file mask.
pub(crate) const AGAINST_FILE_MASK: UnitCheck = UnitCheck::CommandReject(Message::NotPermitted);

/// The state of one command chain on one device. A new chain starts with a new value; after an ending other
/// than channel end and device end the channel sends no further command of the chain.
#[derive(Debug, Clone, Default)]
pub(crate) struct Chain {
    pub extent: Option<Extent>,
    /// File mask of the last Set File Mask.
    pub file_mask: Option<FileMask>,
    pub domain: Option<Domain>,
    /// The tracks of the domain, when they are not those that follow each other.
    pub track_set: Option<TrackSet>,
    pub position: Option<Position>,
    /// Index points that passed since the last transfer.
    pub index_points: u8,
    pub before: Predecessor,
    /// Data prepared by Perform Subsystem Function.
    pub prepared: Option<Prepared>,
}

impl Chain {
    /// Executes a command that moves records or tracks.
    #[inline]
    pub(crate) fn transfer<T: Tracks, P: DataPort>(
        &mut self,
        tracks: &mut T,
        scratch: &mut Scratch,
        access: Access,
        phase: &mut Phase<'_, P>,
    ) -> Result<Span, UnitCheck> {
        if !self.domain.is_none_or(|domain| domain.admits(access)) {
            return Err(INVALID_SEQUENCE);
        }
        if access.writes() && tracks.write_inhibited() {
            return Err(UnitCheck::WriteInhibited);
        }
        let span = match access {
            Access::ReadRecord { areas, multi_track } => {
                self.read_record(tracks, areas, multi_track, phase)?
            }
            Access::ReadRecordZero { multi_track } => self.read_record_zero(tracks, multi_track, phase)?,
            Access::ReadHomeAddress { multi_track } => self.read_home_address(tracks, multi_track, phase)?,
            Access::ReadMultiple => self.read_multiple(tracks, phase)?,
            Access::ReadIpl => self.read_ipl(tracks, phase)?,
            Access::ReadSector => self.read_sector(tracks, phase)?,
            Access::ReadTrackData => self.read_track_data(tracks, phase)?,
            Access::ReadTrack => self.read_track(tracks, phase)?,
            Access::WriteRecord { areas, multi_track } => {
                self.write_record(tracks, scratch, areas, multi_track, phase)?
            }
            Access::WriteTrackData => self.write_track_data(tracks, scratch, phase)?,
            Access::WriteFullTrack => self.write_full_track(tracks, scratch, phase)?,
            Access::WriteHomeAddress => self.write_home_address(tracks, phase)?,
            Access::WriteRecordZero => self.write_record_zero(tracks, scratch, phase)?,
            Access::FormatRecord { next_track } => self.format_record(tracks, scratch, next_track, phase)?,
            Access::Erase => self.erase(tracks, scratch, phase)?,
            Access::Search { field, relation, multi_track } => {
                self.search(tracks, field, relation, multi_track, phase)?
            }
            Access::Device(_) => return Err(INVALID_SEQUENCE),
        };
        if let Some(domain) = self.domain {
            self.domain = domain.after_one();
        }
        self.before = Predecessor::access(access, span.status);
        Ok(span)
    }

    /// Returns whether a command of the chain was executed.
    pub(crate) fn has_begun(&self) -> bool {
        self.before != Predecessor::None
    }

    /// Fails when a domain is open.
    #[inline]
    pub(crate) fn outside_domain(&self) -> Result<(), UnitCheck> {
        match self.domain {
            None => Ok(()),
            Some(_) => Err(INVALID_SEQUENCE),
        }
    }

    /// Fails when a read that needs no position may not stand here. A reservation begins its chain, but for Suspend
    /// Multipath Reconnection, so that no command before it was let in by another; a Release has no use for an
    /// extent or a file mask (both as Hercules 3.13 has them).
    pub(crate) fn lets_device_read(&self, read: DeviceRead) -> Result<(), UnitCheck> {
        self.outside_domain()?;
        let is_in_place = match read {
            DeviceRead::Reserve | DeviceRead::UnconditionalReserve => self.before.lets_reserve(),
            DeviceRead::Release => self.extent.is_none() && self.file_mask.is_none(),
            _ => true,
        };
        if is_in_place { Ok(()) } else { Err(INVALID_SEQUENCE) }
    }

    /// Fails when the chain may not end behind a command without command chaining: the domain is begun and not
    /// finished. A Locate Record that ends its chain only positions (as Hercules 3.13 has it).
    pub(crate) fn ends_unchained(&self) -> Result<(), UnitCheck> {
        let is_unfinished = self.domain.is_some_and(|domain| domain.is_unfinished());
        if is_unfinished && self.before != Predecessor::Locate {
            Err(UnitCheck::IncompleteDomain)
        } else {
            Ok(())
        }
    }

    /// Returns where the device stands; fails when nothing of the chain has positioned it.
    #[inline(always)]
    pub(crate) fn located(&self) -> Result<Position, UnitCheck> {
        self.position.ok_or(INVALID_SEQUENCE)
    }

    /// Returns the extent of the chain: the whole device when nothing defined one.
    #[inline]
    pub(crate) fn extent_on(&self, geometry: &Geometry) -> Extent {
        match self.extent {
            Some(extent) => extent,
            None => Extent::whole_device(geometry, self.file_mask.unwrap_or_default()),
        }
    }

    /// Returns the position after the count area of the next record.
    #[inline]
    pub(crate) fn next_record<T: Tracks>(
        &mut self,
        tracks: &mut T,
        skips_record_zero: bool,
        multi_track: bool,
    ) -> Result<Position, UnitCheck> {
        let position = self.located()?;
        let extent = self.extent_on(tracks.geometry());
        let at_end = match (self.domain.is_some(), multi_track) {
            (true, true) => AtTrackEnd::NextTrack,
            (true, false) => AtTrackEnd::Stay,
            (false, true) => AtTrackEnd::NextHead,
            (false, false) => AtTrackEnd::SameTrack,
        };
        let search = RecordSearch {
            extent: &extent,
            at_end,
            skips_record_zero,
            index_points: &mut self.index_points,
            track_set: None,
        };
        position.next_record(tracks, search)
    }

    /// Passes the index of the same track, which a search may do once.
    pub(crate) fn pass_index<T: Tracks>(
        &mut self,
        tracks: &mut T,
        position: Position,
    ) -> Result<(), UnitCheck> {
        let extent = self.extent_on(tracks.geometry());
        let mut search = RecordSearch {
            extent: &extent,
            at_end: AtTrackEnd::SameTrack,
            skips_record_zero: false,
            index_points: &mut self.index_points,
            track_set: None,
        };
        position.advance(tracks, &mut search).map(|_| ())
    }

    /// Returns the position on the track that a track command works on.
    #[inline(always)]
    pub(crate) fn on_track<T: Tracks>(&mut self, tracks: &mut T) -> Result<Position, UnitCheck> {
        let position = self.next_track(tracks)?;
        let declared = self.extent.as_ref();
        if declared.is_none_or(|extent| extent.agrees_with(position.records_behind_zero())) {
            Ok(position)
        } else {
            Err(UnitCheck::InvalidTrackFormat)
        }
    }

    /// Returns the position on this track, or on the next when all of this one has passed.
    #[inline(always)]
    pub(crate) fn next_track<T: Tracks>(&mut self, tracks: &mut T) -> Result<Position, UnitCheck> {
        let position = self.located()?;
        if position.area() != Area::End {
            return Ok(position);
        }
        let extent = self.extent_on(tracks.geometry());
        let at_end = if self.domain.is_some() { AtTrackEnd::NextTrack } else { AtTrackEnd::NextHead };
        let mut search = RecordSearch {
            extent: &extent,
            at_end,
            skips_record_zero: false,
            index_points: &mut self.index_points,
            track_set: self.track_set.as_mut(),
        };
        let position = position.advance(tracks, &mut search)?;
        self.position = Some(position);
        Ok(position)
    }
}

#[cfg(test)]
mod tests {
    use crate::eckd_device::EckdDevice;
    use crate::rig::{MemoryTracks, Port};
    use halftrack_program::command::*;
    use halftrack_program::{
        ChainEnd, CommandProgram, Device, Geometry, Grouping, Model, Operation, Positioning, ProgramShape,
        RecordAddress, command_program,
    };
    use halftrack_volume::{Tracks, UniformTracks};
    use proptest::prelude::*;

    /// Runs a program; gives the bytes of data that moved and whether a length was incorrect.
    fn run<T: Tracks>(program: &CommandProgram, tracks: T) -> (u32, bool) {
        let mut device = EckdDevice::new(tracks);
        let (mut moved, mut incorrect) = (0, false);
        for ccw in &program.ccws {
            let count = u32::from(ccw.count);
            let mut port = match class(ccw.command) {
                CommandClass::Control => Port::sending(&ccw.parameters),
                CommandClass::Write => Port::counting(count),
                _ => Port::taking(count as usize),
            };
            let end = device.execute(ccw.command, &mut port);
            assert_eq!(end.status.0, 0x0C, "{ccw:?}: {end:?}");
            let suppressed = ccw.flags & halftrack_program::CcwFlags::SUPPRESS_LENGTH.0 != 0;
            incorrect |= end.device_bytes != count && !suppressed;
            if class(ccw.command) != CommandClass::Control {
                moved += end.moved_bytes;
            }
        }
        assert!(device.chain.domain.is_none(), "the domain is used up");
        assert_eq!(device.end_chain(ChainEnd::Unchained), None);
        (moved, incorrect)
    }

    proptest! {
        #[test]
        fn what_the_builder_builds_the_control_unit_executes(
            record_bytes in 1..=56_664_u16, records in 1..=200_u16, record in 1..=78_u8, head in 0..15_u8,
            write in any::<bool>(), grouping in 0..3_usize, classic in any::<bool>(),
        ) {
            let geometry = Geometry::of(Model::Model9);
            let shape = ProgramShape {
                operation: if write { Operation::UpdateWrite } else { Operation::Read },
                record_bytes,
                records,
                grouping: [Grouping::Records, Grouping::Midaw, Grouping::TrackData][grouping],
                positioning: if classic { Positioning::DefineExtentLocateRecord } else { Positioning::Prefix },
            };
            let per_track = geometry.records_per_track(record_bytes, 0);
            let start = RecordAddress { cylinder: 100, head, record: (record - 1) % per_track + 1 };
            if let Ok(program) = command_program(&shape, &start, &geometry) {
                let tracks = UniformTracks::new(geometry, record_bytes);
                prop_assert_eq!(run(&program, tracks), (shape.data_bytes(), false));
                if record_bytes == 4096 {
                    prop_assert_eq!(run(&program, MemoryTracks::of_4k()), (shape.data_bytes(), false));
                }
            } else {
                prop_assert!(write && classic && shape.grouping != Grouping::Records);
            }
        }

        #[test]
        fn any_commands_end_somehow(
            commands in prop::collection::vec(
                (any::<u8>(), any::<u16>(), prop::collection::vec(any::<u8>(), 0..70)), 0..8),
            seeks in any::<bool>(),
        ) {
            let mut device = EckdDevice::new(MemoryTracks::of_4k());
            if seeks {
                device.does(SEEK, &[0; 6]);
            }
            for (command, count, octets) in commands {
                let mut port = match class(command) {
                    CommandClass::Control | CommandClass::Write => Port::sending(&octets),
                    _ => Port::taking(count.into()),
                };
                let end = device.execute(command, &mut port);
                prop_assert!(end.moved_bytes <= u32::from(count).max(octets.len() as u32));
                prop_assert_eq!(end.sense.is_some(), end.status.0 & 2 != 0);
            }
        }
    }

    #[test]
    fn a_no_operation_moves_nothing() {
        let mut unit = EckdDevice::new(MemoryTracks::of_4k());
        for command in [NO_OPERATION, SUSPEND_MULTIPATH_RECONNECTION] {
            let end = unit.send(command, &[0]);
            assert_eq!((end.status.0, end.moved_bytes, end.device_bytes, end.immediate), (0x0C, 0, 0, true));
        }
    }
}
