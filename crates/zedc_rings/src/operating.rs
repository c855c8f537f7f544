//! Commands of an operator to a card.

use std::io::{self, Read as _};
use std::time::Duration;

use halftrack_shared_memory::connect_at_once;
use halftrack_zedc::CardId;
use thiserror::Error;

use crate::message::{Command, FromCard, ToCard};
use crate::place::Place;
use crate::remote_card::receive_in_time;
use crate::status::CardStatus;

/// Most octets of a status.
const STATUS_BYTES_MAX: u64 = 1 << 20;
/// How long a status that was begun may take.
const STATUS_WAIT: Duration = Duration::from_secs(5);

/// Why a command was not done.
#[derive(Debug, Error)]
pub enum OperateError {
    /// There is no such card.
    #[error("there is no card {0}")]
    NoCard(u8),
    /// The card cannot be reached, or does not answer.
    #[error("card {0} does not answer: {1}")]
    Silent(u8, io::Error),
    /// The state of the function or of the card does not admit it.
    #[error("card {0} did not do it: the function is not configured, or in a state that does not admit it")]
    NotDone(u8),
}

/// Has a card do a command; returns its status behind it.
///
/// # Errors
/// [`OperateError`].
pub fn operate(place: &Place, card: CardId, command: Command) -> Result<CardStatus, OperateError> {
    let silent = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => OperateError::NoCard(card.get()),
        _ => OperateError::Silent(card.get(), error),
    };
    let mut stream = connect_at_once(&place.socket(card)).map_err(silent)?;
    ToCard::Operate(command).send(&stream, &[]).map_err(silent)?;
    match receive_in_time(&stream).map_err(silent)?.0 {
        FromCard::Status(bytes) if bytes <= STATUS_BYTES_MAX => {
            let mut text = vec![0; bytes as usize];
            stream.set_nonblocking(false).map_err(silent)?;
            stream.set_read_timeout(Some(STATUS_WAIT)).map_err(silent)?;
            stream.read_exact(&mut text).map_err(silent)?;
            serde_json::from_slice(&text).map_err(|error| silent(error.into()))
        }
        FromCard::NotDone => Err(OperateError::NotDone(card.get())),
        _ => Err(silent(io::ErrorKind::InvalidData.into())),
    }
}
