//! The information unit in a whole sequence, and the most octets of one.

use halftrack_wire::choices::{MAX_IU_BYTES, SENSE_BYTES};
use halftrack_wire::fc_header::{FcHeader, fc_type, routing};
use halftrack_wire::iu::COMMAND_OVERHEAD_BYTES;
use halftrack_wire::transfer_ready::TRANSFER_READY_BYTES;
use halftrack_wire::transport_iu::{ABORT_ACCEPT_BYTES, COMMAND_MAX_BYTES, COMMAND_PREFIX_BYTES};
use halftrack_wire::transport_response::RESPONSE_BYTES;
use halftrack_wire::{Address, Iu, ParseError, TransportPart};

use super::Sequence;

/// Returns the most octets of a sequence whose frames have this header, when transport-mode data may have `data_room`.
#[must_use]
pub fn most_bytes(header: &FcHeader, data_room: impl FnOnce() -> u32) -> usize {
    match (header.fc_type, header.r_ctl) {
        (fc_type::SB_CHANNEL | fc_type::SB_CONTROL_UNIT, _) => MAX_IU_BYTES as usize,
        (_, routing::DATA) => data_room() as usize,
        (_, routing::COMMAND) => COMMAND_MAX_BYTES,
        (_, routing::DATA_DESCRIPTOR) => TRANSFER_READY_BYTES,
        (_, routing::STATUS) => RESPONSE_BYTES + SENSE_BYTES,
        (_, routing::BA_ACC) => ABORT_ACCEPT_BYTES,
        _ => 0,
    }
}

impl Sequence<'_> {
    /// Returns its IU. An IU without an address of its own gets `address`, that of its exchange. `data_part` returns
    /// the part of the transfer that data of a relative offset and a number of octets are.
    ///
    /// # Errors
    /// The octets are no IU of their kind.
    pub fn read(
        self,
        address: Address,
        data_part: impl FnOnce(u32, u32) -> TransportPart,
    ) -> Result<Iu, ParseError> {
        let FcHeader { fc_type, r_ctl, parameter, .. } = self.header;
        let short = |expected| ParseError::Length { expected, got: self.bytes() };
        let part = match (fc_type, r_ctl) {
            (fc_type::SB_CHANNEL | fc_type::SB_CONTROL_UNIT, _) => {
                let short = short(COMMAND_OVERHEAD_BYTES as usize);
                let (overhead, rest) = self.split().ok_or(short)?;
                return Iu::of_command_mode(&overhead, rest);
            }
            (_, routing::COMMAND) => {
                let short = short(COMMAND_PREFIX_BYTES);
                let (prefix, tccb) = self.split().ok_or(short)?;
                return Iu::of_transport_command(&prefix, tccb);
            }
            (_, routing::DATA) => data_part(parameter, self.bytes() as u32),
            (_, routing::DATA_DESCRIPTOR) => TransportPart::TransferReady,
            (_, routing::STATUS) => TransportPart::Response,
            (_, routing::ABTS) => TransportPart::Abort,
            (_, routing::BA_ACC) => TransportPart::AbortAccept,
            (_, other) => return Err(ParseError::Field { field: "category", value: u32::from(other) }),
        };
        if let TransportPart::Data { relative_offset, inserted_bytes, ends_transfer } = part {
            let octets = self.into_octets();
            return Iu::of_transport_data(address, relative_offset, inserted_bytes, ends_transfer, octets);
        }
        Iu::parse_transport_mode(part, address, self.octets())
    }
}
