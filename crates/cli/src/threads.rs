//! `--threads` of a run: a number, or a number that is taken even where fewer threads are faster.

use std::thread;

use halftrack::Threads;

/// Most worker threads that may be named.
const THREADS_MAX: usize = 1024;

/// Parses `N` or `N!`.
///
/// # Errors
/// A sentence about a text that is neither.
pub fn parse(text: &str) -> Result<Threads, String> {
    let (number, is_exact) = text.strip_suffix('!').map_or((text, false), |number| (number, true));
    match number.parse() {
        Ok(threads @ 1..=THREADS_MAX) if is_exact => Ok(Threads::Exactly(threads)),
        Ok(threads @ 1..=THREADS_MAX) => Ok(Threads::AtMost(threads)),
        _ => {
            Err(format!("a number from 1 to {THREADS_MAX}, with `!` behind it to take that many in any case"))
        }
    }
}

/// Returns the threads of a run for which none are named: no more than there are processors for this process.
pub fn usable() -> Threads {
    Threads::AtMost(thread::available_parallelism().map_or(1, usize::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_a_limit_and_with_a_mark_exact() {
        assert_eq!(parse("2"), Ok(Threads::AtMost(2)));
        assert_eq!(parse("1024!"), Ok(Threads::Exactly(1024)));
        for refused in ["", "!", "0", "0!", "1025", "-1", "2!!", "two"] {
            assert!(parse(refused).is_err(), "{refused}");
        }
    }
}
