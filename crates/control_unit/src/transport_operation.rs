//! A TCCB and its DCWs, checked before any of them runs.

use halftrack_program::{
    DcwList, ServiceAction, TCAH_BYTES, TCAT_BYTES, Tcah, Tcat, Transfer, transport_count,
};

use crate::access::Direction;
use crate::program_check::{ProgramCheckReason, Refusal};

/// A TCCB that is well formed.
pub(crate) struct Operation<'a> {
    /// Its DCWs.
    pub(crate) dcws: DcwList<'a>,
    /// Where their data go.
    pub(crate) direction: Direction,
    /// Sum of the data counts.
    pub(crate) data_count: u32,
    tcat: Tcat,
}

impl<'a> Operation<'a> {
    /// Reads `tccb`, header to trailer, whose data move in the direction of `transfer`.
    ///
    /// # Errors
    /// The reason of a refusal.
    #[inline(always)]
    pub(crate) fn parse(tccb: &'a [u8], transfer: Transfer) -> Result<Self, Refusal> {
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
        let dcws = DcwList::new(&tccb[TCAH_BYTES..end]);
        let mut data_count = 0_u32;
        for step in dcws.clone() {
            let dcw = step.map_err(|error| (ProgramCheckReason::DcwList, Some(error.offset)))?;
            data_count = data_count.checked_add(dcw.data_count).ok_or((ProgramCheckReason::DcwList, None))?;
        }
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

    /// Returns whether the transport count is that of `link_bytes`, inserted check words included. Without data, 0
    /// is taken too.
    #[inline]
    pub(crate) fn transport_count_is(&self, link_bytes: u32) -> bool {
        let count = self.tcat.transport_count;
        count == transport_count(link_bytes) || link_bytes == 0 && count == 0
    }
}
