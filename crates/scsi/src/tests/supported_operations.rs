//! REPORT SUPPORTED OPERATION CODES.

use crate::SenseCode;
use crate::operation::OPERATIONS;
use crate::rig::Rig;

/// Returns the command for an opcode and a service action.
fn cdb(options: u8, opcode: u8, action: u8) -> [u8; 12] {
    [0xA3, 0x0C, options, opcode, 0, action, 0, 0, 16, 0, 0, 0]
}

#[test]
fn the_list_has_every_command_and_each_of_them_its_own_report() {
    let mut rig = Rig::ready(512);
    let list = rig.data(0, &cdb(0, 0, 0));
    assert_eq!(list.len(), 4 + 8 * OPERATIONS.len());
    assert_eq!(rig.data(1, &cdb(0, 0, 0)).len(), list.len() - 8, "a full unit has no UNMAP");
    assert_eq!(rig.data(0, &cdb(0x80, 0, 0)).len(), 4 + 20 * OPERATIONS.len());
    for one in list[4..].chunks(8) {
        let (opcode, action, has_action) = (one[0], one[3], one[5] == 1);
        let data = rig.data(0, &cdb(if has_action { 2 } else { 1 }, opcode, action));
        assert_eq!((data[1], data[3], data[4]), (3, one[7], opcode));
        assert_eq!(data.len(), 4 + usize::from(one[7]));
        let other = rig.code(1, 0, &cdb(if has_action { 1 } else { 2 }, opcode, action));
        assert_eq!(other, Some(SenseCode::INVALID_FIELD_IN_CDB));
    }
    assert_eq!(rig.data(0, &cdb(1, 0x7F, 0)), [0, 1, 0, 0], "not supported");
    assert_eq!(rig.data(0, &cdb(2, 0x9E, 0x1F)), [0, 1, 0, 0], "no such service action");
    assert_eq!(rig.code(1, 0, &cdb(3, 0, 0)), Some(SenseCode::INVALID_FIELD_IN_CDB));
}
