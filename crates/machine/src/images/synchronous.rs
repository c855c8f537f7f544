//! Synchronous I/O: requests over zHyperLink, for whose answer a CP spins. Neither SAP, subchannel, base, alias nor interrupt takes
//! part.
//!
//! ```text
//! issued ─► not tried ───────────────────────────────────────────────┐
//!    └────► CP free? ─► link in use: reject ─────────────────────────┤
//!             │          └► link held ─► answer, miss or no answer ──┴─► the same I/O as START SUBCHANNEL
//!             └ no: when one is      └──► success: the I/O is over
//! ```
//!
//! It is a loss system: who finds the one link that it has drawn in use does not wait for it.

use halftrack_base::{Span, Time};
use halftrack_config::Directions;
use halftrack_engine::{RandomStream, Sequencer};
use halftrack_record::{
    CheckerReport, StationInterval, SynchronousIo, SynchronousLinkInterval, SynchronousRequests,
};
use halftrack_workload::Request;

use super::io_request::NONE;
use super::synchronous_links::{Held, LinkRequest, SynchronousLinks};
use super::{Images, Outside};
use crate::events::event::ImageEvent;
use crate::events::slab::Slab;
use crate::laws::law::Law;
use crate::laws::synchronous::SynchronousLedger;
use crate::wiring::Wiring;

/// A stream with synchronous I/O.
#[derive(Debug)]
pub(super) struct SynchronousRun {
    /// Data of a read and of a write, bytes; size and alignment are right.
    bytes: [u64; 2],
    fits: [bool; 2],
    is_aligned: [bool; 2],
    /// Its system is a guest of z/VM.
    is_guest: bool,
    /// Draws the link of each request.
    choice: RandomStream,
}

impl SynchronousRun {
    /// Makes the state of stream `index` at the beginning of a run; `None` where its I/O is asynchronous.
    pub(super) fn new(w: &Wiring, index: usize) -> Option<Self> {
        let stream = &w.configuration.streams[index];
        let requests = stream.synchronous.as_ref()?;
        let both = [&requests.read, &requests.write];
        let choice = RandomStream::new(w.options.seed, &format!("stream {} synchronous link", stream.name));
        Some(Self {
            bytes: both.map(|request| request.bytes.into()),
            fits: both.map(|request| request.fits),
            is_aligned: both.map(|request| request.is_aligned),
            is_guest: w.configuration.synchronous.guests.contains(&stream.lpar),
            choice,
        })
    }
}

/// How far a request has come, and at its end what became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Stage {
    /// It waits for a CP.
    #[default]
    Waits,
    Succeeds,
    LinkBusy,
    LinkDark,
    Misses,
    TimesOut,
}

/// One request from its issue until its outcome is there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Attempt {
    request: Request,
    stream: u32,
    job: u32,
    ucb: u32,
    stage: Stage,
    /// The CP began with it.
    began: Time,
    /// The slot is in use.
    is_open: bool,
}

impl Default for Attempt {
    fn default() -> Self {
        let request = Request { device: 0, program: 0, write: false, hit: true, track: None };
        Self {
            request,
            stream: NONE,
            job: NONE,
            ucb: NONE,
            stage: Stage::Waits,
            began: Time::ZERO,
            is_open: false,
        }
    }
}

/// Requests under way, the links, and the books of both.
#[derive(Debug)]
pub(super) struct Synchronous {
    links: SynchronousLinks,
    attempts: Slab<Attempt>,
    /// By unit control block, in this interval; `None` where no stream with synchronous I/O uses it.
    booked: Vec<Option<SynchronousIo>>,
    /// By unit control block, the directions that are on for its device.
    on: Vec<Directions>,
    pub(super) ledger: SynchronousLedger,
    /// Requests that have succeeded since the start of the run.
    succeeded: u64,
}

impl Default for Synchronous {
    fn default() -> Self {
        Self {
            links: SynchronousLinks::default(),
            attempts: Slab::with_capacity(0),
            booked: Vec::new(),
            on: Vec::new(),
            ledger: SynchronousLedger::default(),
            succeeded: 0,
        }
    }
}

impl Synchronous {
    /// Makes the state at the beginning of a run with `ucbs` unit control blocks. Streams with synchronous I/O use those of
    /// `users`, each with the directions that are on for its device.
    pub(super) fn new(
        links: SynchronousLinks,
        ucbs: usize,
        users: impl Iterator<Item = (u32, Directions)>,
    ) -> Self {
        let (mut booked, mut on) = (vec![None; ucbs], vec![Directions::default(); ucbs]);
        for (ucb, of_device) in users {
            booked[ucb as usize] = Some(SynchronousIo::default());
            on[ucb as usize] = of_device;
        }
        Self { links, booked, on, ledger: SynchronousLedger::new(ucbs), ..Self::default() }
    }

