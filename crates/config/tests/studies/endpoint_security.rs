//! Endpoint security: policies of cards, boxes and ports, hardware that can take part, the key manager.

use halftrack_catalog::Catalog;
use halftrack_config::{Configuration, DisturbanceKind, Loaded, read_plant};
use halftrack_fabric::endpoint_security::{Connection, Protection};
use halftrack_input::messages::{find, study as numbers};
use halftrack_input::{Diagnostic, Label, Severity, SourceFile};

use crate::site::Site;

const KEYS: &str = "[key_manager]\nname = \"GKLM1\"\n";

/// Returns the site with policies of the card and of the box between which channel 50 is all, and this text at the end.
fn site(card: &str, storage: &str, more: &str) -> Site {
    let mut site = Site::new();
    if !card.is_empty() {
        site = site.plant("link_gbps = 16", &format!("link_gbps = 16\nendpoint_security = {card}"));
    }
    if !storage.is_empty() {
        site = site.plant("name = \"BOXB\"", &format!("name = \"BOXB\"\nendpoint_security = {storage}"));
    }
    site.plant += more;
    site
}

/// Returns the connection of the path over channel 50.
fn connection(configuration: &Configuration) -> Connection {
    let paths = configuration.lcus.iter().flat_map(|lcu| &lcu.path_groups).flat_map(|group| &group.paths);
    let path = paths.into_iter().find(|path| path.channel == 2).expect("channel 50 has a path");
    configuration.connection_at_start(path)
}

fn connected(site: &Site) -> Connection {
    let loaded = site.assemble();
    connection(&loaded.configuration.unwrap_or_else(|| panic!("{:#?}", loaded.diagnostics)))
}

/// Returns severity and message of each diagnostic about endpoint security.
fn found(loaded: &Loaded) -> Vec<(u16, Severity, &str)> {
    loaded.diagnostics.iter().map(|one| (one.number, one.severity, one.message.as_str())).collect()
}

/// Returns the built-in catalog in which `from` of `file` is `to`, for each change.
fn catalog(file: &str, changes: &[(&str, &str)]) -> Catalog {
    let built_in = format!("{}/../../catalog/{file}.toml", env!("CARGO_MANIFEST_DIR"));
    let mut text = std::fs::read_to_string(built_in).expect("a built-in file");
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
    }
    let dir = tempfile::tempdir().expect("temporary directory");
    let path = dir.path().join(format!("{file}.toml"));
    std::fs::create_dir_all(path.parent().expect("a directory")).expect("directory");
    std::fs::write(path, text).expect("file");
    let (catalog, found) = Catalog::load(&[dir.path()]);
    assert_eq!(found, []);
    catalog
}

/// The three parts of the paper: card, storage, key manager. Without one of them nothing is encrypted.
#[test]
fn nothing_is_encrypted_without_all_three_parts() {
    for parts in 0..8u8 {
        let [card, storage, manager] = [1, 2, 4].map(|bit| parts & bit != 0);
        let word = |is: bool| if is { "true" } else { "" };
        let site = site(word(card), word(storage), if manager { KEYS } else { "" });
        let encrypted = connected(&site) == Connection::Open(Protection::Encrypted);
        assert_eq!(encrypted, parts == 7, "{card} {storage} {manager}");
        let loaded = site.assemble();
        let named = |words: &str| found(&loaded).iter().any(|(_, _, message)| message.contains(words));
        assert_eq!(named("without a key manager"), (card || storage) && !manager, "{parts}");
        assert_eq!(named("changes nothing here"), card != storage, "{parts}");
        assert_eq!(loaded.configuration.expect("it runs").endpoint_security.is_some(), card || storage);
    }
}

#[test]
fn all_that_takes_part_and_finds_its_keys_gives_no_message() {
    for (card, storage) in
        [("true", "\"audit\""), ("\"enforced\"", "\"enforced\""), ("\"audit\"", "\"enforced\"")]
    {
        let loaded = site(card, storage, KEYS).assemble();
        assert_eq!(loaded.diagnostics, [], "{card} {storage}");
    }
    let lasting = "[key_manager]\nname = \"GKLM1\"\nreachable = true\nkey_lifetime_s = 0.5\n";
    let configuration = site("true", "true", lasting).assemble().configuration.expect("it runs");
    let server =
        configuration.endpoint_security.and_then(|security| security.key_server).expect("a key server");
    assert_eq!(server.key_lifetime.map(|span| span.as_s_f64()), Some(0.5));
}

