//! Outcome of relocations and of requests, as text and JSON have it.

use std::fmt::Write as _;

use halftrack_base::Span;
use halftrack_isfc::relocation::{Conclusion, Pass, Reason, RelocationReport};
use halftrack_link::islink::RequestReport;
use serde::Serialize;

/// A pass over the memory of a guest.
#[derive(Debug, Serialize)]
pub struct PassOutcome {
    /// Octets of pages that were moved.
    pub bytes: u64,
    /// Time, ms.
    pub ms: f64,
    /// The guest was stopped.
    pub is_quiesced: bool,
}

/// End of a relocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RelocationEnd {
    /// Moved, stopped for the wanted time as it was foreseen.
    Converged,
    /// Moved although its passes did not converge.
    Quiesced,
    /// Moved by an earlier start of the systems.
    AlreadyThere,
    /// It stays: its passes did not converge.
    Cancelled,
    /// It stays: the destination does not take it.
    Refused,
    /// The command ended before the relocation did.
    Incomplete,
}

/// A guest that left, or that came.
#[derive(Debug, Serialize)]
pub struct RelocationOutcome {
    /// Stream.
    pub stream: u32,
    /// Guest.
    pub guest: String,
    /// It leaves this system.
    pub is_source: bool,
    /// End of the relocation.
    pub outcome: RelocationEnd,
    /// Why the guest stays.
    pub reason: Option<String>,
    /// Octets of its memory.
    pub memory_bytes: u64,
    /// Attempts that began: one, and one more for each start of a system meanwhile.
    pub attempts: u32,
    /// Passes of the last attempt.
    pub passes: Vec<PassOutcome>,
    /// Time for which the guest was stopped, and the longest one that was wished at the source, ms.
    pub quiesce_ms: Option<f64>,
    pub quiesce_max_ms: Option<f64>,
    /// Time from the first page to the end, ms.
    pub total_ms: Option<f64>,
}

fn ms(span: Span) -> f64 {
    span.as_us_f64() / 1e3
}

impl RelocationOutcome {
    /// Returns the outcome of a relocation at one of its systems.
    pub fn new(stream: u32, report: &RelocationReport, is_source: bool) -> Self {
        let outcome = match report.conclusion {
            Some(Conclusion::Moved { has_converged: true }) => RelocationEnd::Converged,
            Some(Conclusion::Moved { has_converged: false }) => RelocationEnd::Quiesced,
            Some(Conclusion::AlreadyThere) => RelocationEnd::AlreadyThere,
            Some(Conclusion::Stays(Reason::NotConverged)) => RelocationEnd::Cancelled,
            Some(Conclusion::Stays(_)) => RelocationEnd::Refused,
            None => RelocationEnd::Incomplete,
        };
        let reason = match report.conclusion {
            Some(Conclusion::Stays(reason)) => Some(reason.to_string()),
            _ => None,
        };
        let pass =
            |pass: &Pass| PassOutcome { bytes: pass.bytes, ms: ms(pass.span), is_quiesced: pass.is_quiesced };
        Self {
            stream,
            guest: report.guest.to_string(),
            is_source,
            outcome,
            reason,
            memory_bytes: report.memory_bytes,
            attempts: report.attempts,
            passes: report.passes.iter().map(pass).collect(),
            quiesce_ms: report.quiesce.map(ms),
            quiesce_max_ms: report.quiesce_max.map(ms),
            total_ms: report.total.map(ms),
        }
    }

    /// Returns whether the guest is at the destination.
    pub fn is_moved(&self) -> bool {
        use RelocationEnd::{AlreadyThere, Converged, Quiesced};
        matches!(self.outcome, Converged | Quiesced | AlreadyThere)
    }

    /// Returns the octets of pages of all passes.
    pub fn moved_bytes(&self) -> u64 {
        self.passes.iter().map(|pass| pass.bytes).sum()
    }

