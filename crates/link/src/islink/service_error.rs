//! Errors that end a system's part in a link.

use std::io;

use thiserror::Error;

use super::conversation::ConversationError;
use super::directory::Part;
use super::stream::SinkError;

/// Why a service ends early.
#[derive(Debug, Error)]
pub enum ServiceError {
    /// An error of the operating system, at a stream or at the link.
    #[error("{place}: {error}")]
    Io {
        /// Stream or link.
        place: String,
        /// Error.
        error: io::Error,
    },
    /// A stream that does not take its octets.
    #[error("stream {stream}: {error}")]
    Sink {
        /// Number of the stream.
        stream: u32,
        /// Why.
        error: SinkError,
    },
    /// Octets of a stream that are not there any more.
    #[error("stream {0}: octets are missing that the other system does not send again")]
    Gap(u32),
    /// A stream that is wanted here and not sent there.
    #[error("stream {0} is to be received, and the other system does not send it")]
    NotSent(u32),
    /// A stream that is sent there and not wanted here.
    #[error("the other system sends stream {0}, and nothing here receives it")]
    NotWanted(u32),
    /// A conversation of which the other system has no part, or another one.
    #[error("stream {stream} is of `{here}` here, and the other system does not have its counterpart there")]
    NoCounterpart {
        /// Number of the stream.
        stream: u32,
        /// Key of the own part.
        here: Part,
    },
    /// A conversation that cannot go on.
    #[error("stream {stream}: {error}")]
    Conversation {
        /// Number of the stream.
        stream: u32,
        /// Why.
        error: ConversationError,
    },
    /// Nothing has happened for too long.
    #[error("no progress for {after_s:.0} s: {why}")]
    NoProgress {
        /// Time, s.
        after_s: f64,
        /// State of the channels.
        why: String,
    },
}
