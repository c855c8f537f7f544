//! Why a link is closed.

use std::io;

use crate::access::AccessFault;
use halftrack_wire::WorldWideName;
use halftrack_wire::els::IncidentCode;
use halftrack_wire::fcip::FcipFault;
use thiserror::Error;

/// Why a link is closed.
#[derive(Debug, Error)]
pub enum Closing {
    /// The other end closed it.
    #[error("the other end closed the connection")]
    ByOtherEnd,
    /// The operating system gave the connection up.
    #[error("the connection failed: {0}")]
    Transport(#[from] io::Error),
    /// The other end has not proven that it may be there.
    #[error("{0}")]
    Access(AccessFault),
    /// Octets that are no FCIP.
    #[error("no FCIP: {0}")]
    Fcip(#[from] FcipFault),
    /// Another frame came where the special frame begins a connection.
    #[error("a frame came before the special frame that begins an FCIP connection")]
    NotBegun,
    /// The special frame did not come, or was not echoed, in time.
    #[error("no special frame within {after_ms} ms: half-open")]
    HalfOpen {
        /// How long it was waited for, ms.
        after_ms: u64,
    },
    /// Nobody has logged in.
    #[error("nobody has logged in within {after_ms} ms")]
    NoLogin {
        /// How long it was waited for, ms.
        after_ms: u64,
    },
    /// A login was refused.
    #[error("{name} was refused: {why}")]
    Refused {
        /// Port name.
        name: WorldWideName,
        /// Why.
        why: String,
    },
    /// The port that is logged in over the connection logs in over another one, and this one is dead.
    #[error("{name} logs in over another connection, and nothing answered a probe here within {after_ms} ms")]
    Replaced {
        /// Port name.
        name: WorldWideName,
        /// How long it was waited for, ms.
        after_ms: u64,
    },
    /// The connection is meant for somebody else.
    #[error("the connection is for {wanted}, and this is {own}")]
    OtherDestination {
        /// Name of the port to be reached.
        wanted: WorldWideName,
        /// Name of the port that is here.
        own: WorldWideName,
    },
    /// The echo is not the special frame that was sent.
    #[error("the special frame came back changed")]
    ChangedEcho,
    /// A special frame that has no meaning here.
    #[error("a special frame of usage {usage:04x} within the connection")]
    SpecialFrame {
        /// Its usage code.
        usage: u16,
    },
    /// More frames came than there were buffers for.
    #[error("more frames came than the {granted} buffer credits allow")]
    CreditExceeded {
        /// Credits that the other end has.
        granted: u16,
    },
    /// The other end gave no buffer back for so long that credits must have been lost: the link is reset.
    #[error("no buffer credit came back within {after_ms} ms: link reset")]
    CreditLost {
        /// E_D_TOV, ms.
        after_ms: u64,
    },
    /// Nothing has come for too long.
    #[error("nothing came within {after_ms} ms")]
    Silent {
        /// How long it was waited for, ms.
        after_ms: u64,
    },
    /// This end closes it, for a reason of its own.
    #[error("{0}")]
    ByThisEnd(String),
}

impl Closing {
    /// Returns the link incident that a closed connection stands for while somebody was logged in; none for one that is
    /// closed on purpose. Our choice: a TCP connection has neither light nor primitive sequences.
    #[must_use]
    pub fn incident(&self) -> Option<IncidentCode> {
        match self {
            Self::ByOtherEnd | Self::Transport(_) | Self::Silent { .. } => Some(IncidentCode::LossOfSignal),
            // Link reset, to which nothing has answered.
            Self::CreditLost { .. } => Some(IncidentCode::SequenceTimeout),
            Self::Fcip(_) | Self::SpecialFrame { .. } | Self::CreditExceeded { .. } => {
                Some(IncidentCode::InvalidSequence)
            }
            Self::Access(_)
            | Self::NotBegun
            | Self::HalfOpen { .. }
            | Self::NoLogin { .. }
            | Self::Refused { .. }
            | Self::Replaced { .. }
            | Self::OtherDestination { .. }
            | Self::ChangedEcho
            | Self::ByThisEnd(_) => None,
        }
    }
}
