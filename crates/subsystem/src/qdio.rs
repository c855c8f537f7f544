//! The queues of an FCP subchannel in storage (QDIO): buffers that the program and the adapter own in turn, and the
//! indicator by which one interruption reports any number of responses. No storage, no time: the contents of a buffer are
//! the caller's.
//!
//! ```text
//! request queue   program posts ─► adapter takes ─► adapter gives back, in whatever order ─► program posts again
//! response queue  adapter: response in, then indicator on ─ was off ─► adapter interruption
//!                 program: indicator off, then responses until there is none; again when the indicator is on
//! ```
//!
//! The program turns the indicator off before it searches, and the adapter turns it on after its response is in. Whichever
//! comes first, this search finds the response, or an interruption leads to another one.

use std::collections::VecDeque;

use thiserror::Error;

/// Buffers of a queue.
pub const QUEUE_BUFFERS: usize = u128::BITS as usize;

/// Most buffers of one request.
pub const REQUEST_BUFFERS_MAX: u8 = 36;

/// Bytes of storage that an entry of a buffer describes: a page.
const ENTRY_BYTES: u64 = 4096;
/// Entries of a buffer.
const BUFFER_ENTRIES: u64 = 16;
/// Entries of a request that are no data: that of its id, and that of its QTCB.
const OTHER_ENTRIES: u64 = 2;

/// Returns the buffers of a request with so many bytes of data, in whole pages (multi-buffer). The program splits what has more than
/// the most that a request may have.
#[must_use]
pub fn request_buffers(data_bytes: u64) -> u8 {
    let entries = data_bytes.div_ceil(ENTRY_BYTES) + OTHER_ENTRIES;
    u8::try_from(entries.div_ceil(BUFFER_ENTRIES)).map_or(REQUEST_BUFFERS_MAX, |n| n.min(REQUEST_BUFFERS_MAX))
}

/// Reason for which a queue takes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum QueueError {
    /// The queues are not active.
    #[error("the queues are not active")]
    Inactive,
    /// A request has no buffer, or too many.
    #[error("a request has 1 to {REQUEST_BUFFERS_MAX} buffers, not {0}")]
    Buffers(u8),
    /// The other side owns the next buffers.
    #[error("the queue is full")]
    Full,
}

/// Signal that a posted request demands of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// SIGA-w: the adapter does not search the queue.
    Write,
    /// None: the adapter searches, or is signalled already.
    None,
}

/// A request in the queue, at the first of its buffers.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Posted<Q> {
    /// None once the adapter has taken it.
    request: Option<Q>,
    buffers: u8,
}

/// The queues of an FCP subchannel, with requests `Q` and responses `R`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Qdio<Q, R> {
    is_active: bool,
    /// Buffers of the request queue that the adapter owns, a bit each.
    taken: u128,
    posted: [Option<Posted<Q>>; QUEUE_BUFFERS],
    /// Buffer that the program posts next, unless the adapter keeps it.
    next_post: usize,
    /// First buffers of the requests that the adapter takes next, in order.
    untaken: VecDeque<u8>,
    /// The adapter searches the request queue, or is signalled to.
    is_searching: bool,
    responses: VecDeque<R>,
    is_indicated: bool,
}

impl<Q, R> Default for Qdio<Q, R> {
    fn default() -> Self {
        Self {
            is_active: false,
            taken: 0,
            posted: std::array::from_fn(|_| None),
            next_post: 0,
            untaken: VecDeque::new(),
            is_searching: false,
            responses: VecDeque::new(),
            is_indicated: false,
        }
    }
}

impl<Q, R> Qdio<Q, R> {
    /// Activates the queues, empty: the end of the last start function that the subchannel needs.
    pub fn activate(&mut self) {
        *self = Self { is_active: true, ..Self::default() };
    }

    /// Deactivates the queues; what is in them is lost. Halt, clear, or an error.
    pub fn deactivate(&mut self) {
        *self = Self::default();
    }

    /// Returns whether the queues are active.
    #[must_use]
    pub const fn is_active(&self) -> bool {
        self.is_active
    }

    /// Returns the buffers of the request queue that the adapter owns.
    #[must_use]
    pub fn in_use(&self) -> usize {
        self.taken.count_ones() as usize
    }

