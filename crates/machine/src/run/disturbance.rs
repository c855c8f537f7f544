//! Disturbances of a run: a channel or control unit that answers busy, a part that is lost or stalls.
//!
//! Both processes have every disturbance at its instant, each on its own side of the fibre. Here conditions are set and the
//! state machines get them; they decide what follows.

use halftrack_base::Time;
use halftrack_engine::{Order, Rank, Sequencer};

use crate::events::event::HostEvent;
use crate::run::process::{Process, Side};
use crate::wiring::Wiring;

/// Puts every disturbance into the event sets of both processes.
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

fn push(process: &mut Process, at: Time, order: Order, index: u32, begins: bool) {
    match &mut process.side {
        Side::Host(host) => host.context().push(at, order, HostEvent::Disturbance { index, begins }),
        Side::Storage(storage) => {
            storage.schedule_disturbance(at, order, index, begins);
        }
    }
}
