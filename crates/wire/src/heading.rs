//! Contents of the frame headers of an information unit (reference sections 1.1, 1.4, 6.3, 6.6).

use crate::dib::StatusFlags;
use crate::fc_header::{FrameControl, fc_type, routing};
use crate::iu::{Body, Iu};
use crate::kind::IuKind;
use crate::link_control::LinkFunction;

/// Sending side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FromSide {
    /// The channel.
    Channel,
    /// The control unit.
    ControlUnit,
}

impl FromSide {
    /// Returns the TYPE of its SB frames.
    #[must_use]
    pub const fn sb_type(self) -> u8 {
        match self {
            FromSide::Channel => fc_type::SB_CHANNEL,
            FromSide::ControlUnit => fc_type::SB_CONTROL_UNIT,
        }
    }
}

/// Position of the sequence of an IU in its FC exchange; the IU itself does not contain it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Place {
    /// Command mode: the first sequence that the sender sends in its one-way exchange.
    pub first: bool,
    /// Command mode: the last one. A status that ends the exchange is the control unit's last in any case:
    /// [`ends_exchange`].
    pub last: bool,
    /// Transport mode: the sender sends another sequence behind this one, so it keeps the initiative (the data of a
    /// write that follow their command at once).
    pub keeps_initiative: bool,
}

/// R_CTL, TYPE, F_CTL and parameter of the frames of a sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Heading {
    /// Octet 0 of every header.
    pub r_ctl: u8,
    /// Octet 8 of every header.
    pub fc_type: u8,
    /// F_CTL of the last frame but for END_SEQUENCE and the count of fill octets. Earlier frames leave
    /// [`FrameControl::INITIATIVE`] out too: [`Heading::frame_control`].
    pub f_ctl: FrameControl,
    /// Parameter of the first frame. With relative offset in F_CTL, each later frame adds the octets of the payloads
    /// before it.
    pub parameter: u32,
}

impl Heading {
    /// Returns the F_CTL of a frame of the sequence, fill octets left to who emits it.
    #[must_use]
    pub const fn frame_control(&self, last_frame: bool) -> FrameControl {
        if last_frame {
            self.f_ctl.with(FrameControl::END_SEQUENCE)
        } else {
            FrameControl(self.f_ctl.0 & !FrameControl::INITIATIVE.0)
        }
    }

    /// Returns the parameter of a frame before which `sent_bytes` octets of the sequence's payload went out.
    #[must_use]
    pub const fn frame_parameter(&self, sent_bytes: u32) -> u32 {
        if self.f_ctl.has(FrameControl::RELATIVE_OFFSET) {
            self.parameter.wrapping_add(sent_bytes)
        } else {
            self.parameter
        }
    }

    /// Returns the heading of a link-control IU: an exchange of its own, of one sequence (6.5).
    #[must_use]
    pub const fn of_link_control(function: &LinkFunction, from: FromSide) -> Self {
        Self {
            r_ctl: if function.is_request() {
                routing::UNSOLICITED_CONTROL
            } else {
                routing::SOLICITED_CONTROL
            },
            fc_type: from.sb_type(),
            f_ctl: FrameControl::FIRST_SEQUENCE.with(FrameControl::LAST_SEQUENCE),
            parameter: 0,
        }
    }
}

/// Returns the heading of `iu`, sent by `from`.
#[must_use]
pub fn heading(iu: &Iu, from: FromSide, place: Place) -> Heading {
    let kind = iu.kind();
    let (r_ctl, parameter) = (routing_of(kind), 0);
    match &iu.body {
        Body::CommandMode(_) => {
            let place = Place { last: place.last || ends_exchange(iu), ..place };
            Heading { r_ctl, fc_type: from.sb_type(), f_ctl: one_way(place), parameter }
        }
        Body::TransportCommand { .. } => {
            let f_ctl = FrameControl::FIRST_SEQUENCE.with(initiative(place));
            Heading { r_ctl, fc_type: fc_type::FCP, f_ctl, parameter }
        }
        Body::TransferReady { .. } => {
            let f_ctl = FrameControl::RESPONDER.with(FrameControl::INITIATIVE);
            Heading { r_ctl, fc_type: fc_type::FCP, f_ctl, parameter }
        }
        Body::TransportData { relative_offset, .. } => {
            let f_ctl = match from {
                FromSide::Channel => initiative(place),
                // The response follows.
                FromSide::ControlUnit => FrameControl::RESPONDER,
            };
            let f_ctl = f_ctl.with(FrameControl::RELATIVE_OFFSET);
            Heading { r_ctl, fc_type: fc_type::FCP, f_ctl, parameter: *relative_offset }
        }
        Body::TransportResponse(_) => {
            let f_ctl = FrameControl::RESPONDER.with(FrameControl::LAST_SEQUENCE);
            Heading { r_ctl, fc_type: fc_type::FCP, f_ctl, parameter }
        }
        // Never on Fibre Channel: a circuit has no such heading.
        Body::Device(_) => Heading { r_ctl, fc_type: from.sb_type(), f_ctl: one_way(place), parameter },
        Body::Abort => {
            let f_ctl = responder(from).with(FrameControl::INITIATIVE);
            Heading { r_ctl, fc_type: fc_type::BASIC_LINK_SERVICE, f_ctl, parameter }
        }
        Body::AbortAccept { .. } => {
            let f_ctl = responder(from).with(FrameControl::LAST_SEQUENCE);
            Heading { r_ctl, fc_type: fc_type::BASIC_LINK_SERVICE, f_ctl, parameter }
        }
        Body::Fcp(unit) => unit.heading(from),
    }
}

