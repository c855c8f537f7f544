//! A channel: its processor, its joint bus, its open exchanges and what RMF counts of it.

use std::collections::VecDeque;

use halftrack_base::{Span, Time};
use halftrack_config::{Channel, ChannelHardware};
use halftrack_engine::{
    Prefetch, ProcessorSharing, Sequencer, ServiceTimes, Shortage, TimeIntegral, TokenPool,
};
use halftrack_program::{PerProtocol, Protocol};
use halftrack_record::{Operations, PoolInterval, Recoveries};

use super::Outside;
use super::bus::Burst;
use super::circuit::HeldPath;
use super::held_bus::HeldBusCounts;
use super::write_stage::WriteStage;
use crate::events::event::HostEvent;
use crate::fabric::bus::Bus;
use crate::fabric::link_counters::whole_ns;
use crate::wiring::pricing::Tariff;

/// One partition's use of a channel in this interval.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Part {
    pub processor_ps: u64,
    pub read_bytes: u64,
    pub write_bytes: u64,
}

/// Busy times of the parts of a channel in an interval, ps.
#[derive(Debug, Clone, Copy)]
pub(super) struct Busy {
    pub processor_ps: u64,
    pub bus_ps: u64,
    /// Of an idle bus that early cards poll; nothing waits for it.
    pub polling_ps: u64,
}

/// State of one channel. What its starts and ends read comes first, then what a visit to its processor needs, then
/// what data do.
#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct ChannelState {
    /// Every start is answered busy.
    busy: u32,
    /// The fibre is lost.
    dark: u32,
    /// Index of the first cost of planned groups on it.
    pub costs: u32,
    /// Open exchanges in all and in command mode.
    exchanges: TokenPool,
    exchanges_command: TokenPool,
    /// The share of a card or domain that limits it too.
    pub share: Option<u32>,
    /// The path that one program at a time holds; `None` for FICON.
    held: Option<Box<HeldPath>>,
    /// Counts of the bus that firmware holds during transfers; the transfers are in the processor's time then.
    pub held_bus: Option<Box<HeldBusCounts>>,
    /// Open exchanges over time, for Little's law.
    open: TimeIntegral,
    /// Sum of the times that closed exchanges were open, ps, for Little's law.
    sojourn_ps: u128,
    /// The component's own event sequence.
    pub sequencer: Sequencer,
    bus_reported_ps: u64,
    /// I/Os that found no exchange free, with their protocol.
    deferred: VecDeque<(u32, Protocol)>,
    /// Use by partition.
    pub parts: Vec<Part>,
    processor_reported_ps: u64,
    /// Operations in this interval.
    operations: PerProtocol<Operations>,
    /// Service times of its processor.
    service: ServiceTimes,
    /// Its processor, shared equally among the exchanges that want it, so that programs of unlike cost share
    /// the channel's time and not its turns. A lone visit ends with its own event, the first of several
    /// with an alarm.
    processor: ProcessorSharing,
    /// The bus that reads and writes share.
    pub(super) bus: Bus<Burst>,
    tariffs: PerProtocol<Tariff>,
    /// Time that an I/O waited for an open exchange of any kind, and for one that command mode may have.
    short: Shortage,
    short_command: Shortage,
    /// Integral of `open` until the last collection, ps.
    open_reported_ps: u128,
    /// Open exchanges in command mode over time.
    open_command: TimeIntegral,
    /// Recoveries in this interval.
    pub(super) recoveries: Recoveries,
    /// The stage that only writes pass, of an FCP channel.
    pub(super) write_stage: Option<WriteStage>,
}

const _: () = assert!(std::mem::offset_of!(ChannelState, processor) == 256);