    /// Returns the counters of one direction of the device of `ucb`.
    fn counters(&mut self, ucb: u32, write: bool) -> &mut SynchronousRequests {
        let both = self.booked[ucb as usize].get_or_insert_default();
        if write { &mut both.write } else { &mut both.read }
    }

    /// Collects the counters of the device of `ucb` since the last collection.
    pub(super) fn collect(&mut self, ucb: usize) -> Option<SynchronousIo> {
        let booked = self.booked[ucb].as_mut().map(std::mem::take)?;
        self.ledger.close(ucb, &booked);
        Some(booked)
    }

    /// Counts the requests under way to the device of `ucb`.
    fn under_way(&self, ucb: usize) -> u64 {
        let all = (0..self.attempts.high_water() as u32).map(|slot| &self.attempts[slot]);
        all.filter(|one| one.is_open && one.stage != Stage::Waits && one.ucb as usize == ucb).count() as u64
    }

    /// Applies the laws of synchronous I/O to the whole run so far; `None` where there is none.
    fn check(&self) -> Option<CheckerReport> {
        let mut law = Law::new("every synchronous request has an outcome, and every reject becomes an I/O");
        let users = self.booked.iter().enumerate().filter_map(|(ucb, booked)| Some((ucb, booked.as_ref()?)));
        let mut any = false;
        for (ucb, booked) in users {
            self.ledger.check(&mut law, ucb, booked, self.under_way(ucb));
            any = true;
        }
        any.then(|| law.report())
    }
}

/// Reason for which an I/O is not tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Untried {
    Guest,
    SwitchedOff,
    Size,
    Alignment,
    NoLink,
}

impl Images {
    /// Puts the disturbances of synchronous I/O into the event set.
    pub(super) fn schedule_disturbances(&mut self, outside: &mut impl Outside, sequencer: &mut Sequencer) {
        for (index, one) in (0..).zip(&self.synchronous.links.disturbances) {
            let begin = Time::ZERO + one.at;
            for (at, begins) in [(begin, true), (begin + one.lasts, false)] {
                outside.push(at, sequencer.next(), ImageEvent::Disturbance { index, begins });
            }
        }
    }

    /// Applies the begin or the end of the disturbance `index` of synchronous I/O.
    #[inline(never)]
    pub(super) fn on_disturbance(&mut self, index: u32, begins: bool) {
        self.synchronous.links.disturb(index, begins);
    }

    /// Issues the next I/O of a stream with synchronous I/O.
    #[inline(never)]
    pub(super) fn issue_synchronously(
        &mut self,
        outside: &mut impl Outside,
        now: Time,
        stream: u32,
        job: u32,
    ) {
        let run = &mut self.streams[stream as usize];
        let request = run.state.next_request(if job == NONE { 0 } else { job });
        let ucb = run.ucb_of(request.device);
        if let Some(reason) = self.untried(stream, ucb, request.write) {
            let counters = &mut self.synchronous.counters(ucb, request.write).not_tried;
            *match reason {
                Untried::Guest => &mut counters.guest,
                Untried::SwitchedOff => &mut counters.switched_off,
                Untried::Size => &mut counters.size,
                Untried::Alignment => &mut counters.alignment,
                Untried::NoLink => &mut counters.no_link,
            } += 1;
            self.go_to_channels(outside, now, (stream, job, ucb), request);
            return;
        }
        let attempt = Attempt { request, stream, job, ucb, stage: Stage::Waits, began: now, is_open: true };
        let slot = self.synchronous.attempts.put(attempt);
        self.try_synchronously(outside, now, slot);
    }

    /// Returns the first reason for which a request of `stream` to the device of `ucb` is not tried.
    fn untried(&self, stream: u32, ucb: u32, write: bool) -> Option<Untried> {
        let run = self.streams[stream as usize].synchronous.as_ref()?;
        let view = self.exposures.ucbs[ucb as usize].view;
        let place = usize::from(write);
        if run.is_guest {
            Some(Untried::Guest)
        } else if !self.synchronous.on[ucb as usize].has(write) || !self.synchronous.links.is_on(view, write)
        {
            Some(Untried::SwitchedOff)
        } else if !run.fits[place] {
            Some(Untried::Size)
        } else if !run.is_aligned[place] {
            Some(Untried::Alignment)
        } else {
            self.synchronous.links.of(view).is_empty().then_some(Untried::NoLink)
        }
    }

    /// Handles the event of request `slot`: a CP may be free for it, or its outcome is there.
    #[inline(never)]
    pub(super) fn on_synchronous(&mut self, outside: &mut impl Outside, now: Time, slot: u32) {
        match self.synchronous.attempts[slot].stage {
            Stage::Waits => self.try_synchronously(outside, now, slot),
            _ => self.end_synchronously(outside, now, slot),
        }
    }

