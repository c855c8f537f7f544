//! Captures that the tests make and change.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use halftrack_wire::{
    CaptureReader, CaptureWriter, CapturedFrame, Eof, FcFrame, FcHeader, FrameControl, Sof, emit_frame,
};

/// Frames with their places, as a test changes them.
pub struct Captured {
    names: Vec<String>,
    pub frames: Vec<CapturedFrame>,
}

impl Captured {
    /// Reads a capture.
    pub fn read(path: &Path) -> Self {
        let mut reader = CaptureReader::new(File::open(path).expect("capture")).expect("pcapng");
        let (mut frames, mut names) = (Vec::new(), Vec::new());
        while let Some(frame) = reader.next_frame().expect("a frame") {
            let number = frame.interface.number() as usize;
            names.resize(names.len().max(number + 1), String::new());
            names[number] = reader.interface_name(frame.interface).to_owned();
            frames.push(frame);
        }
        Self { names, frames }
    }

    /// Writes it.
    pub fn write(&self, path: &Path) {
        let mut writer = CaptureWriter::new(File::create(path).expect("file"), u64::MAX).expect("pcapng");
        let interfaces: Vec<_> =
            self.names.iter().map(|name| writer.interface(name).expect("interface")).collect();
        for frame in &self.frames {
            let interface = interfaces[frame.interface.number() as usize];
            writer.frame(interface, frame.at_ns, frame.sof, &frame.frame, frame.eof).expect("frame");
        }
    }

    /// Changes a bit of an octet of a frame's payload; with `hidden` the frame's own CRC is made right again.
    pub fn damage(&mut self, frame: usize, at: usize, hidden: bool) {
        let octets = &mut self.frames[frame].frame;
        octets[24 + at] ^= 0x10;
        if hidden {
            let end = octets.len() - 4;
            let check = halftrack_wire::crc::crc(&octets[..end]).to_be_bytes();
            octets[end..].copy_from_slice(&check);
        }
    }

    /// Returns the index of the first frame that begins a sequence with this TYPE and R_CTL.
    pub fn first(&self, fc_type: u8, r_ctl: u8) -> usize {
        let is_it = |frame: &CapturedFrame| {
            frame.sof == Sof::Initiate3 && (frame.frame[8], frame.frame[0]) == (fc_type, r_ctl)
        };
        self.frames.iter().position(is_it).expect("such a frame")
    }
}

/// A sequence of a capture.
pub struct CapturedSequence {
    /// Header of its first frame.
    pub header: FcHeader,
    /// Its frames, by their places in the capture.
    pub frames: Vec<usize>,
}

impl Captured {
    /// Returns the whole sequences, in the order of their last frames.
    pub fn sequences(&self) -> Vec<CapturedSequence> {
        let (mut partial, mut whole) = (BTreeMap::new(), Vec::new());
        for (place, captured) in self.frames.iter().enumerate() {
            let frame = FcFrame::parse(&captured.frame).expect("a sound frame");
            let header = frame.header;
            let key = (captured.interface.number(), header.s_id, header.d_id, header.ox_id, header.seq_id);
            let sequence =
                partial.entry(key).or_insert_with(|| CapturedSequence { header, frames: Vec::new() });
            sequence.frames.push(place);
            if header.f_ctl.has(FrameControl::END_SEQUENCE) {
                whole.extend(partial.remove(&key));
            }
        }
        whole
    }
}

/// A sequence of one frame: R_CTL, TYPE, addresses (S_ID, D_ID), OX_ID, payload.
pub type Sequence = (u8, u8, [u32; 2], u16, Vec<u8>);

/// Writes sequences of one frame each.
pub fn write_sequences(path: &Path, sequences: &[Sequence]) {
    let mut writer = CaptureWriter::new(File::create(path).expect("file"), u64::MAX).expect("pcapng");
    let link = writer.link("CHPID 50").expect("interfaces");
    for (number, (r_ctl, fc_type, [s_id, d_id], ox_id, payload)) in sequences.iter().enumerate() {
        let is_reply = matches!(r_ctl, 0x03 | 0x23);
        let mut f_ctl = FrameControl::FIRST_SEQUENCE.with(FrameControl::END_SEQUENCE);
        if *fc_type < 0x1B && is_reply {
            f_ctl =
                FrameControl::RESPONDER.with(FrameControl::LAST_SEQUENCE).with(FrameControl::END_SEQUENCE);
        } else if *fc_type < 0x1B {
            f_ctl = f_ctl.with(FrameControl::INITIATIVE);
        } else {
            f_ctl = f_ctl.with(FrameControl::LAST_SEQUENCE);
        }
        let header = FcHeader {
            r_ctl: *r_ctl,
            fc_type: *fc_type,
            s_id: *s_id,
            d_id: *d_id,
            f_ctl,
            seq_id: number as u8,
            ox_id: *ox_id,
            rx_id: 0xFFFF,
            ..FcHeader::default()
        };
        let mut frame = Vec::new();
        emit_frame(&header, &[payload], &mut frame).expect("a frame");
        let interface = link[usize::from(is_reply)];
        let at_ns = 1000 * number as u64;
        writer.frame(interface, at_ns, Sof::Initiate3, &frame, Eof::Terminate).expect("written");
    }
}