impl ChannelState {
    /// Makes the channel before any work; `reference` is the time of an information unit by which its utilisation is
    /// estimated.
    pub(super) fn new(
        channel: &Channel,
        lpars: usize,
        costs: u32,
        reference: Span,
        (sequencer, service): (Sequencer, ServiceTimes),
    ) -> Self {
        let hardware: &ChannelHardware = &channel.hardware;
        let held_bus = hardware.held_bus.map(|held| Box::new(HeldBusCounts::new(held, reference, lpars)));
        Self {
            // Room for more would be walked through as jobs come and go, and hundreds of channels would fill the cache.
            processor: ProcessorSharing::with_capacity(4),
            service,
            bus: Bus::new(hardware.held_bus.is_none().then_some(hardware.bus_bytes_per_s)),
            share: channel.share,
            exchanges: TokenPool::new(hardware.open_exchanges),
            exchanges_command: TokenPool::new(hardware.open_exchanges_command),
            deferred: VecDeque::new(),
            dark: 0,
            busy: 0,
            held: hardware.circuit.as_ref().map(|circuit| Box::new(HeldPath::new(circuit, lpars))),
            operations: PerProtocol::default(),
            parts: vec![Part::default(); lpars],
            open: TimeIntegral::default(),
            sojourn_ps: 0,
            sequencer,
            costs,
            held_bus,
            tariffs: Tariff::of_channel(hardware),
            processor_reported_ps: 0,
            bus_reported_ps: 0,
            short: Shortage::default(),
            short_command: Shortage::default(),
            open_reported_ps: 0,
            open_command: TimeIntegral::default(),
            recoveries: Recoveries::default(),
            write_stage: hardware.fcp.map(|fcp| WriteStage::new(fcp.write)),
        }
    }

    /// Asks for what a start or an end of `lpar` changes.
    #[inline(always)]
    pub(super) fn fetch_counters(&self, lpar: u32) {
        Prefetch::begin(&self.busy);
        Prefetch::begin(&self.open);
        Prefetch::begin(&self.operations[Protocol::Transport]);
        if let Some(part) = self.parts.get(lpar as usize) {
            Prefetch::begin(part);
        }
    }

    /// Asks for what a visit to its processor changes.
    #[inline(always)]
    pub(super) fn fetch_processor(&self) {
        Prefetch::begin(&self.sequencer);
        Prefetch::begin(&self.processor);
    }

    /// Returns true while its fibre is lost.
    #[inline(always)]
    pub(super) fn is_dark(&self) -> bool {
        self.dark > 0
    }

    /// Returns true while it takes no start: it answers busy, or its fibre is lost.
    #[inline(always)]
    pub(super) fn takes_none(&self) -> bool {
        self.busy > 0 || self.dark > 0
    }

    /// Makes it begin or cease to answer every start busy. Returns true when it has come free.
    pub(super) fn set_busy(&mut self, busy: bool) -> bool {
        self.busy = if busy { self.busy + 1 } else { self.busy - 1 };
        self.busy == 0
    }

    /// Notes that its fibre is lost or is there again. Returns false when it stays lost for another reason.
    pub(super) fn set_dark(&mut self, dark: bool) -> bool {
        self.dark = if dark { self.dark + 1 } else { self.dark - 1 };
        dark || self.dark == 0
    }

    /// Has its processor work on the visit of exchange `slot` of `lpar` that has just begun, for `cost` on average. It is
    /// the channel `index`.
    #[inline(always)]
    pub(super) fn work(&mut self, out: &mut impl Outside, index: u32, (slot, lpar): (u32, u32), cost: Span) {
        let work = self.service.draw(cost);
        self.parts[lpar as usize].processor_ps += work.as_ps();
        self.processor.arrive(out.now(), slot, work);
        let (completion, order) = (self.processor.next_completion(), self.sequencer.next());
        if self.processor.is_lone() {
            out.push(completion, order, HostEvent::Visited { exchange: slot });
        } else {
            out.set_processor(index, completion, order);
        }
    }

    /// Ends the visit that was alone when it began, if it has been so since. Else it ends with the alarm, which is not
    /// before `now`.
    #[inline(always)]
    pub(super) fn try_end_lone_visit(&mut self, now: Time) -> bool {
        let is_lone = self.processor.is_lone();
        if is_lone {
            self.processor.complete(now);
            self.sequencer.next();
        }
        is_lone
    }

