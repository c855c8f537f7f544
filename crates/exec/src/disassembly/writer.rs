//! The text of an image.

use std::collections::BTreeMap;

use halftrack_input::SourceFile;
use halftrack_program::{
    CCW_BYTES, CcwFormat, IdawFormat, MIDAW_BYTES, Orb, OrbProgram, TCAH_BYTES, TCW_BYTES, Tcw, TcwFlags,
    Transfer,
};

use crate::assembly::program::{Function, assemble};
use crate::disassembly::ccw_chain::found;
use crate::disassembly::ccw_words::{ccw_words, midaw_list};
use crate::disassembly::data_words::{constant, pieces};
use crate::disassembly::image::Image;
use crate::disassembly::transport_words::transport_words;
use crate::text::start_text::ORB_FLAGS;

/// Returns the text that assembles to `image`.
pub fn disassemble(image: &Image) -> String {
    let text = Writer::new(image).write(true);
    // Octets that two statements would fill, or that no statement can express, are written as constants.
    if assembles_to(&text, image) { text } else { Writer::new(image).write(false) }
}

fn assembles_to(text: &str, image: &Image) -> bool {
    let source = SourceFile::new("disassembled", text);
    let no_files = |_: &str| Err("a disassembled text names no file".to_owned());
    assemble(&source, &no_files).is_ok_and(|program| Image::from(&program) == *image)
}

/// Where the TCW is put that a TCCB by itself does not have.
const TCW_ADDRESS: u64 = 0x1000;
/// Storage for a TCCB by itself.
const TCCB_STORAGE_BYTES: u64 = 0x10000;

/// Returns the text of a TCCB by itself, behind a TCW that is made for it.
pub fn disassemble_tccb(tccb: &[u8]) -> String {
    let tccb_address = TCW_ADDRESS + TCW_BYTES as u64;
    let length = tccb.len().saturating_sub(TCAH_BYTES + 4).min(244) as u8 & 0xFC;
    let tcw = Tcw {
        flags: TcwFlags::default(),
        tccb_length: length,
        transfer: Transfer::None,
        output_address: 0,
        input_address: 0,
        tsb_address: 0,
        tccb_address,
        output_count: 0,
        input_count: 0,
        interrogate_address: 0,
    };
    let program = OrbProgram::Transport { address: TCW_ADDRESS as u32 };
    let orb = Orb { interruption_parameter: 0, key: 0, path_mask: 0xFF, program, priorities: None };
    let segments = [(TCW_ADDRESS, tcw.emit().to_vec()), (tccb_address, tccb.to_vec())];
    disassemble(&Image::start(TCCB_STORAGE_BYTES, &segments, orb))
}

struct Writer<'a> {
    image: &'a Image,
    lines: Vec<String>,
    /// Begins and ends of what statements fill.
    filled: BTreeMap<u64, u64>,
}

impl<'a> Writer<'a> {
    fn new(image: &'a Image) -> Self {
        Self { image, lines: Vec::new(), filled: BTreeMap::new() }
    }

    fn write(mut self, symbolic: bool) -> String {
        self.lines.push(format!("storage {}", self.image.storage_bytes));
        for range in &self.image.keys {
            let fetch = if range.fetch_protected { " fetch-protected" } else { "" };
            self.lines.push(format!("key {}{fetch} @0x{:X} {}", range.key, range.address, range.bytes));
        }
        for function in &self.image.functions {
            match function {
                Function::Start(orb) if symbolic => self.start(orb),
                Function::Start(orb) => self.bare_start(orb),
                Function::Resume => self.lines.push("resume".to_owned()),
                Function::Halt => self.lines.push("halt".to_owned()),
                Function::Clear => self.lines.push("clear".to_owned()),
                Function::Cancel => self.lines.push("cancel".to_owned()),
                Function::Store { address, octets } => {
                    let constants: Vec<String> = pieces(octets).into_iter().map(constant).collect();
                    let constants = if octets.is_empty() { "X''".to_owned() } else { constants.join(" ") };
                    self.lines.push(format!("store {constants} @0x{address:X}"));
                }
            }
        }
        self.rest();
        self.lines.push(String::new());
        self.lines.join("\n")
    }

    fn is_free(&self, address: u64, bytes: usize) -> bool {
        let end = address.saturating_add(bytes as u64);
        self.filled.range(..end).next_back().is_none_or(|(_, behind)| *behind <= address)
    }

    fn fill(&mut self, address: u64, bytes: usize) {
        self.filled.insert(address, address + bytes as u64);
    }

    fn bare_start(&mut self, orb: &Orb) {
        let (OrbProgram::Command { address, .. } | OrbProgram::Transport { address }) = orb.program;
        self.lines.push(format!("start{} program 0x{address:X}", orb_words(orb)));
    }

