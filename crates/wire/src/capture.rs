//! Captures: pcapng with frames between their delimiters (link type 225), as network analysers read them.
//!
//! Every link has two interfaces, one for each direction. Time stamps are nanoseconds. The contents depend on the
//! calls alone: no host, no user, no wall clock is in the file.

use std::borrow::Cow;
use std::io::{Read, Write};
use std::time::Duration;

pub use pcap_file::PcapError;
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketBlock;
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::blocks::section_header::{SectionHeaderBlock, SectionHeaderOption};
use pcap_file::pcapng::{Block, PcapNgReader, PcapNgWriter};
use pcap_file::{DataLink, Endianness};
use thiserror::Error;

use crate::delimiter::{DELIMITER_BYTES, Eof, Sof};
use crate::fc_frame::FRAME_MAX_BYTES;

/// Link type: Fibre Channel FC-2 with frame delimiters as words.
pub const LINK_TYPE: u32 = 225;
/// Most octets of a captured frame.
pub const CAPTURED_MAX_BYTES: usize = FRAME_MAX_BYTES + 2 * DELIMITER_BYTES;

/// if_tsresol: units of 10^-9 s.
const NANOSECONDS: u8 = 9;
/// Units of 10^-6 s: the default of the format.
const MICROSECONDS: u8 = 6;

/// Why a capture was not written or read.
#[derive(Debug, Error)]
pub enum CaptureError {
    /// The file could not be read or written, or is no pcapng file.
    #[error("{0}")]
    File(#[from] PcapError),
    /// A frame for an interface that was not added.
    #[error("interface {0} is not in the capture")]
    Interface(u32),
    /// An interface of another link type.
    #[error("link type {0} where captures of frames have 225")]
    LinkType(u32),
    /// Octets that are no frame between delimiters.
    #[error("frame {number} has {reason}")]
    Frame {
        /// Number of the frame in the file, from 1.
        number: u64,
        /// Description of the fault.
        reason: &'static str,
    },
}

/// A direction of a link in a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InterfaceId(u32);

impl InterfaceId {
    /// Returns its number in the file, from 0.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }
}

/// Writes a capture.
pub struct CaptureWriter<W: Write> {
    file: PcapNgWriter<W>,
    octets: Vec<u8>,
    frames: u64,
    frames_max: u64,
}

impl<W: Write> CaptureWriter<W> {
    /// Begins a capture of at most `frames_max` frames.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn new(writer: W, frames_max: u64) -> Result<Self, CaptureError> {
        let application = SectionHeaderOption::UserApplication(Cow::Borrowed("halftrack"));
        let section = SectionHeaderBlock {
            endianness: Endianness::Little,
            options: vec![application],
            ..SectionHeaderBlock::default()
        };
        let file = PcapNgWriter::with_section_header(writer, section)?;
        Ok(Self { file, octets: Vec::with_capacity(CAPTURED_MAX_BYTES), frames: 0, frames_max })
    }

    /// Adds a direction of a link by name.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn interface(&mut self, name: &str) -> Result<InterfaceId, CaptureError> {
        self.commented_interface(name, None)
    }

    fn commented_interface(
        &mut self,
        name: &str,
        comment: Option<&str>,
    ) -> Result<InterfaceId, CaptureError> {
        let comment = comment.map(|words| InterfaceDescriptionOption::Comment(Cow::Borrowed(words)));
        let id = self.file.interfaces().len() as u32;
        self.file.write_pcapng_block(InterfaceDescriptionBlock {
            linktype: DataLink::from(LINK_TYPE),
            snaplen: CAPTURED_MAX_BYTES as u32,
            options: comment
                .into_iter()
                .chain([
                    InterfaceDescriptionOption::IfName(Cow::Borrowed(name)),
                    InterfaceDescriptionOption::IfTsResol(NANOSECONDS),
                ])
                .collect(),
        })?;
        Ok(InterfaceId(id))
    }

    /// Adds both directions of a link, seen from the channel: `"NAME out"` and `"NAME in"`.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn link(&mut self, name: &str) -> Result<[InterfaceId; 2], CaptureError> {
        self.commented_link(name, None)
    }

    /// Adds both directions of a link as [`CaptureWriter::link`] does, each with a comment where there is one.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn commented_link(
        &mut self,
        name: &str,
        comment: Option<&str>,
    ) -> Result<[InterfaceId; 2], CaptureError> {
        let out = self.commented_interface(&format!("{name} out"), comment)?;
        Ok([out, self.commented_interface(&format!("{name} in"), comment)?])
    }

    /// Writes `frame`, FC header to CRC, as it was `at_ns` nanoseconds after the zero of the capture's time. False
    /// when the capture is full and the frame is not in it.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn frame(
        &mut self,
        interface: InterfaceId,
        at_ns: u64,
        sof: Sof,
        frame: &[u8],
        eof: Eof,
    ) -> Result<bool, CaptureError> {
        if self.frames >= self.frames_max {
            return Ok(false);
        }
        self.octets.clear();
        self.octets.extend_from_slice(&sof.word());
        self.octets.extend_from_slice(frame);
        self.octets.extend_from_slice(&eof.word());
        self.file.write_pcapng_block(EnhancedPacketBlock {
            interface_id: interface.0,
            timestamp: Duration::from_nanos(at_ns),
            original_len: self.octets.len() as u32,
            data: Cow::Borrowed(&self.octets),
            options: Vec::new(),
        })?;
        self.frames += 1;
        Ok(true)
    }

    /// Frames written.
    #[must_use]
    pub const fn frames(&self) -> u64 {
        self.frames
    }

    /// Returns true when no more frames go in.
    #[must_use]
    pub const fn is_full(&self) -> bool {
        self.frames >= self.frames_max
    }

    /// Returns the writer, when all is written; it has still to be flushed.
    #[must_use]
    pub fn into_inner(self) -> W {
        self.file.into_inner()
    }
}

