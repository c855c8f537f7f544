//! Transport mode as the control unit sees it: one TCCB, whose DCWs run through one chain.

use halftrack_program::command::{CommandClass, PREFIX, PREFIX_READ, class};
use halftrack_program::{
    Dcw, DeviceStatus, PlacedDcw, ServiceAction, TCAH_BYTES, TCAT_BYTES, Tcah, Tcat, Transfer, parse_list,
    transport_count, with_check_word,
};

use crate::access::Access;
use crate::chain::Chain;
use crate::data_phase::Direction;
use crate::domain::Imbedded;
use crate::ending::Ending;
use crate::sense::{Message, UnitCheck};
use crate::tracks::Tracks;

/// Why a control unit refuses a TCCB: a device-detected program check. The codes of the transport-status
/// block are from general knowledge of the architecture, not from a table at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProgramCheckReason {
    /// 3: the length of the TCCB contradicts its header.
    TccbLength,
    /// 4: the header is wrong.
    Header,
    /// 5: the DCW list is wrong.
    DcwList,
    /// 6: the data do not go the way that the commands need.
    TransferDirection,
    /// 7: the transport count is not that of the data and their check words.
    TransportCount,
}

impl ProgramCheckReason {
    /// Reason code of the transport-status block.
    pub const fn code(self) -> u8 {
        match self {
            Self::TccbLength => 3,
            Self::Header => 4,
            Self::DcwList => 5,
            Self::TransferDirection => 6,
            Self::TransportCount => 7,
        }
    }
}

/// How a transport-mode operation ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TransportEnding {
    /// As its last DCW ended.
    Device(Ending),
    /// The TCCB was refused.
    ProgramCheck(ProgramCheckReason),
}

impl TransportEnding {
    /// The device status; a refused TCCB ends with unit check.
    pub const fn device_status(&self) -> DeviceStatus {
        match self {
            Self::Device(ending) => ending.device_status(),
            Self::ProgramCheck(_) => DeviceStatus::NORMAL_END.with(DeviceStatus::UNIT_CHECK),
        }
    }

    /// Whether the operation ended normally.
    pub const fn is_normal(&self) -> bool {
        matches!(self, Self::Device(Ending::Normal))
    }
}

/// What came of a transport-mode operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TransportOutcome {
    /// How it ended.
    pub ending: TransportEnding,
    /// Bytes of user data that moved, check words not counted.
    pub data_bytes: u32,
    /// Bytes of the DCWs' data counts that did not move.
    pub residual: u32,
    /// Offset in the transport-command area of the last DCW executed, or of the one at fault.
    pub dcw_offset: Option<u16>,
}

/// A refusal and the DCW at fault.
type Refusal = (ProgramCheckReason, Option<u16>);

/// Executes the TCCB `tccb`, header to trailer, whose data go as `transfer` says.
pub fn execute_dcws(tracks: &impl Tracks, tccb: &[u8], transfer: Transfer) -> TransportOutcome {
    let operation = match Operation::parse(tccb, transfer) {
        Ok(operation) => operation,
        Err(refusal) => return refused(refusal, 0),
    };
    let mut run = Run { chain: Chain::new(), direction: operation.direction, moved: 0, link_bytes: 0 };
    let mut ending = Ending::Normal;
    let mut offset = 0;
    for placed in &operation.dcws {
        offset = placed.offset;
        match run.dcw(tracks, &placed.dcw) {
            Ok(end) => ending = end,
            Err(reason) => return refused((reason, Some(offset)), operation.data_count),
        }
        if !ending.is_normal() {
            break;
        }
    }
    let residual = operation.data_count - run.moved;
    let complete = ending.is_normal() && residual == 0;
    if complete && !operation.transport_count_is(run.link_bytes) {
        return refused((ProgramCheckReason::TransportCount, None), operation.data_count);
    }
    TransportOutcome {
        ending: TransportEnding::Device(ending),
        data_bytes: run.moved,
        residual,
        dcw_offset: Some(offset),
    }
}

fn refused((reason, dcw_offset): Refusal, residual: u32) -> TransportOutcome {
    TransportOutcome { ending: TransportEnding::ProgramCheck(reason), data_bytes: 0, residual, dcw_offset }
}

/// A TCCB that is well formed.
struct Operation {
    dcws: Vec<PlacedDcw>,
    direction: Direction,
    /// Sum of the data counts.
    data_count: u32,
    tcat: Tcat,
}

