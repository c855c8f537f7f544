//! Conversations between partitions: the path that each gets, and the messages about networks that cannot carry it.

use std::path::Path;

use halftrack_base::Span;
use halftrack_catalog::Catalog;
use halftrack_config::{Conversations, DisturbanceKind, Loaded, SocketPath, StudyFiles, configure};
use halftrack_input::messages::{compression, conversation as numbers, study, toml_file};
use halftrack_input::{Severity, SourceFile};
use halftrack_zedc::ResourceGroup;

/// Texts of the published study.
struct Texts {
    deck: String,
    plant: String,
    workload: String,
}

impl Texts {
    fn new() -> Self {
        let files = files();
        let text = |source: &SourceFile| source.text.to_string();
        Self { deck: text(&files.deck), plant: text(&files.plant), workload: text(&files.workload) }
    }

    /// Returns the texts with a change in the one that has `from`.
    #[track_caller]
    fn with(mut self, from: &str, to: &str) -> Self {
        let mut changed = 0;
        for text in [&mut self.deck, &mut self.plant, &mut self.workload] {
            changed += usize::from(text.contains(from));
            *text = text.replace(from, to);
        }
        assert!(changed > 0, "no text has {from}");
        self
    }

    fn loaded(&self) -> Loaded {
        let source = |name: &str, text: &String| SourceFile::new(name, text.clone());
        let files = StudyFiles {
            deck: source("deck.iocp", &self.deck),
            plant: source("plant.toml", &self.plant),
            workload: source("workload.toml", &self.workload),
            ..files()
        };
        configure(&files, &Catalog::load(&[]).0)
    }

    /// Returns the conversations, which only warnings are about.
    #[track_caller]
    fn conversations(&self) -> Conversations {
        let loaded = self.loaded();
        let lines: Vec<_> = loaded.diagnostics.iter().map(ToString::to_string).collect();
        loaded.configuration.unwrap_or_else(|| panic!("{lines:#?}")).conversations
    }

    /// Demands one message of this number, with these words.
    #[track_caller]
    fn refused(&self, number: u16, severity: Severity, words: &str) {
        let found = self.loaded().diagnostics;
        let lines: Vec<_> = found.iter().map(ToString::to_string).collect();
        let [one] = &found[..] else { panic!("{lines:#?}") };
        assert_eq!((one.number, one.severity), (number, severity), "{one}");
        assert!(one.message.contains(words), "{one}");
        assert!(one.fix.is_some(), "{one}");
    }
}

fn files() -> StudyFiles {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/published/smcr-distance");
    StudyFiles::read(&directory).expect("a study of the repository")
}

#[test]
fn smc_r_goes_over_the_functions_of_both_groups() {
    let found = Texts::new().with("path = \"smc-r\"", "path = \"smc-r\"\nconnections = 5").conversations();
    let [one] = &found.each[..] else { panic!("{found:?}") };
    assert_eq!((one.path, one.fallback.as_ref(), one.network.as_str()), (SocketPath::SmcR, None, "NET1"));
    let groups: Vec<_> = found.functions.iter().map(|function| (function.pfid, function.group)).collect();
    let (first, second) = (ResourceGroup::One, ResourceGroup::Two);
    assert_eq!(groups, [(0x9, first), (0xA, second), (0xB, first), (0xC, second)]);
    let ports = ["RoCE port 110.D1", "RoCE port 170.D1", "OSD D0"];
    assert_eq!(found.ports, ports, "functions of a card share its port; without any there is TCP");
    let [plan] = &found.plan.conversations[..] else { panic!("one plan") };
    let [smc_r, tcp] = &plan.paths[..] else { panic!("two paths") };
    assert_eq!((plan.connections, smc_r.spread, smc_r.routes.len(), tcp.routes.len()), (5, 2, 4, 1));
    assert_eq!((plan.begins, plan.reconnect), (Span::ZERO, None));
    let pairs: Vec<_> = smc_r.routes.iter().map(|route| route.ends.map(|end| end.function)).collect();
    assert_eq!(pairs[..2], [[Some(0), Some(2)], [Some(1), Some(3)]], "group with group at the front");
    let routes = || plan.paths.iter().flat_map(|path| &path.routes);
    assert!(routes().all(|route| route.distance == Span::from_us(50)), "10 km");
    assert!(tcp.routes[0].ends.iter().all(|end| end.function.is_none()), "nothing takes an OSD away");
    assert_eq!((found.plan.hosts, found.plan.functions), (vec![2, 2], 4));
}

