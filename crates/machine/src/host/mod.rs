//! The host's logical process: the images with their streams, IOPs, subchannels, channels, up to the fibre.

mod admission;
mod ahead;
mod bus;
mod channel;
mod circuit;
mod collect;
mod data;
mod eadm;
mod exchange;
#[cfg(test)]
pub(crate) mod faults;
mod held_bus;
mod io;
mod iop_choice;
mod iops;
mod moment;
mod one_chunk;
mod receiving;
mod sending;
mod start;
mod supervised;
mod taken_off;
mod view;

use halftrack_config::{Cpc, Lpar};
use halftrack_engine::{Order, Prefetch, SimTime};
use halftrack_subsystem::PathGroup;

use self::admission::ImageWire;
use self::ahead::SOON;
use self::channel::ChannelState;
pub(crate) use self::collect::lcu_number;
use self::eadm::EadmFlow;
use self::exchange::Exchange;
use self::io::Io;
use self::iops::Iops;
use self::taken_off::TakenOff;
pub(crate) use self::taken_off::Target;
use self::view::LcuView;
use crate::events::event::HostEvent;
use crate::events::message::Transit;
use crate::events::outlet::{Destination, Outlet};
use crate::events::pending::{HostPending, StoragePending, leaf};
use crate::events::slab::Slab;
use crate::fabric::group::Cargo;
use crate::fabric::link::{Launched, Transmitters};
use crate::fabric::route::{FarEnd, Hop};
use crate::fabric::share::Shares;
use crate::run::capture::Recorder;
use crate::run::census::Census;
use crate::run::data::DataLedger;
use crate::run::law::{Ledger, Traffic};
use crate::run::process::STORAGE;
use crate::supervisor::SupervisorState;
use crate::wiring::answers::Answers;
use crate::wiring::{ComponentKind, Wiring};

/// The host's process.
#[derive(Debug)]
pub(crate) struct HostState {
    now: SimTime,
    pub(crate) pending: Box<HostPending>,
    pub(crate) to_storage: Outlet<StoragePending>,
    /// The side of the images, unless another process holds it.
    pub(crate) supervisor: Option<SupervisorState>,
    lpars: Vec<ImageWire>,
    /// By machine.
    iops: Vec<Iops>,
    channels: Vec<ChannelState>,
    shares: Shares,
    views: Vec<LcuView>,
    eadm: Vec<EadmFlow>,
    ios: Slab<Io>,
    exchanges: Slab<Exchange>,
    pub(crate) transits: Box<Slab<Transit>>,
    /// Of the plans that are one chunk each way.
    answers: Answers,
    links: Transmitters,
    /// By path: the control unit has granted its pacing window on it.
    paced: Vec<bool>,
    /// By path, where some have several ways: exchanges opened so far.
    turns: Vec<u32>,
    /// I/Os that wait for any channel of their group.
    waiting_channel: Vec<u32>,
    /// By logical control unit: I/Os that wait for control-unit end.
    waiting_control_unit: Vec<Vec<u32>>,
    /// Control-unit ends presented; by logical control unit, how many those were with its last. And how often channels
    /// have come free.
    control_unit_ends: u32,
    last_end: Vec<u32>,
    channel_frees: u32,
    pub(crate) ledger: Ledger,
    pub(crate) traffic: Traffic,
    /// What the records of a run with real data must hold.
    pub(crate) data: Option<Box<DataLedger>>,
    /// What is captured at the channels, where that was asked for.
    pub(crate) recorder: Option<Box<Recorder>>,
    /// Paths that operators have taken off.
    taken_off: TakenOff,
    /// Room for the frames of a burst behind its first while they are cut.
    frames: Vec<Cargo>,
    events: u64,
}

