//! Sending half of an end: blocks in the order of their numbers, from the acceptance of their data to the partner's confirmation.
//!
//! A block is kept until the partner has confirmed it. The normal end of its Write has it that the partner's device took it;
//! when that device is lost before the partner had the block, the partner reports so, and the block goes again.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::block::{BLOCK_BYTES_MAX, StreamId};
use crate::device_number::DeviceNumber;
use crate::hello::Report;
use crate::payload::Payload;

/// Most streams of an end: a hello has an offset of each, and is one block.
pub const STREAMS_MAX: usize = 4096;

/// Contents of a block with a number.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Content {
    /// Data of a stream.
    Data { stream: StreamId, offset: u64, payload: Payload },
    /// A report of losses on devices, whose numbers of blocks are taken when it is sent.
    Report(Vec<DeviceNumber>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum EntryState {
    /// To be sent.
    Queued,
    /// In a Write. When the partner has reported a loss on the device, it is unclear whether it will have the block.
    InFlight { is_suspect: bool },
    /// Its Write has ended.
    Ended,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Entry {
    content: Content,
    state: EntryState,
    /// Device of its last Write.
    device: Option<DeviceNumber>,
}

/// State of a stream that is sent.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
struct Stream {
    /// Offset of the next octet to be accepted.
    next_offset: u64,
    /// Offset up to which Writes have ended.
    acknowledged: u64,
    /// Writes that have ended beyond it, from offset to offset.
    ended: BTreeMap<u64, u64>,
}

/// Sending half of an end.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Outbound {
    streams: BTreeMap<StreamId, Stream>,
    /// Blocks that are not confirmed, in the order of their numbers.
    entries: VecDeque<Entry>,
    /// Number of the first of them.
    first: u64,
    /// No block from `first` up to here is queued that is not in `again`.
    fresh: u64,
    /// Blocks that go before all others: those that have to go again, and reports.
    again: BTreeSet<u64>,
    kept_bytes: u64,
    buffer_bytes: u64,
    block_bytes: u32,
    /// Number of a block that the partner is to confirm.
    wanted: Option<u64>,
    /// Data were refused since there was room.
    has_refused: bool,
    /// Streams of which nothing is kept over a start of the partner.
    conversations: BTreeSet<StreamId>,
}

impl Outbound {
    /// Makes the half with room for `buffer_bytes` octets, in blocks of at most `block_bytes`.
    pub fn new(buffer_bytes: u64, block_bytes: u32) -> Self {
        Self {
            streams: BTreeMap::new(),
            entries: VecDeque::new(),
            first: 0,
            fresh: 0,
            again: BTreeSet::new(),
            kept_bytes: 0,
            buffer_bytes,
            block_bytes: block_bytes.clamp(1, BLOCK_BYTES_MAX),
            wanted: None,
            has_refused: false,
            conversations: BTreeSet::new(),
        }
    }

    /// Takes it that a stream begins at offset 0 with each start of the partner.
    pub fn converse(&mut self, stream: StreamId) {
        self.conversations.insert(stream);
    }

    /// Returns how many octets are accepted now. When none are kept, any number is.
    pub fn room_bytes(&self) -> u64 {
        self.buffer_bytes.saturating_sub(self.kept_bytes)
    }

    /// Returns how many octets are kept.
    pub fn kept_bytes(&self) -> u64 {
        self.kept_bytes
    }

    /// Takes data to the end of a stream, in blocks; returns whether there was room.
    pub fn push(&mut self, stream: StreamId, payload: &Payload) -> bool {
        let bytes = payload.len_bytes();
        let has_room = self.kept_bytes == 0 || u64::from(bytes) <= self.room_bytes();
        let is_stream = self.streams.contains_key(&stream) || self.streams.len() < STREAMS_MAX;
        let fits = self.next_offset(stream).checked_add(bytes.into()).is_some();
        if !has_room || !is_stream || !fits {
            self.has_refused |= !has_room;
            return false;
        }
        let state = self.streams.entry(stream).or_default();
        for from in (0..bytes).step_by(self.block_bytes as usize) {
            let to = bytes.min(from.saturating_add(self.block_bytes));
            let offset = state.next_offset + u64::from(from);
            let content = Content::Data { stream, offset, payload: payload.slice(from..to) };
            self.entries.push_back(Entry { content, state: EntryState::Queued, device: None });
        }
        state.next_offset += u64::from(bytes);
        self.kept_bytes += u64::from(bytes);
        true
    }

    /// Queues a report before all data.
    pub fn push_report(&mut self, devices: Vec<DeviceNumber>) {
        self.again.insert(self.first + self.entries.len() as u64);
        let content = Content::Report(devices);
        self.entries.push_back(Entry { content, state: EntryState::Queued, device: None });
    }

    /// Returns whether data wait for room, and no block is left that could have the partner confirm those before it.
    pub fn lacks_confirmation(&mut self) -> bool {
        self.has_refused && self.wanted.is_none() && !self.entries.is_empty() && self.next().is_none()
    }

    /// Returns the number of the block that goes next.
    pub fn next(&mut self) -> Option<u64> {
        if let Some(again) = self.again.first() {
            return Some(*again);
        }
        while let Some(entry) = self.entry(self.fresh) {
            if entry.state == EntryState::Queued {
                return Some(self.fresh);
            }
            self.fresh += 1;
        }
        None
    }

    /// Begins the Write of the block [`Outbound::next`] on a device. Returns its content, and whether the partner is to confirm it.
    pub fn start(&mut self, sequence: u64, device: DeviceNumber) -> (Content, bool) {
        self.again.remove(&sequence);
        let is_half_full = self.kept_bytes >= self.buffer_bytes / 2;
        let entry = self.entry_mut(sequence).expect("a block that goes next is there");
        entry.state = EntryState::InFlight { is_suspect: false };
        entry.device = Some(device);
        let content = entry.content.clone();
        let is_due = match content {
            Content::Data { .. } if is_half_full => true,
            _ => self.has_refused && self.next().is_none(),
        };
        let is_wanted = self.wanted.map_or(is_due, |wanted| wanted == sequence);
        if is_wanted {
            self.wanted = Some(sequence);
        }
        (content, is_wanted)
    }

    /// Ends a Write normally. Returns the stream of the block, and how far it is acknowledged, when that has changed.
    pub fn end(&mut self, sequence: u64) -> Option<(StreamId, u64)> {
        let entry = self.entry_mut(sequence)?;
        let EntryState::InFlight { is_suspect } = entry.state else { return None };
        if is_suspect {
            self.put_back(sequence);
            return None;
        }
        entry.state = EntryState::Ended;
        let Content::Data { stream, offset, ref payload } = entry.content else { return None };
        let to = offset + u64::from(payload.len_bytes());
        self.acknowledge(stream, offset, to)
    }

    /// Takes it that the partner has these octets of a stream. Returns how far it is acknowledged, when that has changed.
    fn acknowledge(&mut self, stream: StreamId, offset: u64, to: u64) -> Option<(StreamId, u64)> {
        let state = self.streams.get_mut(&stream)?;
        if offset > state.acknowledged {
            state.ended.insert(offset, to);
            return None;
        }
        let before = state.acknowledged;
        state.acknowledged = before.max(to);
        while let Some(next) = state.ended.first_entry().filter(|next| *next.key() <= state.acknowledged) {
            state.acknowledged = state.acknowledged.max(next.remove());
        }
        (state.acknowledged > before).then_some((stream, state.acknowledged))
    }

    /// Puts a block of which the partner has nothing to the head of the queue. Returns whether it is still needed.
    pub fn put_back(&mut self, sequence: u64) -> bool {
        let Some(entry) = self.entry_mut(sequence) else { return false };
        entry.state = EntryState::Queued;
        self.again.insert(sequence);
        true
    }

    /// Takes the number up to which the partner has received everything. Gives the streams that are acknowledged further by it:
    /// the end of a Write may have been lost. Returns whether there is room again for data refused.
    pub fn confirm(&mut self, confirmed: u64, mut acknowledged: impl FnMut(StreamId, u64)) -> bool {
        while self.first < confirmed
            && let Some(entry) = self.entries.pop_front()
        {
            self.again.remove(&self.first);
            self.first += 1;
            let Content::Data { stream, offset, payload } = entry.content else { continue };
            let bytes = u64::from(payload.len_bytes());
            self.kept_bytes -= bytes;
            if entry.state != EntryState::Ended
                && let Some((stream, offset)) = self.acknowledge(stream, offset, offset + bytes)
            {
                acknowledged(stream, offset);
            }
        }
        self.fresh = self.fresh.max(self.first);
        self.wanted = self.wanted.filter(|wanted| *wanted >= self.first);
        self.take_refusal()
    }

    /// Takes a report of the partner; `devices` are those of this end. Returns how many blocks go again, by their devices.
    pub fn report(&mut self, report: &Report, devices: &[DeviceNumber]) -> Vec<DeviceNumber> {
        let mut resent = Vec::new();
        let mut lost = Vec::new();
        for (sequence, entry) in (self.first..).zip(&mut self.entries) {
            let device = entry.device.filter(|device| devices.contains(device));
            let Some(device) = device.filter(|_| report.held.binary_search(&sequence).is_err()) else {
                continue;
            };
            match &mut entry.state {
                EntryState::Queued => {}
                EntryState::InFlight { is_suspect } => *is_suspect = true,
                EntryState::Ended => {
                    lost.push(sequence);
                    resent.push(device);
                }
            }
        }
        for sequence in lost {
            self.put_back(sequence);
        }
        resent
    }

    /// Begins anew with a partner that has just started and expects these offsets. Returns the streams whose next octet is now
    /// another one.
    pub fn restart(&mut self, expected: &BTreeMap<StreamId, u64>) -> Vec<(StreamId, u64)> {
        for stream in expected.keys() {
            self.streams.entry(*stream).or_default();
        }
        let mut entries: Vec<Content> = self.entries.drain(..).map(|entry| entry.content).collect();
        let conversations = &self.conversations;
        entries.retain(|content| content.stream().is_some_and(|stream| !conversations.contains(&stream)));
        let mut resumed = Vec::new();
        for (stream, state) in &mut self.streams {
            let kept = expected.get(stream).filter(|_| !self.conversations.contains(stream));
            let expected = kept.copied().unwrap_or(0);
            let mut offsets = entries.iter().filter_map(|content| content.offset_in(*stream));
            let first = offsets.next().unwrap_or(state.next_offset);
            if !(first..=state.next_offset).contains(&expected) {
                entries.retain(|content| content.offset_in(*stream).is_none());
                state.next_offset = expected;
                resumed.push((*stream, expected));
            }
            (state.acknowledged, state.ended) = (expected, BTreeMap::new());
        }
        let streams = &self.streams;
        let kept =
            entries.into_iter().filter_map(|content| content.behind(|stream| streams[&stream].acknowledged));
        self.entries =
            kept.map(|content| Entry { content, state: EntryState::Queued, device: None }).collect();
        (self.first, self.fresh, self.wanted) = (0, 0, None);
        self.again.clear();
        self.kept_bytes = self.entries.iter().map(|entry| entry.content.data_bytes()).sum();
        resumed
    }

    /// Returns whether data were refused and there is room now, once.
    pub fn take_refusal(&mut self) -> bool {
        let has_room = self.has_refused && self.kept_bytes <= self.buffer_bytes / 2;
        self.has_refused &= !has_room;
        has_room
    }

    /// Returns the offset of the next octet of a stream that is accepted.
    pub fn next_offset(&self, stream: StreamId) -> u64 {
        self.streams.get(&stream).map_or(0, |state| state.next_offset)
    }

    /// Returns the offset up to which the partner has a stream.
    pub fn acknowledged(&self, stream: StreamId) -> u64 {
        self.streams.get(&stream).map_or(0, |state| state.acknowledged)
    }

    fn entry(&self, sequence: u64) -> Option<&Entry> {
        self.entries.get(usize::try_from(sequence.checked_sub(self.first)?).ok()?)
    }

    fn entry_mut(&mut self, sequence: u64) -> Option<&mut Entry> {
        self.entries.get_mut(usize::try_from(sequence.checked_sub(self.first)?).ok()?)
    }
}

impl Content {
    /// Returns the offset of data of this stream.
    fn offset_in(&self, one: StreamId) -> Option<u64> {
        match self {
            Self::Data { stream, offset, .. } if *stream == one => Some(*offset),
            _ => None,
        }
    }

    /// Returns the stream of data.
    fn stream(&self) -> Option<StreamId> {
        match self {
            Self::Data { stream, .. } => Some(*stream),
            Self::Report(_) => None,
        }
    }

    fn data_bytes(&self) -> u64 {
        match self {
            Self::Data { payload, .. } => u64::from(payload.len_bytes()),
            Self::Report(_) => 0,
        }
    }

    /// Returns the data from the offset of their stream on; none when all are before it.
    fn behind(self, offset_of: impl Fn(StreamId) -> u64) -> Option<Self> {
        let Self::Data { stream, offset, payload } = self else { return None };
        let skipped = offset_of(stream).saturating_sub(offset);
        let skipped = u32::try_from(skipped).ok().filter(|skipped| *skipped < payload.len_bytes())?;
        let payload = payload.slice(skipped..payload.len_bytes());
        Some(Self::Data { stream, offset: offset + u64::from(skipped), payload })
    }
}
