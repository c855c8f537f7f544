//! ACK extended transport header.

use halftrack_base::{Span, fields};

use super::PacketError;

/// Octets of the header.
pub(super) const AETH_BYTES: usize = 4;

/// Low five bits of the syndrome.
const VALUE: u8 = 0x1F;

/// Delays of the timer codes in steps of 10 microseconds (section *RNR NAK*, table of the timer field).
const RNR_STEPS: [u32; 32] = [
    65_536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048,
    3072, 4096, 6144, 8192, 12_288, 16_384, 24_576, 32_768, 49_152,
];

/// Acknowledgement (section *ACK Extended Transport Header*).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Aeth {
    /// Whether requests were taken.
    pub syndrome: Syndrome,
    /// Messages that the responder completed, 24 bits that wrap.
    pub messages: u32,
}

/// Answer of a responder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Syndrome {
    /// The packet of this number and all before it were taken.
    Ack {
        /// Code of the receives that are posted, 31 where the responder does not report them.
        credits: u8,
    },
    /// No receive was posted for the packet of this number; those before it were taken.
    ReceiverNotReady(RnrTimer),
    /// The packet of this number was refused; those before it were taken.
    Nak(NakCode),
}

/// Reason of a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NakCode {
    /// A later packet came instead of this one.
    SequenceError,
    /// The operation is not supported, has no place in the sequence of its message, or has another length.
    InvalidRequest,
    /// Key, bounds or permission of the memory do not allow it.
    RemoteAccessError,
    /// The responder failed.
    RemoteOperationalError,
}

/// Code of the time that a requester waits for a receive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RnrTimer(u8);

impl RnrTimer {
    /// Makes the timer of the low five bits of a code.
    pub const fn new(code: u8) -> Self {
        Self(code & VALUE)
    }

    /// Returns the shortest timer of at least `delay`, or the longest of all.
    pub fn at_least(delay: Span) -> Self {
        let by_delay = (1..=VALUE).chain([0]).map(Self);
        by_delay.into_iter().find(|timer| timer.delay() >= delay).unwrap_or(Self(0))
    }

    /// Returns the code.
    pub const fn code(self) -> u8 {
        self.0
    }

    /// Returns the time to wait.
    pub const fn delay(self) -> Span {
        Span::from_us(10 * RNR_STEPS[self.0 as usize] as u64)
    }
}

impl NakCode {
    const fn code(self) -> u8 {
        match self {
            Self::SequenceError => 0,
            Self::InvalidRequest => 1,
            Self::RemoteAccessError => 2,
            Self::RemoteOperationalError => 3,
        }
    }
}

impl Syndrome {
    /// Acknowledgement that does not report receives: who has none answers that it is not ready.
    pub const ACK: Self = Self::Ack { credits: VALUE };

    /// Returns the octet.
    pub const fn octet(self) -> u8 {
        match self {
            Self::Ack { credits } => credits & VALUE,
            Self::ReceiverNotReady(timer) => 0x20 | timer.0,
            Self::Nak(code) => 0x60 | code.code(),
        }
    }

    /// Parses the octet.
    ///
    /// # Errors
    /// It is reserved.
    pub const fn from_octet(octet: u8) -> Result<Self, PacketError> {
        match (octet >> 5, octet & VALUE) {
            (0, credits) => Ok(Self::Ack { credits }),
            (1, code) => Ok(Self::ReceiverNotReady(RnrTimer(code))),
            (3, 0) => Ok(Self::Nak(NakCode::SequenceError)),
            (3, 1) => Ok(Self::Nak(NakCode::InvalidRequest)),
            (3, 2) => Ok(Self::Nak(NakCode::RemoteAccessError)),
            (3, 3) => Ok(Self::Nak(NakCode::RemoteOperationalError)),
            _ => Err(PacketError::Syndrome(octet)),
        }
    }
}

impl Aeth {
    pub(super) fn decode(octets: &[u8]) -> Result<Self, PacketError> {
        let word = fields::u32_at(octets, 0);
        Ok(Self { syndrome: Syndrome::from_octet(octets[0])?, messages: word & 0x00FF_FFFF })
    }

    pub(super) fn encode(&self, into: &mut [u8]) {
        let word = u32::from(self.syndrome.octet()) << 24 | self.messages & 0x00FF_FFFF;
        fields::put(into, 0, &word.to_be_bytes());
    }
}
