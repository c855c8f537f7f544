//! Faults of starts that tests inject behind the model's back.

use halftrack_base::Span;

use super::Saps;
use crate::events::host_context::Context;

impl Saps {
    /// Executes START SUBCHANNEL for `io` again, which has not ended.
    pub(crate) fn start_again(&mut self, context: &mut Context, io: u32) {
        self.on_admitted(context, io);
    }

    /// Ends `io`, though it goes on.
    pub(crate) fn end_early(&mut self, io: u32) {
        self.ledger.end(io);
    }

    /// Sets the start of `io` a microsecond too early.
    pub(crate) fn backdate_start(&mut self, io: u32) {
        let started = &mut self.carried[io].started;
        *started = started.saturating_sub(Span::from_us(1));
    }
}
