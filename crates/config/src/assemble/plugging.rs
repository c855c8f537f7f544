//! Room for cards and channels: what the machine has against what plant and deck put into it.

use halftrack_catalog::Plugging;
use halftrack_input::Sourced;
use halftrack_input::messages::study as numbers;

use crate::assemble::inputs::Inputs;

/// Channel types that a FICON card carries (IOCP, TYPE=): native and to a bridge.
const FICON_TYPES: [&str; 2] = ["FC", "FCV"];

/// Reports the first card without a slot and the first FICON channel that is one too many.
pub fn check(inputs: &Inputs<'_>) {
    let id = &inputs.cpc.model.value;
    let Some(cpc) = inputs.catalog.cpcs.get(id) else { return };
    let Plugging { slots, ficon_channels } = &cpc.plugging;
    if let Some(slots) = slots {
        check_slots(inputs, id, slots);
    }
    if let Some(limit) = ficon_channels {
        check_ficon_channels(inputs, id, limit);
    }
}

fn check_slots(inputs: &Inputs<'_>, id: &str, slots: &Sourced<u32>) {
    let Some(extra) = inputs.cards().nth(slots.value as usize) else { return };
    let count = inputs.cards().count();
    let message = format!("{id} has {} slots, but the plant has {count} cards", slots.value);
    let mut error = inputs.in_plant(numbers::TOO_MANY_CARDS, &extra.span, message);
    error.others.extend(inputs.catalog.cpcs.label(id, slots.span.clone(), "its slots"));
    inputs.report(error.fix("drop cards, or take another machine"));
}

fn check_ficon_channels(inputs: &Inputs<'_>, id: &str, limit: &Sourced<u32>) {
    let channels = &inputs.deck.channel_paths;
    let ficon = || channels.iter().filter(|one| FICON_TYPES.contains(&one.channel_type.value.as_str()));
    let Some(extra) = ficon().nth(limit.value as usize) else { return };
    let message = format!("{id} takes {} FICON channels, but the deck has {}", limit.value, ficon().count());
    let mut error = inputs.in_deck(numbers::TOO_MANY_FICON, &extra.channel_type.span, message);
    error.others.extend(inputs.catalog.cpcs.label(id, limit.span.clone(), "its limit"));
    inputs.report(error.fix("use channels of another type, or another machine"));
}
