//! Transport of a link with the faults of its line.

use std::io;
use std::os::fd::BorrowedFd;
use std::rc::Rc;

use halftrack_base::{Span, Time};
use halftrack_wire::fcip::Encapsulated;

use super::line_faults::LineFaults;
use super::linger::linger;
use crate::access::Attached;
use crate::buffers::{InBuffer, OutBuffer};
use crate::line_effects::{Lane, carry, whole_bytes};
use crate::transport::{Received, Transport};

/// The two directions: from this end, and to it.
const FROM_HERE: usize = 0;
const TO_HERE: usize = 1;

/// One end of a link, with what is under way in both directions.
pub struct FaultyTransport<T: Transport + Send + 'static> {
    /// Nothing once it was given away to bring what is under way.
    inner: Option<T>,
    line: Rc<LineFaults>,
    made: Time,
    lanes: [Lane; 2],
    /// Octets that have arrived at the transport, which takes them as it has room.
    out: OutBuffer,
    /// Octets that came, up to a whole frame.
    came: InBuffer,
}

impl<T: Transport + Send + 'static> FaultyTransport<T> {
    /// Returns a link over `inner` that begins now.
    pub fn new(inner: T, line: &Rc<LineFaults>) -> Self {
        let made = line.now();
        let line = Rc::clone(line);
        let (out, came) = (OutBuffer::default(), InBuffer::default());
        Self { inner: Some(inner), line, made, lanes: Default::default(), out, came }
    }

    fn inner(&self) -> &T {
        self.inner.as_ref().expect("it is there until the end")
    }

    fn inner_mut(&mut self) -> &mut T {
        self.inner.as_mut().expect("it is there until the end")
    }

    /// Puts a batch of whole frames on its way.
    fn carry(&mut self, now: Time, way: usize, batch: Vec<u8>) {
        let effects = self.line.effects(now);
        carry(&mut self.lanes, way, (now, batch), &effects, &mut self.line.random().borrow_mut());
    }

    /// Hands to the transport what has arrived there.
    fn pump(&mut self, now: Time) -> io::Result<()> {
        if now >= self.line.stalled_until(now, true) {
            while let Some((_, batch)) = self.lanes[FROM_HERE].batches.pop_front_if(|(at, _)| *at <= now) {
                self.out.tail().extend_from_slice(&batch);
            }
        }
        let Self { inner: Some(inner), out, .. } = self else { return Ok(()) };
        inner.send(out)
    }

    /// Takes what came over the transport.
    fn take(&mut self, now: Time) -> io::Result<()> {
        let Self { inner: Some(inner), lanes, came, .. } = self else { return Ok(()) };
        match inner.receive(came)? {
            Received::Nothing if came.as_slice().is_empty() => return Ok(()),
            Received::Octets(_) | Received::Nothing => {}
            Received::Closed => lanes[TO_HERE].ends = Some(now),
        }
        let is_stream = Encapsulated::parse(came.as_slice()).is_ok();
        let whole = if is_stream { whole_bytes(came.as_slice()) } else { came.as_slice().len() };
        let batch = came.take(whole).to_vec();
        match batch.is_empty() {
            true => {}
            false if is_stream => self.carry(now, TO_HERE, batch),
            // No frames: their receiver closes the link.
            false => lanes[TO_HERE].put_in_order(now, batch, Span::ZERO),
        }
        Ok(())
    }
}

impl<T: Transport + Send + 'static> Transport for FaultyTransport<T> {
    fn send(&mut self, out: &mut OutBuffer) -> io::Result<()> {
        let now = self.line.now();
        if self.line.is_over(self.made, now) {
            drop(out.take_batch(Vec::new()));
            return Ok(());
        }
        if !out.is_empty() && self.out.is_empty() {
            let batch = out.take_batch(Vec::new());
            self.carry(now, FROM_HERE, batch);
        }
        self.pump(now)
    }

    fn receive(&mut self, into: &mut InBuffer) -> io::Result<Received> {
        let now = self.line.now();
        if self.line.is_over(self.made, now) {
            return Ok(Received::Closed);
        }
        self.pump(now)?;
        if self.lanes[TO_HERE].ends.is_none() {
            self.take(now)?;
        }
        if now < self.line.stalled_until(now, false) {
            return Ok(Received::Nothing);
        }
        let lane = &mut self.lanes[TO_HERE];
        let mut count = 0;
        while let Some((_, batch)) = lane.batches.pop_front_if(|(at, _)| *at <= now) {
            into.room(batch.len())[..batch.len()].copy_from_slice(&batch);
            into.filled(batch.len());
            count += batch.len();
        }
        Ok(match (count, lane.batches.is_empty() && lane.ends.is_some()) {
            (0, true) => Received::Closed,
            (0, false) => Received::Nothing,
            _ => Received::Octets(count),
        })
    }

    fn fd(&self) -> BorrowedFd<'_> {
        self.inner().fd()
    }

    fn is_full(&self) -> bool {
        !self.out.is_empty() && self.inner().is_full()
    }

    fn is_given_up(&self) -> bool {
        self.line.is_over(self.made, self.line.now()) || self.inner().is_given_up()
    }

    fn before_sleep(&mut self) -> bool {
        self.inner_mut().before_sleep()
    }

    fn after_sleep(&mut self) {
        self.inner_mut().after_sleep();
    }

    fn poll_timeout(&self) -> Option<Time> {
        let now = self.line.now();
        let arrivals = [FROM_HERE, TO_HERE].into_iter().filter_map(|way| {
            let (at, _) = self.lanes[way].batches.front()?;
            Some((*at).max(self.line.stalled_until(now, way == FROM_HERE)))
        });
        arrivals.chain(self.line.next(now)).min()
    }

    fn peer(&self) -> String {
        self.inner().peer()
    }

    fn attached(&self) -> Option<&Attached> {
        self.inner().attached()
    }

    fn is_protected(&self) -> bool {
        self.inner().is_protected()
    }
}

impl<T: Transport + Send + 'static> Drop for FaultyTransport<T> {
    /// Leaves what is under way to arrive after this end has gone.
    fn drop(&mut self) {
        let Some(inner) = self.inner.take() else { return };
        let now = self.line.now();
        let stalled = self.line.stalled_until(now, true);
        let batches = std::mem::take(&mut self.lanes[FROM_HERE].batches);
        let late = batches.into_iter().map(|(at, batch)| (at.max(stalled).saturating_since(now), batch));
        let late: Vec<_> = late.collect();
        if !late.is_empty() {
            linger(inner, std::mem::take(&mut self.out), late);
        }
    }
}
