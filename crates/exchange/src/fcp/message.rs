//! All that goes between the ends of an FCP exchange.

use halftrack_wire::els::LsReject;
use halftrack_wire::fcp::{FcpCategory, FcpIu};

use crate::port::ExchangeState;

/// An information unit of the exchange, or a link service about it, which has an exchange of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FcpMessage {
    /// In the exchange itself.
    Iu(FcpIu),
    /// REC.
    StateRequest,
    /// Answer to REC. The octets are those that the target has sent of a read, or received of a write.
    State(Result<ExchangeState, LsReject>),
    /// SRR.
    Retransmission {
        /// Information unit that is wanted.
        category: FcpCategory,
        /// Where data or transfer-ready are to begin.
        relative_offset: u32,
    },
    /// Answer to SRR.
    RetransmissionAnswer(Result<(), LsReject>),
}
