//! Programs of the process that have had their rendezvous.
//!
//! They are found by the process that made them: a child that was forked has none, and takes no lock that a thread of its parent
//! may have held.

use std::collections::BTreeMap;
use std::process;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use halftrack_zedc::{Answer, RegionToken};
use halftrack_zedc_rings::{Program, SharedProgram};

use crate::layout::{RegionName, RendezvousName};

/// Number of the last rendezvous. A child counts on, and its tokens name another process.
static LAST: AtomicU64 = AtomicU64::new(0);

/// Program after its rendezvous.
#[derive(Debug)]
pub struct Space {
    /// Program.
    pub program: SharedProgram,
    number: u64,
}

impl Space {
    /// Returns the token of a region of this space for the caller: of all regions of the process none has the same.
    pub fn name_of(&self, region: RegionToken) -> RegionName {
        RegionName { octets: (self.number << 32 | region.0 & 0xFFFF_FFFF).to_be_bytes() }
    }

    /// Returns the region of a token; one that nobody has for that of another space.
    pub fn region_of(&self, name: RegionName) -> RegionToken {
        let name = u64::from_be_bytes(name.octets);
        let is_own = name >> 32 == self.number & 0xFFFF_FFFF;
        RegionToken(if is_own { name & 0xFFFF_FFFF } else { 0 })
    }
}

/// Spaces of a process.
#[derive(Debug)]
struct Registry {
    process_id: u32,
    spaces: RwLock<BTreeMap<RendezvousName, Arc<Space>>>,
}

static REGISTRY: AtomicPtr<Registry> = AtomicPtr::new(ptr::null_mut());

/// Returns the registry of this process. That of a parent is left alone: the parent uses its connections.
fn registry() -> &'static Registry {
    let process_id = process::id();
    loop {
        let current = REGISTRY.load(Ordering::Acquire);
        // SAFETY: it is null or came from a box that is never freed nor changed.
        if let Some(registry) = unsafe { current.as_ref() }
            && registry.process_id == process_id
        {
            return registry;
        }
        let fresh = Box::into_raw(Box::new(Registry { process_id, spaces: RwLock::default() }));
        if REGISTRY.compare_exchange(current, fresh, Ordering::AcqRel, Ordering::Acquire).is_err() {
            // SAFETY: it came from a box, and no other thread has seen it.
            drop(unsafe { Box::from_raw(fresh) });
        }
    }
}

/// Takes a program in; returns its token.
pub fn insert(program: Program) -> RendezvousName {
    let registry = registry();
    let number = LAST.fetch_add(1, Ordering::Relaxed) + 1;
    let mut octets = [0; 16];
    octets[..4].copy_from_slice(&registry.process_id.to_be_bytes());
    octets[8..].copy_from_slice(&number.to_be_bytes());
    let name = RendezvousName { octets };
    let space = Space { program: SharedProgram::new(program), number };
    // No thread panics while it has the lock: the map is whole.
    registry.spaces.write().unwrap_or_else(PoisonError::into_inner).insert(name, Arc::new(space));
    name
}

/// Finds the program of a token.
///
/// # Errors
/// [`Answer::BadRendezvousToken`].
pub fn find(name: RendezvousName) -> Result<Arc<Space>, Answer> {
    let spaces = registry().spaces.read().unwrap_or_else(PoisonError::into_inner);
    spaces.get(&name).cloned().ok_or(Answer::BadRendezvousToken)
}

/// Takes the program of a token out.
///
/// # Errors
/// [`Answer::BadRendezvousToken`].
pub fn remove(name: RendezvousName) -> Result<Arc<Space>, Answer> {
    let mut spaces = registry().spaces.write().unwrap_or_else(PoisonError::into_inner);
    spaces.remove(&name).ok_or(Answer::BadRendezvousToken)
}
