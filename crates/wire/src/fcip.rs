//! Frames in a stream of octets: FC frame encapsulation (RFC 3643) as FCIP uses it (RFC 3821), with its special
//! frames (reference section 8.2).
//!
//! ```text
//! header 28 | SOF 4 | FC header, payload, CRC | EOF 4
//! header 28 | 0000FFFF | special frame 40 | 0000FFFF
//! ```
//!
//! A receiver reads from the front of the received octets: [`Encapsulated::parse`] returns that more octets are
//! needed, or a frame in place, or the fault for which the connection is to be closed; after a fault the stream has
//! no frame boundaries any more.

use thiserror::Error;

use crate::choices::{FCIP_CREDIT_USAGE, FCIP_LINK_USAGE};
use crate::delimiter::{Eof, Sof};
use crate::error::EmitError;
use crate::fc_frame::{FRAME_MAX_BYTES, emit_frame};
use crate::fc_header::{FC_HEADER_BYTES, FcHeader};
use crate::world_wide_name::WorldWideName;

/// TCP port of FCIP.
pub const FCIP_PORT: u16 = 3225;
/// Octets of an encapsulation before the FC header.
pub const PREFIX_BYTES: usize = 32;
/// Octets behind the FC CRC.
pub const SUFFIX_BYTES: usize = 4;
/// Octets around a frame.
pub const ENCAPSULATION_BYTES: usize = PREFIX_BYTES + SUFFIX_BYTES;
/// Octets of an encapsulated special frame.
pub const SPECIAL_FRAME_BYTES: usize = 76;
/// Most octets of an encapsulated frame.
pub const ENCAPSULATED_MAX_BYTES: usize = ENCAPSULATION_BYTES + FRAME_MAX_BYTES;

/// Protocol 1, version 1 and their complements.
const PROTOCOL_WORD: [u8; 4] = [0x01, 0x01, 0xFE, 0xFE];
/// The reserved word that stands for SOF and EOF in a special frame.
const NO_DELIMITER: [u8; 4] = [0, 0, 0xFF, 0xFF];
const CHANGED: u8 = 0x80;
const SPECIAL: u8 = 0x01;
/// Least words: the header, SOF, a frame of a header and CRC, EOF.
const LEAST_WORDS: u16 = ((ENCAPSULATION_BYTES + FC_HEADER_BYTES + 4) / 4) as u16;
const MOST_WORDS: u16 = (ENCAPSULATED_MAX_BYTES / 4) as u16;
const SPECIAL_WORDS: u16 = (SPECIAL_FRAME_BYTES / 4) as u16;

/// Why a stream is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum FcipFault {
    /// Not protocol 1, version 1, or its complements or copy are wrong.
    #[error("{0:02x?} where an FCIP frame begins with 01 01 fe fe, twice")]
    Protocol([u8; 4]),
    /// pFlags that do not match their complements, or reserved bits of them.
    #[error("FCIP flags {0:02x?} are reserved or do not match their complements")]
    Flags([u8; 4]),
    /// The length does not match its complement, or flags that FCIP does not use are on.
    #[error("FCIP length {0:02x?} does not match its complement, or uses reserved flags")]
    LengthComplement([u8; 4]),
    /// A length that no frame has.
    #[error("{0} words where an FCIP frame has 16 to 544, and a special frame 19")]
    Length(u16),
    /// Unknown SOF, or its copies differ.
    #[error("SOF {0:02x?} is unknown or its copies differ")]
    Sof([u8; 4]),
    /// Unknown EOF, or its copies differ.
    #[error("EOF {0:02x?} is unknown or its copies differ")]
    Eof([u8; 4]),
}

/// Time stamp of an encapsulation: 0 and 0 when there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct TimeStamp {
    /// Seconds.
    pub seconds: u32,
    /// Fraction of a second, in units of 2^-32 s.
    pub fraction: u32,
}

/// A special frame: it begins a connection, and by our choice gives buffer credits back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SpecialFrame {
    /// The receiver changed what it echoes.
    pub changed: bool,
    /// Name of the sender's fabric entity.
    pub source_name: WorldWideName,
    /// Which FC/FCIP entity of it.
    pub source_entity: u64,
    /// Number that distinguishes connections.
    pub nonce: u64,
    /// Classes of frames that the connection is for.
    pub usage_flags: u8,
    /// Use of the connection; [`FCIP_CREDIT_USAGE`] makes it a return of credits.
    pub usage_code: u16,
    /// Name of the fabric entity that the sender wants to reach; 0 for any.
    pub destination_name: WorldWideName,
    /// K_A_TOV, milliseconds; in a return of credits the number of buffers.
    pub keep_alive_ms: u32,
}

