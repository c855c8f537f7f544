//! Check of an image, with its faults.

use std::io;

use super::fault::{CckdFault, Finding, Unreadable};
use super::free_space::FreeSpace;
use super::header::{CDEVHDR_OFFSET, Counters, Header};
use super::level_tables::LevelTables;
use super::packed_unit::unpack_unit;
use super::space_map::{Piece, SpaceMap, stated_free_spaces};
use crate::medium::Medium;

/// How much is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckDepth {
    /// Headers, tables, free space.
    Tables,
    /// Every unit as well: it is unpacked.
    Units,
}

/// Checks the image in `file` and returns the faults, in the order of the offsets; nothing when it is sound.
///
/// # Errors
/// The file cannot be read.
pub fn check<M: Medium>(file: &M, depth: CheckDepth) -> io::Result<Vec<Finding>> {
    let (header, mut findings) = match Header::read(file) {
        Ok(header) => header,
        Err(Unreadable::Io(error)) => return Err(error),
        Err(Unreadable::Found(finding)) => return Ok(vec![finding]),
    };
    let tables = LevelTables::read(file, &header)?;
    let file_bytes = file.len()?;
    let map = SpaceMap::new(&header, &tables, file_bytes, &mut findings);
    if findings.is_empty() {
        check_free_space(file, &header, &map, file_bytes, &mut findings)?;
    }
    if depth == CheckDepth::Units {
        check_units(file, &header, &tables, &map.pieces, &mut findings)?;
    }
    findings.sort_by_key(|finding| (finding.offset, finding.unit));
    Ok(findings)
}

/// Returns the free space and the counters, of an image whose tables are sound.
fn check_free_space<M: Medium>(
    file: &M,
    header: &Header,
    map: &SpaceMap,
    file_bytes: u64,
    findings: &mut Vec<Finding>,
) -> io::Result<()> {
    let counters = &header.counters;
    let gaps = map.gaps();
    if stated_free_spaces(file, header)?.as_ref() != Some(&gaps) {
        findings.push(Finding::at(u64::from(counters.free_first), CckdFault::FreeSpace));
    }
    let size = u32::try_from(file_bytes).unwrap_or(u32::MAX);
    let right = FreeSpace::new(&gaps, false).counters(size, map.imbedded as u32);
    for (offset, name, of) in COUNTERS {
        let (found, right) = (u64::from(of(counters)), u64::from(of(&right)));
        if found != right {
            let fault = CckdFault::Counter { name, found, right };
            findings.push(Finding::at((CDEVHDR_OFFSET + offset) as u64, fault));
        }
    }
    Ok(())
}

/// A counter: its offset in the compressed-device header, its name, its value.
type NamedCounter = (usize, &'static str, fn(&Counters) -> u32);

const COUNTERS: [NamedCounter; 6] = [
    (12, "file size", |counters| counters.size),
    (16, "used bytes", |counters| counters.used),
    (24, "free bytes", |counters| counters.free_total),
    (28, "largest free space", |counters| counters.free_largest),
    (32, "free spaces", |counters| counters.free_spaces),
    (36, "imbedded free bytes", |counters| counters.free_imbedded),
];

fn check_units<M: Medium>(
    file: &M,
    header: &Header,
    tables: &LevelTables,
    pieces: &[Piece],
    findings: &mut Vec<Finding>,
) -> io::Result<()> {
    let (mut packed, mut octets) = (Vec::new(), Vec::new());
    for (piece, unit) in pieces.iter().filter_map(|piece| Some((piece, piece.unit?))) {
        let Ok(entry) = tables.entry(unit) else { continue };
        packed.resize(usize::from(entry.length), 0);
        file.read_at(piece.begin, &mut packed)?;
        octets.clear();
        if let Err(fault) = unpack_unit(header.device, unit, &packed, &mut octets) {
            findings.push(Finding::of_unit(unit, piece.begin, fault));
        }
    }
    Ok(())
}
