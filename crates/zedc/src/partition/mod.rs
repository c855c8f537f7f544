//! A partition: its functions, and the services that its programs call.
//!
//! A request is submitted to one card. When that is lost, or its firmware updated, the partition submits the request to
//! another one; when there is none, the answer is that the program falls back to software. Each request ends once.

mod address_space;
mod choice;
mod services;

use std::collections::{BTreeMap, VecDeque};

use halftrack_base::Time;

pub use address_space::{Caller, RendezvousToken};
pub use services::{Autonomous, Options};

use crate::answer::Answer;
use crate::cards::{Cards, FunctionPlace};
use crate::counters::Counters;
use crate::cpc::ResourceGroup;
use crate::function_state::FunctionError;
use crate::request::{Completion, PartitionId, Request, RequestId};
use address_space::AddressSpace;

/// Request that has not ended.
#[derive(Debug, Clone)]
pub struct InFlight {
    pub request: Request,
    token: RendezvousToken,
    pub submitted: Time,
}

/// Partition with its functions and address spaces.
#[derive(Debug)]
pub struct Partition {
    id: PartitionId,
    /// The operating system uses cards.
    has_software_level: bool,
    pub(crate) functions: Vec<FunctionPlace>,
    /// Group of the next request.
    turn: ResourceGroup,
    pub(crate) spaces: BTreeMap<RendezvousToken, AddressSpace>,
    pub(crate) in_flight: BTreeMap<RequestId, InFlight>,
    ended: VecDeque<(RendezvousToken, Completion)>,
    /// Last number that was given to a token or a request.
    last_number: u64,
}

impl Partition {
    /// Makes a partition without functions, whose operating system uses cards or is too old for it.
    pub const fn new(id: PartitionId, has_software_level: bool) -> Self {
        Self {
            id,
            has_software_level,
            functions: Vec::new(),
            turn: ResourceGroup::One,
            spaces: BTreeMap::new(),
            in_flight: BTreeMap::new(),
            ended: VecDeque::new(),
            last_number: 0,
        }
    }

    /// Returns the name.
    pub const fn id(&self) -> PartitionId {
        self.id
    }

    /// Uses a function from now on.
    ///
    /// # Errors
    /// It is not configured, is used, or does not work.
    pub fn attach(&mut self, place: FunctionPlace, cards: &mut impl Cards) -> Result<(), FunctionError> {
        cards.allocate(place, self.id)?;
        if !self.functions.contains(&place) {
            self.functions.push(place);
        }
        Ok(())
    }

    /// Gives a function up: the operator configures it offline. It stays pending until its requests have ended.
    ///
    /// # Errors
    /// The partition does not use it.
    pub fn detach(&mut self, place: FunctionPlace, cards: &mut impl Cards) -> Result<(), FunctionError> {
        cards.deallocate(place, self.id)
    }

    /// Collects the ends of requests, and submits those again whose card was lost.
    pub fn collect(&mut self, cards: &mut impl Cards) {
        for at in 0..self.functions.len() {
            let place = self.functions[at];
            while let Some(completion) = cards.collect(place, self.id) {
                if completion.answer == Answer::DeviceLost {
                    self.drive_again(completion, cards);
                } else {
                    self.finish(completion);
                }
            }
        }
    }

    /// Takes the end of a request, and the address space whose it was.
    pub fn poll(&mut self) -> Option<(RendezvousToken, Completion)> {
        self.ended.pop_front()
    }

    /// Returns how many requests have not ended.
    pub fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    /// Returns whether a request has not ended.
    pub fn is_in_flight(&self, id: RequestId) -> bool {
        self.in_flight.contains_key(&id)
    }

    /// Returns the counts of an address space.
    ///
    /// # Errors
    /// [`Answer::BadRendezvousToken`].
    pub fn counters(&self, token: RendezvousToken) -> Result<Counters, Answer> {
        Ok(self.space(token)?.counters)
    }

    fn space(&self, token: RendezvousToken) -> Result<&AddressSpace, Answer> {
        self.spaces.get(&token).ok_or(Answer::BadRendezvousToken)
    }

    fn number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    /// Submits a request again that a card gave back, when its areas are still there and another card takes it.
    pub(crate) fn drive_again(&mut self, lost: Completion, cards: &mut impl Cards) {
        let Some(InFlight { request, token, submitted }) = self.in_flight.get(&lost.id).cloned() else {
            return;
        };
        let areas = self.space(token).map_err(|_| Answer::Ended);
        let areas = areas.and_then(|space| space.check_again(&request));
        let driven = areas.and_then(|()| self.drive(request, submitted, cards));
        if let Err(answer) = driven {
            self.finish(Completion { answer, ..lost });
        }
    }

    /// Ends a request.
    pub(crate) fn finish(&mut self, completion: Completion) {
        let Some(InFlight { request, token, .. }) = self.in_flight.remove(&completion.id) else { return };
        if let Some(space) = self.spaces.get_mut(&token).filter(|_| !completion.answer.is_software_fallback())
        {
            space.counters.count(request.operation, &completion);
        }
        self.ended.push_back((token, completion));
    }
}
