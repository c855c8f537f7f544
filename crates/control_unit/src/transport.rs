//! Transport mode as the control unit sees it: one TCCB, whose DCWs run through one chain.

use halftrack_program::command::{CommandClass, PREFIX, PREFIX_READ, class};
use halftrack_program::{
    DataPort, DcwView, DeviceStatus, OperationEnd, SENSE_BYTES, Transfer, with_check_word,
};
use halftrack_volume::Tracks;

use crate::access::{Access, Direction};
use crate::chain::INVALID_PARAMETER;
use crate::domain::Imbedded;
use crate::eckd_device::EckdDevice;
use crate::interrogation;
use crate::phase::Phase;
use crate::program_check::{ProgramCheckReason, Refusal};
use crate::sense::{Message, UnitCheck};
use crate::transport_operation::Operation;

/// The execution of a DCW list.
struct Run<'d, T> {
    device: &'d mut EckdDevice<T>,
    direction: Direction,
    /// Bytes of user data moved.
    moved: u32,
    /// Number of bytes with inserted check words and their padding.
    link_bytes: u32,
    /// Whether the device requested data that did not come.
    starved: bool,
}

/// How a DCW ended: with status, with unit check and whether it wrote, or with a program check.
enum DcwEnd {
    Status(DeviceStatus),
    UnitCheck(UnitCheck, bool),
    ProgramCheck(ProgramCheckReason),
}

impl<T: Tracks> EckdDevice<T> {
    /// Executes the DCWs of `tccb`, header to trailer, whose data move in the direction of `transfer`.
    #[inline]
    pub(crate) fn execute_dcws<P: DataPort>(
        &mut self,
        tccb: &[u8],
        transfer: Transfer,
        port: &mut P,
    ) -> OperationEnd {
        if let Some(answered) = interrogation::answer(tccb, transfer, port) {
            return answered.unwrap_or_else(|refusal| refused(refusal, 0));
        }
        let operation = match Operation::parse(tccb, transfer) {
            Ok(operation) => operation,
            Err(refusal) => return refused(refusal, 0),
        };
        let mut run =
            Run { device: self, direction: operation.direction, moved: 0, link_bytes: 0, starved: false };
        let mut status = DeviceStatus::NORMAL_END;
        let mut sense = None;
        let mut offset = 0;
        let mut dcws = operation.dcws.clone().flatten();
        for dcw in dcws.by_ref() {
            offset = dcw.offset;
            let before = run.moved;
            let end = match run.device.take_event() {
                Some(event) => DcwEnd::UnitCheck(event, false),
                None => run.dcw(&dcw, port),
            };
            match end {
                DcwEnd::Status(end) => status = end,
                DcwEnd::UnitCheck(reason, writes) => {
                    sense = Some(run.device.unit_check(reason, writes));
                    status = DeviceStatus::NORMAL_END.with(DeviceStatus::UNIT_CHECK);
                }
                DcwEnd::ProgramCheck(reason) => return refused((reason, Some(offset)), operation.data_count),
            }
            // The data of the next DCW would not come from where the program put them.
            let short = run.moved - before < dcw.data_count;
            if short || status != DeviceStatus::NORMAL_END {
                break;
            }
        }
        let residual = operation.data_count - run.moved;
        let normal = status == DeviceStatus::NORMAL_END;
        let complete = normal && residual == 0;
        if normal && run.starved || complete && !operation.transport_count_is(run.link_bytes) {
            return refused((ProgramCheckReason::TransportCount, None), operation.data_count);
        }
        let moved_bytes = run.moved;
        let is_last = dcws.next().is_none();
        if is_last
            && sense.is_none()
            && let Err(reason) = self.chain.ends_unchained()
        {
            sense = Some(self.unit_check(reason, false));
            status = DeviceStatus::NORMAL_END.with(DeviceStatus::UNIT_CHECK);
        }
        OperationEnd { status, moved_bytes, residual, dcw_offset: Some(offset), program_check: None, sense }
    }
}

