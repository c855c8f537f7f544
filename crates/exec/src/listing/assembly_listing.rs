//! The assembled program beside its text.

use crate::assembly::program::{Program, Segment};

/// Octets in a line.
const LINE: usize = 16;

/// Address, octets and line of every statement that puts octets into storage, in the order of addresses.
pub fn assembly_listing(program: &Program) -> String {
    let mut text = format!("storage {} bytes\n", program.storage_bytes);
    for segment in &program.segments {
        text += &lines(program, segment);
    }
    text
}

/// Returns the octets of a segment, with the first line of its statement beside the first of them.
fn lines(program: &Program, segment: &Segment) -> String {
    let (line, _) = program.source.position(segment.span.start);
    let source = program.source.text.get(segment.span.clone()).unwrap_or_default();
    let source = source.lines().next().unwrap_or_default().trim();
    let mut text = String::new();
    for (index, octets) in segment.octets.chunks(LINE).enumerate() {
        let groups: Vec<String> = octets
            .chunks(4)
            .map(|group| group.iter().map(|octet| format!("{octet:02X}")).collect())
            .collect();
        let address = segment.address + (index * LINE) as u64;
        let row = format!("{address:08X}  {:<35}", groups.join(" "));
        text += &match index {
            0 => format!("{row}  {line:>4}  {source}\n"),
            _ => format!("{}\n", row.trim_end()),
        };
    }
    text
}