    /// Ends the first of the visits that share its processor: its exchange. It is the channel `index`.
    #[inline(always)]
    pub(super) fn end_first_visit(&mut self, out: &mut impl Outside, index: u32) -> Option<u32> {
        let finished = self.processor.complete(out.now());
        let completion = self.processor.next_completion();
        out.set_processor(index, completion, self.sequencer.next());
        finished
    }

    /// Has the start `io` wait for an open exchange.
    #[inline(always)]
    pub(super) fn defer(&mut self, now: Time, io: u32, protocol: Protocol) {
        self.operations[protocol].deferred += 1;
        self.deferred.push_back((io, protocol));
        self.book_shortage(now);
    }

    /// Returns true while a start waits for an open exchange.
    #[inline(always)]
    pub(super) fn has_deferred(&self) -> bool {
        !self.deferred.is_empty()
    }

    /// Opens an exchange for the start that has waited longest of those that may have one now.
    #[cold]
    pub(super) fn open_for_deferred(&mut self, now: Time) -> Option<(u32, Protocol)> {
        let admissible = (0..self.deferred.len()).find(|at| self.has_exchange(self.deferred[*at].1));
        let (io, protocol) = admissible.and_then(|at| self.deferred.remove(at))?;
        let opened = self.try_open_exchange(now, protocol);
        debug_assert!(opened, "an admissible start has its exchange");
        self.book_shortage(now);
        Some((io, protocol))
    }

    /// Takes all starts that wait for an open exchange.
    #[cold]
    pub(super) fn take_deferred(&mut self, now: Time) -> VecDeque<(u32, Protocol)> {
        let deferred = std::mem::take(&mut self.deferred);
        self.book_shortage(now);
        deferred
    }

    /// Takes those starts that wait for an open exchange of which `is_taken` is true.
    #[cold]
    pub(super) fn take_deferred_of(
        &mut self,
        now: Time,
        is_taken: impl Fn(u32) -> bool,
    ) -> VecDeque<(u32, Protocol)> {
        let (taken, kept) = std::mem::take(&mut self.deferred).into_iter().partition(|(io, _)| is_taken(*io));
        self.deferred = kept;
        self.book_shortage(now);
        taken
    }

    /// Returns true for an FCP channel.
    pub(super) fn is_fcp(&self) -> bool {
        self.write_stage.is_some()
    }

    /// Returns true when one program at a time holds its path.
    pub(super) fn has_held_path(&self) -> bool {
        self.held.is_some()
    }

    /// Returns true while its path is held.
    pub(super) fn is_path_held(&self) -> bool {
        self.held.as_ref().is_some_and(|held| held.is_held())
    }

    /// Gives its path to exchange `slot` of `lpar`, if one program holds that.
    pub(super) fn hold_path(&mut self, now: Time, slot: u32, lpar: u32) {
        if let Some(held) = &mut self.held
            && held.take(now, slot, lpar)
        {
            self.busy += 1;
        }
    }

    /// Takes its path back from exchange `slot`, if that has it. Returns true when the channel has come free by that.
    pub(super) fn try_release_path(&mut self, now: Time, slot: u32) -> bool {
        if let Some(held) = &mut self.held
            && held.release(now, slot)
        {
            self.busy -= 1;
            return self.busy == 0;
        }
        false
    }

    /// Counts the times that its path has come free; a FICON channel has none.
    pub(super) fn path_frees(&self) -> u32 {
        self.held.as_ref().map_or(0, |held| held.frees)
    }

    /// Schedules the next attempt of `io`, of whose group every path was answered director port busy.
    #[cold]
    pub(super) fn wait_for_port(&mut self, out: &mut impl Outside, io: u32) {
        let retry = self.held.as_ref().map_or(Span::ZERO, |held| held.port_busy_retry);
        let order = self.sequencer.next();
        out.push(out.now() + retry, order, HostEvent::PortsTriedAgain { io });
    }

    /// Collects the time that each partition has held its path since the last collection, ps, where one program holds that.
    pub(super) fn collect_held(&mut self, now: Time) -> Option<Vec<u64>> {
        self.held.as_mut().map(|held| held.collect(now))
    }

