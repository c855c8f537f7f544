//! Several processor complexes in one study: whose each part is, what they share, and what is refused.

use std::collections::BTreeMap;

use halftrack_catalog::Catalog;
use halftrack_config::{Configuration, Loaded, StudyFiles, configure, read_plant};
use halftrack_input::SourceFile;
use halftrack_input::messages::study as numbers;

/// The texts of a study of two machines.
#[derive(Clone)]
struct Site {
    decks: BTreeMap<String, String>,
    plant: String,
    workload: String,
}

/// Returns a statement over several cards: continued in column 16 after a mark in column 72.
fn statement(cards: &[&str]) -> String {
    let text: Vec<_> = cards.iter().map(|card| format!("{card:<55}")).collect();
    format!("         {}\n", text.join("*\n               ").trim_end())
        .lines()
        .map(|card| match card.strip_suffix('*') {
            Some(card) => format!("{:<71}*\n", card.trim_end()),
            None => format!("{card}\n"),
        })
        .collect()
}

/// Returns a deck of one partition with channels 40 and on. They lead to sixteen devices of an image of the box at port
/// 04 of director 11.
fn deck_over(lpar: &str, number: &str, cuadd: u8, channels: &[&str]) -> String {
    let partitions = format!("RESOURCE PARTITION=((CSS(0),({lpar},1))),");
    let mut deck = format!("         ID MSG1='DECK{lpar}',SYSTEM=(3931,1)\n");
    deck += &statement(&[&partitions, "MAXDEV=((CSS(0),65280,65535))"]);
    for (chpid, pchid) in channels.iter().zip(100..) {
        deck += &format!("         CHPID PATH=(CSS(0),{chpid}),SHARED,SWITCH=11,PCHID={pchid},TYPE=FC\n");
    }
    let paths = format!("CNTLUNIT CUNUMBR={number},PATH=((CSS(0),{})),", channels.join(","));
    let links = format!("LINK=((CSS(0),{})),UNIT=2107", vec!["04"; channels.len()].join(","));
    deck += &statement(&[&paths, &format!("UNITADD=((00,256)),CUADD={cuadd},"), &links]);
    let devices = format!("IODEVICE ADDRESS=({number},016),UNITADD=00,");
    deck + &statement(&[&devices, &format!("CUNUMBR=({number}),UNIT=3390B")])
}

/// Returns a deck of one channel, otherwise as [`deck_over`].
fn deck(lpar: &str, number: &str, cuadd: u8) -> String {
    deck_over(lpar, number, cuadd, &["40"])
}

const PLANT: &str = r#"
[[cpc]]
name = "B"
model = "z16-max39"
deck = "deck-b.iocp"

[[cpc]]
name = "A"
model = "z16-max39"
deck = "deck.iocp"

[[lpar]]
name = "PRODA"
cps = 4

[[lpar]]
name = "PRODB"
smfid = "PRDB"
cps = 2

[[card]]
cpc = "A"
type = "fex32s"
pchids = ["100"]

[[card]]
cpc = "B"
type = "fex32s"
pchids = ["100", "101"]

[[cable]]
cpc = "A"
pchid = "100"
to = "11.20"
km = 0.1

[[cable]]
cpc = "B"
pchid = "100"
to = "11.21"
km = 0.1

[[director]]
id = "11"
type = "director-32g"

[[control_unit]]
name = "BOXA"
type = "ds8950"

[[control_unit.port]]
id = "0030"
to = "11.04"
km = 0.1
"#;

const WORKLOAD: &str = r#"
[run]
interval_s = 1
intervals = 1

[[stream]]
name = "A"
lpar = "PRODA"
devices = ["1000-100F"]
program = { block = "4K" }
read_share = 1.0
hit_ratio = 1.0
closed = { jobs = 1 }

[[stream]]
name = "B"
lpar = "PRODB"
devices = ["1000-1007"]
program = { block = "4K" }
read_share = 1.0
hit_ratio = 1.0
closed = { jobs = 1 }
"#;

fn site() -> Site {
    let decks = [("deck.iocp", deck("PRODA", "1000", 0)), ("deck-b.iocp", deck("PRODB", "1000", 0))];
    Site {
        decks: decks.into_iter().map(|(name, text)| (name.to_owned(), text)).collect(),
        plant: PLANT.to_owned(),
        workload: WORKLOAD.to_owned(),
    }
}

fn replaced(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "no {from:?} in {text}");
    text.replacen(from, to, 1)
}

impl Site {
    fn plant(mut self, from: &str, to: &str) -> Self {
        self.plant = replaced(&self.plant, from, to);
        self
    }

    fn workload(mut self, from: &str, to: &str) -> Self {
        self.workload = replaced(&self.workload, from, to);
        self
    }

    fn second_deck(mut self, text: String) -> Self {
        self.decks.insert("deck-b.iocp".to_owned(), text);
        self
    }

