//! One transport-mode operation: TCW and TCCB are fetched, the device executes the whole TCCB, and its ending is
//! stored in the transport-status block (reference 6).

use crate::data_port::{DataPort, Octets};
use crate::dcw::parse_dcws;
use crate::device::{ChainEnd, Device, OperationEnd, SENSE_BYTES};
use crate::interpreter::piece::Piece;
use crate::interpreter::tidaw_list::{TidawList, TidawUse};
use crate::interpreter::transport_areas::TransportAreas;
use crate::interpreter::{ChannelEnding, control_check, data_check};
use crate::observer::Observer;
use crate::scsw::DeferredCondition;
use crate::status::{DeviceStatus, SubchannelStatus};
use crate::storage::Storage;
use crate::tccb::{ServiceAction, TCAH_BYTES, TCAT_BYTES};
use crate::tcw::{TCW_BYTES, Tcw, TcwFlags, Transfer};
use crate::tsb::{
    InterrogateAnswer, LENGTH_WITH_SENSE, LENGTH_WITH_TIMES, STATUS_AREA, STATUS_AREA_BYTES, TSB_BYTES, Tsb,
    TsbArea, TsbFlags, TsbTimes,
};

const PROGRAM_CHECK: SubchannelStatus = SubchannelStatus::PROGRAM_CHECK;
/// Most bytes of the TCCB of an operation in one direction.
const TCCB_MAXIMUM_BYTES: usize = TCAH_BYTES + 240 + TCAT_BYTES;
/// Parameters of a transport-mode ORB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TransportOrb {
    pub(crate) key: u8,
    pub(crate) address: u32,
    /// The TCW is one that interrogates another operation.
    pub(crate) interrogates: bool,
}

/// Result of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TransportOutcome {
    pub(crate) ending: ChannelEnding,
    /// The transport-status block was stored.
    pub(crate) is_stored: bool,
    /// Address of the TCW that interrogates this operation, when it is known and not 0.
    pub(crate) interrogate_address: Option<u32>,
}

/// Room for a TCCB.
type TccbRoom = [u8; TCCB_MAXIMUM_BYTES];

/// Returns whether the service action of a TCCB interrogates; a header that cannot be read is the device's to reject.
fn interrogates(tccb: &[u8]) -> bool {
    tccb[8..10] == ServiceAction::Interrogate.code().to_be_bytes()
}

/// The status area of a TSB, which the answer to an interrogation fills from byte 12 on.
struct StatusArea {
    bytes: [u8; STATUS_AREA_BYTES],
    filled: usize,
}

impl DataPort for StatusArea {
    fn give(&mut self, octets: Octets<'_>) -> u32 {
        let room = (STATUS_AREA_BYTES - self.filled) as u32;
        let given = octets.first(room);
        let end = self.filled + given.len() as usize;
        if let Octets::Bytes(bytes) = given {
            self.bytes[self.filled..end].copy_from_slice(bytes);
        }
        self.filled = end;
        given.len()
    }

    fn take(&mut self, _: u32) -> Octets<'_> {
        Octets::NONE
    }
}

/// Runs the operation of the TCW that the ORB points to.
#[inline]
pub(crate) fn run_transport(
    orb: TransportOrb,
    storage: &mut impl Storage,
    device: &mut impl Device,
    observer: &mut impl Observer,
) -> TransportOutcome {
    let tcw = fetch_tcw(orb, storage, observer);
    let interrogate_address = tcw.ok().map(|tcw| tcw.interrogate_address).filter(|address| *address != 0);
    let executed = tcw.and_then(|tcw| execute(orb, &tcw, storage, device, observer));
    let replaced = device.end_chain(ChainEnd::Broken);
    let (ending, is_stored) = match executed {
        Ok(mut operation) => {
            if let Some(end) = replaced {
                (operation.end.status, operation.end.sense) = (end.status, end.sense);
            }
            operation.conclude(orb.key, storage)
        }
        Err(status) => {
            let device_status = replaced.map_or(DeviceStatus(0), |end| end.status);
            let sense = replaced.and_then(|end| end.sense);
            (ChannelEnding { sense, ..ChannelEnding::by_channel(status, device_status) }, false)
        }
    };
    TransportOutcome { ending, is_stored, interrogate_address }
}

#[inline]
fn fetch_tcw(
    orb: TransportOrb,
    storage: &mut impl Storage,
    observer: &mut impl Observer,
) -> Result<Tcw, SubchannelStatus> {
    let octets = storage.fetch_array::<TCW_BYTES>(u64::from(orb.address), orb.key).map_err(control_check)?;
    let tcw = Tcw::parse(&octets).map_err(|_| PROGRAM_CHECK)?;
    observer.tcw(orb.address, &tcw);
    // The bidirectional facility is not offered; a direction without a count is wrong.
    let is_right = match tcw.transfer {
        Transfer::None => true,
        Transfer::Read => tcw.input_count > 0,
        Transfer::Write => tcw.output_count > 0,
        Transfer::Bidirectional => false,
    };
    if is_right { Ok(tcw) } else { Err(PROGRAM_CHECK) }
}

#[inline]
fn fetch_tccb<'r>(
    key: u8,
    tcw: &Tcw,
    room: &'r mut TccbRoom,
    storage: &mut impl Storage,
    observer: &mut impl Observer,
) -> Result<&'r [u8], SubchannelStatus> {
    let tccb = &mut room[..TCAH_BYTES + usize::from(tcw.area_bytes()) + TCAT_BYTES];
    if tcw.flags.contains(TcwFlags::TCCB_TIDAWS) {
        fetch_tccb_pieces(key, tcw, tccb, storage, observer)?;
    } else {
        storage.fetch_all(tcw.tccb_address, tccb, key).map_err(control_check)?;
    }
    observe_tccb(tccb, observer);
    Ok(tccb)
}

