//! The load of frames under way: a chunk of a plan by its number, or of a live end with its information units.

use halftrack_base::Span;
use halftrack_exchange::Work;
use halftrack_wire::Iu;

use crate::wiring::Wiring;
use crate::wiring::departures::step_octets;
use crate::wiring::load::Chunk;
use crate::wiring::pricing::Tariff;

/// A chunk that a live end sends.
#[derive(Debug)]
pub(crate) struct LiveChunk {
    /// The chunk.
    chunk: Chunk,
    /// The IUs that end with it.
    pub ius: Vec<Iu>,
    /// Work of the receiver for them.
    pub peer_work: Work,
    /// Octets in the chunk of each of them, where they are several.
    pub step_octets: Vec<u32>,
}

/// The load of a transit: a chunk of a plan by its number, or of a live end with the IUs themselves.
#[derive(Debug, Default)]
pub(crate) struct Cargo {
    planned: u32,
    /// Chunk and IUs of a live end; a plan implies its IUs.
    pub live: Option<Box<LiveChunk>>,
}

impl Cargo {
    /// Makes the cargo of the chunk of a plan with this number.
    #[inline]
    pub(crate) fn of_plan(chunk: u32) -> Self {
        Self { planned: chunk, live: None }
    }

    /// Makes the cargo of a `chunk` of a live end. With it are the IUs that end with it, the octets of each, and the work of their
    /// receiver.
    pub(crate) fn of_live(chunk: Chunk, ius: Vec<Iu>, octets: Vec<u32>, peer_work: Work) -> Self {
        let step_octets = step_octets(octets.into_iter(), chunk.wire_bytes);
        Self { planned: 0, live: Some(Box::new(LiveChunk { chunk, ius, peer_work, step_octets })) }
    }

    /// Makes the cargo of a `chunk` without IUs, in place of one that is over, where there is such a one.
    pub(crate) fn of_chunk(chunk: Chunk, over: Option<Self>) -> Self {
        let mut live = over.and_then(|over| over.live).unwrap_or_else(|| {
            let (ius, step_octets) = (Vec::new(), Vec::new());
            Box::new(LiveChunk { chunk, ius, peer_work: Work::default(), step_octets })
        });
        live.chunk = chunk;
        Self { planned: 0, live: Some(live) }
    }

    /// Returns the octets of each information unit that ends with its chunk; none where that is one at most.
    #[cold]
    pub(crate) fn step_octets<'a>(&'a self, w: &'a Wiring) -> &'a [u32] {
        match &self.live {
            None => w.departures.step_octets(self.planned),
            Some(live) => &live.step_octets,
        }
    }

    /// Returns the number of its chunk of a plan; zero for a chunk of a live end.
    #[inline]
    pub(crate) fn planned(&self) -> u32 {
        self.planned
    }

    /// Returns its chunk.
    #[inline]
    pub(crate) fn chunk<'a>(&'a self, w: &'a Wiring) -> &'a Chunk {
        match &self.live {
            None => w.departures.chunk(self.planned),
            Some(live) => &live.chunk,
        }
    }

    /// Counts the CCWs that it is the end of.
    #[cold]
    pub(crate) fn commands(&self, w: &Wiring) -> u32 {
        match &self.live {
            None => w.departures.works()[w.departures.chunk(self.planned).group as usize].receive.commands,
            Some(live) => live.peer_work.commands,
        }
    }

    /// Takes the chunk out; the rest is no chunk.
    #[inline(always)]
    pub(crate) fn take(&mut self) -> Self {
        Self { planned: self.planned, live: self.live.take() }
    }

    /// Computes the price of the receiver's work for it by `tariff`, whose table of costs begins at `costs`.
    #[inline]
    pub(crate) fn receive_cost<'p>(
        &self,
        w: &Wiring,
        costs: u32,
        tariff: impl FnOnce() -> &'p Tariff,
    ) -> Span {
        match &self.live {
            None => w.costs.receive(costs, w.departures.chunk(self.planned).group),
            Some(live) => tariff().price(live.peer_work),
        }
    }
}
