//! Aiming a built channel program at other records: the addresses in its parameters are put anew, the rest stays.

use crate::address::{RecordAddress, TrackAddress};
use crate::build_error::BuildError;
use crate::command::{DEFINE_EXTENT, LOCATE_RECORD, LOCATE_RECORD_EXTENDED, PREFIX, PREFIX_READ};
use crate::define_extent::DEFINE_EXTENT_EXTENDED_BYTES;
use crate::geometry::Geometry;
use crate::placement::Placement;
use crate::shape::ProgramShape;

/// Define Extent: where the extent begins and ends.
const EXTENT_OFFSET: usize = 8;
/// Locate Record: seek address, search argument, sector.
const TARGET_OFFSET: usize = 4;
/// Prefix: its Define Extent, and its Locate Record Extended behind that.
const PREFIX_EXTENT_OFFSET: usize = 12;
const PREFIX_LOCATE_OFFSET: usize = PREFIX_EXTENT_OFFSET + DEFINE_EXTENT_EXTENDED_BYTES;

/// The addresses of a program.
///
/// Programs of one shape differ in nothing else, as long as they begin with the same record of a track or move one
/// record only: how many records lie on which track, and so counts and commands, are then the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Aim {
    extent: [u8; 8],
    target: [u8; 10],
}

impl Aim {
    /// Returns the addresses of a program of `shape` whose first record is `start`.
    ///
    /// # Errors
    /// [`BuildError`]: nothing to move; records that do not fit a track or the volume.
    #[inline]
    pub fn new(shape: &ProgramShape, start: &RecordAddress, geometry: &Geometry) -> Result<Self, BuildError> {
        let placement = Placement::new(shape, start, geometry)?;
        let (first, last) = (placement.first_track.to_cchh(), placement.last_track.to_cchh());
        Ok(Self::of(first, last, placement.start.record, placement.sector))
    }

    /// Returns the addresses of a program from `first` to `last` that begins with `record` at `sector`.
    #[inline]
    pub fn at(first: TrackAddress, last: TrackAddress, record: u8, sector: u8) -> Self {
        Self::of(first.to_cchh(), last.to_cchh(), record, sector)
    }

    #[inline]
    fn of(first: [u8; 4], last: [u8; 4], record: u8, sector: u8) -> Self {
        let (mut extent, mut target) = ([0; 8], [0; 10]);
        extent[..4].copy_from_slice(&first);
        extent[4..].copy_from_slice(&last);
        target[..4].copy_from_slice(&first);
        target[4..8].copy_from_slice(&first);
        (target[8], target[9]) = (record, sector);
        Self { extent, target }
    }

    /// Puts the addresses into the parameters of `command`; parameters without addresses, or too short for them, stay.
    #[inline]
    pub fn put(&self, command: u8, parameters: &mut [u8]) {
        let (extent, target) = match command {
            DEFINE_EXTENT => (Some(EXTENT_OFFSET), None),
            LOCATE_RECORD | LOCATE_RECORD_EXTENDED => (None, Some(TARGET_OFFSET)),
            PREFIX | PREFIX_READ => {
                (Some(PREFIX_EXTENT_OFFSET + EXTENT_OFFSET), Some(PREFIX_LOCATE_OFFSET + TARGET_OFFSET))
            }
            _ => (None, None),
        };
        put_at(parameters, extent, &self.extent);
        put_at(parameters, target, &self.target);
    }
}

#[inline]
fn put_at(parameters: &mut [u8], offset: Option<usize>, octets: &[u8]) {
    let field = offset.and_then(|offset| parameters.get_mut(offset..offset + octets.len()));
    if let Some(field) = field {
        field.copy_from_slice(octets);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_program::command_program;
    use crate::shape::{Grouping, Operation, Positioning};
    use crate::transport_program::transport_program;

    fn shapes() -> Vec<ProgramShape> {
        let mut shapes = Vec::new();
        for operation in [Operation::Read, Operation::UpdateWrite] {
            for (record_bytes, records) in [(4096, 1), (4096, 12), (4096, 32), (27_998, 3)] {
                for grouping in [Grouping::Records, Grouping::Midaw, Grouping::TrackData] {
                    for positioning in [Positioning::Prefix, Positioning::DefineExtentLocateRecord] {
                        shapes.push(ProgramShape { operation, record_bytes, records, grouping, positioning });
                    }
                }
            }
        }
        shapes
    }

    #[test]
    fn an_aimed_program_is_one_built_for_the_place() {
        let geometry = Geometry::with_cylinders(70_000).unwrap();
        let from = RecordAddress { cylinder: 0, head: 0, record: 1 };
        let mut compared = 0;
        for shape in shapes() {
            for (cylinder, head, record) in [(1, 14, 1), (69_000, 7, 1), (258, 3, 2)] {
                if record > 1 && shape.records > 1 || record > 2 && shape.record_bytes > 4096 {
                    continue;
                }
                let start = RecordAddress { cylinder, head, record };
                let aim = Aim::new(&shape, &start, &geometry).unwrap();
                if let (Ok(mut aimed), Ok(built)) =
                    (command_program(&shape, &from, &geometry), command_program(&shape, &start, &geometry))
                {
                    for ccw in &mut aimed.ccws {
                        aim.put(ccw.command, &mut ccw.parameters);
                    }
                    assert_eq!(aimed, built, "{shape} at {start:?}");
                    compared += 1;
                }
                let mut aimed = transport_program(&shape, &from, &geometry).unwrap();
                for dcw in &mut aimed.tccb.dcws {
                    aim.put(dcw.command, &mut dcw.control_data);
                }
                assert_eq!(
                    aimed,
                    transport_program(&shape, &start, &geometry).unwrap(),
                    "{shape} at {start:?}"
                );
            }
        }
        assert!(compared > 80, "{compared} command-mode programs compared");
    }

    #[test]
    fn what_has_no_addresses_stays() {
        let geometry = Geometry::with_cylinders(10).unwrap();
        let start = RecordAddress { cylinder: 3, head: 2, record: 1 };
        let aim = Aim::new(&shapes()[0], &start, &geometry).unwrap();
        for (command, length) in [(0x85, 64), (PREFIX, 19), (DEFINE_EXTENT, 15), (LOCATE_RECORD, 0)] {
            let mut octets = vec![7; length];
            aim.put(command, &mut octets);
            assert_eq!(octets, vec![7; length]);
        }
        let track = TrackAddress::new(3, 2).unwrap();
        assert_eq!(Aim::at(track, track, 1, 6), aim);
    }
}