    /// Returns whether the program has so many buffers in a row.
    #[must_use]
    pub fn has_room(&self, buffers: u8) -> bool {
        self.place(buffers).is_some()
    }

    /// Returns the first of the next buffers of the program, so many in a row.
    fn place(&self, buffers: u8) -> Option<usize> {
        let free = (!self.taken).rotate_right(self.next_post as u32);
        let runs = (1..buffers).fold(free, |runs, nth| runs & free.rotate_right(nth.into()));
        (runs != 0).then(|| (self.next_post + runs.trailing_zeros() as usize) % QUEUE_BUFFERS)
    }

    /// Posts a request of so many buffers, and returns the signal that is to follow. Buffers are used in order; those that the
    /// adapter keeps are passed over, so that a slow request bars none behind it. Our choice.
    ///
    /// # Errors
    /// Queues that are not active; a number of buffers that no request has; a full queue.
    pub fn post(&mut self, request: Q, buffers: u8) -> Result<Signal, QueueError> {
        if !self.is_active {
            return Err(QueueError::Inactive);
        }
        if buffers == 0 || buffers > REQUEST_BUFFERS_MAX {
            return Err(QueueError::Buffers(buffers));
        }
        let first = self.place(buffers).ok_or(QueueError::Full)?;
        self.taken |= span(first, buffers);
        self.posted[first] = Some(Posted { request: Some(request), buffers });
        self.untaken.push_back(first as u8);
        self.next_post = behind(first, buffers);
        let was_searching = std::mem::replace(&mut self.is_searching, true);
        Ok(if was_searching { Signal::None } else { Signal::Write })
    }

    /// Takes the next request for the adapter, with the buffer at which it is given back. Without one the adapter searches no
    /// more until it is signalled.
    pub fn take(&mut self) -> Option<(u8, Q)> {
        let first = self.untaken.pop_front();
        self.is_searching = first.is_some();
        let first = first?;
        let request = self.posted[usize::from(first)].as_mut()?.request.take()?;
        Some((first, request))
    }

    /// Gives the buffers of a request, taken at this buffer, back to the program. False when no request is out there.
    pub fn give_back(&mut self, first: u8) -> bool {
        let first = usize::from(first);
        let Some(slot) = self.posted.get_mut(first) else { return false };
        let Some(posted) = slot.take_if(|posted| posted.request.is_none()) else { return false };
        self.taken &= !span(first, posted.buffers);
        true
    }

    /// Puts a response in for the program; [`Qdio::indicate`] follows.
    ///
    /// # Errors
    /// Queues that are not active; a queue from which the program has taken nothing for too long.
    pub fn respond(&mut self, response: R) -> Result<(), QueueError> {
        if !self.is_active {
            return Err(QueueError::Inactive);
        }
        if self.responses.len() == QUEUE_BUFFERS {
            return Err(QueueError::Full);
        }
        self.responses.push_back(response);
        Ok(())
    }

    /// Turns the device-state-change indicator on, and returns whether an adapter interruption is to be made: it was off.
    pub fn indicate(&mut self) -> bool {
        self.is_active && !std::mem::replace(&mut self.is_indicated, true)
    }

    /// Turns the indicator off for the program, which searches for responses now. Returns whether it was on.
    pub fn clear_indicator(&mut self) -> bool {
        std::mem::take(&mut self.is_indicated)
    }

    /// Takes the next response for the program. After the last, an indicator that is on again
    /// ([`Qdio::clear_indicator`]) demands another search.
    pub fn take_response(&mut self) -> Option<R> {
        self.responses.pop_front()
    }

    /// Takes all responses for the program after an interruption, in no time: no response comes meanwhile, so that one search is
    /// enough.
    pub fn drain(&mut self) -> impl Iterator<Item = R> + '_ {
        self.clear_indicator();
        std::iter::from_fn(|| self.take_response())
    }
}

/// Returns the buffers of a request, around the end of the queue.
fn span(first: usize, buffers: u8) -> u128 {
    ((1_u128 << buffers) - 1).rotate_left(first as u32)
}

fn behind(first: usize, buffers: u8) -> usize {
    (first + usize::from(buffers)) % QUEUE_BUFFERS
}

#[cfg(test)]
mod tests;
