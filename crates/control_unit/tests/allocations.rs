//! In steady state a device takes no memory from the allocator: chains of both modes, reads and writes, and blocks from side to
//! side.

use allocation_counter::measure;
use halftrack_base::SharedOctets;
use halftrack_control_unit::EckdDevice;
use halftrack_control_unit::ctc::{Block, Command, Data, Pair, Side, Started};
use halftrack_program::command::{CommandClass, class};
use halftrack_program::{
    ChainEnd, CommandProgram, DataPort, Device, Geometry, Grouping, Model, Octets, Operation, Positioning,
    ProgramShape, RecordAddress, Transfer, command_program, transport_program,
};
use halftrack_volume::UniformTracks;

/// Takes everything, and sends one buffer again and again in runs of a page.
struct Page {
    sends: Vec<u8>,
    at: usize,
}

impl DataPort for Page {
    fn give(&mut self, octets: Octets<'_>) -> u32 {
        octets.len()
    }

    fn take(&mut self, limit: u32) -> Octets<'_> {
        let from = self.at;
        self.at = self.sends.len().min(from + (limit as usize).min(1000));
        Octets::Bytes(&self.sends[from..self.at])
    }
}

fn shape(operation: Operation, positioning: Positioning) -> ProgramShape {
    ProgramShape { operation, record_bytes: 4096, records: 12, grouping: Grouping::Records, positioning }
}

const START: RecordAddress = RecordAddress { cylinder: 100, head: 3, record: 5 };

fn run(device: &mut EckdDevice<UniformTracks>, program: &CommandProgram, ports: &mut [Page]) {
    for (ccw, port) in program.ccws.iter().zip(ports) {
        port.at = 0;
        assert_eq!(device.execute(ccw.command, port).status.0, 0x0C, "{ccw:?}");
    }
    assert_eq!(device.end_chain(ChainEnd::Unchained), None);
}

#[test]
fn chains_take_no_memory() {
    let geometry = Geometry::of(Model::Model3);
    for operation in [Operation::Read, Operation::UpdateWrite] {
        for positioning in [Positioning::Prefix, Positioning::DefineExtentLocateRecord] {
            let program = command_program(&shape(operation, positioning), &START, &geometry).unwrap();
            let mut ports: Vec<_> = program
                .ccws
                .iter()
                .map(|ccw| match class(ccw.command) {
                    CommandClass::Control => ccw.parameters.clone(),
                    _ => vec![0xAB; ccw.count.into()],
                })
                .map(|sends| Page { sends, at: 0 })
                .collect();
            let mut device = EckdDevice::new(UniformTracks::new(geometry, 4096));
            run(&mut device, &program, &mut ports);
            let counted = measure(|| run(&mut device, &program, &mut ports));
            assert_eq!(counted.count_total, 0, "{operation:?} {positioning:?}");
        }
    }
}

#[test]
fn operations_take_no_memory() {
    let geometry = Geometry::of(Model::Model3);
    for (operation, transfer) in
        [(Operation::Read, Transfer::Read), (Operation::UpdateWrite, Transfer::Write)]
    {
        let program = transport_program(&shape(operation, Positioning::Prefix), &START, &geometry).unwrap();
        let tccb = program.tccb.emit().unwrap();
        let mut port = Page { sends: vec![0xAB; 12 * 4096], at: 0 };
        let mut device = EckdDevice::new(UniformTracks::new(geometry, 4096));
        let mut run = || {
            port.at = 0;
            assert_eq!(device.execute_operation(&tccb, transfer, &mut port).status.0, 0x0C);
            assert_eq!(device.end_chain(ChainEnd::Unchained), None);
        };
        run();
        assert_eq!(measure(run).count_total, 0, "{operation:?}");
    }
}

#[test]
fn a_block_from_side_to_side_takes_no_memory() {
    let mut pair = Pair::default();
    let mut pass = |from: Side, octets: SharedOctets, reads_first: bool| -> SharedOctets {
        let write = Command { code: 0x01, count_bytes: octets.len() as u32, block: Block::Bytes(octets) };
        let read = Command { code: 0x02, count_bytes: u16::MAX.into(), block: Block::NONE };
        let (first, second) = if reads_first {
            ((from.other(), read), (from, write))
        } else {
            ((from, write), (from.other(), read))
        };
        assert!(matches!(pair.start(first.0, first.1), Started::Waits { .. }));
        let Started::Ended(second) = pair.start(second.0, second.1) else { panic!("it waits") };
        let first = pair.poll_ending(first.0).expect("both have ended");
        let read = if reads_first { first } else { second };
        let Data::Read(Block::Bytes(octets)) = read.data else { panic!("no octets") };
        octets
    };
    let mut octets = SharedOctets::from(vec![0xAB; 65_535]);
    let counted = measure(|| {
        for from in [Side::X, Side::Y] {
            for reads_first in [true, false] {
                octets = pass(from, octets.clone(), reads_first);
            }
        }
    });
    assert_eq!((counted.count_total, octets.len()), (0, 65_535));
}