/// Ends a refused TCCB with unit check.
fn refused((reason, dcw_offset): Refusal, residual: u32) -> OperationEnd {
    OperationEnd {
        status: DeviceStatus::NORMAL_END.with(DeviceStatus::UNIT_CHECK),
        moved_bytes: 0,
        residual,
        dcw_offset,
        program_check: Some(reason.code()),
        sense: None::<[u8; SENSE_BYTES]>,
    }
}

impl<T: Tracks> Run<'_, T> {
    #[inline]
    fn dcw<P: DataPort>(&mut self, dcw: &DcwView<'_>, port: &mut P) -> DcwEnd {
        let has_data = dcw.data_count > 0;
        if let Some(access) = Access::of(dcw.command) {
            return if has_data && access.direction() != self.direction {
                DcwEnd::ProgramCheck(ProgramCheckReason::TransferDirection)
            } else if matches!(access, Access::Search { .. }) {
                // There is no DCW that a satisfied search could skip.
                DcwEnd::UnitCheck(UnitCheck::CommandReject(Message::InvalidCommand), false)
            } else {
                self.access(access, &mut Phase::of_dcw(port, dcw.data_count))
            };
        }
        let (command, direction) = match (dcw.command, class(dcw.command)) {
            (PREFIX_READ, _) => (PREFIX, Some(Direction::Read)),
            (command, CommandClass::Control) => (command, has_data.then_some(Direction::Write)),
            (command, _) => (command, None),
        };
        if direction.is_some_and(|direction| direction != self.direction) {
            return DcwEnd::ProgramCheck(ProgramCheckReason::TransferDirection);
        }
        match self.device.control(command, dcw.control_data) {
            Ok(()) if has_data => self.imbedded_data(dcw.data_count, port),
            Ok(()) => DcwEnd::Status(DeviceStatus::NORMAL_END),
            Err(reason) => DcwEnd::UnitCheck(reason, false),
        }
    }

    /// Treats the data of a control command as data of the command that it imbeds.
    #[inline]
    fn imbedded_data<P: DataPort>(&mut self, data_count: u32, port: &mut P) -> DcwEnd {
        let rejected = DcwEnd::UnitCheck(INVALID_PARAMETER, false);
        let Some(domain) = self.device.chain.domain else {
            return rejected;
        };
        match (domain.imbedded(), domain.imbedded_direction()) {
            (Some(imbedded), Some(direction)) if direction == self.direction => {
                self.imbedded(imbedded, &mut Phase::of_dcw(port, data_count))
            }
            (Some(_), Some(_)) => DcwEnd::ProgramCheck(ProgramCheckReason::TransferDirection),
            _ => rejected,
        }
    }

    /// Runs the imbedded command unit by unit over one data count.
    #[inline]
    fn imbedded<P: DataPort>(&mut self, imbedded: Imbedded, phase: &mut Phase<'_, P>) -> DcwEnd {
        let Some(access) = Access::of(imbedded.command) else {
            return DcwEnd::UnitCheck(INVALID_PARAMETER, false);
        };
        for unit in 1..=imbedded.units {
            let before = self.moved;
            let end = self.access(access, phase);
            let bytes = self.moved - before;
            if imbedded.check_words && unit < imbedded.units {
                self.link_bytes += with_check_word(bytes) - bytes;
            }
            if !matches!(end, DcwEnd::Status(DeviceStatus::NORMAL_END)) {
                return end;
            }
            if imbedded.check_words && unit < imbedded.units && !phase.take_check_word() {
                return DcwEnd::UnitCheck(UnitCheck::DataCheck, access.writes());
            }
        }
        DcwEnd::Status(DeviceStatus::NORMAL_END)
    }

    /// Moves one unit of a transfer.
    #[inline]
    fn access<P: DataPort>(&mut self, access: Access, phase: &mut Phase<'_, P>) -> DcwEnd {
        let before = phase.moved();
        let result = self.device.access(access, phase);
        let bytes = phase.moved() - before;
        self.moved += bytes;
        self.link_bytes += bytes;
        self.starved |= phase.starved();
        match result {
            Ok(span) => DcwEnd::Status(span.status),
            Err(reason) => DcwEnd::UnitCheck(reason, access.writes()),
        }
    }
}

#[cfg(test)]
mod tests;
