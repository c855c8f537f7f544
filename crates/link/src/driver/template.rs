//! Channel programs of one shape on one volume, aimed at one place after the other without being built anew.

use halftrack_exchange::Program;
use halftrack_exchange::program::ProgramError;
use halftrack_program::{Aim, Geometry, Operation, ProgramShape, Protocol};
use halftrack_wire::IuData;

use super::block_program::block_program;
use super::region::{Place, Region};
use super::volume_size::{BLOCK_BYTES, VolumeSize, first_block};

/// Programs of a shape for a protocol, and those whose exchanges are over.
#[derive(Debug)]
pub struct Template {
    shape: ProgramShape,
    protocol: Protocol,
    size: VolumeSize,
    /// Tracks from the first to the last of a program that begins with the first record of a track.
    tracks: u32,
    /// Sector of each record, from record 1.
    sectors: Vec<u8>,
    spare: Vec<Program>,
}

impl Template {
    /// Returns the programs of `shape` on a volume of `size`, for records of `region`.
    ///
    /// # Errors
    /// The shape has no channel program there.
    pub fn new(
        shape: &ProgramShape,
        protocol: Protocol,
        size: &VolumeSize,
        region: &Region,
    ) -> Result<Self, ProgramError> {
        let sector = |record| match size {
            VolumeSize::Tracks(geometry) => geometry.sector(record, shape.record_bytes).unwrap_or_default(),
            VolumeSize::Blocks(_) => 0,
        };
        let template = Self {
            shape: *shape,
            protocol,
            size: *size,
            tracks: region.tracks_of(shape.records),
            sectors: (1..=region.records_per_track).map(sector).collect(),
            spare: Vec::new(),
        };
        // Whatever can be wrong with a program of the shape is wrong with the first.
        template.build(region.start(shape.records, 0), &IuData::Count(shape.data_bytes()))?;
        Ok(template)
    }

    /// Returns the transfer that the programs request.
    pub fn shape(&self) -> &ProgramShape {
        &self.shape
    }

    /// Returns the program that reads the records from `place` on.
    ///
    /// # Errors
    /// The shape has no channel program there.
    #[inline]
    pub fn read(&mut self, place: Place) -> Result<Program, ProgramError> {
        debug_assert_eq!(self.shape.operation, Operation::Read);
        if let Some(mut program) = self.spare.pop()
            && let VolumeSize::Tracks(geometry) = &self.size
            && program.aim(&self.aim(geometry, place))
        {
            return Ok(program);
        }
        self.build(place, &IuData::None)
    }

    /// Returns the program that writes `data` to the records from `place` on.
    ///
    /// # Errors
    /// The shape has no channel program there.
    pub fn write(&self, place: Place, data: Vec<u8>) -> Result<Program, ProgramError> {
        debug_assert_eq!(self.shape.operation, Operation::UpdateWrite);
        self.build(place, &IuData::Bytes(data))
    }

    /// Takes a program back whose exchange is over.
    #[inline]
    pub fn recycle(&mut self, program: Program) {
        if self.shape.operation == Operation::Read && matches!(self.size, VolumeSize::Tracks(_)) {
            self.spare.push(program);
        }
    }

    fn build(&self, place: Place, data: &IuData) -> Result<Program, ProgramError> {
        let shape = &self.shape;
        match &self.size {
            VolumeSize::Tracks(geometry) => {
                Program::at(shape, self.protocol, &place.address(geometry), geometry, data)
            }
            VolumeSize::Blocks(_) => {
                let blocks = (shape.data_bytes() / BLOCK_BYTES) as u16;
                let written = (shape.operation == Operation::UpdateWrite).then(|| data.clone());
                block_program(first_block(place, shape.record_bytes), blocks, written)
            }
        }
    }

    #[inline]
    fn aim(&self, geometry: &Geometry, place: Place) -> Aim {
        let last = Place { track: place.track + self.tracks - 1, ..place };
        let sector = self.sectors.get(usize::from(place.record) - 1).copied().unwrap_or_default();
        Aim::at(place.track_address(geometry), last.track_address(geometry), place.record, sector)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use halftrack_program::{Grouping, Positioning};

    #[test]
    fn a_program_used_again_is_one_built_for_the_place() {
        let geometry = Geometry::with_cylinders(100).unwrap();
        for (records, record) in [(1, 7), (32, 1)] {
            let shape = ProgramShape {
                operation: Operation::Read,
                record_bytes: 4096,
                records,
                grouping: Grouping::Records,
                positioning: Positioning::Prefix,
            };
            let region = Region::new(0, &geometry, 4096, None).unwrap();
            for protocol in [Protocol::Command, Protocol::Transport] {
                let mut template = Template::new(&shape, protocol, &geometry.into(), &region).unwrap();
                let first = template.read(Place { track: 15, record: 1 }).unwrap();
                template.recycle(first);
                let place = Place { track: 1_234, record };
                let again = template.read(place).unwrap();
                assert_eq!(again, template.build(place, &IuData::None).unwrap());
            }
        }
    }

    #[test]
    fn a_shape_without_a_program_is_refused() {
        let geometry = Geometry::with_cylinders(100).unwrap();
        let shape = ProgramShape {
            operation: Operation::UpdateWrite,
            record_bytes: 4096,
            records: 2,
            grouping: Grouping::TrackData,
            positioning: Positioning::DefineExtentLocateRecord,
        };
        let region = Region::new(0, &geometry, 4096, None).unwrap();
        assert!(Template::new(&shape, Protocol::Command, &geometry.into(), &region).is_err());
        assert!(Template::new(&shape, Protocol::Transport, &geometry.into(), &region).is_ok());
    }
}
