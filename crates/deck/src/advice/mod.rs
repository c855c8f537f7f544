//! Advice: constructions that no rule forbids and that an analyst would still question.
//!
//! Reference: IOCP, section 4.7. Given for valid decks only, because the remains of a broken one mislead. A
//! [`Placement`] gives cards, domains and drawers; where it gives none there is no advice about them.

mod aliases;
mod balance;
mod blades;
mod control_units;
mod ctc_ends;
mod functions;
mod networks;
mod notes;
mod numbering;
mod single_point;
mod spread;
mod switches;
mod table;

use crate::model::Deck;
use crate::model::placement::Placement;

pub use table::{ADVICES, Advice};

use control_units::Site;
use halftrack_input::Diagnostic;
use notes::Notes;

/// Returns the advice on `deck`, in the order of the places that it is about.
pub fn advise(deck: &Deck, placement: &dyn Placement) -> Vec<Diagnostic> {
    let site = Site::of(deck);
    let mut notes = Notes::new(deck);
    single_point::advise(&site, placement, &mut notes);
    blades::advise(&site, placement, &mut notes);
    balance::advise(&site, &mut notes);
    switches::advise(&site, &mut notes);
    numbering::advise(&site, &mut notes);
    aliases::advise(&site, &mut notes);
    spread::advise(&site, &mut notes);
    functions::advise(deck, placement, &mut notes);
    networks::advise(deck, &mut notes);
    ctc_ends::advise(deck, &mut notes);
    notes.into_list()
}