impl Operation {
    fn parse(tccb: &[u8], transfer: Transfer) -> Result<Self, Refusal> {
        let tcah = Tcah::parse(tccb).map_err(|error| match error.field {
            "length" | "TCAL" => (ProgramCheckReason::TccbLength, None),
            _ => (ProgramCheckReason::Header, None),
        })?;
        if tcah.action != ServiceAction::Normal {
            return Err((ProgramCheckReason::Header, None));
        }
        let end = TCAH_BYTES + tcah.area_bytes();
        if tccb.len() != end + TCAT_BYTES {
            return Err((ProgramCheckReason::TccbLength, None));
        }
        let tcat = Tcat::parse(&tccb[end..]).map_err(|_| (ProgramCheckReason::TccbLength, None))?;
        let dcws = parse_list(&tccb[TCAH_BYTES..end])
            .map_err(|error| (ProgramCheckReason::DcwList, Some(error.offset)))?;
        let data_count = dcws
            .iter()
            .try_fold(0_u32, |sum, placed| sum.checked_add(placed.dcw.data_count))
            .ok_or((ProgramCheckReason::DcwList, None))?;
        let direction = match transfer {
            Transfer::None => Direction::None,
            Transfer::Read => Direction::Read,
            Transfer::Write => Direction::Write,
            // The bidirectional facility is not offered.
            Transfer::Bidirectional => return Err((ProgramCheckReason::TransferDirection, None)),
        };
        if (direction == Direction::None) != (data_count == 0) {
            return Err((ProgramCheckReason::TransferDirection, None));
        }
        let operation = Self { dcws, direction, data_count, tcat };
        let least =
            direction != Direction::Write || operation.tcat.transport_count >= transport_count(data_count);
        let exact = direction == Direction::Write || operation.transport_count_is(data_count);
        if least && exact { Ok(operation) } else { Err((ProgramCheckReason::TransportCount, None)) }
    }

    /// Whether the transport count is that of `link_bytes`, inserted check words included. Without data, 0
    /// is taken too.
    fn transport_count_is(&self, link_bytes: u32) -> bool {
        let count = self.tcat.transport_count;
        count == transport_count(link_bytes) || link_bytes == 0 && count == 0
    }
}

/// The execution of a DCW list.
struct Run {
    chain: Chain,
    direction: Direction,
    /// Bytes of user data moved.
    moved: u32,
    /// The same with inserted check words and their padding.
    link_bytes: u32,
}

impl Run {
    fn dcw(&mut self, tracks: &impl Tracks, dcw: &Dcw) -> Result<Ending, ProgramCheckReason> {
        if let Some(access) = Access::of(dcw.command) {
            if dcw.data_count > 0 && access.direction() != self.direction {
                return Err(ProgramCheckReason::TransferDirection);
            }
            return Ok(self.transfer(tracks, dcw.command, dcw.data_count));
        }
        match (dcw.command, class(dcw.command)) {
            (PREFIX_READ, _) if self.direction != Direction::Read => {
                Err(ProgramCheckReason::TransferDirection)
            }
            (PREFIX_READ, _) => self.control_with_data(tracks, PREFIX, dcw),
            (_, CommandClass::Control) if dcw.data_count > 0 && self.direction != Direction::Write => {
                Err(ProgramCheckReason::TransferDirection)
            }
            (command, _) => self.control_with_data(tracks, command, dcw),
        }
    }

    /// A control command, and the command that it imbeds when there are data to move.
    fn control_with_data(
        &mut self,
        tracks: &impl Tracks,
        command: u8,
        dcw: &Dcw,
    ) -> Result<Ending, ProgramCheckReason> {
        let ending = self.chain.control(tracks, command, &dcw.control_data);
        if !ending.is_normal() || dcw.data_count == 0 {
            return Ok(ending);
        }
        let Some(domain) = self.chain.domain else {
            return Ok(self.invalid_parameter(tracks));
        };
        match (domain.imbedded(), domain.imbedded_direction()) {
            (Some(imbedded), Some(direction)) if direction == self.direction => {
                Ok(self.imbedded(tracks, imbedded, dcw.data_count))
            }
            (Some(_), Some(_)) => Err(ProgramCheckReason::TransferDirection),
            _ => Ok(self.invalid_parameter(tracks)),
        }
    }

    fn invalid_parameter(&self, tracks: &impl Tracks) -> Ending {
        self.chain.unit_check(tracks, UnitCheck::CommandReject(Message::InvalidParameter))
    }

    /// Runs the imbedded command unit by unit over one data count.
    fn imbedded(&mut self, tracks: &impl Tracks, imbedded: Imbedded, data_count: u32) -> Ending {
        let mut left = data_count;
        for unit in 1..=imbedded.units {
            let before = self.moved;
            let ending = self.transfer(tracks, imbedded.command, left);
            let bytes = self.moved - before;
            left -= bytes;
            if imbedded.check_words && unit < imbedded.units {
                self.link_bytes += with_check_word(bytes) - bytes;
            }
            if !ending.is_normal() {
                return ending;
            }
        }
        Ending::Normal
    }

    /// One unit of a transfer of at most `count` bytes.
    fn transfer(&mut self, tracks: &impl Tracks, command: u8, count: u32) -> Ending {
        let phase = match Access::of(command).map(Access::direction) {
            Some(Direction::Write) => self.chain.begin_write(tracks, command, count),
            _ => self.chain.begin_read(tracks, command, count),
        };
        match phase {
            Ok(phase) => {
                self.moved += phase.data_bytes;
                self.link_bytes += phase.data_bytes;
                phase.ending
            }
            Err(ending) => ending,
        }
    }
}
