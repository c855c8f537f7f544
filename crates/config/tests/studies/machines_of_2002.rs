//! Machines without PCHIDs and machines in BASIC mode, and how many cards and channels they have room for.

use halftrack_config::{ChannelIdentity, Loaded, read_plant};
use halftrack_input::SourceFile;
use halftrack_input::messages::study as numbers;

use crate::site::Site;

const DECK: &str = "         ID MSG1='ERA2002',SYSTEM=(2064,1)
         RESOURCE PART=((PROD,1),(TEST,2))
         CHPID PATH=(40),SHARED,SWITCH=11,TYPE=FC
         CHPID PATH=(41),SHARED,SWITCH=11,TYPE=FC
         CHPID PATH=(80),PART=(PROD),TYPE=BL
         CNTLUNIT CUNUMBR=1000,PATH=(40,41),LINK=(C4,C5),CUADD=0,      *
               UNITADD=((00,016)),UNIT=2105
         IODEVICE ADDRESS=(1000,016),CUNUMBR=(1000),UNIT=3390
";

const PLANT: &str = r#"
[cpc]
model = "z900"

[[lpar]]
name = "PROD"
cps = 4

[[card]]
type = "ficon-express"
chpids = ["40", "41"]

[[cable]]
chpid = "40"
to = "11.40"
km = 0.1

[[cable]]
chpid = "41"
to = "11.41"
km = 0.1

[[director]]
id = "11"
type = "director-1g"

[[control_unit]]
name = "BOXA"
type = "ess-f20"

[[control_unit.port]]
id = "0030"
to = "11.C4"
km = 0.1

[[control_unit.port]]
id = "0130"
to = "11.C5"
km = 0.1
"#;

const WORKLOAD: &str = r#"
[run]
intervals = 1

[[stream]]
name = "READS"
lpar = "PROD"
devices = ["1000-100F"]
program = { block = "4K" }
closed = { jobs = 2 }
"#;

/// Returns a z900 with a card of two channels.
fn z900() -> Site {
    Site { deck: DECK.into(), plant: PLANT.into(), workload: WORKLOAD.into() }
}

/// Returns the machine as a G6 in BASIC mode.
fn basic() -> Site {
    let mut site = z900();
    let kept = |line: &&str| !line.contains("RESOURCE") && !line.contains("TYPE=BL");
    site.deck = site.deck.lines().filter(kept).map(|line| line.replace(",SHARED", "") + "\n").collect();
    site.deck = site.deck.replace("(2064,1)", "(9672,1)");
    site.plant = site.plant.replace("model = \"z900\"", "model = \"9672-g6\"\nsystem = \"SYS1\"");
    let cards = "chpids = [\"40\"]\n\n[[card]]\ntype = \"ficon-express\"\nchpids = [\"41\"]";
    site.plant = site.plant.replace("chpids = [\"40\", \"41\"]", cards);
    site.plant = site.plant.replace("ficon-express", "ficon-g5g6").replace("\"PROD\"", "\"SYS1\"");
    site.workload = site.workload.replace("\"PROD\"", "\"SYS1\"");
    site
}

/// Asserts that the only message is `number` with these words and a fix.
#[track_caller]
fn only(loaded: &Loaded, number: u16, words: &str) {
    let lines: Vec<_> = loaded.diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(lines.len(), 1, "{lines:#?}");
    let one = &loaded.diagnostics[0];
    assert!(one.number == number && one.message.contains(words) && one.fix.is_some(), "{lines:#?}");
}

#[test]
fn a_channel_without_pchid_is_known_by_its_chpid() {
    let site = z900().configuration();
    let identities: Vec<_> = site.channels.iter().map(|channel| channel.identity).collect();
    assert_eq!(identities, [ChannelIdentity::Chpid(0x40), ChannelIdentity::Chpid(0x41)]);
    let names: Vec<_> = site.links.iter().map(|link| link.name.as_str()).collect();
    assert!(names.contains(&"chpid 40 > 11.40") && names.contains(&"11.41 > chpid 41"), "{names:?}");
    assert!(!site.cpcs[0].basic);
}

#[test]
fn cards_and_cables_name_each_chpid_once() {
    let missing = z900().plant("[\"40\", \"41\"]", "[\"40\", \"42\"]").assemble();
    let numbers: Vec<_> = missing.diagnostics.iter().map(|one| one.number).collect();
    assert_eq!(numbers, [numbers::LEADS_NOWHERE]);
    let site = z900().plant("[[cable]]\nchpid = \"41\"\nto = \"11.41\"\nkm = 0.1\n", "");
    only(&site.assemble(), numbers::NO_CABLE, "CHPID 41 is not cabled");
    let says = |site: Site, words: &str| {
        let found = read_plant(&SourceFile::new("plant.toml", site.plant)).1;
        assert!(found.len() == 1 && found[0].message.contains(words), "{found:?}");
    };
    let both = z900().plant("chpid = \"40\"", "chpid = \"40\"\npchid = \"100\"");
    says(both, "the cable has both `chpid` and `pchid`");
    let both = z900().plant("chpids = [\"40\", \"41\"]", "chpids = [\"40\"]\npchids = [\"100\"]");
    says(both, "the card has both `chpids` and `pchids`");
    says(z900().plant("[\"40\", \"41\"]", "[\"41\", \"41\"]"), "CHPID 41");
}

