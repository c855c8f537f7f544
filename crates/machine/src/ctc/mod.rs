//! Channel-to-channel adapters and the systems at their ends: commands meet, blocks move, interrupts are taken.
//!
//! ```text
//!  system ─ start ─► CP, IOP ─► channel ─┐                              ┌─ channel ◄─ IOP, CP ◄─ start ─ system
//!    ▲                                   ├─► Pair ─► turnaround ─► units of a block ─► other channel
//!    └─ interrupt ◄─ IOP, CP ◄─ channel ◄┘                              └─ channel ─► IOP, CP ─► interrupt
//! ```
//!
//! The protocol is that of [`halftrack_control_unit::ctc`], live: the function of the adapter is at the channel of one end, and
//! commands, endings and attention of the other end are units that cross the fibre. A block moves when a Write and a Read have
//! met, and not before the device has rested since the last one. What units do on channels and fibres is of the channels.

mod adapter;
mod collect;
mod ends;

use halftrack_base::{Span, Time};
use halftrack_control_unit::ctc::Command;
use halftrack_engine::{Order, Sequencer};

use self::adapter::{Adapter, Presented};
use self::ends::Ends;
use crate::events::event::HostEvent;
use crate::events::unit::Unit;
use crate::wiring::lanes::DeviceWire;
use crate::wiring::{ComponentKind, Wiring};

/// The edge to the channels, and the context.
pub(crate) trait Outside {
    /// Returns the instant.
    fn now(&self) -> Time;

    /// Schedules `event` for `at`.
    fn push(&mut self, at: Time, order: Order, event: HostEvent);

    /// Sends `units` over their lane, in order.
    fn send_units(&mut self, lane: u32, units: impl IntoIterator<Item = Unit>);
}

/// All adapters with their systems.
#[derive(Debug)]
pub(crate) struct Adapters {
    /// By device.
    adapters: Vec<Adapter>,
    /// By logical link.
    ends: Vec<Ends>,
    /// By logical link.
    sequencers: Vec<Sequencer>,
    /// By logical link and end: time of CP and IOP for a start and for an interrupt.
    times: Vec<[(Span, Span); 2]>,
}

impl Adapters {
    /// Makes the adapters before any start; `None` where there are none.
    pub(crate) fn new(w: &Wiring) -> Option<Box<Self>> {
        let c = &w.configuration;
        let times = c.islinks.iter().map(|link| {
            link.lpars.map(|lpar| {
                let cpc = &c.cpcs[usize::from(c.lpars[lpar as usize].cpc)];
                (cpc.cp_start + cpc.iop_start, cpc.iop_interrupt + cpc.cp_interrupt)
            })
        });
        let adapter = |device: &DeviceWire| {
            let link = &c.islinks[device.islink as usize];
            let [number, _] = link.devices[device.position as usize].numbers;
            Adapter::new(w.service.of_turnaround(&link.name, number))
        };
        let sequencers = (0..c.islinks.len()).map(|index| w.sequencer(ComponentKind::IsLink, index));
        (!c.islinks.is_empty()).then(|| {
            Box::new(Self {
                adapters: w.lanes.devices.iter().map(adapter).collect(),
                ends: c.islinks.iter().map(|link| Ends::new(c, link)).collect(),
                sequencers: sequencers.collect(),
                times: times.collect(),
            })
        })
    }

    /// Begins the work of all systems.
    pub(crate) fn begin(&mut self, out: &mut impl Outside, w: &Wiring) {
        for islink in 0..self.ends.len() as u32 {
            for end in 0..2 {
                self.write_on(out, w, islink, end);
            }
        }
    }

    /// Executes the command of a start at the adapter, which CP and IOP have done, or sends it there.
    pub(crate) fn on_started(&mut self, out: &mut impl Outside, w: &Wiring, side: u32) {
        let (device, end) = DeviceWire::of_lane(side);
        if end == Adapter::FUNCTION_END {
            self.execute(out, w, device, end);
        } else {
            out.send_units(
                side,
                [Unit { lane: side, commands: 1, opens: true, notice: Adapter::COMMAND, ..Unit::default() }],
            );
        }
    }

