//! Information units of FCP among those of every protocol, so that one plan, one outbox and one sender take them all.

use super::command::{FcpCommand, FcpTask};
use super::iu::{ABORT_REJECT_BYTES, AbortReject, FcpIu};
use super::lun::Lun;
use super::response::FcpResponse;
use crate::error::EmitError;
use crate::heading::{FromSide, Heading};
use crate::iu::{Address, Body, Iu, IuData};
use crate::iu_parts::IuParts;
use crate::kind::IuKind;
use crate::transfer_ready::TransferReady;

/// A unit that only FCP has, its data left out. FCP_XFER_RDY, ABTS and BA_ACC are those of transport mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FcpUnit {
    /// FCP_CMND. Its logical unit is the device of the IU's address.
    Command(FcpTask),
    /// FCP_DATA; its data are the transfer's octets.
    Data {
        /// Where in the transfer it begins, octets.
        relative_offset: u32,
    },
    /// FCP_RSP; its data is the whole payload ([`FcpResponse::emit`]).
    Response {
        /// The initiator is to confirm that it has the response.
        requests_confirmation: bool,
    },
    /// FCP_CONF.
    Confirmation,
    /// BA_RJT.
    AbortReject(AbortReject),
}

impl FcpUnit {
    pub(crate) const fn kind(&self) -> IuKind {
        match self {
            Self::Command(_) => IuKind::FcpCommand,
            Self::Data { .. } => IuKind::FcpData,
            Self::Response { .. } => IuKind::FcpResponse,
            Self::Confirmation => IuKind::FcpConfirmation,
            Self::AbortReject(_) => IuKind::AbortReject,
        }
    }

    /// Returns the octets of its payload with so many of data.
    pub(crate) fn payload_bytes(self, data_bytes: u32) -> u32 {
        match self {
            Self::Command(task) => FcpCommand { logical_unit: Lun::default(), task }.payload_bytes() as u32,
            Self::Data { .. } | Self::Response { .. } => data_bytes,
            Self::Confirmation => 0,
            Self::AbortReject(_) => ABORT_REJECT_BYTES as u32,
        }
    }

    pub(crate) fn heading(self, from: FromSide) -> Heading {
        self.without_data(Address::default()).heading(from)
    }

    /// Returns what stands around its data.
    pub(crate) fn parts(self, address: Address, data_bytes: usize) -> Result<IuParts, EmitError> {
        match self {
            Self::Data { .. } | Self::Response { .. } => Ok(IuParts::new(&[], data_bytes, &[], false)),
            _ if data_bytes > 0 => Err(EmitError::Data(data_bytes)),
            Self::Command(_) | Self::Confirmation | Self::AbortReject(_) => {
                Ok(self.without_data(address).into_parts().0)
            }
        }
    }

    fn without_data(self, address: Address) -> FcpIu {
        match self {
            Self::Command(task) => FcpIu::Command(FcpCommand { logical_unit: unit_of(address), task }),
            Self::Data { relative_offset } => FcpIu::Data { relative_offset, data: Vec::new() },
            Self::Response { requests_confirmation } => {
                FcpIu::Response(FcpResponse { requests_confirmation, ..FcpResponse::default() })
            }
            Self::Confirmation => FcpIu::Confirmation,
            Self::AbortReject(reject) => FcpIu::AbortReject(reject),
        }
    }
}

/// Returns the logical unit of a device address.
fn unit_of(address: Address) -> Lun {
    Lun::of_number(u32::from(address.device)).unwrap_or_default()
}

impl Iu {
    /// Returns a unit of FCP as an information unit of the exchange with this address, whose device is the logical unit.
    #[must_use]
    pub fn of_fcp(address: Address, iu: FcpIu) -> Self {
        let without_data = |body| (body, IuData::None);
        let (body, data) = match iu {
            FcpIu::Command(command) => without_data(Body::Fcp(FcpUnit::Command(command.task))),
            FcpIu::TransferReady(TransferReady { relative_offset, burst_bytes }) => {
                without_data(Body::TransferReady { relative_offset, burst_bytes })
            }
            FcpIu::Data { relative_offset, data } => {
                (Body::Fcp(FcpUnit::Data { relative_offset }), IuData::Bytes(data))
            }
            FcpIu::Response(response) => {
                let requests_confirmation = response.requests_confirmation;
                let unit = FcpUnit::Response { requests_confirmation };
                (Body::Fcp(unit), IuData::Bytes(response.emit()))
            }
            FcpIu::Confirmation => without_data(Body::Fcp(FcpUnit::Confirmation)),
            FcpIu::Abort => without_data(Body::Abort),
            FcpIu::AbortAccept { ox_id, rx_id } => without_data(Body::AbortAccept { ox_id, rx_id }),
            FcpIu::AbortReject(reject) => without_data(Body::Fcp(FcpUnit::AbortReject(reject))),
        };
        Self { address, body, data }
    }

    /// Returns the same with data of FCP of which only the length is known, when that `is_counted`.
    #[must_use]
    pub fn with_known_data(self, is_counted: bool) -> Self {
        match self.body {
            Body::Fcp(FcpUnit::Data { .. }) if is_counted => {
                Self { data: IuData::Count(self.data.len()), ..self }
            }
            _ => self,
        }
    }

