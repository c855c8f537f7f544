//! Processor time of a run by its threads, as `/proc` tells it: without a system call that callgrind does not follow.

use std::fs;
use std::time::Duration;

/// What a tick of proc(5) lasts, ns: USER_HZ is 100 on every Linux.
const TICK_NS: u64 = 10_000_000;

/// Processor time so far of all threads of this process, those that have ended too, to 10 ms; `None` where the system
/// does not tell (`utime` and `stime` of `/proc/self/stat`, proc(5)).
pub fn process_time() -> Option<Duration> {
    ticks(&fs::read_to_string("/proc/self/stat").ok()?).map(|ticks| Duration::from_nanos(ticks * TICK_NS))
}

/// That of this thread alone; `None` where the system does not tell (the first field of `schedstat`).
pub fn thread_time() -> Option<Duration> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

/// Fields 14 and 15 of `stat`, together. The command in field 2 may hold anything, so that fields are counted behind it.
fn ticks(stat: &str) -> Option<u64> {
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let (user, system): (u64, u64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    user.checked_add(system)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_are_found_behind_the_command() {
        let stat = "77 (a ) b) S 1 2 3 4 5 6 7 8 9 10 150 25 13 14";
        assert_eq!(ticks(stat), Some(175));
        for wrong in ["", "77 (x) S 1 2", "77 x S 1 2 3 4 5 6 7 8 9 10 150 25"] {
            assert_eq!(ticks(wrong), None, "{wrong}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_process_has_what_its_threads_had() {
        let (process, own) = (process_time().expect("told"), thread_time().expect("told"));
        let worked = std::thread::spawn(|| {
            let began = thread_time().expect("told");
            while thread_time().expect("told") - began < Duration::from_millis(60) {
                std::hint::spin_loop();
            }
        });
        worked.join().expect("it only spins");
        assert!(process_time().expect("told") - process >= Duration::from_millis(30));
        assert!(thread_time().expect("told") - own < Duration::from_millis(60), "it has waited");
    }
}
