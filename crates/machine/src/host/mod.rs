//! The host's logical process: the rooms of images, SAPs and channels, up to the fibre. Here events are taken one after the
//! other, and each is given to its room.
//!
//! A room owns its state; no other touches it. What crosses an edge is one call of a method of the edge's trait with plain
//! values, dispatched statically, so that it could be a message between two processes:
//!
//! | edge | trait | methods |
//! | --- | --- | --- |
//! | images → SAPs | [`crate::images::Outside`] | `start` |
//! | SAPs → images | [`crate::saps::ImageEdge`] | `interrupt` |
//! | SAPs → channels | [`crate::saps::ChannelEdge`] | `drive` |
//! | channels → SAPs | [`crate::channels::SapEdge`] | `retry`, `end` |
//! | channels ↔ storage | [`crate::events::outlet::Outlet`] | messages and frames |
//!
//! Channels choose the path when it is driven, so that SAPs need no news of paths, and [images and SAPs](SeparateSaps) can be of
//! another process. On one thread the record of a start is written into the slots of SAPs and channels as soon as a CP works
//! for it.

mod adapters;
mod collect;
mod drives;
#[cfg(test)]
pub(crate) mod faults;
mod separate_saps;
mod upstream;

use halftrack_base::{Span, Time};
use halftrack_engine::{EventKey, Order};
use halftrack_record::{CheckerReport, ConnectionChange, Moment, RelocationSummary};

pub(crate) use self::separate_saps::SeparateSaps;
use self::upstream::Upstream;
use crate::capture::Recorder;
use crate::channels::{Channels, SOON, answers_soon};
use crate::ctc::Adapters;
use crate::data::DataLedger;
use crate::events::crossing::Start;
use crate::events::drive::Drive;
use crate::events::event::HostEvent;
use crate::events::host_context::Context;
use crate::events::message::{Body, Long, Message};
use crate::events::outlet::Receives;
use crate::events::pending::{HostPending, leaf};
use crate::fabric::link::Transmitters;
use crate::images::Images;
use crate::laws::census::Census;
use crate::laws::law::Law;
use crate::laws::traffic::Traffic;
use crate::saps::Saps;
use crate::wiring::Wiring;

/// The host's process.
#[derive(Debug)]
pub(crate) struct HostState {
    pub(crate) upstream: Upstream,
    pub(crate) channels: Channels,
}

impl HostState {
    /// Makes the process, whose views are those of `images`. The processes that hold images and SAPs are still to be chosen.
    pub(crate) fn new(w: &Wiring, images: &Images) -> Self {
        let context = Context::new(w.configuration.channels.len());
        let mut channels = Channels::new(w, images.views());
        let adapters = Adapters::new(w);
        let mut upstream = Upstream { context, saps: None, reported_ends: 0, images: None, adapters };
        adapters::begin(&mut upstream, &mut channels, w);
        Self { upstream, channels }
    }

    /// Returns its context.
    #[inline(always)]
    pub(crate) fn context(&mut self) -> &mut Context {
        &mut self.upstream.context
    }

    /// Returns the time of its next event; [`Time::MAX`] if none is pending.
    #[inline(always)]
    pub(crate) fn next_at(&self) -> Time {
        self.upstream.context.pending.heads.first_at()
    }

    /// Returns the time from `next`, its first event, on in which no interrupt can come that is not on its way.
    #[inline]
    pub(crate) fn interrupt_lookahead(&self, next: Time) -> Span {
        self.upstream.saps.as_ref().map_or(Span::from_ps(u64::MAX), |saps| saps.interrupt_lookahead(next))
    }

    /// Counts the events handled so far.
    pub(crate) fn events(&self) -> u64 {
        self.upstream.context.events
    }

    /// Has this process hold the SAPs.
    pub(crate) fn hold_saps(&mut self, saps: Saps) {
        self.upstream.hold_saps(saps);
    }

