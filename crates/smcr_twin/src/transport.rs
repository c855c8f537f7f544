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
    /// Returns the work of one side for a message, or for a chunk of a stream. Work beside the octets of a stream is part of these,
    /// since many chunks are done at a time.
    pub(crate) fn work(&self, bytes: u32, is_stream: bool) -> Span {
        let kib_work = if is_stream { self.stream_kib_work } else { self.kib_work };
        let octets = Span::from_ps(kib_work.as_ps() * u64::from(bytes) / (2 * KIB));
        if is_stream { octets } else { octets + self.message_work / 2 }
    }

    /// Returns the time from the last octet at a port until the receiver has it. A chunk of a stream, and the word that it has been
    /// read, take as long as a message without octets, while processors do others.
    pub(crate) fn delay(&self, is_stream: bool) -> Span {
        if is_stream { self.message_delay + self.message_work } else { self.message_delay }
    }
}
