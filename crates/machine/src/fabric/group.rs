//! A group of information units on its way out of one end of one exchange, chunk by chunk.

use halftrack_base::Span;
use halftrack_exchange::{End, Half, Work};
use halftrack_wire::Iu;

use crate::events::cargo::Cargo;
use crate::wiring::Wiring;
use crate::wiring::load::Load;
use crate::wiring::pricing::Tariff;

/// The rest of the group of a live end, and its IUs.
#[derive(Debug, Default)]
struct LiveGroup {
    load: Load,
    ius: Vec<Iu>,
    /// Octets of each.
    octets: Vec<u32>,
}

/// Consecutive IUs being sent by one end of one exchange.
#[derive(Debug, Default)]
#[repr(C)]
pub(crate) struct Group {
    /// The planned group, and the chunk of it that leaves next; zero when there is none.
    planned: u32,
    next_chunk: u32,
    /// The group opens the exchange at the peer.
    pub opens: bool,
    /// The sender's half is over once the group is sent.
    pub closes: bool,
    /// SeparateImages, because few ends are live and a planned one is to be small.
    live: Option<Box<LiveGroup>>,
    /// Connect and disconnect time reported with the group's ending status.
    pub reported: (Span, Span),
}

impl Group {
    /// Takes from `half`, whose departures begin at `first`, what may be sent together now; the first IU's delay
    /// is over already. With `frame_by_frame` the group is one IU. What the group held before must have left. False
    /// when nothing may be sent.
    #[inline]
    pub(crate) fn gather<M: End>(
        &mut self,
        half: &mut Half<M>,
        w: &Wiring,
        first: u32,
        frame_by_frame: bool,
    ) -> bool {
        debug_assert!(!self.has_more(), "a group is gathered while the last one is being sent");
        if let Some((group, chunk)) = w.departures.gather(half, first) {
            self.begin_with(group, chunk);
            return true;
        }
        half.is_live() && self.gather_live(half, w, frame_by_frame)
    }

    #[cold]
    fn gather_live<M: End>(&mut self, half: &mut Half<M>, w: &Wiring, frame_by_frame: bool) -> bool {
        self.planned = 0;
        let LiveGroup { load, ius, octets } = &mut **self.live.get_or_insert_default();
        *load = Load::default();
        while half.peek_transmit(&w.plans).is_some_and(|step| load.joins(&step, frame_by_frame)) {
            let transmit = half.take_transmit(&w.plans);
            load.add(&transmit.step, frame_by_frame);
            octets.push(transmit.step.wire_bytes());
            ius.extend(transmit.iu.map(|iu| *iu));
        }
        load.steps > 0
    }

    /// Computes the price of the sender's work for it by `tariff`, whose table of costs begins at `costs`.
    #[inline]
    pub(crate) fn send_cost<'p>(&self, w: &Wiring, costs: u32, tariff: impl FnOnce() -> &'p Tariff) -> Span {
        if self.planned == 0 { tariff().price(self.work(w)) } else { w.costs.send(costs, self.planned) }
    }

    /// Returns the sender's work for it.
    #[cold]
    pub(crate) fn work(&self, w: &Wiring) -> Work {
        match self.planned {
            0 => self.live.as_ref().map_or_else(Work::default, |live| live.load.work),
            planned => w.departures.works()[planned as usize].send,
        }
    }

    /// Returns true while chunks are left.
    #[inline]
    pub(crate) fn has_more(&self) -> bool {
        self.next_chunk > 0 || self.live.as_ref().is_some_and(|live| live.load.has_more())
    }

    /// Forgets what is left: the link is gone.
    pub(crate) fn abandon(&mut self) {
        *self = Group::default();
    }

    /// Makes it the group of a plan with this number, of which `first_chunk` leaves first.
    #[inline(always)]
    pub(crate) fn begin_with(&mut self, group: u32, first_chunk: u32) {
        (self.planned, self.next_chunk) = (group, first_chunk);
    }

    /// Returns the user data bytes that have to be fetched before the next chunk can leave.
    #[inline]
    pub(crate) fn next_fetched_bytes(&self, w: &Wiring) -> u32 {
        match (&self.live, self.next_chunk) {
            (Some(live), 0) => live.load.next_fetched_bytes(),
            (_, planned) => w.departures.chunk(planned).fetched_bytes,
        }
    }

    /// Returns true when the next chunk is of the same burst as the last one and leaves with it.
    #[inline]
    pub(crate) fn goes_on(&self, w: &Wiring) -> bool {
        self.has_more() && self.next_fetched_bytes(w) == 0
    }

    /// Cuts off the next chunk; the group must have more.
    #[inline]
    pub(crate) fn next_chunk(&mut self, w: &Wiring, frame_by_frame: bool) -> Cargo {
        debug_assert!(self.has_more(), "an empty group has no chunk");
        let planned = self.next_chunk;
        if planned == 0
            && let Some(live) = &mut self.live
        {
            return live.next_chunk(frame_by_frame);
        }
        self.next_chunk = if w.departures.chunk(planned).last { 0 } else { planned + 1 };
        Cargo::of_plan(planned)
    }
}

impl LiveGroup {
    #[cold]
    fn next_chunk(&mut self, frame_by_frame: bool) -> Cargo {
        let chunk = self.load.cut(frame_by_frame);
        if !chunk.last {
            return Cargo::of_live(chunk, Vec::new(), Vec::new(), Work::default());
        }
        let (ius, octets) = (std::mem::take(&mut self.ius), std::mem::take(&mut self.octets));
        Cargo::of_live(chunk, ius, octets, self.load.peer_work)
    }
}
