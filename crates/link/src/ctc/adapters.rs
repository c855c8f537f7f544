//! The adapters of a channel, as exchanges of the other channel and programs of this system use them.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use halftrack_control_unit::ctc::{Block, Command, Data, Ending, Pair, Reset, Side, Started};
use halftrack_exchange::device::{
    Begun, Device, DeviceCommand, DeviceEnding, DeviceOperation, OperationEnding,
};
use halftrack_exchange::{BusyKind, Opened, Start, Units};
use halftrack_program::ChainEnd;
use halftrack_wire::IuData;

/// Side of the other system.
pub(super) const FAR: Side = Side::X;
/// Side of this system.
pub(super) const NEAR: Side = Side::Y;

#[derive(Debug, Default)]
struct Adapter {
    pair: Pair,
    /// An exchange of the other channel has its side.
    is_taken: bool,
    /// Resets of that side by the other channel: an exchange from before one has it no more.
    resets: u64,
}

/// The adapters of a channel.
#[derive(Debug, Clone)]
pub(super) struct Adapters {
    /// Image that they belong to.
    image: u8,
    of_unit: Rc<RefCell<BTreeMap<u8, Adapter>>>,
    /// Something was done to one of them, and a reset withdrew one from an exchange.
    is_touched: Rc<Cell<bool>>,
    has_withdrawn: Rc<Cell<bool>>,
}

impl Adapters {
    /// Returns the adapters of these units, of this image.
    pub fn new(image: u8, units: impl Iterator<Item = u8>) -> Self {
        let of_unit = units.map(|unit| (unit, Adapter::default())).collect();
        Self {
            image,
            of_unit: Rc::new(RefCell::new(of_unit)),
            is_touched: Rc::default(),
            has_withdrawn: Rc::default(),
        }
    }

    /// Returns whether something was done to an adapter since this was last called.
    pub fn take_touched(&self) -> bool {
        self.is_touched.take()
    }

    /// Returns whether adapters were withdrawn from exchanges since this was last called.
    pub fn take_withdrawn(&self) -> bool {
        self.has_withdrawn.take()
    }

    /// Notes that something was done to an adapter.
    pub fn touch(&self) {
        self.is_touched.set(true);
    }

    /// Does something to the adapter of a unit.
    pub fn with<R>(&self, unit: u8, act: impl FnOnce(&mut Pair) -> R) -> Option<R> {
        self.touch();
        self.poll(unit, act)
    }

    /// Polls the adapter of a unit.
    pub fn poll<R>(&self, unit: u8, act: impl FnOnce(&mut Pair) -> R) -> Option<R> {
        self.of_unit.borrow_mut().get_mut(&unit).map(|adapter| act(&mut adapter.pair))
    }

    /// Returns the units of which the other system has attention.
    pub fn far_attentions(&self) -> Vec<u8> {
        let mut adapters = self.of_unit.borrow_mut();
        let with = adapters.iter_mut().filter_map(|(unit, adapter)| {
            (!adapter.is_taken && adapter.pair.poll_attention(FAR)).then_some(*unit)
        });
        with.collect()
    }

    /// Withdraws everything at both sides: the logical paths are gone, and the systems begin anew.
    pub fn reset_sides(&self) {
        self.touch();
        for adapter in self.of_unit.borrow_mut().values_mut() {
            adapter.pair.reset(FAR, Reset::System);
            adapter.pair.reset(NEAR, Reset::System);
            adapter.pair.poll_ending(NEAR);
        }
    }
}

impl Units for Adapters {
    type Device = AdapterDevice;

    fn open(&mut self, start: &Start) -> Opened<AdapterDevice> {
        let mut adapters = self.of_unit.borrow_mut();
        let adapter = adapters.get_mut(&start.device).filter(|_| start.control_unit_image == self.image);
        match adapter {
            None => Opened::AddressException,
            Some(adapter) if adapter.is_taken => Opened::Busy(BusyKind::Device),
            Some(adapter) => {
                adapter.is_taken = true;
                let resets = adapter.resets;
                Opened::Device(AdapterDevice { adapters: self.clone(), unit: start.device, resets })
            }
        }
    }

