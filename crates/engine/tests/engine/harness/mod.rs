//! Drives single stations by the pending set and estimates their steady state by batch means.

use halftrack_base::{Span, Time};
use halftrack_engine::{
    Alarms, BatchMeans, Fifo, LossStation, Order, PendingSet, ProcessorSharing, RandomStream, Rank,
    Sequencer, TimeIntegral,
};

/// Virtual time that is not measured.
const WARM_UP: Span = Span::from_ms(2_000);
const BATCH: Span = Span::from_ms(4_000);
const BATCHES: usize = 30;
/// Customers offered to a loss station.
pub const LOSS_ARRIVALS: u64 = 900_000;
const LOSS_BATCHES: u64 = 30;

/// An estimate and half the width of its 95 % confidence interval.
pub type Estimate = (f64, f64);

/// Fails unless `found` is sharp and includes `exact`.
pub fn agree(what: &str, found: Estimate, exact: f64) {
    let (mean, half_width) = found;
    assert!(half_width < 0.02 * exact, "{what}: {mean} +- {half_width} is too vague to compare with {exact}");
    assert!((mean - exact).abs() < 3.0 * half_width, "{what}: {mean} +- {half_width}, but {exact} is exact");
}

/// A distribution of service times.
#[derive(Clone, Copy)]
pub enum Service {
    Constant(Span),
    Exponential(Span),
    TwoPoint { short: Span, long: Span, long_ppm: u32 },
}

impl Service {
    fn draw(self, stream: &mut RandomStream) -> Span {
        match self {
            Self::Constant(time) => time,
            Self::Exponential(mean) => stream.exponential(mean),
            Self::TwoPoint { short, long, long_ppm } => {
                if stream.chance_ppm(long_ppm) {
                    long
                } else {
                    short
                }
            }
        }
    }

    /// Returns the mean, exact.
    pub fn mean(self) -> Span {
        match self {
            Self::Constant(mean) | Self::Exponential(mean) => mean,
            Self::TwoPoint { short, long, long_ppm } => {
                (short * u64::from(1_000_000 - long_ppm) + long * u64::from(long_ppm)) / 1_000_000
            }
        }
    }
}

/// Statistics of a station in steady state.
pub struct Found {
    pub response_us: Estimate,
    pub rate_per_s: Estimate,
    pub number: Estimate,
}

/// Collects responses and the number present.
struct Observer {
    responses: BatchMeans,
    /// Mean number in each batch, in 2^-32.
    numbers: BatchMeans,
    present: TimeIntegral,
    batch_end: Time,
}

impl Observer {
    fn new() -> Self {
        let start = Time::ZERO + WARM_UP;
        Self {
            responses: BatchMeans::new(start, BATCH, BATCHES),
            numbers: BatchMeans::new(start, BATCH, BATCHES),
            present: TimeIntegral::default(),
            batch_end: start,
        }
    }

    /// Closes the batches that end at or before `now`; false when all are closed.
    fn goes_on(&mut self, now: Time) -> bool {
        while now >= self.batch_end {
            let area = self.present.take_until(self.batch_end);
            if self.batch_end > Time::ZERO + WARM_UP {
                let mean = (area << 32) / u128::from(BATCH.as_ps());
                self.numbers.record(self.batch_end - BATCH, mean as u64);
            }
            if self.batch_end == self.responses.end() {
                return false;
            }
            self.batch_end += BATCH;
        }
        true
    }

    fn departs(&mut self, now: Time, arrived: Time) {
        self.present.change(now, -1);
        self.responses.record(now, (now - arrived).as_ps());
    }

    fn found(&self) -> Found {
        let scale = |(mean, half_width): Estimate, by: f64| (mean / by, half_width / by);
        Found {
            response_us: scale(self.responses.estimate(), 1e6),
            rate_per_s: self.responses.rate_estimate(),
            number: scale(self.numbers.estimate(), 2_f64.powi(32)),
        }
    }
}

#[derive(Clone, Copy)]
enum Event {
    Arrive,
    Depart { arrived: Time },
}

/// Returns the streams of a test: times between arrivals, and services.
fn streams(name: &str) -> (RandomStream, RandomStream) {
    (RandomStream::new(20, &format!("{name}.arrivals")), RandomStream::new(20, &format!("{name}.services")))
}

