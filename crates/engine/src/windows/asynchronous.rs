//! Windows of two processes on two threads: each goes on as soon as what it knows of the other allows, and they never
//! meet.
//!
//! What each shows is a lower bound of what it will do next: its next event when its window began. The other's horizon
//! follows from it as in [`super::horizon`]; mail that lies in a box stands for an event at the earliest instant at which
//! it can arrive. So a process that is ahead in one window need not wait for the other in that same window, and the time
//! of a run is near that of the busier process, and not the sum of the longer of each pair of windows.

use std::hint::spin_loop;
use std::mem;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::horizon::{Outlook, check_lookaheads};
use super::sequential::look;
use super::{LogicalProcess, WindowError, WindowStats, check_destination};
use crate::{SimDuration, SimTime};

/// Looks before a thread that waits offers its processor to others: some microseconds, about a window's worth.
const SPINS: u32 = 100;
/// Offers before it sleeps until it is called: the other thread has no processor, or much to do.
const YIELDS: u32 = 100;

/// Messages as a process sends them, each with its destination, which of two is the other.
type Mail<M> = Vec<(usize, M)>;

/// What a process shows; and the box for its mail, which the other fills.
struct Shown<M> {
    outlook: Outlook,
    mail: Mail<M>,
    /// No mail in the box arrives before.
    mail_from: SimTime,
    /// Its thread sleeps.
    sleeps: bool,
}

impl<M> Shown<M> {
    /// What it does next, its mail included.
    fn first(&self) -> Outlook {
        Outlook { next: self.outlook.next.min(self.mail_from), ..self.outlook }
    }

    /// Shows `outlook` and takes the mail out; true when the other can see something new.
    fn show(&mut self, outlook: Outlook, mail: &mut Mail<M>) -> bool {
        let before = self.first();
        mem::swap(&mut self.mail, mail);
        self.outlook = Outlook { next: outlook.next.min(self.mail_from), ..outlook };
        self.mail_from = SimTime::MAX;
        self.outlook != before
    }
}

/// What both threads see under the lock.
struct Board<M> {
    shown: [Shown<M>; 2],
    over: bool,
    failure: Option<WindowError>,
}

/// How often a process has shown something new; on a cache line of its own.
#[repr(align(128))]
struct News(AtomicU32);

/// What the threads share.
struct Shared<M> {
    board: Mutex<Board<M>>,
    called: Condvar,
    news: [News; 2],
    until: SimTime,
}

impl<M> Shared<M> {
    /// A thread that panicked has ended the run too; what its lock guards is only dropped then.
    fn lock(&self) -> MutexGuard<'_, Board<M>> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `own` has shown something new.
    fn tell(&self, board: &Board<M>, own: usize) {
        self.news[own].0.fetch_add(1, Ordering::Release);
        if board.shown[1 - own].sleeps {
            self.called.notify_all();
        }
    }

    /// The run is over, or has failed.
    fn end(&self, own: usize, failure: Option<WindowError>) {
        let mut board = self.lock();
        board.over = true;
        let earlier = board.failure;
        board.failure = failure.map(|new| earlier.map_or(new, |old| old.min(new))).or(earlier);
        self.tell(&board, own);
    }

    /// Waits until the other shows something newer than `seen`.
    fn wait(&self, own: usize, seen: u32) {
        let is_new = || self.news[1 - own].0.load(Ordering::Acquire) != seen;
        for look in 0..SPINS + YIELDS {
            if is_new() {
                return;
            }
            if look < SPINS { spin_loop() } else { thread::yield_now() }
        }
        let mut board = self.lock();
        board.shown[own].sleeps = true;
        while !is_new() {
            board = self.called.wait(board).unwrap_or_else(PoisonError::into_inner);
        }
        board.shown[own].sleeps = false;
    }
}

/// Ends the run if its thread panics.
struct EndOnPanic<'a, M>(&'a Shared<M>, usize);

impl<M> Drop for EndOnPanic<'_, M> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.end(self.1, None);
        }
    }
}