impl SpecialFrame {
    /// Returns the first frame of a connection, from who opened it.
    #[must_use]
    pub const fn first(source_name: WorldWideName, nonce: u64) -> Self {
        Self {
            changed: false,
            source_name,
            source_entity: 0,
            nonce,
            usage_flags: 0,
            usage_code: FCIP_LINK_USAGE,
            destination_name: WorldWideName(0),
            keep_alive_ms: 0,
        }
    }

    /// Gives `buffers` receive buffers back.
    #[must_use]
    pub const fn credits(buffers: u32) -> Self {
        let mut frame = Self::first(WorldWideName(0), 0);
        frame.usage_code = FCIP_CREDIT_USAGE;
        frame.keep_alive_ms = buffers;
        frame
    }

    /// Returns the number of receive buffers that the frame gives back, when it is for that.
    #[must_use]
    pub const fn credits_given(&self) -> Option<u32> {
        if self.usage_code == FCIP_CREDIT_USAGE { Some(self.keep_alive_ms) } else { None }
    }

    /// Appends the encapsulated special frame to `out`.
    pub fn emit(&self, stamp: TimeStamp, out: &mut Vec<u8>) {
        let flags = SPECIAL | if self.changed { CHANGED } else { 0 };
        out.extend_from_slice(&header(flags, SPECIAL_WORDS, stamp, NO_DELIMITER));
        out.extend_from_slice(&self.source_name.0.to_be_bytes());
        out.extend_from_slice(&self.source_entity.to_be_bytes());
        out.extend_from_slice(&self.nonce.to_be_bytes());
        out.extend_from_slice(&[self.usage_flags, 0]);
        out.extend_from_slice(&self.usage_code.to_be_bytes());
        out.extend_from_slice(&self.destination_name.0.to_be_bytes());
        out.extend_from_slice(&self.keep_alive_ms.to_be_bytes());
        out.extend_from_slice(&NO_DELIMITER);
    }

    /// Reads the 44 octets behind the header of a special frame; the reserved octet is ignored.
    fn parse(changed: bool, octets: &[u8; 44]) -> Self {
        let double = |at: usize| u64::from_be_bytes(std::array::from_fn(|index| octets[at + index]));
        Self {
            changed,
            source_name: WorldWideName(double(0)),
            source_entity: double(8),
            nonce: double(16),
            usage_flags: octets[24],
            usage_code: u16::from_be_bytes([octets[26], octets[27]]),
            destination_name: WorldWideName(double(28)),
            keep_alive_ms: u32::from_be_bytes(std::array::from_fn(|index| octets[36 + index])),
        }
    }
}

/// Contents of the front of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encapsulated<'a> {
    /// The stream needs at least this many octets before it can be read.
    Incomplete {
        /// Octets from the front of the stream.
        needed: usize,
    },
    /// A frame.
    Frame {
        /// Start of frame.
        sof: Sof,
        /// FC header, payload and CRC, for [`crate::FcFrame::parse`].
        frame: &'a [u8],
        /// End of frame.
        eof: Eof,
        /// Time stamp.
        stamp: TimeStamp,
        /// Octets of the stream that it took.
        consumed: usize,
    },
    /// A special frame, which took [`SPECIAL_FRAME_BYTES`] octets.
    Special {
        /// Contents of the special frame.
        special: SpecialFrame,
        /// Time stamp.
        stamp: TimeStamp,
    },
}

