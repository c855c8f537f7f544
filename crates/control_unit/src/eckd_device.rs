//! A count-key-data device with its control unit: the commands of a channel on tracks.

use halftrack_program::command::*;
use halftrack_program::{
    ChainEnd, DataPort, Device, DeviceEnd, DeviceStatus, Octets, OperationEnd, SENSE_BYTES, TrackAddress,
    Transfer,
};
use halftrack_volume::{TrackFault, Tracks};

use crate::access::{Access, DeviceRead};
use crate::chain::{Chain, INVALID_PARAMETER};
use crate::characteristics::{configuration_data, device_characteristics, sense_id};
use crate::domain::Domain;
use crate::parameters;
use crate::path_state::PathState;
use crate::phase::{Phase, Scratch, Span};
use crate::predecessor::Predecessor;
use crate::sense::{Message, Sense, UnitCheck};
use crate::subsystem_function::Prepared;

const INVALID_COMMAND: UnitCheck = UnitCheck::CommandReject(Message::InvalidCommand);

/// A device over `T`, whose tracks hold octets or only their number.
#[derive(Debug, Clone)]
pub struct EckdDevice<T> {
    pub(crate) tracks: T,
    pub(crate) chain: Chain,
    scratch: Scratch,
    /// The chain has written.
    written: bool,
    reserved: bool,
    path: PathState,
}

impl<T: Tracks> EckdDevice<T> {
    /// Creates a device with these tracks, before its first chain.
    pub fn new(tracks: T) -> Self {
        Self {
            tracks,
            chain: Chain::default(),
            scratch: Scratch::default(),
            written: false,
            reserved: false,
            path: PathState::default(),
        }
    }

    /// Returns the tracks.
    pub fn tracks(&self) -> &T {
        &self.tracks
    }

    /// Returns the tracks, for what is no command of a channel.
    pub fn tracks_mut(&mut self) -> &mut T {
        &mut self.tracks
    }

    /// Ends the next command or operation over the path with this unit check, unless another is pending there.
    pub fn present(&mut self, event: UnitCheck) {
        self.path.present(event);
    }

    /// Comes over another path: what the device keeps for the path so far changes places with `path`.
    pub fn swap_path(&mut self, path: &mut PathState) {
        std::mem::swap(&mut self.path, path);
    }

    /// Returns what the device keeps for the path over which the last chain came.
    pub fn path(&self) -> &PathState {
        &self.path
    }

    /// Returns whether the path, or its group, has the device reserved.
    pub fn is_reserved(&self) -> bool {
        self.reserved
    }

    /// Sets the device reserved to this path or its group, or not. The owner of several paths decides which one it
    /// is.
    pub fn set_reserved(&mut self, reserved: bool) {
        self.reserved = reserved;
    }

    /// Gives the tracks back.
    pub fn into_tracks(self) -> T {
        self.tracks
    }

    /// Executes a command other than a control.
    pub(crate) fn access<P: DataPort>(
        &mut self,
        access: Access,
        phase: &mut Phase<'_, P>,
    ) -> Result<Span, UnitCheck> {
        if let Access::Device(read) = access {
            return self.read_device(read, phase);
        }
        self.written |= access.writes();
        self.chain.transfer(&mut self.tracks, &mut self.scratch, access, phase)
    }

    /// Executes a control command with its parameters.
    pub(crate) fn control(&mut self, command: u8, parameters: &[u8]) -> Result<(), UnitCheck> {
        let tracks = &mut self.tracks;
        let chain = &mut self.chain;
        match command {
            PREFIX => chain.prefix(tracks, parameters)?,
            DEFINE_EXTENT => chain.define_extent(tracks, parameters)?,
            LOCATE_RECORD => chain.locate_record(tracks, parameters)?,
            LOCATE_RECORD_EXTENDED => chain.locate_record_extended(tracks, parameters)?,
            SEEK | SEEK_CYLINDER | SEEK_HEAD | RECALIBRATE => chain.seek(tracks, command, parameters)?,
            SET_FILE_MASK => chain.set_file_mask(parameters)?,
            SET_SECTOR => chain.set_sector(parameters)?,
            NO_OPERATION | SUSPEND_MULTIPATH_RECONNECTION => chain.outside_domain()?,
            SET_PATH_GROUP_ID => {
                chain.outside_domain()?;
                self.path.group.set(parameters)?;
            }
            PERFORM_SUBSYSTEM_FUNCTION => {
                chain.outside_domain()?;
                chain.prepared = Prepared::perform(parameters)?;
            }
            _ => return Err(INVALID_COMMAND),
        }
        self.chain.before = self.chain.before.then_control(command);
        Ok(())
    }