#[test]
fn an_undivided_machine_runs_the_one_system_that_the_plant_names() {
    let site = basic().configuration();
    assert!(site.cpcs[0].basic);
    let lpars: Vec<_> = site.lpars.iter().map(|lpar| (lpar.name.as_str(), lpar.css, lpar.mif)).collect();
    assert_eq!(lpars, [("SYS1", 0, 0)]);
    only(&basic().plant("system = \"SYS1\"\n", "").assemble(), numbers::BASIC_MODE, "does not name");
    let divided = z900().plant("model = \"z900\"", "model = \"z900\"\nsystem = \"SYS1\"");
    only(&divided.assemble(), numbers::BASIC_MODE, "the deck has partitions");
    let other = basic().plant("name = \"SYS1\"", "name = \"SYS2\"").assemble();
    assert_eq!(other.diagnostics[0].number, numbers::NO_PARTITION);
    assert!(other.diagnostics[0].message.contains("runs SYS1 alone, not SYS2"));
}

/// The paper gives FICON 20 km without repeaters and 100 km with them.
#[test]
fn ficon_of_2002_goes_20_km_without_repeaters() {
    let first = "chpid = \"40\"\nto = \"11.40\"\nkm = 0.1";
    for kind in ["ficon-express", "ficon-z900"] {
        let cable = |length: &str| {
            let site = z900().plant("type = \"ficon-express\"", &format!("type = \"{kind}\""));
            site.plant(first, &first.replace("km = 0.1", length)).assemble()
        };
        assert_eq!(cable("km = 20").diagnostics, [], "{kind}");
        assert_eq!(cable("km = 99\nrepeaters = 4").diagnostics, [], "{kind}");
        let words = format!(
            "CHPID 40 is 20.1 km from its control unit over a fibre without repeaters: {kind} is not supported beyond 20 km"
        );
        only(&cable("km = 20.1"), numbers::BEYOND_REACH, &words);
        assert!(cable("km = 20.1").configuration.is_some(), "it is a warning");
    }
    let far = basic().plant(first, &first.replace("km = 0.1", "km = 21")).assemble();
    only(&far, numbers::BEYOND_REACH, "ficon-g5g6 is not supported beyond 20 km");
}

/// Returns `site` with further `cards` of one channel each in the plant.
fn with_cards(mut site: Site, cards: usize) -> Site {
    let kind = if site.plant.contains("ficon-g5g6") { "ficon-g5g6" } else { "ficon-express" };
    for card in 0..cards {
        site.plant += &format!("[[card]]\ntype = \"{kind}\"\nchpids = [\"{:02X}\"]\n", 0x90 + card);
    }
    site
}

#[test]
fn a_z900_has_no_card_of_a_z16() {
    let site = z900().plant("ficon-express", "fex32s").plant("director-1g", "director-16g");
    let site = site.plant("ess-f20", "ds8950");
    only(&site.assemble(), numbers::NOT_ON_MACHINE, "a 2064 has no fex32s: it came with the 3931");
}

#[test]
fn a_g6_has_66_slots() {
    assert_eq!(with_cards(basic(), 64).assemble().diagnostics, []);
    only(&with_cards(basic(), 65).assemble(), numbers::TOO_MANY_CARDS, "has 66 slots, but the plant has 67");
    assert_eq!(with_cards(z900(), 66).assemble().diagnostics, []);
}

