//! Events that come soon: what they will touch is brought near the processor while others are handled.
//!
//! A large machine has more state than the caches next to the processor hold, and each I/O is of another device, path
//! and channel. These are hints: nothing that is decided depends on them. They go by stages, each of which reads what the one
//! before it has fetched, so that none waits for the memory. Where all state is near anyway nothing is fetched.

use halftrack_engine::Prefetch;

use super::Channels;
use crate::events::message::ExpressAnswer;
use crate::events::pending::{MessageLane, Slots};
use crate::wiring::Wiring;

/// Places behind the head of its lane at which an event's data are fetched: some tens of events before its turn,
/// which is longer than the memory takes.
pub(crate) const SOON: usize = 4;
/// Places behind the head of the lane of drives at which a start is fetched, then its logical control unit, its path, and the
/// channel of that.
const DRIVE_STAGES: [usize; 4] = [9, 7, 5, 2];
/// Places behind the head of the lane of answers at which an exchange is fetched, then its channel and its I/O, then the books of
/// that.
const ANSWER_STAGES: [usize; 3] = [9, 5, 2];

/// Returns the exchanges of the answers that come soon, a stage each.
#[inline(always)]
pub(crate) fn answers_soon(answers: &MessageLane<ExpressAnswer>) -> [u32; 3] {
    let [far, middle, near] = ANSWER_STAGES;
    [answers.soon(far).exchange, answers.soon(middle).exchange, answers.soon(near).exchange]
}

impl Channels {
    /// Fetches the record of a start.
    #[inline(always)]
    pub(crate) fn fetch_io(&self, w: &Wiring, io: u32) {
        if w.fetches_ahead {
            self.subchannels.fetch_io(io);
        }
    }

    /// Fetches what the starts that `drive` has soon will touch. The path of each is the one whose turn it is, unless another start
    /// of its logical control unit comes before.
    #[inline(always)]
    pub(crate) fn fetch_for_start(&self, w: &Wiring, drive: &Slots) {
        if !w.fetches_ahead {
            return;
        }
        let [io, view, path, channel] = DRIVE_STAGES;
        self.subchannels.fetch_whole_io(*drive.soon(io));
        self.subchannels.fetch_view(*drive.soon(view));
        if let Some((path, _)) = self.subchannels.next_path(*drive.soon(path)) {
            w.fetch_path(path);
        }
        let Some((path, lpar)) = self.subchannels.next_path(*drive.soon(channel)) else { return };
        let channel = &self.channels[w.paths[path as usize].channel as usize];
        channel.fetch_counters(lpar);
        channel.fetch_processor();
    }

    /// Fetches what a visit will touch; after it goes onto the fibre what it has prepared.
    #[inline(always)]
    pub(crate) fn fetch_for_visit(&self, w: &Wiring, exchange: u32) {
        if !w.fetches_ahead {
            return;
        }
        let exchange = &self.exchanges[exchange];
        Prefetch::whole(exchange);
        if let Some(channel) = self.channels.get(exchange.channel as usize) {
            channel.fetch_processor();
        }
        // Without disks there is no path.
        if let Some(path) = w.paths.get(exchange.envelope.path as usize) {
            self.outbound.fetch(path.short_outbound);
        }
    }

    /// Fetches what the answers of the exchanges `soon`, a stage each, will touch: their I/Os, which they mostly end. Returns the
    /// I/O whose records upstream are next, and the one whose books are.
    #[inline(always)]
    pub(crate) fn fetch_for_answer(&self, soon: Option<[u32; 3]>) -> Option<[u32; 2]> {
        let [far, middle, near] = soon?;
        Prefetch::whole(&self.exchanges[far]);
        let exchange = &self.exchanges[middle];
        let channel = self.channels.get(exchange.channel as usize)?;
        channel.fetch_counters(exchange.lpar);
        self.subchannels.fetch_io(exchange.io);
        let next = &self.exchanges[near];
        (!next.is_closed()).then_some([exchange.io, next.io])
    }
}
