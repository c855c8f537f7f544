//! Group commit of a control unit: one barrier for all chains of a volume that wait, and the status of none before it.
//!
//! ```text
//! chain ends ─ status withheld ─► group ─ journal record ─► barrier (a thread of the volume) ─► status of all, in order
//!                                   ▲ chains that end during a barrier: the next group
//! ```
//!
//! When a group is due is the volume's [`BarrierPace`]. Without threads, as in virtual time, barriers are done in line when
//! a port has taken its frames.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::rc::Rc;
use std::sync::Arc;

use halftrack_base::Time;
use halftrack_shared_memory::Event;
use halftrack_volume::FileBarrier;

use super::barrier_board::BarrierBoard;
use super::barrier_pace::BarrierPace;
use super::barrier_thread::BarrierThread;
use super::served_volume::ServedVolume;
use super::shared_volume::VolumeHome;

/// Barriers of one volume.
#[derive(Debug, Default)]
struct VolumeBarriers {
    thread: Option<BarrierThread>,
    pace: BarrierPace,
}

impl VolumeBarriers {
    /// Gives a barrier to the thread of the volume, or back when there is none to be had.
    fn start(&mut self, barrier: FileBarrier, waker: &Arc<Event>) -> Result<(), FileBarrier> {
        if self.thread.is_none() {
            self.thread = BarrierThread::start(Arc::clone(waker)).ok();
        }
        match &self.thread {
            Some(thread) => thread.begin(barrier),
            None => Err(barrier),
        }
    }
}

/// Barriers of the volumes of a control unit.
#[derive(Debug, Default)]
pub struct Barriers {
    board: Rc<BarrierBoard>,
    volumes: Vec<VolumeBarriers>,
    waker: Option<Arc<Event>>,
    /// Barriers under way.
    under_way: usize,
    /// Barriers that have ended.
    ended: u64,
    /// When the first group is due that waits for more chains.
    due: Option<Time>,
}

impl Barriers {
    /// Returns where volumes note that they want barriers.
    pub fn board(&self) -> &Rc<BarrierBoard> {
        &self.board
    }

    /// Adds a volume.
    pub fn add_volume(&mut self) {
        self.volumes.push(VolumeBarriers::default());
    }

    /// Does barriers in threads from now on.
    ///
    /// # Errors
    /// An error of the operating system; they are done in line then.
    pub fn begin_threads(&mut self) -> io::Result<()> {
        self.waker = Some(Arc::new(Event::new()?));
        Ok(())
    }

    /// Returns what becomes readable when a barrier is over.
    pub fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.waker.as_ref().map(|waker| waker.as_fd())
    }

    /// Returns when [`Barriers::begin`] is to be called at the latest.
    pub fn due(&self) -> Option<Time> {
        self.due
    }

    /// Returns the barriers that have ended: after another one, endings may be withheld no longer.
    #[inline]
    pub fn ended(&self) -> u64 {
        self.ended
    }

    /// Does the barriers in line that are wanted, unless there are threads for them.
    #[inline]
    pub fn end_batch<'a>(&mut self, home_of: impl Fn(usize) -> Option<&'a VolumeHome>) {
        if self.waker.is_some() || self.board.is_empty() {
            return;
        }
        for number in self.board.take() {
            with_volume(home_of(number), |volume| {
                if let Some(barrier) = volume.begin_barrier() {
                    volume.end_barrier(barrier.wait());
                }
            });
            self.ended += 1;
        }
    }

    /// Begins the barriers that are due.
    #[inline]
    pub fn begin<'a>(&mut self, now: Time, home_of: impl Fn(usize) -> Option<&'a VolumeHome>) {
        self.due = None;
        if self.waker.is_none() || self.board.is_empty() {
            return;
        }
        for number in self.board.take() {
            with_volume(home_of(number), |volume| self.begin_of(now, number, volume));
        }
    }

    /// Begins the barrier of a volume, or notes when it is due.
    fn begin_of(&mut self, now: Time, number: usize, volume: &mut ServedVolume) {
        let (Some(one), Some(waker)) = (self.volumes.get_mut(number), &self.waker) else { return };
        let waiting = volume.waiting_chains();
        one.pace.count(now, waiting);
        let (due, is_under_way) = (one.pace.due(), one.pace.is_under_way());
        if is_under_way || waiting > 0 && due > now {
            self.board.keep(number);
            self.due = self.due.into_iter().chain((!is_under_way).then_some(due)).min();
            return;
        }
        match volume.begin_barrier().map(|barrier| one.start(barrier, waker)) {
            Some(Ok(())) => {
                one.pace.begin(now);
                self.under_way += 1;
                return;
            }
            // There is no thread to be had.
            Some(Err(barrier)) => volume.end_barrier(barrier.wait()),
            None => {}
        }
        self.ended += 1;
    }

    /// Ends the barriers that are over; true when there was one.
    #[inline]
    pub fn collect<'a>(&mut self, now: Time, home_of: impl Fn(usize) -> Option<&'a VolumeHome>) -> bool {
        if self.under_way == 0 {
            return false;
        }
        let before = self.ended;
        if let Some(waker) = &self.waker {
            waker.reset();
        }
        for (number, one) in self.volumes.iter_mut().enumerate().filter(|(_, one)| one.pace.is_under_way()) {
            let Some(result) = one.thread.as_ref().and_then(BarrierThread::poll) else { continue };
            with_volume(home_of(number), |volume| {
                one.pace.count(now, volume.waiting_chains());
                volume.end_barrier(result);
                one.pace.end(now);
            });
            self.under_way -= 1;
            self.ended += 1;
        }
        before != self.ended
    }

    /// Waits for every barrier under way.
    pub fn finish<'a>(&mut self, home_of: impl Fn(usize) -> Option<&'a VolumeHome>) {
        for (number, one) in self.volumes.iter_mut().enumerate().filter(|(_, one)| one.pace.is_under_way()) {
            one.pace.give_up();
            if let Some(thread) = &one.thread {
                with_volume(home_of(number), |volume| volume.end_barrier(thread.wait()));
            }
        }
        self.under_way = 0;
    }
}

/// Does something to the volume at `home`.
fn with_volume(home: Option<&VolumeHome>, act: impl FnOnce(&mut ServedVolume)) {
    if let Some(home) = home
        && let Some(mut volume) = home.take()
    {
        act(&mut volume);
        home.set(Some(volume));
    }
}
