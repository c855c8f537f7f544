//! Services in the shape of the documented FPZ4 services (reference on zEDC, section 2).

use halftrack_base::{Time, bit_set};

use super::{AddressSpace, Caller, InFlight, Partition, RendezvousToken};
use crate::answer::Answer;
use crate::area::{Area, Segment};
use crate::cards::Cards;
use crate::counters::Counters;
use crate::region::{Region, RegionToken};
use crate::request::{INPUT_BYTES_MAX, OUTPUT_BYTES_MAX, Operation, Request, RequestId, Spaces};

/// The one application that is defined.
const APPLICATION: u32 = 1;

bit_set! {
    /// Options of an autonomous request.
    Options: u64 {
        /// Inflate, and not deflate.
        INFLATE = 0x80 << 56;
        /// The input is a list.
        INPUT_LIST = 0x40 << 56;
        /// The output is a list.
        OUTPUT_LIST = 0x20 << 56;
        /// Deflate without a final block, so that blocks of other requests can follow (our choice: no document has the bit).
        OPEN = 0x01 << 56;
    }
}

/// Parameters of an autonomous request (FPZ4ABC). An area that is no list has one segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Autonomous<'a> {
    /// Options.
    pub options: Options,
    /// Input.
    pub input: &'a [Segment],
    /// Output.
    pub output: &'a [Segment],
}

impl Partition {
    /// Begins the use of the services by an address space (FPZ4RZV).
    ///
    /// # Errors
    /// The operating system is too old, or the caller is not authorized or no known application.
    pub fn rendezvous(&mut self, caller: Caller) -> Result<RendezvousToken, Answer> {
        if !self.has_software_level {
            return Err(Answer::SoftwareLevel);
        }
        if !caller.is_authorized {
            return Err(Answer::WrongEnvironment);
        }
        if caller.application != APPLICATION {
            return Err(Answer::BadApplicationId);
        }
        let mut token = [0; 16];
        token[7] = self.id.0;
        token[8..].copy_from_slice(&self.number().to_be_bytes());
        let token = RendezvousToken(token);
        self.spaces.insert(token, AddressSpace::new(caller.space));
        Ok(token)
    }

    /// Returns whether a card takes requests now (FPZ4PRB).
    ///
    /// # Errors
    /// The token is unknown, or no card takes requests.
    pub fn probe(&self, token: RendezvousToken, cards: &impl Cards) -> Result<(), Answer> {
        self.space(token)?;
        match self.choice(cards) {
            Ok(_) | Err(Answer::QueuesFull) => Ok(()),
            Err(answer) => Err(answer),
        }
    }

    /// Returns whether the queues of every usable function are full.
    pub fn is_full(&self, cards: &impl Cards) -> bool {
        self.choice(cards).err() == Some(Answer::QueuesFull)
    }

    /// Registers a region (FPZ4RMR).
    ///
    /// # Errors
    /// The token is unknown, or the region is none.
    pub fn register(
        &mut self,
        token: RendezvousToken,
        region: Region,
        spaces: &mut impl Spaces,
    ) -> Result<RegionToken, Answer> {
        let named = RegionToken(self.number());
        let space = self.spaces.get_mut(&token).ok_or(Answer::BadRendezvousToken)?;
        space.regions.register(named, region, |region| spaces.reach(space.space, region))?;
        Ok(named)
    }

    /// Deregisters a region (FPZ4DMR). Requests that use it and have not ended end with [`Answer::RegionFreed`]; none of its
    /// octets is touched any more when this returns.
    ///
    /// # Errors
    /// A token is unknown.
    pub fn deregister(
        &mut self,
        token: RendezvousToken,
        region: RegionToken,
        cards: &mut impl Cards,
        now: Time,
    ) -> Result<(), Answer> {
        let space = self.spaces.get_mut(&token).ok_or(Answer::BadRendezvousToken)?;
        space.regions.deregister(region)?;
        self.purge(Answer::RegionFreed, |request| request.regions().any(|one| one == region), cards, now);
        Ok(())
    }

    /// Starts an autonomous request (FPZ4ABC): its end comes by [`Partition::poll`]. All that the caller hands over is copied.
    ///
    /// # Errors
    /// Why it is no request, or is not started.
    pub fn compress(
        &mut self,
        token: RendezvousToken,
        parameters: Autonomous<'_>,
        cards: &mut impl Cards,
        now: Time,
    ) -> Result<RequestId, Answer> {
        let Autonomous { options, input, output } = parameters;
        let AddressSpace { space, regions, .. } = self.space(token)?;
        let defined = Options::INFLATE | Options::INPUT_LIST | Options::OUTPUT_LIST | Options::OPEN;
        let is_contradiction = options.contains(Options::INFLATE | Options::OPEN);
        if is_contradiction || !options.without(defined).is_empty() {
            return Err(Answer::BadOptions);
        }
        let area = |segments: &[Segment], list: Options, most_bytes: usize| {
            Area::check(segments, options.contains(list), most_bytes, regions)
        };
        let input = area(input, Options::INPUT_LIST, INPUT_BYTES_MAX)?;
        let output = area(output, Options::OUTPUT_LIST, OUTPUT_BYTES_MAX)?;
        if output.is_overlapping(&input) {
            return Err(Answer::AreaOverlap);
        }
        let is_inflate = options.contains(Options::INFLATE);
        let operation = if is_inflate { Operation::Inflate } else { Operation::Deflate };
        let space = *space;
        let id = RequestId(self.number());
        let is_open = options.contains(Options::OPEN);
        let request = Request { id, operation, is_open, space, input, output };
        self.drive(request.clone(), now, cards)?;
        self.in_flight.insert(id, InFlight { request, token, submitted: now });
        Ok(id)
    }

    /// Ends the use of the services by an address space (FPZ4URZ); returns its counts. Its regions are dropped, and requests
    /// that have not ended end with [`Answer::Ended`].
    ///
    /// # Errors
    /// The token is unknown.
    pub fn end(
        &mut self,
        token: RendezvousToken,
        cards: &mut impl Cards,
        now: Time,
    ) -> Result<Counters, Answer> {
        let ended = self.spaces.remove(&token).ok_or(Answer::BadRendezvousToken)?;
        let is_own =
            |request: &Request| self.in_flight.get(&request.id).is_some_and(|one| one.token == token);
        self.purge(Answer::Ended, is_own, cards, now);
        Ok(ended.counters)
    }

    /// Ends the requests at every function that are `chosen`.
    fn purge(&self, answer: Answer, chosen: impl Fn(&Request) -> bool, cards: &mut impl Cards, now: Time) {
        for place in &self.functions {
            cards.purge(*place, self.id, answer, &chosen, now);
        }
    }
}
