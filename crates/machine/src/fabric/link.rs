//! The transmitter of one direction of one fibre: serialisation, credits, propagation.

use std::collections::VecDeque;

use halftrack_base::{ByteRate, Span, Time, for_bytes};
use halftrack_config::Link;
use halftrack_engine::{Order, Prefetch, Sequencer, Shortage, TimeIntegral};
use halftrack_exchange::BufferCredit;

use halftrack_wire::FRAMING_BYTES;
use halftrack_wire::choices::COMMAND_FRAME_PAYLOAD_BYTES;

use crate::events::message::{Parcel, Pump, Transit};
use crate::fabric::frame_loss::FrameLoss;
use crate::wiring::load::OnFibre;
use crate::wiring::route::{FarEnd, Hop, Junction, ShortRoute};
use crate::wiring::{ComponentKind, Wiring};

/// A full frame on the fibre (FC-2).
const FULL_FRAME_BYTES: u32 = COMMAND_FRAME_PAYLOAD_BYTES + FRAMING_BYTES;

/// State of one transmitter. The fields of every burst are in one line of the cache, and in the next those of a first link
/// alone, or of one that takes credits.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Transmitter {
    /// When the line is free, which takes one frame or burst at a time and then fill words.
    free_at: Time,
    rate: ByteRate,
    /// Fill words between two frames.
    fill: Span,
    propagation: Span,
    /// From the head's entering the fibre until a director at the far end can send it on.
    to_director: Span,
    wire_bytes: u64,
    busy: Span,
    /// The component's own event sequence.
    pub sequencer: Sequencer,
    transits: u64,
    /// Receive buffers at the far end that are not in use.
    pub credits: BufferCredit,
    /// The line for one.
    pub line: Box<CreditLine>,
}

/// The line for a credit.
#[derive(Debug, Default)]
pub(crate) struct CreditLine {
    /// Transits that wait, by slot, and when each is ready to be sent.
    pub waiting: VecDeque<(u32, Time)>,
    /// Time that the fibre was idle meanwhile.
    idle: Span,
    /// Time that anybody waited.
    short: Shortage,
    /// Credits that are out, over time.
    out: TimeIntegral,
    /// The last time that nothing could enter the fibre: from, until.
    stall: (Time, Time),
}

const _: () = assert!(std::mem::offset_of!(Transmitter, sequencer) == 64 && size_of::<Transmitter>() == 128);

/// Totals of a transmitter since the start of the run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Sent {
    /// Bursts or frames.
    pub transits: u64,
    /// Bytes, framing included.
    pub wire_bytes: u64,
    /// Time that the line was taken for them and the fill words behind each.
    pub busy: Span,
    /// Time that the line was idle, had something to send and no credit.
    pub credit_wait: Span,
    /// Time that something waited for a credit, whether or not the line was idle.
    pub short: Span,
    /// Integral of the credits that were out, ps times credits.
    pub out_ps: u128,
    /// Losses of frames.
    pub lost: u64,
}

/// When a transit leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Departure {
    /// Its head enters the fibre.
    pub head: Time,
    /// Its tail enters the fibre and the transmitter is free.
    pub tail: Time,
}

impl Departure {
    /// Returns the time between head and tail.
    #[inline]
    pub(crate) fn lag(&self) -> Span {
        self.tail.since(self.head)
    }
}

impl Transmitter {
    pub(crate) fn new(link: &Link, sequencer: Sequencer) -> Self {
        Self {
            free_at: Time::ZERO,
            rate: ByteRate::new(link.bytes_per_s),
            fill: for_bytes(link.fill_bytes.into(), link.bytes_per_s),
            propagation: link.propagation,
            to_director: link.propagation + link.forward_latency,
            transits: 0,
            wire_bytes: 0,
            busy: Span::ZERO,
            sequencer,
            credits: BufferCredit::new(link.credits),
            line: Box::default(),
        }
    }

    /// Sends `frames` whose head is ready at `ready` and whose tail is there `tail_lag` later. A frame is cut through, but
    /// its tail cannot leave before it has come. Fill words lie between frames, and before those that come next.
    #[inline(always)]
    pub(crate) fn transmit(&mut self, ready: Time, tail_lag: Span, frames: OnFibre) -> Departure {
        let head = ready.max(self.free_at);
        let between = self.fill * u64::from(frames.frames.saturating_sub(1));
        let serialisation = self.rate.time_of(frames.bytes) + between;
        let tail = (head + serialisation).max(ready + tail_lag);
        self.free_at = tail + self.fill;
        self.transits += 1;
        self.wire_bytes += u64::from(frames.bytes);
        self.busy += self.free_at.since(head);
        Departure { head, tail }
    }

