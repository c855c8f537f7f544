//! In steady state nothing is allocated, however many events pass.

use allocation_counter::measure;
use halftrack_base::{Span, Time};
use halftrack_engine::{
    Alarms, BatchMeans, Fifo, MultiServer, PendingSet, ProcessorSharing, RandomStream, Rank, Sequencer,
    Tally, Waiters,
};

const JOBS: u32 = 500;

#[derive(Clone, Copy)]
enum Event {
    Queue(u32),
    Share(u32),
}

/// Jobs that go round a queue, a station with two servers, a shared server and a line of waiters for ever.
struct Circle {
    pending: PendingSet<Event>,
    orders: Sequencer,
    stream: RandomStream,
    fifo: Fifo,
    servers: MultiServer,
    shared: ProcessorSharing,
    alarms: Alarms,
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
            alarms: Alarms::new(1),
            line: Waiters::with_capacity(JOBS as usize),
            tally: Tally::new(),
            means: BatchMeans::new(Time::ZERO, Span::from_ms(1), 30),
        };
        for job in 0..JOBS {
            circle.pending.push(Time::ZERO, circle.orders.next(), Event::Queue(job));
        }
        circle
    }

    fn run(&mut self, events: u32) {
        for _ in 0..events {
            let due = self.alarms.first_due();
            let Some((now, event)) = self.pending.pop_before(due) else {
                self.complete(due.at);
                continue;
            };
            match event {
                Event::Queue(job) => {
                    let departure = self.fifo.arrive(now, self.stream.exponential(Span::from_us(1)));
                    let (start, departure) = self.servers.arrive(departure, Span::from_us(1));
                    self.tally.record(departure - now);
                    self.means.record(now, (start - now).as_ps());
                    self.pending.push(departure, self.orders.next(), Event::Share(job));
                }
                Event::Share(job) => {
                    // Half of what the queue takes, so that jobs gather there and their pending events are many.
                    self.shared.arrive(now, job, self.stream.exponential(Span::from_ns(500)));
                    self.alarms.set(0, self.shared.next_completion(), self.orders.next());
                }
            }
        }
    }

    fn complete(&mut self, now: Time) {
        let Some(job) = self.shared.complete(now) else { panic!("jobs are lost") };
        self.alarms.set(0, self.shared.next_completion(), self.orders.next());
        self.line.push(job);
        let first = self.line.pop().unwrap_or(job);
        self.pending.push(now, self.orders.next(), Event::Queue(first));
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
