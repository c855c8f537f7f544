//! The I/O driver over FCP: takes the streams' requests to their units over any path that works, and sees every one to its
//! end.
//!
//! ```text
//! job or arrival ─► attempt over a path ─► ended: compared, counted, next I/O of the job
//!                        ▲  │ busy: waits; aborted, lost, unit attention: again, over another path
//!                        └──┘
//! ```
//!
//! A command whose end is not known may still have something on its way. Its I/O goes on over another path at once, with the
//! same data, and the records of a write rest for R_A_TOV behind it, so that nothing late overwrites newer data.
//!
//! Sans IO: time, ends of commands and paths that come and go are arguments.

mod driven;
mod ends;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use halftrack_base::{Decision, Span, Time};
use halftrack_config::channel_file::{DriveRun, FcpChannel};
use halftrack_exchange::fcp::FcpRequest;
use halftrack_workload::{Pattern, UNWRITTEN};

use super::command;
use super::finding::LunSize;
use super::nexus::Initiator;
use super::path::FcpPath;
use super::stream::{FcpStreamRun, record_bytes};
use super::under_way::{Io, Request};
use super::volume::LunVolume;
use crate::connector::Connector;
use crate::driver::course::Driven;
use crate::driver::io_driver::Ledger;
use crate::driver::io_observer::{IoObserver, IoStart};
use crate::driver::phases::{Phase, Phases};
use crate::driver::region::Place;
use crate::driver::statistics::IoError;

/// Age at which an I/O fails that no path took to its end.
const AGE_MAX: Span = Span::from_s(60);
/// Interval at which the ages of I/Os are checked.
const AGE_STEP: Span = Span::from_ms(500);
/// I/Os of an open stream that may wait.
const BACKLOG_MAX: usize = 100_000;

/// Timer event of the driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Timer {
    /// A job has thought.
    Job { stream: u16, job: u32 },
    /// A command that found something busy is sent again.
    Again { slot: u32 },
}

/// The I/O driver of one channel of FCP.
pub struct FcpIoDriver {
    pattern: Pattern,
    record_bytes: u16,
    volumes: Vec<LunVolume>,
    streams: Vec<FcpStreamRun>,
    ios: Vec<Option<Io>>,
    free: Vec<u32>,
    timers: BinaryHeap<Reverse<(Time, Timer)>>,
    /// Jobs that request their next I/O at once.
    ready: VecDeque<(u16, u32)>,
    /// Requests for which no extent was free.
    blocked: VecDeque<Request>,
    /// I/Os for which no path had room.
    waiting: VecDeque<u32>,
    /// Records of writes that rest, and how many, until when.
    resting: VecDeque<(Time, u16, Place, u16)>,
    spare: Vec<Vec<u8>>,
    /// Path after which the next is chosen, where several have as few commands.
    turn: usize,
    generation: u32,
    phases: Phases,
    aged_at: Time,
    under_way: usize,
    ledger: Ledger,
    /// Number of the next I/O.
    next_io: u64,
    observer: Option<Box<dyn IoObserver>>,
}

impl FcpIoDriver {
    /// Returns the streams of a channel on units of these sizes.
    ///
    /// # Errors
    /// The stream, by its place in the file, that cannot run.
    pub fn new(
        run: DriveRun,
        channel: &FcpChannel,
        sizes: &[(u8, LunSize)],
    ) -> Result<Self, (usize, String)> {
        let record_bytes = record_bytes(&channel.streams);
        let initiators = Initiator::all(channel);
        let mut streams = Vec::new();
        for (index, asked) in channel.streams.iter().enumerate() {
            let place = |lun: &u32| {
                let at = sizes.iter().position(|(number, _)| u32::from(*number) == *lun)?;
                Some((at as u16, sizes[at].1.blocks, sizes[at].1.block_bytes))
            };
            let places: Vec<_> = asked.stream.devices.iter().filter_map(place).collect();
            let initiator = Initiator::place(&initiators, asked).unwrap_or_default();
            let stream = FcpStreamRun::new(asked, run.seed, record_bytes, (initiator, &places));
            streams.push(stream.map_err(|error| (index, error))?);
        }
        let records_of = |at: usize| {
            let ends = streams.iter().flat_map(FcpStreamRun::ends);
            ends.filter(|(volume, _)| usize::from(*volume) == at).map(|(_, end)| end).max().unwrap_or(0)
        };
        let volumes = sizes.iter().enumerate().map(|(at, (number, size))| {
            LunVolume::new(*number, size.clone(), record_bytes, records_of(at), &run)
        });
        Ok(Self {
            phases: Phases::new(run),
            pattern: Pattern::new(run.contents_seed),
            record_bytes,
            volumes: volumes.collect(),
            streams,
            ios: Vec::new(),
            free: Vec::new(),
            timers: BinaryHeap::new(),
            ready: VecDeque::new(),
            blocked: VecDeque::new(),
            waiting: VecDeque::new(),
            resting: VecDeque::new(),
            spare: Vec::new(),
            turn: 0,
            generation: UNWRITTEN,
            aged_at: Time::MAX,
            under_way: 0,
            ledger: Ledger::default(),
            next_io: 0,
            observer: None,
        })
    }

