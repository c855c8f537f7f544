//! Any octets as commands.

use proptest::prelude::*;

use crate::operation::OPERATIONS;
use crate::rig::{BLOCKS, Rig, lun_of, nexus};
use crate::{ScsiStatus, SenseCode, Transfer};

/// Returns CDBs: half of them begin as a command of the target.
fn cdbs() -> impl Strategy<Value = Vec<u8>> {
    let any_octets = prop::collection::vec(any::<u8>(), 0..20);
    let nearly =
        (0..OPERATIONS.len(), prop::collection::vec(prop_oneof![3 => Just(0), 1 => any::<u8>()], 15));
    let nearly = nearly.prop_map(|(at, mut octets)| {
        let operation = &OPERATIONS[at];
        octets.insert(0, operation.opcode);
        octets[1] = operation.action.unwrap_or(octets[1]);
        for (octet, may) in octets[1..].iter_mut().zip(operation.usage) {
            *octet &= if operation.action == Some(*octet) { 0xFF } else { *may };
        }
        octets
    });
    prop_oneof![1 => any_octets, 3 => nearly]
}

fn transfers() -> impl Strategy<Value = Transfer> {
    prop_oneof![
        Just(Transfer::None),
        (0_u32..9000).prop_map(Transfer::In),
        (0_u32..9000).prop_map(Transfer::Out)
    ]
}

proptest! {
    /// Every command ends once, whatever its octets and data; its data-in fits, and no block outside is touched.
    #[test]
    fn any_commands_end_and_stay_inside(
        commands in prop::collection::vec((cdbs(), transfers(), any::<u8>(), 0_u64..3, 0_u32..3), 1..12),
        thin: bool,
    ) {
        let mut rig = Rig::ready(if thin { 512 } else { 4096 });
        for (cdb, transfer, octet, initiator, lun) in commands {
            let data = vec![octet; 9000];
            let lun = lun_of(lun);
            let response = rig.run(nexus(initiator), lun, &cdb, transfer, &data);
            prop_assert!(response.data_in.len() as u32 <= transfer.room());
            let has_sense = response.status == ScsiStatus::CHECK_CONDITION;
            prop_assert_eq!(response.sense.is_empty(), !has_sense);
            if has_sense {
                let code = crate::rig::code(&response);
                prop_assert_ne!(code, Some(SenseCode::INTERNAL_FAILURE), "{:02X?} left the unit", cdb);
            }
            let capacity = rig.target.units().iter().all(|unit| crate::LogicalBlocks::blocks(unit.blocks()) == BLOCKS);
            prop_assert!(capacity);
        }
    }
}
