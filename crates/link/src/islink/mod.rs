//! A system at one end of an ISFC logical link, in real time: its end of the link over its channels, and the streams of its
//! applications.
//!
//! ```text
//! Source ─ octets ─► End ─ orders ─► CtcSystem ─ frames ─► the other system
//! Sink  ◄─ octets ──  │  ◄─ endings, attention ─┘
//! ```
//!
//! | file | contents |
//! | --- | --- |
//! | `logical_link` | the end of the link over the devices of channels |
//! | `stream`, `file` | octets that a stream carries, and their places |
//! | `directory` | streams and their lengths, announced to the other system |
//! | `service` | streams sent and received until both systems have what they need |

mod directory;
mod file;
mod logical_link;
mod service;
mod stream;

pub use file::{FileSink, FileSource};
pub use logical_link::{DevicePlace, LogicalLink};
pub use service::{
    Incoming, Outgoing, Service, ServiceError, ServiceNotice, ServiceProgress, ServiceReport,
    ServiceSurroundings,
};
pub use stream::{PatternSink, PatternSource, Sink, SinkError, Source, pattern};
