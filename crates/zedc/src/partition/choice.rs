//! Choice of the card of a request: resource groups in turn, and within one the function where the fewest octets wait.
//!
//! Octets of other partitions are not counted: a partition does not see them.

use halftrack_base::Time;

use super::Partition;
use crate::answer::Answer;
use crate::card::VfNumber;
use crate::cpc::{CardId, Cpc};
use crate::queue_pair::SubmitError;
use crate::request::Request;

/// Function of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FunctionPlace {
    /// Card.
    pub card: CardId,
    /// Number on the card.
    pub vf: VfNumber,
}

impl Partition {
    /// Returns the function of the next request.
    ///
    /// # Errors
    /// [`Answer::NoHardware`], or [`Answer::QueuesFull`] when a usable function is there.
    pub(super) fn choice(&self, cpc: &Cpc) -> Result<FunctionPlace, Answer> {
        let backlog = |place: FunctionPlace| cpc.card(place.card).backlog_bytes(place.vf, self.id);
        let open = self.functions.iter().filter_map(|place| Some((*place, backlog(*place).ok()?)));
        let is_out_of_turn = |place: FunctionPlace| cpc.card(place.card).group() != self.turn;
        let chosen = open.min_by_key(|(place, bytes)| (is_out_of_turn(*place), *bytes));
        chosen.map(|(place, _)| place).ok_or_else(|| {
            let is_full = self.functions.iter().any(|place| backlog(*place) == Err(SubmitError::Full));
            if is_full { Answer::QueuesFull } else { Answer::NoHardware }
        })
    }

    /// Submits a request to the function that is chosen for it.
    ///
    /// # Errors
    /// No function takes it.
    pub(crate) fn drive(&mut self, request: Request, submitted: Time, cpc: &mut Cpc) -> Result<(), Answer> {
        let place = self.choice(cpc)?;
        let card = cpc.card_mut(place.card);
        self.turn = card.group().other();
        card.submit(place.vf, self.id, request, submitted).map_err(|_| Answer::NoHardware)
    }
}