    /// Returns a read that needs no position.
    fn read_device<P: DataPort>(
        &mut self,
        read: DeviceRead,
        phase: &mut Phase<'_, P>,
    ) -> Result<Span, UnitCheck> {
        self.chain.lets_device_read(read)?;
        self.chain.before = Predecessor::Other;
        let geometry = self.tracks.geometry();
        let mut give = |bytes: &[u8]| {
            phase.give(Octets::Bytes(bytes));
            Ok(Span::of(bytes.len() as u32))
        };
        match read {
            DeviceRead::Sense => give(&self.path.sense.take().unwrap_or_default()),
            DeviceRead::SenseId => give(&sense_id(geometry)),
            DeviceRead::Characteristics => give(&device_characteristics(geometry)),
            DeviceRead::ConfigurationData => give(&configuration_data(geometry)),
            DeviceRead::SubsystemData => Prepared::read(self.chain.prepared.take(), give)?,
            DeviceRead::PathGroupId => give(&self.path.group.sense(self.reserved)),
            // Nothing is logged.
            DeviceRead::BufferedLog => give(&[0; SENSE_BYTES]),
            DeviceRead::Reserve | DeviceRead::UnconditionalReserve => {
                self.reserved = true;
                give(&[0; SENSE_BYTES])
            }
            DeviceRead::Release => {
                self.reserved = false;
                give(&[0; SENSE_BYTES])
            }
        }
    }

    /// Takes the unit check that the next command or operation over the path ends with.
    #[inline]
    pub(crate) fn take_event(&mut self) -> Option<UnitCheck> {
        self.path.take_event()
    }

    /// Returns the unit check of `reason` at the position of the device, kept for a Sense. That of a write that fails
    /// inside a domain has the remaining part of the domain.
    pub(crate) fn unit_check(&mut self, reason: UnitCheck, writes: bool) -> [u8; SENSE_BYTES] {
        let track = self.chain.position.map_or(TrackAddress::default(), |position| position.track());
        let mut sense = Sense::new(reason, track, self.tracks.geometry());
        let remaining = self.chain.domain.as_ref().map(Domain::remaining);
        if let (true, Some(remaining), false) = (writes, remaining, reason.is_precise()) {
            sense = sense.imprecise(remaining);
        }
        self.path.sense = Some(*sense.bytes());
        *sense.bytes()
    }

    /// Returns the ending of a chain whose records could not be made safe, in the place of the one that it had reached.
    pub fn fail_chain(&mut self, fault: TrackFault) -> DeviceEnd {
        DeviceEnd {
            status: DeviceStatus::NORMAL_END.with(DeviceStatus::UNIT_CHECK),
            moved_bytes: 0,
            device_bytes: 0,
            immediate: false,
            sense: Some(self.unit_check(UnitCheck::from_fault(fault), false)),
        }
    }

    fn command<P: DataPort>(&mut self, command: u8, phase: &mut Phase<'_, P>) -> Result<Span, UnitCheck> {
        if class(command) != CommandClass::Control {
            return self.access(Access::of(command).ok_or(INVALID_COMMAND)?, phase);
        }
        parameters::take(command, phase, |parameters| self.control(command, parameters))?;
        // An imbedded command has a meaning in a DCW only.
        if self.chain.domain.as_ref().is_some_and(|domain| domain.imbedded().is_some()) {
            return Err(INVALID_PARAMETER);
        }
        // What was accepted was complete.
        Ok(Span { immediate: phase.moved() == 0, ..Span::of(phase.moved()) })
    }
}

impl<T: Tracks> Device for EckdDevice<T> {
    fn execute(&mut self, command: u8, port: &mut impl DataPort) -> DeviceEnd {
        if command != SENSE {
            self.path.sense = None;
        }
        let mut phase = Phase::of_command(port);
        let result = match self.take_event() {
            Some(event) => Err(event),
            None => self.command(command, &mut phase),
        };
        let moved_bytes = phase.moved();
        match result {
            Ok(span) => DeviceEnd {
                status: span.status,
                moved_bytes,
                device_bytes: span.device_bytes,
                immediate: span.immediate,
                sense: None,
            },
            Err(reason) => {
                let writes = Access::of(command).is_some_and(Access::writes);
                DeviceEnd {
                    status: DeviceStatus::NORMAL_END.with(DeviceStatus::UNIT_CHECK),
                    moved_bytes,
                    device_bytes: moved_bytes,
                    immediate: false,
                    sense: Some(self.unit_check(reason, writes)),
                }
            }
        }
    }

    fn execute_operation(
        &mut self,
        tccb: &[u8],
        transfer: Transfer,
        port: &mut impl DataPort,
    ) -> OperationEnd {
        self.path.sense = None;
        self.execute_dcws(tccb, transfer, port)
    }

    fn end_chain(&mut self, end: ChainEnd) -> Option<DeviceEnd> {
        let committed = if std::mem::take(&mut self.written) { self.tracks.commit() } else { Ok(()) };
        let reason = match committed {
            Err(fault) => Some(UnitCheck::from_fault(fault)),
            Ok(()) if end == ChainEnd::Unchained => self.chain.ends_unchained().err(),
            Ok(()) => None,
        };
        let ending = reason.map(|reason| DeviceEnd {
            status: DeviceStatus::NORMAL_END.with(DeviceStatus::UNIT_CHECK),
            moved_bytes: 0,
            device_bytes: 0,
            immediate: false,
            sense: Some(self.unit_check(reason, false)),
        });
        self.chain = Chain::default();
        ending
    }
}