impl HostState {
    /// The process, whose views are those of `supervisor`; who holds that is not decided yet.
    pub(crate) fn new(w: &Wiring, supervisor: &SupervisorState) -> Self {
        let configuration = &w.configuration;
        let lpar = |(index, lpar): (usize, &Lpar)| {
            let cpc = &configuration.cpcs[usize::from(lpar.cpc)];
            ImageWire::new(cpc, lpar, w.second_sequencer(ComponentKind::Lpar, index))
        };
        let mut threads = 0;
        let mut iops = |(index, cpc): (usize, &Cpc)| {
            let first_thread = threads;
            threads += u32::from(cpc.iop_threads);
            let service = w.service.of_saps(&cpc.name.to_string());
            Iops::new(index, cpc, first_thread, (w.sequencer(ComponentKind::Iop, index), service))
        };
        let iops: Vec<Iops> = configuration.cpcs.iter().enumerate().map(&mut iops).collect();
        let eadm = |(index, work)| EadmFlow::new(w, index, work);
        let channel = |(index, channel): (usize, &halftrack_config::Channel)| {
            let sequencer = w.sequencer(ComponentKind::Channel, index);
            ChannelState::new(
                channel,
                configuration.lpars.len(),
                w.costs.of_channel[index],
                w.references[index],
                (sequencer, w.service.of_channel(&channel.name)),
            )
        };
        let mut host = Self {
            now: SimTime::ZERO,
            pending: Box::new(HostPending::new(configuration.channels.len())),
            to_storage: Outlet::to(STORAGE),
            supervisor: None,
            lpars: configuration.lpars.iter().enumerate().map(lpar).collect(),
            iops,
            channels: configuration.channels.iter().enumerate().map(channel).collect(),
            shares: Shares::new(&configuration.shares),
            views: Vec::new(),
            eadm: configuration.eadm.iter().enumerate().map(eadm).collect(),
            ios: Slab::with_capacity(1024),
            exchanges: Slab::with_capacity(1024),
            transits: Box::new(Slab::with_capacity(1024)),
            answers: Answers::new(&w.plans, &w.departures),
            links: Transmitters::new(w, |host| host),
            paced: vec![false; w.alternatives.paths()],
            turns: if w.alternatives.are_several() { vec![0; w.alternatives.paths()] } else { Vec::new() },
            waiting_channel: Vec::new(),
            waiting_control_unit: vec![Vec::new(); configuration.lcus.len()],
            control_unit_ends: 0,
            last_end: vec![0; configuration.lcus.len()],
            channel_frees: 0,
            ledger: Ledger::default(),
            traffic: Traffic::default(),
            data: w.data.as_ref().map(|layout| Box::new(DataLedger::new(layout, w.options.corrupt))),
            recorder: None,
            taken_off: TakenOff::default(),
            frames: Vec::new(),
            events: 0,
        };
        host.wire_views(w, supervisor);
        host.begin_eadm();
        host
    }

    /// The views of the images' side, their paths all online.
    fn wire_views(&mut self, w: &Wiring, supervisor: &SupervisorState) {
        let configuration = &w.configuration;
        for (lpar, lcu) in supervisor.views() {
            let wire = &w.groups[&(configuration.lpars[lpar as usize].subsystem(), lcu)];
            let group = PathGroup::new(wire.paths as usize);
            self.views.push(LcuView::new(lpar, lcu, group, wire.first_path));
        }
    }

    /// Events handled so far.
    pub(crate) fn events(&self) -> u64 {
        self.events
    }

    /// Handles every event before `horizon`.
    pub(crate) fn run_until(&mut self, w: &Wiring, horizon: SimTime) {
        loop {
            let HostPending {
                heads,
                started,
                drive,
                visited,
                answered,
                inbound,
                fetched,
                stored,
                supervisor: lines,
                ..
            } = &mut *self.pending;
            let at = heads.first_at();
            if at >= horizon {
                return;
            }
            self.now = at;
            self.events += 1;
            match heads.first() {
                leaf::STARTED => {
                    let start = started.take(heads, leaf::STARTED);
                    Prefetch::begin(&self.ios[started.soon(SOON).0]);
                    self.on_start(start);
                }
                leaf::DRIVE => {
                    let io = drive.take(heads, leaf::DRIVE);
                    let soon = drive.soon(SOON);
                    self.fetch_for_start(w, soon);
                    self.on_drive(w, io);
                }
                leaf::VISITED => {
                    let exchange = visited.take(heads, leaf::VISITED);
                    let soon = visited.soon(SOON);
                    self.fetch_for_visit(w, soon);
                    self.on_visited(w, exchange);
                }
                leaf::ANSWERED => {
                    let answer = answered.take(heads, leaf::ANSWERED);
                    let soon = answered.soon(SOON);
                    self.fetch_for_answer(soon.exchange);
                    self.on_answered(w, answer);
                }
                leaf::INBOUND => {
                    let transit = inbound.take(heads, leaf::INBOUND);
                    let soon = inbound.soon(SOON);
                    self.fetch_for_answer(self.transits[soon].parcel.envelope.exchange);
                    self.on_inbound(w, transit);
                }
                leaf::INTERRUPT => {
                    let (io, next) = lines.interrupts.take(heads, leaf::INTERRUPT);
                    self.fetch_for_interrupt(next);
                    self.on_interrupt(io);
                }
                leaf::FETCHED => {
                    let exchange = fetched.take(heads, leaf::FETCHED);
                    self.on_fetched(w, exchange);
                }
                leaf::STORED => {
                    let (exchange, steps) = stored.take(heads, leaf::STORED);
                    self.on_stored(w, exchange, steps);
                }
                leaf::PROCESSORS => self.on_processor(w, self.pending.first_processor()),
                leaf::SUPERVISOR_OTHERS => self.handle_supervisor_event(),
                _ => self.handle_other(w),
            }
        }
    }

