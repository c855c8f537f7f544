//! Settings of a queue pair.

use std::num::NonZeroU16;

use halftrack_base::Span;

use crate::packet::{Mtu, PARTITION_KEY_DEFAULT, Path, Psn, QueuePairNumber, RnrTimer};

/// Everything that both ends settle before the first packet, and limits of this end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Path to the peer.
    pub path: Path,
    /// Own number.
    pub number: QueuePairNumber,
    /// Number of the peer's queue pair.
    pub peer: QueuePairNumber,
    /// Key of the partition.
    pub partition_key: u16,
    /// Largest payload, equal at both ends.
    pub mtu: Mtu,
    /// Number of the first packet to the peer.
    pub send_psn: Psn,
    /// Number of the first packet of the peer.
    pub receive_psn: Psn,
    /// Most packets without an acknowledgement.
    pub window_packets: NonZeroU16,
    /// Packets after which an acknowledgement is requested, where no end of the work requests it before.
    pub acknowledge_packets: NonZeroU16,
    /// Most works in the send queue.
    pub send_depth: NonZeroU16,
    /// Most receives in the receive queue.
    pub receive_depth: NonZeroU16,
    /// Time without an acknowledgement after which packets are sent again.
    pub timeout: Span,
    /// Times that packets are sent again without progress before the queue pair fails.
    pub retries: u8,
    /// Times that a packet for which no receive is posted is sent again; `None` stands for no limit.
    pub rnr_retries: Option<u8>,
    /// Time that the peer shall wait for a receive.
    pub rnr_timer: RnrTimer,
}

impl Settings {
    /// Makes settings with the default partition and MTU, and limits of our choice.
    pub const fn new(path: Path, number: QueuePairNumber, peer: QueuePairNumber) -> Self {
        const WINDOW: NonZeroU16 = NonZeroU16::new(128).unwrap();
        const ACKNOWLEDGE: NonZeroU16 = NonZeroU16::new(16).unwrap();
        const DEPTH: NonZeroU16 = NonZeroU16::new(256).unwrap();
        Self {
            path,
            number,
            peer,
            partition_key: PARTITION_KEY_DEFAULT,
            mtu: Mtu::Octets1024,
            send_psn: Psn::new(0),
            receive_psn: Psn::new(0),
            window_packets: WINDOW,
            acknowledge_packets: ACKNOWLEDGE,
            send_depth: DEPTH,
            receive_depth: DEPTH,
            timeout: Span::from_ms(20),
            retries: 7,
            rnr_retries: None,
            rnr_timer: RnrTimer::new(1),
        }
    }
}
