//! Octets that a stream carries: where they come from, and where they go.

use std::io;

use halftrack_base::SharedOctets;
use thiserror::Error;

/// Octets of the made-up contents of one period.
const PERIOD_BYTES: usize = 1 << 20;
/// Octets of it that every stream is shifted against the one before.
const SHIFT_BYTES: u64 = 8191;

/// Source of the octets of a stream.
pub trait Source {
    /// Goes to an offset: the octet that is taken next is the one there.
    ///
    /// # Errors
    /// An error of the operating system, or an offset behind the end.
    fn seek(&mut self, offset: u64) -> io::Result<()>;

    /// Takes at most so many octets; none at the end.
    ///
    /// # Errors
    /// An error of the operating system.
    fn take(&mut self, most_bytes: usize) -> io::Result<SharedOctets>;

    /// Returns how many octets there are in all, where that is certain.
    fn len_bytes(&self) -> Option<u64>;
}

/// Why a sink does not take octets.
#[derive(Debug, Error)]
pub enum SinkError {
    /// An error of the operating system.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Other octets than those that were sent.
    #[error("octet {offset} of the stream is another one than was sent")]
    Different {
        /// Offset of the first one.
        offset: u64,
    },
    /// A place in the stream that does not follow.
    #[error("octet {found} of the stream came where octet {expected} follows")]
    Place {
        /// Offset that follows.
        expected: u64,
        /// Offset that came.
        found: u64,
    },
}

/// Destination of the octets of a stream.
pub trait Sink {
    /// Takes octets from this offset on.
    ///
    /// # Errors
    /// Why they are not taken.
    fn put(&mut self, offset: u64, octets: &[u8]) -> Result<(), SinkError>;

    /// Returns how many octets were taken, and by an earlier start of the system.
    fn taken_bytes(&self) -> u64;

    /// Takes it that the stream has so many octets; true when all were taken, and are safe where they are kept.
    ///
    /// # Errors
    /// An error of the operating system.
    fn end_at(&mut self, length_bytes: u64) -> Result<bool, SinkError> {
        Ok(self.taken_bytes() >= length_bytes)
    }
}

/// Returns made-up contents of two periods, alike, of every stream: a period is one piece wherever it begins.
#[must_use]
pub fn pattern() -> SharedOctets {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let words = (0..PERIOD_BYTES / 8).flat_map(|_| {
        // SplitMix64.
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)).to_be_bytes()
    });
    words.collect::<Vec<u8>>().repeat(2).into()
}

/// Returns the place in the pattern of an octet of a stream.
fn place(stream: u32, offset: u64) -> usize {
    // The period is turned each time, so that octets of one period are not those of another.
    let period = offset / PERIOD_BYTES as u64;
    let shift = (u64::from(stream) + period).wrapping_mul(SHIFT_BYTES);
    ((offset.wrapping_add(shift)) % PERIOD_BYTES as u64) as usize
}

/// Octets that are made up, as many as are wanted.
#[derive(Debug, Clone)]
pub struct PatternSource {
    pattern: SharedOctets,
    stream: u32,
    at: u64,
    bytes: Option<u64>,
}

impl PatternSource {
    /// Returns the octets of a stream, so many or without an end.
    #[must_use]
    pub fn new(pattern: SharedOctets, stream: u32, bytes: Option<u64>) -> Self {
        Self { pattern, stream, at: 0, bytes }
    }

    /// Ends the stream at the octet that is taken next.
    pub fn end(&mut self) {
        self.bytes = Some(self.at);
    }
}

impl Source for PatternSource {
    fn seek(&mut self, offset: u64) -> io::Result<()> {
        if self.bytes.is_some_and(|bytes| offset > bytes) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.at = offset;
        Ok(())
    }

    fn take(&mut self, most_bytes: usize) -> io::Result<SharedOctets> {
        let left = self.bytes.map_or(u64::MAX, |bytes| bytes - self.at);
        let in_period = PERIOD_BYTES as u64 - self.at % PERIOD_BYTES as u64;
        let most = (most_bytes as u64).min(left).min(in_period) as usize;
        let from = place(self.stream, self.at);
        self.at += most as u64;
        Ok(self.pattern.slice(from..from + most))
    }

    fn len_bytes(&self) -> Option<u64> {
        self.bytes
    }
}

/// Compares every octet with the one that must come.
#[derive(Debug)]
pub struct PatternSink {
    expected: PatternSource,
}

impl PatternSink {
    /// Returns the sink of a stream.
    #[must_use]
    pub fn new(pattern: SharedOctets, stream: u32) -> Self {
        Self { expected: PatternSource::new(pattern, stream, None) }
    }

    /// Goes on where an earlier start of the system ended.
    pub fn resume(&mut self, offset: u64) {
        self.expected.at = offset;
    }
}

impl Sink for PatternSink {
    fn put(&mut self, offset: u64, octets: &[u8]) -> Result<(), SinkError> {
        if offset != self.expected.at {
            return Err(SinkError::Place { expected: self.expected.at, found: offset });
        }
        let mut rest = octets;
        while !rest.is_empty() {
            let expected = self.expected.take(rest.len())?;
            let (now, behind) = rest.split_at(expected.len());
            if now != &expected[..] {
                let different = now.iter().zip(&expected[..]).position(|(one, other)| one != other);
                let before = (octets.len() - rest.len() + different.unwrap_or(0)) as u64;
                return Err(SinkError::Different { offset: offset + before });
            }
            rest = behind;
        }
        Ok(())
    }

    fn taken_bytes(&self) -> u64 {
        self.expected.at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn octets(stream: u32, from: u64, bytes: usize) -> Vec<u8> {
        let mut source = PatternSource::new(pattern(), stream, None);
        source.seek(from).unwrap();
        let mut octets = Vec::new();
        while octets.len() < bytes {
            octets.extend_from_slice(&source.take(bytes - octets.len()).unwrap());
        }
        octets
    }

    /// Octets at one place are the same however they are taken, and those of other streams and periods are others.
    #[test]
    fn octets_follow_from_stream_and_offset() {
        let whole = octets(3, 0, 3 << 20);
        for from in [0, 1, 4096, (1 << 20) - 5, (1 << 20) + 1, 2_500_000] {
            assert!(octets(3, from as u64, 5000)[..] == whole[from..from + 5000], "{from}");
        }
        assert!(whole[..1 << 20] != whole[1 << 20..2 << 20]);
        assert!(octets(4, 0, 4096) != whole[..4096]);
    }

    #[test]
    fn a_sink_finds_every_other_octet_and_place() {
        let mut whole = octets(7, 0, 2_000_000);
        let mut sink = PatternSink::new(pattern(), 7);
        sink.put(0, &whole[..1_500_000]).unwrap();
        assert!(matches!(
            sink.put(1_500_001, &whole[..1]),
            Err(SinkError::Place { expected: 1_500_000, .. })
        ));
        whole[1_700_000] ^= 1;
        let wrong = sink.put(1_500_000, &whole[1_500_000..]);
        assert!(matches!(wrong, Err(SinkError::Different { offset: 1_700_000 })), "{wrong:?}");
        assert!(sink.taken_bytes() >= 1_500_000);
    }

    #[test]
    fn a_stream_ends_where_it_is_to() {
        let mut source = PatternSource::new(pattern(), 1, Some(10));
        assert_eq!(source.take(100).unwrap().len(), 10);
        assert!(source.take(100).unwrap().is_empty());
        source.seek(4).unwrap();
        assert_eq!(source.take(100).unwrap().len(), 6);
        assert!(source.seek(11).is_err());
    }
}
