//! Reasons for which a frame had no effect.

use halftrack_wire::ParseError;
use thiserror::Error;

use crate::sequence::SequenceFault;

/// Reason for which a frame had no effect on any exchange. A frame that damages its exchange has an effect, for the
/// exchange is recovered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Discard {
    /// No open exchange has its exchange id, or its address and token.
    #[error("no open exchange has its exchange id")]
    NoExchange,
    /// It belongs to an exchange that had the same place and is over.
    #[error("its exchange is over")]
    OldExchange,
    /// It comes from another port than that of the exchange.
    #[error("it comes from port {s_id:06X}, with which the exchange is not")]
    Stranger {
        /// Address of the sender.
        s_id: u32,
    },
    /// Its sender has not logged in.
    #[error("port {s_id:06X} has not logged in")]
    NotLoggedIn {
        /// Address of the sender.
        s_id: u32,
    },
    /// Its type or category has no meaning for this port.
    #[error("a frame of type {fc_type:#04x} and category {r_ctl:#04x} has no meaning here")]
    Kind {
        /// TYPE.
        fc_type: u8,
        /// R_CTL.
        r_ctl: u8,
    },
    /// It would open an exchange, but its information unit opens none or cannot be read.
    #[error("it opens no exchange: {0}")]
    Opening(ParseError),
    /// It would open an exchange, and there is no room even to answer busy.
    #[error("there is no room for another exchange")]
    Full,
    /// Its start came late: the device has seen a newer one of the subchannel, or this one.
    #[error("a newer start of the subchannel was here before")]
    LateStart,
    /// It belongs to a sequence that was given up, or to one that nobody waits for.
    #[error(transparent)]
    Sequence(#[from] SequenceFault),
}
