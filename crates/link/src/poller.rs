//! Polling and sleeping: at once again while work comes, a little later when none comes, and not before there is reason
//! to when none has come for a while.

use std::io;
use std::os::fd::BorrowedFd;
use std::thread;

use halftrack_base::{Span, Time};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::clock::Clock;
use crate::transport::Transport;

/// Longest time without work before the thread sleeps, and longest sleep that a longer wait would have been worth:
/// several times the 15 µs that sleeping and waking cost the operating system.
const SPIN_MAX: Span = Span::from_us(100);
/// Shortest such time, when sleeps turn out to be long: an idle process costs next to nothing.
const SPIN_MIN: Span = Span::from_us(2);

/// Decision between polling again and sleeping.
#[derive(Debug, Clone)]
pub struct Poller {
    /// Time of polling without work before sleeping. It doubles when a sleep was so short that polling on would
    /// have been better, and is halved when a sleep was long.
    spin: Span,
    idle_since: Option<Time>,
    sleeps: u64,
    asleep: Span,
}

impl Default for Poller {
    fn default() -> Self {
        Self { spin: SPIN_MAX, idle_since: None, sleeps: 0, asleep: Span::default() }
    }
}

impl Poller {
    /// Ends one turn of the loop; `worked` is true when it found something to do. True when the thread is to call
    /// [`Poller::sleep`]; otherwise it polls again.
    #[inline]
    pub fn end_turn(&mut self, worked: bool, now: Time) -> bool {
        if worked {
            self.idle_since = None;
            return false;
        }
        let since = *self.idle_since.get_or_insert(now);
        if now.saturating_since(since) >= self.spin {
            return true;
        }
        // A thread that would have work for this one may wait for its processor.
        thread::yield_now();
        false
    }

    /// Sleeps until a transport or one of `others` has something, or `until`.
    ///
    /// # Errors
    /// An error of the operating system; an interruption by a signal is none.
    pub fn sleep(
        &mut self,
        clock: &Clock,
        until: Option<Time>,
        transports: &mut [&mut dyn Transport],
        others: &[BorrowedFd<'_>],
    ) -> io::Result<()> {
        let began = clock.now();
        let until = transports.iter().filter_map(|transport| transport.poll_timeout()).chain(until).min();
        let mut may_sleep = true;
        for transport in transports.iter_mut() {
            may_sleep &= transport.before_sleep();
        }
        let result = if may_sleep { wait(began, until, transports, others) } else { Ok(()) };
        for transport in transports.iter_mut() {
            transport.after_sleep();
        }
        self.note_sleep(clock.now().saturating_since(began));
        result
    }

    /// Notes a sleep of this length.
    fn note_sleep(&mut self, slept: Span) {
        let spin = if slept < SPIN_MAX { self.spin.saturating_add(self.spin) } else { self.spin / 2 };
        self.spin = spin.clamp(SPIN_MIN, SPIN_MAX);
        self.idle_since = None;
        self.sleeps += 1;
        self.asleep = self.asleep.saturating_add(slept);
    }

    /// Returns how often the thread has slept, and how long in all.
    #[must_use]
    pub fn sleeps(&self) -> (u64, Span) {
        (self.sleeps, self.asleep)
    }
}

fn wait(
    now: Time,
    until: Option<Time>,
    transports: &[&mut dyn Transport],
    others: &[BorrowedFd<'_>],
) -> io::Result<()> {
    let transports = transports.iter().map(|transport| {
        let room = if transport.is_full() { PollFlags::OUT } else { PollFlags::empty() };
        PollFd::from_borrowed_fd(transport.fd(), PollFlags::IN | room)
    });
    let others = others.iter().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN));
    let mut fds: Vec<_> = transports.chain(others).collect();
    let timeout = until.map(|until| timespec(until.saturating_since(now)));
    match poll(&mut fds, timeout.as_ref()) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Returns the rounded up, so that a time-out is due when the wait is over.
fn timespec(span: Span) -> Timespec {
    let ns = span.as_ps().div_ceil(1_000);
    Timespec { tv_sec: (ns / 1_000_000_000) as i64, tv_nsec: (ns % 1_000_000_000) as i64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InProcessTransport;
    use crate::buffers::OutBuffer;

    #[test]
    fn it_looks_again_for_a_while_and_then_sleeps() {
        let mut poller = Poller::default();
        let at = |us| Time::ZERO.saturating_add(Span::from_us(us));
        assert!(!poller.end_turn(true, at(1)));
        assert!(!poller.end_turn(false, at(2)));
        assert!(!poller.end_turn(false, at(101)));
        assert!(poller.end_turn(false, at(102)));
        assert!(!poller.end_turn(true, at(103)));
        assert!(!poller.end_turn(false, at(104)), "work begins the wait anew");
    }

    #[test]
    fn long_sleeps_make_it_sleep_sooner_and_short_ones_later() {
        let mut poller = Poller::default();
        (0..8).for_each(|_| poller.note_sleep(SPIN_MAX));
        assert_eq!((poller.spin, poller.sleeps()), (SPIN_MIN, (8, Span::from_us(800))));
        (0..8).for_each(|_| poller.note_sleep(Span::from_us(99)));
        assert_eq!(poller.spin, SPIN_MAX);
    }

    /// Bounds that hold on a busy machine too: no sleep is too short, and none that nothing would end begins.
    #[test]
    fn it_sleeps_until_its_time_has_come_or_octets_are_there() {
        let clock = Clock::start();
        let mut poller = Poller::default();
        let (mut near, mut far) = InProcessTransport::pair().unwrap();
        let until = clock.now().saturating_add(Span::from_us(300));
        poller.sleep(&clock, Some(until), &mut [&mut near], &[]).unwrap();
        assert!(clock.now() >= until);
        let mut out = OutBuffer::new(0);
        out.tail().push(1);
        far.send(&mut out).unwrap();
        poller.sleep(&clock, None, &mut [&mut near], &[]).unwrap();
    }
}
