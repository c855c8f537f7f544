//! SCSI commands for the shapes of programs: the records of a shape, one behind the other in logical blocks.

use halftrack_program::{Operation, ProgramShape};
use halftrack_wire::IuData;
use halftrack_wire::fcp::{Cdb, DataDirection, Lun};

use super::ProgramError;
use crate::fcp::FcpRequest;

/// Octets of a logical block. Sizes in blocks of 4096 are whole numbers of these, too.
pub const BLOCK_BYTES: u32 = 512;

mod operation_code {
    pub const READ_10: u8 = 0x28;
    pub const WRITE_10: u8 = 0x2A;
    pub const READ_16: u8 = 0x88;
    pub const WRITE_16: u8 = 0x8A;
}

/// A SCSI command that reads or writes blocks, with the data of a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScsiRequest {
    cdb: Cdb,
    direction: DataDirection,
    data_bytes: u32,
    data_out: IuData,
}

impl ScsiRequest {
    /// Returns the command that moves the records of a shape from this block on; a write sends `data`. It is the short form,
    /// READ(10) or WRITE(10), where that has room for block and count.
    ///
    /// # Errors
    /// The records are no whole blocks.
    pub fn of_shape(
        shape: &ProgramShape,
        first_block: u64,
        data: &IuData,
    ) -> Result<ScsiRequest, ProgramError> {
        let data_bytes = shape.data_bytes();
        if data_bytes == 0 || !data_bytes.is_multiple_of(BLOCK_BYTES) {
            return Err(ProgramError::Blocks(data_bytes));
        }
        let (direction, data_out) = match shape.operation {
            Operation::Read => (DataDirection::In, IuData::None),
            Operation::UpdateWrite => (DataDirection::Out, data.slice(0, data_bytes)),
        };
        let cdb = descriptor_block(shape.operation, first_block, data_bytes / BLOCK_BYTES);
        Ok(ScsiRequest { cdb, direction, data_bytes, data_out })
    }

    /// Returns the command descriptor block.
    #[must_use]
    pub const fn cdb(&self) -> &Cdb {
        &self.cdb
    }

    /// Returns true when only the length of what is written is known.
    pub(crate) const fn is_counted(&self) -> bool {
        matches!(self.data_out, IuData::Count(_))
    }

    /// Returns the exchange that it begins, to this logical unit.
    pub(crate) fn exchange(&self, unit: Lun) -> FcpRequest {
        match self.direction {
            DataDirection::In => FcpRequest::read(unit, self.cdb, self.data_bytes),
            DataDirection::Out => FcpRequest::write(unit, self.cdb, self.data_out.octets().into_owned()),
            DataDirection::None => FcpRequest::without_data(unit, self.cdb),
        }
    }
}

fn descriptor_block(operation: Operation, first_block: u64, blocks: u32) -> Cdb {
    let mut octets = [0; 16];
    if let (Ok(first_block), Ok(blocks)) = (u32::try_from(first_block), u16::try_from(blocks)) {
        octets[0] = match operation {
            Operation::Read => operation_code::READ_10,
            Operation::UpdateWrite => operation_code::WRITE_10,
        };
        octets[2..6].copy_from_slice(&first_block.to_be_bytes());
        octets[7..9].copy_from_slice(&blocks.to_be_bytes());
    } else {
        octets[0] = match operation {
            Operation::Read => operation_code::READ_16,
            Operation::UpdateWrite => operation_code::WRITE_16,
        };
        octets[2..10].copy_from_slice(&first_block.to_be_bytes());
        octets[10..14].copy_from_slice(&blocks.to_be_bytes());
    }
    Cdb::new(&octets).expect("a block of 16 octets")
}

#[cfg(test)]
mod tests {
    use halftrack_program::{Grouping, Positioning};

    use super::*;

    fn shape(operation: Operation, record_bytes: u16, records: u16) -> ProgramShape {
        let (grouping, positioning) = (Grouping::Records, Positioning::Prefix);
        ProgramShape { operation, record_bytes, records, grouping, positioning }
    }

    fn octets(shape: &ProgramShape, first_block: u64) -> Vec<u8> {
        let data = IuData::Count(shape.data_bytes());
        ScsiRequest::of_shape(shape, first_block, &data).unwrap().cdb().octets().to_vec()
    }

    /// Layouts of SBC-3: block in octets 2 to 5 and count in 7 and 8, or 2 to 9 and 10 to 13.
    #[test]
    fn the_short_form_is_taken_where_it_has_room() {
        let read = octets(&shape(Operation::Read, 4096, 1), 0x0102_0304);
        assert_eq!(read[..10], [0x28, 0, 1, 2, 3, 4, 0, 0, 8, 0]);
        let most = octets(&shape(Operation::UpdateWrite, 512, 65_535), 0);
        assert_eq!(most[..10], [0x2A, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0]);
        let long = octets(&shape(Operation::UpdateWrite, 32_768, 1024), 9);
        assert_eq!(long, [0x8A, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 1, 0, 0, 0, 0]);
        let far = octets(&shape(Operation::Read, 4096, 1), 1 << 32);
        assert_eq!(far, [0x88, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0]);
    }

    #[test]
    fn records_that_are_no_blocks_are_refused() {
        for (record_bytes, records) in [(27_998, 1), (511, 1), (513, 3), (4096, 0)] {
            let shape = shape(Operation::Read, record_bytes, records);
            let refused = ScsiRequest::of_shape(&shape, 0, &IuData::None);
            assert_eq!(refused, Err(ProgramError::Blocks(shape.data_bytes())));
        }
        assert!(ScsiRequest::of_shape(&shape(Operation::Read, 256, 2), 0, &IuData::None).is_ok());
    }

    #[test]
    fn a_write_has_its_data_and_a_read_has_none() {
        let data = IuData::Bytes(vec![7; 1024]);
        let unit = Lun::default();
        let write = ScsiRequest::of_shape(&shape(Operation::UpdateWrite, 512, 1), 0, &data).unwrap();
        assert_eq!(write.exchange(unit), FcpRequest::write(unit, *write.cdb(), vec![7; 512]));
        let read = ScsiRequest::of_shape(&shape(Operation::Read, 512, 1), 0, &data).unwrap();
        assert_eq!(read.exchange(unit), FcpRequest::read(unit, *read.cdb(), 512));
        assert!(!write.is_counted() && !read.is_counted());
    }
}
