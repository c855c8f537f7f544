//! The tandem in `desru`: an event is a boxed closure; the state is shared by reference counting.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use desru::EventScheduler;
use halftrack_peers::{
    CUSTOMERS, STATIONS, Services, Tally, hops_argument, processor_time_s, report, time_of_hops_us,
};

struct Station {
    /// When each customer here arrived, us; the first is in service. Customers are alike, so that is all of them.
    customers: VecDeque<f64>,
    services: Services,
    responses: Tally,
}

type Tandem = Rc<RefCell<[Station; STATIONS]>>;

/// Begins a service at `station` and schedules its end.
fn serve(scheduler: &mut EventScheduler, tandem: &Tandem, station: usize) {
    let service_us = tandem.borrow_mut()[station].services.next_ps() as f64 / 1e6;
    let shared = Rc::clone(tandem);
    let action = move |scheduler: &mut EventScheduler| {
        depart(scheduler, &shared, station);
        None
    };
    scheduler.timeout(service_us, Some(Box::new(action)), None);
}

fn depart(scheduler: &mut EventScheduler, tandem: &Tandem, station: usize) {
    let now_us = scheduler.current_time;
    let next = (station + 1) % STATIONS;
    let (goes_on, begins) = {
        let stations = &mut *tandem.borrow_mut();
        let from = &mut stations[station];
        let arrived_us = from.customers.pop_front().expect("a customer is in service");
        from.responses.record(now_us - arrived_us);
        let goes_on = !from.customers.is_empty();
        stations[next].customers.push_back(now_us);
        (goes_on, stations[next].customers.len() == 1)
    };
    if goes_on {
        serve(scheduler, tandem, station);
    }
    if begins {
        serve(scheduler, tandem, next);
    }
}

fn main() {
    let until_us = time_of_hops_us(hops_argument());
    let tandem: Tandem = Rc::new(RefCell::new(std::array::from_fn(|station| Station {
        customers: VecDeque::with_capacity(CUSTOMERS),
        services: Services::new(station),
        responses: Tally::default(),
    })));
    tandem.borrow_mut()[0].customers.extend([0.0; CUSTOMERS]);
    let mut scheduler = EventScheduler::new();
    serve(&mut scheduler, &tandem, 0);
    let began_s = processor_time_s();
    // Without the filter every event would be kept in a log.
    let stop = move |scheduler: &EventScheduler| scheduler.current_time >= until_us;
    scheduler.run(Box::new(stop), Some(Box::new(|_, _| false)));
    let spent_s = processor_time_s() - began_s;
    report("desru", spent_s, &tandem.borrow().each_ref().map(|station| station.responses));
}
