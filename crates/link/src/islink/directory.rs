//! Stream 0 of a link: which streams a system sends and how long they are, and at its end that the system needs the link no more.
//!
//! ```text
//! number of streams 4 | for each: stream 4, part of the sender 1, octets 8 | end 1
//! ```
//!
//! It is made anew at each start of a system, so that a partner that has lost it gets it again.

use std::collections::BTreeMap;
use std::fmt;
use std::io;

use halftrack_base::SharedOctets;

use super::stream::Source;

/// Number of the stream.
pub(super) const DIRECTORY_STREAM: u32 = 0;
const COUNT_BYTES: usize = 4;
const ENTRY_BYTES: usize = 13;

/// Part of a system in a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// It sends the stream, which goes one way.
    Sender,
    /// A guest leaves it.
    Source,
    /// A guest comes to it.
    Destination,
    /// It sends requests.
    Requester,
    /// It sends responses.
    Responder,
}

impl Part {
    const ALL: [Self; 5] = [Self::Sender, Self::Source, Self::Destination, Self::Requester, Self::Responder];

    /// Returns the part of the other system in a conversation.
    pub(super) const fn counterpart(self) -> Self {
        match self {
            Self::Sender => Self::Sender,
            Self::Source => Self::Destination,
            Self::Destination => Self::Source,
            Self::Requester => Self::Responder,
            Self::Responder => Self::Requester,
        }
    }
}

impl fmt::Display for Part {
    /// Shows the key of the part in the file of a system.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sender => "send",
            Self::Source => "relocate",
            Self::Destination => "host",
            Self::Requester => "request",
            Self::Responder => "respond",
        })
    }
}

/// An entry of a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    /// Part of the system that sends the directory; none when it is unknown here.
    pub part: Option<Part>,
    /// Octets that it sends; those of a conversation are not certain.
    pub length_bytes: u64,
}

/// The directory that a system sends.
#[derive(Debug)]
pub(super) struct SentDirectory {
    octets: SharedOctets,
    at: usize,
    /// Everything that the system sends is with its partner, and it has what the partner sends.
    is_satisfied: bool,
}

impl SentDirectory {
    /// Returns the directory of these streams, the own part in each and its length, octets.
    pub fn new(streams: &[(u32, Part, u64)]) -> Self {
        let mut octets = (streams.len() as u32).to_be_bytes().to_vec();
        for (stream, part, length) in streams {
            octets.extend_from_slice(&stream.to_be_bytes());
            octets.push(*part as u8);
            octets.extend_from_slice(&length.to_be_bytes());
        }
        octets.push(1);
        Self { octets: octets.into(), at: 0, is_satisfied: false }
    }

    /// Sends the end: the system needs the link no more.
    pub fn satisfy(&mut self) {
        self.is_satisfied = true;
    }

    /// Returns the octets up to the end.
    pub fn whole_bytes(&self) -> u64 {
        self.octets.len() as u64
    }
}

impl Source for SentDirectory {
    fn seek(&mut self, offset: u64) -> io::Result<()> {
        self.at = usize::try_from(offset).unwrap_or(usize::MAX).min(self.octets.len());
        Ok(())
    }

    fn take(&mut self, most_bytes: usize) -> io::Result<SharedOctets> {
        let end = if self.is_satisfied { self.octets.len() } else { self.octets.len() - 1 };
        let to = end.min(self.at.saturating_add(most_bytes)).max(self.at);
        let taken = self.octets.slice(self.at..to);
        self.at = to;
        Ok(taken)
    }

    fn len_bytes(&self) -> Option<u64> {
        Some(self.whole_bytes())
    }
}

/// The directory of the partner, as far as it has come.
#[derive(Debug, Default)]
pub(super) struct ReceivedDirectory {
    octets: Vec<u8>,
}

impl ReceivedDirectory {
    /// Takes octets from this offset on: a partner that has started anew begins again.
    pub fn put(&mut self, offset: u64, octets: &[u8]) {
        self.octets.truncate(usize::try_from(offset).unwrap_or(usize::MAX));
        self.octets.extend_from_slice(octets);
    }

    /// Returns the streams, when all have come.
    pub fn streams(&self) -> Option<BTreeMap<u32, Entry>> {
        let count = u32::from_be_bytes(*self.octets.first_chunk::<COUNT_BYTES>()?) as usize;
        let entries = self.octets.get(COUNT_BYTES..COUNT_BYTES + count.checked_mul(ENTRY_BYTES)?)?;
        let entry = |entry: &[u8]| {
            let ((stream, rest), mut length) = (entry.split_at(4), [0; 8]);
            length.copy_from_slice(&rest[1..]);
            let part = Part::ALL.get(usize::from(rest[0])).copied();
            let stream = u32::from_be_bytes(stream.try_into().unwrap_or_default());
            (stream, Entry { part, length_bytes: u64::from_be_bytes(length) })
        };
        Some(entries.chunks_exact(ENTRY_BYTES).map(entry).collect())
    }

    /// Returns whether the partner needs the link no more.
    pub fn is_satisfied(&self) -> bool {
        let whole = self.streams().map(|streams| COUNT_BYTES + streams.len() * ENTRY_BYTES + 1);
        whole.is_some_and(|whole| self.octets.len() >= whole)
    }
}

#[test]
fn a_directory_is_read_as_it_was_sent_and_ends_when_it_is_to() {
    let mut sent = SentDirectory::new(&[(1, Part::Sender, 10), (7, Part::Responder, 1 << 40)]);
    let mut received = ReceivedDirectory::default();
    received.put(0, &sent.take(5).unwrap());
    assert_eq!(received.streams(), None);
    received.put(5, &sent.take(100).unwrap());
    let entry = |part, length_bytes| Entry { part, length_bytes };
    let expected = [(1, entry(Some(Part::Sender), 10)), (7, entry(Some(Part::Responder), 1 << 40))];
    assert_eq!(received.streams(), Some(expected.into()));
    assert!(!received.is_satisfied() && sent.take(100).unwrap().is_empty());
    sent.satisfy();
    received.put(30, &sent.take(100).unwrap());
    assert!(received.is_satisfied());
    received.put(8, &[9]);
    assert_eq!(received.streams(), None);
    received.put(0, &[0, 0, 0, 1, 0, 0, 0, 1, 9, 0, 0, 0, 0, 0, 0, 0, 5]);
    assert_eq!(received.streams(), Some([(1, entry(None, 5))].into()));
    received.put(0, &[0, 0, 0, 0]);
    assert_eq!((received.streams(), received.is_satisfied()), (Some([].into()), false));
    for part in Part::ALL {
        assert_eq!((Part::ALL[part as usize], part.counterpart().counterpart()), (part, part));
    }
}