/// Returns true for a status that is the last IU of the control unit in a command-mode exchange. A request for retry
/// is none, nor is a device end alone, with which the retry may come now.
#[must_use]
pub const fn ends_exchange(iu: &Iu) -> bool {
    match iu.status() {
        Some(status) => !status.flags.has(StatusFlags::RETRY) && status.device_status != DEVICE_END,
        None => false,
    }
}

/// Device status: device end alone.
const DEVICE_END: u8 = 0x04;

/// Returns the category of an IU. Control IUs that answer are solicited control, those that start something unsolicited (6.3).
const fn routing_of(kind: IuKind) -> u8 {
    match kind {
        IuKind::Command | IuKind::CommandData | IuKind::TransportCommand | IuKind::FcpCommand => {
            routing::COMMAND
        }
        IuKind::Data | IuKind::TransportData | IuKind::FcpData => routing::DATA,
        IuKind::Status | IuKind::TransportResponse | IuKind::FcpResponse => routing::STATUS,
        IuKind::TransferReady => routing::DATA_DESCRIPTOR,
        IuKind::ControlEnd
        | IuKind::CommandResponse
        | IuKind::CommandResponseAccepted
        | IuKind::DataRequest
        | IuKind::StackStatus
        | IuKind::DeviceException
        | IuKind::StatusAccepted
        | IuKind::DeviceAck
        | IuKind::PurgePathResponse
        | IuKind::FcpConfirmation => routing::SOLICITED_CONTROL,
        IuKind::Cancel
        | IuKind::SystemReset
        | IuKind::SelectiveReset
        | IuKind::RequestStatus
        | IuKind::PurgePath => routing::UNSOLICITED_CONTROL,
        IuKind::Abort => routing::ABTS,
        IuKind::AbortAccept => routing::BA_ACC,
        IuKind::AbortReject => routing::BA_RJT,
    }
}

/// Returns the F_CTL in a one-way exchange: each side is the originator of its own, and the initiative never passes (6.3).
const fn one_way(place: Place) -> FrameControl {
    let first = if place.first { FrameControl::FIRST_SEQUENCE } else { FrameControl(0) };
    let last = if place.last { FrameControl::LAST_SEQUENCE } else { FrameControl(0) };
    first.with(last)
}

const fn initiative(place: Place) -> FrameControl {
    if place.keeps_initiative { FrameControl(0) } else { FrameControl::INITIATIVE }
}

