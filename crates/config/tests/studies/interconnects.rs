//! Domains and fanouts: the tree that they make, and the messages about an impossible one.

use halftrack_config::DisturbanceKind;
use halftrack_input::messages::study as numbers;

use crate::site::Site;

/// Returns cards 100/101 in D0, 118 in D1, which stand by for each other on one fanout.
fn site() -> Site {
    Site::new()
        .plant("pchids = [\"100\", \"101\"]", "pchids = [\"100\", \"101\"]\ndomain = \"D0\"")
        .plant("pchids = [\"118\"]", "pchids = [\"118\"]\ndomain = \"D1\"")
        .plant(
            "[[director]]\nid = \"11\"",
            "[[domain]]\nname = \"D1\"\nfanout = \"F1\"\nstandby = \"D0\"\n\n[[domain]]\nname = \"D0\"\n\
             fanout = \"F1\"\nstandby = \"D1\"\n\n[[fanout]]\nname = \"F1\"\n\n[[director]]\nid = \"11\"",
        )
}

/// Returns the site whose domain D0 is lost for 10 ms at 0.2 s.
fn losing(domain: &str) -> Site {
    let event = format!("at_s = 0.2\nlasts_s = 0.01\nkind = \"interconnect-lost\"\ndomain = \"{domain}\"");
    site().workload("[[event]]\n", &format!("[[event]]\n{event}\n\n[[event]]\n"))
}

#[track_caller]
fn refused(site: &Site, number: u16, words: &str) {
    let loaded = site.assemble();
    let lines: Vec<_> = loaded.diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(lines.len(), 1, "{lines:#?}");
    let one = &loaded.diagnostics[0];
    assert!(one.number == number && one.message.contains(words) && one.fix.is_some(), "{one}");
}

#[test]
fn cards_are_below_domains_and_domains_below_fanouts() {
    let configuration = losing("D0").configuration();
    let tree: Vec<_> = configuration.shares.iter().map(|one| (one.name.as_str(), one.parent)).collect();
    let wanted = [
        ("fanout F1", None),
        ("domain D0", Some(0)),
        ("domain D1", Some(0)),
        ("card PCHID 100", Some(1)),
        ("card PCHID 118", Some(2)),
    ];
    assert_eq!(tree, wanted);
    let standby: Vec<_> = configuration.shares.iter().map(|one| one.standby_parent).collect();
    assert_eq!(standby, [None, None, None, Some(2), Some(1)]);
    let domain = &configuration.shares[1];
    assert_eq!(domain.read_bytes_per_s, Some(12_000_000_000));
    assert_eq!((domain.write_bytes_per_s, domain.bytes_per_s), (Some(13_000_000_000), Some(19_000_000_000)));
    // A card with one channel in use limits nothing by itself.
    assert_eq!(
        (configuration.shares[3].bytes_per_s, configuration.shares[4].bytes_per_s),
        (Some(9_060_000_000), None)
    );
    let channels: Vec<_> = configuration.channels.iter().map(|channel| channel.share).collect();
    assert_eq!(channels, [Some(3), Some(3), Some(4)]);
    assert_eq!(configuration.disturbances[0].kind, DisturbanceKind::InterconnectLost { share: 1 });
}

#[test]
fn without_domains_only_cards_share() {
    let configuration = Site::new().configuration();
    let names: Vec<_> = configuration.shares.iter().map(|one| (one.name.as_str(), one.parent)).collect();
    assert_eq!(names, [("card PCHID 100", None)]);
}

#[test]
fn names_lead_to_domains_and_fanouts_of_the_plant() {
    let missing = numbers::NO_DOMAIN;
    refused(&site().plant("domain = \"D0\"", "domain = \"D2\""), missing, "no domain D2");
    refused(&site().plant("standby = \"D0\"", "standby = \"D2\""), missing, "no domain D2");
    refused(&site().plant("standby = \"D0\"", "standby = \"D1\""), missing, "stands by for itself");
    refused(&site().plant("fanout = \"F1\"", "fanout = \"F2\""), missing, "no fanout F2");
}

#[test]
fn a_fanout_has_two_interconnects_and_a_domain_eight_cards() {
    let three = site().plant("[[fanout]]", "[[domain]]\nname = \"D2\"\nfanout = \"F1\"\n\n[[fanout]]");
    refused(&three, numbers::DOMAIN_FULL, "fanout F1 has places for 2 domains, not 3");
    let cards = (0..8).map(|card| {
        format!("[[card]]\ntype = \"fex32s\"\npchids = [\"{:03X}\"]\ndomain = \"D0\"\n\n", 0x200 + 4 * card)
    });
    let nine = site().plant("[[fanout]]", &format!("{}[[fanout]]", cards.collect::<String>()));
    refused(&nine, numbers::DOMAIN_FULL, "domain D0 has places for 8 cards, not 9");
}

#[test]
fn an_interconnect_is_lost_only_where_another_takes_over() {
    refused(&losing("D7"), numbers::EVENT_MISSES, "no domain D7");
    let alone = losing("D0").plant("standby = \"D1\"\n", "");
    refused(&alone, numbers::NO_STANDBY, "nothing takes over from the interconnect of domain D0");
    let second = "at_s = 0.205\nlasts_s = 1\nkind = \"interconnect-lost\"\ndomain = \"D1\"";
    let both = losing("D0").workload("[[event]]\n", &format!("[[event]]\n{second}\n\n[[event]]\n"));
    let found = both.assemble().diagnostics;
    assert_eq!(found.iter().map(|one| one.number).collect::<Vec<_>>(), [numbers::NO_STANDBY; 2]);
    let later = second.replace("0.205", "0.21");
    let one_by_one = losing("D0").workload("[[event]]\n", &format!("[[event]]\n{later}\n\n[[event]]\n"));
    assert_eq!(one_by_one.assemble().diagnostics, []);
}
