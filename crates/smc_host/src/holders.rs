//! Processes that have an end, as its state lists them.
//!
//! A process lists itself, and goes from the list when it closes the end or ends itself. One that was killed is found to be gone. Between
//! a fork and the child's own entry the parent counts it as one that is to come; a child that is killed before that is to come for ever,
//! and the other processes sleep in short parts then.

use std::sync::atomic::{AtomicU64, Ordering};

use rustix::process::{Pid, getpid, test_kill_process};

/// Words: children that are to come, and processes.
pub const HOLDER_WORDS: usize = 1 + PROCESSES_MAX;
/// Processes that are listed (our choice): of more, each is taken for one that never goes.
const PROCESSES_MAX: usize = 15;

/// List in shared memory.
#[derive(Debug, Clone, Copy)]
pub struct Holders<'a> {
    to_come: &'a AtomicU64,
    processes: &'a [AtomicU64],
}

impl<'a> Holders<'a> {
    /// Returns the list in these words.
    pub fn new(words: &'a [AtomicU64]) -> Self {
        Self { to_come: &words[0], processes: &words[1..] }
    }

    /// Counts a child that is to come.
    pub fn expect_child(self) {
        self.to_come.fetch_add(1, Ordering::AcqRel);
    }

    /// Lists this process, the child that was to come where `is_child`.
    pub fn enter(self, is_child: bool) {
        let is_listed = self.enter_as(own());
        if is_child && is_listed {
            self.to_come.fetch_sub(1, Ordering::AcqRel);
        }
    }

    /// Lists a process; false where the list is full.
    fn enter_as(self, process: u64) -> bool {
        let take = |word: &AtomicU64| {
            let taken = word.compare_exchange(0, process, Ordering::AcqRel, Ordering::Acquire);
            taken.is_ok() || taken == Err(process)
        };
        self.processes.iter().any(|word| word.load(Ordering::Acquire) == process)
            || self.processes.iter().any(take)
    }

    /// Takes this process from the list; returns whether it was the last one.
    pub fn leave(self) -> bool {
        let own = own();
        for word in self.processes {
            let _ = word.compare_exchange(own, 0, Ordering::AcqRel, Ordering::Relaxed);
        }
        !self.has_others()
    }

    /// Returns whether other processes have the end, or are to come.
    pub fn has_others(self) -> bool {
        let own = own();
        let is_other = |word: &AtomicU64| {
            let process = word.load(Ordering::Acquire);
            let is_there = process != 0 && process != own && is_alive(process);
            if process != 0 && process != own && !is_there {
                let _ = word.compare_exchange(process, 0, Ordering::AcqRel, Ordering::Relaxed);
            }
            is_there
        };
        self.to_come.load(Ordering::Acquire) > 0 || self.processes.iter().any(is_other)
    }
}

fn own() -> u64 {
    getpid().as_raw_nonzero().get() as u64
}

fn is_alive(process: u64) -> bool {
    let process = i32::try_from(process).ok().and_then(Pid::from_raw);
    // A process of another user is one.
    process.is_some_and(|process| test_kill_process(process) != Err(rustix::io::Errno::SRCH))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words() -> Vec<AtomicU64> {
        (0..HOLDER_WORDS).map(|_| AtomicU64::new(0)).collect()
    }

    #[test]
    fn the_last_process_is_found() {
        let words = words();
        let holders = Holders::new(&words);
        holders.enter(false);
        holders.enter(false);
        assert!(!holders.has_others());
        holders.expect_child();
        assert!(holders.has_others(), "a child is to come");
        holders.enter(true);
        assert!(!holders.has_others());
        // The process that began this one is alive.
        assert!(holders.enter_as(1) && holders.has_others() && !holders.leave());
        holders.enter(false);
        let mut gone = std::process::Command::new("true").spawn().unwrap();
        gone.wait().unwrap();
        words.iter().find(|word| word.load(Ordering::Relaxed) == 1).unwrap().store(0, Ordering::Relaxed);
        assert!(holders.enter_as(gone.id().into()) && !holders.has_others(), "one that was killed is gone");
        assert!(holders.leave());
    }

    #[test]
    fn a_full_list_has_others() {
        let words = words();
        let holders = Holders::new(&words);
        for process in 0..PROCESSES_MAX {
            assert!(holders.enter_as(1 << 40 | process as u64));
        }
        holders.expect_child();
        holders.enter(true);
        assert!(holders.has_others() && !holders.leave());
    }
}
