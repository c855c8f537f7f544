//! How long this thread has been on a processor: what other work on the machine does not lengthen.

use std::time::Duration;

/// Processor time of this thread so far (`CLOCK_THREAD_CPUTIME_ID`, clock_gettime(2)).
#[cfg(unix)]
pub fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    // Neither part of a time that was spent is negative.
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

/// Where the system has no such clock, the wall clock since this was first asked.
#[cfg(not(unix))]
pub fn processor_time() -> Duration {
    static FIRST: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    FIRST.get_or_init(std::time::Instant::now).elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn it_grows_with_work_and_not_with_waiting() {
        let began = processor_time();
        std::thread::sleep(Duration::from_millis(50));
        let waited = processor_time() - began;
        assert!(waited < Duration::from_millis(25), "{waited:?} of work in 50 ms of sleep");
        while processor_time() - began < waited + Duration::from_micros(10) {
            std::hint::spin_loop();
        }
    }
}