    /// Handles the first event, which is in no lane.
    #[inline(never)]
    fn handle_other(&mut self, w: &Wiring) {
        if let Some(event) = self.pending.take_other() {
            self.handle(w, event);
        }
    }

    fn handle(&mut self, w: &Wiring, event: HostEvent) {
        match event {
            HostEvent::Started { io } => self.on_started(io),
            HostEvent::Eadm { flow } => self.on_eadm(flow),
            HostEvent::Admitted { io } => self.on_admitted(io),
            HostEvent::Drive { io } => self.on_drive(w, io),
            HostEvent::Visited { exchange } => self.on_visited(w, exchange),
            HostEvent::Fetched { exchange } => self.on_fetched(w, exchange),
            HostEvent::Pump { exchange } => self.on_pump(w, exchange),
            HostEvent::Answered { aside } => {
                let answered = self.pending.answered.take_aside(aside);
                self.on_answered(w, answered);
            }
            HostEvent::Inbound { transit } => self.on_inbound(w, transit),
            HostEvent::Bus { channel } => self.on_bus(w, channel),
            HostEvent::Stored { exchange, steps } => self.on_stored(w, exchange, steps),
            HostEvent::Hop { transit } => self.on_hop(w, transit),
            HostEvent::Credit { link } => self.on_credit(w, link),
            HostEvent::Closed { exchange } => self.on_closed(w, exchange),
            HostEvent::ControlUnitEnd { lcu } => self.on_control_unit_end(w, lcu),
            HostEvent::Circuit { exchange, notice } => self.on_circuit(w, exchange, notice),
            HostEvent::PortsTriedAgain { io } => self.on_ports_tried_again(w, io),
            HostEvent::Disturbance { index, begins } => self.on_disturbance(w, index, begins),
        }
    }

    /// True when what is to be sent on `hop` must wait for a credit; else it has one, where it needs one.
    #[inline]
    fn lacks_credit(&mut self, hop: &Hop) -> bool {
        hop.frame_by_frame && !self.links.try_take_credit(hop.link, self.now)
    }

    /// Puts `transit` into the line for a credit of its link.
    #[cold]
    fn wait_for_credit(&mut self, link: u32, transit: Transit) {
        let slot = self.transits.put(transit);
        self.links.get(link).wait(slot, self.now, self.now);
    }

    /// The head of a transit is ready for the next link.
    #[cold]
    fn on_hop(&mut self, w: &Wiring, slot: u32) {
        let transit = Transit::take(&mut self.transits, slot);
        let hop = &w.hops[transit.parcel.hop as usize];
        if self.lacks_credit(hop) {
            self.wait_for_credit(hop.link, transit);
        } else {
            self.launch(w, transit);
        }
    }

    fn launch(&mut self, w: &Wiring, Transit { mut parcel, cargo }: Transit) {
        let on_fibre = cargo.chunk(w).on_fibre();
        let launched = self.links.launch(w, parcel.hop, on_fibre, self.now, parcel.tail_lag);
        if let Some(recorder) = &mut self.recorder {
            recorder.outbound(w, &parcel, &cargo, launched.entered);
        }
        let order = self.announce(&launched, parcel.envelope.exchange, std::mem::take(&mut parcel.pump));
        (parcel.hop, parcel.tail_lag) = (launched.hop, launched.tail_lag);
        self.send_on(&launched, order, Transit { parcel, cargo });
    }

