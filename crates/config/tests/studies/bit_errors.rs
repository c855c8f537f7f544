//! Bit error rates of cables, inter-switch links and fibres of host adapters.

use halftrack_catalog::Catalog;
use halftrack_config::{DisturbanceKind, ErrorUnit, StudyFiles, configure};
use halftrack_input::SourceFile;
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

fn escon() -> Site {
    Site {
        deck: include_str!("../../../../studies/published/escon-one-channel/deck.iocp").into(),
        plant: include_str!("../../../../studies/published/escon-one-channel/plant.toml").into(),
        workload: include_str!("../../../../studies/published/escon-one-channel/workload.toml").into(),
    }
}

#[test]
fn circuits_lose_no_frames_one_by_one() {
    let noisy = escon().plant("repeaters = 16", "repeaters = 16\nbit_error_rate = 1e-12");
    only(noisy, numbers::NO_FRAMES_TO_LOSE, "carries circuits");
}

/// Returns the messages about an event in a study, and how many disturbances lose frames.
fn with_event(site: Site, event: &str) -> (Vec<(u16, String)>, usize) {
    let script = format!("duration_s = 1\n\n[[event]]\nat_s = 0.01\nlasts_s = 0.02\n{event}\n");
    let files = StudyFiles {
        name: "site".to_owned(),
        deck: SourceFile::new("deck.iocp", site.deck),
        further_decks: Default::default(),
        hardware: Default::default(),
        plant: SourceFile::new("plant.toml", site.plant),
        workload: SourceFile::new("workload.toml", site.workload),
        traces: Default::default(),
        samples: Default::default(),
        faults: Some(SourceFile::new("faults.toml", script)),
    };
    let loaded = configure(&files, &Catalog::load(&[]).0);
    let errors = loaded.diagnostics.iter().filter(|one| one.at.source.name == "faults.toml");
    let errors = errors.map(|one| (one.number, one.message.clone())).collect();
    let all = loaded.configuration.map_or(Vec::new(), |configuration| configuration.disturbances);
    let drops = |kind: &DisturbanceKind| matches!(kind, DisturbanceKind::FramesDropped { .. });
    (errors, all.iter().filter(|one| drops(&one.kind)).count())
}

#[test]
fn faults_that_lose_frames_are_refused_on_fibres_of_circuits() {
    let bridged = || Site {
        deck: include_str!("../../../../studies/published/fcv-one-channel/deck.iocp").into(),
        plant: include_str!("../../../../studies/published/fcv-one-channel/plant.toml").into(),
        workload: include_str!("../../../../studies/published/fcv-one-channel/workload.toml").into(),
    };
    let kinds = [
        ("frames-dropped", "share = 0.5"),
        ("frames-corrupted", "share = 0.5"),
        ("port-hung", ""),
        ("light-lost", ""),
    ];
    for (kind, keys) in kinds {
        for part in ["chpid = \"40\"", "port = \"0030\""] {
            let event = format!("kind = \"{kind}\"\n{part}\n{keys}");
            for site in [escon(), bridged()] {
                let (errors, drops) = with_event(site, &event);
                let words = format!("`{kind}` loses frames, and the fibre carries circuits");
                assert!(errors.len() == 1 && drops == 0, "{event}: {errors:?}");
                assert_eq!(errors[0].0, numbers::NO_FRAMES_TO_LOSE);
                assert!(errors[0].1.starts_with(&words), "{errors:?}");
            }
        }
        let of_channel = format!("kind = \"{kind}\"\nchpid = \"40\"\n{keys}");
        assert_eq!(with_event(ficon(), &of_channel), (Vec::new(), 1), "{of_channel}");
    }
    let lost = "kind = \"path-lost\"\nchpid = \"40\"";
    assert_eq!(with_event(escon(), lost), (Vec::new(), 0));
}