    /// Sets the number behind which writes are counted.
    pub fn number_writes_behind(&mut self, last_write: u32) {
        self.generation = self.generation.max(last_write);
    }

    /// Shows the start and the end of every I/O from now on to `observer`.
    pub fn set_observer(&mut self, observer: Box<dyn IoObserver>) {
        self.observer = Some(observer);
    }

    /// Begins the run.
    pub fn begin(&mut self, now: Time) {
        self.phases.begin(now);
        self.aged_at = now.saturating_add(AGE_STEP);
        for (index, stream) in self.streams.iter_mut().enumerate() {
            if stream.is_open() {
                stream.next_arrival = now.saturating_add(stream.state.next_interarrival());
            }
            self.ready.extend((0..stream.state.jobs()).map(|job| (index as u16, job)));
        }
    }

    /// Returns whether everything has come to its end.
    pub fn is_done(&self) -> bool {
        self.phases.phase() == Phase::Draining && self.under_way == 0
    }

    /// Asks for what is due and starts what can be started; true when there was anything.
    pub fn work<C: Connector>(&mut self, now: Time, paths: &mut [FcpPath<C>]) -> bool {
        self.advance(now);
        let mut worked = self.take_timers(now, paths);
        while let Some((_, volume, place, records)) = self.resting.pop_front_if(|(until, ..)| *until <= now) {
            self.volumes[usize::from(volume)].contents.release(place, records, true);
        }
        if self.phases.has_requests() {
            worked |= self.take_arrivals(now);
        }
        while let Some((stream, job)) = self.ready.pop_front() {
            worked = true;
            self.request(now, stream, job);
        }
        for _ in 0..self.waiting.len() {
            let Some(slot) = self.waiting.pop_front() else { break };
            if !self.attempt(now, slot, paths) {
                break;
            }
        }
        for _ in 0..self.blocked.len() {
            let Some(request) = self.blocked.pop_front() else { break };
            if self.has_room(paths) && self.start(now, request, paths) {
                worked = true;
            } else {
                self.blocked.push_front(request);
                break;
            }
        }
        worked
    }

    fn has_room<C: Connector>(&self, paths: &[FcpPath<C>]) -> bool {
        self.waiting.is_empty() && paths.iter().any(FcpPath::can_start)
    }

    /// Moves from one phase to the next.
    fn advance(&mut self, now: Time) {
        if self.phases.advance(now) {
            self.streams.iter_mut().for_each(|stream| stream.statistics.restart());
        }
        if self
            .phases
            .is_over(now, || self.under_way == 0 && self.blocked.is_empty() && self.ready.is_empty())
        {
            self.drain(now);
        }
    }

    fn take_timers<C: Connector>(&mut self, now: Time, paths: &mut [FcpPath<C>]) -> bool {
        let mut worked = false;
        while let Some(&Reverse((at, timer))) = self.timers.peek() {
            if at > now {
                break;
            }
            self.timers.pop();
            worked = true;
            match timer {
                Timer::Job { stream, job } => self.ready.push_back((stream, job)),
                Timer::Again { slot } => {
                    self.attempt(now, slot, paths);
                }
            }
        }
        worked
    }

    fn take_arrivals(&mut self, now: Time) -> bool {
        let mut worked = false;
        for index in 0..self.streams.len() {
            while self.streams[index].next_arrival <= now {
                worked = true;
                let stream = &mut self.streams[index];
                let at = stream.next_arrival;
                stream.next_arrival = at.saturating_add(stream.state.next_interarrival());
                self.request(at, index as u16, 0);
            }
        }
        worked
    }

    /// Requests the next I/O of a job.
    #[inline]
    fn request(&mut self, now: Time, index: u16, job: u32) {
        if !self.phases.request() {
            return;
        }
        let stream = &mut self.streams[usize::from(index)];
        let drawn = stream.state.next_request(job);
        self.ledger.requested += 1;
        if stream.is_open() && self.blocked.len() >= BACKLOG_MAX {
            stream.statistics.failed(IoError::Overload);
            self.ledger.failed += 1;
            self.phases.fail();
            return;
        }
        let device = drawn.device as u16;
        self.blocked.push_back(Request { stream: index, job, device, write: drawn.write, arrived: now });
    }

