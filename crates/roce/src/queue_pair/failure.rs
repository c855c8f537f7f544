//! Reasons of the error state.

use thiserror::Error;

use super::AccessError;
use crate::packet::{Opcode, Rkey};

/// Why a queue pair is in the error state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Failure {
    /// Packets were sent as often as allowed, and none was acknowledged.
    #[error("the peer did not acknowledge a packet that was sent {0} times")]
    NoAcknowledgement(u16),
    /// The peer had no receive as often as allowed.
    #[error("the peer had no receive for a message that was sent {0} times")]
    ReceiverNotReady(u16),
    /// The peer refused the request as invalid.
    #[error("the peer refused the oldest work as an invalid request")]
    PeerRefusedRequest,
    /// The peer refused the access to its memory.
    #[error("the peer refused the oldest work access to its memory")]
    PeerRefusedAccess,
    /// The peer failed.
    #[error("the peer failed at the oldest work")]
    PeerFailed,
    /// A request of the peer was invalid.
    #[error("the peer sent an invalid request: {0}")]
    InvalidRequest(InvalidRequest),
    /// A request of the peer was refused access to memory.
    #[error("the peer was refused {length_bytes} octets at {address:016X} under rkey {:08X}: {error}", rkey.0)]
    RefusedAccess {
        /// Key.
        rkey: Rkey,
        /// Address.
        address: u64,
        /// Octets.
        length_bytes: u32,
        /// Reason.
        error: AccessError,
    },
    /// The caller closed the queue pair.
    #[error("the queue pair was closed")]
    Closed,
}

/// Why a request is invalid (section *Responder Side Behavior*).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum InvalidRequest {
    /// Opcode that cannot follow the packet before.
    #[error("{0:?} has no place behind the packet before it")]
    Sequence(Opcode),
    /// Payload of another length than operation, MTU and length of the message allow.
    #[error("{opcode:?} has {bytes} octets of payload")]
    Payload {
        /// Opcode.
        opcode: Opcode,
        /// Octets.
        bytes: u16,
    },
    /// Message that is longer than any receive.
    #[error("a message of {0} octets or more exceeds a receive of 44")]
    Message(u16),
}
