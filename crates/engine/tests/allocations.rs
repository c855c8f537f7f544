//! In steady state nothing is allocated, however many events pass.

use allocation_counter::measure;
use halftrack_engine::{
    BatchMeans, Fifo, MultiServer, PendingSet, ProcessorSharing, RandomStream, Rank, Sequencer, SimDuration,
    SimTime, Tally, Waiters, Wake, WakeOutcome,
};

const JOBS: u32 = 500;

#[derive(Clone, Copy)]
enum Event {
    Queue(u32),
    Share(u32),
    Wake(u32),
}

/// Jobs that go round a queue, a station with two servers, a shared server and a line of waiters for ever.
struct Circle {
    pending: PendingSet<Event>,
    orders: Sequencer,
    stream: RandomStream,
    fifo: Fifo,
    servers: MultiServer,
    shared: ProcessorSharing,
    line: Waiters,
    tally: Tally,
    means: BatchMeans,
}

impl Circle {
    fn new() -> Self {
        let mut circle = Self {
            pending: PendingSet::with_capacity(JOBS as usize + 1),
            orders: Sequencer::new(Rank::default()),
            stream: RandomStream::new(1, "circle"),
            fifo: Fifo::new(),
            servers: MultiServer::new(2),
            shared: ProcessorSharing::with_capacity(JOBS as usize),
            line: Waiters::with_capacity(JOBS as usize),
            tally: Tally::new(),
            means: BatchMeans::new(SimTime::ZERO, SimDuration::from_ms(1), 30),
        };
        for job in 0..JOBS {
            circle.pending.push(SimTime::ZERO, circle.orders.next(), Event::Queue(job));
        }
        circle
    }

    fn wake(&mut self, wake: Option<Wake>) {
        if let Some(Wake { at, generation }) = wake {
            self.pending.push(at, self.orders.next(), Event::Wake(generation));
        }
    }

    fn run(&mut self, events: u32) {
        for _ in 0..events {
            let Some((now, _, event)) = self.pending.pop() else { panic!("jobs are lost") };
            match event {
                Event::Queue(job) => {
                    let departure = self.fifo.arrive(now, self.stream.exponential(SimDuration::from_us(1)));
                    let (_, start, departure) = self.servers.arrive(departure, SimDuration::from_us(1));
                    self.tally.record(departure - now);
                    self.means.record(now, (start - now).as_ps());
                    self.pending.push(departure, self.orders.next(), Event::Share(job));
                }
                Event::Share(job) => {
                    let wake = self.shared.arrive(now, job, self.stream.exponential(SimDuration::from_us(1)));
                    self.wake(wake);
                }
                Event::Wake(generation) => match self.shared.handle_wake(now, generation) {
                    WakeOutcome::Stale => {}
                    WakeOutcome::Later(later) => self.wake(Some(later)),
                    WakeOutcome::Finished { job, next } => {
                        self.wake(next);
                        self.line.push(job);
                        let first = self.line.pop().unwrap_or(job);
                        self.pending.push(now, self.orders.next(), Event::Queue(first));
                    }
                },
            }
        }
    }
}

#[test]
fn steady_state_does_not_allocate() {
    let mut circle = Circle::new();
    circle.run(100_000);
    assert!(circle.tally.count() > 10_000, "jobs go round");
    let allocated = measure(|| circle.run(300_000));
    assert_eq!(allocated.count_total, 0, "{allocated:?}");
}
