//! The far side of the fibre: a control-unit port for each channel.

use halftrack_base::{Span, Time};
use halftrack_engine::{EventKey, PendingSet, RandomStream, Rank, Sequencer};

use crate::interval::{Intervals, Stations, fold};
use crate::plan::{
    CHANNELS, CONTROL_UNITS, Crossing, FIBRE, HIT_LEAST, HIT_SPREAD_PS, HOST, INTERVAL, JOBS, SEED,
    UNIT_COMMAND, UNIT_DATA,
};

/// Event of a port: in 8 bytes with the job.
#[derive(Clone, Copy)]
enum Stage {
    Command,
    Data,
}

#[derive(Clone, Copy)]
struct Event {
    job: u32,
    channel: u16,
    stage: Stage,
}

/// All control units.
pub struct ControlUnits {
    pending: PendingSet<Event>,
    pub outbox: Vec<(usize, Crossing)>,
    orders: Sequencer,
    hits: RandomStream,
    ports: Stations,
    intervals: Intervals,
    digest: u64,
    events: u64,
    pub commands: u64,
    pub answers: u64,
}

impl ControlUnits {
    /// Data leave the port after their service and cross the fibre.
    pub const LOOKAHEAD: Span = Span::from_ps(FIBRE.as_ps() + UNIT_DATA.as_ps());

    pub fn new() -> Self {
        Self {
            pending: PendingSet::with_capacity(JOBS as usize),
            outbox: Vec::new(),
            orders: Sequencer::new(Rank::from_position(CONTROL_UNITS)),
            hits: RandomStream::new(SEED, "control units"),
            ports: Stations::new(CHANNELS),
            intervals: Intervals::new(INTERVAL),
            digest: 0,
            events: 0,
            commands: 0,
            answers: 0,
        }
    }

    pub fn next_time(&self) -> Option<Time> {
        self.pending.peek_time()
    }

    pub fn events(&self) -> u64 {
        self.events
    }

    /// Returns the jobs on this side, those on the way to it included.
    pub fn jobs(&self) -> usize {
        self.pending.len()
    }

    pub fn deliver(&mut self, Crossing { at, order, job, channel }: Crossing) {
        self.pending.push(at, order, Event { job, channel: channel as u16, stage: Stage::Command });
    }

    pub fn run_until(&mut self, horizon: Time) {
        loop {
            let boundary = self.intervals.boundary();
            self.run_within_interval(horizon.min(boundary));
            if horizon < boundary {
                return;
            }
            self.digest = self.ports.close(boundary, self.intervals.length(), self.digest);
            self.intervals.advance();
        }
    }

    fn run_within_interval(&mut self, horizon: Time) {
        while let Some((now, event)) = self.pending.pop_before(EventKey::before(horizon)) {
            self.events += 1;
            let port = &mut self.ports.stations[usize::from(event.channel)];
            match event.stage {
                Stage::Command => {
                    self.commands += 1;
                    let hit = HIT_LEAST + Span::from_ps(self.hits.below(HIT_SPREAD_PS));
                    let ready = port.arrive(now, UNIT_COMMAND) + hit;
                    self.pending.push(ready, self.orders.next(), Event { stage: Stage::Data, ..event });
                }
                Stage::Data => {
                    self.answers += 1;
                    let at = port.arrive(now, UNIT_DATA) + FIBRE;
                    let (job, channel) = (event.job, u32::from(event.channel));
                    self.outbox
                        .push((HOST as usize, Crossing { at, order: self.orders.next(), job, channel }));
                }
            }
        }
    }

    /// Checks conservation and returns the digest of all statistics until `until`.
    pub fn digest(&self, until: Time) -> u64 {
        let given = UNIT_COMMAND * self.commands + UNIT_DATA * self.answers;
        assert_eq!(self.ports.totals(), (given, self.commands + self.answers), "services and work agree");
        let busy: Span = self.ports.stations.iter().map(|port| port.busy_before(until)).sum();
        [self.events, self.commands, self.answers, busy.as_ps()].into_iter().fold(self.digest, fold)
    }
}
