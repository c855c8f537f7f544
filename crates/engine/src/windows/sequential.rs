//! Windows on one thread: the process that is furthest behind runs next.

use super::horizon::{Outlook, horizons};
use super::{LogicalProcess, WindowError, WindowStats, check_destination, check_not_late};
use crate::SimTime;

/// See [`super::run`].
pub(super) fn run<L: LogicalProcess>(
    processes: &mut [L],
    until: SimTime,
) -> Result<WindowStats, WindowError> {
    let mut stats = WindowStats::default();
    let mut outlooks = Vec::with_capacity(processes.len());
    let mut limits = vec![SimTime::ZERO; processes.len()];
    let mut done = vec![SimTime::ZERO; processes.len()];
    let mut outbox = Vec::new();
    loop {
        outlooks.clear();
        for (process, &done) in processes.iter_mut().zip(&done) {
            let next = process.next_time().unwrap_or(SimTime::MAX);
            check_not_late(outlooks.len(), next, done)?;
            outlooks.push(Outlook { next, lookahead: process.lookahead() });
        }
        horizons(&outlooks, until, &mut limits)?;
        let behind = outlooks.iter().enumerate().min_by_key(|(_, outlook)| outlook.next);
        let Some((behind, _)) = behind.filter(|(_, outlook)| outlook.next < until) else { return Ok(stats) };
        processes[behind].run_until(limits[behind], &mut outbox);
        done[behind] = limits[behind];
        stats.windows += 1;
        stats.messages += outbox.len() as u64;
        for (destination, message) in outbox.drain(..) {
            check_destination(behind, destination, processes.len())?;
            processes[destination].deliver(message);
        }
    }
}
