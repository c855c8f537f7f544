//! Channel-to-channel adapters and the systems at their ends: commands meet, blocks move, interrupts are taken.
//!
//! ```text
//!  system ─ start ─► CP, IOP ─► channel ─┐                              ┌─ channel ◄─ IOP, CP ◄─ start ─ system
//!    ▲                                   ├─► Pair ─► turnaround ─► units of a block ─► other channel
//!    └─ interrupt ◄─ IOP, CP ◄─ channel ◄┘                              └─ channel ─► IOP, CP ─► interrupt
//! ```
//!
//! The protocols are those of [`halftrack_control_unit::ctc`] and [`halftrack_isfc`], live: the function of the adapter is at the
//! channel of one end (of ESCON that of TYPE=CTC, of FICON the first), and commands, endings and attention of the other end are units that cross the fibre. A block moves when a
//! Write and a Read have met, and not before the device has rested since the last one. Its header and the blocks of the ends
//! themselves move as data do; only the octets of data are not kept. What units do on channels and fibres is of the channels.

mod adapter;
mod collect;
#[cfg(test)]
mod faults;
mod flows;
mod losses;
mod system;

use halftrack_base::{Span, Time};
use halftrack_engine::{Order, Sequencer};

use self::adapter::{Adapter, Presented};
use self::system::{Action, System};
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

    /// Withdraws the units of a lane that have not begun.
    fn withdraw_units(&mut self, lane: u32);
}

