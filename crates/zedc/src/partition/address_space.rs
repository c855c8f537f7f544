//! An address space that uses the services.

use crate::answer::Answer;
use crate::counters::Counters;
use crate::region::{RegionToken, Regions};
use crate::request::{Request, SpaceId};

/// Token of an address space (FPZ4RZV), 16 octets. No token is given twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RendezvousToken(pub [u8; 16]);

/// Caller of the rendezvous.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Caller {
    /// Address space whose storage its requests are about.
    pub space: SpaceId,
    /// Application id.
    pub application: u32,
    /// It is authorized: in supervisor state, or in a key of the system.
    pub is_authorized: bool,
}

/// Address space after its rendezvous.
#[derive(Debug, Clone)]
pub struct AddressSpace {
    /// Its storage.
    pub space: SpaceId,
    /// Regions.
    pub regions: Regions,
    /// Counts.
    pub counters: Counters,
}

impl AddressSpace {
    /// Makes an address space without regions.
    pub fn new(space: SpaceId) -> Self {
        Self { space, regions: Regions::default(), counters: Counters::default() }
    }

    /// Checks that the regions of a request are still registered.
    ///
    /// # Errors
    /// [`Answer::RegionFreed`].
    pub fn check_again(&self, request: &Request) -> Result<(), Answer> {
        let is_registered = |region: RegionToken| self.regions.find(region).is_ok();
        let mut regions = request.regions();
        if regions.all(is_registered) { Ok(()) } else { Err(Answer::RegionFreed) }
    }
}