impl<'a> Encapsulated<'a> {
    /// Reads the front of `stream`. The frame's own CRC is not checked; the header CRC, which FCIP does not use,
    /// neither.
    ///
    /// # Errors
    /// The fault for which the connection is to be closed.
    #[inline]
    pub fn parse(stream: &'a [u8]) -> Result<Self, FcipFault> {
        let Some(prefix) = stream.first_chunk::<PREFIX_BYTES>() else {
            // Four octets are enough to turn a stranger away.
            return match stream.first_chunk::<4>() {
                Some(word) if *word != PROTOCOL_WORD => Err(FcipFault::Protocol(*word)),
                _ => Ok(Self::Incomplete { needed: PREFIX_BYTES }),
            };
        };
        let word = |at: usize| [prefix[at], prefix[at + 1], prefix[at + 2], prefix[at + 3]];
        for at in [0, 4] {
            if word(at) != PROTOCOL_WORD {
                return Err(FcipFault::Protocol(word(at)));
            }
        }
        let flags = word(8);
        if !is_complemented(flags) || flags[1] != 0 || flags[0] & !(CHANGED | SPECIAL) != 0 {
            return Err(FcipFault::Flags(flags));
        }
        let is_special = flags[0] & SPECIAL != 0;
        if flags[0] == CHANGED {
            return Err(FcipFault::Flags(flags));
        }
        let length = word(12);
        let words = u16::from_be_bytes([length[0], length[1]]);
        if !is_complemented(length) || words > 0x03FF {
            return Err(FcipFault::LengthComplement(length));
        }
        let lengths = if is_special { SPECIAL_WORDS..=SPECIAL_WORDS } else { LEAST_WORDS..=MOST_WORDS };
        if !lengths.contains(&words) {
            return Err(FcipFault::Length(words));
        }
        let stamp =
            TimeStamp { seconds: u32::from_be_bytes(word(16)), fraction: u32::from_be_bytes(word(20)) };
        let bytes = usize::from(words) * 4;
        let begin = word(28);
        if is_special {
            return parse_special(stream, flags[0] & CHANGED != 0, begin, stamp);
        }
        let sof = Sof::from_code(begin[0]).filter(|_| is_doubled(begin)).ok_or(FcipFault::Sof(begin))?;
        let Some((frame, end)) = stream.get(PREFIX_BYTES..bytes).and_then(<[u8]>::split_last_chunk::<4>)
        else {
            return Ok(Self::Incomplete { needed: bytes });
        };
        let eof = Eof::from_code(end[0]).filter(|_| is_doubled(*end)).ok_or(FcipFault::Eof(*end))?;
        Ok(Self::Frame { sof, frame, eof, stamp, consumed: bytes })
    }
}

fn parse_special(
    stream: &[u8],
    changed: bool,
    begin: [u8; 4],
    stamp: TimeStamp,
) -> Result<Encapsulated<'_>, FcipFault> {
    if begin != NO_DELIMITER {
        return Err(FcipFault::Sof(begin));
    }
    let Some(octets) = stream.get(PREFIX_BYTES..).and_then(<[u8]>::first_chunk::<44>) else {
        return Ok(Encapsulated::Incomplete { needed: SPECIAL_FRAME_BYTES });
    };
    let end = [octets[40], octets[41], octets[42], octets[43]];
    if end != NO_DELIMITER {
        return Err(FcipFault::Eof(end));
    }
    Ok(Encapsulated::Special { special: SpecialFrame::parse(changed, octets), stamp })
}

/// Returns two octets, then their complements.
const fn is_complemented(word: [u8; 4]) -> bool {
    word[0] == !word[2] && word[1] == !word[3]
}

/// Returns the same code twice, then its complement twice.
const fn is_doubled(word: [u8; 4]) -> bool {
    word[0] == word[1] && is_complemented(word)
}

const fn doubled(code: u8) -> [u8; 4] {
    [code, code, !code, !code]
}

#[inline]
fn header(flags: u8, words: u16, stamp: TimeStamp, begin: [u8; 4]) -> [u8; PREFIX_BYTES] {
    let mut octets = [0; PREFIX_BYTES];
    let [high, low] = words.to_be_bytes();
    let fields = [
        PROTOCOL_WORD,
        PROTOCOL_WORD,
        [flags, 0, !flags, 0xFF],
        [high, low, !high, !low],
        stamp.seconds.to_be_bytes(),
        stamp.fraction.to_be_bytes(),
        [0; 4],
        begin,
    ];
    for (octets, field) in octets.as_chunks_mut::<4>().0.iter_mut().zip(fields) {
        *octets = field;
    }
    octets
}

