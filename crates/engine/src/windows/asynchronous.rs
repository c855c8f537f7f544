//! Windows of two processes on two threads: each goes on as soon as what it has heard of the other allows, and they never
//! meet.
//!
//! A process that is ahead in one window need not wait for the other in that same window, so that the time of a run is
//! near that of the busier process, and not the sum of the longer of each pair of windows. Where one thread has no
//! processor, as on a machine that does other work, the other runs both processes: who owns a process is not tied to who
//! runs it, and a window of it is run by whoever holds its lock.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::side::{Side, Turn};
use super::{LogicalProcess, WindowError, WindowStats};
use crate::SimTime;

/// Looks for news before a thread that waits runs the other's process, if its thread does not: some ten microseconds,
/// which is many windows of a large machine.
const LOOKS: u32 = 300;
/// How long a thread sleeps that can run neither process: the other's was interrupted within a window.
const NAP: Duration = Duration::from_micros(50);

/// A process, on cache lines of its own.
#[repr(align(128))]
struct Seat<'a, L: LogicalProcess>(Mutex<Side<'a, L>>);

impl<'a, L: LogicalProcess> Seat<'a, L> {
    /// A thread that panicked has ended the run too; nobody goes on with what its lock guards.
    fn lock(&self) -> MutexGuard<'_, Side<'a, L>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the threads share.
struct Shared<'a, L: LogicalProcess> {
    seats: [Seat<'a, L>; 2],
    /// A process has failed. Only that is read of it, so it needs no order.
    has_failed: AtomicBool,
    failure: Mutex<Option<WindowError>>,
    until: SimTime,
}

impl<L: LogicalProcess> Shared<'_, L> {
    fn fail(&self, new: WindowError) {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        *failure = Some(failure.map_or(new, |old| old.min(new)));
        self.has_failed.store(true, Ordering::Relaxed);
    }
}

/// Ends the run if its thread panics.
struct EndOnPanic<'a>(&'a AtomicBool);

impl Drop for EndOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// See [`super::run_watched`].
pub(super) fn run<L: LogicalProcess>(
    one: &mut L,
    other: &mut L,
    until: SimTime,
    mut watch: impl FnMut(SimTime, &L),
) -> Result<WindowStats, WindowError> {
    let seats = Side::both(one, other)?.map(|side| Seat(Mutex::new(side)));
    let shared = Shared { seats, has_failed: AtomicBool::new(false), failure: Mutex::new(None), until };
    thread::scope(|scope| {
        let theirs = scope.spawn(|| work(1, &shared, |_| ()));
        work(0, &shared, |side| watch(side.done, side.process));
        theirs.join().unwrap_or_else(|panic| resume_unwind(panic));
    });
    let failure = *shared.failure.lock().unwrap_or_else(PoisonError::into_inner);
    let [ones, others] = shared.seats.each_ref().map(|seat| seat.lock().stats);
    let (windows, messages) = (ones.windows + others.windows, ones.messages + others.messages);
    failure.map_or(Ok(WindowStats { windows, messages }), Err)
}

/// One thread's windows, `own` being the process that it runs as long as both have a processor.
fn work<L: LogicalProcess>(own: usize, shared: &Shared<'_, L>, seen: impl FnMut(&Side<'_, L>)) {
    let _end = EndOnPanic(&shared.has_failed);
    if let Err(failure) = windows(own, shared, seen) {
        shared.fail(failure);
    }
}

fn windows<L: LogicalProcess>(
    own: usize,
    shared: &Shared<'_, L>,
    mut seen: impl FnMut(&Side<'_, L>),
) -> Result<(), WindowError> {
    let mut looks = LOOKS;
    while !shared.has_failed.load(Ordering::Relaxed) {
        let mut side = shared.seats[own].lock();
        let turn = side.turn(shared.until)?;
        seen(&side);
        match turn {
            Turn::Over => return Ok(()),
            Turn::Ran => continue,
            Turn::Waits if side.listen(looks) => continue,
            Turn::Waits => drop(side),
        }
        let turn = match shared.seats[1 - own].0.try_lock() {
            Ok(mut other) => Some(other.turn(shared.until)?),
            Err(_) => None,
        };
        // Whoever runs both processes need not listen, for nobody else speaks.
        looks = if turn == Some(Turn::Ran) { 0 } else { LOOKS };
        if turn.is_none() {
            thread::sleep(NAP);
        }
    }
    Ok(())
}