fn fetch_tccb_pieces(
    key: u8,
    tcw: &Tcw,
    mut rest: &mut [u8],
    storage: &mut impl Storage,
    observer: &mut impl Observer,
) -> Result<(), SubchannelStatus> {
    let mut list = TidawList::new(TidawUse::Tccb, tcw.tccb_address);
    while !rest.is_empty() {
        let Piece { address, bytes, .. } = list.next(rest.len() as u32, storage, observer, key)?.piece;
        let (into, after) = rest.split_at_mut(bytes as usize);
        storage.fetch_all(address, into, key).map_err(control_check)?;
        rest = after;
    }
    Ok(())
}

#[inline]
fn observe_tccb<O: Observer>(tccb: &[u8], observer: &mut O) {
    if !O::WATCHES {
        return;
    }
    observer.tccb(tccb);
    let area = &tccb[TCAH_BYTES..tccb.len() - TCAT_BYTES];
    for dcw in parse_dcws(area).unwrap_or_default() {
        observer.dcw(&dcw);
    }
}

/// Answer to an interrogation.
type Answer = [u8; STATUS_AREA_BYTES];

/// An operation that the device has executed.
struct Operation {
    end: OperationEnd,
    fault: SubchannelStatus,
    tsb_address: u64,
    answer: Option<Answer>,
}

#[inline]
fn execute(
    orb: TransportOrb,
    tcw: &Tcw,
    storage: &mut impl Storage,
    device: &mut impl Device,
    observer: &mut impl Observer,
) -> Result<Operation, SubchannelStatus> {
    let mut room = [0; TCCB_MAXIMUM_BYTES];
    let tccb = fetch_tccb(orb.key, tcw, &mut room, storage, observer)?;
    let tsb_address = tcw.tsb_address;
    if interrogates(tccb) {
        let mut area = StatusArea { bytes: [0; STATUS_AREA_BYTES], filled: 0 };
        let end = device.execute_operation(tccb, tcw.transfer, &mut area);
        observer.operation_ended(&end, SubchannelStatus(0));
        return Ok(Operation { end, fault: SubchannelStatus(0), tsb_address, answer: Some(area.bytes) });
    }
    if orb.interrogates {
        return Err(PROGRAM_CHECK);
    }
    let mut areas = TransportAreas::new(storage, observer, orb.key, tcw);
    if !areas.fault().is_empty() {
        return Err(areas.fault());
    }
    let mut end = device.execute_operation(tccb, tcw.transfer, &mut areas);
    let fault = areas.fault();
    observer.operation_ended(&end, fault);
    if !fault.is_empty() {
        // Device status of data that broke off does not count for the program: the channel ended them.
        (end.status, end.sense, end.program_check) = (DeviceStatus::NORMAL_END, None, None);
    }
    Ok(Operation { end, fault, tsb_address, answer: None })
}

impl Operation {
    /// Stores the ending, unless the device did not take the operation.
    #[inline]
    fn conclude(&self, key: u8, storage: &mut impl Storage) -> (ChannelEnding, bool) {
        let mut ending = ChannelEnding {
            deferred: DeferredCondition::Normal,
            device_status: self.end.status,
            subchannel_status: self.fault,
            sense: self.end.sense,
        };
        if !self.end.status.contains(DeviceStatus::CHANNEL_END) && self.end.program_check.is_none() {
            ending.deferred = DeferredCondition::StatusPending;
            return (ending, false);
        }
        if self.end.program_check.is_some() {
            ending.subchannel_status = ending.subchannel_status | PROGRAM_CHECK;
        }
        let stored = storage.store_all(self.tsb_address, &self.tsb(), key).map_err(data_check);
        ending.subchannel_status = ending.subchannel_status | stored.err().unwrap_or_default();
        (ending, stored.is_ok())
    }

    /// Returns the status block. Its times are the twin's: here none pass.
    #[inline]
    fn tsb(&self) -> [u8; TSB_BYTES] {
        let times = TsbTimes::default();
        match (self.end.program_check, &self.end.sense, &self.answer) {
            (None, None, None) => {
                self.emit(LENGTH_WITH_TIMES, TsbArea::Io { times, sense: [0; SENSE_BYTES] })
            }
            (None, Some(sense), _) => self.emit(LENGTH_WITH_SENSE, TsbArea::Io { times, sense: *sense }),
            (Some(reason), sense, _) => {
                let (qualifier, sense) = ([0; 16], sense.unwrap_or_default());
                self.emit(LENGTH_WITH_SENSE, TsbArea::ProgramCheck { reason, qualifier, sense })
            }
            (None, None, Some(answer)) => {
                let area = TsbArea::Interrogate(InterrogateAnswer::default());
                let mut bytes = self.emit(LENGTH_WITH_SENSE, area);
                bytes[STATUS_AREA..].copy_from_slice(answer);
                bytes
            }
        }
    }

    #[inline]
    fn emit(&self, length: u8, area: TsbArea) -> [u8; TSB_BYTES] {
        let (valid, dcw_offset) = match self.end.dcw_offset {
            Some(offset) => (TsbFlags::DCW_OFFSET_VALID, offset),
            None => (TsbFlags(0), 0),
        };
        let flags = valid | TsbFlags::COUNT_VALID;
        Tsb { length, flags, dcw_offset, residual_count: self.end.residual, area }.emit()
    }
}

#[cfg(test)]
mod tests;