    fn start(&mut self, orb: &Orb) {
        match orb.program {
            OrbProgram::Command { ccw_format, address, .. } => self.command_mode(orb, ccw_format, address),
            OrbProgram::Transport { address } => match transport_words(self.image, address) {
                Some(words) if words.filled.iter().all(|(at, bytes)| self.is_free(*at, *bytes)) => {
                    self.lines.push(format!("start{} @0x{address:X}", orb_words(orb)));
                    self.lines.extend(words.lines);
                    for (at, bytes) in words.filled {
                        self.fill(at, bytes);
                    }
                }
                _ => self.bare_start(orb),
            },
        }
    }

    fn command_mode(&mut self, orb: &Orb, format: CcwFormat, address: u32) {
        let ccws = found(self.image, format, address);
        let is_new = |at: u32| self.is_free(u64::from(at), CCW_BYTES);
        let mut new: Vec<u32> = ccws.keys().copied().filter(|at| is_new(*at)).collect();
        if !new.contains(&address) {
            return self.bare_start(orb);
        }
        for at in &new {
            self.fill(u64::from(*at), CCW_BYTES);
        }
        // The run with the first CCW stands first.
        let first = new.partition_point(|at| *at < address);
        new.rotate_left(first);
        self.lines.push(format!("start{} @0x{address:X}", orb_words(orb)));
        let mut expected = address;
        for at in new {
            if at != expected {
                self.lines.push(format!("ccws @0x{at:X}"));
            }
            expected = at.wrapping_add(CCW_BYTES as u32);
            let ccw = ccws[&at];
            let words = ccw_words(self.image, format, at, &ccw, &|at, bytes| self.is_free(at, bytes));
            self.lines.push(format!("    {}", words.text));
            if let Some((at, bytes)) = words.parameters {
                self.fill(at, bytes);
            }
            if self.is_free(u64::from(ccw.address), MIDAW_BYTES)
                && let Some((list, bytes)) = midaw_list(self.image, &ccw)
                && self.is_free(u64::from(ccw.address), bytes)
            {
                self.lines.push(format!("    data {list} @0x{:X}", ccw.address));
                self.fill(u64::from(ccw.address), bytes);
            }
        }
    }

    /// Writes the octets that no statement has filled.
    fn rest(&mut self) {
        let mut left: Vec<(u64, Vec<u8>)> = Vec::new();
        for (address, octets) in self.image.runs() {
            let mut at = address;
            let end = address + octets.len() as u64;
            while at < end {
                let before = self.filled.range(..=at).next_back().map_or(0, |(_, behind)| *behind);
                if before > at {
                    at = before.min(end);
                    continue;
                }
                let next = self.filled.range(at..).next().map_or(end, |(begin, _)| end.min(*begin));
                left.push((at, octets[(at - address) as usize..(next - address) as usize].to_vec()));
                at = next;
            }
        }
        for (address, octets) in left {
            let mut at = address;
            for piece in pieces(&octets) {
                if piece.iter().any(|octet| *octet != 0) {
                    self.lines.push(format!("data {} @0x{at:X}", constant(piece)));
                }
                at += piece.len() as u64;
            }
        }
    }
}

/// Returns the words of an ORB beside its address, with a blank before each.
pub(crate) fn orb_words(orb: &Orb) -> String {
    let mut words = Vec::new();
    match orb.program {
        OrbProgram::Transport { .. } => words.push("transport".to_owned()),
        OrbProgram::Command { flags, ccw_format, idaw_format, .. } => {
            words.push(format!("format {}", if ccw_format == CcwFormat::Zero { 0 } else { 1 }));
            match idaw_format {
                IdawFormat::One => words.push("idaw-format 1".to_owned()),
                IdawFormat::TwoWith2K => words.push("idaw-blocks 2K".to_owned()),
                IdawFormat::TwoWith4K => {}
            }
            words.extend(
                ORB_FLAGS
                    .iter()
                    .filter(|(_, flag)| flags.contains(*flag))
                    .map(|(name, _)| (*name).to_owned()),
            );
        }
    }
    if orb.key != 0 {
        words.push(format!("key {}", orb.key));
    }
    if orb.path_mask != 0xFF {
        words.push(format!("path-mask 0x{:02X}", orb.path_mask));
    }
    if orb.interruption_parameter != 0 {
        words.push(format!("parameter 0x{:08X}", orb.interruption_parameter));
    }
    if let Some(priorities) = orb.priorities {
        words.push(format!("priority {}", priorities.channel_subsystem));
        words.push(format!("control-unit-priority {}", priorities.control_unit));
    }
    words.iter().map(|word| format!(" {word}")).collect()
}