    /// Returns the unit of FCP that this is; none for another protocol's, and for a response without a sound payload. Data of
    /// which only the length is known are zeros.
    #[must_use]
    pub fn into_fcp(self) -> Option<FcpIu> {
        let iu = match self.body {
            Body::Fcp(FcpUnit::Data { relative_offset }) => {
                let data = match self.data {
                    IuData::Bytes(octets) => octets,
                    counted => counted.octets().into_owned(),
                };
                FcpIu::Data { relative_offset, data }
            }
            Body::Fcp(FcpUnit::Response { .. }) => {
                FcpIu::Response(FcpResponse::parse(&self.data.octets()).ok()?)
            }
            Body::Fcp(unit) => unit.without_data(self.address),
            Body::TransferReady { relative_offset, burst_bytes } => {
                FcpIu::TransferReady(TransferReady { relative_offset, burst_bytes })
            }
            Body::Abort => FcpIu::Abort,
            Body::AbortAccept { ox_id, rx_id } => FcpIu::AbortAccept { ox_id, rx_id },
            Body::CommandMode(_)
            | Body::TransportCommand { .. }
            | Body::TransportData { .. }
            | Body::TransportResponse(_)
            | Body::Device(_) => return None,
        };
        Some(iu)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fcp::command::{Cdb, DataDirection};
    use crate::fcp::response::ScsiStatus;
    use crate::heading::{Place, heading};

    const ADDRESS: Address = Address { channel_image: 1, control_unit_image: 2, device: 0x34, token: 5 };

    fn units() -> Vec<(FcpIu, FromSide)> {
        use FromSide::{Channel, ControlUnit};
        let cdb = Cdb::new(&[0x28]).expect("a short block");
        let unit = Lun::of_number(0x34).expect("a small number");
        let command = |block: Cdb| FcpIu::Command(FcpCommand::simple(unit, block, DataDirection::In, 512));
        let check = FcpResponse {
            requests_confirmation: true,
            status: ScsiStatus::CHECK_CONDITION,
            sense: vec![0x70; 18],
            ..FcpResponse::default()
        };
        let data = FcpIu::Data { relative_offset: 2048, data: vec![5; 1023] };
        vec![
            (command(cdb), Channel),
            (command(Cdb::new(&[0x7F; 32]).expect("a long block")), Channel),
            (FcpIu::TransferReady(TransferReady { relative_offset: 4, burst_bytes: 8 }), ControlUnit),
            (data.clone(), Channel),
            (data, ControlUnit),
            (FcpIu::Response(FcpResponse::default()), ControlUnit),
            (FcpIu::Response(check), ControlUnit),
            (FcpIu::Confirmation, Channel),
            (FcpIu::Abort, Channel),
            (FcpIu::AbortReject(AbortReject::NO_SUCH_EXCHANGE), ControlUnit),
        ]
    }

    /// Octets, their number and the headings of frames are those of the format.
    #[test]
    fn a_unit_among_all_others_is_the_same_on_the_fibre() {
        for (fcp, from) in units() {
            let iu = Iu::of_fcp(ADDRESS, fcp.clone());
            let (parts, data) = fcp.clone().into_parts();
            let octets = [parts.before(), &data[..parts.data_bytes as usize], parts.behind()].concat();
            assert_eq!(iu.emit().expect("octets"), octets, "{fcp:?}");
            assert_eq!(iu.payload_bytes() as usize, octets.len(), "{fcp:?}");
            assert_eq!(heading(&iu, from, Place::default()), fcp.heading(from), "{fcp:?}");
            assert_eq!(iu.into_fcp(), Some(fcp));
        }
        let accept = FcpIu::AbortAccept { ox_id: 1, rx_id: 2 };
        assert_eq!(Iu::of_fcp(ADDRESS, accept.clone()).into_fcp(), Some(accept));
    }

    #[test]
    fn only_data_are_user_data() {
        for (fcp, _) in units() {
            let bytes = if let FcpIu::Data { data, .. } = &fcp { data.len() } else { 0 };
            assert_eq!(Iu::of_fcp(ADDRESS, fcp).data_bytes() as usize, bytes);
        }
        let counted = Iu {
            address: ADDRESS,
            body: Body::Fcp(FcpUnit::Data { relative_offset: 512 }),
            data: IuData::Count(3),
        };
        assert_eq!((counted.payload_bytes(), counted.data_bytes()), (3, 3));
        let known = Iu { data: IuData::Bytes(vec![1, 2, 3]), ..counted.clone() };
        assert_eq!(known.clone().with_known_data(false), known);
        assert_eq!(known.with_known_data(true), counted);
        assert_eq!(counted.into_fcp(), Some(FcpIu::Data { relative_offset: 512, data: vec![0; 3] }));
    }

    /// The device of the address is the logical unit, so that a plan's unit is addressed like any other.
    #[test]
    fn a_command_goes_to_the_device_of_its_address() {
        let (command, _) = units().swap_remove(0);
        let iu = Iu::of_fcp(ADDRESS, command).readdressed(Address { device: 9, ..ADDRESS });
        let Some(FcpIu::Command(command)) = iu.into_fcp() else { panic!("a command") };
        assert_eq!(command.logical_unit.number(), Some(9));
    }

    #[test]
    fn what_is_no_unit_of_fcp_is_none() {
        let iu = |body, data| Iu { address: ADDRESS, body, data };
        let response = Body::Fcp(FcpUnit::Response { requests_confirmation: false });
        for other in [
            iu(Body::TransportCommand { read: true, write: false }, IuData::None),
            iu(response, IuData::Bytes(vec![0; 23])),
            iu(response, IuData::None),
        ] {
            assert_eq!(other.into_fcp(), None);
        }
        let command = Body::Fcp(FcpUnit::Confirmation);
        assert_eq!(iu(command, IuData::Count(1)).emit(), Err(EmitError::Data(1)));
    }
}