    /// Lets nothing enter the fibre from `now` until `until`; what has been presented goes first.
    #[cold]
    pub(crate) fn stall(&mut self, now: Time, until: Time) {
        let (from, before) = self.line.stall;
        let begin = if now < before { from } else { self.free_at.max(now) };
        if begin < until && self.free_at < until {
            self.line.stall = (begin, until);
            self.free_at = until;
        }
    }

    /// Sums up what it has sent until `now`: transits and bytes those presented, busy time without the backlog.
    pub(crate) fn sent_before(&self, now: Time) -> Sent {
        let (from, until) = self.line.stall;
        let stalled = until.saturating_since(now.max(from));
        let backlog = self.free_at.saturating_since(now).saturating_sub(stalled);
        Sent {
            transits: self.transits,
            wire_bytes: self.wire_bytes,
            busy: self.busy.saturating_sub(backlog),
            credit_wait: self.line.idle + self.starved(now),
            short: self.line.short.until(now),
            out_ps: self.line.out.area_until(now),
            lost: 0,
        }
    }

    /// Returns how long the line has been idle until `now` though a transit is ready for it that lacks a credit.
    fn starved(&self, now: Time) -> Span {
        let since = self.line.waiting.front().map_or(now, |(_, ready)| self.free_at.max(*ready));
        now.saturating_since(since)
    }

    /// Lets the transit in `slot`, which is ready at `ready`, wait for a credit.
    #[cold]
    pub(crate) fn wait(&mut self, slot: u32, ready: Time, now: Time) {
        self.line.waiting.push_back((slot, ready));
        self.line.short.begin(now);
    }

    /// Takes the transit that has waited longest, with the credit that has just come back. Returns it and the instant at
    /// which it was ready.
    #[cold]
    pub(crate) fn next_waiting(&mut self, now: Time) -> Option<(u32, Time)> {
        self.line.idle += self.starved(now);
        let next = self.line.waiting.pop_front()?;
        self.line.short.set(now, !self.line.waiting.is_empty());
        let taken = self.try_take_credit(now);
        debug_assert!(taken, "one was just given back");
        Some(next)
    }

    /// Takes a credit; false when there is none.
    pub(crate) fn try_take_credit(&mut self, now: Time) -> bool {
        let taken = self.credits.take();
        self.line.out.change(now, i64::from(taken));
        taken
    }

    /// Takes a credit back: a receive buffer at the far end is free again.
    pub(crate) fn give_credit(&mut self, now: Time) {
        if self.credits.outstanding() > 0 {
            self.credits.give_back(1);
            self.line.out.change(now, -1);
        }
    }

    /// Returns when a director at the far end can begin to send it on.
    #[inline]
    pub(crate) fn ready_at_director(&self, departure: Departure) -> Time {
        departure.head + self.to_director
    }

    /// Returns when its last bit is at the far end.
    #[inline]
    pub(crate) fn tail_at_far_end(&self, departure: Departure) -> Time {
        departure.tail + self.propagation
    }
}

/// The transmitters of all links; a logical process uses only those that it owns.
#[derive(Debug, Default)]
pub(crate) struct Transmitters {
    all: Vec<Transmitter>,
    owned: Vec<bool>,
    /// By link: the frames that it loses.
    pub(super) losses: Vec<Option<Box<FrameLoss>>>,
}

/// The consequences of putting a transit on a fibre.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Launched {
    /// The first link, whose transmitter numbers the events that follow.
    pub link: u32,
    /// The head entered the first fibre: the sender can prepare its next chunk meanwhile.
    pub entered: Time,
    /// A receive buffer of an earlier link is free: the link, and when its sender has the credit.
    pub freed: Option<(u32, Time)>,
    /// When the transit is somewhere that matters.
    pub at: Time,
    /// Where that is.
    pub far_end: FarEnd,
    /// The hop that it travels or waits for then.
    pub hop: u32,
    /// From the arrival of its head to that of its tail there.
    pub tail_lag: Span,
}

impl Launched {
    /// Marks the `parcel` of what was launched with where it is then. Its sender has been woken.
    #[inline(always)]
    pub(crate) fn mark(&self, parcel: &mut Parcel) {
        (parcel.hop, parcel.tail_lag, parcel.pump) = (self.hop, self.tail_lag, Pump::default());
    }

