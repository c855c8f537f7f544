//! The numbers of the catalog that a study uses.

use std::collections::BTreeSet;

use halftrack_catalog::{Catalog, Origin, Parameter, SINGLE_MODE};
use halftrack_config::{Plant, StudyFiles, read_plant};

/// The numbers of every catalog entry that the plant of `study` names, by entry. A number of an entry counts whether
/// or not the work of the study happens to pay it.
pub fn parameters_of(study: &StudyFiles, catalog: &Catalog) -> Vec<Parameter> {
    let (Some(plant), _) = read_plant(&study.plant) else { return Vec::new() };
    let mut entries = BTreeSet::from([("fibre", SINGLE_MODE)]);
    entries.extend(plant.cpcs.iter().map(|cpc| ("cpc", cpc.model.value.as_str())));
    let processors =
        plant.cpcs.iter().filter_map(|cpc| catalog.cpcs.get(&cpc.model.value)?.family.as_deref());
    entries.extend(processors.map(|family| ("processor", family)));
    entries.extend(plant.cards.iter().map(|card| ("channel", card.kind.value.as_str())));
    let families =
        plant.cards.iter().filter_map(|card| catalog.channels.get(&card.kind.value)?.firmware.as_deref());
    entries.extend(families.map(|family| ("firmware", family)));
    entries.extend(plant.directors.iter().map(|director| ("director", director.kind.value.as_str())));
    entries.extend(plant.control_units.iter().map(|one| ("control-unit", one.kind.value.as_str())));
    let via =
        plant.cables.iter().flat_map(|cable| &cable.via).chain(plant.isls.iter().flat_map(|isl| &isl.via));
    entries.extend(via.map(|via| ("multiplexer", via.value.as_str())));
    let all = entries.into_iter().flat_map(|(directory, id)| catalog.parameters(directory, id));
    all.filter(|one| is_on_a_machine(one, &plant, catalog)).collect()
}

/// False for what grows with the machine, where no machine of the plant has grown: its numbers are those of drawers and
/// cores that are not there.
fn is_on_a_machine(parameter: &Parameter, plant: &Plant, catalog: &Catalog) -> bool {
    if parameter.directory != "processor" || !parameter.key.starts_with("growth.") {
        return true;
    }
    plant.cpcs.iter().any(|one| {
        let Some(cpc) = catalog.cpcs.get(&one.model.value) else { return false };
        let additional = one.additional_saps.as_ref().map_or(0, |additional| additional.value);
        cpc.family.as_deref() == Some(&parameter.id) && cpc.growth(additional) > 1.0
    })
}

/// The figures that a number was fitted to; none for a number that was not.
pub fn fitted_to(parameter: &Parameter) -> &[String] {
    match &parameter.origin {
        Origin::Fitted { figures } => figures,
        _ => &[],
    }
}

/// What a fitted number is a number of. Entries of one kind that take the same value from the same figures for the same
/// key share one parameter: a card with the firmware of another adds none.
pub fn mechanism_of(parameter: &Parameter) -> String {
    let (directory, key, value) = (&parameter.directory, &parameter.key, parameter.value);
    format!("{directory} {key} = {value} from {}", fitted_to(parameter).join(", "))
}

/// The figures that a number rests on: those it was taken from, or fitted to.
pub fn named_figures(parameter: &Parameter) -> &[String] {
    match &parameter.origin {
        Origin::Published { figures } | Origin::Fitted { figures } => figures,
        Origin::Architecture { .. } | Origin::Assumed { .. } => &[],
    }
}

/// True for a number that nobody has published.
pub fn is_assumed(parameter: &Parameter) -> bool {
    matches!(parameter.origin, Origin::Assumed { .. })
}