/// See [`super::run`].
pub(super) fn run<L: LogicalProcess>(
    one: &mut L,
    other: &mut L,
    until: SimTime,
) -> Result<WindowStats, WindowError> {
    let shown = |outlook| Shown { outlook, mail: Vec::new(), mail_from: SimTime::MAX, sleeps: false };
    let outlooks = [look(0, one, SimTime::ZERO)?, look(1, other, SimTime::ZERO)?];
    let shared = Shared {
        board: Mutex::new(Board { shown: outlooks.map(shown), over: false, failure: None }),
        called: Condvar::new(),
        news: [const { News(AtomicU32::new(0)) }; 2],
        until,
    };
    let stats = thread::scope(|scope| {
        let theirs = scope.spawn(|| work(1, &mut *other, &shared));
        let mut stats = work(0, &mut *one, &shared);
        let theirs = theirs.join().unwrap_or_else(|panic| resume_unwind(panic));
        stats.windows += theirs.windows;
        stats.messages += theirs.messages;
        stats
    });
    let mut board = shared.lock();
    // What comes after the end of the run waits for the next one.
    let [ones, others] = &mut board.shown;
    ones.mail.drain(..).for_each(|(_, message)| one.deliver(message));
    others.mail.drain(..).for_each(|(_, message)| other.deliver(message));
    board.failure.map_or(Ok(stats), Err)
}

/// One thread's windows.
fn work<L: LogicalProcess>(own: usize, process: &mut L, shared: &Shared<L::Message>) -> WindowStats {
    let _end = EndOnPanic(shared, own);
    let mut stats = WindowStats::default();
    let ended = windows(own, process, shared, &mut stats);
    shared.end(own, ended.err());
    stats
}

fn windows<L: LogicalProcess>(
    own: usize,
    process: &mut L,
    shared: &Shared<L::Message>,
    stats: &mut WindowStats,
) -> Result<(), WindowError> {
    let mut outlook = look(own, process, SimTime::ZERO)?;
    let (mut done, mut mail, mut parcel) = (SimTime::ZERO, Vec::new(), Vec::new());
    // No mail of the window that has just been run arrives before.
    let mut parcel_from = SimTime::MAX;
    loop {
        let mut board = shared.lock();
        if board.over {
            return Ok(());
        }
        let is_parcel = post(&mut parcel, parcel_from, &mut board.shown[1 - own]);
        if board.shown[own].show(outlook, &mut mail) || is_parcel {
            shared.tell(&board, own);
        }
        let (others, seen) = (board.shown[1 - own].first(), shared.news[1 - own].0.load(Ordering::Relaxed));
        drop(board);

        let is_mail = !mail.is_empty();
        mail.drain(..).for_each(|(_, message)| process.deliver(message));
        outlook = look(own, process, done)?;
        check_lookaheads(&if own == 0 { [outlook, others] } else { [others, outlook] })?;
        // The other acts at its next event or at the first message from here.
        let answer = others.next.min(outlook.first_message());
        let horizon = answer.saturating_add(others.lookahead).min(shared.until);
        if outlook.next < horizon {
            // Half as far as the other reaches beyond it, so that the other sees what is done before it has to wait.
            let half = (outlook.lookahead / 2).max(SimDuration::from_ps(1));
            done = horizon.min(outlook.next.saturating_add(half));
            parcel_from = outlook.first_message();
            process.run_until(done);
            outlook = look(own, process, done)?;
            stats.windows += 1;
            // The parcel has been posted: the whole outbox takes its place, and no message is copied.
            mem::swap(process.outbox(), &mut parcel);
            parcel.iter().try_for_each(|(destination, _)| check_destination(own, *destination, 2))?;
            stats.messages += parcel.len() as u64;
        } else if outlook.next.min(others.next) >= shared.until && !is_mail {
            return Ok(());
        } else if !is_mail {
            // With mail it knows more than it has shown.
            shared.wait(own, seen);
        }
    }
}

/// Puts `parcel`, of which nothing arrives before `from`, into the box of its destination; false when it is empty.
fn post<M>(parcel: &mut Mail<M>, from: SimTime, destination: &mut Shown<M>) -> bool {
    if parcel.is_empty() {
        return false;
    }
    destination.mail_from = destination.mail_from.min(from);
    if destination.mail.is_empty() {
        mem::swap(&mut destination.mail, parcel);
    } else {
        destination.mail.append(parcel);
    }
    true
}
