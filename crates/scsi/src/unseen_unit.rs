//! Commands to the well-known unit of REPORT LUNS, and to units that the initiator does not see (SPC-4, 5.13).

use crate::command::Command;
use crate::inquiry::{self, NO_UNIT, WELL_KNOWN};
use crate::logical_unit::Begun;
use crate::masking::Masking;
use crate::report_luns;
use crate::request::Request;
use crate::response::Refusal;
use crate::sense::{Sense, SenseCode};
use halftrack_wire::fcp::Lun;

/// Carries out a command to no unit of blocks.
pub(crate) fn execute(request: &Request<'_>, masking: &Masking) -> Result<Begun, Refusal> {
    let is_well_known = request.lun == Lun::REPORT_LUNS;
    let other = if is_well_known { SenseCode::INVALID_OPCODE } else { SenseCode::UNIT_NOT_SUPPORTED };
    let command = match Command::decode(request.cdb, true) {
        Ok((command, _)) => command,
        // A mistake in the CDB counts where the unit exists.
        Err(refusal) => return Err(if is_well_known { refusal } else { other.into() }),
    };
    let (mut data, allocation) = match command {
        Command::Inquiry { page: None, allocation } => {
            (inquiry::standard(if is_well_known { WELL_KNOWN } else { NO_UNIT }, None), allocation)
        }
        Command::Inquiry { page: Some(page), allocation } if !is_well_known => {
            (vec![NO_UNIT, page, 0, 0], allocation)
        }
        Command::Inquiry { page: Some(0), allocation } => (vec![WELL_KNOWN, 0, 0, 1, 0], allocation),
        Command::Inquiry { .. } => return Err(Sense::of_cdb_byte(2).into()),
        Command::RequestSense { descriptor, allocation } => {
            let code = if is_well_known { SenseCode::NO_SENSE } else { other };
            (Sense::from(code).to_bytes(descriptor), allocation)
        }
        Command::ReportLuns { select, allocation } => {
            (report_luns::luns(masking, request.task.nexus, select), allocation)
        }
        Command::TestUnitReady if is_well_known => (Vec::new(), 0),
        _ => return Err(other.into()),
    };
    data.truncate(allocation as usize);
    let bytes = data.len() as u64;
    Ok(Begun::DataIn(data, bytes))
}