/// Returns the messages about a machine with this mix of channels, and its CHPIDs of each type. The FICON channels are
/// on cards of `cards[0]` channels, the ESCON ones on cards of `cards[1]`.
fn mixed(mut site: Site, cards: [(&str, usize); 2], ficon: usize, escon: usize) -> (Vec<u16>, [usize; 2]) {
    let shared = if site.deck.contains("RESOURCE") { ",SHARED" } else { "" };
    let statement = |chpid: usize, kind: &str, switch: &str| {
        format!("         CHPID PATH=({chpid:02X}){shared},SWITCH={switch},TYPE={kind}\n")
    };
    let cable = |chpid: usize, switch: &str, port: usize| {
        format!("[[cable]]\nchpid = \"{chpid:02X}\"\nto = \"{switch}.{port:02X}\"\nkm = 0.1\n")
    };
    let mut statements = String::new();
    site.plant += "[[director]]\nid = \"12\"\ntype = \"9032-5\"\n";
    let mut next = (0..0x100).filter(|chpid| ![0x40, 0x41].contains(chpid));
    let mut chpids = [vec![0x40, 0x41], Vec::new()];
    for at in 2..ficon {
        let chpid = next.next().expect("256 CHPIDs");
        statements += &statement(chpid, "FC", "11");
        site.plant += &cable(chpid, "11", 0x42 + at);
        chpids[0].push(chpid);
    }
    for at in 0..escon {
        let chpid = next.next().expect("256 CHPIDs");
        statements += &statement(chpid, "CNC", "12");
        site.plant += &cable(chpid, "12", 0x04 + at);
        chpids[1].push(chpid);
    }
    let first = site.plant.find("[[card]]").expect("a card");
    let cables = site.plant.find("[[cable]]").expect("a cable");
    site.plant.replace_range(first..cables, "");
    for ((kind, ports), chpids) in cards.iter().zip(&chpids) {
        for card in chpids.chunks(*ports) {
            let named: Vec<_> = card.iter().map(|chpid| format!("\"{chpid:02X}\"")).collect();
            site.plant += &format!("[[card]]\ntype = \"{kind}\"\nchpids = [{}]\n", named.join(", "));
        }
    }
    site.deck = site.deck.replacen("         CNTLUNIT", &format!("{statements}         CNTLUNIT"), 1);
    let loaded = site.assemble_quietly();
    let found = loaded.diagnostics.iter().map(|one| one.number).collect();
    let count = |name: &str| site.deck.matches(&format!("TYPE={name}\n")).count();
    (found, [count("FC"), count("CNC")])
}

/// Returns the peak that the paper counts for a machine: 200 MB/s for each of FICON, both directions,
/// and 20 for each of ESCON.
fn peak_mb_per_s([ficon, escon]: [usize; 2]) -> usize {
    200 * ficon + 20 * escon
}

#[test]
fn a_ficon_card_of_a_g5_or_g6_takes_the_slot_of_four_escon_channels() {
    let cards = [("ficon-g5g6", 1), ("escon-g5g6", 4)];
    for (model, ficon, escon, peak) in [("9672-g6", 36, 120, 9_600), ("9672-g5", 24, 168, 8_160)] {
        let machine = || basic().plant("9672-g6", model);
        let with = |ficon, escon| mixed(machine(), cards, ficon, escon);
        let (found, mix) = with(ficon, escon);
        assert_eq!((found, peak_mb_per_s(mix)), (Vec::new(), peak), "{model}");
        assert_eq!(with(ficon, escon + 1).0, [numbers::TOO_MANY_CARDS], "{model}");
        // One FICON card less makes room for four ESCON channels.
        assert_eq!(with(ficon - 1, escon + 4).0, [0_u16; 0], "{model}");
        assert_eq!(with(ficon - 1, escon + 5).0, [numbers::TOO_MANY_CARDS], "{model}");
    }
}

#[test]
fn a_z900_holds_96_ficon_and_160_escon_channels() {
    let site = || {
        let mut site = z900();
        site.deck = site
            .deck
            .lines()
            .filter(|line| !line.contains("TYPE=BL"))
            .map(|line| format!("{line}\n"))
            .collect();
        site
    };
    let with = |ficon, escon| mixed(site(), [("ficon-express", 2), ("escon", 15)], ficon, escon);
    let (found, mix) = with(96, 160);
    assert_eq!((found, mix, peak_mb_per_s(mix)), (Vec::new(), [96, 160], 22_400));
    assert_eq!(with(97, 159).0, [numbers::TOO_MANY_FICON]);
    // All 256 CHPIDs are in use: one ESCON channel goes for each FICON channel that comes.
    assert_eq!(with(95, 161), (Vec::new(), [95, 161]));
}

#[test]
fn a_g5_takes_24_ficon_channels_and_a_g6_36() {
    let with_channels = |mut site: Site, more: usize| {
        for channel in 0..more {
            let (chpid, port) = (0x90 + channel, 0x42 + channel);
            site.deck = site.deck.replacen(
                "         CNTLUNIT",
                &format!("         CHPID PATH=({chpid:02X}),SWITCH=11,TYPE=FC\n         CNTLUNIT"),
                1,
            );
            site.plant += &format!("[[cable]]\nchpid = \"{chpid:02X}\"\nto = \"11.{port:02X}\"\nkm = 0.1\n");
        }
        with_cards(site, more).assemble()
    };
    let g5 = || basic().plant("9672-g6", "9672-g5");
    assert_eq!(with_channels(g5(), 22).diagnostics, []);
    only(&with_channels(g5(), 23), numbers::TOO_MANY_FICON, "takes 24 FICON channels, but the deck has 25");
    assert_eq!(with_channels(basic(), 34).diagnostics, []);
    only(
        &with_channels(basic(), 35),
        numbers::TOO_MANY_FICON,
        "takes 36 FICON channels, but the deck has 37",
    );
    let fcv_too =
        with_channels(basic().deck("PATH=(40),SWITCH=11,TYPE=FC", "PATH=(40),SWITCH=12,TYPE=FCV"), 35);
    assert!(fcv_too.diagnostics.iter().any(|one| one.number == numbers::TOO_MANY_FICON));
}
