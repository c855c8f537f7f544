//! Processors of both ends of a measured link.
//!
//! Two ends that spin in turn seem to the system to be two that can share a processor, and now and then it lets them:
//! a run then measures one processor instead of two. Each end gets its own, as a channel and a control unit have.

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// An end of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Control unit, or the end that answers.
    ControlUnit,
    /// Channel, or the end that requests.
    Channel,
}

/// Puts a process, or this thread, on the processor of its end. Where there is one processor only, or the system does
/// not allow it, it stays where it is: the figures are then those of the machine as it is.
pub fn place(process: Option<Pid>, end: End) {
    let Ok(allowed) = sched_getaffinity(process) else { return };
    let processors: Vec<_> = (0..CpuSet::MAX_CPU).filter(|&one| allowed.is_set(one)).take(2).collect();
    if let [first, second] = processors[..] {
        let mut own = CpuSet::new();
        own.set(if end == End::ControlUnit { first } else { second });
        let _ = sched_setaffinity(process, &own);
    }
}

/// Gives this thread its processors back when dropped.
#[derive(Debug)]
pub struct Placed(Option<CpuSet>);

/// Puts this thread on the processor of its end, as long as the value lives.
pub fn place_this_thread(end: End) -> Placed {
    let before = sched_getaffinity(None).ok();
    place(None, end);
    Placed(before)
}

impl Drop for Placed {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            // All processors allowed before are allowed again.
            let _ = sched_setaffinity(None, before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_have_a_processor_each_and_give_it_back() {
        let before = sched_getaffinity(None).unwrap();
        let mut held = Vec::new();
        for end in [End::ControlUnit, End::Channel] {
            let placed = place_this_thread(end);
            held.push(sched_getaffinity(None).unwrap());
            drop(placed);
            assert_eq!(sched_getaffinity(None).unwrap(), before);
        }
        let one_only = before.count() < 2;
        assert_eq!(held[0] == held[1], one_only);
        assert!(one_only || held.iter().all(|set| set.count() == 1));
    }
}
