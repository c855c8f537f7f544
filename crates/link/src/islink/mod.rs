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
//! | `part_file` | files that have another name until they are whole |
//! | `directory` | streams and their lengths, announced to the other system |
//! | `conversation` | applications on both directions of a stream |
//! | `guest`, `memory_digest` | memory of a guest, which writes on its pages while it runs; its digest |
//! | `departing`, `arriving` | both systems of a relocation |
//! | `request` | requests and responses |
//! | `service`, `service_error`, `service_report` | streams sent and received until both systems have what they need |

mod arriving;
mod conversation;
mod departing;
mod directory;
mod file;
mod guest;
mod logical_link;
mod memory_digest;
mod part_file;
mod request;
mod service;
mod service_error;
mod service_report;
mod stream;

pub use arriving::Arriving;
pub use conversation::{Conversation, ConversationError, ConversationReport};
pub use departing::Departing;
pub use directory::Part;
pub use file::{FileSink, FileSource};
pub use guest::{Guest, GuestWrites};
pub use logical_link::{DevicePlace, LogicalLink};
pub use request::{RequestPlan, RequestReport, Requesting, Responding};
pub use service::{Duplex, Incoming, Outgoing, Service, ServiceNotice, ServiceSurroundings, Streams};
pub use service_error::ServiceError;
pub use service_report::{ServiceProgress, ServiceReport};
pub use stream::{PatternSink, PatternSource, Sink, SinkError, Source, pattern};