/// Simulates Poisson arrivals at a fused station, whose departures `arrive` returns.
pub fn open_fused(
    name: &str,
    between: Span,
    service: Service,
    mut arrive: impl FnMut(Time, Span) -> Time,
) -> Found {
    let (mut arrivals, mut services) = streams(name);
    let mut orders = Sequencer::new(Rank::from_position(0));
    let mut pending = PendingSet::with_capacity(64);
    let mut observer = Observer::new();
    pending.push(Time::ZERO, orders.next(), Event::Arrive);
    while let Some((now, _, event)) = pending.pop() {
        if !observer.goes_on(now) {
            break;
        }
        match event {
            Event::Arrive => {
                pending.push(now + arrivals.exponential(between), orders.next(), Event::Arrive);
                observer.present.change(now, 1);
                let departure = arrive(now, service.draw(&mut services));
                pending.push(departure, orders.next(), Event::Depart { arrived: now });
            }
            Event::Depart { arrived } => observer.departs(now, arrived),
        }
    }
    observer.found()
}

/// Returns the poisson arrivals at a processor-sharing station. Jobs are named by a slot that holds their arrival time.
pub fn open_sharing(name: &str, between: Span, service: Service) -> Found {
    let (mut arrivals, mut services) = streams(name);
    let mut orders = Sequencer::new(Rank::from_position(0));
    let mut observer = Observer::new();
    let mut station = ProcessorSharing::with_capacity(64);
    let mut slots: Vec<Time> = Vec::new();
    let mut free: Vec<u32> = Vec::new();
    let mut alarms = Alarms::new(1);
    let mut next_arrival = Time::ZERO;
    loop {
        let completion = alarms.first_due().at;
        let now = next_arrival.min(completion);
        if !observer.goes_on(now) {
            break;
        }
        if completion == now {
            let job = station.complete(now).expect("a job is due");
            observer.departs(now, slots[job as usize]);
            free.push(job);
        } else {
            next_arrival = now + arrivals.exponential(between);
            observer.present.change(now, 1);
            let job = free.pop().unwrap_or_else(|| {
                slots.push(now);
                slots.len() as u32 - 1
            });
            slots[job as usize] = now;
            station.arrive(now, job, service.draw(&mut services));
        }
        alarms.set(0, station.next_completion(), orders.next());
    }
    observer.found()
}

/// Returns `customers` going round two exponential stations; what each station shows.
pub fn closed_tandem(name: &str, customers: u32, means: [Span; 2]) -> [Found; 2] {
    let (_, mut services) = streams(name);
    let mut orders = Sequencer::new(Rank::from_position(0));
    let mut pending: PendingSet<(usize, Time)> = PendingSet::with_capacity(64);
    let mut stations = [Fifo::new(), Fifo::new()];
    let mut observers = [Observer::new(), Observer::new()];
    let mut enter = |pending: &mut PendingSet<_>, order: Order, station: usize, now: Time| {
        let departure = stations[station].arrive(now, services.exponential(means[station]));
        pending.push(departure, order, (station, now));
    };
    for _ in 0..customers {
        observers[0].present.change(Time::ZERO, 1);
        enter(&mut pending, orders.next(), 0, Time::ZERO);
    }
    while let Some((now, _, (station, arrived))) = pending.pop() {
        if observers.each_mut().map(|observer| observer.goes_on(now)).contains(&false) {
            break;
        }
        observers[station].departs(now, arrived);
        let other = 1 - station;
        observers[other].present.change(now, 1);
        enter(&mut pending, orders.next(), other, now);
    }
    observers.map(|observer| observer.found())
}

/// Returns the poisson arrivals at a loss station: the share turned away, in batches of equal numbers of arrivals.
pub fn open_loss(name: &str, between: Span, service: Service, station: &mut LossStation) -> Estimate {
    let (mut arrivals, mut services) = streams(name);
    let mut now = Time::ZERO;
    // One "second" an arrival, so that batches of virtual time are batches of arrivals.
    let per_batch = Span::from_s(1) * (LOSS_ARRIVALS / LOSS_BATCHES);
    let mut shares = BatchMeans::new(Time::ZERO, per_batch, LOSS_BATCHES as usize);
    for n in 0..LOSS_ARRIVALS {
        now += arrivals.exponential(between);
        let lost = station.try_arrive(now, service.draw(&mut services)).is_none();
        shares.record(Time::ZERO + Span::from_s(n), u64::from(lost));
    }
    shares.estimate()
}