    /// What the launch of a chunk of `exchange` lets others do, and whether it is to `pump` the exchange's next: the
    /// order of its own arrival.
    #[inline(always)]
    fn announce(&mut self, launched: &Launched, exchange: u32, pump: bool) -> Order {
        let sequencer = &mut self.links.get(launched.link).sequencer;
        if pump {
            self.pending.push(launched.entered, sequencer.next(), HostEvent::Pump { exchange });
        }
        if let Some((freed, at)) = launched.freed {
            self.pending.push(at, sequencer.next(), HostEvent::Credit { link: freed });
        }
        sequencer.next()
    }

    /// Lets `transit` arrive where its launch has brought it.
    #[inline(always)]
    fn send_on(&mut self, launched: &Launched, order: Order, transit: Transit) {
        let at = launched.at;
        let to = match launched.far_end {
            FarEnd::EndPoint => Destination::EndPoint,
            FarEnd::There => Destination::Director,
            FarEnd::Here | FarEnd::Fused => {
                let transit = self.transits.put(transit);
                self.pending.push(at, order, HostEvent::Hop { transit });
                return;
            }
        };
        self.to_storage.send_frames(at, order, to, transit);
    }

    #[cold]
    fn on_credit(&mut self, w: &Wiring, link: u32) {
        let transmitter = self.links.get(link);
        transmitter.give_credit(self.now);
        if let Some((slot, _)) = transmitter.next_waiting(self.now) {
            let transit = Transit::take(&mut self.transits, slot);
            self.launch(w, transit);
        }
    }

    /// A channel begins or ceases to answer every start busy.
    pub(crate) fn set_channel_busy(&mut self, w: &Wiring, channel: u32, busy: bool) {
        let state = &mut self.channels[channel as usize];
        state.busy = if busy { state.busy + 1 } else { state.busy - 1 };
        if state.busy == 0 {
            self.redrive_waiting_for_channel(w);
        }
    }

    /// The interconnect of a domain is lost or is there again.
    pub(crate) fn lose_interconnect(&mut self, share: u32, lost: bool) {
        self.shares.lose(share, lost);
    }

    /// The fibre of a channel is lost or is there again; its paths leave their groups or come back.
    pub(crate) fn set_channel_dark(&mut self, w: &Wiring, channel: u32, dark: bool) {
        let state = &mut self.channels[channel as usize];
        state.dark = if dark { state.dark + 1 } else { state.dark - 1 };
        state.epoch += u32::from(dark);
        if !dark && state.dark > 0 {
            return;
        }
        for view in &mut self.views {
            for (position, wire) in w.paths[view.first_path as usize..].iter().enumerate() {
                if wire.lcu != view.lcu || usize::from(wire.position) != position {
                    break;
                }
                if wire.channel == channel {
                    let taken = self.taken_off.has(view.lpar, view.lcu, wire);
                    view.group.set_online(wire.position, !dark && !taken);
                }
            }
        }
        if dark {
            // Starts that wait for an exchange must not get those that the loss sets free.
            let state = &mut self.channels[channel as usize];
            let deferred = std::mem::take(&mut state.deferred);
            state.book_shortage(self.now);
            self.lose_exchanges(w, channel);
            for (io, _) in deferred {
                self.path_lost(w, io);
            }
        } else {
            self.redrive_waiting_for_channel(w);
        }
    }

    /// Counts what is under way in this process.
    pub(crate) fn census(&self, w: &Wiring, census: &mut Census) {
        census.host(w, &self.pending, &self.transits, &self.links);
        let waiting = self.channels.iter().flat_map(|channel| channel.bus.waiting());
        for (_, path) in waiting.filter_map(|burst| burst.credit) {
            census.credits[w.last_link(w.paths[path as usize].inbound) as usize] += 1;
        }
        for answered in self.pending.answers() {
            let envelope = self.exchanges[answered.exchange].envelope;
            census.transit(w, &answered.transit(w, &self.answers, envelope), true);
        }
    }
}
