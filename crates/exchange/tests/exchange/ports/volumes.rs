//! Devices over volumes in memory, each full of 4 KiB records, one exchange at a time.

use std::cell::Cell;
use std::rc::Rc;

use halftrack_exchange::device::{Device, DeviceCommand, DeviceEnding, DeviceOperation, OperationEnding};
use halftrack_exchange::eckd_device::EckdDevice;
use halftrack_exchange::{BusyKind, Opened, Start, Units, Wait};
use halftrack_program::{ChainEnd, Geometry, Octets, TrackAddress};
use halftrack_volume::{CkdVolume, CountArea, MemoryMedium, Track, TrackFault, Tracks, create_in_memory};

pub const RECORD_BYTES: u16 = 4096;
pub const CONTROL_UNIT_IMAGE: u8 = 7;

/// Barrier for which every chain waits, when there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Barrier {
    #[default]
    None,
    Pending,
    Safe,
    Failed,
}

/// A device with its address.
#[derive(Debug)]
pub struct Unit {
    address: u8,
    barrier: Rc<Cell<Barrier>>,
    waits: Rc<Cell<u64>>,
    wait: Option<u64>,
    device: Box<EckdDevice<CkdVolume<MemoryMedium>>>,
}

impl Device for Unit {
    fn execute(&mut self, command: &DeviceCommand<'_>) -> DeviceEnding {
        self.device.execute(command)
    }

    fn end_chain(&mut self, end: ChainEnd) -> Option<DeviceEnding> {
        self.begin_wait();
        self.device.end_chain(end)
    }

    fn execute_operation(&mut self, operation: &DeviceOperation<'_>) -> OperationEnding {
        self.begin_wait();
        self.device.execute_operation(operation)
    }

    fn lend(&mut self, buffer: &mut Vec<u8>) {
        self.device.lend(buffer);
    }

    fn reset(&mut self) {
        self.device.reset();
    }

    fn wait(&self) -> Option<u64> {
        self.wait
    }

    fn poll_wait(&mut self) -> Wait {
        match self.barrier.get() {
            Barrier::Pending => Wait::Pending,
            Barrier::Failed => Wait::Failed(self.device.fail_chain(TrackFault::Medium)),
            Barrier::None | Barrier::Safe => Wait::Safe,
        }
    }
}

impl Unit {
    fn begin_wait(&mut self) {
        self.wait = (self.barrier.get() != Barrier::None).then(|| self.waits.replace(self.waits.get() + 1));
    }
}

/// Volumes of a cylinder by device address; a device that an exchange has is busy for others.
pub struct Volumes {
    units: Vec<Option<Unit>>,
    pub opened: usize,
    pub barrier: Rc<Cell<Barrier>>,
}

pub fn geometry() -> Geometry {
    Geometry::with_cylinders(1).unwrap()
}

/// Returns what record `record` of a track holds at first.
pub fn content(device: u8, address: TrackAddress, record: u8) -> Vec<u8> {
    let seed = u32::from(device) * 7919 + u32::from_be_bytes(address.to_cchh()) * 31 + u32::from(record);
    (0..u32::from(RECORD_BYTES))
        .map(|at| (seed.wrapping_add(at).wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect()
}

impl Volumes {
    pub fn new(devices: u8) -> Volumes {
        let barrier = Rc::<Cell<Barrier>>::default();
        let waits = Rc::<Cell<u64>>::default();
        let unit = |address| {
            let device = Box::new(EckdDevice::new(volume(address)));
            Some(Unit { address, barrier: Rc::clone(&barrier), waits: Rc::clone(&waits), wait: None, device })
        };
        Volumes { units: (0..devices).map(unit).collect(), opened: 0, barrier: Rc::clone(&barrier) }
    }

    /// Returns true when every device is back.
    pub fn are_all_back(&self) -> bool {
        self.units.iter().all(Option::is_some)
    }

    /// Returns what a record holds now.
    pub fn record(&mut self, device: u8, address: TrackAddress, record: u8) -> Vec<u8> {
        let unit = self.units[usize::from(device)].as_mut().unwrap();
        unit.device.tracks_mut().track(address).unwrap().data(record).bytes().unwrap().to_vec()
    }
}

fn volume(device: u8) -> CkdVolume<MemoryMedium> {
    let geometry = geometry();
    let mut volume = create_in_memory(geometry, None).unwrap();
    let first = TrackAddress::new(0, 0).unwrap();
    let tracks = 0..geometry.cylinders() * u32::from(geometry.heads());
    for address in tracks.map_while(|track| geometry.advance(first, track)) {
        for record in 1..=geometry.records_per_track(RECORD_BYTES, 0) {
            let count = CountArea { cchh: address.to_cchh(), record, key_bytes: 0, data_bytes: RECORD_BYTES };
            let data = content(device, address, record);
            volume.format_record(address, record, count, Octets::Bytes(&data)).unwrap();
        }
    }
    volume
}

impl Units for Volumes {
    type Device = Unit;

    fn open(&mut self, start: &Start) -> Opened<Unit> {
        let &Start { control_unit_image, device, .. } = start;
        if control_unit_image != CONTROL_UNIT_IMAGE {
            return Opened::AddressException;
        }
        match self.units.get_mut(usize::from(device)).map(Option::take) {
            None => Opened::AddressException,
            Some(None) => Opened::Busy(BusyKind::Device),
            Some(Some(unit)) => {
                self.opened += 1;
                Opened::Device(unit)
            }
        }
    }

    fn close(&mut self, device: Unit) {
        let place = &mut self.units[usize::from(device.address)];
        assert!(place.is_none(), "a device comes back that was lent");
        *place = Some(device);
    }
}
