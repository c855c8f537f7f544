//! The commands that move data: by record, by track, and the few that need no position.

use halftrack_program::TrackAddress;

use crate::access::Access;
use crate::chain::Chain;
use crate::data_phase::{Areas, DataPhase, Direction, Place};
use crate::domain::Domain;
use crate::ending::Ending;
use crate::extent::Extent;
use crate::position::{AtTrackEnd, Position};
use crate::sense::{Message, SENSE_BYTES, UnitCheck};
use crate::tracks::{RecordLengths, Tracks};

const INVALID_SEQUENCE: UnitCheck = UnitCheck::CommandReject(Message::InvalidSequence);
const COUNT_AREA_BYTES: u32 = 8;
/// Read Track ends with this many bytes of FF.
const END_MARKER_BYTES: u32 = 8;

impl Areas {
    /// Bytes of these areas of a record.
    fn bytes(self, lengths: RecordLengths) -> u32 {
        let part = |wanted: bool, bytes: u32| if wanted { bytes } else { 0 };
        part(self.count, COUNT_AREA_BYTES)
            + part(self.key, u32::from(lengths.key))
            + part(self.data, u32::from(lengths.data))
    }
}

/// What a transfer covers before the count of the command cuts it.
struct Span {
    place: Place,
    device_bytes: u32,
    ending: Ending,
}

impl Chain {
    /// Accepts or refuses a data transfer and moves the position past it.
    pub(crate) fn transfer(
        &mut self,
        tracks: &impl Tracks,
        access: Access,
        count: u32,
    ) -> Result<DataPhase, UnitCheck> {
        let admitted = self.domain.is_none_or(|domain| domain.admits(access));
        if !admitted {
            return Err(INVALID_SEQUENCE);
        }
        let direction = access.direction();
        if direction == Direction::Write {
            if self.domain.is_none() {
                return Err(INVALID_SEQUENCE);
            }
            if tracks.write_inhibited() {
                return Err(UnitCheck::WriteInhibited);
            }
        }
        let span = match access {
            Access::Sense => no_sense(),
            Access::ReadIpl => self.read_ipl(tracks)?,
            Access::ReadRecord { areas, multi_track } | Access::WriteRecord { areas, multi_track } => {
                self.record(tracks, areas, multi_track)?
            }
            Access::ReadTrackData | Access::WriteTrackData => self.track_data(tracks)?,
            Access::ReadTrack => self.read_track(tracks)?,
        };
        self.domain = self.domain.and_then(Domain::after_one);
        Ok(DataPhase {
            direction,
            place: span.place,
            device_bytes: span.device_bytes,
            data_bytes: span.device_bytes.min(count),
            ending: span.ending,
        })
    }

    fn located(&self) -> Result<(Position, Extent), UnitCheck> {
        self.position.zip(self.extent).ok_or(INVALID_SEQUENCE)
    }

    fn read_ipl(&mut self, tracks: &impl Tracks) -> Result<Span, UnitCheck> {
        self.before_any_extent()?;
        self.extent = Some(Extent::whole_device(tracks.geometry()));
        self.position = Some(Position::before(TrackAddress::default(), 1));
        self.record(tracks, Areas { count: false, key: false, data: true }, false)
    }

    fn record(&mut self, tracks: &impl Tracks, areas: Areas, multi_track: bool) -> Result<Span, UnitCheck> {
        let (position, extent) = self.located()?;
        let at_end = match (self.domain.is_some(), multi_track) {
            (true, true) => AtTrackEnd::NextTrack,
            (true, false) => AtTrackEnd::Stay,
            (false, true) => AtTrackEnd::NextHead,
            (false, false) => AtTrackEnd::SameTrack,
        };
        let (position, record, lengths) = position.next_record(tracks, &extent, at_end)?;
        self.position = Some(position.after(record));
        let end_of_file = areas.data && lengths.data == 0;
        Ok(Span {
            place: Place::Record { track: position.track(), record, areas },
            device_bytes: areas.bytes(lengths),
            ending: if end_of_file { Ending::UnitException } else { Ending::Normal },
        })
    }

