//! Parts that the machines of a control unit's end have in common: the device, the answers instead of it, and how an
//! exchange is given up.
//!
//! ```text
//! open ─ close() ───────────────────────────────► closed, its last IUs sent: the outcome is given
//!  ├─ abandon() ─ device reset ─────────────────► closed, abandoned
//!  └─ handle_link_down() ─ nothing more is sent ─► closed, abandoned
//! ```
//!
//! How a machine informs the channel is its own: purge path, a response, ABTS, a cancel frame.

use halftrack_base::Time;
use halftrack_wire::choices::CONTROL_UNIT_TIMEOUT_US;
use halftrack_wire::{Body, IuData};

use crate::deadline::Deadline;
use crate::device::Device;
use crate::end::Identity;
use crate::outbox::Outbox;
use crate::outcome::{BusyKind, Cause, ControlUnitOutcome};
use crate::plan::Login;
use crate::step::Delay;

/// Answer to the first IU instead of the device's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// There is no such device.
    AddressException,
    /// The device or the control unit is busy.
    Busy(BusyKind),
    /// An older start of the subchannel is open on the same logical path.
    Active,
}

/// Device, outbox, deadline and outcome of a control unit's end.
#[derive(Debug)]
pub(crate) struct ControlUnitCore<D> {
    pub(crate) device: D,
    pub(crate) outbox: Outbox,
    pub(crate) deadline: Deadline,
    /// The wait for cache or staging, until it is on a step.
    pub(crate) delay: Delay,
    refusal: Option<Refusal>,
    received: u16,
    is_closed: bool,
    outcome: Option<ControlUnitOutcome>,
    /// Buffer of data that were copied.
    spare: Vec<u8>,
}

impl<D: Device> ControlUnitCore<D> {
    /// Returns the core of an exchange that waits for its first IU from `now` on.
    pub(crate) fn new(device: D, delay: Delay, login: &Login, identity: Identity, now: Time) -> Self {
        ControlUnitCore {
            device,
            outbox: Outbox::new(identity, login.frames()),
            deadline: Deadline::new(CONTROL_UNIT_TIMEOUT_US, now),
            delay,
            refusal: None,
            received: 0,
            is_closed: false,
            outcome: None,
            spare: Vec::new(),
        }
    }

    /// Sets the answer instead of the device's; to be called before the first IU is handled.
    pub(crate) fn refuse(&mut self, refusal: Refusal) {
        self.refusal = Some(refusal);
    }

    /// Returns the answer instead of the device's.
    pub(crate) fn refusal(&self) -> Option<Refusal> {
        self.refusal
    }

    /// Keeps the buffer of data that were copied, until that is taken.
    pub(crate) fn keep_spare(&mut self, data: IuData) {
        if let IuData::Bytes(buffer) = data {
            self.spare = buffer;
        }
    }

    /// Returns a buffer that is free; an empty one without room when there is none.
    pub(crate) fn take_spare(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.spare)
    }

    /// Counts an IU from the channel.
    pub(crate) fn count_received(&mut self) {
        self.received = self.received.saturating_add(1);
    }

    /// Puts out an IU.
    pub(crate) fn push(&mut self, body: Body, data: IuData, delay: Delay) {
        self.outbox.push(body, data, delay, self.received);
    }

    /// Takes the wait for cache or staging.
    pub(crate) fn take_delay(&mut self) -> Delay {
        std::mem::take(&mut self.delay)
    }

    /// Returns true when the exchange is over at this end; an answer may still have to be sent.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Returns true when a time-out is due.
    pub(crate) fn is_due(&self, now: Time) -> bool {
        self.deadline.is_due(now)
    }

    /// Ends the exchange.
    pub(crate) fn close(&mut self, outcome: ControlUnitOutcome) {
        self.is_closed = true;
        self.deadline.stop();
        self.outcome = Some(outcome);
    }

    /// Ends the exchange without its program's end, if it is open: the device is reset.
    pub(crate) fn abandon(&mut self, cause: Cause) {
        if !self.is_closed {
            self.device.reset();
            self.close(ControlUnitOutcome::Abandoned(cause));
        }
    }

    /// Drops what is to be sent and ends the exchange: one whose last answer was not sent is abandoned too.
    pub(crate) fn cut_off(&mut self, cause: Cause) {
        if !self.outbox.is_empty() && self.outcome.is_some() {
            self.outcome = Some(ControlUnitOutcome::Abandoned(cause));
        }
        self.outbox.clear();
        self.abandon(cause);
    }

    /// Ends the exchange of a start that came late: nothing is answered.
    pub(crate) fn discard(&mut self) {
        self.outbox.clear();
        self.close(ControlUnitOutcome::Refused);
    }

    /// Returns how the exchange closed, once; given when the last answer has been sent.
    pub(crate) fn poll_outcome(&mut self) -> Option<ControlUnitOutcome> {
        if self.outbox.is_empty() { self.outcome.take() } else { None }
    }
}
