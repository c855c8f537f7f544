//! Disturbances of a run: a channel or control unit that answers busy, a part that is lost or stalls.
//!
//! Both sides of the fibre have every disturbance at its instant. Here conditions are set and the
//! state machines get them; they decide what follows.

use halftrack_base::Time;
use halftrack_engine::{Order, Rank, Sequencer};

use crate::events::event::HostEvent;
use crate::run::process::{Process, Side};
use crate::wiring::Wiring;

/// Puts every disturbance into the event sets of both sides.
pub(crate) fn schedule(w: &Wiring, processes: &mut [Process]) {
    for process in processes {
        // The run itself has the first rank: a condition changes before anything else at its instant.
        let mut sequencer = Sequencer::new(Rank::from_position(0));
        for (index, disturbance) in w.configuration.disturbances.iter().enumerate() {
            let index = index as u32;
            let begin = Time::ZERO + disturbance.at;
            for (at, begins) in [(begin, true), (begin + disturbance.lasts, false)] {
                push(process, at, sequencer.next(), index, begins);
            }
        }
    }
}

/// Puts one into the event sets of `process`.
fn push(process: &mut Process, at: Time, order: Order, index: u32, begins: bool) {
    let event = HostEvent::Disturbance { index, begins };
    match &mut process.side {
        Side::Host(host) => host.context().push(at, order, event),
        Side::Storage(storage) => storage.schedule_disturbance(at, order, index, begins),
        Side::Both(both) => {
            both.host.context().push(at, order, event);
            both.storage.schedule_disturbance(at, order, index, begins);
        }
        Side::Saps(_) => {}
    }
}
