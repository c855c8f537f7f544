//! Receiving half of an end: blocks into the order of their numbers, data into that of their streams.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::block::{Block, Flags, Kind, StreamId};
use crate::payload::Payload;

/// Data of a stream, in order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Delivery {
    /// Stream.
    pub stream: StreamId,
    /// Offset of the first octet.
    pub offset: u64,
    /// Data.
    pub payload: Payload,
}

/// Result of the acceptance of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Accepted {
    /// The block came for the first time.
    pub is_new: bool,
    /// A block that is now in order is to be confirmed.
    pub wants_report: bool,
    /// A stream of which octets are missing.
    pub gap: Option<StreamId>,
}

/// Receiving half of an end.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Inbound {
    /// Number of the first block that is missing.
    pub(crate) expected: u64,
    /// Blocks beyond it.
    held: BTreeMap<u64, Block>,
    /// Offset of the next octet of each stream.
    pub(crate) streams: BTreeMap<StreamId, u64>,
    deliveries: VecDeque<Delivery>,
    waiting_bytes: u64,
    buffer_bytes: u64,
    /// Streams of which nothing is kept over a start of the partner.
    conversations: BTreeSet<StreamId>,
}

impl Inbound {
    /// Makes the half, full when `buffer_bytes` octets in order wait to be taken.
    pub const fn new(buffer_bytes: u64) -> Self {
        Self {
            expected: 0,
            held: BTreeMap::new(),
            streams: BTreeMap::new(),
            deliveries: VecDeque::new(),
            waiting_bytes: 0,
            buffer_bytes,
            conversations: BTreeSet::new(),
        }
    }

    /// Takes it that a stream begins at offset 0 with each start of the partner.
    pub fn converse(&mut self, stream: StreamId) {
        self.conversations.insert(stream);
    }

    /// Returns whether nothing more is to be received before deliveries are taken.
    pub const fn is_full(&self) -> bool {
        self.waiting_bytes >= self.buffer_bytes && self.waiting_bytes > 0
    }

    /// Sets the offset of the next octet of a stream, which its application has kept.
    pub fn resume(&mut self, stream: StreamId, offset: u64) {
        self.streams.insert(stream, offset);
    }

    /// Returns the number of the first block that is missing.
    pub const fn confirmed(&self) -> u64 {
        self.expected
    }

    /// Returns the numbers of the blocks beyond the first missing one.
    pub fn held(&self) -> Vec<u64> {
        self.held.keys().copied().collect()
    }

    /// Returns the offset of the next octet of each stream of which a partner that starts anew needs it.
    pub fn offsets(&self) -> Vec<(StreamId, u64)> {
        let kept = self.streams.iter().filter(|(stream, _)| !self.conversations.contains(stream));
        kept.map(|(stream, offset)| (*stream, *offset)).collect()
    }

    /// Begins anew with a partner that has just started. Streams keep their offsets, but for conversations: of these nothing of
    /// the partner's last start is delivered any more.
    pub fn restart(&mut self) {
        self.expected = 0;
        self.held.clear();
        let conversations = &self.conversations;
        self.streams.retain(|stream, _| !conversations.contains(stream));
        self.deliveries.retain(|delivery| !conversations.contains(&delivery.stream));
        let waiting = self.deliveries.iter().map(|delivery| u64::from(delivery.payload.len_bytes()));
        self.waiting_bytes = waiting.sum();
    }

    /// Takes a block with a number.
    pub fn accept(&mut self, block: Block) -> Accepted {
        let sequence = block.header.sequence;
        let mut accepted = Accepted::default();
        // A duplicate may want the confirmation that the block before did not want.
        if sequence < self.expected {
            accepted.wants_report = block.header.flags.contains(Flags::REPORT_WANTED);
            return accepted;
        }
        if let Some(held) = self.held.get_mut(&sequence) {
            held.header.flags = held.header.flags | block.header.flags;
            return accepted;
        }
        accepted.is_new = true;
        if sequence > self.expected {
            self.held.insert(sequence, block);
            return accepted;
        }
        self.advance(block, &mut accepted);
        while let Some(next) = self.held.remove(&self.expected) {
            self.advance(next, &mut accepted);
        }
        accepted
    }

    /// Takes the next delivery.
    pub fn poll(&mut self) -> Option<Delivery> {
        let delivery = self.deliveries.pop_front()?;
        self.waiting_bytes -= u64::from(delivery.payload.len_bytes());
        Some(delivery)
    }

    /// Takes the block that is next in order.
    fn advance(&mut self, block: Block, accepted: &mut Accepted) {
        self.expected += 1;
        accepted.wants_report |= block.header.flags.contains(Flags::REPORT_WANTED);
        if block.header.kind != Kind::Data {
            return;
        }
        let (stream, offset) = (block.header.stream, block.header.offset);
        let expected = self.streams.entry(stream).or_default();
        // A partner that has started anew may begin before the end of what its last incarnation sent.
        let bytes = block.payload.len_bytes();
        let is_whole = offset.checked_add(bytes.into()).is_some();
        let Some(skipped) = expected.checked_sub(offset).filter(|_| is_whole) else {
            accepted.gap = Some(stream);
            return;
        };
        let Some(skipped) = u32::try_from(skipped).ok().filter(|skipped| *skipped < bytes) else { return };
        let payload = block.payload.slice(skipped..bytes);
        self.waiting_bytes += u64::from(bytes - skipped);
        self.deliveries.push_back(Delivery { stream, offset: *expected, payload });
        *expected += u64::from(bytes - skipped);
    }
}
