//! Cost of the device's part of a 4 KiB read hit besides moving the octets: Define Extent, Locate Record and Read
//! Data; the same with Prefix; and in transport mode.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use halftrack_control_unit::EckdDevice;
use halftrack_program::{
    ChainEnd, DataPort, Device, Geometry, Grouping, Model, Octets, Operation, Positioning, ProgramShape,
    RecordAddress, Transfer, command_program, transport_program,
};
use halftrack_volume::UniformTracks;

/// Port that sends parameters and drops data.
struct Parameters<'a> {
    sends: &'a [u8],
    at: usize,
    taken: u32,
}

impl DataPort for Parameters<'_> {
    fn give(&mut self, octets: Octets<'_>) -> u32 {
        self.taken += octets.len();
        octets.len()
    }

    fn take(&mut self, limit: u32) -> Octets<'_> {
        let from = self.at;
        self.at = self.sends.len().min(from + limit as usize);
        Octets::Bytes(&self.sends[from..self.at])
    }
}

fn read_hit(criterion: &mut Criterion) {
    let geometry = Geometry::of(Model::Model3);
    let start = RecordAddress { cylinder: 100, head: 3, record: 7 };
    let shape = |positioning| ProgramShape {
        operation: Operation::Read,
        record_bytes: 4096,
        records: 1,
        grouping: Grouping::Records,
        positioning,
    };
    let mut group = criterion.benchmark_group("device_read_hit_4k");
    for (name, positioning) in [
        ("define_extent_locate_record", Positioning::DefineExtentLocateRecord),
        ("prefix", Positioning::Prefix),
    ] {
        let program = command_program(&shape(positioning), &start, &geometry).expect("a 4K read");
        let mut device = EckdDevice::new(UniformTracks::new(geometry, 4096));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                for ccw in &program.ccws {
                    let mut port = Parameters { sends: &ccw.parameters, at: 0, taken: 0 };
                    let end = device.execute(black_box(ccw.command), &mut port);
                    assert!(black_box(end).status.0 == 0x0C);
                }
                black_box(device.end_chain(ChainEnd::Unchained))
            });
        });
    }
    let program = transport_program(&shape(Positioning::Prefix), &start, &geometry).expect("a 4K read");
    let tccb = program.tccb.emit().expect("a TCCB");
    let mut device = EckdDevice::new(UniformTracks::new(geometry, 4096));
    group.bench_function("transport", |bencher| {
        bencher.iter(|| {
            let mut port = Parameters { sends: &[], at: 0, taken: 0 };
            let end = device.execute_operation(black_box(&tccb), Transfer::Read, &mut port);
            assert!(black_box(end).status.0 == 0x0C && port.taken == 4096);
            black_box(device.end_chain(ChainEnd::Unchained))
        });
    });
    group.finish();
}

criterion_group!(benches, read_hit);
criterion_main!(benches);