    /// Returns the SAPs, where this process holds them.
    pub(crate) fn saps(&mut self) -> Option<&mut Saps> {
        self.upstream.saps.as_mut()
    }

    /// Has this process hold the images' side, and so the SAPs.
    pub(crate) fn hold(&mut self, w: &Wiring, images: Images) {
        self.upstream.hold(w, images, &mut self.channels);
    }

    /// Returns the images' side, where this process holds it.
    pub(crate) fn images(&mut self) -> Option<&mut Images> {
        self.upstream.images.as_mut()
    }

    /// Takes `start`, which a CP will have executed at `at` in another process.
    #[inline(always)]
    fn receive_start(&mut self, at: Time, order: Order, start: &Start) {
        self.upstream.receive_start(at, order, start, &mut self.channels);
    }

    /// Takes a start from SAPs in another process, whose path is to be driven at `at`.
    #[inline(always)]
    fn receive_drive(&mut self, at: Time, order: Order, drive: &Drive) {
        self.channels.receive_drive(drive);
        self.upstream.context.push(at, order, HostEvent::Drive { io: drive.start.io });
    }

    /// Takes a `message` of another process.
    #[inline(always)]
    pub(crate) fn receive(&mut self, message: Message) {
        let Message { at, order, body } = message;
        match body {
            Body::Start(start) => self.receive_start(at, order, &start),
            Body::Drive(brief) => self.receive_drive(at, order, &brief.whole(at)),
            Body::Long(long) => match *long {
                Long::Drive(drive) => self.receive_drive(at, order, &drive),
                Long::Frames(to, transit) => {
                    let (pending, transits) = self.upstream.context.inbox();
                    pending.receive_frames(transits, EventKey { at, order }, to, transit);
                }
                Long::Interrupt(_) | Long::Ended(_) => {}
            },
            body => {
                let (pending, transits) = self.upstream.context.inbox();
                pending.receive(transits, Message { at, order, body });
            }
        }
    }

    /// Handles every event before `horizon`.
    pub(crate) fn run_until(&mut self, w: &Wiring, horizon: Time) {
        let Self { upstream, channels } = self;
        while upstream.context.try_begin_event(horizon) {
            let context = &mut upstream.context;
            let HostPending {
                heads,
                started,
                drive,
                visited,
                answers,
                inbound,
                fetched,
                stored,
                images: lines,
                ..
            } = &mut *context.pending;
            match heads.first() {
                leaf::STARTED => {
                    let start = started.take(heads, leaf::STARTED);
                    channels.fetch_io(w, started.soon(SOON).0);
                    if let Some(saps) = &mut upstream.saps {
                        saps.on_start(context, start);
                    }
                }
                leaf::DRIVE => {
                    let io = drive.take(heads, leaf::DRIVE);
                    channels.fetch_for_start(w, drive);
                    let started = upstream.take_over(channels, io);
                    channels.on_drive(upstream, w, io, started);
                }
                leaf::VISITED => {
                    let exchange = visited.take(heads, leaf::VISITED);
                    channels.fetch_for_visit(w, *visited.soon(SOON));
                    channels.on_visited(upstream, w, exchange);
                }
                leaf::ANSWER => {
                    let answer = answers.take(heads, leaf::ANSWER);
                    let soon = w.fetches_ahead.then(|| answers_soon(answers));
                    upstream.fetch_for_end(channels.fetch_for_answer(soon));
                    channels.on_answer(upstream, w, answer);
                }
                leaf::INBOUND => {
                    let transit = inbound.take(heads, leaf::INBOUND);
                    let next = || context.transits[*inbound.soon(SOON)].parcel.envelope.exchange;
                    let soon = w.fetches_ahead.then(|| [next(); 3]);
                    upstream.fetch_for_end(channels.fetch_for_answer(soon));
                    channels.on_inbound(upstream, w, transit);
                }
                leaf::INTERRUPT => {
                    let (io, next) = lines.interrupts.take(heads, leaf::INTERRUPT);
                    upstream.fetch_for_interrupt(w, next);
                    upstream.on_interrupt(channels, io);
                }
                leaf::FETCHED => {
                    let exchange = fetched.take(heads, leaf::FETCHED);
                    channels.on_fetched(upstream, w, exchange);
                }
                leaf::STORED => {
                    let (exchange, steps) = stored.take(heads, leaf::STORED);
                    channels.on_stored(upstream, w, exchange, steps);
                }
                leaf::PROCESSORS => {
                    let channel = context.pending.first_processor();
                    channels.on_processor(upstream, w, channel);
                }
                leaf::IMAGE_OTHERS => upstream.handle_images_event(channels),
                _ => handle_other(upstream, channels, w),
            }
        }
    }

