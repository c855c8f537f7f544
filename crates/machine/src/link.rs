//! The transmitter of one direction of one fibre: serialisation, credits, propagation.

use std::collections::VecDeque;

use halftrack_config::Link;
use halftrack_engine::{Fifo, Sequencer, SimDuration, SimTime, TokenPool, for_bytes};

use crate::message::Parcel;
use crate::wiring::{ComponentKind, Wiring};

/// State of one transmitter.
#[derive(Debug)]
pub(crate) struct Transmitter {
    /// The line: one frame or burst at a time.
    pub line: Fifo,
    /// Receive buffers at the far end that are not in use.
    pub credits: TokenPool,
    /// Transits that wait for a credit, by slot.
    pub waiting: VecDeque<u32>,
    /// Frames sent since the start.
    pub frames: u64,
    /// The component's own event sequence.
    pub sequencer: Sequencer,
    bytes_per_s: u64,
    propagation: SimDuration,
    forward_latency: SimDuration,
}

/// When a transit leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Departure {
    /// Its head enters the fibre.
    pub head: SimTime,
    /// Its tail enters the fibre and the transmitter is free.
    pub tail: SimTime,
}

impl Departure {
    /// Time between head and tail.
    #[inline]
    pub(crate) fn lag(&self) -> SimDuration {
        self.tail.since(self.head)
    }
}

impl Transmitter {
    pub(crate) fn new(link: &Link, sequencer: Sequencer) -> Self {
        Self {
            line: Fifo::default(),
            credits: TokenPool::new(link.credits),
            waiting: VecDeque::new(),
            frames: 0,
            sequencer,
            bytes_per_s: link.bytes_per_s,
            propagation: link.propagation,
            forward_latency: link.forward_latency,
        }
    }

    /// Sends `wire_bytes` whose head is ready at `ready` and whose tail is there `tail_lag` later: a frame is
    /// cut through, but its tail cannot leave before it has come.
    #[inline]
    pub(crate) fn transmit(
        &mut self,
        ready: SimTime,
        tail_lag: SimDuration,
        wire_bytes: u32,
        frames: u16,
    ) -> Departure {
        self.frames += u64::from(frames);
        let head = ready.max(self.line.free_at());
        let serialisation = for_bytes(u64::from(wire_bytes), self.bytes_per_s);
        let tail = (head + serialisation).max(ready + tail_lag);
        self.line.arrive(ready, tail.since(head));
        Departure { head, tail }
    }

    /// When a director at the far end can begin to send it on.
    #[inline]
    pub(crate) fn ready_at_director(&self, departure: Departure) -> SimTime {
        departure.head + self.propagation + self.forward_latency
    }

    /// When its last bit is at the far end.
    #[inline]
    pub(crate) fn tail_at_far_end(&self, departure: Departure) -> SimTime {
        departure.tail + self.propagation
    }

}

/// The transmitters that one logical process owns, by link.
#[derive(Debug, Default)]
pub(crate) struct Transmitters {
    owned: Vec<Option<Box<Transmitter>>>,
}

/// What follows when a transit has been put on a fibre.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Launched {
    /// The head entered the first fibre: the sender can prepare its next chunk meanwhile.
    pub entered: SimTime,
    /// A receive buffer of an earlier link is free: the link, and when its sender knows.
    pub freed: Option<(u32, SimTime)>,
    /// When the transit is somewhere that matters.
    pub at: SimTime,
    /// The link it is ready for then; `None` when it is at its end point.
    pub next_link: Option<u32>,
}

impl Transmitters {
    /// Those of the Configuration's links for which `owns` holds.
    pub(crate) fn new(w: &Wiring, owns: impl Fn(bool) -> bool) -> Self {
        let links = w.configuration.links.iter().zip(&w.host_owns).enumerate();
        let transmitter = |(index, (link, host)): (usize, (&Link, &bool))| {
            owns(*host)
                .then(|| Box::new(Transmitter::new(link, w.sequencer(ComponentKind::Link, index))))
        };
        Self { owned: links.map(transmitter).collect() }
    }

    /// The transmitter of `link`, which this process must own.
    #[inline]
    pub(crate) fn get(&mut self, link: u32) -> &mut Transmitter {
        self.owned[link as usize].as_mut().expect("a process sends on its own links only")
    }

    /// Every transmitter owned, with its link.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &Transmitter)> {
        self.owned.iter().enumerate().filter_map(|(link, own)| own.as_deref().map(|own| (link, own)))
    }

    /// Takes a credit for `transit` on its link, or says that it must wait.
    pub(crate) fn take_credit(&mut self, link: u32) -> bool {
        let transmitter = self.get(link);
        transmitter.waiting.is_empty() && transmitter.credits.take()
    }

    /// Sends `transit`, ready at `ready`, over its link and over the links behind it that only it feeds.
    #[inline]
    pub(crate) fn launch(&mut self, w: &Wiring, transit: &mut Parcel, ready: SimTime) -> Launched {
        let path = &w.paths[transit.path as usize];
        let links = path.links(transit.inbound);
        let (mut ready, mut first) = (ready, None);
        let hop = usize::from(transit.hop);
        let freed = (path.frame_by_frame && hop > 0).then(|| links[hop - 1]);
        loop {
            let transmitter = self.get(links[usize::from(transit.hop)]);
            let departure =
                transmitter.transmit(ready, transit.tail_lag, transit.wire_bytes, transit.frames);
            let entered = *first.get_or_insert(departure.head);
            let freed = freed.map(|link| {
                (link, departure.tail + w.configuration.links[link as usize].propagation)
            });
            transit.tail_lag = departure.lag();
            let Some(next) = links.get(usize::from(transit.hop) + 1) else {
                let at = transmitter.tail_at_far_end(departure);
                return Launched { entered, freed, at, next_link: None };
            };
            let at = transmitter.ready_at_director(departure);
            transit.hop += 1;
            let fused = !path.frame_by_frame
                && w.configuration.links[*next as usize].fed_by == 1
                && self.owned[*next as usize].is_some();
            if !fused {
                return Launched { entered, freed, at, next_link: Some(*next) };
            }
            ready = at;
        }
    }
}
