//! Requests for compression, counted where they begin, against those that ended.

use super::law::Law;

/// Requests of one program since the start of the run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct CompressionLedger {
    /// Requests started, and their data before compression, bytes.
    pub started: u64,
    pub started_bytes: u64,
    /// Requests that a card or software has done.
    pub done: u64,
    pub done_bytes: u64,
}

impl CompressionLedger {
    /// Counts a request that begins.
    pub(crate) fn starts(&mut self, bytes: u32) {
        self.started += 1;
        self.started_bytes += u64::from(bytes);
    }

    /// Counts a request that ends.
    pub(crate) fn ends(&mut self, bytes: u32) {
        self.done += 1;
        self.done_bytes += u64::from(bytes);
    }

    /// Checks the requests of `name`, of which `open` with `open_bytes` are in progress.
    pub(crate) fn check(&self, law: &mut Law, name: &str, open: u64, open_bytes: u64) {
        let Self { started, started_bytes, done, done_bytes } = *self;
        law.check(started == done + open, || {
            format!("{name}: {started} requests started, {done} done, {open} in progress")
        });
        law.check(started_bytes == done_bytes + open_bytes, || {
            format!("{name}: {started_bytes} bytes started, {done_bytes} done, {open_bytes} in progress")
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_without_an_end_is_seen() {
        let mut ledger = CompressionLedger::default();
        ledger.starts(4096);
        ledger.starts(100);
        ledger.ends(4096);
        let broken = |open, bytes| {
            let mut law = Law::new("x");
            ledger.check(&mut law, "SMF", open, bytes);
            law.report().violations.len()
        };
        assert_eq!([broken(1, 100), broken(0, 0), broken(1, 0), broken(2, 100)], [0, 2, 1, 1]);
    }
}
