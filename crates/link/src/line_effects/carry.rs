//! A batch put on its way under the faults of its line.

use halftrack_base::{Span, Time};
use halftrack_config::fault_script::FaultKind;
use halftrack_engine::RandomStream;
use halftrack_wire::fcip::{SpecialFrame, TimeStamp};

use super::Lane;
use super::effect::{LineEffect, deliver};

/// Puts a batch of whole frames into lane `way`, as far as the effects let it. It arrives at the given time or later; credits of
/// frames that are lost come back in the other lane.
pub fn carry(
    lanes: &mut [Lane; 2],
    way: usize,
    (arrives, batch): (Time, Vec<u8>),
    effects: &[LineEffect],
    random: &mut RandomStream,
) {
    if effects.is_empty() {
        return lanes[way].put_in_order(arrives, batch, Span::ZERO);
    }
    let drains = effects.iter().filter(|effect| effect.kind == FaultKind::SlowDrain);
    let drain = drains.map(|effect| effect.late).max().unwrap_or_default();
    let delivery = deliver(&batch, effects, random);
    if delivery.lost > 0 {
        // Buffers whose frames were lost are found again (BB_SC).
        let mut credits = Vec::new();
        SpecialFrame::credits(delivery.lost).emit(TimeStamp::default(), &mut credits);
        lanes[1 - way].put(arrives, credits);
    }
    for (late, octets) in delivery.in_order {
        lanes[way].put_in_order(arrives.saturating_add(late), octets, drain);
    }
    for (late, octets) in delivery.overtaken {
        lanes[way].put(arrives.saturating_add(late), octets);
    }
}
