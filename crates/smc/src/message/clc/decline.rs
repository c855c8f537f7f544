//! Decline: back to TCP, with the reason.

use std::fmt;

use halftrack_base::{Octets, fields};

use super::header::{Header, Kind};
use crate::message::{MessageError, PeerId};

/// Octets of the message.
const DECLINE_BYTES: usize = 28;

/// Reason of a decline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Diagnosis(pub u32);

/// Decline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Decline {
    /// Sender.
    pub peer: PeerId,
    /// Out of synchronisation: the receiver drops the link group.
    pub is_out_of_sync: bool,
    /// Reason.
    pub diagnosis: Diagnosis,
}

macro_rules! diagnoses {
    ($($(#[$doc:meta])* $name:ident = $code:expr, $text:expr;)*) => {
        impl Diagnosis {
            $($(#[$doc])* pub const $name: Self = Self($code);)*

            /// Returns the reason in words, `None` for a code of another implementation.
            pub const fn text(self) -> Option<&'static str> {
                match self {
                    $(Self::$name => Some($text),)*
                    _ => None,
                }
            }
        }
    };
}

// Codes of public sources of the Linux kernel (net/smc/smc_clc.h); RFC 7609 leaves them to implementations.
diagnoses! {
    /// No memory for buffers.
    NO_MEMORY = 0x0101_0000, "no memory for buffers";
    /// No CONFIRM LINK in time.
    CONFIRM_LINK_TIMEOUT = 0x0201_0000, "timeout of CONFIRM LINK";
    /// No ADD LINK in time.
    ADD_LINK_TIMEOUT = 0x0202_0000, "timeout of ADD LINK";
    /// Configurations do not match.
    CONFIGURATION = 0x0300_0000, "configurations do not match";
    /// The peer showed no option.
    PEER_NO_SMC = 0x0301_0000, "peer did not indicate SMC";
    /// IPsec on the connection.
    IPSEC = 0x0302_0000, "IPsec on the connection";
    /// No device of SMC.
    NO_DEVICE = 0x0303_0000, "no SMC device";
    /// No device of SMC-R.
    NO_SMC_R_DEVICE = 0x0303_0002, "no SMC-R device";
    /// Releases do not match.
    RELEASE = 0x0303_0009, "releases do not match";
    /// As many connections as a group can have.
    CONNECTIONS_MAX = 0x0303_000A, "connections of the link group exhausted";
    /// As many links as a group can have.
    LINKS_MAX = 0x0303_000B, "links of the link group exhausted";
    /// Features do not match.
    FEATURES = 0x0303_000C, "features do not match";
    /// One end has SMC-D only, and the other SMC-R only.
    MODE = 0x0304_0000, "variants SMC-R and SMC-D do not match";
    /// The peer insists on eye catchers in elements.
    EYE_CATCHER = 0x0305_0000, "peer insists on eye catchers of elements";
    /// TCP fast open on the connection.
    FAST_OPEN = 0x0306_0000, "TCP fast open on the connection";
    /// Subnets or prefixes do not match. The code is from memory of the Linux sources, and waits to be confirmed.
    PREFIX = 0x0307_0000, "subnets or prefixes do not match";
    /// VLAN of the connection cannot be used. The code is from memory of the Linux sources, and waits to be confirmed.
    VLAN = 0x0308_0000, "VLAN of the connection cannot be used";
    /// The ends have no group in common.
    SYNCHRONISATION = 0x0400_0000, "link groups are out of synchronisation";
    /// Decline of the peer.
    PEER_DECLINED = 0x0500_0000, "peer declined";
    /// Data were sent in place of a proposal, or before it (our choice of a code, never sent).
    SENT_FIRST = 0x0999_0101, "data were sent before the rendezvous";
    /// Peer that had data to wait for was given no answer in time (our choice of a code).
    NO_ANSWER = 0x0999_0102, "no answer to the proposal in time";
    /// Program that the library cannot follow (our choice of a code, never sent).
    NOT_CARRIED = 0x0999_0103, "a socket option that cannot be carried";
    /// Error inside.
    INTERNAL = 0x0999_0000, "internal error";
    /// Keys of the peer cannot be kept.
    REMOTE_TOKEN = 0x0999_0001, "remote token cannot be set";
    /// Queue pair cannot be made ready.
    LINK_READY = 0x0999_0002, "link cannot be made ready";
    /// Buffer cannot be registered.
    REGISTRATION = 0x0999_0003, "buffer cannot be registered";
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08X}", self.0)?;
        self.text().map_or(Ok(()), |text| write!(f, " ({text})"))
    }
}

impl Decline {
    pub(super) fn encode(&self) -> [u8; DECLINE_BYTES] {
        let mut octets = [0; DECLINE_BYTES];
        fields::put(&mut octets, 8, &self.peer.0);
        fields::put(&mut octets, 16, &self.diagnosis.0.to_be_bytes());
        Header::of(Kind::Decline, self.is_out_of_sync).put(&mut octets);
        octets
    }

    pub(super) fn decode(header: &Header, body: &[u8]) -> Result<Self, MessageError> {
        let mut rest = Octets::new(body);
        let peer = PeerId(rest.array()?);
        let diagnosis = Diagnosis(rest.word()?);
        rest.take(4)?;
        rest.end()?;
        Ok(Self { peer, is_out_of_sync: header.flag, diagnosis })
    }
}
