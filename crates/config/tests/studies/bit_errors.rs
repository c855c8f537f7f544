//! Bit error rates of cables, inter-switch links and fibres of host adapters.

use halftrack_config::ErrorUnit;
use halftrack_input::messages::study as numbers;

use crate::site::{Site, only};

const DECK: &str = include_str!("../../../../studies/fex32s-zhpf-4k/deck.iocp");
const PLANT: &str = include_str!("../../../../studies/fex32s-zhpf-4k/plant.toml");
const WORKLOAD: &str = include_str!("../../../../studies/fex32s-zhpf-4k/workload.toml");

fn ficon() -> Site {
    Site { deck: DECK.into(), plant: PLANT.into(), workload: WORKLOAD.into() }
}

/// Returns the names of the links with errors, and the unit that an error takes on the first.
fn with_errors(site: &Site) -> (Vec<String>, Option<ErrorUnit>) {
    let links = site.configuration().links;
    let mut found = links.iter().filter_map(|link| Some((link.name.clone(), link.errors?.unit))).peekable();
    let unit = found.peek().map(|(_, unit)| *unit);
    (found.map(|(name, _)| name).collect(), unit)
}

#[test]
fn a_rate_is_of_both_directions_of_its_fibre_and_of_no_other() {
    assert_eq!(with_errors(&ficon()), (Vec::new(), None));
    let cable = ficon().plant("to = \"11.20\"", "to = \"11.20\"\nbit_error_rate = 1e-5");
    let names = ["11.20 > pchid 100", "pchid 100 > 11.20"].map(String::from).to_vec();
    assert_eq!(with_errors(&cable), (names.clone(), Some(ErrorUnit::Codeword { octets: 640 })));
    let slow = cable.plant("type = \"fex32s\"", "type = \"fex32s\"\nlink_gbps = 8");
    assert_eq!(with_errors(&slow), (names, Some(ErrorUnit::Bit { data: 8, sent: 10 })));
    let port = ficon().plant("to = \"11.04\"", "to = \"11.04\"\nbit_error_rate = 1e-5");
    assert_eq!(with_errors(&port).0.len(), 2);
    assert_eq!(with_errors(&ficon().plant("\"11.04\"", "\"11.04\"\nbit_error_rate = 0")).0.len(), 0);
}

#[test]
fn circuits_lose_no_frames_one_by_one() {
    let escon = Site {
        deck: include_str!("../../../../studies/published/escon-one-channel/deck.iocp").into(),
        plant: include_str!("../../../../studies/published/escon-one-channel/plant.toml").into(),
        workload: include_str!("../../../../studies/published/escon-one-channel/workload.toml").into(),
    };
    let noisy = escon.plant("repeaters = 16", "repeaters = 16\nbit_error_rate = 1e-12");
    only(noisy, numbers::NO_FRAMES_TO_LOSE, "carries circuits");
}