/// Appends a frame whose payload is `parts`, one after the other, encapsulated; its CRC is computed here.
///
/// # Errors
/// More payload than a frame has room for; `out` is then as it was.
#[inline]
pub fn encapsulate(
    out: &mut Vec<u8>,
    stamp: TimeStamp,
    sof: Sof,
    header: &FcHeader,
    parts: &[&[u8]],
    eof: Eof,
) -> Result<(), EmitError> {
    let begin = out.len();
    out.extend_from_slice(&[0; PREFIX_BYTES]);
    if let Err(error) = emit_frame(header, parts, out) {
        out.truncate(begin);
        return Err(error);
    }
    out.extend_from_slice(&doubled(eof.code()));
    let words = ((out.len() - begin) / 4) as u16;
    out[begin..begin + PREFIX_BYTES].copy_from_slice(&self::header(0, words, stamp, doubled(sof.code())));
    Ok(())
}

/// Appends a frame that is there already, FC header to CRC, encapsulated: what a director forwards.
///
/// # Errors
/// A length that no frame has.
pub fn encapsulate_frame(
    out: &mut Vec<u8>,
    stamp: TimeStamp,
    sof: Sof,
    frame: &[u8],
    eof: Eof,
) -> Result<(), EmitError> {
    let is_frame = (FC_HEADER_BYTES + 4..=FRAME_MAX_BYTES).contains(&frame.len());
    if !is_frame || !frame.len().is_multiple_of(4) {
        return Err(EmitError::Data(frame.len()));
    }
    let words = ((frame.len() + ENCAPSULATION_BYTES) / 4) as u16;
    out.extend_from_slice(&header(0, words, stamp, doubled(sof.code())));
    out.extend_from_slice(frame);
    out.extend_from_slice(&doubled(eof.code()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fc_frame::FcFrame;
    use crate::fc_header::FrameControl;

    /// The read command of the reference's section 9.3 as FCIP.
    const PUBLISHED: [u8; 92] = [
        0x01, 0x01, 0xfe, 0xfe, 0x01, 0x01, 0xfe, 0xfe, 0, 0, 0xff, 0xff, 0x00, 0x18, 0xff, 0xe7, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0x2e, 0x2e, 0xd1, 0xd1, 0x06, 0x01, 0x02, 0x00, 0x00, 0x01, 0x01, 0x00, 0x1b,
        0x08, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x12, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,
        0x00, 0x02, 0x00, 0x34, 0x00, 0x00, 0x11, 0x00, 0x00, 0x02, 0x00, 0x00, 0xab, 0xcd, 0x86, 0x28, 0x10,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x97, 0x1f, 0xbb, 0xcd, 0x74, 0x3b, 0xe4, 0x5b,
    ];

    fn published() -> Vec<u8> {
        let mut octets = PUBLISHED.to_vec();
        octets.extend_from_slice(&[0x42, 0x42, 0xbd, 0xbd]);
        octets
    }

    #[test]
    fn the_published_frame_round_trips() {
        let octets = published();
        let Ok(Encapsulated::Frame { sof, frame, eof, stamp, consumed }) = Encapsulated::parse(&octets)
        else {
            panic!("no frame");
        };
        assert_eq!((sof, eof, stamp, consumed), (Sof::Initiate3, Eof::Terminate, TimeStamp::default(), 96));
        let parsed = FcFrame::parse(frame).unwrap();
        assert!(parsed.header.f_ctl.has(FrameControl::END_SEQUENCE));
        let mut raw = Vec::new();
        encapsulate_frame(&mut raw, stamp, sof, frame, eof).unwrap();
        let mut built = Vec::new();
        let (front, back) = parsed.payload.split_at(7);
        encapsulate(&mut built, stamp, sof, &parsed.header, &[front, back], eof).unwrap();
        assert_eq!((&raw, &built), (&octets, &octets));
    }

    #[test]
    fn a_stream_is_read_as_it_comes() {
        let mut stream = published();
        SpecialFrame::credits(40).emit(TimeStamp::default(), &mut stream);
        for length in 0..96 {
            let Ok(Encapsulated::Incomplete { needed }) = Encapsulated::parse(&stream[..length]) else {
                panic!("{length} octets are no frame");
            };
            assert!(needed > length && needed <= 96);
        }
        for length in 96..172 {
            assert!(matches!(
                Encapsulated::parse(&stream[96..length]),
                Ok(Encapsulated::Incomplete { needed }) if needed > length - 96
            ));
        }
        let Ok(Encapsulated::Special { special, .. }) = Encapsulated::parse(&stream[96..]) else {
            panic!("no special frame");
        };
        assert_eq!(special.credits_given(), Some(40));
    }

    #[test]
    fn every_fault_has_its_reason() {
        let fault = |at: usize, octets: [u8; 4]| {
            let mut stream = published();
            stream[at..at + 4].copy_from_slice(&octets);
            Encapsulated::parse(&stream).map(|_| ())
        };
        assert_eq!(fault(0, *b"GET "), Err(FcipFault::Protocol(*b"GET ")));
        assert_eq!(Encapsulated::parse(b"SSH-").map(|_| ()), Err(FcipFault::Protocol(*b"SSH-")));
        assert_eq!(fault(4, [2, 1, 0xfd, 0xfe]), Err(FcipFault::Protocol([2, 1, 0xfd, 0xfe])));
        for flags in [[0, 0, 0, 0xff], [2, 0, 0xfd, 0xff], [0x80, 0, 0x7f, 0xff], [0, 1, 0xff, 0xfe]] {
            assert_eq!(fault(8, flags), Err(FcipFault::Flags(flags)));
        }
        for length in [[0, 24, 0, 0], [4, 24, 0xfb, 0xe7]] {
            assert_eq!(fault(12, length), Err(FcipFault::LengthComplement(length)));
        }
        assert_eq!(fault(12, [0, 15, 0xff, 0xf0]), Err(FcipFault::Length(15)));
        assert_eq!(fault(12, [2, 33, 0xfd, 0xde]), Err(FcipFault::Length(545)));
        assert_eq!(fault(8, [1, 0, 0xfe, 0xff]), Err(FcipFault::Length(24)));
        assert_eq!(fault(28, [0x2e, 0x2e, 0xd1, 0]), Err(FcipFault::Sof([0x2e, 0x2e, 0xd1, 0])));
        assert_eq!(fault(28, [1, 1, 0xfe, 0xfe]), Err(FcipFault::Sof([1, 1, 0xfe, 0xfe])));
        assert_eq!(fault(92, [0x42, 0x41, 0xbd, 0xbe]), Err(FcipFault::Eof([0x42, 0x41, 0xbd, 0xbe])));
        let mut special = Vec::new();
        SpecialFrame::default().emit(TimeStamp::default(), &mut special);
        special[75] = 0;
        assert_eq!(Encapsulated::parse(&special).map(|_| ()), Err(FcipFault::Eof([0, 0, 0xff, 0])));
        special[31] = 0;
        assert_eq!(Encapsulated::parse(&special).map(|_| ()), Err(FcipFault::Sof([0, 0, 0xff, 0])));
    }

    #[test]
    fn what_is_no_frame_is_not_encapsulated() {
        let mut out = vec![7];
        let stamp = TimeStamp::default();
        let (sof, eof) = (Sof::Normal3, Eof::Normal);
        assert_eq!(encapsulate_frame(&mut out, stamp, sof, &[0; 30], eof), Err(EmitError::Data(30)));
        assert!(encapsulate(&mut out, stamp, sof, &FcHeader::default(), &[&[0; 2113]], eof).is_err());
        assert_eq!(out, [7]);
    }

    proptest! {
        #[test]
        fn special_frames_round_trip(
            changed: bool, names: (u64, u64), entity: u64, nonce: u64, usage: (u8, u16), keep: u32, seconds: u32,
        ) {
            let stamp = TimeStamp { seconds, fraction: !seconds };
            let frame = SpecialFrame {
                changed,
                source_name: WorldWideName(names.0),
                source_entity: entity,
                nonce,
                usage_flags: usage.0,
                usage_code: usage.1,
                destination_name: WorldWideName(names.1),
                keep_alive_ms: keep,
            };
            let mut octets = Vec::new();
            frame.emit(stamp, &mut octets);
            prop_assert_eq!(octets.len(), SPECIAL_FRAME_BYTES);
            prop_assert_eq!(Encapsulated::parse(&octets), Ok(Encapsulated::Special { special: frame, stamp }));
        }

        #[test]
        fn any_octets_are_a_frame_need_more_or_a_fault(octets in prop::collection::vec(any::<u8>(), 0..128)) {
            let _ = Encapsulated::parse(&octets);
            let mut begun = published()[..32].to_vec();
            begun.extend_from_slice(&octets);
            let _ = Encapsulated::parse(&begun);
        }
    }
}
