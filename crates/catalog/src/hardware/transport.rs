//! Paths between sockets: `catalog/transport/ID.toml`.

use halftrack_input::{Expect, Fields, Sourced};

use crate::hardware::prices::time_us;
use crate::shelf::Hardware;

/// Id of TCP over an OSD.
pub const TCP: &str = "tcp";
/// Id of SMC-R over RoCE functions.
pub const SMC_R: &str = "smc-r";

/// Largest window, bytes.
const WINDOW_MAX_BYTES: u32 = 1 << 30;

/// Times of a path.
#[derive(Debug, Clone, PartialEq)]
pub struct Transport {
    /// Name in words.
    pub title: String,
    /// A message from socket to socket beside its octets, the way and the line, µs.
    pub message_us: Sourced<f64>,
    /// Work of processors for 1024 octets of a message, µs.
    pub kib_us: Sourced<f64>,
    /// Work of processors for 1024 octets of a stream, µs.
    pub stream_kib_us: Sourced<f64>,
    /// Part of the time of a message in which processors work, percent.
    pub work_percent: Sourced<f64>,
    /// Octets of a stream that its sender has open at most.
    pub window_bytes: Sourced<u32>,
    /// Messages over the OSD until a connection stands.
    pub setup_messages: Sourced<u32>,
    /// Time from the loss of a function until its connections go on, µs; `None` where they have none.
    pub failover_us: Option<Sourced<f64>>,
}

impl Hardware for Transport {
    const DIRECTORY: &'static str = "transport";

    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let title = fields.required("title", Expect::text());
        let message_us = fields.sourced("message_us", time_us());
        let kib_us = fields.sourced("kib_us", time_us());
        let stream_kib_us = fields.sourced("stream_kib_us", time_us());
        let work_percent = fields.sourced("work_percent", Expect::number(0.0..=100.0));
        let window_bytes = fields.sourced("window_bytes", Expect::integer(1..=WINDOW_MAX_BYTES));
        let setup_messages = fields.sourced("setup_messages", Expect::integer(0..=100));
        let failover_us = fields.sourced_if_given("failover_us", time_us());
        Some(Self {
            title: title?.value,
            message_us: message_us?,
            kib_us: kib_us?,
            stream_kib_us: stream_kib_us?,
            work_percent: work_percent?,
            window_bytes: window_bytes?,
            setup_messages: setup_messages?,
            failover_us: failover_us?,
        })
    }
}
