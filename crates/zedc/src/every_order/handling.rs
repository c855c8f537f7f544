//! Handling of events by the code as it is, or by code with a mistake.

use halftrack_base::Time;

use crate::rig::Program;
use crate::*;

/// Handling of the events in which mistakes are planted.
pub trait Handling {
    /// Loses a card.
    fn lose(cpc: &mut Cpc, card: CardId, now: Time) {
        cpc.card_mut(card).lose(now);
    }

    /// Collects the ends at all functions.
    fn collect(program: &mut Program, cpc: &mut Cpc) {
        program.partition.collect(cpc);
    }

    /// Deregisters the region of the output.
    fn deregister(program: &mut Program, cpc: &mut Cpc, now: Time) -> Result<(), Answer> {
        let Program { partition, token, output, .. } = program;
        partition.deregister(*token, *output, cpc, now)
    }

    /// Ends the address space.
    fn end(program: &mut Program, cpc: &mut Cpc, now: Time) {
        let Program { partition, token, .. } = program;
        partition.end(*token, cpc, now).expect("the address space is there");
    }

    /// Gives a function up.
    fn detach(program: &mut Program, cpc: &mut Cpc, place: FunctionPlace) -> Result<(), FunctionError> {
        program.partition.detach(place, cpc)
    }

    /// Begins the update of a group.
    fn begin_update(cpc: &mut Cpc, group: ResourceGroup, now: Time) -> Result<(), CpcError> {
        cpc.begin_update(group, now)
    }
}

/// The code as it is.
pub struct Right;

impl Handling for Right {}
