//! Windows of two processes on two threads: each goes on as soon as the other's last report allows, and they never
//! meet.
//!
//! A process that is ahead in one window need not wait for the other in that same window, so that the time of a run is
//! near that of the busier process, and not the sum of the longer of each pair of windows. Where one thread has no
//! processor, as on a machine that does other work, the other runs both processes: a process is not tied to a thread, and
//! a window of it is run by the thread that holds its lock.

use std::hint::spin_loop;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::side::{Side, Turn};
use super::{LogicalProcess, WindowError, WindowStats};
use halftrack_base::Time;

/// Polls before a waiting thread runs the other's process, if its thread does not: some hundred microseconds, which
/// is many windows of a large machine and less than the time for which a preempted thread is away.
const SPINS: u32 = 10_000;
/// Sleep of a thread that can run neither process: the other's was interrupted within a window.
const NAP: Duration = Duration::from_micros(50);

/// A process, on cache lines of its own.
#[repr(align(128))]
struct Seat<'a, L: LogicalProcess> {
    side: Mutex<Side<'a, L>>,
    sent: PacketCount,
}

/// Number of packets that a process has sent, on a cache line of its own: a waiting thread polls it without the lock.
/// Packets counted here are in the ring.
#[repr(align(128))]
struct PacketCount(AtomicU64);

impl<'a, L: LogicalProcess> Seat<'a, L> {
    fn new(side: Side<'a, L>) -> Self {
        Self { side: Mutex::new(side), sent: PacketCount(AtomicU64::new(0)) }
    }

    /// Runs a turn of the process and shows it to `observe`. `None` while the other thread runs it, and when that has panicked,
    /// which has ended the run.
    fn turn(
        &self,
        until: Time,
        mut observe: impl FnMut(&Side<'a, L>) -> Result<(), WindowError>,
    ) -> Result<Option<Turn>, WindowError> {
        let Ok(mut side) = self.side.try_lock() else { return Ok(None) };
        let turn = side.turn(until);
        self.sent.0.store(side.packets(), Ordering::Release);
        let turn = turn?;
        observe(&side)?;
        Ok(Some(turn))
    }

    fn packets(&self) -> u64 {
        self.sent.0.load(Ordering::Acquire)
    }
}

/// State that the threads share.
struct Shared<'a, L: LogicalProcess> {
    seats: [Seat<'a, L>; 2],
    /// A process has failed. Nothing else is read after it, so it needs no order.
    has_failed: AtomicBool,
    failure: Mutex<Option<WindowError>>,
    until: Time,
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

/// Runs both processes on two threads, for [`super::run_watched`].
pub(super) fn run<L: LogicalProcess>(
    one: &mut L,
    other: &mut L,
    until: Time,
    mut watch: impl FnMut(Time, &L) -> Result<(), WindowError>,
) -> Result<WindowStats, WindowError> {
    let seats = Side::both(one, other)?.map(Seat::new);
    let shared = Shared { seats, has_failed: AtomicBool::new(false), failure: Mutex::new(None), until };
    thread::scope(|scope| {
        let theirs = scope.spawn(|| work(1, &shared, |_| Ok(())));
        work(0, &shared, |side| watch(side.done, side.process));
        theirs.join().unwrap_or_else(|panic| resume_unwind(panic));
    });
    let failure = *shared.failure.lock().unwrap_or_else(PoisonError::into_inner);
    let [ones, others] =
        shared.seats.each_ref().map(|seat| seat.side.lock().unwrap_or_else(PoisonError::into_inner).stats);
    let (windows, messages) = (ones.windows + others.windows, ones.messages + others.messages);
    failure.map_or(Ok(WindowStats { windows, messages }), Err)
}

/// Runs one thread's windows, `own` being the process that it runs as long as both have a processor.
fn work<L: LogicalProcess>(
    own: usize,
    shared: &Shared<'_, L>,
    observe: impl FnMut(&Side<'_, L>) -> Result<(), WindowError>,
) {
    let _end = EndOnPanic(&shared.has_failed);
    if let Err(failure) = windows(own, shared, observe) {
        shared.fail(failure);
    }
}

fn windows<L: LogicalProcess>(
    own: usize,
    shared: &Shared<'_, L>,
    mut observe: impl FnMut(&Side<'_, L>) -> Result<(), WindowError>,
) -> Result<(), WindowError> {
    let (ours, theirs) = (&shared.seats[own], &shared.seats[1 - own]);
    let mut spins = SPINS;
    while !shared.has_failed.load(Ordering::Relaxed) {
        let packets_seen = theirs.packets();
        match ours.turn(shared.until, &mut observe)? {
            Some(Turn::Over) => return Ok(()),
            Some(Turn::Ran) => continue,
            Some(Turn::Waits) | None => {}
        }
        let has_news = |_| {
            spin_loop();
            theirs.packets() != packets_seen
        };
        if (0..spins).any(has_news) {
            continue;
        }
        let turn = theirs.turn(shared.until, |_| Ok(()))?;
        // A thread that runs both processes need not poll, for no other thread sends.
        spins = if turn == Some(Turn::Ran) { 0 } else { SPINS };
        if turn.is_none() {
            thread::sleep(NAP);
        }
    }
    Ok(())
}