    /// Takes a unit that has crossed the fibre.
    pub(crate) fn on_unit(&mut self, out: &mut impl Outside, w: &Wiring, unit: Unit) {
        let (device, from) = DeviceWire::of_lane(unit.lane);
        match unit.notice {
            Adapter::COMMAND => self.execute(out, w, device, from),
            Adapter::STATUS => self.interrupt(out, w, device, 1 - from),
            _ => self.take_data(out, w, device, unit),
        }
    }

    /// Moves a block of a device that has rested.
    pub(crate) fn on_moves(&mut self, out: &mut impl Outside, device: u32) {
        let Some((from, bytes)) = self.adapters[device as usize].begin_move() else { return };
        let lane = DeviceWire::lane(device, from);
        out.send_units(lane, Unit::of_block(lane, bytes));
    }

    /// Has a system take what is presented to it: CP and IOP have done the interrupt.
    pub(crate) fn on_interrupt(&mut self, out: &mut impl Outside, w: &Wiring, side: u32) {
        let (device, end) = DeviceWire::of_lane(side);
        let Some(presented) = self.adapters[device as usize].take_presented(end) else { return };
        let DeviceWire { islink, position, .. } = w.lanes.devices[device as usize];
        let command = match presented {
            Presented::Ending(ending) => self.ends[islink as usize].ended(end, position as usize, ending),
            Presented::Attention => self.ends[islink as usize].attention(end, position as usize),
        };
        if let Some(command) = command {
            self.start(out, w, device, end, command);
        }
        self.write_on(out, w, islink, end);
    }

    /// Starts Writes at an end of a logical link as long as there are blocks and devices.
    fn write_on(&mut self, out: &mut impl Outside, w: &Wiring, islink: u32, end: usize) {
        while let Some((position, command)) = self.ends[islink as usize].write(end) {
            self.start(out, w, w.lanes.first_device[islink as usize] + position as u32, end, command);
        }
    }

    /// Starts a command at an end of a device.
    fn start(&mut self, out: &mut impl Outside, w: &Wiring, device: u32, end: usize, command: Command) {
        self.adapters[device as usize].order(out.now(), end, [command]);
        let islink = w.lanes.devices[device as usize].islink as usize;
        let at = out.now() + self.times[islink][end].0;
        let side = DeviceWire::lane(device, end);
        out.push(at, self.sequencers[islink].next(), HostEvent::AdapterStarted { side });
    }

    /// Executes the command of an end, which has reached the adapter.
    fn execute(&mut self, out: &mut impl Outside, w: &Wiring, device: u32, end: usize) {
        let adapter = &mut self.adapters[device as usize];
        if let Some(at) = adapter.execute(out.now(), end) {
            let islink = w.lanes.devices[device as usize].islink as usize;
            out.push(at, self.sequencers[islink].next(), HostEvent::AdapterMoves { device });
        }
        self.present(out, w, device);
    }

    /// Takes data of a block, the last of which ends the commands of both ends.
    fn take_data(&mut self, out: &mut impl Outside, w: &Wiring, device: u32, unit: Unit) {
        let turnaround = w.lanes.devices[device as usize].turnaround;
        if self.adapters[device as usize].take_data(out.now(), unit.bytes, turnaround) {
            self.present(out, w, device);
        }
    }

    /// Sends what the adapter presents to the systems.
    fn present(&mut self, out: &mut impl Outside, w: &Wiring, device: u32) {
        for end in 0..2 {
            for _ in 0..self.adapters[device as usize].present(end) {
                if end == Adapter::FUNCTION_END {
                    self.interrupt(out, w, device, end);
                } else {
                    let lane = DeviceWire::lane(device, Adapter::FUNCTION_END);
                    out.send_units(lane, [Unit { lane, notice: Adapter::STATUS, ..Unit::default() }]);
                }
            }
        }
    }

    /// Has CP and IOP of an end work for an interrupt.
    fn interrupt(&mut self, out: &mut impl Outside, w: &Wiring, device: u32, end: usize) {
        let islink = w.lanes.devices[device as usize].islink as usize;
        let at = out.now() + self.times[islink][end].1;
        let side = DeviceWire::lane(device, end);
        out.push(at, self.sequencers[islink].next(), HostEvent::AdapterInterrupt { side });
    }
}