    fn track_data(&mut self, tracks: &impl Tracks) -> Result<Span, UnitCheck> {
        let domain = self.domain.ok_or(INVALID_SEQUENCE)?;
        let position = self.go_to_track(tracks)?;
        let track = position.track();
        let first = position.first_data_record();
        let mut bytes = 0;
        let mut ending = Ending::Normal;
        for record in first..=tracks.records_on_track(track.cylinder(), track.head()) {
            let lengths =
                tracks.record(track.cylinder(), track.head(), record).ok_or(UnitCheck::InvalidTrackFormat)?;
            if lengths.data == 0 {
                ending = Ending::UnitException;
                break;
            }
            bytes += u32::from(lengths.data);
        }
        let (device_bytes, ending) = match domain.bytes_of_next_track().map(u32::from) {
            Some(wanted) if wanted <= bytes => (wanted, Ending::Normal),
            // The program expects more than the track holds: the layout is not what it thinks.
            Some(_) if ending.is_normal() => return Err(UnitCheck::InvalidTrackFormat),
            _ => (bytes, ending),
        };
        self.position = Some(position.at_track_end());
        Ok(Span { place: Place::TrackData { track, first }, device_bytes, ending })
    }

    fn read_track(&mut self, tracks: &impl Tracks) -> Result<Span, UnitCheck> {
        if !self.follows_locate_or_read_track() {
            return Err(INVALID_SEQUENCE);
        }
        let position = self.go_to_track(tracks)?;
        let track = position.track();
        let all = Areas { count: true, key: true, data: true };
        let device_bytes = (0..=tracks.records_on_track(track.cylinder(), track.head()))
            .filter_map(|record| tracks.record(track.cylinder(), track.head(), record))
            .map(|lengths| all.bytes(lengths))
            .sum::<u32>()
            + END_MARKER_BYTES;
        self.position = Some(position.at_track_end());
        Ok(Span { place: Place::Track { track }, device_bytes, ending: Ending::Normal })
    }

    /// Goes to the track that a track command works on and checks it against the extent's declaration.
    fn go_to_track(&mut self, tracks: &impl Tracks) -> Result<Position, UnitCheck> {
        let (position, extent) = self.located()?;
        let at_end = if self.domain.is_some() { AtTrackEnd::NextTrack } else { AtTrackEnd::NextHead };
        let position = position.on_track(tracks, &extent, at_end)?;
        self.position = Some(position);
        let track = position.track();
        if extent.agrees_with(tracks.records_on_track(track.cylinder(), track.head())) {
            Ok(position)
        } else {
            Err(UnitCheck::InvalidTrackFormat)
        }
    }
}

