//! Events that a port reports to its owner.

use halftrack_wire::els::{FcpLogin, LinkIncident, LsReject, SbLogin};
use halftrack_wire::{FcHeader, WorldWideName};
use thiserror::Error;

/// Request for the state of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExchangeRequest {
    /// Heading of the request, to be answered.
    pub(super) header: FcHeader,
    /// Address of the port that requests it.
    pub peer: u32,
    /// OX_ID of the exchange.
    pub ox_id: u16,
    /// RX_ID of the exchange.
    pub rx_id: u16,
    /// This port opened the exchange; otherwise the other one did.
    pub is_own: bool,
}

/// Event for the owner of a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PortEvent {
    /// The port has an address.
    Attached {
        /// The address.
        address: u32,
        /// Receive buffers at the other end of the link: the credit for sending. Virtual ports share that of their
        /// physical port, which counts.
        credit: u16,
        /// True with a fabric, false point to point.
        fabric: bool,
    },
    /// A login is complete. A control unit receives it twice when a channel's PRLI follows its PLOGI: the later one
    /// holds.
    PeerLoggedIn {
        /// Address.
        peer: u32,
        /// Port name.
        name: WorldWideName,
        /// Most payload octets of a frame between the two.
        frame_payload_bytes: u32,
        /// Result of PRLI; none: command mode only.
        transport: Option<SbLogin>,
    },
    /// A login of FCP is complete: PRLI was executed.
    FcpPeerLoggedIn {
        /// Address.
        peer: u32,
        /// Port name.
        name: WorldWideName,
        /// Most payload octets of a frame between the two.
        frame_payload_bytes: u32,
        /// Service parameters that the target granted.
        login: FcpLogin,
    },
    /// A login is over.
    PeerLoggedOut {
        /// Address.
        peer: u32,
        /// Port name.
        name: WorldWideName,
        /// Why.
        why: LogoutCause,
    },
    /// A port with a login requests the state of an exchange (REC): [`NPort::answer_exchange_request`] has the answer.
    ///
    /// [`NPort::answer_exchange_request`]: super::NPort::answer_exchange_request
    ExchangeRequested(ExchangeRequest),
    /// Another port reports a link incident (RLIR).
    IncidentReported(LinkIncident),
    /// This port has noted an incident of its own link.
    IncidentNoted(LinkIncident),
    /// The other end of a link without a fabric has answered a probe.
    ProbeAnswered,
    /// The login was refused. It is reported once until the reason changes; a channel tries again.
    Refused {
        /// Port name of the other side; of the port itself when the fabric refuses it.
        name: WorldWideName,
        /// Why.
        why: Refusal,
    },
}

/// Why a login is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum LogoutCause {
    /// The other side sent LOGO.
    #[error("the other side logged out")]
    Logout,
    /// The other side logged in again, or its address belongs to another port now.
    #[error("a new login took its place")]
    NewLogin,
    /// The name server has lost the other side.
    #[error("the other side left the fabric")]
    LeftFabric,
    /// The other side has no such login.
    #[error("the other port has no such login")]
    Unknown,
    /// The other side answers no longer.
    #[error("the other side answers no longer")]
    NoAnswer,
    /// The link went down.
    #[error("the link went down")]
    LinkDown,
    /// This side sent LOGO.
    #[error("this side logged out")]
    Closed,
}

/// Why no login came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Refusal {
    /// LS_RJT.
    #[error("refused with LS_RJT, reason {:#04x}, explanation {:#04x}", .0.reason.code(), .0.explanation)]
    Rejected(LsReject),
    /// No answer to any of the tries.
    #[error("no answer")]
    NoAnswer,
    /// An answer that the port cannot interpret.
    #[error("an answer that makes no sense")]
    BadAnswer,
    /// The name is not in the name server, or the zoning hides it.
    #[error("the port is not in the name server, or no zone has both")]
    NotFound,
    /// The host list does not name the port.
    #[error("the host list does not name the port")]
    NotListed,
    /// A channel does not take logins of other ports in a fabric.
    #[error("only channels log in to other ports")]
    NotAControlUnit,
    /// No class 3, or receive buffers that hold less than the smallest frame.
    #[error("its class-3 parameters leave no room for frames")]
    Parameters,
    /// As many ports are logged in as this side has room for.
    #[error("too many ports are logged in")]
    Full,
    /// The other port is of FCP where this one is of FICON, or the other way round.
    #[error("one of the two ports is of FICON and the other of FCP")]
    OtherProtocol,
    /// The port that answered has another name.
    #[error("a port of another name answered")]
    OtherName,
    /// The other end of the link gives addresses to no virtual ports: it is no fabric, or one without them.
    #[error("the other end of the link has no virtual ports (NPIV)")]
    NoVirtualPorts,
    /// PLOGI before FLOGI.
    #[error("PLOGI before FLOGI")]
    NotInFabric,
    /// Both ends of the link have the same port name.
    #[error("both ends of the link have the same port name")]
    SameName,
}

/// Why a frame had no effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Discard {
    /// The link is down.
    #[error("the link is down")]
    LinkDown,
    /// Neither link service nor name server.
    #[error("TYPE {0:#04x} is no link service")]
    Type(u8),
    /// For another port.
    #[error("D_ID {0:06x} is not this port")]
    Address(u32),
    /// Neither a whole request nor a whole answer.
    #[error("neither a request nor an answer in one frame")]
    Form,
    /// An answer without a request.
    #[error("an answer without a request")]
    NotAsked,
    /// A request that came from whom it may not come.
    #[error("S_ID {0:06x} may not send this")]
    Sender(u32),
}
