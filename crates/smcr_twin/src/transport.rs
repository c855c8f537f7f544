//! Times of a path between sockets: a message, its octets, and the window of streams.

use halftrack_base::Span;

/// Times of a path: TCP over an OSD, or SMC-R over RoCE functions. Half of the work is the sender's, half the receiver's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transport {
    /// Work of processors for a message beside its octets.
    pub message_work: Span,
    /// Time of a message in adapters and until its receiver runs, in which no processor works.
    pub message_delay: Span,
    /// Work of processors for 1024 octets of a message.
    pub kib_work: Span,
    /// Work of processors for 1024 octets of a stream, which fills large buffers.
    pub stream_kib_work: Span,
    /// Octets of a stream that its sender has open at most.
    pub window_bytes: u32,
}

/// Octets that [`Transport::kib_work`] is of.
const KIB: u64 = 1024;

impl Transport {
    /// Returns the work of one side for the first or last chunk of a transfer, or for one between them.
    pub(crate) fn work(&self, bytes: u32, is_stream: bool, is_end: bool) -> Span {
        let kib_work = if is_stream { self.stream_kib_work } else { self.kib_work };
        let octets = Span::from_ps(kib_work.as_ps() * u64::from(bytes) / (2 * KIB));
        if is_end { octets + self.message_work / 2 } else { octets }
    }
}
