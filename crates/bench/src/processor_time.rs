//! Processor time of this thread and of the whole process, which other work on the machine does not lengthen.
//!
//! It comes from the C library, since rustix jumps into the kernel's page by itself, which callgrind does not follow.

use std::time::Duration;

/// Returns the processor time of this thread so far (`CLOCK_THREAD_CPUTIME_ID`, clock_gettime(2)).
#[cfg(unix)]
pub fn thread_time() -> Duration {
    time_of(nix::time::ClockId::CLOCK_THREAD_CPUTIME_ID)
}

/// Returns the processor time so far of all threads of this process, those that have ended too (`CLOCK_PROCESS_CPUTIME_ID`). A tick
/// of proc(5), 10 ms, is longer than a short run.
#[cfg(unix)]
pub fn process_time() -> Duration {
    time_of(nix::time::ClockId::CLOCK_PROCESS_CPUTIME_ID)
}

#[cfg(unix)]
fn time_of(clock: nix::time::ClockId) -> Duration {
    clock.now().expect("every POSIX system has the clock").into()
}

/// Returns the wall clock since its first call, where the system has no such clock.
#[cfg(not(unix))]
pub fn thread_time() -> Duration {
    static FIRST: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    FIRST.get_or_init(std::time::Instant::now).elapsed()
}

/// Returns the time of this thread, where the system has no such clock.
#[cfg(not(unix))]
pub fn process_time() -> Duration {
    thread_time()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Spins until this thread has had a processor for so long.
    fn work(time: Duration) {
        let began = thread_time();
        while thread_time() - began < time {
            std::hint::spin_loop();
        }
    }

    #[test]
    #[cfg(unix)]
    fn it_grows_with_work_and_not_with_waiting() {
        let began = thread_time();
        std::thread::sleep(Duration::from_millis(50));
        let waited = thread_time() - began;
        assert!(waited < Duration::from_millis(25), "{waited:?} of work in 50 ms of sleep");
        work(Duration::from_micros(10));
    }

    /// A run of microseconds has taken time too, though no tick of proc(5) has passed.
    #[test]
    #[cfg(unix)]
    fn the_process_has_what_its_threads_had() {
        let (process, own) = (process_time(), thread_time());
        work(Duration::from_micros(50));
        let mine = thread_time() - own;
        assert!(process_time() - process >= mine);
        let process = process_time();
        std::thread::spawn(|| work(Duration::from_millis(2))).join().expect("it only spins");
        assert!(process_time() - process >= Duration::from_millis(2));
    }
}
