//! Synchronous requests and the ordinary I/Os that come of them, counted where they begin, against what was booked.

use halftrack_record::SynchronousIo;

use super::law::Law;

/// Counts by device as a partition sees it.
#[derive(Debug, Clone, Default)]
pub(crate) struct SynchronousLedger {
    devices: Vec<Counts>,
}

/// Counts of one device since the start of the run.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    /// Requests that a CP has begun with.
    tried: u64,
    /// Ordinary I/Os of streams with synchronous I/O.
    handed_over: u64,
    /// Requests and I/Os that were not tried in the books of earlier intervals.
    attempts: u64,
    rejects: u64,
    not_tried: u64,
}

impl SynchronousLedger {
    /// Makes a ledger of `devices` that has counted nothing yet.
    pub(crate) fn new(devices: usize) -> Self {
        Self { devices: vec![Counts::default(); devices] }
    }

    /// Counts a request that a CP begins with.
    pub(crate) fn tries(&mut self, device: u32) {
        self.devices[device as usize].tried += 1;
    }

    /// Counts an ordinary I/O.
    pub(crate) fn hands_over(&mut self, device: u32) {
        self.devices[device as usize].handed_over += 1;
    }

    /// Adds the books of an interval that is over.
    pub(crate) fn close(&mut self, device: usize, booked: &SynchronousIo) {
        let counts = &mut self.devices[device];
        for one in [&booked.read, &booked.write] {
            counts.attempts += one.attempts();
            counts.rejects += one.rejects();
            counts.not_tried += one.not_tried.total();
        }
    }

    /// Checks one device, of whose requests `open` are under way, with what is `booked` in the interval so far.
    pub(crate) fn check(&self, law: &mut Law, device: usize, booked: &SynchronousIo, open: u64) {
        let mut now = self.clone_of(device);
        now.close(0, booked);
        let Counts { tried, handed_over, attempts, rejects, not_tried } = now.devices[0];
        law.check(tried == attempts + open, || {
            format!(
                "device {device}: {tried} synchronous requests, {attempts} with an outcome, {open} under way"
            )
        });
        law.check(handed_over == rejects + not_tried, || {
            format!("device {device}: {handed_over} I/Os over channels, {rejects} of rejects and {not_tried} not tried")
        });
    }

    /// Returns the ledger of one device alone.
    fn clone_of(&self, device: usize) -> Self {
        Self { devices: vec![self.devices[device]] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(ledger: &SynchronousLedger, booked: &SynchronousIo, open: u64) -> usize {
        let mut law = Law::new("x");
        ledger.check(&mut law, 0, booked, open);
        law.report().violations.len()
    }

    #[test]
    fn a_request_without_outcome_and_an_io_without_reject_are_seen() {
        let mut ledger = SynchronousLedger::new(1);
        let mut booked = SynchronousIo::default();
        ledger.tries(0);
        assert_eq!(broken(&ledger, &booked, 1), 0);
        assert_eq!(broken(&ledger, &booked, 0), 1);
        booked.read.link_busy = 1;
        assert_eq!(broken(&ledger, &booked, 0), 1, "the reject has become no I/O");
        ledger.hands_over(0);
        assert_eq!(broken(&ledger, &booked, 0), 0);
        ledger.close(0, &booked);
        assert_eq!(broken(&ledger, &SynchronousIo::default(), 0), 0);
        ledger.hands_over(0);
        assert_eq!(broken(&ledger, &SynchronousIo::default(), 0), 1);
        booked.read.not_tried.size = 1;
        booked.read.link_busy = 0;
        assert_eq!(broken(&ledger, &booked, 0), 0);
    }
}
