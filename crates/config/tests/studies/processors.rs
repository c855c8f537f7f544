//! Models of a family: SAPs and where they are, what an I/O costs on them, and what does not fit the machine.

use halftrack_config::{Cpc, SapCore};
use halftrack_input::Severity;
use halftrack_input::messages::study as numbers;

use crate::site::Site;

/// Returns the site on another model, with further keys of `[cpc]`.
fn on(model: &str, keys: &str) -> Site {
    let site = Site::new().plant("model = \"z16-max39\"", &format!("model = \"{model}\"\n{keys}"));
    if !model.starts_with("z15") {
        return site;
    }
    let older = |site: Site, pchid| {
        let card = |kind| format!("type = \"{kind}\"\npchids = [\"{pchid}\"");
        site.plant(&card("fex32s"), &card("fex16sa"))
    };
    older(older(site, "100"), "118").deck("SYSTEM=(3931,1)", "SYSTEM=(8561,1)")
}

fn cpc(model: &str, keys: &str) -> Cpc {
    on(model, keys).configuration().cpcs.remove(0)
}

/// Returns SAP cores of each drawer.
fn by_drawer(cores: &[SapCore]) -> Vec<usize> {
    let drawers = cores.iter().map(|core| core.drawer).max().map_or(0, |last| last + 1);
    (0..drawers).map(|drawer| cores.iter().filter(|core| core.drawer == drawer).count()).collect()
}

#[track_caller]
fn refused(site: &Site, number: u16, words: &str) {
    let found = site.assemble().diagnostics;
    let lines: Vec<_> = found.iter().map(ToString::to_string).collect();
    assert_eq!(lines.len(), 1, "{lines:#?}");
    let one = &found[0];
    assert!(one.number == number && one.message.contains(words) && one.fix.is_some(), "{one}");
    assert_eq!((one.at.source.name.as_str(), one.severity), ("plant.toml", Severity::Error));
}

#[test]
fn every_model_has_its_drawers_and_two_threads_a_sap() {
    for (model, threads, drawers) in [
        ("z16-max39", 10, vec![5]),
        ("z16-max82", 20, vec![5, 5]),
        ("z16-max125", 30, vec![5, 5, 5]),
        ("z16-max168", 40, vec![5, 5, 5, 5]),
        ("z16-max200", 48, vec![6, 6, 6, 6]),
        ("z15-max34", 8, vec![4]),
        ("z15-max145", 32, vec![4, 4, 4, 4]),
    ] {
        let cpc = cpc(model, "");
        assert_eq!((cpc.iop_threads, cpc.threads_per_core), (threads, 2), "{model}");
        assert_eq!((by_drawer(&cpc.sap_cores), usize::from(cpc.drawers)), (drawers.clone(), drawers.len()));
    }
    let placed = cpc("z15-max190", "").sap_cores;
    let mut counts = by_drawer(&placed);
    counts.sort_unstable();
    assert_eq!(counts, [4, 4, 4, 5, 5]);
}

#[test]
fn a_z16_is_built_of_dual_chip_modules() {
    let (catalog, _) = halftrack_catalog::Catalog::load(&[]);
    for (model, drawers, dcms, chips, cps) in [
        ("z16-max39", 1, 4, 8, 39),
        ("z16-max82", 2, 8, 16, 82),
        ("z16-max125", 3, 12, 24, 125),
        ("z16-max168", 4, 16, 32, 168),
        ("z16-max200", 4, 16, 32, 200),
    ] {
        let cpc = catalog.cpcs.get(model).expect("built in");
        let structure = cpc.processor.structure.as_ref().expect("known");
        let its = cpc.drawers.as_ref().expect("known").value;
        let (its_dcms, its_chips) =
            (its * structure.dcms_per_drawer.value, its * structure.chips_per_drawer.value);
        assert_eq!((its, its_dcms, its_chips, structure.chips_per_dcm()), (drawers, dcms, chips, 2));
        assert_eq!((structure.cores_per_chip.value, cpc.cps.as_ref().map(|cps| cps.value)), (8, Some(cps)));
        let printed = &structure.printed;
        let sizes = [&printed.l2_mb, &printed.clock_ghz, &printed.memory_tb_per_drawer, &printed.memory_tb];
        assert_eq!(sizes.map(|size| size.as_ref().map(|size| size.value)), [32.0, 5.2, 10.0, 40.0].map(Some));
        let rates = [&printed.off_drawer_gb_per_s, &printed.off_dcm_gb_per_s];
        assert_eq!(rates.map(|rate| rate.as_ref().map(|rate| rate.value)), [40.0, 33.0].map(Some));
        assert_eq!(printed.off_dcm_links.as_ref().map(|links| links.value), Some(6));
    }
}

#[test]
fn another_activation_puts_the_saps_on_other_cores() {
    let first = cpc("z16-max200", "activation = 1").sap_cores;
    assert_eq!(cpc("z16-max200", "").sap_cores, first, "the first is the one that is not said");
    let second = cpc("z16-max200", "activation = 2").sap_cores;
    assert_ne!(first, second);
    let modules = |cores: &[SapCore]| cores.iter().map(|core| (core.drawer, core.dcm)).collect::<Vec<_>>();
    assert_ne!(modules(&first), modules(&second));
    for cores in [&first, &second] {
        assert_eq!(by_drawer(cores), [6, 6, 6, 6]);
        assert!(cores.is_sorted_by(|a, b| a < b), "each core once");
        assert!(cores.iter().all(|core| core.dcm < 4 && core.chip < 2 && core.core < 8));
    }
    let same_but_place = |activation: &str| Cpc { sap_cores: Vec::new(), ..cpc("z16-max200", activation) };
    assert_eq!(same_but_place("activation = 1"), same_but_place("activation = 2"), "capacity is the same");
}

