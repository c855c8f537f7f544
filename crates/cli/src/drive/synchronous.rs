//! Synchronous I/O of a run in the units that are printed: the columns that RMF has for it.

use std::collections::BTreeMap;
use std::fmt::Write;

use halftrack_link::driver::{StreamStatistics, SynchronousLinkReport, SynchronousStatistics};
use halftrack_link::synchronous::{Completion, CompletionShare};
use serde::Serialize;

/// Synchronous I/Os of a stream.
#[derive(Debug, Serialize)]
pub struct Synchronous {
    /// I/Os that were synchronous.
    pub ios: u64,
    /// Reads.
    pub read: SynchronousAccount,
    /// Writes.
    pub write: SynchronousAccount,
}

/// Synchronous reads, or writes, of a stream.
#[derive(Debug, Serialize)]
pub struct SynchronousAccount {
    /// Attempts: successes, link busy, cache misses, time-outs and others.
    pub attempts: u64,
    /// Attempts that moved data.
    pub successes: u64,
    /// Successes a second.
    pub ios_per_s: f64,
    /// Data of a success, bytes.
    pub mean_bytes: f64,
    /// Time of a success, us.
    pub mean_response_us: f64,
    /// Attempts that found every function in use.
    pub link_busy: u64,
    /// Attempts whose track was not in memory.
    pub cache_misses: u64,
    /// Attempts without an answer in time.
    pub timeouts: u64,
    /// Any other attempts.
    pub other: u64,
    /// Successes, % of the attempts.
    pub success_percent: f64,
    /// Link busy, % of the attempts.
    pub link_busy_percent: f64,
    /// Cache misses, % of the attempts.
    pub cache_miss_percent: f64,
    /// Time-outs and others, % of the attempts.
    pub other_percent: f64,
    /// Time of all attempts without success, us.
    pub fail_us: f64,
    /// Attempts without success, by reason.
    pub by_reason: BTreeMap<String, u64>,
    /// Requests that were never tried, by reason; no attempts.
    pub never_tried: BTreeMap<String, u64>,
}

impl Synchronous {
    /// Makes the account of a stream; nothing of one that has no synchronous I/O.
    pub fn of(statistics: &StreamStatistics, measured_s: f64) -> Option<Self> {
        let [read, write] = &statistics.by_synchronous;
        let has_some = |one: &SynchronousStatistics| one.attempts() > 0 || !one.never_tried.is_empty();
        (has_some(read) || has_some(write)).then(|| Self {
            ios: statistics.synchronous,
            read: SynchronousAccount::new(read, measured_s),
            write: SynchronousAccount::new(write, measured_s),
        })
    }

    /// Formats the lines of a summary.
    pub fn describe(&self, text: &mut String) {
        for (name, one) in [("reads", &self.read), ("writes", &self.write)] {
            if one.attempts > 0 {
                // Writing into a String cannot fail.
                let _ = writeln!(
                    text,
                    "  zHyperLink {name}: {:.0} IO/s, mean {:.1} us, success {:.1} %, link busy {:.1} %, cache miss \
                     {:.1} %, other {:.1} % of {} attempts",
                    one.ios_per_s,
                    one.mean_response_us,
                    one.success_percent,
                    one.link_busy_percent,
                    one.cache_miss_percent,
                    one.other_percent,
                    one.attempts
                );
            }
            for (counts, what) in [(&one.by_reason, "over a path"), (&one.never_tried, "never tried")] {
                for (reason, count) in counts {
                    let _ = writeln!(text, "            {count} {name} {what}: {reason}");
                }
            }
        }
    }
}

impl SynchronousAccount {
    fn new(one: &SynchronousStatistics, measured_s: f64) -> Self {
        let (attempts, share) = (one.attempts(), |share| one.share(share));
        let mean = |sum: f64| if one.successes == 0 { 0.0 } else { sum / one.successes as f64 };
        let percent = |count: u64| if attempts == 0 { 0.0 } else { count as f64 * 100.0 / attempts as f64 };
        let (link_busy, cache_misses) = (share(CompletionShare::LinkBusy), share(CompletionShare::CacheMiss));
        let (timeouts, other) = (share(CompletionShare::TimedOut), share(CompletionShare::Other));
        let named = |counts: &BTreeMap<Completion, u64>| {
            let mut named = BTreeMap::new();
            for (completion, count) in counts {
                *named.entry(completion.to_string()).or_default() += count;
            }
            named
        };
        Self {
            attempts,
            successes: one.successes,
            ios_per_s: if measured_s > 0.0 { one.successes as f64 / measured_s } else { 0.0 },
            mean_bytes: mean(one.bytes as f64),
            mean_response_us: mean(one.response.as_s_f64() * 1e6),
            link_busy,
            cache_misses,
            timeouts,
            other,
            success_percent: percent(one.successes),
            link_busy_percent: percent(link_busy),
            cache_miss_percent: percent(cache_misses),
            other_percent: percent(timeouts + other),
            fail_us: one.failed.as_s_f64() * 1e6,
            by_reason: named(&one.unsuccessful),
            never_tried: named(&one.never_tried),
        }
    }
}

/// A link for synchronous I/O.
#[derive(Debug, Serialize)]
pub struct ZHyperLink {
    /// Socket of the control unit.
    pub socket: String,
    /// Whether it was operational at the end.
    pub operational: bool,
    /// How often it became operational.
    pub connections: u64,
    /// Why it is not operational.
    pub trouble: Option<String>,
}

impl ZHyperLink {
    /// Makes the result of a link.
    pub fn new(report: &SynchronousLinkReport) -> Self {
        Self {
            socket: report.socket.display().to_string(),
            operational: report.operational,
            connections: report.connections,
            trouble: (!report.trouble.is_empty()).then(|| report.trouble.clone()),
        }
    }

    /// Formats the line of a summary.
    pub fn describe(&self, text: &mut String) {
        let state = if self.operational { "operational" } else { "not operational" };
        let trouble = self.trouble.as_ref().map_or_else(String::new, |trouble| format!(" ({trouble})"));
        // Writing into a String cannot fail.
        let _ = writeln!(text, "zHyperLink {}: {state}{trouble}", self.socket);
    }
}
