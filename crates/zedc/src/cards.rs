//! Cards as a partition uses them: those of a machine in this process, or processes of their own.

use halftrack_base::Time;

use crate::answer::Answer;
use crate::card::VfNumber;
use crate::cpc::{CardId, Cpc, ResourceGroup};
use crate::function_state::FunctionError;
use crate::queue_pair::SubmitError;
use crate::request::{Completion, PartitionId, Request};

/// Function of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FunctionPlace {
    /// Card.
    pub card: CardId,
    /// Number on the card.
    pub vf: VfNumber,
}

/// Cards of a machine.
pub trait Cards {
    /// Returns the resource group of a card.
    fn group(&self, card: CardId) -> ResourceGroup;

    /// Lets a partition use a function.
    ///
    /// # Errors
    /// It is not configured, is used, or does not work.
    fn allocate(&mut self, place: FunctionPlace, partition: PartitionId) -> Result<(), FunctionError>;

    /// Takes a function from its partition, once its requests have ended.
    ///
    /// # Errors
    /// The partition does not use it.
    fn deallocate(&mut self, place: FunctionPlace, partition: PartitionId) -> Result<(), FunctionError>;

    /// Returns the octets of input that wait at a function, when it takes another request of the partition.
    ///
    /// # Errors
    /// Why it takes none.
    fn backlog_bytes(&self, place: FunctionPlace, partition: PartitionId) -> Result<usize, SubmitError>;

    /// Takes a request that was submitted first at `submitted`.
    ///
    /// # Errors
    /// Why it is not taken.
    fn submit(
        &mut self,
        place: FunctionPlace,
        partition: PartitionId,
        request: Request,
        submitted: Time,
    ) -> Result<(), SubmitError>;

    /// Takes the first end of the partition's requests at a function that was not collected.
    fn collect(&mut self, place: FunctionPlace, partition: PartitionId) -> Option<Completion>;

    /// Ends the partition's requests at a function that are `chosen` and have not ended. No octet of their areas is touched any
    /// more when this returns.
    fn purge(
        &mut self,
        place: FunctionPlace,
        partition: PartitionId,
        answer: Answer,
        chosen: &dyn Fn(&Request) -> bool,
        now: Time,
    );
}

impl Cards for Cpc {
    fn group(&self, card: CardId) -> ResourceGroup {
        self.card(card).group()
    }

    fn allocate(&mut self, place: FunctionPlace, partition: PartitionId) -> Result<(), FunctionError> {
        self.card_mut(place.card).allocate(place.vf, partition)
    }

    fn deallocate(&mut self, place: FunctionPlace, partition: PartitionId) -> Result<(), FunctionError> {
        self.card_mut(place.card).deallocate(place.vf, partition)
    }

    fn backlog_bytes(&self, place: FunctionPlace, partition: PartitionId) -> Result<usize, SubmitError> {
        self.card(place.card).backlog_bytes(place.vf, partition)
    }

    fn submit(
        &mut self,
        place: FunctionPlace,
        partition: PartitionId,
        request: Request,
        submitted: Time,
    ) -> Result<(), SubmitError> {
        self.card_mut(place.card).submit(place.vf, partition, request, submitted)
    }

    fn collect(&mut self, place: FunctionPlace, partition: PartitionId) -> Option<Completion> {
        self.card_mut(place.card).collect(place.vf, partition)
    }

    fn purge(
        &mut self,
        place: FunctionPlace,
        partition: PartitionId,
        answer: Answer,
        chosen: &dyn Fn(&Request) -> bool,
        now: Time,
    ) {
        self.card_mut(place.card).purge(place.vf, partition, answer, chosen, now);
    }
}
