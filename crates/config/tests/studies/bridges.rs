//! FICON channels to a bridge: TYPE=FCV, a bridge port of an ESCON director, ESCON behind it.

use halftrack_input::Severity;
use halftrack_input::messages::study as numbers;

use crate::site::Site;

const DECK: &str = include_str!("../../../../studies/published/fcv-one-channel/deck.iocp");
const PLANT: &str = include_str!("../../../../studies/published/fcv-one-channel/plant.toml");
const WORKLOAD: &str = include_str!("../../../../studies/published/fcv-one-channel/workload.toml");

fn bridged() -> Site {
    Site { deck: DECK.into(), plant: PLANT.into(), workload: WORKLOAD.into() }
}

/// Checks that the only message has this number and these words, and has a fix.
#[track_caller]
fn only(site: Site, number: u16, words: &str) {
    let loaded = site.assemble();
    let lines: Vec<_> = loaded.diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(lines.len(), 1, "{lines:#?}");
    let one = &loaded.diagnostics[0];
    assert!(one.number == number && one.message.contains(words) && one.fix.is_some(), "{lines:#?}");
    assert_eq!(loaded.configuration.is_some(), one.severity == Severity::Warning);
}

#[test]
fn a_bridge_has_eight_ios_and_answers_the_first_command_first() {
    let site = bridged().configuration();
    let channel = &site.channels[0];
    let hardware = &channel.hardware;
    assert_eq!((hardware.open_exchanges, hardware.open_exchanges_command), (8, 8));
    assert_eq!((channel.initial_pacing, hardware.bridge.map(|bridge| bridge.granted_pacing)), (1, Some(16)));
    assert_eq!(hardware.held_bus.map(|held| held.units_per_command), Some(3));
    assert!(hardware.circuit.is_none() && !hardware.zhpf);
    let rate = |name: &str| site.links.iter().find(|link| link.name == name).map(|link| link.bytes_per_s);
    assert_eq!(rate("chpid 40 > 11.40"), Some(106_250_000), "{:?}", site.links);
    assert_eq!(rate("11.C0 > ESSA 0030"), Some(17_000_000), "{:?}", site.links);
    let native = bridged().deck("SWITCH=11,TYPE=FCV", "SWITCH=11,TYPE=FC").plant("9032-5", "director-1g");
    let native = native.plant("bridge = true", "bridge = false").plant("ess-f20-escon", "ess-f20");
    let channel = &native.configuration().channels[0];
    assert!(channel.hardware.bridge.is_none() && channel.hardware.open_exchanges == 32);
}

#[test]
fn the_four_channels_of_the_measurement_reach_eight_logical_control_units() {
    let site = Site {
        deck: include_str!("../../../../studies/published/fcv-four-channels/deck.iocp").into(),
        plant: include_str!("../../../../studies/published/fcv-four-channels/plant.toml").into(),
        workload: include_str!("../../../../studies/published/fcv-four-channels/workload.toml").into(),
    };
    let site = site.configuration();
    assert_eq!((site.channels.len(), site.lcus.len()), (4, 8));
    assert!(site.channels.iter().all(|channel| channel.hardware.bridge.is_some()));
}

#[test]
fn a_channel_to_a_bridge_needs_one() {
    let words = "CHPID 40 is FICON to a bridge (FCV), but there is none at 11.40";
    only(bridged().plant("bridge = true", "bridge = false"), numbers::NO_BRIDGE, words);
    let found = bridged().plant("9032-5", "director-1g").assemble().diagnostics;
    let of_bridge: Vec<_> = found.iter().filter(|one| one.number == numbers::NO_BRIDGE).collect();
    assert_eq!(of_bridge.len(), 2, "{found:#?}");
    assert!(of_bridge.iter().all(|one| one.fix.as_ref().is_some_and(|fix| fix.contains("9032-5"))));
    let direct = bridged().plant("to = \"11.40\"", "to = \"ESSA.00B0\"");
    let found = direct.assemble().diagnostics;
    let one = found.iter().find(|one| one.number == numbers::NO_BRIDGE);
    assert!(one.is_some_and(|one| one.message.ends_with("ESSA 00B0")), "{found:#?}");
}

#[test]
fn a_bridge_port_is_for_nothing_else() {
    only(bridged().deck("TYPE=FCV", "TYPE=FC"), numbers::NOT_FOR_BRIDGE, "CHPID 40 cannot use a bridge port");
    let bridge_of_c0 = "[[director.port]]\nid = \"C0\"\nbridge = true\n\n[[control_unit]]";
    let adapter = bridged().plant("[[control_unit]]", bridge_of_c0);
    only(adapter, numbers::NOT_FOR_BRIDGE, "cannot use a bridge port");
}

