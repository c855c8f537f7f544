//! The tandem in `nexosim`: a model for each station, an output port to the next, departures self-scheduled.

use std::collections::VecDeque;
use std::time::Duration;

use halftrack_peers::{
    CUSTOMERS, STATIONS, Services, Tally, hops_argument, processor_time_s, report, time_of_hops_us,
};
use nexosim::model::{Context, Model, schedulable};
use nexosim::ports::{EventSinkReader, EventSource, Output, SinkState, event_queue};
use nexosim::simulation::{Mailbox, SimInit, SimulationError};
use nexosim::time::MonotonicTime;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Station {
    /// To the next station; a customer is the number of its kind, which are all alike.
    next: Output<()>,
    /// Measurements so far, sent on request.
    measured: Output<Tally>,
    /// When each customer here arrived; the first is in service.
    customers: VecDeque<MonotonicTime>,
    services: Services,
    responses: Tally,
}

#[Model]
impl Station {
    #[nexosim(init)]
    async fn init(&mut self, cx: &Context<Self>) {
        if !self.customers.is_empty() {
            self.serve(cx);
        }
    }

    fn arrive(&mut self, _: (), cx: &Context<Self>) {
        self.customers.push_back(cx.time());
        if self.customers.len() == 1 {
            self.serve(cx);
        }
    }

    #[nexosim(schedulable)]
    async fn depart(&mut self, _: (), cx: &Context<Self>) {
        let arrived = self.customers.pop_front().expect("a customer is in service");
        self.responses.record(cx.time().duration_since(arrived).as_nanos() as f64 / 1e3);
        if !self.customers.is_empty() {
            self.serve(cx);
        }
        self.next.send(()).await;
    }

    /// Begins a service; the library's clock ticks in nanoseconds, and nothing may be scheduled for now.
    fn serve(&mut self, cx: &Context<Self>) {
        let service = Duration::from_nanos((self.services.next_ps() / 1_000).max(1));
        cx.schedule_event(service, schedulable!(Self::depart), ()).expect("a departure lies ahead");
    }

    async fn measure(&mut self) {
        self.measured.send(self.responses).await;
    }
}

fn main() -> Result<(), SimulationError> {
    let until_us = time_of_hops_us(hops_argument());
    let mut stations = std::array::from_fn::<_, STATIONS, _>(|station| Station {
        next: Output::default(),
        measured: Output::default(),
        customers: VecDeque::with_capacity(CUSTOMERS),
        services: Services::new(station),
        responses: Tally::default(),
    });
    stations[0].customers.extend([MonotonicTime::EPOCH; CUSTOMERS]);
    let mailboxes = std::array::from_fn::<_, STATIONS, _>(|_| Mailbox::new());
    // One thread: two are slower here, since no two stations ever work at the same instant.
    let mut bench = SimInit::with_num_threads(1);
    let mut measure = EventSource::new();
    let (tallies, mut tally) = event_queue(SinkState::Enabled);
    for (station, model) in stations.iter_mut().enumerate() {
        model.next.connect(Station::arrive, &mailboxes[(station + 1) % STATIONS]);
        model.measured.connect_sink(tallies.clone());
        measure = measure.connect(Station::measure, &mailboxes[station]);
    }
    let measure = measure.register(&mut bench);
    for (station, (model, mailbox)) in stations.into_iter().zip(mailboxes).enumerate() {
        bench = bench.add_model(model, mailbox, &format!("station {station}"));
    }
    let mut simulation = bench.init(MonotonicTime::EPOCH)?;
    let began_s = processor_time_s();
    simulation.step_until(Duration::from_secs_f64(until_us / 1e6))?;
    let spent_s = processor_time_s() - began_s;
    simulation.process_event(&measure, ())?;
    let tallies: Vec<Tally> = std::iter::from_fn(|| tally.try_read()).collect();
    report("nexosim", spent_s, &tallies);
    Ok(())
}