    /// Counts what is under way in this process.
    pub(crate) fn census(&self, w: &Wiring, census: &mut Census) {
        self.channels.census(&self.upstream.context, w, census);
    }

    /// Returns the state of paths and channels now, `at_ps` from the start of the run.
    pub(crate) fn moment(&self, w: &Wiring, at_ps: u64) -> Moment {
        let islinks = self.upstream.adapters.as_ref().map(|adapters| adapters.moment(w));
        Moment { islinks: islinks.unwrap_or_default(), ..self.channels.moment(w, at_ps) }
    }

    /// Captures frames at the channels with `recorder` from now on.
    pub(crate) fn capture(&mut self, recorder: Recorder) {
        self.channels.capture(recorder);
    }
}

/// Handles the first event, which is in no lane.
#[inline(never)]
fn handle_other(upstream: &mut Upstream, channels: &mut Channels, w: &Wiring) {
    if let Some(event) = upstream.context.pending.take_other() {
        handle(upstream, channels, w, event);
    }
}

fn handle(upstream: &mut Upstream, channels: &mut Channels, w: &Wiring, event: HostEvent) {
    let Upstream { context, saps, .. } = upstream;
    match event {
        HostEvent::Started { .. } | HostEvent::Eadm { .. } | HostEvent::Admitted { .. } => {
            if let Some(saps) = saps {
                saps.handle(context, event);
            }
        }
        HostEvent::Drive { io } => {
            let started = upstream.take_over(channels, io);
            channels.on_drive(upstream, w, io, started);
        }
        HostEvent::Visited { exchange } => channels.on_visited(upstream, w, exchange),
        HostEvent::Fetched { exchange } => channels.on_fetched(upstream, w, exchange),
        HostEvent::Pump { exchange } => channels.on_pump(upstream, w, exchange),
        HostEvent::ExpressAnswer { aside } => {
            let answer = context.pending.answers.take_aside(aside);
            channels.on_answer(upstream, w, answer);
        }
        HostEvent::Inbound { transit } => channels.on_inbound(upstream, w, transit),
        HostEvent::Bus { channel } => channels.on_bus(upstream, w, channel),
        HostEvent::Stored { exchange, steps } => channels.on_stored(upstream, w, exchange, steps),
        HostEvent::Hop { transit } => channels.on_hop(upstream, w, transit),
        HostEvent::Credit { link } => channels.on_credit(upstream, w, link),
        HostEvent::Closed { exchange } => channels.on_closed(upstream, w, exchange),
        HostEvent::Lost { exchange } => channels.on_lost(upstream, w, exchange),
        HostEvent::Timeout { exchange } => channels.on_timeout(upstream, w, exchange),
        HostEvent::Staged { exchange } => channels.on_staged(upstream, w, exchange),
        HostEvent::UnitFetched { unit } => channels.on_unit_fetched(upstream, w, unit),
        HostEvent::UnitEntered { lane } => channels.on_unit_entered(upstream, w, lane),
        HostEvent::UnitArrived { transit } => channels.on_unit_arrived(upstream, w, transit),
        HostEvent::UnitStored { unit } => channels.on_unit_stored(upstream, w, unit),
        HostEvent::CircuitTriedAgain { device } => channels.on_circuit_tried_again(upstream, w, device),
        HostEvent::UnitAnswered { lane } => channels.on_unit_answered(upstream, w, lane),
        HostEvent::UnitHandled { .. }
        | HostEvent::AdapterStarted { .. }
        | HostEvent::AdapterMoves { .. }
        | HostEvent::AdapterInterrupt { .. }
        | HostEvent::IsLinkTimer { .. } => adapters::handle(upstream, channels, w, event),
        HostEvent::LoggedIn { path, login } => channels.on_logged_in(upstream, w, path, login),
        HostEvent::MissingInterrupt { io } => channels.on_missing_interrupt(upstream, w, io),
        HostEvent::ControlUnitEnd { lcu } => channels.on_control_unit_end(upstream, w, lcu),
        HostEvent::Circuit { exchange, notice } => channels.on_circuit(upstream, w, exchange, notice),
        HostEvent::PortsTriedAgain { io } => channels.on_ports_tried_again(upstream, w, io),
        HostEvent::Disturbance { index, begins } => {
            channels.on_disturbance(upstream, w, index, begins);
            adapters::handle(upstream, channels, w, event);
        }
    }
}