    /// Adds the text of the outcome, after z/VM's VMRELOCATE, whose words are ours.
    pub fn write(&self, text: &mut String, system: &str, node: &str) {
        let (from, to) = if self.is_source { (system, node) } else { (node, system) };
        let guest = &self.guest;
        let _ = match self.outcome {
            RelocationEnd::Converged => {
                writeln!(text, "User {guest} has been relocated from {from} to {to}: the passes converged")
            }
            RelocationEnd::Quiesced => writeln!(
                text,
                "User {guest} has been relocated from {from} to {to}, although the passes did not converge"
            ),
            RelocationEnd::AlreadyThere => {
                writeln!(text, "User {guest} has been relocated from {from} to {to} by an earlier start")
            }
            RelocationEnd::Cancelled | RelocationEnd::Refused => {
                let reason = self.reason.as_deref().unwrap_or_default();
                writeln!(text, "User {guest} was not relocated and stays at {from}: {reason}")
            }
            RelocationEnd::Incomplete => {
                writeln!(
                    text,
                    "Relocation of {guest} from {from} to {to} is not complete; it stays at {from}"
                )
            }
        };
        for (at, pass) in self.passes.iter().enumerate() {
            let guest = if pass.is_quiesced { "stopped" } else { "runs" };
            let (number, mb) = (at + 1, pass.bytes as f64 / 1e6);
            let _ = writeln!(text, "  pass {number:<3} guest {guest:<8} {mb:>10.3} MB {:>10.3} ms", pass.ms);
        }
        if let Some(quiesce_ms) = self.quiesce_ms {
            let wished = self.quiesce_max_ms.map(|max_ms| format!(", wished {max_ms:.0} ms at most"));
            let _ = writeln!(text, "  quiesce time {quiesce_ms:.3} ms{}", wished.unwrap_or_default());
        }
        if let Some(total_ms) = self.total_ms {
            let _ = writeln!(text, "  total time {total_ms:.3} ms, attempts {}", self.attempts);
        }
    }
}

/// Requests that were sent.
#[derive(Debug, Serialize)]
pub struct RequestsOutcome {
    /// Stream.
    pub stream: u32,
    /// Requests that have their response.
    pub requests: u64,
    /// Requests that were made again after a start of a system.
    pub repeated: u64,
    /// Octets of a request and of a response.
    pub request_bytes: u32,
    pub response_bytes: u32,
    /// Mean and longest response time, us.
    pub mean_us: Option<f64>,
    pub longest_us: f64,
    /// From the first request to the last response, s.
    pub elapsed_s: f64,
    /// Requests a second.
    pub requests_per_s: f64,
}

impl RequestsOutcome {
    /// Returns the outcome of requests.
    pub fn new(stream: u32, report: &RequestReport) -> Self {
        let elapsed_s = report.elapsed.as_s_f64();
        Self {
            stream,
            requests: report.finished,
            repeated: report.repeated,
            request_bytes: report.plan.sizes.request_bytes,
            response_bytes: report.plan.sizes.response_bytes,
            mean_us: report.response_mean.map(Span::as_us_f64),
            longest_us: report.response_max.as_us_f64(),
            elapsed_s,
            requests_per_s: if elapsed_s > 0.0 { report.finished as f64 / elapsed_s } else { 0.0 },
        }
    }

    /// Adds the text of the outcome.
    pub fn write(&self, text: &mut String) {
        let _ = writeln!(
            text,
            "  stream {}: {} requests of {} bytes with responses of {} bytes, {:.0} a second",
            self.stream, self.requests, self.request_bytes, self.response_bytes, self.requests_per_s
        );
        let mean_us = self.mean_us.unwrap_or_default();
        let _ = writeln!(text, "  response time: mean {mean_us:.1} us, longest {:.1} us", self.longest_us);
    }
}

/// Responses that were sent.
#[derive(Debug, Serialize)]
pub struct ResponsesOutcome {
    /// Stream.
    pub stream: u32,
    /// Responses.
    pub responses: u64,
}
