//! The near side of the fibre: jobs, devices as the host sees them, IOPs and channels.

use halftrack_base::{Span, Time};
use halftrack_engine::{EventKey, PendingSet, RandomStream, Rank, Sequencer};

use crate::control_units::ControlUnits;
use crate::interval::{DeviceSums, Intervals, Stations, fold};
use crate::plan::{
    CHANNEL_END, CHANNEL_START, CHANNELS, CONTROL_UNITS, Crossing, DEVICES, FIBRE, INTERVAL, IOP_INTERRUPT,
    IOP_START, IOPS, IOPS_IN_USE, JOBS, PATHS, SEED,
};

/// Next event of a job.
#[derive(Clone, Copy)]
enum Stage {
    /// The IOP has started the I/O: the channel takes it.
    Channel,
    /// The answer is at the channel.
    Answer,
    /// The channel is done: the IOP takes the interrupt.
    Interrupt,
    /// The interrupt is handled: the device is free.
    End,
}

#[derive(Clone, Copy)]
struct Event {
    job: u32,
    stage: Stage,
}

/// The I/O a job has under way.
#[derive(Clone, Copy, Default)]
struct Job {
    started: Time,
    pending: Span,
    device: u32,
    channel: u16,
    iop: u16,
}

/// A set of devices, one bit each.
struct DeviceSet(Vec<u64>);

impl DeviceSet {
    fn new() -> Self {
        Self(vec![0; DEVICES.div_ceil(64) as usize])
    }

    fn contains(&self, device: u32) -> bool {
        self.0[device as usize / 64] >> (device % 64) & 1 == 1
    }

    /// Puts a device in or out; returns whether it was in.
    fn toggle(&mut self, device: u32) -> bool {
        let (word, bit) = (&mut self.0[device as usize / 64], 1 << (device % 64));
        *word ^= bit;
        *word & bit == 0
    }
}

/// The host.
pub struct Host {
    pending: PendingSet<Event>,
    pub outbox: Vec<(usize, Crossing)>,
    orders: Sequencer,
    choices: RandomStream,
    jobs: Vec<Job>,
    busy_devices: DeviceSet,
    iops: Stations,
    channels: Stations,
    devices: Vec<DeviceSums>,
    intervals: Intervals,
    digest: u64,
    events: u64,
    /// The ledger of the conservation check, apart from the model's own state: what has been started and not ended.
    ledger: DeviceSet,
    started: u64,
    ended: u64,
    sent: u64,
    received: u64,
}

impl Host {
    /// A command leaves the channel after its service and crosses the fibre.
    pub const LOOKAHEAD: Span = Span::from_ps(FIBRE.as_ps() + CHANNEL_START.as_ps());

    pub fn new(rank: u32) -> Self {
        let mut host = Self {
            pending: PendingSet::with_capacity(JOBS as usize),
            outbox: Vec::new(),
            orders: Sequencer::new(Rank::from_position(rank)),
            choices: RandomStream::new(SEED, "host"),
            jobs: vec![Job::default(); JOBS as usize],
            busy_devices: DeviceSet::new(),
            iops: Stations::new(IOPS),
            channels: Stations::new(CHANNELS),
            devices: vec![DeviceSums::default(); DEVICES as usize],
            intervals: Intervals::new(INTERVAL),
            digest: 0,
            events: 0,
            ledger: DeviceSet::new(),
            started: 0,
            ended: 0,
            sent: 0,
            received: 0,
        };
        (0..JOBS).for_each(|job| host.start(Time::ZERO, job));
        host
    }

    pub fn next_time(&self) -> Option<Time> {
        self.pending.peek_time()
    }

    pub fn events(&self) -> u64 {
        self.events
    }

    pub fn ended(&self) -> u64 {
        self.ended
    }

    pub fn deliver(&mut self, Crossing { at, order, job, .. }: Crossing) {
        self.pending.push(at, order, Event { job, stage: Stage::Answer });
    }

    pub fn run_until(&mut self, horizon: Time) {
        loop {
            let boundary = self.intervals.boundary();
            self.run_within_interval(horizon.min(boundary));
            if horizon < boundary {
                return;
            }
            self.close_interval(boundary);
        }
    }

