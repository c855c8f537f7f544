//! Windows on one thread: the process that is furthest behind runs next.

use std::mem;

use super::horizon::{Outlook, check_lookaheads, horizon};
use super::{LogicalProcess, WindowError, WindowStats, check_destination, check_not_late};
use halftrack_base::Time;

/// Runs `processes` on this thread, for [`super::run`].
pub(super) fn run<L: LogicalProcess>(processes: &mut [L], until: Time) -> Result<WindowStats, WindowError> {
    let mut stats = WindowStats::default();
    let mut done = vec![Time::ZERO; processes.len()];
    let mut outlooks = Vec::with_capacity(processes.len());
    for (index, process) in processes.iter_mut().enumerate() {
        outlooks.push(outlook_of(index, process, Time::ZERO)?);
    }
    let mut packets = Vec::new();
    loop {
        let behind = outlooks.iter().enumerate().min_by_key(|(_, outlook)| outlook.turn());
        let Some((behind, _)) = behind.filter(|(_, outlook)| outlook.next < until) else { return Ok(stats) };
        check_lookaheads(&outlooks)?;
        let limit = horizon(behind, &outlooks, until);
        processes[behind].run_until(limit);
        done[behind] = limit;
        outlooks[behind] = outlook_of(behind, &mut processes[behind], limit)?;
        stats.windows += 1;
        mem::swap(processes[behind].outbox(), &mut packets);
        if packets.is_empty() {
            continue;
        }
        stats.messages += packets.len() as u64;
        for (destination, message) in packets.drain(..) {
            check_destination(behind, destination, processes.len())?;
            processes[destination].deliver(message);
        }
        // The outlook changes only where a message may have been delivered.
        for (index, process) in processes.iter_mut().enumerate().filter(|(index, _)| *index != behind) {
            outlooks[index] = outlook_of(index, process, done[index])?;
        }
    }
}

/// Returns the outlook of `process`, which has run until `done`.
#[inline]
pub(super) fn outlook_of<L: LogicalProcess>(
    index: usize,
    process: &mut L,
    done: Time,
) -> Result<Outlook, WindowError> {
    let next = process.next_time().unwrap_or(Time::MAX);
    check_not_late(index, next, done)?;
    Ok(Outlook { next, lookahead: process.lookahead(next) })
}
