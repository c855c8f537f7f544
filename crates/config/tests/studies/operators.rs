//! Events that are operators' commands: paths varied, channels configured.

use halftrack_config::DisturbanceKind;
use halftrack_input::messages::study as numbers;

use crate::site::Site;

/// Returns the site with one more event.
fn with(event: &str) -> Site {
    let before = "[[event]]\nat_s = 0.4\n";
    Site::new().workload(before, &format!("[[event]]\nat_s = 0.1\nlasts_s = 0.1\n{event}\n\n{before}"))
}

#[test]
fn a_path_is_varied_and_a_channel_configured_for_one_partition() {
    let kinds = |event: &str| {
        let loaded = with(event).assemble();
        assert_eq!(loaded.diagnostics, []);
        loaded.configuration.expect("a configuration").disturbances[0].kind
    };
    let vary = "kind = \"vary-path\"\nchpid = \"0.41\"\ncontrol_unit = \"1100\"\nlpar = \"PROD1\"";
    assert_eq!(kinds(vary), DisturbanceKind::VaryPath { lpar: 0, lcu: 1, channel: 1 });
    let config = "kind = \"config-chp\"\nchpid = \"0.41\"\nlpar = \"PROD1\"";
    assert_eq!(kinds(config), DisturbanceKind::ConfigChp { lpar: 0, channel: 1 });
}

#[test]
fn an_event_of_an_operator_names_what_there_is() {
    let said = |event: &str, number: u16| {
        let found = with(event).assemble_quietly().diagnostics;
        assert_eq!(found.len(), 1, "{found:#?}");
        assert_eq!(found[0].number, number, "{}", found[0]);
        assert!(found[0].fix.is_some());
        found[0].message.clone()
    };
    let config =
        |chpid: &str, lpar: &str| format!("kind = \"config-chp\"\nchpid = \"{chpid}\"\nlpar = \"{lpar}\"");
    let missing = said(&config("0.41", "PROD7"), numbers::EVENT_MISSES);
    assert_eq!(missing, "the plant has no partition PROD7 on this machine");
    let elsewhere = said(&config("1.41", "PROD1"), numbers::EVENT_MISSES);
    assert_eq!(elsewhere, "partition PROD1 is in CSS 0, not 1");
    let unknown = said(&config("0.99", "PROD1"), numbers::EVENT_MISSES);
    assert_eq!(unknown, "the deck has no CHPID 99 in CSS 0");
    let vary = "kind = \"vary-path\"\nchpid = \"0.41\"\ncontrol_unit = \"2000\"\nlpar = \"PROD1\"";
    assert_eq!(said(vary, numbers::EVENT_MISSES), "control unit 2000 has no path over CHPID 41");
}