#[test]
fn tcp_goes_over_the_osd_at_its_speed() {
    let found = Texts::new().with("\"smc-r\"", "\"tcp\"").with("osd_gbps = 10", "osd_gbps = 0.1").loaded();
    assert_eq!(found.diagnostics.len(), 2, "an OSD of RoCE ports is faster, whether or not it is used");
    let slow = Texts::new().with("\"smc-r\"", "\"tcp\"").with("osd_gbps = 10", "osd_gbps = 1");
    let found = slow.conversations();
    assert_eq!((&found.ports[..], found.functions.len()), (&["OSD D0".to_owned()][..], 4));
    assert_eq!(found.plan.conversations[0].paths.len(), 1);
    assert_eq!(found.plan.ports[0].bytes_per_s, 125_000_000);
}

#[test]
fn a_network_may_be_named_and_has_the_other_port_of_the_cards() {
    let found = Texts::new().with("path = \"smc-r\"", "path = \"smc-r\"\nnetwork = \"NET2\"").conversations();
    assert_eq!(found.ports, ["RoCE port 110.D2", "RoCE port 170.D2", "OSD D1"]);
    assert_eq!(found.each[0].network, "NET2");
}

#[test]
fn what_a_partition_lacks_is_why_its_conversation_falls_back() {
    let without = |from: &str, to: &str| Texts::new().with(from, to);
    let other = "PNETID=(NET3,NET4)";
    for (texts, reason) in [
        (
            without("PART=((LP15)),PNETID=(NET1,NET2)", &format!("PART=((LP15)),{other}")),
            // Functions of one card have the same networks, so that the other partition gets them too.
            "the RoCE functions of LP14 are on NET3, NET4, and its OSD on NET1",
        ),
        (without("PART=((LP15))", "PART=((LP14))"), "LP15 has no RoCE function"),
        (
            without("PCHID=110", "PCHID=114").with("PCHID=170", "PCHID=174"),
            "the RoCE functions of LP14 are on no plugged card",
        ),
    ] {
        let texts = if reason.contains("NET3") {
            texts.with("PART=((LP14)),PNETID=(NET1,NET2)", &format!("PART=((LP14)),{other}"))
        } else {
            texts
        };
        texts.refused(numbers::FALLS_BACK, Severity::Warning, reason);
        let found = texts.conversations();
        let one = &found.each[0];
        assert_eq!((one.path, one.fallback.as_deref()), (SocketPath::Tcp, Some(reason)));
        assert_eq!(found.ports, ["OSD D0"]);
    }
}

#[test]
fn networks_that_roce_ports_cannot_use_are_refused() {
    let one = |from: &str, to: &str| Texts::new().with(from, to);
    let error = Severity::Error;
    let second = |texts: Texts| {
        let at = texts.plant.find("[[network]]\npnetid = \"NET2\"").expect("a second network");
        Texts { plant: texts.plant[..at].to_owned(), ..texts }
    };
    let long = numbers::NETWORK_TOO_LONG;
    second(one("switches = 2", "switches = 1")).refused(long, error, "over one switch it reaches 0.6 km");
    second(one("switches = 2", "switches = 0")).refused(long, error, "from port to port it reaches 0.3 km");
    second(one("port_km = 0.1", "port_km = 0.31")).refused(long, error, "it reaches 0.3 km");
    let flow = numbers::NETWORK_FLOW_CONTROL;
    second(one("switches = 2", "switches = 2\npfc = true")).refused(flow, error, "priority flow control");
    second(one("switches = 2", "switches = 2\npause = false")).refused(flow, error, "Global Pause");
    second(one("osd_gbps = 10", "osd_gbps = 0.9")).refused(numbers::OSD_TOO_SLOW, error, "1 is the least");
    let dwdm = |name: &str| second(one("switches = 2", &format!("switches = 2\ndwdm = \"{name}\"")));
    dwdm("Wavestar").refused(numbers::NOT_QUALIFIED, Severity::Warning, "Wavestar");
    assert_eq!(dwdm("Cisco 15454 R9.6.0.5").loaded().diagnostics, []);
    let near = one("switches = 2", "switches = 0\npfc = true\npause = false").with("km = 10\n", "km = 0.3\n");
    assert_eq!(near.loaded().diagnostics, [], "no switch, no flow control of one");
}

