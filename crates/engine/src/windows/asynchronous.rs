//! Windows of two processes on two threads: each goes on as soon as what it has heard of the other allows, and they never
//! meet.
//!
//! A process that is ahead in one window need not wait for the other in that same window, so that the time of a run is
//! near that of the busier process, and not the sum of the longer of each pair of windows. Where one thread has no
//! processor, as on a machine that does other work, the other runs both processes: who owns a process is not tied to who
//! runs it, and a window of it is run by whoever holds its lock.

use std::hint::spin_loop;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::side::{Side, Turn};
use super::{LogicalProcess, WindowError, WindowStats};
use crate::SimTime;

/// Looks for news before a thread that waits runs the other's process, if its thread does not: some hundred microseconds, which
/// is many windows of a large machine and less than a thread is away that has lost its processor.
const LOOKS: u32 = 10_000;
/// How long a thread sleeps that can run neither process: the other's was interrupted within a window.
const NAP: Duration = Duration::from_micros(50);

/// A process, on cache lines of its own.
#[repr(align(128))]
struct Seat<'a, L: LogicalProcess> {
    side: Mutex<Side<'a, L>>,
    news: News,
}

/// How many letters a process has sent, on a cache line of its own: who waits looks at it without the lock. Who has seen
/// the number finds the letters in the ring.
#[repr(align(128))]
struct News(AtomicU64);

impl<'a, L: LogicalProcess> Seat<'a, L> {
    fn new(side: Side<'a, L>) -> Self {
        Self { side: Mutex::new(side), news: News(AtomicU64::new(0)) }
    }

    /// Returns a turn of the process, at which `seen` looks then; `None` while the other thread runs it, and when that has panicked,
    /// which has ended the run.
    fn turn(&self, until: SimTime, mut seen: impl FnMut(&Side<'a, L>)) -> Result<Option<Turn>, WindowError> {
        let Ok(mut side) = self.side.try_lock() else { return Ok(None) };
        let turn = side.turn(until);
        self.news.0.store(side.letters(), Ordering::Release);
        seen(&side);
        turn.map(Some)
    }

    fn letters(&self) -> u64 {
        self.news.0.load(Ordering::Acquire)
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
    let seats = Side::both(one, other)?.map(Seat::new);
    let shared = Shared { seats, has_failed: AtomicBool::new(false), failure: Mutex::new(None), until };
    thread::scope(|scope| {
        let theirs = scope.spawn(|| work(1, &shared, |_| ()));
        work(0, &shared, |side| watch(side.done, side.process));
        theirs.join().unwrap_or_else(|panic| resume_unwind(panic));
    });
    let failure = *shared.failure.lock().unwrap_or_else(PoisonError::into_inner);
    let [ones, others] =
        shared.seats.each_ref().map(|seat| seat.side.lock().unwrap_or_else(PoisonError::into_inner).stats);
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
    let (ours, theirs) = (&shared.seats[own], &shared.seats[1 - own]);
    let mut looks = LOOKS;
    while !shared.has_failed.load(Ordering::Relaxed) {
        let heard = theirs.letters();
        match ours.turn(shared.until, &mut seen)? {
            Some(Turn::Over) => return Ok(()),
            Some(Turn::Ran) => continue,
            Some(Turn::Waits) | None => {}
        }
        let listens = |_| {
            spin_loop();
            theirs.letters() != heard
        };
        if (0..looks).any(listens) {
            continue;
        }
        let turn = theirs.turn(shared.until, |_| ())?;
        // Whoever runs both processes need not listen, for nobody else speaks.
        looks = if turn == Some(Turn::Ran) { 0 } else { LOOKS };
        if turn.is_none() {
            thread::sleep(NAP);
        }
    }
    Ok(())
}