#[test]
fn ficon_control_units_are_not_behind_a_bridge() {
    let found = bridged().plant("ess-f20-escon", "ess-f20").assemble().diagnostics;
    assert!(
        found.iter().all(|one| one.number == numbers::NO_COMMON_SPEED && one.fix.is_some()),
        "{found:#?}"
    );
    assert_eq!(found.len(), 8, "one for each port");
}

#[test]
fn only_cards_that_ran_so_lead_to_a_bridge() {
    let other = bridged().plant("type = \"ficon-express\"", "type = \"ficon-express2\"");
    let found = other.assemble().diagnostics;
    let words = "CHPID 40 is of type FCV, but its card ficon-express2 is for channels of type FC";
    assert!(found.iter().any(|one| one.number == numbers::OTHER_CARD && one.message == words), "{found:#?}");
}

#[test]
fn transport_mode_is_refused() {
    let wants = Site { workload: WORKLOAD.replace("\"command\"", "\"transport\""), ..bridged() };
    let found = wants.assemble().diagnostics;
    assert!(found.iter().all(|one| one.number == numbers::NO_TRANSPORT), "{found:?}");
    assert!(found.iter().any(|one| one.message.contains("channel CSS0.40 leads to a bridge")), "{found:?}");
}

#[test]
fn before_the_bridge_it_is_as_far_as_ficon_and_behind_it_as_escon() {
    let fibre = |km: &str| bridged().plant("km = 0.1", &format!("km = {km}"));
    assert_eq!(fibre("100\nrepeaters = 4").assemble().diagnostics, []);
    only(fibre("101\nrepeaters = 4"), numbers::BEYOND_REACH, "CHPID 40 is 101 km");
    only(fibre("21"), numbers::BEYOND_REACH, "CHPID 40 is 21 km from its control unit over a fibre without");
    let behind = |km: &str| bridged().plant("to = \"11.C0\"\nkm = 0", &format!("to = \"11.C0\"\nkm = {km}"));
    assert_eq!(behind("3").assemble().diagnostics, []);
    only(behind("3.5"), numbers::TOO_FAR, "the bridge of CHPID 40 is 3.5 km from its control unit");
    only(behind("43.5\nrepeaters = 9"), numbers::TOO_FAR, "ESCON goes no further than 43 km");
}

/// A ninth ESCON port cannot be busy while eight are.
#[test]
fn more_ports_than_ios_at_the_bridge_are_told() {
    let ninth = |site: Site| {
        let unit = format!("{:<71}*", "         CNTLUNIT CUNUMBR=1800,PATH=(40),UNITADD=((00,064)),");
        let unit = unit + "\n               LINK=(C8),CUADD=8,UNIT=2105\n";
        let devices = "         IODEVICE ADDRESS=(1800,016),CUNUMBR=(1800),STADET=Y,UNIT=3390\n";
        let port = "\n[[control_unit.port]]\nid = \"00B0\"\nto = \"11.C8\"\nkm = 0\n";
        Site { deck: site.deck + &unit + devices, plant: site.plant + port, ..site }
    };
    let words = "9 ESCON ports are behind the bridge of channel CSS0.40, which keeps at most 8 of them busy";
    only(ninth(bridged()), numbers::BRIDGE_OVERLOADED, words);
    // A second channel to the same ports keeps the rest busy.
    let cable = "[[cable]]\nchpid = \"41\"\nto = \"11.41\"\nkm = 0.1\n\n[[director]]";
    let mut both = ninth(bridged())
        .plant("chpids = [\"40\"]", "chpids = [\"40\", \"41\"]")
        .plant("[[director]]", cable)
        .plant("[[control_unit]]", "[[director.port]]\nid = \"41\"\nbridge = true\n\n[[control_unit]]")
        .deck("TYPE=FCV", "TYPE=FCV\n         CHPID PATH=(41),SHARED,SWITCH=11,TYPE=FCV");
    for port in 0..9 {
        both = both.deck("PATH=(40),UNITADD", "PATH=(40,41),UNITADD");
        both = both.deck(&format!("LINK=(C{port})"), &format!("LINK=(C{port},C{port})"));
    }
    assert_eq!(both.assemble().diagnostics, []);
}
