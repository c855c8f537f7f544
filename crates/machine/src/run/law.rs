//! Checkers of laws: they watch a run from outside the model and say where a law was broken.

use halftrack_base::Time;
use halftrack_record::CheckerReport;

/// Most violations of one law that a run keeps the words of.
const VIOLATIONS_MAX: usize = 20;

/// One law being watched.
#[derive(Debug, Clone)]
pub(crate) struct Law {
    report: CheckerReport,
}

impl Law {
    pub(crate) fn new(name: &str) -> Self {
        Self { report: CheckerReport { law: name.to_owned(), checks: 0, violations: Vec::new() } }
    }

    /// One application of the law; `words` are asked for only when it is broken.
    #[inline(always)]
    pub(crate) fn check(&mut self, holds: bool, words: impl FnOnce() -> String) {
        self.report.checks += 1;
        if !holds {
            self.broken(words);
        }
    }

    /// The law is broken.
    #[cold]
    #[inline(never)]
    fn broken(&mut self, words: impl FnOnce() -> String) {
        if self.report.violations.len() < VIOLATIONS_MAX {
            self.report.violations.push(words());
        }
    }

    pub(crate) fn report(&self) -> CheckerReport {
        self.report.clone()
    }
}

/// No I/O starts at the end of time.
const NOT_OPEN: Time = Time::MAX;

/// The independent ledger at the start-subchannel boundary: every start ends exactly once.
#[derive(Debug, Clone)]
pub(crate) struct Ledger {
    /// When each open I/O was started, by the ledger's own clock; [`NOT_OPEN`] for the others.
    open: Vec<Time>,
    law: Law,
    starts: u64,
    ends: u64,
}

impl Default for Ledger {
    fn default() -> Self {
        Self { open: Vec::new(), law: Law::new("every start ends exactly once"), starts: 0, ends: 0 }
    }
}

impl Ledger {
    /// A start subchannel of the I/O in slot `io`.
    #[inline(always)]
    pub(crate) fn start(&mut self, io: u32, now: Time) {
        self.starts += 1;
        let slot = io as usize;
        match self.open.get_mut(slot) {
            Some(open) => {
                if std::mem::replace(open, now) != NOT_OPEN {
                    self.law.broken(|| format!("I/O {io} was started again before it had ended"));
                }
            }
            None => self.start_in_new_slot(slot, now),
        }
    }

    #[cold]
    #[inline(never)]
    fn start_in_new_slot(&mut self, slot: usize, now: Time) {
        self.open.resize(slot + 1, NOT_OPEN);
        self.open[slot] = now;
    }

    /// Its end: when it was started.
    #[inline(always)]
    pub(crate) fn end(&mut self, io: u32) -> Option<Time> {
        self.ends += 1;
        let open = self.open.get_mut(io as usize).map(|open| std::mem::replace(open, NOT_OPEN));
        let started = open.filter(|open| *open != NOT_OPEN);
        if started.is_none() {
            self.law.broken(|| format!("I/O {io} ended without being started"));
        }
        started
    }

    /// Ends so far.
    pub(crate) fn ends(&self) -> u64 {
        self.ends
    }

    /// The verdict, with the balance of starts, ends and what is still open.
    pub(crate) fn report(&mut self) -> CheckerReport {
        let open = self.open.iter().filter(|open| **open != NOT_OPEN).count() as u64;
        let (starts, ends) = (self.starts, self.ends);
        // Each start and each end was looked at when it came.
        self.law.report.checks = starts + ends;
        self.law.check(starts == ends + open, || {
            format!("{starts} starts, {ends} ends and {open} open do not balance")
        });
        self.law.report()
    }
}

/// Frames and bytes of one logical process: what it sent, received and knows to be lost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Traffic {
    pub frames_sent: u64,
    pub bytes_sent: u64,
    pub frames_received: u64,
    pub bytes_received: u64,
}

impl Traffic {
    /// An end point put frames on its fibre.
    #[inline]
    pub(crate) fn frames_sent(&mut self, frames: u16, bytes: u32) {
        self.frames_sent += u64::from(frames);
        self.bytes_sent += u64::from(bytes);
    }

    /// Frames reached an end point.
    #[inline]
    pub(crate) fn frames_received(&mut self, frames: u16, bytes: u32) {
        self.frames_received += u64::from(frames);
        self.bytes_received += u64::from(bytes);
    }
}

/// Checks that frames and bytes sent by one side were received by the other or are still under way.
/// `under_way` counts frames and bytes found in the event sets and queues.
pub(crate) fn check_traffic(
    law: &mut Law,
    direction: &str,
    sender: &Traffic,
    receiver: &Traffic,
    under_way: (u64, u64),
) {
    let (frames, bytes) = under_way;
    law.check(sender.frames_sent == receiver.frames_received + frames, || {
        format!(
            "{direction}: {} frames sent, {} received, {frames} under way",
            sender.frames_sent, receiver.frames_received
        )
    });
    law.check(sender.bytes_sent == receiver.bytes_received + bytes, || {
        format!(
            "{direction}: {} bytes sent, {} received, {bytes} under way",
            sender.bytes_sent, receiver.bytes_received
        )
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ledger_sees_a_double_ending_and_a_double_start() {
        let mut ledger = Ledger::default();
        ledger.start(3, Time::ZERO);
        ledger.end(3);
        assert!(ledger.report().violations.is_empty());
        ledger.end(3);
        assert_eq!(ledger.law.report().violations.len(), 1);
        ledger.start(1, Time::ZERO);
        ledger.start(1, Time::ZERO);
        assert_eq!(ledger.law.report().violations.len(), 2);
    }

    #[test]
    fn a_dropped_frame_is_seen() {
        let (mut sender, mut receiver) = (Traffic::default(), Traffic::default());
        sender.frames_sent(3, 4096);
        receiver.frames_received(2, 2048);
        let mut law = Law::new("frames and bytes are conserved");
        check_traffic(&mut law, "outbound", &sender, &receiver, (1, 2048));
        assert!(law.report().violations.is_empty());
        check_traffic(&mut law, "outbound", &sender, &receiver, (0, 0));
        assert_eq!(law.report().violations.len(), 2);
    }

    #[test]
    fn a_law_keeps_few_words_of_many_violations() {
        let mut law = Law::new("x");
        for _ in 0..100 {
            law.check(false, || "broken".into());
        }
        assert_eq!((law.report().checks, law.report().violations.len()), (100, VIOLATIONS_MAX));
    }
}