#[test]
fn partitions_and_cards_must_be_there() {
    let one = |from: &str, to: &str| Texts::new().with(from, to);
    let error = Severity::Error;
    let lpar = numbers::NO_CONVERSATION_LPAR;
    one("server = \"LP15\"", "server = \"LP16\"").refused(lpar, error, "is of LP16");
    one("server = \"LP15\"", "server = \"LP14\"").refused(lpar, error, "are both LP14");
    let unknown = one("hardware = \"hardware.toml\"", "");
    unknown.refused(numbers::ROCE_UNKNOWN, error, "names no hardware file");
    let none = numbers::NO_NETWORK;
    one("path = \"smc-r\"", "path = \"smc-r\"\nnetwork = \"NET9\"").refused(none, error, "NET9");
    one("PNETID=NET1,TYPE=OSD", "TYPE=OSD").with("PNETID=NET2,TYPE=OSD", "TYPE=OSD").refused(
        none,
        error,
        "no network in common",
    );
    one("response = \"1K\"", "").refused(toml_file::CHOOSE_ONE, error, "`request` and `response`");
    let twice = "[[conversation]]\nname = \"AWM\"\nclient = \"LP14\"\nserver = \"LP15\"\npath = \"tcp\"\n\
                 stream = \"1M\"\n\n[[conversation]]";
    one("[[conversation]]", twice).refused(toml_file::NAMED_TWICE, error, "AWM");
}

#[test]
fn an_update_needs_functions_to_take_away() {
    let update = "interval_s = 0.2\n\n[[event]]\nkind = \"firmware-update\"\ngroup = \"RG1\"\nat_s = 0.1\n\
                  lasts_s = 0.1\n";
    let with = Texts::new().with("interval_s = 0.2\n", update);
    let tcp = with.with("\"smc-r\"", "\"tcp\"");
    assert_eq!(
        tcp.loaded().diagnostics,
        [],
        "the functions are there, whether or not a conversation uses them"
    );
    assert_eq!(tcp.loaded().configuration.expect("it runs").disturbances.len(), 1);
    let no_card = tcp.with("PCHID=110", "PCHID=114").with("PCHID=170", "PCHID=174");
    no_card.refused(study::EVENT_MISSES, Severity::Error, "no RoCE function on a plugged card");
}

#[test]
fn an_adapter_that_is_pulled_is_plugged_and_in_its_slot() {
    let pull = |pchid: &str, at_s: f64| {
        format!("[[event]]\nkind = \"adapter-pulled\"\npchid = \"{pchid}\"\nat_s = {at_s}\nlasts_s = 0.05\n")
    };
    let with = |events: &[String]| {
        let run = "interval_s = 0.2\n\n";
        Texts::new().with("interval_s = 0.2\n", &(run.to_owned() + &events.concat()))
    };
    let apart = with(&[pull("110", 0.1), pull("170", 0.1), pull("110", 0.16)]).loaded();
    assert_eq!(apart.diagnostics, []);
    let kinds: Vec<_> =
        apart.configuration.expect("it runs").disturbances.iter().map(|one| one.kind).collect();
    let pulled = |pchid| DisturbanceKind::AdapterPulled { cpc: 0, pchid };
    assert_eq!(kinds, [pulled(0x110), pulled(0x170), pulled(0x110)]);
    let error = Severity::Error;
    with(&[pull("110", 0.1), pull("110", 0.12)]).refused(
        numbers::ADAPTER_IS_AWAY,
        error,
        "adapter 110 is pulled while",
    );
    with(&[pull("114", 0.1)]).refused(study::EVENT_MISSES, error, "PCHID 114");
    let found = with(&[pull("5100", 0.1)]).loaded().diagnostics;
    assert!(
        found.len() == 1 && found[0].to_string().contains("a PCHID of three hexadecimal digits"),
        "{found:?}"
    );
    let group = pull("110", 0.1).replace("pchid", "group").replace("110", "RG1");
    with(&[group]).refused(toml_file::CHOOSE_ONE, error, "needs `pchid`");
    let times = with(&[]).with("path = \"smc-r\"", "path = \"smc-r\"\nat_s = 0.1\nreconnect_ms = 2.5");
    let plan = &times.conversations().plan.conversations[0];
    assert_eq!((plan.begins, plan.reconnect), (Span::from_ms(100), Some(Span::from_us(2_500))));
}

