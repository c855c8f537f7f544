//! Choice of the card of a request: resource groups in turn, and within one the function where the fewest octets wait.
//!
//! Octets of other partitions are not counted: a partition does not see them.

use halftrack_base::Time;

use super::Partition;
use crate::answer::Answer;
use crate::cards::{Cards, FunctionPlace};
use crate::queue_pair::SubmitError;
use crate::request::Request;

impl Partition {
    /// Returns the function of the next request.
    ///
    /// # Errors
    /// [`Answer::NoHardware`], or [`Answer::QueuesFull`] when a usable function is there.
    pub(super) fn choice(&self, cards: &impl Cards) -> Result<FunctionPlace, Answer> {
        let backlog = |place: FunctionPlace| cards.backlog_bytes(place, self.id);
        let open = self.functions.iter().filter_map(|place| Some((*place, backlog(*place).ok()?)));
        let is_out_of_turn = |place: FunctionPlace| cards.group(place.card) != self.turn;
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
    pub(crate) fn drive(
        &mut self,
        request: Request,
        submitted: Time,
        cards: &mut impl Cards,
    ) -> Result<(), Answer> {
        let place = self.choice(cards)?;
        self.turn = cards.group(place.card).other();
        cards.submit(place, self.id, request, submitted).map_err(|_| Answer::NoHardware)
    }
}