/// All adapters with their systems.
#[derive(Debug)]
pub(crate) struct Adapters {
    /// By device.
    adapters: Vec<Adapter>,
    /// By logical link and end.
    systems: Vec<[System; 2]>,
    /// By device: parts that are lost, over which it leads.
    lost_parts: Vec<u32>,
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
                systems: c.islinks.iter().map(|link| [0, 1].map(|end| System::new(c, link, end))).collect(),
                lost_parts: vec![0; w.lanes.devices.len()],
                sequencers: sequencers.collect(),
                times: times.collect(),
            })
        })
    }

    /// Begins the work of all systems.
    pub(crate) fn begin(&mut self, out: &mut impl Outside, w: &Wiring) {
        for islink in 0..self.systems.len() as u32 {
            for end in 0..2 {
                self.go_on(out, w, islink, end);
            }
        }
    }

    /// Executes the program of a start at the adapter, which CP and IOP have done, or sends it there.
    pub(crate) fn on_started(&mut self, out: &mut impl Outside, w: &Wiring, side: u32, epoch: u16) {
        let (device, end) = DeviceWire::of_lane(side);
        let adapter = &self.adapters[device as usize];
        if adapter.epoch() != epoch {
            return;
        }
        if end == w.lanes.devices[device as usize].function_end {
            self.execute(out, w, device, end);
        } else {
            let commands = adapter.commands(end);
            let notice = Adapter::COMMAND;
            out.send_units(
                side,
                [Unit { lane: side, commands, opens: true, notice, epoch, ..Unit::default() }],
            );
        }
    }

    /// Takes a unit that has crossed the fibre.
    pub(crate) fn on_unit(&mut self, out: &mut impl Outside, w: &Wiring, unit: Unit) {
        let (device, from) = DeviceWire::of_lane(unit.lane);
        if self.adapters[device as usize].epoch() != unit.epoch {
            return;
        }
        match unit.notice {
            Adapter::COMMAND => self.execute(out, w, device, from),
            Adapter::STATUS => self.interrupt(out, w, device, 1 - from),
            _ => self.take_data(out, w, device, unit),
        }
    }

    /// Moves a block of a device that has rested.
    pub(crate) fn on_moves(&mut self, out: &mut impl Outside, w: &Wiring, device: u32, epoch: u16) {
        let adapter = &self.adapters[device as usize];
        let Some((from, bytes)) = adapter.begin_move().filter(|_| adapter.epoch() == epoch) else { return };
        let lane = DeviceWire::lane(device, from);
        let is_circuit = w.lanes.devices[device as usize].is_circuit;
        out.send_units(lane, Unit::of_block(lane, epoch, bytes, is_circuit));
    }

    /// Returns true when a block of a device moves now or is about to, so that its circuit is kept.
    pub(crate) fn is_moving(&self, now: Time, device: u32) -> bool {
        self.adapters[device as usize].is_moving(now)
    }

    /// Has a system take what is presented to it: CP and IOP have done the interrupt.
    pub(crate) fn on_interrupt(&mut self, out: &mut impl Outside, w: &Wiring, side: u32, epoch: u16) {
        let (device, end) = DeviceWire::of_lane(side);
        let adapter = &mut self.adapters[device as usize];
        if adapter.epoch() != epoch {
            return;
        }
        let Some(presented) = adapter.take_presented(end) else { return };
        let DeviceWire { islink, position, .. } = w.lanes.devices[device as usize];
        let system = &mut self.systems[islink as usize][end];
        match presented {
            Presented::Ending(ending, block) => system.ended(out.now(), position as usize, &ending, block),
            Presented::Attention => system.attention(position as usize),
        }
        self.go_on(out, w, islink, end);
    }

    /// Has a system go on for which a timer was set.
    pub(crate) fn on_timer(&mut self, out: &mut impl Outside, w: &Wiring, islink: u32, end: usize) {
        let timer = &mut self.systems[islink as usize][end].timer;
        if *timer <= out.now() {
            *timer = Time::MAX;
        }
        self.go_on(out, w, islink, end);
    }

    /// Has the system at an end of a logical link do what is to be done now.
    fn go_on(&mut self, out: &mut impl Outside, w: &Wiring, islink: u32, end: usize) {
        let now = out.now();
        self.systems[islink as usize][end].turn(now);
        while let Some((position, action)) = self.systems[islink as usize][end].next_action(now) {
            let device = w.lanes.first_device[islink as usize] + position as u32;
            let adapter = &mut self.adapters[device as usize];
            match action {
                Action::Start(program, block) => {
                    adapter.order(now, end, program.into_iter().flatten(), block);
                    let at = now + self.times[islink as usize][end].0;
                    let event = HostEvent::AdapterStarted {
                        side: DeviceWire::lane(device, end),
                        epoch: adapter.epoch(),
                    };
                    out.push(at, self.sequencers[islink as usize].next(), event);
                }
                Action::Reset => {
                    adapter.reset(now, end);
                    self.present(out, w, device);
                }
            }
        }
        let system = &mut self.systems[islink as usize][end];
        if let Some(due) = system.deadline(now).filter(|due| *due < system.timer) {
            system.timer = due;
            let event = HostEvent::IsLinkTimer { islink, end: end as u8 };
            out.push(due, self.sequencers[islink as usize].next(), event);
        }
    }

    /// Executes the program of an end, which has reached the adapter.
    fn execute(&mut self, out: &mut impl Outside, w: &Wiring, device: u32, end: usize) {
        let adapter = &mut self.adapters[device as usize];
        if let Some(at) = adapter.execute(out.now(), end) {
            let islink = w.lanes.devices[device as usize].islink as usize;
            let event = HostEvent::AdapterMoves { device, epoch: adapter.epoch() };
            out.push(at, self.sequencers[islink].next(), event);
        }
        self.present(out, w, device);
    }

    /// Takes data of a block, the last of which ends the programs of both ends.
    fn take_data(&mut self, out: &mut impl Outside, w: &Wiring, device: u32, unit: Unit) {
        let turnaround = w.lanes.devices[device as usize].turnaround;
        if self.adapters[device as usize].take_data(out.now(), unit.bytes, turnaround) {
            self.present(out, w, device);
        }
    }

    /// Sends what the adapter presents to the systems.
    fn present(&mut self, out: &mut impl Outside, w: &Wiring, device: u32) {
        let function_end = w.lanes.devices[device as usize].function_end;
        for end in 0..2 {
            let adapter = &mut self.adapters[device as usize];
            let epoch = adapter.epoch();
            for _ in 0..adapter.present(end) {
                if end == function_end {
                    self.interrupt(out, w, device, end);
                } else {
                    let lane = DeviceWire::lane(device, function_end);
                    out.send_units(lane, [Unit { lane, notice: Adapter::STATUS, epoch, ..Unit::default() }]);
                }
            }
        }
    }

    /// Has CP and IOP of an end work for an interrupt.
    fn interrupt(&mut self, out: &mut impl Outside, w: &Wiring, device: u32, end: usize) {
        let islink = w.lanes.devices[device as usize].islink as usize;
        let at = out.now() + self.times[islink][end].1;
        let (side, epoch) = (DeviceWire::lane(device, end), self.adapters[device as usize].epoch());
        out.push(at, self.sequencers[islink].next(), HostEvent::AdapterInterrupt { side, epoch });
    }
}
