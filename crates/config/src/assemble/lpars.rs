//! Logical partitions: the decks', with the processors and settings that the plant gives them. A machine in BASIC
//! mode has one image, which the plant names.

use halftrack_input::messages::study as numbers;
use halftrack_input::{Label, nearest_or_all};

use crate::assemble::inputs::Inputs;
use crate::assemble::lpar_size;
use crate::assemble::smfids::smfids;
use crate::cpc::Lpar;
use crate::plant;

/// A partition that the plant may name.
struct Image<'a> {
    name: &'a str,
    /// Index of its machine.
    cpc: u8,
    css: u8,
    mif: u8,
    /// Where it is defined.
    place: Label,
}

/// Returns the partitions of the plant, by (CPC, CSS, MIF).
pub fn lpars(inputs: &Inputs<'_>) -> Vec<Lpar> {
    let found: Vec<_> = inputs.each().map(|machine| images(&machine)).collect();
    let is_complete = found.iter().all(Option::is_some);
    let images: Vec<Image<'_>> = found.into_iter().flatten().flatten().collect();
    let mut found = Vec::new();
    for wanted in &inputs.plant.lpars {
        let name = &wanted.name.value;
        let mut named = images.iter().filter(|image| image.name == name);
        let Some(image) = named.next() else {
            // What a machine lacks of which deck and plant disagree about the mode is not known.
            if is_complete {
                report_missing(inputs, wanted, &images);
            }
            continue;
        };
        if let Some(other) = named.find(|other| other.cpc != image.cpc) {
            let message = format!("partition {name} is on two CPCs, so that streams in it are ambiguous");
            let mut error = inputs.in_plant(numbers::LPAR_TWICE, &wanted.name.span, message);
            error.others.extend([image.place.clone(), other.place.clone()]);
            inputs.report(error.fix("rename one of them in its deck"));
        }
        let lpar = Lpar {
            name: name.clone(),
            smfid: String::new(),
            cpc: image.cpc,
            css: image.css,
            mif: image.mif,
            cps: wanted.cps.value,
            ifl_threads: wanted.ifl_threads,
            zhpf: wanted.zhpf.value,
            hyperpav: wanted.hyperpav,
        };
        lpar_size::check(inputs, wanted, &lpar);
        found.push((wanted, lpar));
    }
    found.sort_by_key(|(_, lpar)| (lpar.cpc, lpar.css, lpar.mif));
    let wanted: Vec<&plant::Lpar> = found.iter().map(|(wanted, _)| *wanted).collect();
    let ids = smfids(inputs, &wanted);
    found.into_iter().zip(ids).map(|((_, lpar), smfid)| Lpar { smfid, ..lpar }).collect()
}

fn report_missing(inputs: &Inputs<'_>, wanted: &plant::Lpar, images: &[Image<'_>]) {
    let name = &wanted.name.value;
    let fix = nearest_or_all(name, images.iter().map(|image| image.name));
    let message = match (&inputs.plant.cpcs[..], &inputs.cpc.system) {
        ([_], Some(system)) => format!("the machine runs {} alone, not {name}", system.value),
        ([_], None) => format!("partition {name} of the plant is not in the deck"),
        _ => format!("partition {name} of the plant is in none of the decks"),
    };
    let mut error = inputs.in_plant(numbers::NO_PARTITION, &wanted.name.span, message).fix(fix);
    error.others.extend(images.first().map(|image| image.place.clone()));
    inputs.report(error);
}

/// Returns the named partitions of the machine's deck, or the one system of a machine in BASIC mode. The list is
/// missing when deck and plant disagree about the mode.
fn images<'a>(inputs: &Inputs<'a>) -> Option<Vec<Image<'a>>> {
    let (deck, cpc) = (inputs.deck, inputs.cpc);
    let image = |name, css, mif, place| Image { name, cpc: inputs.machine, css, mif, place };
    let partitions = |span| inputs.deck_label(span, "partitions of the deck");
    match (&cpc.system, deck.is_basic()) {
        (Some(system), true) => {
            let place = inputs.plant.label(&system.span, "the system of BASIC mode");
            Some(vec![image(&system.value, 0, 0, place)])
        }
        (None, true) => {
            let message = "the deck has no RESOURCE, so that its machine runs one system in BASIC mode, which the \
                           plant does not name";
            let error = inputs.in_plant(numbers::BASIC_MODE, &cpc.model.span, message);
            inputs.report(error.fix("add `system = \"SYS1\"` to `[cpc]`, or RESOURCE to the deck"));
            None
        }
        (Some(system), false) => {
            let message = "the plant names the one system of BASIC mode, but the deck has partitions";
            let mut error = inputs.in_plant(numbers::BASIC_MODE, &system.span, message);
            error.others.extend(deck.partitions.first().map(|first| partitions(&first.span)));
            inputs.report(error.fix("drop `system`"));
            None
        }
        (None, false) => {
            let first = deck.partitions.first();
            let named = |one: &'a halftrack_deck::model::Partition| {
                let place = partitions(&first.unwrap_or(one).span);
                Some(image(one.name.as_deref()?, one.css, one.mif, place))
            };
            Some(deck.partitions.iter().filter_map(named).collect())
        }
    }
}