    fn load(&self) -> Loaded {
        let mut decks: BTreeMap<_, _> = self
            .decks
            .iter()
            .map(|(name, text)| (name.clone(), SourceFile::new(name.clone(), text.as_str())))
            .collect();
        let files = StudyFiles {
            name: "site".to_owned(),
            deck: decks.remove("deck.iocp").expect("a deck"),
            further_decks: decks,
            hardware: Default::default(),
            plant: SourceFile::new("plant.toml", self.plant.as_str()),
            workload: SourceFile::new("workload.toml", self.workload.as_str()),
            traces: BTreeMap::new(),
            samples: Default::default(),
            faults: None,
        };
        configure(&files, &Catalog::load(&[]).0)
    }

    fn configuration(&self) -> Configuration {
        let loaded = self.load();
        assert_eq!(loaded.diagnostics, []);
        loaded.configuration.expect("a configuration when there is no message")
    }

    /// Checks the one message, its place and its fix.
    #[track_caller]
    fn refused(&self, number: u16, place: &str, words: &str) {
        let loaded = self.load();
        let lines: Vec<_> = loaded.diagnostics.iter().map(ToString::to_string).collect();
        assert_eq!(lines.len(), 1, "{lines:#?}");
        let one = &loaded.diagnostics[0];
        assert!(one.number == number && one.message.contains(words) && one.fix.is_some(), "{one}");
        assert!(lines[0].contains(place), "{}", lines[0]);
        assert!(loaded.configuration.is_none());
    }
}

#[test]
fn each_machine_has_its_own_partition_and_channel() {
    let site = site().configuration();
    let machines: Vec<_> = site.cpcs.iter().map(|cpc| (cpc.name.to_string(), cpc.iocds.as_str())).collect();
    assert_eq!(machines, [("A".to_owned(), "DECKPROD"), ("B".to_owned(), "DECKPROD")]);
    let lpars: Vec<_> = site.lpars.iter().map(|lpar| (lpar.name.as_str(), lpar.cpc, lpar.mif)).collect();
    assert_eq!(lpars, [("PRODA", 0, 1), ("PRODB", 1, 1)]);
    let channels: Vec<_> = site.channels.iter().map(|one| (one.name.as_str(), one.cpc)).collect();
    assert_eq!(channels, [("A.CSS0.40", 0), ("B.CSS0.40", 1)]);
    let names: Vec<_> = site.links.iter().map(|link| link.name.as_str()).collect();
    assert!(names.contains(&"pchid A.100 > 11.20") && names.contains(&"11.21 > pchid B.100"), "{names:?}");
}

#[test]
fn an_image_of_a_box_and_its_volumes_are_one_for_all_machines() {
    let one = site().configuration();
    assert_eq!((one.lcus.len(), one.devices.len()), (1, 16));
    let groups: Vec<_> = one.lcus[0].path_groups.iter().map(|group| (group.cpc, group.paths.len())).collect();
    assert_eq!(groups, [(0, 1), (1, 1)]);
    assert_eq!((one.streams[0].devices.len(), one.streams[1].devices.len()), (16, 8));
    assert_eq!(one.streams[0].devices[..8], one.streams[1].devices);
    // Under other numbers each machine has its own name for the same image and unit addresses.
    let named = site()
        .second_deck(deck("PRODB", "2000", 0))
        .workload("1000-1007", "2000-2007")
        .plant("type = \"ds8950\"", "type = \"ds8950\"\nvolser = \"V#####\"")
        .configuration();
    assert_eq!((named.lcus.len(), named.devices.len()), (1, 32));
    let numbers: Vec<_> = named.lcus[0].path_groups.iter().map(|group| group.number).collect();
    assert_eq!((named.lcus[0].number, numbers), (0x1000, vec![0x1000, 0x2000]));
    // Under the same numbers in another image they are other volumes, which must not have one serial.
    let other = site().second_deck(deck("PRODB", "1000", 1));
    other.refused(numbers::VOLSER_TWICE, "deck-b.iocp:", "volume serial");
}

#[test]
fn the_order_of_tables_does_not_matter() {
    let tables: Vec<&str> = PLANT.split("\n\n").collect();
    let mut turned = site();
    turned.plant = [&tables[1..2], &tables[..1], &tables[2..]].concat().join("\n\n");
    assert_ne!(turned.plant, PLANT);
    assert_eq!(turned.configuration(), site().configuration());
}

