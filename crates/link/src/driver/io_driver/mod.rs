//! The I/O driver: takes the streams' requests to their devices over the path group, and sees every one to its end.
//!
//! ```text
//! job or arrival ─► waiting for an address ─► attempt over a path ─► ended: compared, counted, next I/O of the job
//!                                                ▲  │ busy: waits, check: another path
//!                                                └──┤
//!                                                   └ given up: fenced, then counted
//! ```
//!
//! A start that was given up may still have something on its way, which must not reach the records when others use them:
//! it is over when a newer start over another path has fenced it, or its own exchange was ended by the control unit, or
//! R_A_TOV has gone. A redrive is such a newer start itself and goes at once.
//!
//! Sans IO: time, exchange ends and paths that come and go are arguments.

pub(in crate::driver) mod conditions;
mod driven;
mod fencing;
mod io;
mod ledger;
mod synchronous;
mod under_way;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

use halftrack_base::{Span, Time};
use halftrack_exchange::Program;
use halftrack_subsystem::PathGroup;
use halftrack_wire::synchronous::DATA_MAX;
use halftrack_workload::{Pattern, UNWRITTEN};

pub use self::ledger::Ledger;

use self::under_way::{Io, IoPart, State};
use super::ENDS_AT_ONCE;
use super::contents::Contents;
use super::course::Driven;
use super::discovery;
use super::driver_plan::DriverPlan;
use super::io_observer::IoObserver;
use super::paths::ChannelPaths;
use super::phases::{Phase, Phases};
use super::region::{Place, Region};
use super::statistics::IoError;
use super::stream::{StreamError, StreamRun};
use super::synchronous::SynchronousPath;
use super::volume::{Request, Volume};
use super::volume_size::VolumeSize;

/// Interval at which starts are checked for a missing interrupt.
const MISSING_STEP: Span = Span::from_ms(500);
/// I/Os of an open stream that may wait for their devices.
const BACKLOG_MAX: usize = 100_000;

/// Timer event of the driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Timer {
    /// A job has thought.
    Job { stream: u16, job: u32 },
    /// A start that waits is driven again.
    Redrive { slot: u32 },
    /// A start that was given up is fenced, or is so by its age.
    Fence { slot: u32 },
    /// A synchronous request that the control unit has kept is checked.
    Kept { slot: u32 },
}

/// The I/O driver of one channel.
pub struct IoDriver {
    pattern: Pattern,
    /// Control-unit image, in the place that it has in the number of a volume.
    image: u64,
    volumes: Vec<Volume>,
    streams: Vec<StreamRun>,
    group: PathGroup,
    ios: Vec<Option<Io>>,
    free: Vec<u32>,
    timers: BinaryHeap<Reverse<(Time, Timer)>>,
    /// Jobs that request their next I/O at once.
    ready: VecDeque<(u16, u32)>,
    /// Volumes with something to begin.
    pending: VecDeque<u16>,
    /// Starts that found every channel path full, their subchannel taken, or no path.
    waiting_channel: VecDeque<u32>,
    /// The program that fences.
    no_operation: Program,
    /// Starts whose wait for something busy is over.
    due: Vec<u32>,
    /// Starts given up that are checked again.
    unfenced: Vec<u32>,
    /// Synchronous requests that are checked again.
    kept: Vec<u32>,
    links: Option<Box<dyn SynchronousPath>>,
    /// Data of the last synchronous read.
    read: Vec<u8>,
    /// When a synchronous I/O has ended, until that is taken.
    ended_at_once: Option<Time>,
    generation: u32,
    phases: Phases,
    missing_at: Time,
    under_way: usize,
    ledger: Ledger,
    /// Number of the next I/O.
    next_io: u64,
    observer: Option<Box<dyn IoObserver>>,
}