/// A unit check carries its sense with its status, so none is left for a Sense command.
fn no_sense() -> Span {
    Span { place: Place::Sense, device_bytes: SENSE_BYTES as u32, ending: Ending::Normal }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data_phase::CommandOutcome;
    use crate::rig::*;
    use halftrack_program::command::*;
    use halftrack_program::{
        DefineExtent, DefineExtentExtension, DomainOperation, ExtendedAuxiliary, ExtendedOperation, FileMask,
        LocateRecordExtended, Orientation,
    };

    const READ_DATA_MT: u8 = multi_track(READ_DATA);

    fn read_data(tracks: &MixedTracks, head: u8, record: u8, count: u8) -> Chain {
        positioned(tracks, read_extent(), locate(READ_DATA_DOMAIN, head, record, count))
    }

    fn run(chain: &mut Chain, tracks: &MixedTracks, command: u8) -> CommandOutcome {
        chain.execute(tracks, command, 65_535, &[])
    }

    #[test]
    fn a_record_is_read_as_far_as_the_count_goes() {
        let tracks = MixedTracks::of_4k();
        let mut chain = read_data(&tracks, 3, 1, 2);
        let short = chain.execute(&tracks, READ_DATA, 1000, &[]);
        assert_eq!((short.data_bytes, short.device_bytes, short.direction), (1000, 4096, Direction::Read));
        let long = chain.execute(&tracks, READ_DATA, 5000, &[]);
        assert_eq!((long.data_bytes, long.device_bytes), (4096, 4096));
    }

    #[test]
    fn inside_a_domain_only_matching_commands_pass() {
        let tracks = MixedTracks::of_4k();
        let chain = read_data(&tracks, 3, 1, 9);
        for command in
            [READ_TRACK_DATA, READ_TRACK, READ_COUNT, WRITE_DATA, WRITE_TRACK_DATA, SENSE, NO_OPERATION]
        {
            let outcome = run(&mut chain.clone(), &tracks, command);
            assert_eq!(reason(outcome), INVALID_SEQUENCE, "{command:#04x}");
        }
        for command in [READ_DATA, READ_DATA_MT, READ_KEY_AND_DATA] {
            assert!(run(&mut chain.clone(), &tracks, command).ending.is_normal(), "{command:#04x}");
        }
    }

    #[test]
    fn every_kind_of_domain_has_its_commands() {
        let tracks = MixedTracks::of_4k();
        let commands = [
            READ_DATA,
            READ_COUNT,
            READ_TRACK_DATA,
            READ_TRACK,
            WRITE_DATA,
            WRITE_KEY_AND_DATA,
            WRITE_TRACK_DATA,
        ];
        let passed = |operation| {
            let chain = positioned(&tracks, extent(FileMask::ALL_WRITES), locate(operation, 3, 1, 1));
            commands.map(|command| run(&mut chain.clone(), &tracks, command).ending.is_normal())
        };
        let [y, n] = [true, false];
        assert_eq!(passed(READ_DATA_DOMAIN), [y, n, n, n, n, n, n]);
        assert_eq!(passed(READ_DOMAIN), [y, y, n, n, n, n, n]);
        assert_eq!(passed(READ_TRACKS_DOMAIN), [n, n, y, y, n, n, n]);
        assert_eq!(passed(WRITE_DATA_DOMAIN), [n, n, n, n, y, y, n]);
        assert_eq!(passed(WRITE_TRACK_DATA_DOMAIN), [n, n, n, n, n, n, y]);
        assert_eq!(passed(DomainOperation::Extended(ExtendedOperation::ReadAny)), [y, y, y, y, n, n, n]);
        assert_eq!(passed(DomainOperation::Extended(ExtendedOperation::WriteAny)), [n, n, n, n, y, y, y]);
    }

    #[test]
    fn a_command_that_is_not_there_is_invalid() {
        let tracks = MixedTracks::of_4k();
        for command in [PERFORM_SUBSYSTEM_FUNCTION, WRITE_COUNT_KEY_AND_DATA, 0xA7, 0x00, PREFIX_READ] {
            let outcome = run(&mut Chain::new(), &tracks, command);
            assert_eq!(reason(outcome), UnitCheck::CommandReject(Message::InvalidCommand), "{command:#04x}");
        }
    }

    #[test]
    fn transfers_need_a_position_and_writes_a_domain() {
        let tracks = MixedTracks::of_4k();
        for command in [READ_DATA, READ_TRACK, READ_TRACK_DATA, WRITE_DATA] {
            assert_eq!(reason(run(&mut Chain::new(), &tracks, command)), INVALID_SEQUENCE, "{command:#04x}");
        }
        let mut chain = read_data(&tracks, 3, 1, 1);
        run(&mut chain, &tracks, READ_DATA);
        assert_eq!(reason(run(&mut chain, &tracks, WRITE_DATA)), INVALID_SEQUENCE);
    }

    #[test]
    fn a_multi_track_read_crosses_cylinders_inside_a_domain_and_not_the_extent() {
        let tracks = MixedTracks::of_4k();
        let mut chain = read_data(&tracks, 14, 12, 255);
        for _ in 0..1 + 15 * 12 {
            assert!(run(&mut chain, &tracks, READ_DATA_MT).ending.is_normal());
        }
        let outcome = run(&mut chain, &tracks, READ_DATA_MT);
        assert_eq!(reason(outcome), UnitCheck::FileProtected);
        assert_eq!(outcome.ending.sense().unwrap().bytes()[29..], [0, 101, 14]);
    }

    #[test]
    fn a_single_track_read_stays_inside_a_domain() {
        let tracks = MixedTracks::of_4k();
        let mut chain = read_data(&tracks, 3, 12, 2);
        assert!(run(&mut chain, &tracks, READ_DATA).ending.is_normal());
        assert_eq!(reason(run(&mut chain, &tracks, READ_DATA)), UnitCheck::NoRecordFound);
    }

    #[test]
    fn outside_a_domain_reads_go_on_to_the_end_of_the_cylinder() {
        let tracks = MixedTracks::of_4k();
        let mut chain = read_data(&tracks, 14, 11, 1);
        run(&mut chain, &tracks, READ_DATA);
        assert!(run(&mut chain, &tracks, READ_DATA_MT).ending.is_normal(), "the last record of the cylinder");
        assert!(run(&mut chain.clone(), &tracks, READ_DATA).ending.is_normal(), "record 1 after the index");
        let outcome = run(&mut chain, &tracks, READ_DATA_MT);
        assert_eq!(reason(outcome), UnitCheck::EndOfCylinder);
    }

    #[test]
    fn an_empty_track_ends_a_search() {
        let tracks = MixedTracks::of_4k().with(100, 4, &[]);
        let mut chain = read_data(&tracks, 3, 12, 2);
        run(&mut chain, &tracks, READ_DATA_MT);
        assert_eq!(reason(run(&mut chain, &tracks, READ_DATA_MT)), UnitCheck::NoRecordFound);
    }

    #[test]
    fn areas_of_a_record_have_their_lengths() {
        let tracks = MixedTracks::of_4k().with(100, 3, &[(8, 100), (8, 200), (8, 300), (8, 400)]);
        let mut chain = positioned(&tracks, read_extent(), locate(READ_DOMAIN, 3, 1, 4));
        let lengths = [READ_COUNT, READ_DATA, READ_KEY_AND_DATA, READ_COUNT_KEY_AND_DATA]
            .map(|command| run(&mut chain, &tracks, command).device_bytes);
        assert_eq!(lengths, [8, 200, 308, 416]);
    }

    #[test]
    fn an_end_of_file_record_ends_with_unit_exception() {
        let tracks = MixedTracks::of_4k().with(100, 3, &[(0, 4096), (0, 0)]);
        let mut chain = read_data(&tracks, 3, 1, 2);
        assert!(run(&mut chain, &tracks, READ_DATA).ending.is_normal());
        let outcome = run(&mut chain, &tracks, READ_DATA);
        assert_eq!((outcome.ending.device_status().0, outcome.data_bytes), (0x0D, 0));
        let mut chain = positioned(&tracks, read_extent(), locate(READ_TRACKS_DOMAIN, 3, 1, 1));
        let outcome = run(&mut chain, &tracks, READ_TRACK_DATA);
        assert_eq!((outcome.ending, outcome.data_bytes), (Ending::UnitException, 4096));
    }

    #[test]
    fn track_reads_go_track_by_track_from_the_start_record() {
        let tracks = MixedTracks::of_4k();
        let mut chain = positioned(&tracks, read_extent(), locate(READ_TRACKS_DOMAIN, 14, 5, 3));
        let lengths = [(); 3].map(|()| run(&mut chain, &tracks, READ_TRACK_DATA).device_bytes);
        assert_eq!(lengths, [8 * 4096, 12 * 4096, 12 * 4096]);
        assert_eq!(
            reason(run(&mut chain, &tracks, READ_TRACK_DATA)),
            INVALID_SEQUENCE,
            "the domain is closed"
        );
    }

    #[test]
    fn the_last_track_is_read_as_far_as_the_program_says() {
        let tracks = MixedTracks::of_4k();
        let partial = |bytes| LocateRecordExtended {
            auxiliary: ExtendedAuxiliary::TRANSFER_LENGTH_VALID
                | ExtendedAuxiliary::TRANSFER_LENGTH_LAST_TRACK,
            transfer_length_bytes: bytes,
            ..locate(READ_TRACKS_DOMAIN, 3, 5, 2)
        };
        let mut chain = positioned(&tracks, read_extent(), partial(8192));
        let lengths = [(); 2].map(|()| run(&mut chain, &tracks, READ_TRACK_DATA).device_bytes);
        assert_eq!(lengths, [8 * 4096, 8192]);
        let mut chain = positioned(&tracks, read_extent(), partial(49_153));
        run(&mut chain, &tracks, READ_TRACK_DATA);
        assert_eq!(reason(run(&mut chain, &tracks, READ_TRACK_DATA)), UnitCheck::InvalidTrackFormat);
    }

    #[test]
    fn a_declared_number_of_records_is_checked() {
        let tracks = MixedTracks::of_4k().with(100, 4, &[(0, 4096); 11]);
        let declared = DefineExtent {
            extension: Some(DefineExtentExtension {
                format: DefineExtentExtension::RECORDS_PER_TRACK_VALID,
                records_per_track: 12,
                ..Default::default()
            }),
            ..read_extent()
        };
        let mut chain = positioned(&tracks, declared, locate(READ_TRACKS_DOMAIN, 3, 1, 2));
        assert!(run(&mut chain, &tracks, READ_TRACK_DATA).ending.is_normal());
        assert_eq!(reason(run(&mut chain, &tracks, READ_TRACK_DATA)), UnitCheck::InvalidTrackFormat);
    }

    #[test]
    fn read_track_follows_a_locate_or_itself_and_advances() {
        let tracks = MixedTracks::of_4k().with(100, 3, &[(8, 100)]);
        let mut chain = positioned(&tracks, read_extent(), locate(READ_TRACKS_DOMAIN, 3, 1, 2));
        let lengths = [(); 2].map(|()| run(&mut chain, &tracks, READ_TRACK).device_bytes);
        assert_eq!(lengths, [16 + 116 + 8, 16 + 12 * 4104 + 8]);
        let outside = run(&mut chain, &tracks, READ_TRACK);
        assert!(outside.ending.is_normal(), "the next track after a Read Track, outside the domain");
        run(&mut chain, &tracks, READ_DATA_MT);
        assert_eq!(reason(run(&mut chain, &tracks, READ_TRACK)), INVALID_SEQUENCE);
    }

    #[test]
    fn writes_take_what_the_record_holds() {
        let tracks = MixedTracks::of_4k();
        let mut chain =
            positioned(&tracks, extent(FileMask::UPDATE_WRITES_ONLY), locate(WRITE_DATA_DOMAIN, 3, 12, 3));
        let short = chain.execute(&tracks, multi_track(WRITE_DATA), 100, &[]);
        assert_eq!((short.data_bytes, short.device_bytes, short.direction), (100, 4096, Direction::Write));
        let long = chain.execute(&tracks, multi_track(WRITE_DATA), 5000, &[]);
        assert_eq!((long.data_bytes, long.device_bytes), (4096, 4096));
    }

    #[test]
    fn a_write_inhibited_device_says_so() {
        let tracks = MixedTracks::of_4k().write_inhibited();
        let mut chain =
            positioned(&tracks, extent(FileMask::UPDATE_WRITES_ONLY), locate(WRITE_DATA_DOMAIN, 3, 1, 1));
        assert_eq!(reason(run(&mut chain, &tracks, WRITE_DATA)), UnitCheck::WriteInhibited);
    }

    #[test]
    fn read_ipl_reads_the_first_record_and_opens_the_device() {
        let tracks = MixedTracks::of_4k().with(0, 0, &[(4, 24), (4, 144)]);
        let mut chain = Chain::new();
        assert_eq!(run(&mut chain, &tracks, READ_IPL).data_bytes, 24);
        assert_eq!(run(&mut chain, &tracks, READ_DATA).data_bytes, 144);
        let located =
            chain.execute(&tracks, LOCATE_RECORD_EXTENDED, 20, &locate(READ_DOMAIN, 3, 1, 1).emit());
        assert!(located.ending.is_normal(), "Read IPL stands for a Define Extent");
        assert_eq!(reason(run(&mut chain, &tracks, READ_IPL)), INVALID_SEQUENCE);
    }

    #[test]
    fn places_name_what_moves() {
        let tracks = MixedTracks::of_4k();
        let mut chain = read_data(&tracks, 3, 12, 2);
        let first = chain.begin_read(&tracks, READ_DATA_MT, 4096).unwrap();
        let areas = Areas { count: false, key: false, data: true };
        assert_eq!(first.place, Place::Record { track: track(100, 3), record: 12, areas });
        let second = chain.begin_read(&tracks, READ_DATA_MT, 4096).unwrap();
        assert_eq!(second.place, Place::Record { track: track(100, 4), record: 1, areas });
        let home =
            LocateRecordExtended { orientation: Orientation::Home, ..locate(READ_TRACKS_DOMAIN, 3, 0, 1) };
        let mut chain = positioned(&tracks, read_extent(), home);
        let phase = chain.begin_read(&tracks, READ_TRACK_DATA, 65_535).unwrap();
        assert_eq!(phase.place, Place::TrackData { track: track(100, 3), first: 1 });
        assert_eq!(Chain::new().begin_read(&tracks, SENSE, 32).unwrap().device_bytes, 32);
    }
}
