//! First frame of a connection without a login: its claimed identity, and its refusal.

use halftrack_wire::els::{Els, ElsReply};
use halftrack_wire::fc_header::fc_type;
use halftrack_wire::{Eof, FcFrame, FcHeader, FrameSink, Sof, WorldWideName};

use crate::address;
use crate::reject::{INVALID_NAME, NO_ROOM, NOT_IN_FABRIC};
use crate::sequence;

/// Request in the first frame of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// FLOGI of the port of this name.
    FabricLogin(WorldWideName),
    /// PLOGI of the port of this name, before its FLOGI.
    PortLogin(WorldWideName),
    /// Nothing that begins a connection.
    Nothing,
}

/// Why a connection is turned away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denial {
    /// The port of this name may not log in, or is logged in over another connection and still there.
    Name,
    /// Another port is logged in here.
    Occupied,
    /// PLOGI before FLOGI.
    OutOfOrder,
}

/// Reads the request in the first frame of a connection.
#[must_use]
pub fn claim(frame: &FcFrame<'_>) -> Claim {
    let header = &frame.header;
    if header.fc_type != fc_type::EXTENDED_LINK_SERVICE || !sequence::is_request(header) {
        return Claim::Nothing;
    }
    match Els::parse(frame.payload) {
        Ok(Els::Flogi(other)) if header.d_id == address::FABRIC_LOGIN => Claim::FabricLogin(other.port_name),
        Ok(Els::Plogi(other)) => Claim::PortLogin(other.port_name),
        _ => Claim::Nothing,
    }
}

/// Answers the claim on exchange `header` with LS_RJT.
pub fn deny(header: &FcHeader, why: Denial, sink: &mut impl FrameSink) {
    let reject = match why {
        Denial::Name => INVALID_NAME,
        Denial::Occupied => NO_ROOM,
        Denial::OutOfOrder => NOT_IN_FABRIC,
    };
    let answer = ElsReply::Reject(reject).emit();
    let heading = sequence::reply(header, header.d_id, header.s_id);
    sink.frame(Sof::Initiate3, &heading, &[&answer], Eof::Terminate);
}
