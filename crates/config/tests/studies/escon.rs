//! ESCON channels: TYPE=CNC on a card for them, cables that lead to ESCON ports only.

use halftrack_input::messages::study as numbers;

use crate::site::{Site, only};

const DECK: &str = include_str!("../../../../studies/published/escon-one-channel/deck.iocp");
const PLANT: &str = include_str!("../../../../studies/published/escon-one-channel/plant.toml");
const WORKLOAD: &str = include_str!("../../../../studies/published/escon-one-channel/workload.toml");

fn escon() -> Site {
    Site { deck: DECK.into(), plant: PLANT.into(), workload: WORKLOAD.into() }
}

#[test]
fn an_escon_channel_has_a_buffer_and_no_transport_mode() {
    let site = escon().configuration();
    let channel = &site.channels[0];
    assert_eq!(channel.hardware.circuit.map(|circuit| circuit.window_bytes), Some(1530));
    assert!(!channel.hardware.zhpf);
    assert_eq!((channel.link_gbps, channel.generation), (0, 0));
    assert!(site.ports[0].hardware.circuit.is_some());
    assert!(site.links.iter().all(|link| link.bytes_per_s == 17_000_000));
}

#[test]
fn the_card_must_be_for_channels_of_the_type() {
    let words = "CHPID 40 is of type FC, but its card escon is for channels of type CNC";
    only(escon().deck("TYPE=CNC", "TYPE=FC"), numbers::OTHER_CARD, words);
    let other = escon().plant("type = \"escon\"", "type = \"fex32s\"");
    let found = other.assemble().diagnostics;
    assert!(!found.is_empty() && found.iter().all(|one| one.fix.is_some()), "{found:?}");
}

#[test]
fn a_cable_between_escon_and_ficon_has_no_speed() {
    let ficon_director = escon().plant("9032-5", "director-2g").assemble().diagnostics;
    assert!(ficon_director.iter().any(|one| one.number == numbers::NO_COMMON_SPEED), "{ficon_director:?}");
}

#[test]
fn escon_reaches_three_km_and_with_repeaters_43() {
    let far = |km: &str| escon().plant("km = 0\nrepeaters", &format!("km = {km}\nrepeaters"));
    assert_eq!(far("43").assemble().diagnostics, []);
    only(far("43.5"), numbers::TOO_FAR, "43");
    let bare = |km: &str| escon().plant("km = 0\nrepeaters = 16", &format!("km = {km}"));
    assert_eq!(bare("3").assemble().diagnostics, []);
    only(bare("3.5"), numbers::TOO_FAR, "without repeaters");
}

#[test]
fn transport_mode_is_refused() {
    let wants = Site { workload: WORKLOAD.replace("\"command\"", "\"transport\""), ..escon() };
    let found = wants.assemble().diagnostics;
    assert!(found.iter().all(|one| one.number == numbers::NO_TRANSPORT), "{found:?}");
    assert!(found.iter().any(|one| one.message.contains("channel CSS0.40 has none")), "{found:?}");
}