    /// Returns what was launched as it is then.
    #[inline(always)]
    pub(crate) fn brings(&self, Transit { mut parcel, cargo }: Transit) -> Transit {
        self.mark(&mut parcel);
        Transit { parcel, cargo }
    }
}

impl Transmitters {
    /// Makes the transmitters of the Configuration's links; `owns` gives from the host's ownership whether a link is this
    /// process's.
    pub(crate) fn new(w: &Wiring, owns: impl Fn(bool) -> bool) -> Self {
        let transmitter = |(index, link)| Transmitter::new(link, w.sequencer(ComponentKind::Link, index));
        Self {
            all: w.configuration.links.iter().enumerate().map(transmitter).collect(),
            owned: w.host_owns.iter().map(|host| owns(*host)).collect(),
            losses: FrameLoss::of_links(w),
        }
    }

    /// Begins to lose `share_ppm` of a million frames on those of `links` that this process owns, or ceases to.
    #[cold]
    pub(crate) fn drop_share(&mut self, links: impl IntoIterator<Item = u32>, share_ppm: u32, begins: bool) {
        for link in links.into_iter().filter(|link| self.owned[*link as usize]) {
            if let Some(loss) = self.losses[link as usize].as_deref_mut() {
                loss.drop_share(share_ppm, begins);
            }
        }
    }

    /// Returns the transmitter of `link`, which this process must own.
    #[inline]
    pub(crate) fn get(&mut self, link: u32) -> &mut Transmitter {
        debug_assert!(self.owned[link as usize], "a process sends on its own links only");
        &mut self.all[link as usize]
    }

    /// Stalls those of `links` that this process owns.
    pub(crate) fn stall(&mut self, links: impl IntoIterator<Item = u32>, now: Time, until: Time) {
        for link in links.into_iter().filter(|link| self.owned[*link as usize]) {
            self.all[link as usize].stall(now, until);
        }
    }

    /// Iterates over the transmitters owned, with their links.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &Transmitter)> {
        self.all.iter().enumerate().filter(|(link, _)| self.owned[*link])
    }

    /// Sums up what each link that is owned has sent until `now`.
    pub(crate) fn sent_before(&self, now: Time) -> impl Iterator<Item = (usize, Sent)> {
        self.iter().map(move |(link, transmitter)| {
            let lost = self.losses[link].as_ref().map_or(0, |loss| loss.lost());
            (link, Sent { lost, ..transmitter.sent_before(now) })
        })
    }

    /// Asks for the transmitter of `link`, which will send soon.
    #[inline(always)]
    fn fetch(&self, link: u32) {
        Prefetch::whole(&self.all[link as usize]);
    }

    /// Asks for the links of a short `route`, over which something goes soon.
    #[inline(always)]
    pub(crate) fn fetch_route(&self, route: ShortRoute) {
        self.fetch(route.first);
        if route.junction == Junction::Fused {
            self.fetch(route.second);
        }
    }

    /// Sends `frames` over the link of `hop` and over the links behind it that only it feeds. Their head is ready at `ready`
    /// and their tail comes `tail_lag` later.
    #[inline(always)]
    pub(crate) fn launch(
        &mut self,
        w: &Wiring,
        mut hop: u32,
        frames: OnFibre,
        ready: Time,
        tail_lag: Span,
    ) -> Launched {
        let mut at = &w.hops[hop as usize];
        let link = at.link;
        let mut transmitter = self.get(link);
        let mut departure = transmitter.transmit(ready, tail_lag, frames);
        let entered = departure.head;
        let freed = if at.frame_by_frame { freed(w, at, departure) } else { None };
        while at.far_end == FarEnd::Fused {
            let ready = transmitter.ready_at_director(departure);
            hop += 1;
            at = &w.hops[hop as usize];
            transmitter = self.get(at.link);
            departure = transmitter.transmit(ready, departure.lag(), frames);
        }
        let (far_end, tail_lag) = (at.far_end, departure.lag());
        if matches!(far_end, FarEnd::EndPoint | FarEnd::Channel) {
            let at = transmitter.tail_at_far_end(departure);
            return Launched { link, entered, freed, at, far_end, hop, tail_lag };
        }
        if far_end == FarEnd::Decryption {
            let at = transmitter.tail_at_far_end(departure) + w.engine_time;
            return Launched { link, entered, freed, at, far_end: FarEnd::EndPoint, hop, tail_lag };
        }
        let head_at = transmitter.ready_at_director(departure);
        let (at, tail_lag) = if at.stores { (head_at + tail_lag, Span::ZERO) } else { (head_at, tail_lag) };
        Launched { link, entered, freed, at, far_end, hop: hop + 1, tail_lag }
    }
}