#[test]
fn a_port_has_a_policy_of_its_own() {
    let with_port = |policy: &str| {
        let port = format!("[[control_unit.port]]\nid = \"0030\"\nendpoint_security = {policy}\n{KEYS}");
        let site = site("true", "true", "");
        let at = site.plant.rfind("[[control_unit.port]]").expect("a port");
        Site { plant: format!("{}{port}", &site.plant[..at]), ..site }
    };
    assert_eq!(connected(&with_port("\"off\"")), Connection::Open(Protection::None));
    assert_eq!(connected(&with_port("\"enforced\"")), Connection::Open(Protection::Encrypted));
    let (_, wrong) = read_plant(&SourceFile::new("plant.toml", with_port("\"yes\"").plant));
    assert!(
        wrong.iter().any(|one| one.to_string().contains("\"off\", \"audit\" or \"enforced\"")),
        "{wrong:?}"
    );
}

#[test]
fn endpoint_security_needs_hardware_that_has_it() {
    let own = "type = \"fex32s\"\npchids = [\"118\"]\nlink_gbps = 16";
    let with = |kind: &str, policy: &str| {
        let new =
            format!("type = \"{kind}\"\npchids = [\"118\"]\nlink_gbps = 16\nendpoint_security = {policy}");
        site("", "true", KEYS).plant(own, &new).assemble()
    };
    for policy in ["true", "\"audit\"", "\"enforced\""] {
        let loaded = with("fex16sp", policy);
        let words = "a fex16sp has no endpoint security";
        let errors = found(&loaded);
        let is_it = |one: &(u16, Severity, &str)| {
            (one.0, one.1) == (numbers::ENDPOINT_SECURITY, Severity::Error) && one.2.contains(words)
        };
        assert!(errors.iter().any(is_it) && loaded.configuration.is_none(), "{policy}: {errors:?}");
    }
    assert!(with("fex16sp", "\"off\"").configuration.is_some());
    assert_eq!(with("fex16sa", "true").diagnostics, []);
    let old = site("", "true", "").plant(
        "name = \"BOXB\"\nendpoint_security = true\ntype = \"ds8950\"",
        "name = \"BOXB\"\nendpoint_security = true\ntype = \"ess-f20\"",
    );
    let loaded = old.assemble();
    assert!(
        found(&loaded)
            .iter()
            .any(|one| one.1 == Severity::Error && one.2.contains("a ess-f20 has no endpoint security"))
    );
}

#[test]
fn hardware_that_authenticates_alone_leaves_clear_text() {
    let catalog = catalog("control-unit/ds8950", &[("\"encrypt\"", "\"authenticate\"")]);
    let loaded = site("true", "true", KEYS).assemble_changed(&catalog, |_| ());
    assert_eq!(loaded.diagnostics, []);
    let configuration = loaded.configuration.expect("it runs");
    assert_eq!(connection(&configuration), Connection::Open(Protection::Authenticated));
    let enforced = site("true", "\"enforced\"", KEYS).assemble_changed(&catalog, |_| ());
    let words = "a ds8950 authenticates and does not encrypt";
    assert!(found(&enforced).iter().any(|one| one.1 == Severity::Error && one.2.contains(words)));
}

#[test]
fn a_director_passes_what_is_encrypted_unless_the_catalog_has_it_otherwise() {
    let all = |site: Site| {
        let cards = "pchids = [\"100\", \"101\"]";
        let site = site.plant(cards, &format!("{cards}\nendpoint_security = true"));
        site.plant("name = \"BOXA\"", "name = \"BOXA\"\nendpoint_security = true")
    };
    let paths = |loaded: Loaded| {
        let configuration = loaded.configuration.expect("it runs");
        let groups =
            configuration.lcus.iter().flat_map(|lcu| &lcu.path_groups).flat_map(|group| &group.paths);
        let over_directors = groups.filter(|path| path.channel < 2);
        let of: Vec<_> =
            over_directors.map(|path| configuration.connection_at_start(path).protection()).collect();
        (of.len(), of.iter().filter(|one| **one == Protection::Encrypted).count())
    };
    let site = all(site("", "", KEYS));
    assert_eq!(paths(site.assemble()), (4, 4));
    let stops =
        "[passes_encrypted]\nvalue = false\nsource = \"assumed\"\nreason = \"a test\"\n\n[forward_us]";
    let catalog = catalog("director/director-32g", &[("[forward_us]", stops)]);
    let loaded = site.assemble_changed(&catalog, |_| ());
    let idle = found(&loaded).iter().filter(|one| one.2.contains("changes nothing here")).count();
    assert_eq!((idle, paths(loaded)), (2, (4, 0)));
}

#[test]
fn an_engine_is_no_slower_than_the_line() {
    let slow = catalog("security/esp", &[("value = 3400", "value = 1600"), ("low = 3400", "low = 1600")]);
    let loaded = site("true", "true", KEYS).assemble_changed(&slow, |_| ());
    let words = "carries 1700 MB/s, and an engine of the catalog encrypts 1600";
    assert!(
        found(&loaded).iter().any(|one| one.1 == Severity::Error && one.2.contains(words)),
        "{:?}",
        found(&loaded)
    );
}

