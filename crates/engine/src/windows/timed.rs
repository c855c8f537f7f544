//! Processes that take turns on one thread while a clock of the caller's times each alone.

use super::{LogicalProcess, WindowError, run};
use halftrack_base::{Span, Time};

/// A process whose work is timed.
struct Timed<'a, L, C> {
    process: &'a mut L,
    clock: C,
    /// Readings of the clock that passed while the process worked.
    spent: u64,
}

impl<L: LogicalProcess, C: Fn() -> u64 + Send> LogicalProcess for Timed<'_, L, C> {
    type Message = L::Message;

    #[inline]
    fn next_time(&mut self) -> Option<Time> {
        self.process.next_time()
    }

    #[inline]
    fn lookahead(&self, next: Time) -> Span {
        self.process.lookahead(next)
    }

    #[inline]
    fn run_until(&mut self, horizon: Time) {
        let began = (self.clock)();
        self.process.run_until(horizon);
        self.spent += (self.clock)().saturating_sub(began);
    }

    #[inline]
    fn outbox(&mut self) -> &mut Vec<(usize, L::Message)> {
        self.process.outbox()
    }

    #[inline]
    fn deliver(&mut self, message: L::Message) {
        self.process.deliver(message);
    }

    #[inline]
    fn lend(&mut self, other: &mut Self) {
        self.process.lend(other.process);
    }

    #[inline]
    fn take_back(&mut self, other: &mut Self) {
        self.process.take_back(other.process);
    }
}

/// Runs `processes` as [`super::run`] does on one thread. Returns what `clock`, which only goes forward, has gone on by while each
/// handled its events. What is delivered between two turns is nobody's.
///
/// # Errors
/// As [`super::run`].
pub fn run_timed<L: LogicalProcess>(
    processes: &mut [L],
    until: Time,
    clock: impl Fn() -> u64 + Copy + Send,
) -> Result<Vec<u64>, WindowError> {
    let mut timed: Vec<_> = processes.iter_mut().map(|process| Timed { process, clock, spent: 0 }).collect();
    run(&mut timed, until, 1)?;
    Ok(timed.into_iter().map(|process| process.spent).collect())
}
