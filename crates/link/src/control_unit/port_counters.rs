//! Counters of a port of a control unit.

use std::collections::BTreeMap;

use halftrack_exchange::{Discard, PortCounts};
use halftrack_fabric::Discard as LoginDiscard;

use crate::fibre::FibreCounters;

/// Counters of a port since it was created.
#[derive(Debug, Clone, Default)]
pub struct PortCounters {
    /// Connections.
    pub connections: u64,
    /// Frames and octets of all of them.
    pub link: FibreCounters,
    /// How exchanges closed.
    pub exchanges: PortCounts,
    /// Logins that were refused.
    pub logins_refused: u64,
    /// Frames that had no effect, by reason.
    pub discarded: BTreeMap<&'static str, u64>,
}

impl PortCounters {
    pub(super) fn add_fibre(&mut self, counters: FibreCounters) {
        self.link.frames_in += counters.frames_in;
        self.link.frames_out += counters.frames_out;
        self.link.bytes_in += counters.bytes_in;
        self.link.bytes_out += counters.bytes_out;
        self.link.damaged += counters.damaged;
        self.link.too_old += counters.too_old;
    }

    /// Enters the frames that were too old among those that had no effect.
    pub(super) fn skip_reported(&mut self) {
        if self.link.too_old > 0 {
            self.discarded.insert("it was on its way for longer than a frame may live", self.link.too_old);
        }
    }

    pub(super) fn discard(&mut self, reason: &'static str) {
        *self.discarded.entry(reason).or_default() += 1;
    }

    #[cold]
    pub(super) fn discard_exchange(&mut self, why: &Discard) {
        self.discard(match why {
            Discard::NoExchange => "no open exchange has its exchange id",
            Discard::OldExchange => "its exchange is over",
            Discard::LateStart => "a late start",
            Discard::Stranger { .. } => "it comes from another port than its exchange",
            Discard::NotLoggedIn { .. } => "no login",
            Discard::Kind { .. } => "a category that means nothing here",
            Discard::Opening(_) => "it opens no exchange",
            Discard::Full => "no room for another exchange",
            Discard::Sequence(_) => "its sequence was given up",
        });
    }

    #[cold]
    pub(super) fn discard_login(&mut self, why: &LoginDiscard) {
        self.discard(match why {
            LoginDiscard::LinkDown => "the link is down",
            LoginDiscard::Type(_) => "a TYPE that means nothing here",
            LoginDiscard::Address(_) => "it is for another port",
            LoginDiscard::Form => "no whole link service",
            LoginDiscard::NotAsked => "an answer to nothing that was asked",
            LoginDiscard::Sender(_) => "a link service that its sender may not send",
        });
    }
}
