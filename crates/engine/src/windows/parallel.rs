//! Windows on several threads: processes are dealt to threads once and meet at a barrier twice a window.

use std::mem;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use super::barrier::{Barrier, PoisonOnPanic};
use super::horizon::{Outlook, horizons};
use super::{LogicalProcess, WindowError, WindowStats, check_destination, check_not_late};
use halftrack_base::{Span, Time};

/// State of one process that the other threads read; on cache lines of its own.
#[repr(align(128))]
struct Shown<M> {
    next_ps: AtomicU64,
    lookahead_ps: AtomicU64,
    inbox: Mutex<Vec<M>>,
}

/// State that the threads share.
struct Shared<M> {
    barrier: Barrier,
    shown: Vec<Shown<M>>,
    failure: Mutex<Option<WindowError>>,
    until: Time,
}

/// One process as its thread holds it.
struct Held<'a, L> {
    index: usize,
    process: &'a mut L,
    done: Time,
}

/// Returns a thread that panicked has poisoned the barrier too; what its lock guards is only dropped then.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `processes` on `threads` threads, for [`super::run`].
pub(super) fn run<L: LogicalProcess>(
    processes: &mut [L],
    until: Time,
    threads: usize,
) -> Result<WindowStats, WindowError> {
    let shown = processes.iter().map(|_| Shown {
        next_ps: AtomicU64::new(0),
        lookahead_ps: AtomicU64::new(0),
        inbox: Mutex::new(Vec::new()),
    });
    let shared = Shared {
        barrier: Barrier::new(threads as u32),
        shown: shown.collect(),
        failure: Mutex::new(None),
        until,
    };
    let mut hands: Vec<Vec<Held<'_, L>>> = (0..threads).map(|_| Vec::new()).collect();
    for (index, process) in processes.iter_mut().enumerate() {
        hands[index % threads].push(Held { index, process, done: Time::ZERO });
    }
    let stats = thread::scope(|scope| {
        let mut hands = hands.into_iter();
        let own = hands.next();
        let others: Vec<_> = hands.map(|hand| scope.spawn(|| work(hand, &shared))).collect();
        let mut stats = own.map_or_else(WindowStats::default, |hand| work(hand, &shared));
        for other in others {
            let theirs = other.join().unwrap_or_else(|panic| resume_unwind(panic));
            stats.messages += theirs.messages;
        }
        stats
    });
    lock(&shared.failure).map_or(Ok(stats), Err)
}

/// Runs one thread's windows.
fn work<L: LogicalProcess>(mut hand: Vec<Held<'_, L>>, shared: &Shared<L::Message>) -> WindowStats {
    let _poison = PoisonOnPanic(&shared.barrier);
    let mut stats = WindowStats::default();
    if let Err(failure) = windows(&mut hand, shared, &mut stats) {
        let mut first = lock(&shared.failure);
        *first = Some(first.map_or(failure, |other| other.min(failure)));
        drop(first);
        shared.barrier.poison();
    }
    stats
}

fn windows<L: LogicalProcess>(
    hand: &mut [Held<'_, L>],
    shared: &Shared<L::Message>,
    stats: &mut WindowStats,
) -> Result<(), WindowError> {
    let processes = shared.shown.len();
    let mut outlooks = Vec::with_capacity(processes);
    let mut limits = vec![Time::ZERO; processes];
    let mut parcels: Vec<Vec<L::Message>> = (0..processes).map(|_| Vec::new()).collect();
    let mut inbox = Vec::new();
    loop {
        for held in hand.iter_mut() {
            receive(held, &shared.shown[held.index], &mut inbox)?;
        }
        if shared.barrier.wait().is_err() {
            return Ok(());
        }
        outlooks.clear();
        outlooks.extend(shared.shown.iter().map(|shown| Outlook {
            next: Time::from_ps(shown.next_ps.load(Ordering::Relaxed)),
            lookahead: Span::from_ps(shown.lookahead_ps.load(Ordering::Relaxed)),
        }));
        horizons(&outlooks, shared.until, &mut limits)?;
        if outlooks.iter().all(|outlook| outlook.next >= shared.until) {
            return Ok(());
        }
        stats.windows += 1;
        for held in hand.iter_mut() {
            held.done = limits[held.index];
            held.process.run_until(held.done);
            let outbox = held.process.outbox();
            stats.messages += outbox.len() as u64;
            for (destination, message) in outbox.drain(..) {
                check_destination(held.index, destination, processes)?;
                parcels[destination].push(message);
            }
        }
        parcels.iter_mut().zip(&shared.shown).for_each(|(parcel, shown)| post(parcel, shown));
        if shared.barrier.wait().is_err() {
            return Ok(());
        }
    }
}

/// Delivers what has come for a process and shows its outlook.
fn receive<L: LogicalProcess>(
    held: &mut Held<'_, L>,
    shown: &Shown<L::Message>,
    inbox: &mut Vec<L::Message>,
) -> Result<(), WindowError> {
    mem::swap(&mut *lock(&shown.inbox), inbox);
    inbox.drain(..).for_each(|message| held.process.deliver(message));
    let next = held.process.next_time().unwrap_or(Time::MAX);
    check_not_late(held.index, next, held.done)?;
    shown.next_ps.store(next.as_ps(), Ordering::Relaxed);
    shown.lookahead_ps.store(held.process.lookahead(next).as_ps(), Ordering::Relaxed);
    Ok(())
}

/// Puts a parcel into the inbox of its destination.
fn post<M>(parcel: &mut Vec<M>, shown: &Shown<M>) {
    if parcel.is_empty() {
        return;
    }
    let mut inbox = lock(&shown.inbox);
    if inbox.is_empty() {
        mem::swap(&mut *inbox, parcel);
    } else {
        inbox.append(parcel);
    }
}
