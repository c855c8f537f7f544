//! Logical partitions: the deck's, with the processors and settings that the plant gives them. A machine in BASIC
//! mode has one image, which the plant names.

use halftrack_catalog::nearest_or_all;

use crate::assemble::inputs::Inputs;
use crate::configuration::Lpar;
use crate::numbers;

/// A partition that the plant may speak of, as (name, CSS, MIF).
type Image<'a> = (&'a str, u8, u8);

/// The partitions of the plant, by (CSS, MIF).
pub fn lpars(inputs: &Inputs<'_>) -> Vec<Lpar> {
    let Some(images) = images(inputs) else { return Vec::new() };
    let mut lpars = Vec::new();
    for wanted in &inputs.plant.lpars {
        let name = &wanted.name.value;
        if let Some((_, css, mif)) = images.iter().find(|image| image.0 == name) {
            lpars.push(Lpar {
                name: name.clone(),
                css: *css,
                mif: *mif,
                cps: wanted.cps,
                zhpf: wanted.zhpf.value,
                hyperpav: wanted.hyperpav,
            });
            continue;
        }
        let fix = nearest_or_all(name, images.iter().map(|image| image.0));
        let message = match &inputs.plant.cpc.system {
            Some(system) => format!("the machine runs {} alone, not {name}", system.value),
            None => format!("partition {name} of the plant is not in the deck"),
        };
        let mut error = inputs.in_plant(numbers::NO_PARTITION, &wanted.name.span, message).fix(fix);
        let place = match &inputs.plant.cpc.system {
            Some(system) => Some(inputs.plant.label(&system.span, "the system of BASIC mode")),
            None => {
                let first = inputs.deck.partitions.first();
                first.map(|first| inputs.deck_label(&first.span, "partitions of the deck"))
            }
        };
        error.others.extend(place);
        inputs.report(error);
    }
    lpars.sort_by_key(|lpar| (lpar.css, lpar.mif));
    lpars
}

/// The named partitions of the deck, or the one system of a machine in BASIC mode; nothing when deck and plant
/// disagree about the mode.
fn images<'a>(inputs: &Inputs<'a>) -> Option<Vec<Image<'a>>> {
    let (deck, plant) = (inputs.deck, inputs.plant);
    match (&plant.cpc.system, deck.is_basic()) {
        (Some(system), true) => Some(vec![(&system.value, 0, 0)]),
        (None, true) => {
            let message = "the deck has no RESOURCE, so that its machine runs one system in BASIC mode, which the \
                           plant does not name";
            let error = inputs.in_plant(numbers::BASIC_MODE, &plant.cpc.model.span, message);
            inputs.report(error.fix("add `system = \"SYS1\"` to `[cpc]`, or RESOURCE to the deck"));
            None
        }
        (Some(system), false) => {
            let message = "the plant names the one system of BASIC mode, but the deck has partitions";
            let mut error = inputs.in_plant(numbers::BASIC_MODE, &system.span, message);
            let first = deck.partitions.first();
            error.others.extend(first.map(|first| inputs.deck_label(&first.span, "partitions of the deck")));
            inputs.report(error.fix("drop `system`"));
            None
        }
        (None, false) => {
            let named =
                |one: &'a halftrack_deck::model::Partition| Some((one.name.as_deref()?, one.css, one.mif));
            Some(deck.partitions.iter().filter_map(named).collect())
        }
    }
}
