//! Conservative windows over logical processes.
//!
//! Each process handles its events up to a horizon before which nothing from the others can arrive. The processes are
//! fixed by the caller and never by the number of threads; because every process orders its events by
//! ([`Time`], [`crate::Order`]), and messages carry both, its history does not depend on the threads.

mod asynchronous;
mod barrier;
mod horizon;
mod pair;
mod parallel;
mod sequential;
mod side;
mod timed;
mod watch;

pub use timed::run_timed;
pub use watch::Watch;

use std::ops::ControlFlow;

use thiserror::Error;

use halftrack_base::{Span, Time};

/// Part of a run that owns its state and its pending events, and communicates with the other parts by messages only.
pub trait LogicalProcess: Send {
    /// Message between processes. It carries its time and [`crate::Order`], so that it takes the same place
    /// among the receiver's events whenever it is delivered.
    type Message: Send;

    /// Returns the time of the first pending event, if any.
    fn next_time(&mut self) -> Option<Time>;

    /// Returns the lookahead of the process, whose first pending event is at `next`. Whatever it handles from now on, no
    /// message arrives before `next` + this. If another process has it handle an event at an earlier `t`, none arrives
    /// before `t` + this. It may change from window to window. At most one process has none; the order of what it sends for
    /// the instant of an event is not before that of any event that it has handled at this instant.
    fn lookahead(&self, next: Time) -> Span;

    /// Handles all events strictly before `horizon`, those that arise meanwhile included.
    fn run_until(&mut self, horizon: Time);

    /// Returns the outbox, with each message the index of its destination, which is another
    /// process. The caller of `run_until` empties it.
    fn outbox(&mut self) -> &mut Vec<(usize, Self::Message)>;

    /// Accepts a message, usually into the pending set.
    fn deliver(&mut self, message: Self::Message);

    /// Lends `other` the pending set of this process, which waits on the same thread while `other` runs. Messages of `other`
    /// then need not go through the outbox. The default lends nothing.
    fn lend(&mut self, other: &mut Self) {
        _ = other;
    }

    /// Takes back the pending set.
    fn take_back(&mut self, other: &mut Self) {
        _ = other;
    }
}

/// Counts of a run. They may differ between numbers of threads and are no part of a run's results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WindowStats {
    /// Windows run, summed over the processes if they took turns on one thread.
    pub windows: u64,
    /// Messages delivered from outboxes.
    pub messages: u64,
}

/// Reason why a run stopped early. The processes are then in no defined state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Error)]
pub enum WindowError {
    /// A process promises no distance in time, and another neither, so no window can be opened.
    #[error("logical process {process} has no lookahead")]
    ZeroLookahead {
        /// Index of the process.
        process: usize,
    },
    /// A message arrived before a horizon up to which its receiver had already run: some lookahead was too long.
    #[error("logical process {process} received an event for {at} after it had run until {horizon}")]
    LateMessage {
        /// Index of the receiver.
        process: usize,
        /// Time of the event.
        at: Time,
        /// How far the receiver had run.
        horizon: Time,
    },
    /// A message was addressed to no process, or to its own sender.
    #[error("logical process {process} sent a message to {destination}, which is no other process")]
    BadDestination {
        /// Index of the sender.
        process: usize,
        /// The address.
        destination: usize,
    },
    /// The observer broke the run off.
    #[error("the run was stopped")]
    Stopped,
}

/// Runs `processes` until all events before `until` have been handled; a later call may go on from there.
///
/// With one thread (or one process) they take turns, always the one that is furthest behind, each as far as the others
/// allow. Two of them on two threads go on as soon as each has received a report that allows it. More of them are dealt to
/// the threads in turn and meet at a barrier twice a window.
///
/// # Errors
/// [`WindowError`] when a process breaks the contract of [`LogicalProcess`].
///
/// # Panics
/// When a process panics; the other threads then stop too.
pub fn run<L: LogicalProcess>(
    processes: &mut [L],
    until: Time,
    threads: usize,
) -> Result<WindowStats, WindowError> {
    match (threads.min(processes.len()), processes) {
        (0 | 1, [one, other]) => pair::run(one, other, until),
        (0 | 1, processes) => sequential::run(processes, until),
        (_, [one, other]) => asynchronous::run(one, other, until, |_, _| Ok(())),
        (threads, processes) => parallel::run(processes, until, threads),
    }
}

/// Runs `processes` as [`run`] does, and shows `watch` the first one about once a step. Two threads are started only once;
/// otherwise the run is cut into steps. The result does not depend on it.
///
/// # Errors
/// As [`run`]; [`WindowError::Stopped`] when `watch` breaks the run off.
///
/// # Panics
/// As [`run`].
pub fn run_watched<L: LogicalProcess>(
    processes: &mut [L],
    until: Time,
    threads: usize,
    mut watch: Watch<impl FnMut(Time, &L) -> ControlFlow<(), Span>>,
) -> Result<WindowStats, WindowError> {
    if let (2.., [one, other]) = (threads, &mut *processes) {
        return asynchronous::run(one, other, until, |done, first| watch.observe(done, first));
    }
    let mut stats = WindowStats::default();
    loop {
        let end = watch.next().min(until);
        let step = run(processes, end, threads)?;
        stats.windows += step.windows;
        stats.messages += step.messages;
        if let Some(first) = processes.first() {
            watch.observe(end, first)?;
        }
        if end == until {
            return Ok(stats);
        }
    }
}

/// Fails when an event is pending for a time that its process has already passed.
#[inline]
fn check_not_late(process: usize, next: Time, done: Time) -> Result<(), WindowError> {
    if next < done {
        return Err(WindowError::LateMessage { process, at: next, horizon: done });
    }
    Ok(())
}

/// Fails when `destination` is not another one of `processes`.
#[inline]
fn check_destination(process: usize, destination: usize, processes: usize) -> Result<(), WindowError> {
    if destination == process || destination >= processes {
        return Err(WindowError::BadDestination { process, destination });
    }
    Ok(())
}
