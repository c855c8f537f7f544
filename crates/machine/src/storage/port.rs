//! A host-adapter port: its processor, its bus, the exchanges it holds open.

use halftrack_base::{ByteRate, Span, Time};
use halftrack_config::{ControlUnitHardware, ControlUnitPort};
use halftrack_engine::{Fifo, Prefetch, Sequencer, ServiceTimes, Shortage, TimeIntegral, TokenPool};
use halftrack_program::{PerProtocol, Protocol};
use halftrack_record::{PoolInterval, StationInterval};

use super::bus::Burst;
use super::circuit::{Joined, Missed};
use super::context::Context;
use crate::events::event::Notice;
use crate::events::message::Body;
use crate::fabric::bus::{Bus, Direction};
use crate::fabric::link_counters::whole_ns;
use crate::fabric::share::Shares;
use crate::wiring::Wiring;
use crate::wiring::latency::status_latency;
use crate::wiring::path_wire::PathWire;
use crate::wiring::pricing::Tariff;

/// State of one port. The fields that every exchange needs are in its first lines of the cache.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Port {
    processor: Fifo,
    pub bus: Bus<Burst>,
    exchanges: TokenPool,
    /// Where the costs of planned groups on it begin.
    pub costs: u32,
    /// The component's own event sequence.
    pub sequencer: Sequencer,
    /// Times of its processor's work.
    service: ServiceTimes,
    pub dispatch: Span,
    pub hit: Span,
    cache_rate: ByteRate,
    /// Its bay or box among the box shares, where it shares one.
    pub share: Option<u32>,
    /// The clusters of its box have work for each I/O.
    pub box_works: bool,
    /// Exchanges that have tried in vain to have their circuit again: their turn comes before that of new ones behind a
    /// bridge.
    reconnecting: u32,
    /// Exchanges taken, over time.
    open: TimeIntegral,
    /// Time from a refused exchange until one was free.
    short: Shortage,
    /// From the last written data in cache until they are safe.
    pub secure: Span,
    pub miss: Span,
    pub busy_hold: Span,
    processor_reported: (u64, u64),
    bus_reported: (u64, u64),
    tariffs: PerProtocol<Tariff>,
    /// How long circuits joined it, and the reconnections that it refused.
    pub joined: Joined,
    pub missed: Missed,
}

/// Lines of the cache that every exchange needs.
const HOT_LINES: usize = 4;

