//! The numbers of the catalog that a study uses.

use std::collections::BTreeSet;

use halftrack_catalog::{Catalog, ESP, Parameter, ROCE, SINGLE_MODE, SMC_R, STATIONS, TCP, ZHYPERLINK};
use halftrack_config::{Plant, StudyFiles, read_plant};
use halftrack_input::Origin;

/// Returns the numbers of every catalog entry that the plant of `study` names, and of those of every plant, by entry. A
/// number of an entry counts whether or not the work of the study happens to pay it.
pub fn parameters_of(study: &StudyFiles, catalog: &Catalog) -> Vec<Parameter> {
    let (Some(plant), _) = read_plant(&study.plant) else { return Vec::new() };
    let mut entries = BTreeSet::from([("fibre", SINGLE_MODE), ("service", STATIONS)]);
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
    entries.extend(plant.takes_part_in_security().then_some(("security", ESP)));
    entries.extend((!plant.zhyperlinks.is_empty()).then_some(("feature", ZHYPERLINK)));
    let roce = [("feature", ROCE), ("transport", SMC_R), ("transport", TCP)];
    entries.extend(roce.into_iter().filter(|_| !plant.networks.is_empty()));
    let all = entries.into_iter().flat_map(|(directory, id)| catalog.parameters(directory, id));
    all.filter(|one| is_on_a_machine(one, &plant, catalog)).collect()
}

/// Returns false for parts that grow with the machine, where no machine of the plant has grown. Their numbers are those
/// of drawers and cores that do not exist.
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

/// Returns the figures that a number was fitted to; none for a number that was not.
pub fn fitted_to(parameter: &Parameter) -> &[String] {
    match &parameter.origin {
        Origin::Fitted { figures } => figures,
        _ => &[],
    }
}

/// Returns the mechanism that a fitted number belongs to. Entries of one kind that take the same value from the same
/// figures for the same key share one parameter: a card with the firmware of another adds none.
pub fn mechanism_of(parameter: &Parameter) -> String {
    let (directory, key, value) = (&parameter.directory, &parameter.key, parameter.value);
    format!("{directory} {key} = {value} from {}", fitted_to(parameter).join(", "))
}

/// Returns the figures that a number rests on: those it was taken from, or fitted to.
pub fn named_figures(parameter: &Parameter) -> &[String] {
    match &parameter.origin {
        Origin::Published { figures } | Origin::Fitted { figures } => figures,
        Origin::Architecture { .. } | Origin::Assumed { .. } => &[],
    }
}

/// Returns true for a number that nobody has published.
pub fn is_assumed(parameter: &Parameter) -> bool {
    matches!(parameter.origin, Origin::Assumed { .. })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use halftrack_input::SourceFile;

    use super::*;

    /// Returns a study of nothing but a processor complex.
    fn complex(model: &str, keys: &str) -> StudyFiles {
        let plant = format!("[cpc]\nmodel = \"{model}\"\n{keys}\n");
        let (deck, workload) = (SourceFile::new("deck.iocp", ""), SourceFile::new("workload.toml", ""));
        StudyFiles {
            name: model.to_owned(),
            deck,
            further_decks: BTreeMap::new(),
            hardware: Default::default(),
            plant: SourceFile::new("plant.toml", plant),
            workload,
            traces: BTreeMap::new(),
            samples: Default::default(),
            faults: None,
        }
    }

    /// Returns the fitted numbers of a family that such a study uses.
    fn fitted(model: &str, keys: &str) -> BTreeSet<String> {
        let all = parameters_of(&complex(model, keys), &Catalog::load(&[]).0);
        all.iter().filter(|one| !fitted_to(one).is_empty()).map(mechanism_of).collect()
    }

    #[test]
    fn models_of_a_family_share_its_fitted_numbers() {
        let keys = |fitted: &BTreeSet<String>| -> Vec<String> {
            fitted.iter().map(|one| one.split(" = ").next().unwrap_or_default().to_owned()).collect()
        };
        let of = |name: &str| format!("processor {name}");
        let largest = fitted("z16-max200", "");
        let all =
            ["growth.core", "growth.remote_drawer", "image.serial_us", "iop_interrupt_us", "iop_start_us"];
        assert_eq!(keys(&largest), all.map(of));
        for model in ["z16-max82", "z16-max125", "z16-max168"] {
            assert_eq!(fitted(model, ""), largest, "{model}");
        }
        assert_eq!(fitted("z15-max71", "").intersection(&largest).count(), 0);
    }

    #[test]
    fn growth_counts_where_a_machine_has_grown() {
        let smallest = fitted("z16-max39", "");
        assert!(smallest.iter().all(|one| !one.contains("growth")), "{smallest:?}");
        assert_eq!(smallest.len(), 3);
        assert_eq!(fitted("z16-max39", "additional_saps = 1"), fitted("z16-max200", ""));
    }

    #[test]
    fn a_study_with_endpoint_security_uses_what_it_costs() {
        let card = |policy: &str| format!("[[card]]\ntype = \"fex32s\"\npchids = [\"100\"]\n{policy}");
        let engines = |policy: &str| {
            let all = parameters_of(&complex("z16-max39", &card(policy)), &Catalog::load(&[]).0);
            all.iter().filter(|one| one.directory == "security").count()
        };
        assert_eq!([engines("endpoint_security = true"), engines("endpoint_security = \"off\"")], [8, 0]);
        assert_eq!(engines(""), 0);
    }

    #[test]
    fn a_study_with_zhyperlink_uses_what_its_requests_take() {
        let cable = "[[zhyperlink]]\npchid = \"180\"\nport = 1\nbox = \"BOXA\"\nmetres = 10\n";
        let of_feature = |keys: &str| -> Vec<String> {
            let all = fitted("z16-max39", keys).into_iter();
            all.filter_map(|one| Some(one.strip_prefix("feature ")?.split(" = ").next()?.to_owned()))
                .collect()
        };
        assert_eq!(of_feature(cable), ["synchronous.cpu_us", "synchronous.hold_us"]);
        assert!(of_feature("").is_empty());
    }

    #[test]
    fn every_study_uses_how_service_times_vary() {
        let all = parameters_of(&complex("z16-max39", ""), &Catalog::load(&[]).0);
        let varying: Vec<&Parameter> = all.iter().filter(|one| one.key.ends_with("_scv")).collect();
        assert_eq!(varying.len(), 3);
        assert!(varying.into_iter().all(is_assumed));
    }
}
