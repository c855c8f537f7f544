//! Calls that an end hands on: to its machine of either protocol or a circuit, and to its outbox and deadline.

/// Evaluates an expression with the machine that an end is.
macro_rules! with_machine {
    ($end:expr, $machine:ident => $call:expr) => {
        match $end {
            Self::Command($machine) => $call,
            Self::Transport($machine) => $call,
            Self::Circuit($machine) => $call,
            Self::Fcp($machine) => $call,
        }
    };
}

/// Defines the methods that the machines of a channel hand on to their `outbox`.
macro_rules! channel_outbox_methods {
    () => {
        /// Returns the shape of the IU that `poll_transmit` would give.
        #[must_use]
        pub fn peek_transmit(&self) -> Option<Step> {
            self.outbox.peek()
        }

        /// Returns the next IU to send, with its shape, if one can be sent now.
        pub fn poll_transmit(&mut self) -> Option<(Iu, Step)> {
            self.outbox.poll()
        }

        /// Returns the next IU to send: `poll_transmit` without its shape.
        pub fn poll_iu(&mut self) -> Option<Iu> {
            self.outbox.take()
        }

        /// Returns true when an IU can be sent now.
        #[must_use]
        pub fn has_transmit(&self) -> bool {
            !self.outbox.is_empty()
        }

        /// Returns the shape of an IU received from the peer.
        #[must_use]
        pub fn received_step(&self, iu: &Iu) -> Step {
            self.outbox.received_step(iu)
        }
    };
}

/// Defines the methods that most machines of a channel have in common: each has `outbox`, `deadline` and `state`, of
/// which `State::Closed` is the last.
macro_rules! channel_machine_methods {
    () => {
        crate::end_delegates::channel_outbox_methods!();

        /// Returns true when the exchange is over at this end; an answer may still have to be sent.
        #[must_use]
        pub fn is_closed(&self) -> bool {
            self.state == State::Closed
        }

        /// Extends the deadline: frames of the exchange move, though no IU of it is complete.
        pub fn handle_progress(&mut self, now: Time) {
            self.deadline.extend(now);
        }

        /// Returns the time at which `handle_timeout` wants to be called.
        #[must_use]
        pub fn poll_timeout(&self) -> Option<Time> {
            self.deadline.at()
        }
    };
}

pub(crate) use {channel_machine_methods, channel_outbox_methods, with_machine};
