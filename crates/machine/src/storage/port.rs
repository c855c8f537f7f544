//! A host-adapter port: its processor, its bus, the exchanges it holds open.

use halftrack_config::{ControlUnitHardware, ControlUnitPort};
use halftrack_engine::{
    ByteRate, Fifo, Sequencer, ServiceTimes, Shortage, SimDuration, SimTime, TimeIntegral, TokenPool,
};
use halftrack_program::Protocol;

use super::bus::Burst;
use crate::fabric::bus::{Bus, Direction};
use crate::fabric::share::Shares;
use crate::wiring::pricing::Tariff;

/// State of one port. What every exchange asks for is in three lines of the cache.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Port {
    pub processor: Fifo,
    pub bus: Bus<Burst>,
    pub exchanges: TokenPool,
    /// Where the costs of planned groups on it begin.
    pub costs: u32,
    /// The component's own event sequence.
    pub sequencer: Sequencer,
    /// What its processor's work takes.
    service: ServiceTimes,
    pub dispatch: SimDuration,
    pub hit: SimDuration,
    cache_rate: ByteRate,
    /// Its bay or box among the box shares, where it shares one.
    pub share: Option<u32>,
    /// The clusters of its box have work for each I/O.
    pub box_works: bool,
    /// Exchanges that asked for their circuit again in vain: their turn comes before that of new ones behind a bridge.
    pub reconnecting: u32,
    /// From the last written data in cache until they are safe.
    pub secure: SimDuration,
    pub miss: SimDuration,
    pub busy_hold: SimDuration,
    pub processor_reported: (u64, u64),
    pub bus_reported: (u64, u64),
    /// Time that somebody who was refused an exchange might have had none.
    pub short: Shortage,
    /// Exchanges taken, over time.
    pub open: TimeIntegral,
    command: Tariff,
    transport: Tariff,
}

const _: () = assert!(std::mem::offset_of!(Port, box_works) < 192);

impl Port {
    pub(crate) fn new(
        port: &ControlUnitPort,
        costs: u32,
        (sequencer, service): (Sequencer, ServiceTimes),
    ) -> Self {
        let hardware: &ControlUnitHardware = &port.hardware;
        Self {
            processor: Fifo::new(),
            service,
            bus: Bus::new(Some(hardware.bus_bytes_per_s)),
            exchanges: TokenPool::new(hardware.exchanges_per_port),
            costs,
            sequencer,
            dispatch: hardware.dispatch,
            hit: hardware.hit,
            cache_rate: ByteRate::new(hardware.cache_bytes_per_s),
            share: port.share,
            box_works: !hardware.box_io.is_zero(),
            reconnecting: 0,
            secure: hardware.hit + hardware.write,
            miss: hardware.miss,
            busy_hold: hardware.busy_hold,
            processor_reported: (0, 0),
            bus_reported: (0, 0),
            short: Shortage::default(),
            open: TimeIntegral::default(),
            command: Tariff::Router(hardware.command),
            transport: Tariff::Router(hardware.transport),
        }
    }

    /// Takes an exchange, if one is free; else who asked is refused and tries again.
    pub(crate) fn take_exchange(&mut self, now: SimTime) -> bool {
        let taken = self.take_free_exchange(now);
        if !taken {
            self.short.begin(now);
        }
        taken
    }

    /// Takes an exchange, if one is free; else nothing happens.
    #[inline(always)]
    pub(crate) fn take_free_exchange(&mut self, now: SimTime) -> bool {
        let taken = self.exchanges.take();
        self.open.change(now, i64::from(taken));
        taken
    }

    /// Gives an exchange back.
    #[inline(always)]
    pub(crate) fn give_exchange(&mut self, now: SimTime) {
        self.exchanges.give();
        self.open.change(now, -1);
        self.short.end(now);
    }

    /// Time that `bytes` of one exchange take between cache and port.
    #[inline]
    pub(crate) fn cache_time(&self, bytes: u32) -> SimDuration {
        self.cache_rate.time_of(bytes)
    }

    /// Moves `bytes`, there from `from` on, over its bus, which is free, and what it shares with other ports: when they are
    /// over.
    #[inline(always)]
    pub(crate) fn move_burst(
        &mut self,
        shares: &mut Shares,
        direction: Direction,
        from: SimTime,
        bytes: u32,
    ) -> SimTime {
        if bytes == 0 { from } else { self.bus.move_burst(direction, from, bytes, (shares, self.share)) }
    }

    /// How its processor is paid.
    #[inline]
    pub(crate) fn tariff(&self, protocol: Protocol) -> &Tariff {
        match protocol {
            Protocol::Command => &self.command,
            Protocol::Transport => &self.transport,
        }
    }

    /// True when work that comes at `now` waits for other work.
    #[inline(always)]
    pub(crate) fn is_busy(&self, now: SimTime) -> bool {
        self.processor.free_at() > now
    }

    /// Has the port's processor work for `cost` on average: when it is done.
    #[inline(always)]
    pub(crate) fn work(&mut self, now: SimTime, cost: SimDuration) -> SimTime {
        self.processor.arrive(now, self.service.draw(cost))
    }

    /// Has the port's processor work for `cost` on average: when it is done. What costs it nothing does not wait for it,
    /// unless an interlock has it wait `in_turn`: a command is answered before the program is worked on, and the bus moves
    /// the rest of an information unit whose work is done.
    #[inline(always)]
    pub(crate) fn work_unless_free(&mut self, now: SimTime, cost: SimDuration, in_turn: bool) -> SimTime {
        if cost.is_zero() && !in_turn { now } else { self.work(now, cost) }
    }
}