pub(crate) const fn responder(from: FromSide) -> FrameControl {
    match from {
        FromSide::Channel => FrameControl(0),
        FromSide::ControlUnit => FrameControl::RESPONDER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dib::{CommandDib, ControlDib, ControlFunction, Dib, StatusDib};
    use crate::iu::{Address, CommandMode, IuData};
    use crate::iu_header::DataFlags;
    use crate::transport_response::TransportResponse;

    const FIRST: Place = Place { first: true, last: false, keeps_initiative: false };
    const LAST: Place = Place { first: false, last: true, keeps_initiative: false };
    const MIDDLE: Place = Place { first: false, last: false, keeps_initiative: false };
    const KEEPS: Place = Place { first: false, last: false, keeps_initiative: true };

    fn iu(body: Body) -> Iu {
        Iu { address: Address::default(), body, data: IuData::None }
    }

    fn command_mode(dib: Dib) -> Iu {
        iu(Body::CommandMode(CommandMode { flags: DataFlags::default(), ccw: 1, iu_count: 1, dib }))
    }

    fn last_frame(iu: &Iu, from: FromSide, place: Place) -> (u8, u8, u32) {
        let heading = heading(iu, from, place);
        (heading.r_ctl, heading.fc_type, heading.frame_control(true).0)
    }

    /// The headers of the reference's section 9.3.
    #[test]
    fn published_command_mode_headers() {
        use FromSide::{Channel, ControlUnit};
        let read = command_mode(Dib::Command(CommandDib::default()));
        assert_eq!(last_frame(&read, Channel, MIDDLE), (0x06, 0x1B, 0x08_0000));
        let response = command_mode(Dib::Control(ControlDib::command_response(16)));
        assert_eq!(last_frame(&response, ControlUnit, FIRST), (0x03, 0x1C, 0x28_0000));
        let status = |device_status, flags| {
            command_mode(Dib::Status(StatusDib { flags, device_status, ..StatusDib::default() }))
        };
        let ending = status(0x0C, StatusFlags::default());
        assert_eq!(last_frame(&ending, ControlUnit, MIDDLE), (0x07, 0x1C, 0x18_0000));
        for goes_on in [status(0x4E, StatusFlags::RETRY), status(0x04, StatusFlags::default())] {
            assert_eq!(last_frame(&goes_on, ControlUnit, MIDDLE), (0x07, 0x1C, 0x08_0000));
        }
        let accepted = command_mode(Dib::Control(ControlDib::plain(ControlFunction::StatusAccepted)));
        assert_eq!(last_frame(&accepted, Channel, LAST), (0x03, 0x1B, 0x18_0000));
        let purge = command_mode(Dib::Control(ControlDib::purge_path(1)));
        assert_eq!(last_frame(&purge, Channel, MIDDLE).0, 0x02);
    }

    /// Initiative and exchange context as in FCP (6.6, 7).
    #[test]
    fn transport_mode_passes_the_initiative() {
        use FromSide::{Channel, ControlUnit};
        let command = iu(Body::TransportCommand { read: true, write: false });
        assert_eq!(last_frame(&command, Channel, MIDDLE), (0x06, 0x08, 0x29_0000));
        assert_eq!(last_frame(&command, Channel, KEEPS), (0x06, 0x08, 0x28_0000));
        let data = iu(Body::TransportData { relative_offset: 0, inserted_bytes: 0, ends_transfer: true });
        assert_eq!(last_frame(&data, ControlUnit, MIDDLE), (0x01, 0x08, 0x88_0008));
        assert_eq!(last_frame(&data, Channel, MIDDLE), (0x01, 0x08, 0x09_0008));
        let ready = iu(Body::TransferReady { relative_offset: 0, burst_bytes: 8 });
        assert_eq!(last_frame(&ready, ControlUnit, MIDDLE), (0x05, 0x08, 0x89_0000));
        let response = iu(Body::TransportResponse(TransportResponse::ending(0x0C, 0)));
        assert_eq!(last_frame(&response, ControlUnit, MIDDLE), (0x07, 0x08, 0x98_0000));
        assert_eq!(last_frame(&iu(Body::Abort), Channel, MIDDLE), (0x81, 0x00, 0x09_0000));
        let accept = iu(Body::AbortAccept { ox_id: 1, rx_id: 2 });
        assert_eq!(last_frame(&accept, ControlUnit, MIDDLE), (0x84, 0x00, 0x98_0000));
    }

    #[test]
    fn earlier_frames_end_nothing_and_offsets_run_on() {
        let data = iu(Body::TransportData { relative_offset: 4096, inserted_bytes: 0, ends_transfer: true });
        let heading = heading(&data, FromSide::Channel, MIDDLE);
        assert_eq!(heading.frame_control(false), FrameControl::RELATIVE_OFFSET);
        assert_eq!([0, 2048].map(|sent| heading.frame_parameter(sent)), [4096, 6144]);
    }

    #[test]
    fn link_control_is_an_exchange_of_its_own() {
        let request = Heading::of_link_control(&LinkFunction::TestInitialization, FromSide::Channel);
        assert_eq!((request.r_ctl, request.fc_type, request.frame_control(true).0), (0x02, 0x1B, 0x38_0000));
        let answer = Heading::of_link_control(&LinkFunction::Acknowledge, FromSide::ControlUnit);
        assert_eq!((answer.r_ctl, answer.fc_type), (0x03, 0x1C));
    }
}