    /// Returns the integral of its open exchanges until `now`, and the sum of the times that closed ones were open, ps.
    pub(super) fn open_and_sojourn_ps(&self, now: Time) -> (u128, u128) {
        (self.open.area_until(now), self.sojourn_ps)
    }

    /// Returns the tariff of its processor.
    #[inline]
    pub(super) fn tariff(&self, protocol: Protocol) -> &Tariff {
        &self.tariffs[protocol]
    }

    /// Takes the operations since the last collection.
    pub(super) fn take_operations(&mut self) -> PerProtocol<Operations> {
        std::mem::take(&mut self.operations)
    }

    /// Returns true when an exchange is free for `protocol`.
    #[inline]
    fn has_exchange(&self, protocol: Protocol) -> bool {
        self.exchanges.free() > 0 && (protocol == Protocol::Transport || self.exchanges_command.free() > 0)
    }

    /// Books of what the I/O that has waited longest for an exchange lacks one, after a change at `now`.
    #[cold]
    fn book_shortage(&mut self, now: Time) {
        let (waits, all_taken) = (!self.deferred.is_empty(), self.exchanges.free() == 0);
        self.short.set(now, waits && all_taken);
        self.short_command.set(now, waits && !all_taken);
    }

    /// Collects its pools since the last collection; the channel is `name`.
    pub(super) fn collect_pools(&mut self, name: &str, now: Time) -> [PoolInterval; 2] {
        let open_ps = self.open.area_until(now);
        let taken_ps = open_ps - std::mem::replace(&mut self.open_reported_ps, open_ps);
        let all = (&self.exchanges, taken_ps, self.short.take(now));
        let command =
            (&self.exchanges_command, self.open_command.take_until(now), self.short_command.take(now));
        [("open exchanges", all), ("open exchanges in command mode", command)].map(
            |(what, (tokens, taken_ps, short))| PoolInterval {
                name: format!("channel {name} {what}"),
                tokens: tokens.total(),
                taken_ns: whole_ns(taken_ps),
                short_ps: short.as_ps(),
            },
        )
    }

    /// Takes an open exchange when there is one, and counts the operation begun.
    #[inline(always)]
    pub(super) fn try_open_exchange(&mut self, now: Time, protocol: Protocol) -> bool {
        let taken = match protocol {
            Protocol::Transport => self.exchanges.take(),
            Protocol::Command => {
                self.has_exchange(protocol) && self.exchanges.take() && self.exchanges_command.take()
            }
        };
        if !taken {
            return false;
        }
        self.open.change(now, 1);
        self.open_command.change(now, i64::from(protocol == Protocol::Command));
        let active_command = self.exchanges_command.outstanding();
        let active = match protocol {
            Protocol::Command => active_command,
            Protocol::Transport => self.exchanges.outstanding() - active_command,
        };
        let operations = &mut self.operations[protocol];
        operations.started += 1;
        operations.active_sum += u64::from(active);
        true
    }

    /// Gives an open exchange back.
    #[inline(always)]
    pub(super) fn close_exchange(&mut self, now: Time, opened: Time, protocol: Protocol) {
        self.exchanges.give();
        if protocol == Protocol::Command {
            self.exchanges_command.give();
        }
        self.open.change(now, -1);
        self.open_command.change(now, -i64::from(protocol == Protocol::Command));
        self.sojourn_ps += u128::from(now.since(opened).as_ps());
    }

    /// Collects the time of processor and bus since the last call, and begins a new interval for them.
    pub(super) fn collect_busy(&mut self, now: Time) -> Busy {
        let processor = self.processor.busy_before(now).as_ps();
        let bus = self.bus.busy_before(now).as_ps();
        let processor_ps = processor - self.processor_reported_ps;
        let mut bus_ps = bus - self.bus_reported_ps;
        (self.processor_reported_ps, self.bus_reported_ps) = (processor, bus);
        let asked = || self.parts.iter().map(|part| part.processor_ps).sum();
        let mut polling_ps = 0;
        if let Some(held) = &mut self.held_bus {
            (bus_ps, polling_ps) = held.take_bus_busy(now, processor_ps, asked());
        }
        Busy { processor_ps, bus_ps, polling_ps }
    }
}
