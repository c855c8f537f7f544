//! `[[request]]` and `[[respond]]`: requests and their responses.

use halftrack_base::Span;
use halftrack_input::{Expect, Fields};

use super::stream::{Names, stream_number};

/// Longest request and response, octets.
const MESSAGE_MAX_BYTES: u32 = 16 << 20;
const DEPTH_MAX: u32 = 1024;
/// Longest time from a response to the next request, us.
const THINK_MAX_US: u64 = 10_000_000;

/// Requests that the system sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestEntry {
    /// Number of the stream.
    pub stream: u32,
    /// Octets of a request.
    pub request_bytes: u32,
    /// Octets of a response.
    pub response_bytes: u32,
    /// Requests at a time.
    pub depth: u32,
    /// Time from a response to the next request.
    pub think: Span,
    /// Requests in all.
    pub requests: u64,
}

/// Reads the requests; their streams join `names`.
pub(super) fn read_requests(fields: &mut Fields<'_>, names: &mut Names) -> Vec<RequestEntry> {
    fields.tables("request", |table| {
        let stream = stream_number(table, names);
        let request_bytes = table.required("request_bytes", Expect::integer(1..=MESSAGE_MAX_BYTES));
        let response_bytes = table.required("response_bytes", Expect::integer(1..=MESSAGE_MAX_BYTES));
        let depth = table.or("depth", Expect::integer(1..=DEPTH_MAX), 1);
        let think_us = table.or("think_us", Expect::integer(0..=THINK_MAX_US), 0);
        let requests = table.required("requests", Expect::integer(1..=u64::MAX));
        Some(RequestEntry {
            stream: stream?,
            request_bytes: request_bytes?.value,
            response_bytes: response_bytes?.value,
            depth,
            think: Span::from_us(think_us),
            requests: requests?.value,
        })
    })
}

/// Reads the streams on which the system responds; they join `names`.
pub(super) fn read_responses(fields: &mut Fields<'_>, names: &mut Names) -> Vec<u32> {
    fields.tables("respond", |table| stream_number(table, names))
}
