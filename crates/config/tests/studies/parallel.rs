//! Parallel channels: TYPE=BL and TYPE=BY, several control units on one bus, 400 feet and no director.

use halftrack_config::Interface;
use halftrack_input::messages::study as numbers;

use crate::site::{Site, only};

const DECK: &str = include_str!("../../../../studies/published/parallel-one-channel/deck.iocp");
const PLANT: &str = include_str!("../../../../studies/published/parallel-one-channel/plant.toml");
const WORKLOAD: &str = include_str!("../../../../studies/published/parallel-one-channel/workload.toml");

fn parallel() -> Site {
    Site { deck: DECK.into(), plant: PLANT.into(), workload: WORKLOAD.into() }
}

#[test]
fn control_units_on_a_bus_are_told_apart_by_their_unit_addresses() {
    let site = parallel().configuration();
    let interface = |site: &halftrack_config::Configuration| {
        site.channels[0].hardware.circuit.map(|circuit| circuit.interface)
    };
    assert_eq!(interface(&site), Some(Interface::Block));
    assert_eq!(interface(&parallel().deck("TYPE=BL", "TYPE=BY").configuration()), Some(Interface::Byte));
    let ends: Vec<_> = site
        .lcus
        .iter()
        .map(|lcu| {
            let path = &lcu.path_groups[0].paths[0];
            assert_eq!((path.outbound.len(), path.inbound.len()), (1, 1));
            (lcu.number, site.ports[path.port as usize].name.as_str())
        })
        .collect();
    assert_eq!(ends, [(0x1000, "DASDA 0000"), (0x1020, "DASDB 0000")]);
    assert!(site.links.len() == 4 && site.links.iter().all(|link| link.bytes_per_s == 4_500_000));
    assert!(site.links.iter().all(|link| link.fed_by == 0));
}

#[test]
fn four_hundred_feet_and_no_further() {
    let long = |km: &str| parallel().plant("km = 0.06", &format!("km = {km}"));
    assert_eq!(long("0.12192").assemble().diagnostics, []);
    let words = "CHPID 40 is 0.122 km from its control unit: parallel goes no further than 0.12192 km";
    only(long("0.122"), numbers::TOO_FAR, words);
}

#[test]
fn the_plant_may_be_silent_about_channels_without_disks() {
    let (before, after) = (PLANT.find("[[card]]"), PLANT.find("[[control_unit]]"));
    let said = before.zip(after).map(|(from, to)| &PLANT[from..to]).expect("card and cable");
    let words = "the plant has no card with CHPID 40";
    let disks = parallel().plant(said, "").assemble().diagnostics;
    assert!(disks.iter().any(|one| one.message == words), "{disks:?}");
    let tapes = |site: Site| Site { deck: site.deck.replace("UNIT=3390", "UNIT=3490"), ..site };
    let found = tapes(parallel().plant(said, "")).assemble().diagnostics;
    assert!(!found.iter().any(|one| one.message == words), "{found:?}");
}

#[test]
fn no_director_switches_a_bus() {
    let director = "[[director]]\nid = \"11\"\ntype = \"9032-5\"\n\n[[control_unit]]\nname = \"DASDA\"";
    let site = parallel()
        .plant("[[control_unit]]\nname = \"DASDA\"", director)
        .plant("to = [\"DASDA.0000\", \"DASDB.0000\"]", "to = \"11.40\"");
    only(site, numbers::OTHER_INTERFACE, "chpid 40 is of the parallel interface, which no director switches");
    let converted = parallel().deck("TYPE=BL", "TYPE=CVC");
    let found = converted.assemble().diagnostics;
    let said = |words: &str| found.iter().any(|one| one.message.contains(words));
    assert!(said("of type CVC, which is not simulated: it needs a converter behind its fibre"), "{found:?}");
}

#[test]
fn both_ends_of_a_cable_have_the_same_interface() {
    let other = parallel()
        .plant("name = \"DASDB\"\ntype = \"3990\"", "name = \"DASDB\"\ntype = \"ess-f20-escon\"")
        .plant("unit_addresses = \"20-3F\"\n", "");
    only(other, numbers::OTHER_INTERFACE, "chpid 40 is of the parallel interface, DASDB 0000 is not");
    let card = parallel().plant("type = \"parallel\"", "type = \"escon\"");
    let found = card.assemble().diagnostics;
    assert!(found.iter().any(|one| one.number == numbers::NOT_A_BUS), "{found:?}");
    let words = "CHPID 40 is of type CNC, but its card parallel is for channels of type BL or BY";
    let found = parallel()
        .deck("UNITADD=((00,032)),UNIT=3990", "UNITADD=((00,032)),*\n               CUADD=0,UNIT=3990")
        .deck("UNITADD=((20,032)),UNIT=3990", "UNITADD=((20,032)),*\n               CUADD=1,UNIT=3990")
        .deck("TYPE=BL", "TYPE=CNC")
        .assemble()
        .diagnostics;
    assert!(found.iter().any(|one| one.number == numbers::OTHER_CARD && one.message == words), "{found:?}");
}

#[test]
fn one_control_unit_of_a_bus_answers_to_an_address() {
    let none = parallel().plant("unit_addresses = \"20-3F\"\n", "");
    let words =
        "no control unit on the bus of CHPID 40 of control unit 1020 answers to its unit addresses 20-3F";
    only(none, numbers::NO_UNIT_ON_BUS, words);
    let other = parallel().plant("[\"DASDA.0000\", \"DASDB.0000\"]", "\"DASDA.0000\"");
    only(other, numbers::NO_UNIT_ON_BUS, words);
    let both = parallel().plant("unit_addresses = \"20-3F\"", "unit_addresses = \"00-3F\"");
    let words =
        "several control units on the bus of CHPID 40 of control unit 1000 answer to its unit addresses";
    only(both, numbers::NO_UNIT_ON_BUS, words);
    let ficon = Site::new().plant("id = \"0130\"", "id = \"0130\"\nunit_addresses = \"00-1F\"");
    only(ficon, numbers::NOT_A_BUS, "a port of ds8950 is on no bus");
}
