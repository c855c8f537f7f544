//! Plants that cannot work are refused with the reason; those that work but are not supported run with a warning.

use halftrack_catalog::Catalog;
use halftrack_config::Loaded;
use halftrack_input::Severity;
use halftrack_input::messages::study as numbers;

use crate::site::Site;

/// Returns the built-in catalog with a `fex32s` in which `from` is `to`.
fn with_card(from: &str, to: &str) -> Catalog {
    let built_in = concat!(env!("CARGO_MANIFEST_DIR"), "/../../catalog/channel/fex32s.toml");
    let text = std::fs::read_to_string(built_in).expect("a built-in card");
    assert!(text.contains(from), "{from}");
    let dir = tempfile::tempdir().expect("temporary directory");
    std::fs::create_dir(dir.path().join("channel")).expect("directory");
    std::fs::write(dir.path().join("channel/fex32s.toml"), text.replacen(from, to, 1)).expect("file");
    let (catalog, found) = Catalog::load(&[dir.path()]);
    assert_eq!(found, []);
    catalog
}

/// Returns a card whose signal goes 43 km in all and 3 km without a repeater, as that of ESCON.
fn short_sighted() -> Catalog {
    let own = "[reach]\nbeyond = \"unsupported\"\n\n[reach.km]\nvalue = 100\n";
    let source = "source = \"assumed\"\nreason = \"a test\"";
    let direct = format!("[reach.direct_km]\nvalue = 3\n{source}\n");
    with_card(own, &format!("[reach]\nbeyond = \"impossible\"\n{direct}\n[reach.km]\nvalue = 43\n"))
}

/// Asserts that the only message is `number` with `words`, and that it keeps the study from running or not.
#[track_caller]
fn only(loaded: &Loaded, number: u16, severity: Severity, words: &str) {
    let lines: Vec<_> = loaded.diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(lines.len(), 1, "{lines:#?}");
    let one = &loaded.diagnostics[0];
    assert_eq!((one.number, one.severity), (number, severity), "{one}");
    assert!(one.message.contains(words) && one.fix.is_some(), "{one}");
    assert_eq!(loaded.configuration.is_some(), severity != Severity::Error);
}

#[test]
fn ficon_past_100_km_runs_with_a_warning() {
    // 0.1 km of cable, the inter-switch link, 0.2 km to the host adapter.
    let far = |km: &str| Site::new().plant("km = 20\n", &format!("km = {km}\n")).assemble();
    assert_eq!(far("99.6").diagnostics, []);
    assert_eq!(far("100").diagnostics, [], "patch cables at the ends of 100 km are part of them");
    let words = "PCHID 100 is 120.3 km from its control unit: fex32s is not supported beyond 100 km";
    only(&far("120"), numbers::BEYOND_REACH, Severity::Warning, words);
}

/// Parallel inter-switch links share the load: each of them is a way to the control unit.
#[test]
fn the_longest_of_several_ways_counts() {
    let isl = "[[isl]]\nfrom = \"12.E0\"\nto = \"11.E0\"\nkm = 20\n";
    let second = |km: &str| {
        let more = format!("{isl}\n[[isl]]\nfrom = \"12.E1\"\nto = \"11.E1\"\nkm = {km}\n");
        Site::new().plant(isl, &more).assemble()
    };
    assert_eq!(second("99").diagnostics, []);
    let words = "PCHID 100 is 120.3 km from its control unit: fex32s is not supported beyond 100 km";
    only(&second("120"), numbers::BEYOND_REACH, Severity::Warning, words);
}

#[test]
fn what_no_signal_can_reach_is_refused() {
    let catalog = short_sighted();
    let far = |length: &str| {
        let site = Site::new().plant("km = 20\n", &format!("{length}\n"));
        site.assemble_changed(&catalog, |_| ())
    };
    assert_eq!(far("km = 3").diagnostics, []);
    let words =
        "3.5 km from its control unit over a fibre without repeaters: fex32s goes no further than 3 km";
    only(&far("km = 3.5"), numbers::TOO_FAR, Severity::Error, words);
    assert_eq!(far("km = 42\nrepeaters = 2").diagnostics, []);
    let words = "43.3 km from its control unit: fex32s goes no further than 43 km";
    only(&far("km = 43\nrepeaters = 2"), numbers::TOO_FAR, Severity::Error, words);
}

#[test]
fn each_fibre_that_is_too_long_is_named_once() {
    let catalog = short_sighted();
    let site = Site::new()
        .plant("km = 20\n", "km = 1\n")
        .plant("to = \"12.04\"\nkm = 0.2", "to = \"12.04\"\nkm = 7");
    let site = site.plant("to = \"BOXB.0030\"\nkm = 0.05", "to = \"BOXB.0030\"\nkm = 9");
    let found = site.assemble_changed(&catalog, |_| ()).diagnostics;
    let said: Vec<_> = found.iter().map(|one| (one.number, &one.message[..9])).collect();
    // The cable of PCHID 118, and the fibre to port 12.04 that both other channels use.
    assert_eq!(said, [(numbers::TOO_FAR, "PCHID 118"), (numbers::TOO_FAR, "PCHID 100")], "{found:#?}");
}

#[test]
fn a_card_is_in_a_machine_of_its_time() {
    let catalog = with_card(
        "[ports_per_card]",
        "[last_machine]\nvalue = 8561\nsource = \"architecture\"\nreason = \"a test\"\n\n[ports_per_card]",
    );
    let found = Site::new().assemble_changed(&catalog, |_| ()).diagnostics;
    // The family decides, not the number: 3931 came after 8561. One message for each card.
    let numbers: Vec<_> = found.iter().map(|one| one.number).collect();
    assert_eq!(numbers, [numbers::NOT_ON_MACHINE; 2]);
    assert!(found[0].message.contains("a 3931 has no fex32s: the last machine with it was the 8561"));
}

#[test]
fn a_control_unit_of_which_no_time_is_published_is_noted_with_its_range() {
    let named = |id: &str| Site::new().plant("type = \"ds8950\"", &format!("type = \"{id}\"")).assemble();
    let noted = named("ds8880");
    let note = noted.diagnostics.iter().find(|one| one.number == numbers::ASSUMED_TIMES).expect("a note");
    assert_eq!(note.severity, Severity::Info);
    let words = "a read of 4 KiB in command mode takes its port 84 us, where ds8950 has 53 and ess-f20 200";
    assert!(note.message.contains(words), "{note}");
    assert!(noted.configuration.is_some());
    assert_eq!(named("ds8950").diagnostics, []);
}

#[test]
fn a_bus_has_limits_of_each_direction_below_those_of_its_card() {
    let limits =
        "[bus_read_mb_per_s]\nvalue = 2500\nsource = \"assumed\"\nreason = \"a test\"\n\n[card.mb_per_s]";
    let catalog = with_card("[card.mb_per_s]", limits);
    let site = Site::new().assemble_changed(&catalog, |_| ()).configuration.expect("a configuration");
    let shares = site.channels.iter().filter_map(|channel| site.shares.get(channel.share? as usize));
    let buses: Vec<_> = shares.filter(|share| share.name.starts_with("bus ")).collect();
    assert_eq!(buses.len(), site.channels.len());
    for bus in buses {
        let both = (bus.read_bytes_per_s, bus.write_bytes_per_s, bus.bytes_per_s);
        assert_eq!(both, (Some(2_500_000_000), None, None), "{}", bus.name);
    }
}