    fn run_within_interval(&mut self, horizon: Time) {
        while let Some((now, Event { job, stage })) = self.pending.pop_before(EventKey::before(horizon)) {
            self.events += 1;
            let record = &mut self.jobs[job as usize];
            let (next, stage) = match stage {
                Stage::Channel => {
                    record.pending = now - record.started;
                    let channel = u32::from(record.channel);
                    let at = self.channels.stations[channel as usize].arrive(now, CHANNEL_START) + FIBRE;
                    self.sent += 1;
                    let crossing = Crossing { at, order: self.orders.next(), job, channel };
                    self.outbox.push((CONTROL_UNITS as usize, crossing));
                    continue;
                }
                Stage::Answer => {
                    self.received += 1;
                    let channel = &mut self.channels.stations[usize::from(record.channel)];
                    (channel.arrive(now, CHANNEL_END), Stage::Interrupt)
                }
                Stage::Interrupt => {
                    (self.iops.stations[usize::from(record.iop)].arrive(now, IOP_INTERRUPT), Stage::End)
                }
                Stage::End => {
                    self.end(now, job);
                    self.start(now, job);
                    continue;
                }
            };
            self.pending.push(next, self.orders.next(), Event { job, stage });
        }
    }

    /// Starts an I/O of the job to a random free device, over a random one of its paths.
    fn start(&mut self, now: Time, job: u32) {
        let choice = loop {
            let choice = self.choices.below(u64::from(DEVICES * PATHS)) as u32;
            if !self.busy_devices.contains(choice / PATHS) {
                break choice;
            }
        };
        let device = choice / PATHS;
        self.busy_devices.toggle(device);
        assert!(!self.ledger.toggle(device), "device {device} is started twice");
        self.started += 1;
        let channel = (device % (CHANNELS / PATHS) * PATHS + choice % PATHS) as u16;
        let iop = channel % IOPS_IN_USE as u16;
        self.jobs[job as usize] = Job { started: now, pending: Span::ZERO, device, channel, iop };
        let at = self.iops.stations[usize::from(iop)].arrive(now, IOP_START);
        self.pending.push(at, self.orders.next(), Event { job, stage: Stage::Channel });
    }

    fn end(&mut self, now: Time, job: u32) {
        let Job { started, pending, device, .. } = self.jobs[job as usize];
        self.busy_devices.toggle(device);
        assert!(self.ledger.toggle(device), "device {device} ends without a start");
        self.ended += 1;
        let sums = &mut self.devices[device as usize];
        sums.active += now - started.max(self.intervals.start());
        sums.response += now - started;
        sums.pending += pending;
        sums.ended += 1;
    }

    /// Splits everything at `boundary` and checks Little's law: each job has exactly one I/O under way at all times.
    fn close_interval(&mut self, boundary: Time) {
        let (start, length) = (self.intervals.start(), self.intervals.length());
        for job in &self.jobs {
            self.devices[job.device as usize].active += boundary - job.started.max(start);
        }
        let mut active = Span::ZERO;
        for sums in &mut self.devices {
            active += sums.active;
            for part in [sums.active.as_ps(), sums.response.as_ps(), sums.pending.as_ps(), sums.ended] {
                self.digest = fold(self.digest, part);
            }
            *sums = DeviceSums::default();
        }
        assert_eq!(active, length * u64::from(JOBS), "time is lost or invented");
        assert_eq!(self.started - self.ended, u64::from(JOBS), "an I/O is lost or invented");
        self.digest = self.iops.close(boundary, length, self.digest);
        self.digest = self.channels.close(boundary, length, self.digest);
        self.intervals.advance();
    }

    /// Checks at the end that nothing was lost on the fibre.
    pub fn check_against(&self, units: &ControlUnits, until: Time) {
        assert!(self.pending.len() + units.jobs() == JOBS as usize, "jobs are lost or invented by {until}");
        let outstanding = (self.started - self.ended) as usize;
        assert_eq!(outstanding, JOBS as usize);
        assert_eq!(self.ledger.0, self.busy_devices.0, "the ledger and the model disagree");
        assert!(
            self.sent >= units.commands && units.commands >= units.answers && units.answers >= self.received
        );
        let crossing_out = self.sent - units.commands;
        assert!(crossing_out + (units.commands - units.answers) == units.jobs() as u64, "a command is lost");
    }

    /// Checks the utilisation law and returns the digest of all statistics until `until`.
    pub fn digest(&self, until: Time) -> u64 {
        let (iop_given, iop_services) = self.iops.totals();
        let interrupts = iop_services - self.started;
        assert_eq!(iop_given, IOP_START * self.started + IOP_INTERRUPT * interrupts);
        let (channel_given, channel_services) = self.channels.totals();
        assert_eq!(channel_given, CHANNEL_START * self.sent + CHANNEL_END * self.received);
        assert_eq!(channel_services, self.sent + self.received);
        let stations = self.iops.stations.iter().chain(&self.channels.stations);
        let busy: Span = stations.map(|station| station.busy_before(until)).sum();
        let totals = [self.events, self.started, self.ended, self.sent, self.received, busy.as_ps()];
        let sums = self.devices.iter().flat_map(|sums| [sums.response.as_ps(), sums.ended]);
        totals.into_iter().chain(sums).fold(self.digest, fold)
    }
}