/// The name of a machine stands at another place in each event, and is the same machine.
#[test]
fn outages_of_one_of_two_machines_do_not_overlap() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/sysplex-two-sites");
    let files = StudyFiles::read(&directory).expect("a study of the repository");
    let event = |kind: &str, part: &str, cpc: &str, at_s: f64| {
        format!("\n[[event]]\nkind = \"{kind}\"\n{part}\ncpc = \"{cpc}\"\nat_s = {at_s}\nlasts_s = 0.1\n")
    };
    let found = |events: &[String]| {
        let text = files.workload.text.to_string() + &events.concat();
        let workload = SourceFile::new("workload.toml", text);
        let loaded = configure(&StudyFiles { workload, ..files.clone() }, &Catalog::load(&[]).0);
        loaded.diagnostics.iter().map(|one| one.number).collect::<Vec<_>>()
    };
    let update =
        |group: &str, cpc, at_s| event("firmware-update", &format!("group = \"{group}\""), cpc, at_s);
    let pull = |cpc, at_s| event("adapter-pulled", "pchid = \"110\"", cpc, at_s);
    let apart =
        [update("RG1", "SITEA", 0.1), update("RG2", "SITEB", 0.1), pull("SITEA", 0.1), pull("SITEB", 0.1)];
    assert_eq!(found(&apart), [0; 0]);
    let updates = [update("RG1", "SITEA", 0.1), update("RG2", "SITEA", 0.15)];
    assert_eq!(found(&updates), [compression::UPDATES_OVERLAP]);
    assert_eq!(found(&[pull("SITEB", 0.1), pull("SITEB", 0.15)]), [numbers::ADAPTER_IS_AWAY]);
}

/// A function of a z16 has one port of a card whose speed is in no catalog of ours; a file of the user may have it.
#[test]
fn functions_of_later_cards_serve_where_the_catalog_has_the_speed_of_their_ports() {
    let files = files();
    let mut deck = files.deck.text.replace("(2964,1)", "(3931,1)").replace("TYPE=ROCE", "TYPE=ROC2");
    for (fid, port, network) in [("9", 1, "NET1"), ("B", 1, "NET1"), ("A", 2, "NET1"), ("C", 2, "NET1")] {
        let from = format!("FUNCTION FID={fid},");
        deck = deck.replace(&from, &format!("FUNCTION FID={fid},PORT={port},"));
        deck = deck.replace("PNETID=(NET1,NET2)", &format!("PNETID={network}"));
    }
    let card = |slot: &str, pchid: &str, group: u8| {
        format!(
            "[[feature]]\ndrawer = \"A\"\nslot = \"{slot}\"\ncode = \"0450\"\npchids = [\"{pchid}\"]\n\
             resource_group = {group}\n"
        )
    };
    let cards = card("1", "110", 1) + &card("2", "170", 2);
    let hardware = format!("machine_type = 3931\n[[drawer]]\nname = \"A\"\n{cards}");
    let study = StudyFiles {
        deck: SourceFile::new("deck.iocp", deck),
        plant: SourceFile::new("plant.toml", files.plant.text.replace("\"z13\"", "\"z16-max39\"")),
        hardware: [("hardware.toml".to_owned(), SourceFile::new("hardware.toml", hardware))].into(),
        ..files
    };
    let found = |catalog: &Catalog| {
        let loaded = configure(&study, catalog);
        let lines: Vec<_> = loaded.diagnostics.iter().map(ToString::to_string).collect();
        loaded.configuration.unwrap_or_else(|| panic!("{lines:#?}")).conversations
    };
    let built_in = found(&Catalog::load(&[]).0);
    let reason = "the catalog has no `network` of the cards with the RoCE functions of LP14";
    assert_eq!(
        (built_in.each[0].path, built_in.each[0].fallback.as_deref()),
        (SocketPath::Tcp, Some(reason))
    );
    assert_eq!(built_in.functions.len(), 4, "updates and pulls take them away all the same");
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../catalog/feature");
    let text = |name: &str| std::fs::read_to_string(directory.join(name)).expect("a file of the catalog");
    let roce = text("roce.toml");
    let network = &roce[roce.find("[network.gbps]").expect("a network")..];
    let overlay = tempfile::tempdir().expect("temporary directory");
    std::fs::create_dir(overlay.path().join("feature")).expect("directory");
    let later = text("roce-2.toml") + "\n" + &network.replace("value = 10\n", "value = 25\n");
    std::fs::write(overlay.path().join("feature/roce-2.toml"), later).expect("file");
    let later = found(&Catalog::load(&[overlay.path()]).0);
    assert_eq!((later.each[0].path, later.each[0].fallback.as_ref()), (SocketPath::SmcR, None));
    assert_eq!(later.ports[..2], ["RoCE port 110.D1", "RoCE port 170.D2"], "each at its port");
    assert_eq!(later.plan.ports[0].bytes_per_s, 3_125_000_000);
}