    /// Starts an I/O; false when no extent was free.
    #[inline]
    fn start<C: Connector>(&mut self, now: Time, request: Request, paths: &mut [FcpPath<C>]) -> bool {
        let stream = &mut self.streams[usize::from(request.stream)];
        let volume = stream.volume(request.device);
        let unit = &mut self.volumes[usize::from(volume)];
        let Some(place) = stream.claim(request.device, unit, request.write) else { return false };
        let mut generation = 0;
        if request.write {
            self.generation = self.generation.wrapping_add(1).max(1);
            generation = self.generation;
        }
        let io = Io {
            number: self.next_io,
            request,
            volume,
            place,
            generation,
            began: now,
            attempts: 0,
            busy: 0,
            path: None,
            is_unsettled: false,
            data: Vec::new(),
        };
        self.next_io += 1;
        self.note_start(&io);
        self.under_way += 1;
        let slot = match self.free.pop() {
            Some(slot) => {
                self.ios[slot as usize] = Some(io);
                slot
            }
            None => {
                self.ios.push(Some(io));
                (self.ios.len() - 1) as u32
            }
        };
        self.attempt(now, slot, paths);
        true
    }

    /// Shows the start of an I/O to the observer.
    #[inline]
    fn note_start(&mut self, io: &Io) {
        let Some(observer) = &mut self.observer else { return };
        let contents = &self.volumes[usize::from(io.volume)].contents;
        let records = self.streams[usize::from(io.request.stream)].records;
        let places = contents.region().places(io.place, records);
        let records = places.map(|place| contents.id(place)).collect();
        let job = (io.request.stream, io.request.job);
        let write = io.request.write.then_some(io.generation);
        observer.started(io.began, &IoStart { io: io.number, job, records, write });
    }

    /// Sends the command of an I/O over a path; false when none has room, so that it waits.
    #[inline]
    fn attempt<C: Connector>(&mut self, now: Time, slot: u32, paths: &mut [FcpPath<C>]) -> bool {
        let Some(path) = choose(paths, &mut self.turn) else {
            self.waiting.push_front(slot);
            return false;
        };
        let Some(io) = self.ios.get_mut(slot as usize).and_then(Option::as_mut) else { return true };
        let stream = &self.streams[usize::from(io.request.stream)];
        let unit = &self.volumes[usize::from(io.volume)];
        let (first, blocks) = unit.extent(io.place, self.record_bytes, stream.block_bytes);
        let cdb = command::transfer(io.request.write, first, blocks);
        let request = if io.request.write {
            let mut data = std::mem::take(&mut io.data);
            if data.len() != stream.block_bytes as usize {
                data = self.spare.pop().unwrap_or_default();
                data.clear();
                for place in unit.contents.region().places(io.place, stream.records) {
                    self.pattern.append(unit.contents.id(place), io.generation, self.record_bytes, &mut data);
                }
            }
            FcpRequest::write(unit.lun, cdb, data)
        } else {
            FcpRequest::read(unit.lun, cdb, stream.block_bytes)
        };
        if !paths[path].start(now, stream.initiator, request, slot) {
            self.waiting.push_front(slot);
            return false;
        }
        io.path = Some(path as u8);
        io.attempts = io.attempts.saturating_add(1);
        true
    }

    /// Returns the time at which the driver wants to be called.
    pub fn poll_timeout(&self) -> Time {
        let timer = self.timers.peek().map_or(Time::MAX, |Reverse((at, _))| *at);
        let resting = self.resting.front().map_or(Time::MAX, |(until, ..)| *until);
        let Some(next) = self.phases.ends_at() else { return Time::MAX };
        let arrival = self.streams.iter().map(|stream| stream.next_arrival).min().unwrap_or(Time::MAX);
        let arrival = if self.phases.has_requests() { arrival } else { Time::MAX };
        self.aged_at.min(timer).min(resting).min(next).min(arrival)
    }

    /// Fails I/Os that no path took to their end, when it is time to.
    pub fn handle_timeout(&mut self, now: Time) {
        if now < self.aged_at {
            return;
        }
        self.aged_at = now.saturating_add(AGE_STEP);
        for slot in 0..self.ios.len() as u32 {
            let is_old = |io: &Io| now >= io.began.saturating_add(AGE_MAX);
            if self.ios[slot as usize].as_ref().is_some_and(is_old) {
                Decision::MissingInterrupt.count();
                self.give_up(now, slot, IoError::MissingInterrupt);
            }
        }
    }

    fn give_up(&mut self, now: Time, slot: u32, why: IoError) {
        if let Some(io) = self.ios.get_mut(slot as usize).and_then(Option::as_mut) {
            let path = io.path.unwrap_or(0);
            io.is_unsettled = true;
            self.waiting.retain(|waiting| *waiting != slot);
            self.end(now, slot, Err(why), path, &[]);
        }
    }
}

/// Returns the path with the fewest commands that has room: of several the next in turn.
#[inline]
fn choose<C: Connector>(paths: &[FcpPath<C>], turn: &mut usize) -> Option<usize> {
    let count = paths.len();
    let order = (1..=count).map(|step| (*turn + step) % count);
    let path =
        order.filter(|path| paths[*path].can_start()).min_by_key(|path| paths[*path].open_exchanges())?;
    *turn = path;
    Some(path)
}
