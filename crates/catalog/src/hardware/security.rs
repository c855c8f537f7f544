//! Fibre Channel Endpoint Security: capabilities of hardware, and encrypted frames and engines, `catalog/security/ID.toml`.

use halftrack_fabric::endpoint_security::Protection;
use halftrack_input::{Expect, Fields, Sourced};

use crate::hardware::prices::time_us;
use crate::hardware::speed::rate_mb_per_s;
use crate::shelf::Hardware;

/// Catalog id of the frames and engines of every adapter that encrypts.
pub const ESP: &str = "esp";

/// Most octets of a data field (FC-FS).
const DATA_FIELD_BYTES: u16 = 2112;

/// Encrypted frames, and the engines that make them.
#[derive(Debug, Clone, PartialEq)]
pub struct Security {
    /// Name in words.
    pub title: String,
    /// Most octets of payload in an encrypted frame.
    pub payload_bytes: Sourced<u16>,
    /// Octets of the header before the payload.
    pub header_bytes: Sourced<u16>,
    /// Octets of the initialisation vector before it.
    pub vector_bytes: Sourced<u16>,
    /// Octets of the trailer behind the padding.
    pub trailer_bytes: Sourced<u16>,
    /// Payload, padding and trailer are a multiple of so many octets.
    pub align_bytes: Sourced<u16>,
    /// Octets of the integrity check value.
    pub check_bytes: Sourced<u16>,
    /// Rate of an engine each way, octets of frames, MB/s (10^6 bytes a second).
    pub engine_mb_per_s: Sourced<f64>,
    /// Time of a frame in an engine beside its time on the line, µs.
    pub engine_latency_us: Sourced<f64>,
}

/// Expects the part of a piece of hardware in endpoint security; `true` is to encrypt, `false` none.
pub(crate) fn capability() -> Expect<'static, Protection> {
    let words = "\"none\", \"authenticate\" or \"encrypt\"";
    Expect::new(words, |value| match (value.as_str(), value.as_bool()) {
        (Some("none"), _) | (_, Some(false)) => Some(Protection::None),
        (Some("authenticate"), _) => Some(Protection::Authenticated),
        (Some("encrypt"), _) | (_, Some(true)) => Some(Protection::Encrypted),
        _ => None,
    })
}

impl Hardware for Security {
    const DIRECTORY: &'static str = "security";

    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let title = fields.required("title", Expect::text());
        let payload_bytes = fields.sourced("payload_bytes", Expect::integer(256..=DATA_FIELD_BYTES));
        let mut octets = |key, least| fields.sourced(key, Expect::integer(least..=256));
        let (header_bytes, vector_bytes) = (octets("header_bytes", 0), octets("vector_bytes", 0));
        let (trailer_bytes, align_bytes) = (octets("trailer_bytes", 0), octets("align_bytes", 1));
        let check_bytes = octets("check_bytes", 0);
        let engine_mb_per_s = fields.sourced("engine_mb_per_s", rate_mb_per_s());
        let engine_latency_us = fields.sourced("engine_latency_us", time_us());
        Some(Self {
            title: title?.value,
            payload_bytes: payload_bytes?,
            header_bytes: header_bytes?,
            vector_bytes: vector_bytes?,
            trailer_bytes: trailer_bytes?,
            align_bytes: align_bytes?,
            check_bytes: check_bytes?,
            engine_mb_per_s: engine_mb_per_s?,
            engine_latency_us: engine_latency_us?,
        })
    }
}