/// A function of a zEC12 has its whole card, and one port of it; its partner on a z13 shares the card with others.
#[test]
fn dedicated_functions_talk_to_shared_ones() {
    let overlay = tempfile::tempdir().expect("temporary directory");
    let built_in = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../catalog/cpc/z13.toml");
    let model = std::fs::read_to_string(built_in).expect("a file of the catalog");
    std::fs::create_dir(overlay.path().join("cpc")).expect("directory");
    std::fs::write(overlay.path().join("cpc/zec12.toml"), model.replace("2964", "2827")).expect("file");
    let catalog = Catalog::load(&[overlay.path()]).0;
    let files = files();
    let cpc = |name: &str, model: &str, deck: &str| {
        format!(
            "[[cpc]]\nname = \"{name}\"\nmodel = \"{model}\"\ndeck = \"{deck}\"\nhardware = \"hardware.toml\"\n"
        )
    };
    let two = cpc("A", "z13", "deck.iocp") + &cpc("B", "zec12", "deck-b.iocp");
    let plant = files.plant.text.replace("[cpc]\nmodel = \"z13\"\nhardware = \"hardware.toml\"\n", &two);
    let deck_b = "         ID SYSTEM=(2827,1)
         RESOURCE PART=((CSS(0),(LP15,1)))
         CHPID PATH=(CSS(0),D7),SHARED,PCHID=510,PNETID=NET1,TYPE=OSD
         FUNCTION FID=21,PCHID=110,PART=LP15,PNETID=(NET1,NET2)
         FUNCTION FID=22,PCHID=170,PART=LP15,PNETID=(NET1,NET2)
";
    let deck = files.deck.text.replace("(LP15,2)", "(LP16,2)").replace("((LP15))", "((LP16))");
    let study = StudyFiles {
        deck: SourceFile::new("deck.iocp", deck),
        further_decks: [("deck-b.iocp".to_owned(), SourceFile::new("deck-b.iocp", deck_b))].into(),
        plant: SourceFile::new("plant.toml", plant),
        ..files
    };
    let loaded = configure(&study, &catalog);
    let lines: Vec<_> = loaded.diagnostics.iter().map(ToString::to_string).collect();
    let found = loaded.configuration.unwrap_or_else(|| panic!("{lines:#?}")).conversations;
    assert_eq!((found.each[0].path, found.each[0].network.as_str()), (SocketPath::SmcR, "NET1"));
    let functions: Vec<_> = found.functions.iter().map(|one| (one.cpc, one.pfid)).collect();
    assert_eq!(functions, [(0, 0x9), (0, 0xA), (0, 0xB), (0, 0xC), (1, 0x21), (1, 0x22)]);
    let ports = ["A.110.D1", "A.170.D1", "B.110.D1", "B.170.D1"].map(|port| format!("RoCE port {port}"));
    assert_eq!(found.ports[..4], ports);
    assert_eq!(found.ports[4..], ["OSD A.D0", "OSD B.D7"]);
    let second = SourceFile::new(
        "workload.toml",
        study.workload.text.replace("\"AWM\"", "\"AWM\"\nnetwork = \"NET2\""),
    );
    let deck_b = SourceFile::new("deck-b.iocp", deck_b.replace("PNETID=NET1", "PNETID=NET2"));
    let study =
        StudyFiles { workload: second, further_decks: [("deck-b.iocp".to_owned(), deck_b)].into(), ..study };
    let one = &configure(&study, &catalog).configuration.expect("it runs").conversations.each[0];
    let reason = "the RoCE functions of LP15 are on NET1, and its OSD on NET2";
    assert_eq!(
        (one.path, one.fallback.as_deref()),
        (SocketPath::Tcp, Some(reason)),
        "its other port is not in use"
    );
}