#[test]
fn an_io_costs_more_with_a_second_drawer_and_with_more_cores() {
    let us = |model: &str, keys: &str| {
        let cpc = cpc(model, keys);
        [cpc.iop_start, cpc.iop_interrupt, cpc.iop_retry].map(|time| time.as_ps() as f64 / 1e6)
    };
    let smallest = us("z16-max39", "");
    assert_eq!(smallest, [2.570, 1.707, 2.570]);
    // Two drawers and ten cores; one drawer and eight cores more.
    for (grown, factor) in [
        (us("z16-max82", ""), 1.0 + 0.5855 / 2.0 + 0.02697 * 5.0),
        (us("z16-max39", "additional_saps = 8"), 1.0 + 0.02697 * 8.0),
    ] {
        let missed = |(grown, smallest): (&f64, &f64)| (grown / smallest / factor - 1.0).abs();
        assert!(grown.iter().zip(&smallest).all(|pair| missed(pair) < 1e-5), "{grown:?} {factor}");
    }
    let z15 = us("z15-max145", "");
    assert!((z15[0] / 2.838 - (1.0 + 0.4554 * 0.75)).abs() < 1e-5, "{z15:?}");
}

#[test]
fn additional_saps_are_at_most_those_of_the_model() {
    let more = cpc("z16-max200", "additional_saps = 8");
    assert_eq!((more.iop_threads, by_drawer(&more.sap_cores)), (64, vec![8; 4]));
    let nine = "z16-max200 takes 8 additional SAPs, not 9";
    refused(&on("z16-max200", "additional_saps = 9"), numbers::TOO_MANY_SAPS, nine);
    let old = on("z900", "additional_saps = 1").assemble().diagnostics;
    assert!(old.iter().any(|one| one.message == "the catalog gives z900 no additional SAPs"));
}

/// Returns the site with `count` fanouts.
fn fanouts(model: &str, count: usize) -> Site {
    let fanouts = (1..=count).map(|fanout| format!("[[fanout]]\nname = \"F{fanout:02}\"\n\n"));
    on(model, "")
        .plant("[[director]]\nid = \"11\"", &(fanouts.collect::<String>() + "[[director]]\nid = \"11\""))
}

#[test]
fn a_drawer_has_twelve_fanout_slots() {
    let words = "z16-max39 has 12 fanout slots, but the plant has 13 fanouts";
    refused(&fanouts("z16-max39", 13), numbers::NO_FANOUT_SLOT, words);
    assert_eq!(fanouts("z16-max39", 12).assemble().diagnostics, []);
    assert_eq!(fanouts("z16-max82", 13).assemble().diagnostics, []);
    for (model, slots) in [("z16-max82", 24), ("z16-max125", 36), ("z16-max168", 48), ("z16-max200", 48)] {
        let words = format!("{model} has {slots} fanout slots");
        refused(&fanouts(model, slots + 1), numbers::NO_FANOUT_SLOT, &words);
    }
}

#[test]
fn a_fanout_is_in_a_slot_of_its_own() {
    let slot = |first: u16, second: u16| {
        fanouts("z16-max39", 2)
            .plant("\"F01\"", &format!("\"F01\"\nslot = {first}"))
            .plant("\"F02\"", &format!("\"F02\"\nslot = {second}"))
    };
    assert_eq!(slot(1, 12).assemble().diagnostics, []);
    refused(&slot(1, 13), numbers::NO_FANOUT_SLOT, "z16-max39 has fanout slots 1 to 12, not 13");
    refused(&slot(5, 5), numbers::NO_FANOUT_SLOT, "slot 5 has fanout F01 already, and not F02 too");
}

#[test]
fn cards_are_no_more_than_fanouts_have_places_for() {
    let cards = |model: &str, count: u32| {
        let more = (0..count - 2)
            .map(|card| format!("[[card]]\ntype = \"fex32s\"\npchids = [\"{:03X}\"]\n\n", 0x200 + 2 * card));
        on(model, "")
            .plant("[[cable]]\npchid = \"100\"", &(more.collect::<String>() + "[[cable]]\npchid = \"100\""))
    };
    let words = "z16-max39 has places for 192 cards, 16 behind each of 12 fanouts, but the plant has 193";
    refused(&cards("z16-max39", 193), numbers::BEYOND_FANOUTS, words);
    assert_eq!(cards("z16-max39", 192).assemble().diagnostics, []);
    assert_eq!(cards("z16-max82", 193).assemble().diagnostics, []);
}

#[test]
fn a_partition_larger_than_a_drawer_is_warned_of_and_one_larger_than_the_machine_refused() {
    let with = |cps: u16| on("z16-max82", "").plant("cps = 4", &format!("cps = {cps}"));
    assert_eq!(with(41).assemble().diagnostics, []);
    let loaded = with(44).assemble();
    assert!(loaded.configuration.is_some(), "it is a warning");
    let found = &loaded.diagnostics[..];
    assert_eq!((found.len(), found[0].number), (1, numbers::BEYOND_DRAWER));
    assert_eq!(found[0].severity, Severity::Warning);
    assert_eq!(found[0].message, "PROD1 has 44 CPs, but a drawer of z16-max82 has 41");
    refused(&with(83), numbers::BEYOND_MACHINE, "PROD1 has 83 CPs, but z16-max82 has 82 at most");
}

#[test]
fn one_image_has_a_limit_where_it_is_published() {
    let serial = |model: &str| cpc(model, "").image_serial.as_ps();
    assert_eq!(
        (serial("z16-max39"), serial("z16-max200"), serial("z15-max34")),
        (833_300, 833_300, 1_052_600)
    );
}
