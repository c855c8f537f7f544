//! Applications on both directions of a stream, which begin anew with each start of either system.

use std::io;

use halftrack_base::{SharedOctets, Time};
use halftrack_isfc::relocation::{ArrivalError, DepartureError, RecordError, RelocationReport};
use halftrack_isfc::workload::SizesError;
use thiserror::Error;

use super::directory::Part;
use super::request::RequestReport;
use super::stream::SinkError;

/// Why a conversation ends early.
#[derive(Debug, Error)]
pub enum ConversationError {
    /// An error of the operating system at a file of it.
    #[error("{path}: {error}")]
    File {
        /// File.
        path: String,
        /// Error.
        error: io::Error,
    },
    /// Octets of the partner that are no record.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A record that has no place at a destination.
    #[error(transparent)]
    Arrival(#[from] ArrivalError),
    /// A record that has no place at a source.
    #[error(transparent)]
    Departure(#[from] DepartureError),
    /// No sizes of requests and responses.
    #[error(transparent)]
    Sizes(#[from] SizesError),
    /// Requests or responses that are other ones.
    #[error(transparent)]
    Contents(#[from] SinkError),
}

/// Report of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum ConversationReport {
    /// Of the source of a relocation.
    Departure(RelocationReport),
    /// Of its destination.
    Arrival(RelocationReport),
    /// Of requests.
    Requests(RequestReport),
    /// Of responses, and how many were sent.
    Responses(u64),
}

/// An application on both directions of a stream.
pub trait Conversation {
    /// Returns the part of this side.
    fn part(&self) -> Part;

    /// Takes it that either system has started: nothing that came or went before is of use.
    fn restarted(&mut self, now: Time);

    /// Takes a block that the partner has sent, from this offset on.
    ///
    /// # Errors
    /// Why the conversation cannot go on.
    fn put(&mut self, offset: u64, octets: &SharedOctets, now: Time) -> Result<(), ConversationError>;

    /// Does what is to be done beside the link; true when there was something.
    ///
    /// # Errors
    /// Why the conversation cannot go on.
    fn turn(&mut self, now: Time) -> Result<bool, ConversationError>;

    /// Takes the octets that are to be sent next, when there are some and the room has them.
    ///
    /// # Errors
    /// Why the conversation cannot go on.
    fn take(&mut self, room_bytes: u64, now: Time) -> Result<Option<SharedOctets>, ConversationError>;

    /// Takes it that the partner has what was sent up to this offset.
    fn acknowledged(&mut self, offset: u64, now: Time);

    /// Returns the moment at which there is something to do although nothing comes.
    fn deadline(&self) -> Option<Time>;

    /// Returns whether this side needs nothing more of the partner.
    fn is_finished(&self) -> bool;

    /// Returns what was done so far.
    fn report(&self) -> ConversationReport;
}