impl IoDriver {
    /// Returns the streams of `plan` on volumes of these sizes by unit address of the base. No path is online yet.
    ///
    /// # Errors
    /// The stream, by its place in the plan, that cannot run.
    pub fn new<'a>(
        plan: impl Into<DriverPlan<'a>>,
        sizes: &BTreeMap<u8, VolumeSize>,
        transport: bool,
    ) -> Result<Self, (usize, StreamError)> {
        let plan = plan.into();
        let image = u64::from(plan.control_unit_image) << 8;
        let mut volumes: Vec<_> = sizes
            .iter()
            .map(|(&base, size)| {
                let aliases = plan.aliases.iter().filter(|(_, of)| **of == base).map(|(alias, _)| *alias);
                Volume::new(base, aliases.rev(), *size)
            })
            .collect();
        let bases: Vec<_> = sizes.keys().copied().collect();
        let volume_of = |unit: u8| bases.binary_search(&unit).ok();
        let contents = |volume: &Volume, region: Region| {
            Contents::new(volume.base, volume.size, image | u64::from(volume.base), plan.run.contents, region)
        };
        let mut streams = Vec::new();
        for (index, asked) in plan.streams.iter().enumerate() {
            let stream = StreamRun::new(asked, plan.run.seed, transport, &mut volumes, contents, volume_of);
            streams.push(stream.map_err(|error| (index, error))?);
            check_overlap(&streams).map_err(|error| (index, error))?;
        }
        let mut group = PathGroup::new(plan.paths);
        for path in 0..plan.paths {
            group.set_online(path as u8, false);
        }
        Ok(Self {
            phases: Phases::new(plan.run),
            pattern: Pattern::new(plan.run.contents_seed),
            image,
            volumes,
            streams,
            group,
            ios: Vec::new(),
            free: Vec::new(),
            timers: BinaryHeap::new(),
            ready: VecDeque::new(),
            pending: VecDeque::new(),
            waiting_channel: VecDeque::new(),
            no_operation: discovery::no_operation().expect("a chain of one command is a chain"),
            due: Vec::new(),
            unfenced: Vec::new(),
            kept: Vec::new(),
            links: None,
            read: Vec::with_capacity(DATA_MAX),
            ended_at_once: None,
            generation: UNWRITTEN,
            missing_at: Time::MAX,
            under_way: 0,
            ledger: Ledger::default(),
            next_io: 0,
            observer: None,
        })
    }

    /// Shows the start and the end of every I/O from now on to `observer`.
    pub fn set_observer(&mut self, observer: Box<dyn IoObserver>) {
        self.observer = Some(observer);
    }

    /// Sets the number behind which writes are counted.
    pub fn number_writes_behind(&mut self, last_write: u32) {
        self.generation = self.generation.max(last_write);
    }

    /// Returns the streams.
    pub fn streams(&self) -> &[StreamRun] {
        &self.streams
    }

    /// Returns by volume: unit address, number in the pattern, size, and the regions that its streams go to, each
    /// track once.
    pub fn regions(&self) -> Vec<(u8, u64, VolumeSize, Vec<Region>)> {
        let mut found: Vec<_> = self
            .volumes
            .iter()
            .map(|volume| (volume.base, self.image | u64::from(volume.base), volume.size, Vec::new()))
            .collect();
        for stream in &self.streams {
            for (index, device) in stream.devices().iter().enumerate() {
                found[usize::from(device.volume)].3.push(*stream.region(index as u16));
            }
        }
        for (.., regions) in &mut found {
            regions.sort_by_key(|region| region.first_track);
            let mut end = 0;
            regions.retain_mut(|region| {
                let first = region.first_track.max(end);
                region.tracks = region.end().saturating_sub(first);
                region.first_track = first;
                end = region.end().max(end);
                region.tracks > 0
            });
        }
        found
    }

    /// Notes that all regions were formatted: no write has changed their records yet.
    pub fn formatted(&mut self) {
        for stream in &self.streams {
            for (index, device) in stream.devices().iter().enumerate() {
                let region = *stream.region(index as u16);
                let contents = self.volumes[usize::from(device.volume)].contents(device.contents);
                for track in region.first_track..region.end() {
                    let records = u16::from(region.records_per_track);
                    contents.written(Place { track, record: 1 }, records, Some(UNWRITTEN));
                }
            }
        }
    }

    /// Begins the run.
    pub fn begin(&mut self, now: Time) {
        self.phases.begin(now);
        self.missing_at = now.saturating_add(MISSING_STEP);
        for (index, stream) in self.streams.iter_mut().enumerate() {
            if stream.is_open() {
                stream.next_arrival = now.saturating_add(stream.state.next_interarrival());
            }
            self.ready.extend((0..stream.state.jobs()).map(|job| (index as u16, job)));
        }
    }

    /// Varies a path online or offline. Starts that waited for one are driven again.
    pub fn set_online(&mut self, now: Time, path: u8, online: bool, paths: &mut impl ChannelPaths) {
        self.group.set_online(path, online);
        if online {
            self.pending.extend(0..self.volumes.len() as u16);
        }
        self.handle_subchannel_free(now, paths);
        if online {
            // A path that is there again was reset by the control unit, and another fences.
            for slot in 0..self.ios.len() as u32 {
                self.end_rest(now, slot, paths);
            }
        }
    }

    /// Drives starts again that wait for a subchannel, now that one is free.
    pub fn handle_subchannel_free(&mut self, now: Time, paths: &mut impl ChannelPaths) {
        for slot in std::mem::take(&mut self.waiting_channel) {
            self.redrive(now, slot, paths);
        }
    }

    /// Returns whether I/O can go over a path.
    pub fn uses(&self, path: u8) -> bool {
        self.group.online().contains(path)
    }

    /// Returns whether I/O can go anywhere.
    pub fn has_path(&self) -> bool {
        !self.group.online().is_empty()
    }

    /// Returns whether everything has come to its end.
    pub fn is_done(&self) -> bool {
        self.phases.phase() == Phase::Draining && self.under_way == 0
    }

    /// Asks for what is due and starts what can be started; true when there was anything.
    pub fn work(&mut self, now: Time, paths: &mut impl ChannelPaths) -> bool {
        self.advance(now);
        if let Some(links) = &mut self.links {
            links.tend(now);
        }
        let mut worked = self.arrivals(now);
        for slot in std::mem::take(&mut self.kept) {
            self.check_kept(now, slot, paths);
        }
        for slot in std::mem::take(&mut self.unfenced) {
            self.fence(now, slot, paths);
        }
        while let Some(slot) = self.due.pop() {
            self.redrive(now, slot, paths);
        }
        let mut now = now;
        for _ in 0..ENDS_AT_ONCE {
            while let Some((stream, job)) = self.ready.pop_front() {
                worked = true;
                self.request(now, stream, job);
            }
            while let Some(volume) = self.pending.pop_front() {
                worked |= self.start_waiting(now, volume, paths);
            }
            // What has ended at once, and was compared, is followed by the next I/O of its job.
            let Some(at) = self.ended_at_once.take() else { break };
            now = self.links.as_ref().map_or(at, |links| links.now());
            self.advance(now);
        }
        worked
    }

    /// Moves from one phase to the next.
    fn advance(&mut self, now: Time) {
        if self.phases.advance(now) {
            self.streams.iter_mut().for_each(|stream| stream.statistics.restart());
        }
        if self.phases.is_over(now, || self.ready.is_empty() && self.is_idle()) {
            self.drain(now);
        }
    }

    fn is_idle(&self) -> bool {
        self.under_way == 0 && self.volumes.iter().all(|volume| volume.waiting() == 0)
    }

    /// Asks for what open streams and thoughtful jobs have due.
    fn arrivals(&mut self, now: Time) -> bool {
        let mut worked = false;
        while let Some(&Reverse((at, timer))) = self.timers.peek() {
            if at > now {
                break;
            }
            self.timers.pop();
            worked = true;
            match timer {
                Timer::Job { stream, job } => self.ready.push_back((stream, job)),
                Timer::Redrive { slot } => self.due.push(slot),
                Timer::Fence { slot } => self.unfenced.push(slot),
                Timer::Kept { slot } => self.kept.push(slot),
            }
        }
        if !self.phases.has_requests() {
            return worked;
        }
        for index in 0..self.streams.len() {
            while self.streams[index].next_arrival <= now {
                worked = true;
                let at = self.streams[index].next_arrival;
                let stream = &mut self.streams[index];
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
        let device = drawn.device as u16;
        let place = stream.device(device).volume;
        let volume = &mut self.volumes[usize::from(place)];
        self.ledger.requested += 1;
        if stream.is_open() && volume.waiting() >= BACKLOG_MAX {
            stream.statistics.failed(IoError::Overload);
            self.ledger.failed += 1;
            self.phases.fail();
            return;
        }
        volume.wait(Request { stream: index, job, device, write: drawn.write, arrived: now });
        self.pending.push_back(place);
    }

    /// Starts what waits for a volume as long as it has addresses.
    #[inline]
    fn start_waiting(&mut self, now: Time, index: u16, paths: &mut impl ChannelPaths) -> bool {
        let mut worked = false;
        // Without a path nothing begins: it would end at once as not operational.
        while self.has_path() {
            let Some((request, unit)) = self.volumes[usize::from(index)].next() else { break };
            worked = true;
            let now = self.ended_at_once.unwrap_or(now);
            if !self.start(now, request, unit, paths) {
                self.volumes[usize::from(index)].put_back(request, unit);
                break;
            }
        }
        worked
    }

    /// Returns the time at which [`IoDriver::handle_timeout`] wants to be called.
    pub fn poll_timeout(&self) -> Time {
        let timer = self.timers.peek().map_or(Time::MAX, |Reverse((at, _))| *at);
        let Some(next) = self.phases.ends_at() else { return Time::MAX };
        let arrival = self.streams.iter().map(|stream| stream.next_arrival).min().unwrap_or(Time::MAX);
        let arrival = if self.phases.has_requests() { arrival } else { Time::MAX };
        self.missing_at.min(timer).min(next).min(arrival)
    }
}

/// Returns that the last stream shares tracks with the others only where their records have one length.
fn check_overlap(streams: &[StreamRun]) -> Result<(), StreamError> {
    let Some((last, others)) = streams.split_last() else { return Ok(()) };
    for (index, device) in last.devices().iter().enumerate() {
        let region = last.region(index as u16);
        for other in others {
            let shares = other.devices().iter().enumerate().any(|(place, one)| {
                let its = other.region(place as u16);
                one.volume == device.volume && its.record_bytes != region.record_bytes && its.overlaps(region)
            });
            if shares {
                return Err(StreamError::Overlap { other: other.name.clone() });
            }
        }
    }
    Ok(())
}
