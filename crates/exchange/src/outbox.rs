//! IUs that one end may send now, in order.

use std::collections::VecDeque;

use halftrack_wire::choices::FIRST_IU_COUNT;
use halftrack_wire::{Body, CommandMode, DataFlags, Dib, Iu, IuData};

use crate::end::Identity;
use crate::step::{Delay, FrameForm, Step};

/// IUs allowed and not yet sent, of one direction of one exchange.
///
/// An IU is put here at the moment it becomes allowed, so the number of IUs received by then is the edge of its
/// step ([`Step::after_received`]).
#[derive(Debug)]
pub(crate) struct Outbox {
    identity: Identity,
    frames: FrameForm,
    queue: Queue,
    /// IUs sent so far.
    sent: u32,
}

#[derive(Debug)]
struct Queued {
    body: Body,
    data: IuData,
    delay: Delay,
    after_received: u16,
}

impl Outbox {
    pub(crate) fn new(identity: Identity, frames: FrameForm) -> Outbox {
        Outbox { identity, frames, queue: Queue::default(), sent: 0 }
    }

    /// Puts in an IU that may be sent now, `received` IUs having come from the peer.
    pub(crate) fn push(&mut self, body: Body, data: IuData, delay: Delay, received: u16) {
        self.queue.push(Queued { body, data, delay, after_received: received });
    }

    /// Puts in a command-mode IU; its count is set when it is sent.
    pub(crate) fn push_command_mode(
        &mut self,
        (ccw, dib, flags): (u16, Dib, DataFlags),
        data: IuData,
        delay: Delay,
        received: u16,
    ) {
        let body = Body::CommandMode(CommandMode { flags, ccw, iu_count: FIRST_IU_COUNT, dib });
        self.push(body, data, delay, received);
    }

    /// Drops what has not been sent.
    pub(crate) fn clear(&mut self) {
        self.queue.clear();
    }

    /// Returns true when everything has been sent.
    pub(crate) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Returns true when an IU of this direction has been sent.
    pub(crate) fn has_sent(&self) -> bool {
        self.sent > 0
    }

    /// Returns the shape of the next IU.
    pub(crate) fn peek(&self) -> Option<Step> {
        self.queue.first().map(|queued| {
            let body = self.counted(queued.body);
            // The shape does not depend on which octets the data are, so they need not be copied.
            self.shape(&Iu { address: self.identity.into(), body, data: shape_data(queued) }, queued)
        })
    }

    /// Takes the next IU.
    pub(crate) fn poll(&mut self) -> Option<(Iu, Step)> {
        let (delay, after_received) =
            self.queue.first().map(|queued| (queued.delay, queued.after_received))?;
        let iu = self.take()?;
        let step = Step { delay, after_received, ..Step::of(&iu, self.frames) };
        Some((iu, step))
    }

    /// Takes the next IU where nobody asks for its shape.
    pub(crate) fn take(&mut self) -> Option<Iu> {
        let queued = self.queue.pop()?;
        let body = self.counted(queued.body);
        self.sent += 1;
        Some(Iu { address: self.identity.into(), body, data: queued.data })
    }

    /// Returns the shape of an IU from the peer, which uses the same frames.
    pub(crate) fn received_step(&self, iu: &Iu) -> Step {
        Step::of(iu, self.frames)
    }

    fn counted(&self, body: Body) -> Body {
        match body {
            Body::CommandMode(fields) => {
                let iu_count = FIRST_IU_COUNT.wrapping_add(self.sent as u8);
                Body::CommandMode(CommandMode { iu_count, ..fields })
            }
            other => other,
        }
    }

    fn shape(&self, iu: &Iu, queued: &Queued) -> Step {
        Step { delay: queued.delay, after_received: queued.after_received, ..Step::of(iu, self.frames) }
    }
}

/// IUs in order. Most exchanges have two at a time at most, which take no memory of their own.
#[derive(Debug, Default)]
struct Queue {
    first: Option<Queued>,
    second: Option<Queued>,
    more: VecDeque<Queued>,
}

impl Queue {
    fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    fn first(&self) -> Option<&Queued> {
        self.first.as_ref()
    }

    fn push(&mut self, queued: Queued) {
        if self.first.is_none() {
            self.first = Some(queued);
        } else if self.second.is_none() {
            self.second = Some(queued);
        } else {
            self.more.push_back(queued);
        }
    }

    fn pop(&mut self) -> Option<Queued> {
        let popped = self.first.take();
        self.first = self.second.take();
        if !self.more.is_empty() {
            self.second = self.more.pop_front();
        }
        popped
    }

    fn clear(&mut self) {
        (self.first, self.second) = (None, None);
        self.more.clear();
    }
}

/// Returns the data with the same shape as the queued IU's. A transport command is measured by its DCWs, so it keeps its own.
fn shape_data(queued: &Queued) -> IuData {
    match queued.body {
        Body::TransportCommand { .. } => queued.data.clone(),
        _ => IuData::Count(queued.data.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_in_first_comes_out_first() {
        let mut queue = Queue::default();
        let queued = |number| Queued {
            body: Body::Abort,
            data: IuData::None,
            delay: Delay::None,
            after_received: number,
        };
        let mut expected = VecDeque::new();
        for (number, pops) in (0..).zip([0, 0, 0, 0, 2, 0, 3, 1, 0, 3]) {
            queue.push(queued(number));
            expected.push_back(number);
            for _ in 0..pops {
                assert_eq!(queue.first().map(|queued| queued.after_received), expected.front().copied());
                assert_eq!(queue.pop().map(|queued| queued.after_received), expected.pop_front());
            }
            assert_eq!(queue.is_empty(), expected.is_empty());
        }
        queue.push(queued(0));
        queue.clear();
        assert!(queue.pop().is_none());
    }
}
