//! Decisions of recovery are counted where they are taken.

use halftrack_base::Decision;
use halftrack_exchange::Program;
use halftrack_program::{Protocol, RecordAddress};
use halftrack_wire::{FcFrame, IuData};

use crate::common::{LOGIN, read};
use crate::ports::link::{Rig, target};
use crate::ports::volumes::{Volumes, geometry};

/// A control unit that loses its link gives up what is open there, one decision for each exchange; what it had ended is not.
#[test]
fn a_control_unit_counts_the_exchanges_that_a_lost_link_ends() {
    let mut rig = Rig::new(1, 8, Volumes::new(3), LOGIN);
    let start = RecordAddress { cylinder: 0, head: 0, record: 1 };
    let program = Program::at(&read(4096, 1), Protocol::Command, &start, &geometry(), &IuData::None).unwrap();
    let _ = Decision::take_counts();
    let lost = || Decision::take_counts()[Decision::ProgramLinkLost as usize];
    for device in 0..2 {
        assert!(rig.channel.start(rig.now, &target(LOGIN, device), &program, device.into()));
    }
    while rig.channel.poll_frame(&mut rig.outbound) {}
    for octets in std::mem::take(&mut rig.outbound.frames) {
        let frame = FcFrame::parse(&octets).unwrap();
        rig.control_unit.handle_frame(rig.now, &frame, &mut rig.volumes).unwrap();
    }
    rig.control_unit.handle_link_down(&mut rig.volumes);
    assert_eq!((lost(), rig.control_unit.open()), (2, 0));
    rig.control_unit.handle_link_down(&mut rig.volumes);
    assert_eq!(lost(), 0);
}
