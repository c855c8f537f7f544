//! A case run by the model.

use std::collections::BTreeMap;

use crate::model::ccw::Orb;
use crate::model::fault::Sense;
use crate::model::images::Keeping;
use crate::model::plan::{Case, Layer};
use crate::model::storage::{Memory, number};
use crate::model::unit::Unit;
use crate::model::volume::Volume;
use crate::model::{channel, transport};

/// Most times that a suspended chain is resumed.
pub const RESUMES: usize = 3;

/// Ending for the program, suspension included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observed {
    /// The start was in transport mode.
    pub transport: bool,
    /// Subchannel-status word.
    pub scsw: [u8; 12],
    /// Bytes 0, 1 and 7 of the sense.
    pub sense: Option<Sense>,
    /// Residual count: of the subchannel-status word, or of the transport-status block where it was stored.
    pub residual: u32,
    /// Format of the transport-status block, where it was stored.
    pub format: u8,
}

impl Observed {
    /// Creates an ending of a start; `tsb` is what storage has where its transport-status block lies.
    pub fn new(transport: bool, scsw: [u8; 12], sense: Option<Sense>, tsb: &[u8]) -> Self {
        let (residual, format) = match (transport, scsw[10] & 0x01 != 0) {
            (false, _) => (u32::from(scsw[10]) << 8 | u32::from(scsw[11]), 0),
            (true, true) => (number(&tsb[4..8]) as u32, tsb[1] & 0x07),
            (true, false) => (0, 0),
        };
        Self { transport, scsw, sense, residual, format }
    }
}

/// Returns the storage at the address of the transport-status block in the TCW of a transport-mode ORB.
pub fn tsb<'a>(storage: &'a [u8], orb: &[u8; 12]) -> &'a [u8] {
    let tcw = number(&orb[8..12]) as usize;
    let at = storage.get(tcw + 24..tcw + 32).map_or(0, number);
    usize::try_from(at).ok().and_then(|at| storage.get(at..)).unwrap_or_default()
}

/// A case laid into storage.
pub struct Laid {
    /// The volume before.
    pub volume: Volume,
    /// Storage before.
    pub storage: Vec<u8>,
    /// Its keys.
    pub keys: Vec<u8>,
    /// The ORBs of the starts.
    pub orbs: Vec<[u8; 12]>,
    /// How the product keeps the volume.
    pub keeping: Keeping,
}

/// Lays a case.
pub fn lay(case: &Case) -> Laid {
    let volume = case.volume();
    let (mut storage, keys) = case.storage();
    let orbs = case
        .starts
        .iter()
        .enumerate()
        .map(|(index, start)| Layer::new(&mut storage, &volume, index).lay(start))
        .collect();
    Laid { volume, storage, keys, orbs, keeping: case.keeping }
}

/// The end of a case in the model.
pub struct Ran {
    /// Suspensions and endings, in order.
    pub seen: Vec<Observed>,
    /// Storage after.
    pub memory: Memory,
    /// The volume after.
    pub volume: Volume,
    /// Commands that ended normally, and whether inside a domain.
    pub completed: BTreeMap<(u8, bool), u32>,
}

/// Returns the offset of the flags in a CCW.
pub fn flags_offset(orb: &[u8; 12]) -> usize {
    if orb[5] & 0x80 != 0 { 1 } else { 4 }
}

/// Runs a case.
pub fn model(laid: &Laid) -> Ran {
    let mut memory = Memory::new(laid.storage.clone(), laid.keys.clone());
    let mut unit = Unit::new(laid.volume.clone());
    unit.fixed_homes = laid.keeping == Keeping::Compressed;
    let mut seen = Vec::new();
    for bytes in &laid.orbs {
        let orb = Orb::decode(bytes);
        if bytes[5] & 0x04 != 0 {
            let ending = transport::run(&mut memory, &mut unit, &orb);
            seen.push(Observed::new(true, ending.scsw, ending.sense, tsb(&memory.bytes, bytes)));
            continue;
        }
        let mut ending = channel::run(&mut memory, &mut unit, &orb, orb.program, None);
        for _ in 0..RESUMES {
            seen.push(Observed::new(false, ending.scsw, ending.sense, &[]));
            let Some((address, status)) = ending.suspended else { break };
            memory.bytes[address as usize + flags_offset(bytes)] &= !0x02;
            ending = channel::run(&mut memory, &mut unit, &orb, address, Some(status));
        }
        unit.end_chain(false);
    }
    memory.uncertain |= unit.uncertain;
    Ran { seen, memory, volume: unit.volume, completed: unit.completed }
}
