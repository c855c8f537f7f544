//! Device-detected program checks: why a control unit refuses a TCCB.

/// Why a control unit refuses a TCCB: a device-detected program check. The codes of the transport-status
/// block are from general knowledge of the architecture, not from a table at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProgramCheckReason {
    /// 3: the length of the TCCB contradicts its header.
    TccbLength,
    /// 4: the header is wrong.
    Header,
    /// 5: the DCW list is wrong.
    DcwList,
    /// 6: the data do not go the way that the commands need.
    TransferDirection,
    /// 7: the transport count is not that of the data and their check words.
    TransportCount,
}

impl ProgramCheckReason {
    /// Returns the reason code of the transport-status block.
    pub const fn code(self) -> u8 {
        match self {
            Self::TccbLength => 3,
            Self::Header => 4,
            Self::DcwList => 5,
            Self::TransferDirection => 6,
            Self::TransportCount => 7,
        }
    }
}

/// A refusal and the DCW at fault.
pub(crate) type Refusal = (ProgramCheckReason, Option<u16>);
