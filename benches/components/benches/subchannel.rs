//! A whole 4 KiB read hit, from start to test subchannel, with a device that only hands over what it has: what the
//! channel subsystem's part of a program costs.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use halftrack_program::{
    Ccw, CcwFlags, CcwFormat, ChainEnd, DataPort, Device, DeviceEnd, DeviceStatus, IdawFormat, MainStorage,
    Model, Octets, OperationEnd, Orb, OrbFlags, OrbProgram, Pmcw, ProgramShape, RecordAddress, Subchannel,
    TcwFlags, Transfer, transport_program,
};

const PROGRAM: u32 = 0x1000;
const TCCB: u64 = 0x1080;
const TSB: u64 = 0x1200;
const PARAMETERS: u32 = 0x1800;
const DATA: u32 = 0x1_0000;

/// A device with one record.
struct OneRecord(Vec<u8>);

impl Device for OneRecord {
    fn execute(&mut self, command: u8, port: &mut impl DataPort) -> DeviceEnd {
        let mut parameters = [0; 16];
        let moved_bytes = match command {
            0x63 | 0x47 => port.take_into(&mut parameters) as u32,
            _ => port.give(Octets::Bytes(&self.0)),
        };
        black_box(parameters);
        let status = DeviceStatus::NORMAL_END;
        DeviceEnd { status, moved_bytes, device_bytes: moved_bytes, immediate: false, sense: None }
    }

    fn execute_operation(&mut self, tccb: &[u8], _: Transfer, port: &mut impl DataPort) -> OperationEnd {
        black_box(tccb);
        let moved_bytes = port.give(Octets::Bytes(&self.0));
        let status = DeviceStatus::NORMAL_END;
        OperationEnd {
            status,
            moved_bytes,
            residual: 0,
            dcw_offset: Some(0),
            program_check: None,
            sense: None,
        }
    }

    fn end_chain(&mut self, _: ChainEnd) -> Option<DeviceEnd> {
        None
    }
}

fn orb(program: OrbProgram) -> Orb {
    Orb { interruption_parameter: 0, key: 0, path_mask: 0xFF, program, priorities: None }
}

fn command_mode(storage: &mut MainStorage) -> Orb {
    let chained = CcwFlags::CHAIN_COMMAND;
    let ccws = [
        Ccw { command: 0x63, flags: chained, count: 16, address: PARAMETERS },
        Ccw { command: 0x47, flags: chained, count: 16, address: PARAMETERS + 16 },
        Ccw { command: 0x06, flags: CcwFlags(0), count: 4096, address: DATA },
    ];
    for (index, ccw) in ccws.iter().enumerate() {
        let at = PROGRAM as usize + 8 * index;
        let octets = ccw.emit(CcwFormat::One).expect("the CCWs are valid");
        storage.bytes_mut()[at..at + 8].copy_from_slice(&octets);
    }
    orb(OrbProgram::Command {
        flags: OrbFlags::PREFETCH,
        ccw_format: CcwFormat::One,
        idaw_format: IdawFormat::TwoWith4K,
        address: PROGRAM,
    })
}

fn transport_mode(storage: &mut MainStorage) -> Orb {
    let shape = ProgramShape {
        operation: halftrack_program::Operation::Read,
        record_bytes: 4096,
        records: 1,
        grouping: halftrack_program::Grouping::Records,
        positioning: halftrack_program::Positioning::Prefix,
    };
    let start = RecordAddress { cylinder: 1, head: 2, record: 3 };
    let geometry = halftrack_program::Geometry::of(Model::Model3);
    let program = transport_program(&shape, &start, &geometry).expect("a 4K read");
    let mut tcw = program.tcw;
    (tcw.flags, tcw.input_address) = (TcwFlags(0), u64::from(DATA));
    (tcw.tccb_address, tcw.tsb_address) = (TCCB, TSB);
    let tccb = program.tccb.emit().expect("a TCCB");
    storage.bytes_mut()[PROGRAM as usize..][..64].copy_from_slice(&tcw.emit());
    storage.bytes_mut()[TCCB as usize..][..tccb.len()].copy_from_slice(&tccb);
    orb(OrbProgram::Transport { address: PROGRAM })
}

fn read_hit(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("read_hit_4k");
    group.throughput(Throughput::Elements(1));
    for (name, load) in
        [("command_mode", command_mode as fn(&mut MainStorage) -> Orb), ("transport_mode", transport_mode)]
    {
        for key in [0, 5] {
            let mut storage = MainStorage::new(1 << 20);
            for address in (0..1 << 20).step_by(4096) {
                let key = halftrack_program::StorageKey::new(5, true);
                storage.set_key(address, key).expect("there is storage");
            }
            let orb = Orb { key, ..load(&mut storage) };
            let mut device = OneRecord(vec![0xA5; 4096]);
            let mut subchannel = Subchannel::new(Pmcw::ONE_PATH);
            group.bench_function(format!("{name}_key_{key}"), |bencher| {
                bencher.iter(|| {
                    subchannel.start(black_box(&orb), &mut storage, &mut device, &mut ());
                    black_box(subchannel.test())
                });
            });
        }
    }
    group.bench_function("memcpy", |bencher| {
        let (from, mut into) = (vec![1_u8; 4096], vec![0_u8; 4096]);
        bencher.iter(|| black_box(&mut into[..]).copy_from_slice(black_box(&from)));
    });
    group.finish();
}

criterion_group!(benches, read_hit);
criterion_main!(benches);
