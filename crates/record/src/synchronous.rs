//! Synchronous I/O over zHyperLink: requests of devices (SMF type 74-1) and of links (SMF type 74-9).

use serde::{Deserialize, Serialize};

use crate::zero::is_zero;

/// Synchronous requests of one base device, as one system saw them in one interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SynchronousIo {
    /// Reads.
    pub read: SynchronousRequests,
    /// Writes.
    pub write: SynchronousRequests,
}

/// Requests of one direction, by their outcome. Those without success went on as asynchronous I/Os.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SynchronousRequests {
    /// Requests whose data moved.
    pub successes: u64,
    /// Data of those, bytes.
    pub bytes: u64,
    /// Sum of their response times, ps.
    pub response_ps: u64,
    /// Requests that found the link in use.
    pub link_busy: u64,
    /// Requests whose record was not in cache; of writes, those without room in non-volatile storage.
    pub cache_miss: u64,
    /// Requests without an answer in time.
    pub timeouts: u64,
    /// Requests rejected for any other reason.
    pub other: u64,
    /// Sum of the times of all requests without success, ps.
    pub fail_ps: u64,
    /// I/Os that were not tried, which are no requests.
    pub not_tried: NotTried,
}

impl SynchronousRequests {
    /// Returns the number of requests, whatever their outcome.
    #[must_use]
    pub const fn attempts(&self) -> u64 {
        self.successes + self.rejects()
    }

    /// Returns the number of requests without success.
    #[must_use]
    pub const fn rejects(&self) -> u64 {
        self.link_busy + self.cache_miss + self.timeouts + self.other
    }
}

/// I/Os of streams with synchronous I/O that went to the channels at once, by the first reason that held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NotTried {
    /// The system was a guest of z/VM.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub guest: u64,
    /// The system, the device or the box had this direction switched off.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub switched_off: u64,
    /// More than one record, or a longer one than a request may have.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub size: u64,
    /// Address or length of the buffer was no multiple of 16.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub alignment: u64,
    /// No function of the partition led to the box.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub no_link: u64,
}

impl NotTried {
    /// Returns their number.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.guest + self.switched_off + self.size + self.alignment + self.no_link
    }
}

/// One zHyperLink: a port of an adapter, the cable, and the port of a box.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SynchronousLinkInterval {
    /// Canonical name, such as `pchid 180.1 > BOXA H000`.
    pub name: String,
    /// Requests whose data moved.
    pub successes: u64,
    /// Requests that processor or adapter turned away: the link was in use, or not operational.
    pub local_rejects: u64,
    /// Requests that the box turned away.
    pub remote_rejects: u64,
    /// Requests without an answer in time.
    pub timeouts: u64,
    /// Data read, bytes.
    pub read_bytes: u64,
    /// Data written, bytes.
    pub written_bytes: u64,
    /// Time during which a request held the link, ps.
    pub held_ps: u64,
}
