//! The path of an ESCON channel: held by one program at a time, from its first command to its end or a miss.
//!
//! While it is held every other start is answered channel busy. What has waited longest for the channel is driven again
//! when it is free.

use halftrack_base::{Span, Time};
use halftrack_config::ChannelCircuit;
use halftrack_engine::TimeIntegral;
use halftrack_subsystem::Attempt;

use super::{Channels, Outside};
use crate::events::event::Notice;
use crate::wiring::Wiring;

/// The holder of the path of a channel, and the times of all holders.
#[derive(Debug)]
pub(super) struct HeldPath {
    /// Exchange and partition that hold it.
    holder: Option<(u32, u32)>,
    /// By partition: 1 while it holds the path, else 0.
    held: Vec<TimeIntegral>,
    /// Times that it has come free.
    pub frees: u32,
    /// Until a start that found every director port busy is tried again.
    pub port_busy_retry: Span,
}

impl HeldPath {
    pub(super) fn new(circuit: &ChannelCircuit, lpars: usize) -> Self {
        let port_busy_retry = circuit.port_busy_retry;
        Self { holder: None, held: vec![TimeIntegral::default(); lpars], frees: 0, port_busy_retry }
    }

    /// Returns true while it has a holder.
    pub(super) fn is_held(&self) -> bool {
        self.holder.is_some()
    }

    /// Gives it to `slot` of `lpar`; an earlier holder loses it. Returns true when there was no holder.
    pub(super) fn take(&mut self, now: Time, slot: u32, lpar: u32) -> bool {
        let before = self.holder.replace((slot, lpar));
        if let Some((_, lpar)) = before {
            self.held[lpar as usize].change(now, -1);
        }
        self.held[lpar as usize].change(now, 1);
        before.is_none()
    }

    /// Takes it back from `slot`. Returns false when `slot` did not hold it.
    pub(super) fn release(&mut self, now: Time, slot: u32) -> bool {
        let Some((_, lpar)) = self.holder.take_if(|(holder, _)| *holder == slot) else { return false };
        self.held[lpar as usize].change(now, -1);
        self.frees = self.frees.wrapping_add(1);
        true
    }

    /// Collects the time held by each partition since the last call, ps.
    pub(super) fn collect(&mut self, now: Time) -> Vec<u64> {
        // One holder at a time, so never more than the interval.
        self.held.iter_mut().map(|held| held.take_until(now) as u64).collect()
    }
}

impl Channels {
    /// Gives exchange `slot`, which has just been opened, the path of its channel, which one program holds.
    #[cold]
    pub(super) fn hold_path(&mut self, out: &mut impl Outside, slot: u32) {
        let exchange = &self.exchanges[slot];
        self.channels[exchange.channel as usize].hold_path(out.now(), slot, exchange.lpar);
    }

    /// Takes the path of its channel back from exchange `slot`, which needs it no longer, or not now.
    #[cold]
    pub(super) fn release_path(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32) {
        let index = self.exchanges[slot].channel;
        let is_free = self.channels[index as usize].try_release_path(out.now(), slot);
        self.path_given_back(out, w, index, (is_free, false));
    }

    /// Handles a notice from the other end or the director about the circuit of exchange `slot`, or of the channel-to-channel
    /// device of this number.
    #[cold]
    pub(crate) fn on_circuit(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32, notice: Notice) {
        if w.lanes.are_of_device(slot) {
            self.circuit_of_units_refused(out, w, slot, notice);
            return;
        }
        if matches!(notice, Notice::PortBusy | Notice::Overtaken) {
            self.circuit_refused(out, w, slot, notice);
            return;
        }
        let exchange = &self.exchanges[slot];
        if exchange.lost || exchange.released {
            return;
        }
        match notice {
            Notice::Reconnected => self.hold_path(out, slot),
            _ => self.release_path(out, w, slot),
        }
    }

    /// Ends exchange `slot`, whose program has not begun. Its start goes on as the subchannel decides.
    fn circuit_refused(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32, notice: Notice) {
        let exchange = &mut self.exchanges[slot];
        exchange.peer_over = true;
        if exchange.reported {
            // The fibre was lost meanwhile.
            self.settle(out, w, slot);
            return;
        }
        exchange.reported = true;
        exchange.half.close();
        let io = exchange.io;
        self.settle(out, w, slot);
        let attempt = if notice == Notice::PortBusy {
            self.subchannels.book_port_busy(w, io);
            Attempt::DirectorPortBusy
        } else {
            Attempt::ChannelBusy
        };
        self.subchannels.follow(out, w, &mut self.channels, io, attempt, None);
    }
}