#[test]
fn a_deck_that_is_missing_or_of_two_machines_is_refused() {
    let missing = site().plant("deck-b.iocp", "deck-c.iocp");
    missing.refused(numbers::NO_DECK, "plant.toml:5:8", "no deck deck-c.iocp for CPC B");
    let twice = site().plant("deck-b.iocp", "deck.iocp");
    twice.refused(
        halftrack_input::messages::toml_file::NAMED_TWICE,
        "plant.toml:10:8",
        "deck.iocp is named twice",
    );
    let mut other = site().plant("deck = \"deck.iocp\"", "deck = \"deck-a.iocp\"");
    other.decks.insert("deck-a.iocp".to_owned(), deck("PRODA", "1000", 0));
    other.refused(numbers::NO_DECK, "plant.toml:10:8", "no CPC of the plant has the deck deck.iocp");
    let mut none = site();
    none.plant = format!("cpc = []\n{}", PLANT.split_once("[[lpar]]").map_or("", |(_, rest)| rest));
    assert!(none.load().diagnostics.iter().any(|one| one.message == "the plant has no CPC"));
    let nameless = site().plant("name = \"B\"\n", "").load().diagnostics;
    assert!(nameless.len() == 1 && nameless[0].message.contains("name"), "{nameless:#?}");
    let far = site().plant("deck-b.iocp", "../deck-b.iocp").load().diagnostics;
    let lines: Vec<_> = far.iter().map(ToString::to_string).collect();
    assert!(
        lines.len() == 1 && lines[0].contains("plant.toml:5:8 `deck` is \"../deck-b.iocp\""),
        "{lines:#?}"
    );
}

#[test]
fn what_does_not_say_of_which_machine_it_is_is_refused() {
    let card = site().plant("[[card]]\ncpc = \"B\"\n", "[[card]]\n");
    card.refused(numbers::WHICH_CPC, "plant.toml:26:1", "[[card]] does not name its CPC");
    let cable = site().plant("[[cable]]\ncpc = \"B\"\n", "[[cable]]\n");
    cable.refused(numbers::WHICH_CPC, "plant.toml:38:9", "PCHID 100, but does not name its CPC");
    let event = "[[event]]\nat_s = 0.1\nlasts_s = 0.1\nkind = \"path-lost\"\nchpid = \"0.40\"\n";
    let mut lost = site();
    lost.workload.push_str(event);
    lost.refused(numbers::WHICH_CPC, "workload.toml:", "the event does not name its CPC");
    lost.workload.push_str("cpc = \"B\"\n");
    let found = lost.configuration().disturbances;
    assert_eq!(found[0].kind, halftrack_config::DisturbanceKind::PathLost { channel: 1 });
    lost.workload("cpc = \"B\"", "cpc = \"C\"").refused(numbers::NO_CPC, "workload.toml:", "no CPC C");
}

/// A port that one card alone has is that card's.
#[test]
fn a_cable_is_of_the_machine_that_has_its_port() {
    let cable = "[[cable]]\npchid = \"101\"\nto = \"11.22\"\nkm = 0.1\n\n[[director]]";
    let site = site().plant("[[director]]", cable);
    let second = deck_over("PRODB", "1000", 0, &["40", "41"]);
    let names: Vec<_> =
        site.second_deck(second).configuration().channels.into_iter().map(|one| one.name).collect();
    assert_eq!(names, ["A.CSS0.40", "B.CSS0.40", "B.CSS0.41"]);
}

#[test]
fn names_that_are_not_there_or_twice_are_refused() {
    let card = site().plant("[[card]]\ncpc = \"B\"\n", "[[card]]\ncpc = \"X\"\n");
    card.refused(numbers::NO_CPC, "plant.toml:27:7", "the plant has no CPC X");
    let twice = site().plant("name = \"B\"", "name = \"A\"");
    assert!(twice.load().diagnostics[0].to_string().contains("CPC A is named twice"));
    let lpar = site().second_deck(deck("PRODA", "1000", 0));
    let lines: Vec<_> = lpar.load().diagnostics.iter().map(ToString::to_string).collect();
    assert!(lines.iter().any(|line| line.contains("HTK944E plant.toml:13:8")), "{lines:#?}");
    let stream = site().workload("PRODB", "PRODC");
    stream.refused(numbers::NO_LPAR, "workload.toml:", "runs in PRODC");
}

#[test]
fn interconnects_are_of_the_machine_of_their_cards() {
    let domain = "[[domain]]\ncpc = \"A\"\nname = \"D0\"\n\n[[director]]";
    let own =
        site().plant("[[director]]", domain).plant("cpc = \"A\"\ntype", "cpc = \"A\"\ndomain = \"D0\"\ntype");
    assert_eq!(own.configuration().shares[0].name, "domain D0");
    let other =
        site().plant("[[director]]", domain).plant("cpc = \"B\"\ntype", "cpc = \"B\"\ndomain = \"D0\"\ntype");
    other.refused(numbers::WHICH_CPC, "plant.toml:28:10", "D0 is in CPC A");
}

/// A plant of one machine has no use for the key.
#[test]
fn a_machine_that_is_alone_has_no_name() {
    let alone = crate::site::Site::new().plant("pchids = [\"118\"]", "pchids = [\"118\"]\ncpc = \"A\"");
    let (_, found) = read_plant(&SourceFile::new("plant.toml", alone.plant));
    let lines: Vec<_> = found.iter().map(ToString::to_string).collect();
    assert!(lines[0].contains("the plant has no CPC A") && lines[0].contains("drop `cpc`"), "{lines:#?}");
}
