//! `[[logical_control_unit.volume]]`: a volume, its base device and its aliases.

use std::path::PathBuf;

use halftrack_input::{Expect, Fields, Located};

use crate::place::hex;
use crate::unique::check_unique;
use crate::unit_range::UnitRange;

/// Durability of a write at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteMode {
    /// It is safe on the disk.
    Sync,
    /// It will be before long, and when the control unit ends.
    Writeback,
    /// There are no writes.
    Inhibited,
}

/// A volume.
#[derive(Debug, Clone)]
pub struct VolumeEntry {
    /// Unit address of its base device.
    pub unit_address: u8,
    /// The first file of its image, as written.
    pub file: Located<PathBuf>,
    /// Durability of writes.
    pub write: WriteMode,
    /// Unit addresses of its aliases, ascending.
    pub aliases: Vec<u8>,
}

/// Reads the volumes of a logical control unit; `files` collects the images of all.
pub(super) fn read_volumes(unit: &mut Fields<'_>, files: &mut Vec<Located<String>>) -> Vec<VolumeEntry> {
    let mut addresses = Vec::new();
    let named = |address: u8, span| Located::new(format!("{address:02X}"), span);
    let volumes = unit.tables("volume", |volume| {
        let words = "a unit address of two hexadecimal digits such as \"00\"";
        let base = volume.required("unit_address", Expect::parsed(words, |text| hex(text, 2)));
        let base = base.map(|base| Located::new(base.value as u8, base.span));
        addresses.extend(base.clone().map(|base| named(base.value, base.span)));
        let file = volume.required("file", Expect::text());
        files.extend(file.clone());
        let write = volume.or("write", write_mode(), WriteMode::Sync);
        let ranges = volume.optional("aliases", Expect::parsed(ALIAS_WORDS, ranges));
        let mut aliases = Vec::new();
        if let Some(ranges) = ranges {
            aliases.extend(ranges.value.iter().flat_map(UnitRange::addresses));
            addresses.extend(aliases.iter().map(|&alias| named(alias, ranges.span.clone())));
        }
        let file = file.map(|file| Located::new(PathBuf::from(file.value), file.span));
        Some(VolumeEntry { unit_address: base?.value, file: file?, write, aliases })
    });
    check_unique(unit, "unit address", addresses);
    volumes
}

/// Returns the durability of writes.
pub(super) fn write_mode<'e>() -> Expect<'e, WriteMode> {
    Expect::one_of([
        ("sync", WriteMode::Sync),
        ("writeback", WriteMode::Writeback),
        ("inhibited", WriteMode::Inhibited),
    ])
}

const ALIAS_WORDS: &str = "unit addresses such as \"80\", \"80-9F\" or \"80-8F,A0\"";

fn ranges(text: &str) -> Option<Vec<UnitRange>> {
    text.split(',').map(|part| UnitRange::parse(part.trim())).collect()
}
