//! Request queues of FCP subchannels: a request has buffers from before its exchange until after it, and waits in the host while
//! the adapter has those that are next.

use std::collections::{BTreeMap, VecDeque};

use halftrack_base::Time;
use halftrack_engine::{Shortage, TimeIntegral};
use halftrack_program::Operation;
use halftrack_record::PoolInterval;
use halftrack_subsystem::{QUEUE_BUFFERS, Qdio, request_buffers};

use super::{Channels, Outside};
use crate::fabric::link_counters::whole_ns;
use crate::wiring::Wiring;

/// No queue, or no request.
const NONE: u32 = u32::MAX;

/// The request queue of one FCP subchannel of a partition.
#[derive(Debug)]
struct RequestQueue {
    name: String,
    /// I/Os as requests.
    queue: Qdio<u32, ()>,
    /// I/Os that wait for buffers, and for how many.
    waiting: VecDeque<(u32, u8)>,
    /// Buffers of the adapter over time.
    taken: TimeIntegral,
    taken_reported_ps: u128,
    short: Shortage,
}

impl RequestQueue {
    fn new(name: String) -> Self {
        let mut queue = Qdio::default();
        queue.activate();
        let (waiting, taken, short) = (VecDeque::new(), TimeIntegral::default(), Shortage::default());
        Self { name, queue, waiting, taken, taken_reported_ps: 0, short }
    }
}

/// A request with its buffers, of an I/O.
#[derive(Debug, Clone, Copy)]
struct Posted {
    queue: u32,
    first: u8,
    buffers: u8,
}

/// The request queues of all FCP subchannels in use.
#[derive(Debug)]
pub(super) struct RequestQueues {
    queues: Vec<RequestQueue>,
    /// By path of a group.
    of_path: Vec<u32>,
    /// By I/O.
    posted: Vec<Posted>,
}

impl RequestQueues {
    /// Makes the queues, active and empty; `None` without FCP.
    pub(super) fn new(w: &Wiring) -> Option<Box<Self>> {
        let c = &w.configuration;
        let (mut at, mut queues) = (BTreeMap::new(), Vec::new());
        let mut of_path = vec![NONE; w.encryptions.len()];
        for (wire, queue) in w.paths.iter().zip(&mut of_path) {
            let Some(luns) = &c.lcus[wire.lcu as usize].luns else { continue };
            let subchannel = luns.subchannels[usize::from(wire.position)];
            *queue = *at.entry((luns.lpar, subchannel)).or_insert_with(|| {
                let lpar = &c.lpars[luns.lpar as usize].name;
                queues.push(RequestQueue::new(format!("lpar {lpar} FCP {subchannel:04X} request queue")));
                queues.len() as u32 - 1
            });
        }
        (!queues.is_empty()).then(|| Box::new(Self { queues, of_path, posted: Vec::new() }))
    }

    /// Posts the request of `io` for `path`, unless it is posted. False when it has to wait for its buffers.
    fn try_post(&mut self, now: Time, io: u32, path: u32, buffers: u8) -> bool {
        if self.posted.get(io as usize).is_some_and(|posted| posted.queue != NONE) {
            return true;
        }
        let index = self.of_path[path as usize];
        let queue = &mut self.queues[index as usize];
        if !queue.waiting.is_empty() || !queue.queue.has_room(buffers) {
            queue.waiting.push_back((io, buffers));
            queue.short.begin(now);
            return false;
        }
        self.post(now, io, index, buffers);
        true
    }

    /// Posts the request of `io`, for which there is room.
    fn post(&mut self, now: Time, io: u32, index: u32, buffers: u8) {
        let queue = &mut self.queues[index as usize];
        let posted = queue.queue.post(io, buffers);
        debug_assert!(posted.is_ok(), "there is room");
        // The adapter searches the queue, and takes a request at once.
        let Some((first, _)) = queue.queue.take() else { return };
        queue.taken.change(now, i64::from(buffers));
        if self.posted.len() <= io as usize {
            self.posted.resize(io as usize + 1, Posted { queue: NONE, first: 0, buffers: 0 });
        }
        self.posted[io as usize] = Posted { queue: index, first, buffers };
    }

    /// Gives the buffers of `io` back, if it has some. Returns its queue.
    fn give_back(&mut self, now: Time, io: u32) -> Option<u32> {
        let posted = self.posted.get_mut(io as usize).filter(|posted| posted.queue != NONE)?;
        let Posted { queue: index, first, buffers } = *posted;
        posted.queue = NONE;
        let queue = &mut self.queues[index as usize];
        let is_given = queue.queue.give_back(first);
        debug_assert!(is_given, "the adapter had it");
        queue.taken.change(now, -i64::from(buffers));
        Some(index)
    }

    /// Posts the request that has waited longest for buffers of a queue, if it has room. Returns its I/O.
    fn post_waiting(&mut self, now: Time, index: u32) -> Option<u32> {
        let queue = &mut self.queues[index as usize];
        let &(io, buffers) = queue.waiting.front()?;
        if !queue.queue.has_room(buffers) {
            return None;
        }
        queue.waiting.pop_front();
        queue.short.set(now, !queue.waiting.is_empty());
        self.post(now, io, index, buffers);
        Some(io)
    }

    fn collect(&mut self, now: Time) -> impl Iterator<Item = PoolInterval> + '_ {
        self.queues.iter_mut().map(move |queue| {
            let area_ps = queue.taken.area_until(now);
            let taken_ps = area_ps - std::mem::replace(&mut queue.taken_reported_ps, area_ps);
            PoolInterval {
                name: queue.name.clone(),
                tokens: QUEUE_BUFFERS as u32,
                taken_ns: whole_ns(taken_ps),
                short_ps: queue.short.take(now).as_ps(),
            }
        })
    }
}

impl Channels {
    /// Posts the request of `io` for its path. False when it waits for buffers.
    #[cold]
    pub(super) fn try_post(&mut self, now: Time, w: &Wiring, io: u32, path: u32) -> bool {
        let Some(queues) = &mut self.request_queues else { return true };
        let this = self.subchannels.io(io);
        let shape = w.programs.all()[this.program as usize].shape(this.operation == Operation::UpdateWrite);
        let bytes = shape.map_or(0, |shape| u64::from(shape.record_bytes) * u64::from(shape.records));
        queues.try_post(now, io, path, request_buffers(bytes))
    }

    /// Gives the buffers of `io` back, whose attempt is over. Returns the queue, for those who wait.
    #[inline(always)]
    pub(super) fn give_buffers_back(&mut self, now: Time, io: u32) -> Option<u32> {
        self.request_queues.as_mut()?.give_back(now, io)
    }

    /// Drives I/Os that have waited for buffers of a queue, as far as there is room now.
    #[cold]
    pub(super) fn drive_waiting_requests(&mut self, out: &mut impl Outside, w: &Wiring, queue: u32) {
        let now = out.now();
        while let Some(io) = self.request_queues.as_mut().and_then(|queues| queues.post_waiting(now, queue)) {
            self.on_drive(out, w, io, now);
        }
    }

    /// Collects the request queues since the last collection.
    pub(super) fn collect_request_queues(&mut self, now: Time) -> Vec<PoolInterval> {
        let queues = self.request_queues.iter_mut();
        queues.flat_map(|queues| queues.collect(now)).filter(PoolInterval::is_used).collect()
    }
}
