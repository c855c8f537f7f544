//! Commands for the driver.

use std::sync::mpsc::SyncSender;

use halftrack_smc::connection::StreamError;
use halftrack_smc::link_group::{GroupState, PortNumber};
use halftrack_smc::message::AlertToken;
use halftrack_smc::message::clc::{Diagnosis, Endpoint};

use crate::carriage::Carriage;

/// Why a command has no answer of the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FabricError {
    /// The connection ended abnormally, or is shut down.
    Stream(StreamError),
    /// The driver has ended.
    Ended,
}

/// Sender of the answer to a command.
pub(crate) type Answer<T> = SyncSender<T>;

/// Command.
#[derive(Debug)]
pub(crate) enum Command {
    Accept(Answer<Result<Endpoint, Diagnosis>>),
    Confirm(Endpoint, Answer<Result<Endpoint, Diagnosis>>),
    Confirmed(AlertToken, Endpoint, Answer<Result<(), Diagnosis>>),
    State(Answer<GroupState>),
    Stream(StreamCommand),
    ShutDown(AlertToken),
    Close(AlertToken),
    PortDown(PortNumber),
    Carry(Box<Carriage>),
    Stop,
}

/// Command that waits until octets can move.
#[derive(Debug)]
pub(crate) enum StreamCommand {
    /// Sends some of the octets; the answer is how many.
    Send { connection: AlertToken, octets: Vec<u8>, answer: Answer<Result<usize, StreamError>> },
    /// Receives up to so many octets; none stand for the end.
    Receive { connection: AlertToken, most: usize, answer: Answer<Result<Vec<u8>, StreamError>> },
}
