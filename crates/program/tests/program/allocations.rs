//! No program allocates.

use allocation_counter::measure;
use halftrack_program::{
    Ccw, CcwFlags, CcwFormat, ChainEnd, ConditionCode, DataPort, Device, DeviceEnd, DeviceStatus, IdawFormat,
    MainStorage, Midaw, MidawFlags, Octets, OperationEnd, Orb, OrbFlags, OrbProgram, Pmcw, Subchannel, Tcw,
    TcwFlags, Tidaw, TidawFlags, Transfer,
};

/// A device that gives or takes 5000 octets.
struct FiveThousand([u8; 5000]);

impl Device for FiveThousand {
    fn execute(&mut self, command: u8, port: &mut impl DataPort) -> DeviceEnd {
        let moved_bytes = match command {
            0x05 => port.take_into(&mut self.0) as u32,
            _ => port.give(Octets::Bytes(&self.0)),
        };
        let status = DeviceStatus::NORMAL_END;
        DeviceEnd { status, moved_bytes, device_bytes: moved_bytes, immediate: false, sense: None }
    }

    fn execute_operation(&mut self, _: &[u8], _: Transfer, port: &mut impl DataPort) -> OperationEnd {
        let end = self.execute(0x06, port);
        OperationEnd {
            status: end.status,
            moved_bytes: end.moved_bytes,
            residual: 0,
            dcw_offset: None,
            program_check: None,
            sense: Some([0; 32]),
        }
    }

    fn end_chain(&mut self, _: ChainEnd) -> Option<DeviceEnd> {
        None
    }
}

fn put(storage: &mut MainStorage, address: usize, octets: &[u8]) {
    storage.bytes_mut()[address..address + octets.len()].copy_from_slice(octets);
}

fn orb(program: OrbProgram) -> Orb {
    Orb { interruption_parameter: 0, key: 0, path_mask: 0xFF, program, priorities: None }
}

/// Returns a program with IDAWs, MIDAWs and a data chain.
fn command_mode(storage: &mut MainStorage) -> Orb {
    for (index, (command, flags, count, address)) in [
        (0x05, 0x44, 5000, 0x2000),
        (0x06, 0x41, 5000, 0x2100),
        (0x06, 0x80, 4000, 0x1_0000),
        (0, 0, 1000, 0),
    ]
    .into_iter()
    .enumerate()
    {
        let ccw = Ccw { command, flags: CcwFlags(flags), count, address };
        put(storage, 0x1000 + 8 * index, &ccw.emit(CcwFormat::One).unwrap());
    }
    put(storage, 0x2000, &0x1_0000_u64.to_be_bytes());
    put(storage, 0x2008, &0x1_3000_u64.to_be_bytes());
    put(storage, 0x2100, &Midaw { flags: MidawFlags(0), count: 4096, address: 0x1_8000 }.emit());
    put(storage, 0x2110, &Midaw { flags: MidawFlags::LAST, count: 904, address: 0x1_6000 }.emit());
    orb(OrbProgram::Command {
        flags: OrbFlags::MIDAWS,
        ccw_format: CcwFormat::One,
        idaw_format: IdawFormat::TwoWith4K,
        address: 0x1000,
    })
}

/// Returns a read with TIDAWs.
fn transport_mode(storage: &mut MainStorage) -> Orb {
    let tcw = Tcw {
        flags: TcwFlags::INPUT_TIDAWS,
        tccb_length: 12,
        transfer: Transfer::Read,
        output_address: 0,
        input_address: 0x2200,
        tsb_address: 0x1600,
        tccb_address: 0x1400,
        output_count: 0,
        input_count: 5000,
        interrogate_address: 0,
    };
    put(storage, 0x1200, &tcw.emit());
    put(storage, 0x2200, &Tidaw { flags: TidawFlags(0), count: 4096, address: 0x1_8000 }.emit());
    put(storage, 0x2210, &Tidaw { flags: TidawFlags::LAST, count: 904, address: 0x1_6000 }.emit());
    orb(OrbProgram::Transport { address: 0x1200 })
}

#[test]
fn no_program_allocates() {
    let mut storage = MainStorage::new(0x2_0000);
    let orbs = [command_mode(&mut storage), transport_mode(&mut storage)];
    let mut device = FiveThousand([7; 5000]);
    let mut subchannel = Subchannel::new(Pmcw::ONE_PATH);
    for orb in &orbs {
        let mut ends = 0;
        let counted = measure(|| {
            for _ in 0..100 {
                assert_eq!(subchannel.start(orb, &mut storage, &mut device, &mut ()), ConditionCode::Done);
                let (_, irb) = subchannel.test();
                ends += u32::from(irb.scsw.device_status() == DeviceStatus::NORMAL_END);
                assert!(irb.scsw.subchannel_status().is_empty());
            }
        });
        assert_eq!((counted.count_total, ends), (0, 100), "{:?}", orb.program);
    }
}