/// A frame of a capture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CapturedFrame {
    /// Direction of a link.
    pub interface: InterfaceId,
    /// Nanoseconds after the zero of the capture's time.
    pub at_ns: u64,
    /// Start of frame.
    pub sof: Sof,
    /// FC header, payload and CRC, for [`crate::FcFrame::parse`].
    pub frame: Vec<u8>,
    /// End of frame.
    pub eof: Eof,
}

/// Reads a capture.
pub struct CaptureReader<R: Read> {
    file: PcapNgReader<R>,
    frames: u64,
}

impl<R: Read> CaptureReader<R> {
    /// Begins to read.
    ///
    /// # Errors
    /// The file cannot be read or is no pcapng file.
    pub fn new(reader: R) -> Result<Self, CaptureError> {
        Ok(Self { file: PcapNgReader::new(reader)?, frames: 0 })
    }

    /// Returns the name of an interface that a frame named; empty when it has none.
    #[must_use]
    pub fn interface_name(&self, interface: InterfaceId) -> &str {
        let options = self.file.interfaces().get(interface.0 as usize).map(|block| block.options.as_slice());
        let name = options.unwrap_or_default().iter().find_map(|option| match option {
            InterfaceDescriptionOption::IfName(name) => Some(name.as_ref()),
            _ => None,
        });
        name.unwrap_or_default()
    }

    /// Returns the next frame; none at the end. Blocks of other kinds are passed over.
    ///
    /// # Errors
    /// The file cannot be read, breaks off, or holds what is no frame between delimiters.
    pub fn next_frame(&mut self) -> Result<Option<CapturedFrame>, CaptureError> {
        loop {
            let Some(block) = self.file.next_block() else {
                return Ok(None);
            };
            let Block::EnhancedPacket(packet) = block? else {
                continue;
            };
            self.frames += 1;
            let (interface, raw, octets) =
                (packet.interface_id, packet.timestamp.as_nanos() as u64, packet.data.into_owned());
            let description =
                self.file.interfaces().get(interface as usize).ok_or(CaptureError::Interface(interface))?;
            let link_type = u32::from(description.linktype);
            if link_type != LINK_TYPE {
                return Err(CaptureError::LinkType(link_type));
            }
            let at_ns = nanoseconds(description, raw);
            return split(octets, self.frames).map(|(sof, frame, eof)| {
                Some(CapturedFrame { interface: InterfaceId(interface), at_ns, sof, frame, eof })
            });
        }
    }
}

/// Returns the library gives time stamps as the number in the file; units are the interface's own.
fn nanoseconds(description: &InterfaceDescriptionBlock<'_>, raw: u64) -> u64 {
    let resolution = description.options.iter().find_map(|option| match option {
        InterfaceDescriptionOption::IfTsResol(resolution) => Some(*resolution),
        _ => None,
    });
    let resolution = resolution.unwrap_or(MICROSECONDS);
    let per_second = match resolution & 0x80 {
        0 => 10_u128.checked_pow(u32::from(resolution)),
        _ => 1_u128.checked_shl(u32::from(resolution & 0x7F)),
    };
    let nanoseconds = per_second.map_or(0, |units| u128::from(raw) * 1_000_000_000 / units);
    u64::try_from(nanoseconds).unwrap_or(u64::MAX)
}