    fn reset(&mut self, start: &Start) {
        let mut adapters = self.of_unit.borrow_mut();
        let adapter = adapters.get_mut(&start.device).filter(|_| start.control_unit_image == self.image);
        if let Some(adapter) = adapter {
            adapter.pair.reset(FAR, Reset::System);
            adapter.resets += 1;
            adapter.is_taken = false;
            self.has_withdrawn.set(true);
            self.touch();
        }
    }

    fn close(&mut self, device: AdapterDevice) {
        self.touch();
        if !device.is_withdrawn()
            && let Some(adapter) = self.of_unit.borrow_mut().get_mut(&device.unit)
        {
            adapter.is_taken = false;
        }
    }
}

/// The other system's side of an adapter, as one exchange uses it.
pub(super) struct AdapterDevice {
    adapters: Adapters,
    unit: u8,
    /// Resets of the side when the exchange took it.
    resets: u64,
}

impl fmt::Debug for AdapterDevice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("AdapterDevice").field("unit", &self.unit).finish_non_exhaustive()
    }
}

impl Device for AdapterDevice {
    fn execute(&mut self, _command: &DeviceCommand<'_>) -> DeviceEnding {
        // Every command begins, and none is executed without that.
        device_ending(Ending::rejected())
    }

    fn begin(&mut self, code: u8, count: u32, output: &mut IuData) -> Begun {
        let block = match std::mem::take(output) {
            IuData::None => Block::NONE,
            IuData::Bytes(octets) => Block::Bytes(octets.into()),
            IuData::Shared(octets) => Block::Bytes(octets),
            IuData::Count(count) => Block::Count(count),
        };
        let command = Command { code, count_bytes: count, block };
        match self.adapters.with(self.unit, |pair| pair.start(FAR, command)) {
            Some(Started::Ended(ending)) => Begun::Ended(device_ending(ending)),
            Some(Started::Waits { .. }) => Begun::Waits,
            None => Begun::Ended(device_ending(Ending::rejected())),
        }
    }

    fn poll_ending(&mut self) -> Option<DeviceEnding> {
        self.adapters.poll(self.unit, |pair| pair.poll_ending(FAR)).flatten().map(device_ending)
    }

    fn end_chain(&mut self, _end: ChainEnd) -> Option<DeviceEnding> {
        self.adapters.with(self.unit, |pair| pair.end_chain(FAR));
        None
    }

    fn execute_operation(&mut self, _operation: &DeviceOperation<'_>) -> OperationEnding {
        let rejected = Ending::rejected().device;
        OperationEnding {
            device_status: rejected.status.0,
            data: IuData::None,
            residual: 0,
            dcw_offset: None,
            program_check: None,
            sense: rejected.sense,
        }
    }

    fn reset(&mut self) {
        if !self.is_withdrawn() {
            self.adapters.with(self.unit, |pair| pair.reset(FAR, Reset::Selective));
        }
    }

    fn is_withdrawn(&self) -> bool {
        let adapters = self.adapters.of_unit.borrow();
        adapters.get(&self.unit).is_none_or(|adapter| adapter.resets != self.resets)
    }
}

fn device_ending(ending: Ending) -> DeviceEnding {
    let Ending { device, data } = ending;
    let data = match data {
        Data::Read(Block::Bytes(octets)) => IuData::Shared(octets),
        Data::Read(Block::Count(count)) => IuData::Count(count),
        Data::None | Data::Unsent(_) => IuData::None,
        answer => IuData::Bytes(answer.answer()[..device.moved_bytes as usize].to_vec()),
    };
    DeviceEnding {
        device_status: device.status.0,
        moved_bytes: device.moved_bytes,
        device_bytes: device.device_bytes,
        data,
        retry: false,
        sense: device.sense,
    }
}
