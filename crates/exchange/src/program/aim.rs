//! Programs used again for other records.

use std::sync::Arc;

use halftrack_program::{Aim, DCW_BYTES, TCAH_BYTES};
use halftrack_wire::IuData;

use super::{Program, TransportRequest};

impl Program {
    /// Aims the program at other records; the conditions of [`Aim`] about the first record hold. Returns false, and
    /// changes nothing, while an exchange still has the program, and for a SCSI command, which has no records.
    #[inline]
    pub fn aim(&mut self, aim: &Aim) -> bool {
        match self {
            Program::Command(chain) => {
                let Some(chain) = Arc::get_mut(chain) else { return false };
                for command in &mut chain.commands {
                    if let IuData::Bytes(parameters) = &mut command.output {
                        aim.put(command.command, parameters);
                    }
                }
            }
            Program::Transport(request) => {
                let Some(request) = Arc::get_mut(request) else { return false };
                request.aim(aim);
            }
            Program::Scsi(_) => return false,
        }
        true
    }
}

impl TransportRequest {
    /// Aims the first device-command word: programs of a shape have one.
    #[inline]
    fn aim(&mut self, aim: &Aim) {
        let Some((dcw, control_data)) =
            self.tccb.get_mut(TCAH_BYTES..).and_then(|area| area.split_at_mut_checked(DCW_BYTES))
        else {
            return;
        };
        aim.put(dcw[0], control_data);
    }
}

#[cfg(test)]
mod tests {
    use halftrack_program::{Grouping, Operation, Positioning, ProgramShape, Protocol, RecordAddress};

    use super::*;
    use crate::plan::Carrier;
    use crate::program::plan_geometry;

    #[test]
    fn an_aimed_program_is_one_built_for_the_place() {
        let geometry = plan_geometry();
        let start = RecordAddress { cylinder: 77, head: 5, record: 1 };
        for operation in [Operation::Read, Operation::UpdateWrite] {
            for records in [1, 32] {
                for (protocol, positioning) in [
                    (Protocol::Command, Positioning::Prefix),
                    (Protocol::Command, Positioning::DefineExtentLocateRecord),
                    (Protocol::Transport, Positioning::Prefix),
                ] {
                    let grouping = Grouping::Records;
                    let shape =
                        ProgramShape { operation, record_bytes: 4096, records, grouping, positioning };
                    let data = IuData::Bytes(vec![0x5A; shape.data_bytes() as usize]);
                    let built = Program::at(&shape, protocol, &start, &geometry, &data).unwrap();
                    let from = RecordAddress { cylinder: 0, head: 0, record: 1 };
                    let mut aimed = Program::at(&shape, protocol, &from, &geometry, &data).unwrap();
                    assert!(aimed.aim(&Aim::new(&shape, &start, &geometry).unwrap()));
                    assert_eq!(aimed, built, "{shape}, {protocol:?}");
                }
            }
        }
    }

    #[test]
    fn a_program_that_an_exchange_has_stays() {
        let shape = ProgramShape {
            operation: Operation::Read,
            record_bytes: 4096,
            records: 1,
            grouping: Grouping::Records,
            positioning: Positioning::Prefix,
        };
        let start = RecordAddress { cylinder: 77, head: 5, record: 1 };
        let aim = Aim::new(&shape, &start, &plan_geometry()).unwrap();
        for protocol in [Protocol::Command, Protocol::Transport] {
            let mut program = Program::of_shape(&shape, protocol, Carrier::Ficon).unwrap();
            let held = program.clone();
            assert!(!program.aim(&aim));
            assert_eq!(program, held);
        }
    }
}
