//! Windows on one thread: the process that is furthest behind runs next.

use std::mem;

use super::horizon::{Outlook, check_lookaheads, horizon};
use super::{LogicalProcess, WindowError, WindowStats, check_destination, check_not_late};
use crate::SimTime;

/// See [`super::run`].
pub(super) fn run<L: LogicalProcess>(
    processes: &mut [L],
    until: SimTime,
) -> Result<WindowStats, WindowError> {
    let mut stats = WindowStats::default();
    let mut done = vec![SimTime::ZERO; processes.len()];
    let mut outlooks = Vec::with_capacity(processes.len());
    for (index, process) in processes.iter_mut().enumerate() {
        outlooks.push(look(index, process, SimTime::ZERO)?);
    }
    let mut letters = Vec::new();
    loop {
        let behind = outlooks.iter().enumerate().min_by_key(|(_, outlook)| outlook.next);
        let Some((behind, _)) = behind.filter(|(_, outlook)| outlook.next < until) else { return Ok(stats) };
        check_lookaheads(&outlooks)?;
        let limit = horizon(behind, &outlooks, until);
        processes[behind].run_until(limit);
        done[behind] = limit;
        outlooks[behind] = look(behind, &mut processes[behind], limit)?;
        stats.windows += 1;
        mem::swap(processes[behind].outbox(), &mut letters);
        if letters.is_empty() {
            continue;
        }
        stats.messages += letters.len() as u64;
        for (destination, message) in letters.drain(..) {
            check_destination(behind, destination, processes.len())?;
            processes[destination].deliver(message);
        }
        // Only those that may have got a message look out on something new.
        for (index, process) in processes.iter_mut().enumerate().filter(|(index, _)| *index != behind) {
            outlooks[index] = look(index, process, done[index])?;
        }
    }
}

/// Returns what `process`, which has run until `done`, tells of itself.
#[inline]
pub(super) fn look<L: LogicalProcess>(
    index: usize,
    process: &mut L,
    done: SimTime,
) -> Result<Outlook, WindowError> {
    let next = process.next_time().unwrap_or(SimTime::MAX);
    check_not_late(index, next, done)?;
    Ok(Outlook { next, lookahead: process.lookahead() })
}