    /// Has a CP execute request `slot` where one is free, else when the first comes free.
    fn try_synchronously(&mut self, outside: &mut impl Outside, now: Time, slot: u32) {
        let Attempt { request, stream, ucb, .. } = self.synchronous.attempts[slot];
        let run = &mut self.streams[stream as usize];
        let image = &mut self.images[run.lpar as usize];
        let event = ImageEvent::Synchronous { attempt: slot };
        let free = image.cps.start_of(now);
        if free > now {
            outside.push(free, run.sequencer.next(), event);
            return;
        }
        let Some(state) = &mut run.synchronous else { return };
        let view = self.exposures.ucbs[ucb as usize].view;
        let wanted = LinkRequest {
            write: request.write,
            hit: request.hit,
            bytes: state.bytes[usize::from(request.write)],
        };
        let (held, spin) = self.synchronous.links.request(now, view, &mut state.choice, wanted);
        let stage = match held {
            Held::Busy => Stage::LinkBusy,
            Held::Dark => Stage::LinkDark,
            Held::NoAnswer => Stage::TimesOut,
            Held::Answered if request.hit => Stage::Succeeds,
            Held::Answered => Stage::Misses,
        };
        let (_, done) = image.cps.arrive(now, spin);
        self.synchronous.ledger.tries(ucb);
        let attempt = &mut self.synchronous.attempts[slot];
        (attempt.stage, attempt.began) = (stage, now);
        outside.push(done, run.sequencer.next(), event);
    }

    /// Collects the zHyperLinks, and each as a station, since the last collection.
    pub(crate) fn collect_synchronous_links(
        &mut self,
        now: Time,
    ) -> (Vec<SynchronousLinkInterval>, Vec<StationInterval>) {
        self.synchronous.links.collect(now)
    }

    /// Applies the laws of synchronous I/O to the whole run so far; `None` where there is none.
    pub(crate) fn check_synchronous(&self) -> Option<CheckerReport> {
        self.synchronous.check()
    }

    /// Counts the I/Os that no channel has seen.
    pub(crate) fn synchronous_successes(&self) -> u64 {
        self.synchronous.succeeded
    }

    /// Books the outcome of request `slot`, which goes to the channels unless it has succeeded.
    fn end_synchronously(&mut self, outside: &mut impl Outside, now: Time, slot: u32) {
        let Attempt { request, stream, job, ucb, stage, began, .. } = self.synchronous.attempts[slot];
        self.synchronous.attempts[slot].is_open = false;
        self.synchronous.attempts.give(slot);
        let spin = now.since(began);
        let counters = self.synchronous.counters(ucb, request.write);
        match stage {
            Stage::Waits => return,
            Stage::Succeeds => {
                let run = &mut self.streams[stream as usize];
                counters.successes += 1;
                counters.bytes +=
                    run.synchronous.as_ref().map_or(0, |one| one.bytes[usize::from(request.write)]);
                counters.response_ps += spin.as_ps();
                self.synchronous.succeeded += 1;
                self.succeed(outside, now, (stream, job), spin);
                return;
            }
            Stage::LinkBusy => counters.link_busy += 1,
            Stage::LinkDark => counters.other += 1,
            Stage::Misses => counters.cache_miss += 1,
            Stage::TimesOut => counters.timeouts += 1,
        }
        counters.fail_ps += spin.as_ps();
        self.go_to_channels(outside, now, (stream, job, ucb), request);
    }

    /// Books an I/O of `stream` that is over after `spin`. The job goes on.
    fn succeed(&mut self, outside: &mut impl Outside, now: Time, (stream, job): (u32, u32), spin: Span) {
        let run = &mut self.streams[stream as usize];
        run.completed += u64::from(now >= self.measured_from);
        if let Some(flow) = &mut run.flow {
            flow.leave(now);
        }
        run.response.record(now, spin.as_ps());
        run.response_times.record(spin);
        if run.closed {
            let at = now + run.state.think();
            self.think(outside, stream, job, at);
        }
    }

    /// Makes an ordinary I/O of `request`.
    fn go_to_channels(
        &mut self,
        outside: &mut impl Outside,
        now: Time,
        (stream, job, ucb): (u32, u32, u32),
        request: Request,
    ) {
        self.synchronous.ledger.hands_over(ucb);
        self.start_io(outside, now, (stream, job), request);
    }
}

/// Faults for tests of the laws.
#[cfg(test)]
impl Images {
    /// Begins with a request that then is nowhere.
    pub(crate) fn lose_synchronous_request(&mut self) {
        self.synchronous.ledger.tries(0);
    }

    /// Counts an ordinary I/O that nothing has made.
    pub(crate) fn count_io_of_no_reject(&mut self) {
        self.synchronous.ledger.hands_over(0);
    }
}