const _: () = assert!(std::mem::offset_of!(Port, secure) <= 64 * HOT_LINES);

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
            tariffs: Tariff::of_port(hardware),
            joined: Joined::default(),
            missed: Missed::default(),
        }
    }

    /// Asks for what every exchange needs.
    #[inline(always)]
    pub(super) fn fetch(&self) {
        Prefetch::first_lines(self, HOT_LINES);
    }

    /// Takes an exchange, if one is free. Else the sender is refused and tries again.
    pub(crate) fn try_take_exchange(&mut self, now: Time) -> bool {
        let taken = self.try_take_free_exchange(now);
        if !taken {
            self.short.begin(now);
        }
        taken
    }

    /// Takes an exchange, if one is free; else nothing happens.
    #[inline(always)]
    pub(crate) fn try_take_free_exchange(&mut self, now: Time) -> bool {
        let taken = self.exchanges.take();
        self.open.change(now, i64::from(taken));
        taken
    }

    /// Gives an exchange back.
    #[inline(always)]
    pub(crate) fn give_exchange(&mut self, now: Time) {
        self.exchanges.give();
        self.open.change(now, -1);
        self.short.end(now);
    }

    /// Counts one more or one fewer exchange that has tried in vain to have its circuit again.
    pub(super) fn change_reconnecting(&mut self, by: i32) {
        self.reconnecting = self.reconnecting.saturating_add_signed(by);
    }

    /// Returns true while an exchange waits for its circuit that has had it before.
    pub(super) fn has_reconnecting(&self) -> bool {
        self.reconnecting > 0
    }

    /// Sends the channel of `path` a `notice` of the circuit of `exchange`.
    pub(super) fn send_notice(
        &mut self,
        context: &mut Context,
        w: &Wiring,
        path: &PathWire,
        exchange: u32,
        notice: Notice,
    ) {
        let at = context.now() + status_latency(w, path);
        context.send_to_host(at, self.sequencer.next(), Body::Circuit { exchange, notice });
    }

    /// Reports to the host that the control unit's half of `exchange` over `path` is over.
    #[cold]
    pub(super) fn send_closed(&mut self, context: &mut Context, w: &Wiring, path: &PathWire, exchange: u32) {
        let at = context.now() + status_latency(w, path);
        context.send_to_host(at, self.sequencer.next(), Body::Closed { exchange });
    }

    /// Reports to the host that frames of `exchange` over `path` were lost on their way here.
    #[cold]
    pub(super) fn send_loss(&mut self, context: &mut Context, w: &Wiring, path: &PathWire, exchange: u32) {
        let at = context.now() + status_latency(w, path);
        context.send_to_host(at, self.sequencer.next(), Body::Lost { exchange });
    }

    /// Returns when its processor has done all that it has.
    #[inline(always)]
    pub(super) fn worked_off_at(&self) -> Time {
        self.processor.free_at()
    }

    /// Returns the time that `bytes` of one exchange take between cache and port.
    #[inline]
    pub(crate) fn cache_time(&self, bytes: u32) -> Span {
        self.cache_rate.time_of(bytes)
    }

    /// Moves `bytes`, there from `from` on, over its bus, which is free, and what it shares with other ports: when they are
    /// over.
    #[inline(always)]
    pub(crate) fn move_burst(
        &mut self,
        shares: &mut Shares,
        direction: Direction,
        from: Time,
        bytes: u32,
    ) -> Time {
        if bytes == 0 { from } else { self.bus.move_burst(direction, from, bytes, (shares, self.share)) }
    }

    /// Collects its processor and bus in the interval that ends at `now`; its `name` is the Configuration's.
    pub(super) fn collect_service(&mut self, name: &str, now: Time) -> [StationInterval; 2] {
        let processor = (self.processor.busy_before(now).as_ps(), self.processor.completions());
        let bus = (self.bus.busy_before(now).as_ps(), self.bus.completions());
        let parts =
            [("processor", processor, &mut self.processor_reported), ("bus", bus, &mut self.bus_reported)];
        parts.map(|(part, totals, reported)| {
            let before = std::mem::replace(reported, totals);
            let (busy_ps, completions) = (totals.0 - before.0, totals.1 - before.1);
            StationInterval { name: format!("port {name} {part}"), servers: 1, busy_ps, completions }
        })
    }

    /// Collects the circuits that joined it in the interval that ends at `now`. Time that reconnections lose is no busy
    /// time.
    pub(super) fn collect_circuits(&mut self, name: &str, now: Time) -> [StationInterval; 2] {
        let parts =
            [("path", 1, self.joined.collect(now)), ("missed reconnections", 0, self.missed.collect())];
        parts.map(|(part, servers, (busy_ps, completions))| StationInterval {
            name: format!("port {name} {part}"),
            servers,
            busy_ps,
            completions,
        })
    }

    /// Collects its open exchanges in the interval that ends at `now`.
    pub(super) fn collect_pool(&mut self, name: &str, now: Time) -> PoolInterval {
        PoolInterval {
            name: format!("port {name} open exchanges"),
            tokens: self.exchanges.total(),
            taken_ns: whole_ns(self.open.take_until(now)),
            short_ps: self.short.take(now).as_ps(),
        }
    }

    /// Returns the tariff of its processor.
    #[inline]
    pub(crate) fn tariff(&self, protocol: Protocol) -> &Tariff {
        &self.tariffs[protocol]
    }

    /// Returns true when work that comes at `now` waits for other work.
    #[inline(always)]
    pub(crate) fn is_busy(&self, now: Time) -> bool {
        self.processor.free_at() > now
    }

    /// Has the port's processor work for `cost` on average: when it is done.
    #[inline(always)]
    pub(crate) fn work(&mut self, now: Time, cost: Span) -> Time {
        self.processor.arrive(now, self.service.draw(cost))
    }

    /// Has the port's processor work for `cost` on average: when it is done. What costs it nothing does not wait for it,
    /// unless an interlock has it wait `in_turn`: a command is answered before the program is worked on, and the bus moves
    /// the rest of an information unit whose work is done.
    #[inline(always)]
    pub(crate) fn work_unless_free(&mut self, now: Time, cost: Span, in_turn: bool) -> Time {
        if cost.is_zero() && !in_turn { now } else { self.work(now, cost) }
    }
}