fn split(octets: Vec<u8>, number: u64) -> Result<(Sof, Vec<u8>, Eof), CaptureError> {
    let fault = |reason| CaptureError::Frame { number, reason };
    let (begin, rest) = octets.split_first_chunk().ok_or(fault("no octets"))?;
    let (frame, end) = rest.split_last_chunk().ok_or(fault("fewer octets than its delimiters"))?;
    if frame.len() > FRAME_MAX_BYTES {
        return Err(fault("more octets than a frame"));
    }
    let sof = Sof::from_word(*begin).ok_or(fault("an unknown SOF"))?;
    let eof = Eof::from_word(*end).ok_or(fault("an unknown EOF"))?;
    Ok((sof, frame.to_vec(), eof))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fc_frame::emit_frame;
    use crate::fc_header::FcHeader;

    fn frame(payload: &[u8]) -> Vec<u8> {
        let mut octets = Vec::new();
        emit_frame(&FcHeader::default(), &[payload], &mut octets).unwrap();
        octets
    }

    fn capture(frames: &[(usize, u64, Vec<u8>)]) -> Vec<u8> {
        let mut writer = CaptureWriter::new(Vec::new(), u64::MAX).unwrap();
        let link = writer.link("CHPID 50").unwrap();
        for (direction, at_ns, octets) in frames {
            assert!(writer.frame(link[*direction], *at_ns, Sof::Initiate3, octets, Eof::Terminate).unwrap());
        }
        assert_eq!(writer.frames(), frames.len() as u64);
        writer.into_inner()
    }

    #[test]
    fn frames_come_back_with_time_and_direction() {
        let frames = [(0, 5, frame(&[1, 2])), (1, u64::MAX / 2, frame(&[3; 2112]))];
        let octets = capture(&frames);
        assert_eq!(octets, capture(&frames), "the same bytes each time");
        let mut reader = CaptureReader::new(octets.as_slice()).unwrap();
        for (direction, at_ns, octets) in frames {
            let read = reader.next_frame().unwrap().unwrap();
            assert_eq!(reader.interface_name(read.interface), ["CHPID 50 out", "CHPID 50 in"][direction]);
            assert_eq!((read.at_ns, read.frame), (at_ns, octets));
            assert_eq!((read.sof, read.eof), (Sof::Initiate3, Eof::Terminate));
        }
        assert_eq!(reader.next_frame().unwrap(), None);
    }

    /// Returns where the first interface description begins: behind the section header, whose version is 1 too.
    fn description_at(octets: &[u8]) -> usize {
        16 + octets[16..].windows(4).position(|word| word == [1, 0, 0, 0]).unwrap()
    }

    /// Fixed fields of the format (pcapng specification): link type 225, if_tsresol 9.
    #[test]
    fn the_file_says_what_analysers_need() {
        let octets = capture(&[]);
        assert_eq!(octets[..4], [0x0A, 0x0D, 0x0D, 0x0A]);
        let at = description_at(&octets);
        // Block type, length, link type, reserved, snap length, option 2 (if_name).
        assert_eq!(octets[at + 8..at + 12], [225, 0, 0, 0]);
        assert_eq!(octets[at + 16..at + 20], [2, 0, 12, 0]);
        assert_eq!(&octets[at + 20..at + 32], b"CHPID 50 out");
        assert_eq!(octets[at + 32..at + 40], [9, 0, 1, 0, 9, 0, 0, 0]);
    }

    #[test]
    fn a_full_capture_takes_no_more() {
        let mut writer = CaptureWriter::new(Vec::new(), 1).unwrap();
        let [out, _] = writer.link("CHPID 50").unwrap();
        let octets = frame(&[]);
        let mut write = || writer.frame(out, 0, Sof::Initiate3, &octets, Eof::Terminate).unwrap();
        assert_eq!((write(), write()), (true, false));
        assert_eq!((writer.frames(), writer.is_full()), (1, true));
    }

    #[test]
    fn other_files_and_frames_are_refused() {
        assert!(CaptureReader::new(&b"GIF89a, and more of it that is no block"[..]).is_err());
        let mut octets = capture(&[(0, 5, frame(&[1, 2]))]);
        let at = octets.windows(4).position(|word| word == Sof::Initiate3.word()).unwrap();
        octets[at] = 0;
        let read = CaptureReader::new(octets.as_slice()).unwrap().next_frame();
        assert_eq!(read.unwrap_err().to_string(), "frame 1 has an unknown SOF");
        let other = description_at(&octets) + 8;
        octets[other] = 1;
        let read = CaptureReader::new(octets.as_slice()).unwrap().next_frame();
        assert!(matches!(read, Err(CaptureError::LinkType(1))));
    }

    #[test]
    fn time_stamps_are_in_the_interface_s_units() {
        let description = |resolution| InterfaceDescriptionBlock {
            linktype: DataLink::from(LINK_TYPE),
            snaplen: 0,
            options: vec![InterfaceDescriptionOption::IfTsResol(resolution)],
        };
        assert_eq!(nanoseconds(&description(6), 3), 3000);
        assert_eq!(nanoseconds(&description(0x80 | 1), 3), 1_500_000_000);
        assert_eq!(nanoseconds(&description(0), u64::MAX), u64::MAX);
        assert_eq!(nanoseconds(&description(100), 3), 0);
    }

    proptest! {
        #[test]
        fn any_octets_read_or_fail(octets in prop::collection::vec(any::<u8>(), 0..200), at in 0_usize..400) {
            let mut whole = capture(&[(0, 5, frame(&[1, 2])), (1, 6, frame(&[3]))]);
            let at = at.min(whole.len());
            let end = (at + octets.len()).min(whole.len());
            whole[at..end].copy_from_slice(&octets[..end - at]);
            if let Ok(mut reader) = CaptureReader::new(whole.as_slice()) {
                while let Ok(Some(_)) = reader.next_frame() {}
            }
        }
    }
}
