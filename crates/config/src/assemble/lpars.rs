//! Logical partitions: the deck's, with the processors and settings that the plant gives them.

use halftrack_catalog::nearest_or_all;

use crate::assemble::inputs::Inputs;
use crate::configuration::Lpar;
use crate::numbers;

/// The partitions of the plant, by (CSS, MIF).
pub fn lpars(inputs: &Inputs<'_>) -> Vec<Lpar> {
    let partitions = &inputs.deck.partitions;
    let mut lpars = Vec::new();
    for wanted in &inputs.plant.lpars {
        let name = &wanted.name.value;
        if let Some(found) = partitions.iter().find(|one| one.name.as_ref() == Some(name)) {
            lpars.push(Lpar {
                name: name.clone(),
                css: found.css,
                mif: found.mif,
                cps: wanted.cps,
                zhpf: wanted.zhpf.value,
                hyperpav: wanted.hyperpav,
            });
            continue;
        }
        let names = partitions.iter().filter_map(|one| one.name.as_deref());
        let message = format!("partition {name} of the plant is not in the deck");
        let mut error = inputs
            .in_plant(numbers::NO_PARTITION, &wanted.name.span, message)
            .fix(nearest_or_all(name, names));
        error
            .others
            .extend(partitions.first().map(|first| inputs.deck_label(&first.span, "partitions of the deck")));
        inputs.report(error);
    }
    lpars.sort_by_key(|lpar| (lpar.css, lpar.mif));
    lpars
}
