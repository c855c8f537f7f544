//! Interface of the links for synchronous I/O to the I/O driver, and the account of what went over them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use halftrack_base::{Span, Time};
use halftrack_exchange::synchronous::{Completion, CompletionShare};
use halftrack_wire::synchronous::SynchronousRequest;

pub use crate::synchronous::Pending;

/// End of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SynchronousEnd {
    /// It is over.
    Completed(Completion),
    /// Its time is over, and the control unit has it.
    Pending(Pending),
}

/// The links of a host for synchronous I/O.
pub trait SynchronousPath {
    /// Returns the time.
    fn now(&self) -> Time;

    /// Does what the links need from time to time; to be called often.
    fn tend(&mut self, now: Time);

    /// Returns whether all links are operational.
    fn is_operational(&self) -> bool;

    /// Executes a request, waiting for its end; what a read brings is put into `read`. Returns the time after it, too.
    fn execute(
        &mut self,
        request: &SynchronousRequest,
        written: &[u8],
        read: &mut Vec<u8>,
    ) -> (SynchronousEnd, Time);

    /// Ends a request whose time was over before; false while it is not over.
    fn try_end(&mut self, pending: &Pending) -> bool;

    /// Returns what became of the links.
    fn reports(&self) -> Vec<SynchronousLinkReport>;
}

/// State of a link at the end of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SynchronousLinkReport {
    /// Socket of the control unit.
    pub socket: PathBuf,
    /// Whether it was operational at the end.
    pub operational: bool,
    /// How often it became operational.
    pub connections: u64,
    /// Why it is not operational.
    pub trouble: String,
}

/// Account of synchronous reads, or writes, of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SynchronousStatistics {
    /// Attempts that moved data.
    pub successes: u64,
    /// Data that they moved, octets.
    pub bytes: u64,
    /// Their time, summed.
    pub response: Span,
    /// Time of the attempts without success, summed.
    pub failed: Span,
    /// Attempts without success, by their end.
    pub unsuccessful: BTreeMap<Completion, u64>,
    /// Requests that were never tried, by reason.
    pub never_tried: BTreeMap<Completion, u64>,
}

impl SynchronousStatistics {
    /// Counts an attempt that took so long, for so many octets.
    #[inline]
    pub fn count(&mut self, completion: Completion, took: Span, bytes: u32) {
        match completion.share() {
            Some(CompletionShare::Success) => {
                self.successes += 1;
                self.bytes += u64::from(bytes);
                self.response = self.response.saturating_add(took);
            }
            Some(_) => {
                *self.unsuccessful.entry(completion).or_default() += 1;
                self.failed = self.failed.saturating_add(took);
            }
            None => *self.never_tried.entry(completion).or_default() += 1,
        }
    }

    /// Returns the attempts.
    #[must_use]
    pub fn attempts(&self) -> u64 {
        self.successes + self.unsuccessful.values().sum::<u64>()
    }

    /// Returns the attempts with this share.
    #[must_use]
    pub fn share(&self, share: CompletionShare) -> u64 {
        let others = self.unsuccessful.iter().filter(|(end, _)| end.share() == Some(share));
        let successes = if share == CompletionShare::Success { self.successes } else { 0 };
        successes + others.map(|(_, count)| count).sum::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use halftrack_exchange::synchronous::{LinkError, LocalReject};
    use halftrack_wire::synchronous::RemoteReject;

    use super::*;

    #[test]
    fn attempts_are_successes_and_the_four_shares_of_the_others() {
        let mut account = SynchronousStatistics::default();
        let local = [LocalReject::LinkBusy, LocalReject::NotOperational, LocalReject::Alignment];
        let ends = local.map(Completion::Local).into_iter().chain(RemoteReject::ALL.map(Completion::Remote));
        let others = [Completion::Done, Completion::TimedOut, Completion::Failed(LinkError::Crc)];
        for end in ends.chain(others) {
            account.count(end, Span::from_us(1), 4096);
        }
        let shares = [
            CompletionShare::Success,
            CompletionShare::LinkBusy,
            CompletionShare::CacheMiss,
            CompletionShare::TimedOut,
            CompletionShare::Other,
        ];
        let counts = shares.map(|share| account.share(share));
        assert_eq!(counts, [1, 1, 1, 1, 15]);
        assert_eq!((account.attempts(), account.bytes), (counts.iter().sum(), 4096));
        assert_eq!((account.failed, account.never_tried.len()), (Span::from_us(18), 1));
    }
}
