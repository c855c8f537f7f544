//! Counts of adapters, and their law.

use halftrack_record::CheckerReport;

use super::Adapters;
use crate::laws::law::Law;

impl Adapters {
    /// Checks that every start has ended once or is in progress.
    pub(crate) fn check_starts(&self) -> CheckerReport {
        let mut law = Law::new("every start of a channel-to-channel device ends once");
        for (device, adapter) in self.adapters.iter().enumerate() {
            for end in 0..2 {
                let counts = adapter.counts(end);
                let in_progress = u64::from(adapter.is_started(end));
                law.check(counts.starts == counts.ended + in_progress, || {
                    format!(
                        "device {device} end {end}: {} starts, {} endings, {in_progress} in progress",
                        counts.starts, counts.ended
                    )
                });
            }
        }
        law.report()
    }
}