/// A stream of PROD1 uses device 2000, whose one path is over channel 50.
#[test]
fn a_stream_without_a_path_that_would_be_encrypted_is_refused() {
    for (card, storage, more) in [
        ("\"enforced\"", "true", ""),
        ("\"enforced\"", "true", "[key_manager]\nname = \"GKLM1\"\nreachable = false\n"),
        ("true", "\"enforced\"", ""),
        ("", "\"enforced\"", KEYS),
        ("\"off\"", "\"enforced\"", KEYS),
        ("\"enforced\"", "", KEYS),
    ] {
        let loaded = site(card, storage, more).assemble();
        let error =
            loaded.diagnostics.iter().find(|one| one.number == numbers::NO_ENCRYPTED_PATH).expect("an error");
        assert!(error.message.contains("device 2000 of stream OLTP") && error.fix.is_some(), "{error}");
        assert!(error.others.iter().any(|label| label.text.contains("sends no clear text")), "{error}");
        let words = "control unit 2000 has no path from CSS 0";
        assert!(found(&loaded).iter().any(|one| one.1 == Severity::Warning && one.2.contains(words)));
        assert!(loaded.configuration.is_none());
    }
}

/// Authentication alone leaves clear text, whichever end it is that sends none.
#[test]
fn a_stream_is_refused_where_the_other_end_authenticates_alone() {
    let catalog = catalog("control-unit/ds8950", &[("\"encrypt\"", "\"authenticate\"")]);
    let loaded = site("\"enforced\"", "true", KEYS).assemble_changed(&catalog, |_| ());
    assert!(found(&loaded).iter().any(|one| one.0 == numbers::NO_ENCRYPTED_PATH), "{:?}", found(&loaded));
    assert!(loaded.configuration.is_none());
}

/// A box that cannot encrypt, and `enforced` without a key server: the place of the value, what it does not go with, and a rule.
#[test]
fn what_is_refused_has_its_place_and_its_rule() {
    let text = |label: &Label| label.source.text[label.span.clone()].to_owned();
    let places = |loaded: Loaded, number| {
        let is_it = |one: &&Diagnostic| (one.number, one.severity) == (number, Severity::Error);
        let error = loaded.diagnostics.iter().find(is_it).expect("an error");
        assert!(error.fix.is_some() && find(number, Severity::Error).is_some_and(|one| !one.rule.is_empty()));
        (text(&error.at), error.others.iter().map(text).collect::<Vec<_>>())
    };
    let old = site("true", "\"enforced\"", KEYS);
    let with = "name = \"BOXB\"\nendpoint_security = \"enforced\"\ntype = ";
    let old = old.plant(&format!("{with}\"ds8950\""), &format!("{with}\"ess-f20\""));
    let expected = ("\"enforced\"".to_owned(), vec!["\"ess-f20\"".to_owned()]);
    assert_eq!(places(old.assemble(), numbers::ENDPOINT_SECURITY), expected);
    let expected = ("\"PROD1\"".to_owned(), vec!["\"enforced\"".to_owned()]);
    assert_eq!(places(site("\"enforced\"", "true", "").assemble(), numbers::NO_ENCRYPTED_PATH), expected);
}

#[test]
fn a_device_that_no_stream_uses_may_lack_its_path() {
    let site = site("\"enforced\"", "true", "");
    let site = Site { workload: site.workload.replace(", \"0.2000\"", ""), ..site };
    assert_eq!(connected(&site), Connection::Refused);
}

#[test]
fn only_a_key_server_that_is_there_can_be_lost() {
    let event = |at: &str| format!("\n[[event]]\nat_s = {at}\nlasts_s = 0.1\nkind = \"key-server-lost\"\n");
    let with = |more: &str, event: &str| {
        let site = site("true", "true", more);
        Site { workload: format!("{}{event}", site.workload), ..site }
    };
    let configuration = with(KEYS, &event("0.2")).assemble().configuration.expect("it runs");
    assert!(matches!(configuration.disturbances[0].kind, DisturbanceKind::KeyServerLost));
    assert_eq!(connection(&configuration), Connection::Open(Protection::Encrypted));
    assert_eq!(connected(&with(KEYS, &event("0"))), Connection::Open(Protection::None), "it is lost at once");
    for (more, words) in [
        ("", "the plant has no key server that could be lost"),
        ("[key_manager]\nname = \"A\"\nreachable = false\n", "is not reachable from the start"),
    ] {
        let loaded = with(more, &event("0.2")).assemble();
        let is_it = |one: &(u16, Severity, &str)| one.0 == numbers::EVENT_MISSES && one.2.contains(words);
        assert!(found(&loaded).iter().any(is_it), "{:?}", found(&loaded));
    }
}
