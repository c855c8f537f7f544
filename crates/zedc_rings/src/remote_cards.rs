//! Cards of a machine that are processes, as a partition in the program uses them.

use std::collections::BTreeMap;

use halftrack_base::Time;
use halftrack_zedc::{
    Answer, CardId, Cards, Completion, FunctionError, FunctionPlace, PartitionId, Request, ResourceGroup,
    SubmitError,
};

use crate::remote_card::RemoteCard;

/// Cards to which a program is connected.
#[derive(Debug, Default)]
pub struct RemoteCards(pub BTreeMap<CardId, RemoteCard>);

impl RemoteCards {
    fn at(&self, place: FunctionPlace) -> Option<&RemoteCard> {
        self.0.get(&place.card).filter(|card| card.place == place)
    }

    fn at_mut(&mut self, place: FunctionPlace) -> Option<&mut RemoteCard> {
        self.0.get_mut(&place.card).filter(|card| card.place == place)
    }
}

impl Cards for RemoteCards {
    fn group(&self, card: CardId) -> ResourceGroup {
        self.0.get(&card).map_or(ResourceGroup::One, |card| card.group)
    }

    fn allocate(&mut self, place: FunctionPlace, _: PartitionId) -> Result<(), FunctionError> {
        // The card has allocated the function when it let the program in.
        self.at(place).map(|_| ()).ok_or(FunctionError::NotConfigured)
    }

    fn deallocate(&mut self, place: FunctionPlace, _: PartitionId) -> Result<(), FunctionError> {
        self.at(place).map(|_| ()).ok_or(FunctionError::NotAllocated)
    }

    fn backlog_bytes(&self, place: FunctionPlace, _: PartitionId) -> Result<usize, SubmitError> {
        self.at(place).ok_or(FunctionError::NotConfigured)?.backlog_bytes()
    }

    fn submit(
        &mut self,
        place: FunctionPlace,
        _: PartitionId,
        request: Request,
        _: Time,
    ) -> Result<(), SubmitError> {
        let card = self.at_mut(place).ok_or(FunctionError::NotConfigured)?;
        card.backlog_bytes()?;
        card.submit(request);
        Ok(())
    }

    fn collect(&mut self, place: FunctionPlace, _: PartitionId) -> Option<Completion> {
        self.at_mut(place)?.collect()
    }

    fn purge(
        &mut self,
        place: FunctionPlace,
        _: PartitionId,
        answer: Answer,
        chosen: &dyn Fn(&Request) -> bool,
        _: Time,
    ) {
        if let Some(card) = self.at_mut(place) {
            card.purge(answer, chosen);
        }
    }
}