/// Results of the rooms at the end of a run, or between two events.
impl HostState {
    /// Captures no longer: the recorder, where there is one.
    pub(crate) fn take_recorder(&mut self) -> Option<Recorder> {
        self.channels.take_recorder()
    }

    /// Returns the changes of connections so far.
    pub(crate) fn connection_changes(&self, w: &Wiring) -> Vec<ConnectionChange> {
        self.channels.connection_changes(w)
    }

    /// Takes the ledger of the records of a run with real data, at its end.
    pub(crate) fn take_data(&mut self) -> Option<Box<DataLedger>> {
        self.channels.take_data()
    }

    /// Frames and bytes sent and received.
    pub(crate) fn traffic(&self) -> &Traffic {
        self.channels.traffic()
    }

    /// Returns the transmitters of its links.
    pub(crate) fn links(&self) -> &Transmitters {
        self.channels.links()
    }

    /// Counts the I/Os ended so far.
    pub(crate) fn ios_ended(&self) -> u64 {
        self.upstream.saps.as_ref().map_or(self.upstream.reported_ends, Saps::ends)
    }

    /// Checks that every start of a channel-to-channel device ends once, and every octet of its streams is delivered once;
    /// nothing without any.
    pub(crate) fn check_adapters(&self, w: &Wiring) -> Option<[CheckerReport; 2]> {
        let adapters = self.upstream.adapters.as_ref()?;
        Some([adapters.check_starts(), adapters.check_streams(w)])
    }

    /// Returns the relocations over logical links that have begun.
    pub(crate) fn relocations(&self, w: &Wiring) -> Vec<RelocationSummary> {
        self.upstream.adapters.as_ref().map(|adapters| adapters.relocations(w)).unwrap_or_default()
    }

    /// Returns frames and bytes between channels; `None` without channel-to-channel devices.
    pub(crate) fn unit_traffic(&self) -> Option<&Traffic> {
        self.channels.unit_traffic()
    }

    /// Little's law for the open exchanges of every channel.
    pub(crate) fn check_little(&self, w: &Wiring, now: Time, law: &mut Law) {
        self.channels.check_little(w, now, law);
    }

    /// Gives the links of this process the credits that are back by `now`.
    pub(crate) fn settle_credits(&mut self, now: Time) {
        self.channels.settle_credits(&mut self.upstream.context, now);
    }

    /// Checks that every credit of the host's transmitters is free or accounted for.
    pub(crate) fn check_credits(&self, w: &Wiring, census: &Census, law: &mut Law) {
        self.channels.check_credits(w, census, law);
    }
}