/// The arrival at its far end of what went over a link of a [`ShortRoute`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Arrival {
    /// When it can go on from the director there, or is all at the end point.
    pub at: Time,
    /// Its place in that instant.
    pub order: Order,
    /// From the arrival of its head to that of its tail, ps.
    pub tail_lag_ps: u32,
}

/// Launches as [`Transmitters::launch`] does, of what is not frame by frame, where is known before what is behind each link.
impl Transmitters {
    /// Sends `frames` that are all ready at `ready` over a route that is one link, or two of which only the first feeds
    /// the second.
    #[inline(always)]
    pub(crate) fn launch_to_end(&mut self, route: ShortRoute, frames: OnFibre, ready: Time) -> Arrival {
        let first = self.get(route.first);
        let order = first.sequencer.next();
        let departure = first.transmit(ready, Span::ZERO, frames);
        if route.junction == Junction::Nothing {
            return first.at_end(departure, order);
        }
        let ready = first.ready_at_director(departure);
        let second = self.get(route.second);
        let departure = second.transmit(ready, departure.lag(), frames);
        second.at_end(departure, order)
    }

    /// Sends them over the first of two links, to a director where others come too.
    #[inline(always)]
    pub(crate) fn launch_to_director(&mut self, route: ShortRoute, frames: OnFibre, ready: Time) -> Arrival {
        let first = self.get(route.first);
        let order = first.sequencer.next();
        let departure = first.transmit(ready, Span::ZERO, frames);
        let at = first.ready_at_director(departure);
        Arrival { at, order, tail_lag_ps: departure.lag_ps() }
    }

    /// Sends them over the second of two links, their head being ready at `now` and their tail `tail_lag_ps` later.
    #[inline(always)]
    pub(crate) fn launch_from_director(
        &mut self,
        route: ShortRoute,
        frames: OnFibre,
        now: Time,
        tail_lag_ps: u32,
    ) -> Arrival {
        let second = self.get(route.second);
        let order = second.sequencer.next();
        let tail_lag = Span::from_ps(u64::from(tail_lag_ps));
        let departure = second.transmit(now, tail_lag, frames);
        second.at_end(departure, order)
    }
}

impl Departure {
    /// Returns the time between head and tail on a link of a short route, ps.
    #[inline(always)]
    fn lag_ps(&self) -> u32 {
        let lag = self.lag().as_ps();
        debug_assert!(u32::try_from(lag).is_ok(), "links that take longer for a burst are on no short route");
        lag as u32
    }
}

impl Transmitter {
    /// Returns the arrival of `departure` at the end point.
    #[inline(always)]
    fn at_end(&self, departure: Departure, order: Order) -> Arrival {
        Arrival { at: self.tail_at_far_end(departure), order, tail_lag_ps: departure.lag_ps() }
    }
}

impl Transmitters {
    /// Returns when the sender of what was `launched` can prepare its next chunk. Where the backlog of a director's next
    /// link is more than the buffers of all that feed it hold, credits keep the sender back until there is room again;
    /// bursts, which take no credits, wait for as long.
    pub(crate) fn next_from(&self, w: &Wiring, launched: &Launched) -> Time {
        let next = match launched.far_end {
            FarEnd::Here => &w.hops[launched.hop as usize],
            FarEnd::EndPoint | FarEnd::Channel | FarEnd::Decryption | FarEnd::Fused | FarEnd::There => {
                return launched.entered;
            }
        };
        let Some(before) = next.before.filter(|_| !next.frame_by_frame) else { return launched.entered };
        let (links, transmitter) = (&w.configuration.links, &self.all[next.link as usize]);
        let frames = links[before as usize].credits.saturating_mul(links[next.link as usize].fed_by);
        let buffered = transmitter.rate.time_of(frames.saturating_mul(FULL_FRAME_BYTES))
            + transmitter.fill * u64::from(frames);
        let backlog = transmitter.free_at.saturating_since(launched.at);
        launched.entered + backlog.saturating_sub(buffered)
    }
}

/// Returns the link before `hop` and the instant at which its buffer is free: when the tail of the frame has left it.
#[inline]
fn freed(w: &Wiring, hop: &Hop, departure: Departure) -> Option<(u32, Time)> {
    hop.before.map(|link| (link, w.credit_back_at(link, departure.tail, Span::ZERO)))
}
