//! The fabric, sans IO: logs channels and control units in, and switches between them with name server, zoning, state
//! changes and routing, or joins them by circuits; never holds a transport, a clock or an exchange of I/O.

pub mod address;
mod bit_error_threshold;
pub mod circuit;
pub mod claim;
pub mod endpoint_security;
mod incident;
pub mod n_port;
mod outbox;
mod reject;
#[cfg(test)]
mod rig;
mod sequence;
pub mod switch;
pub mod timing;

pub use circuit::{Answer, CircuitSwitch};
pub use n_port::{
    Discard, DoubleName, ExchangeRequest, LinkPlace, LogoutCause, NPort, NPortParameters, PhysicalPort,
    PortEvent, PortProtocol, Refusal, Role,
};
pub use sequence::SERVICE_EXCHANGES;
pub use switch::{
    DiscardReason, LinkRefusal, PortKind, PortRecord, Switch, SwitchEvent, SwitchParameters, SwitchPort,
    SwitchRefusal, Verdict, Zone, ZoneMember, Zoning,
};
