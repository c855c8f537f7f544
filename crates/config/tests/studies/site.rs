//! A small site for tests: two partitions, three channels (one of them point-to-point), two directors with an
//! inter-switch link, two boxes.

use halftrack_catalog::Catalog;
use halftrack_config::{Configuration, Decks, Loaded, assemble, read_plant, read_workload};
use halftrack_deck::model::Deck;
use halftrack_input::{Diagnostic, SourceFile};

/// The three texts of a study.
#[derive(Debug, Clone)]
pub struct Site {
    pub deck: String,
    pub plant: String,
    pub workload: String,
}

const DECK: &str = "* A SITE FOR TESTS
         ID MSG1='TESTSITE OF OURS',SYSTEM=(3931,1)
         RESOURCE PARTITION=((CSS(0),(PROD1,1),(TEST1,2)),             *
               (CSS(1),(PROD2,1))),                                    *
               MAXDEV=((CSS(0),65280,65535),(CSS(1),65280,65535))
         CHPID PATH=(CSS(0,1),40),SHARED,SWITCH=11,PCHID=100,TYPE=FC
         CHPID PATH=(CSS(0),41),SHARED,SWITCH=12,PCHID=101,TYPE=FC
         CHPID PATH=(CSS(0),50),SHARED,PCHID=118,TYPE=FC
         CHPID PATH=(CSS(0),60),SHARED,PCHID=114,TYPE=OSD
         CNTLUNIT CUNUMBR=0011,PATH=((CSS(0),40)),UNITADD=((00,001)),  *
               LINK=((CSS(0),11FE)),UNIT=2032
         IODEVICE ADDRESS=0011,UNITADD=00,CUNUMBR=(0011),UNIT=2032
         CNTLUNIT CUNUMBR=1000,PATH=((CSS(0),40,41),(CSS(1),40)),      *
               UNITADD=((00,256)),CUADD=0,                             *
               LINK=((CSS(0),1204,1205),(CSS(1),1204)),UNIT=2107
         IODEVICE ADDRESS=(1000,016),CUNUMBR=(1000),UNIT=3390B
         IODEVICE ADDRESS=(1080,016),CUNUMBR=(1000),SCHSET=1,UNIT=3390A
         CNTLUNIT CUNUMBR=1100,PATH=((CSS(0),41)),UNITADD=((00,256)),  *
               LINK=((CSS(0),1205)),CUADD=1,UNIT=2107
         IODEVICE ADDRESS=(1100,008),CUNUMBR=(1100),UNIT=3390
         CNTLUNIT CUNUMBR=2000,PATH=((CSS(0),50)),UNITADD=((00,256)),  *
               UNIT=2107
         IODEVICE ADDRESS=(2000,004),CUNUMBR=(2000),UNIT=3390
         CNTLUNIT CUNUMBR=6000,PATH=((CSS(0),60)),UNIT=OSA
         IODEVICE ADDRESS=(6000,008),UNITADD=00,CUNUMBR=(6000),UNIT=OSA
";

const PLANT: &str = r#"
[cpc]
model = "z16-max39"

[[lpar]]
name = "PROD1"
cps = 4
zhpf = "YES"

[[lpar]]
name = "PROD2"
smfid = "PRD2"
cps = 2
zhpf = "YES"

[[lpar]]
name = "TEST1"
cps = 1

[[card]]
type = "fex32s"
pchids = ["100", "101"]

[[card]]
type = "fex32s"
pchids = ["118"]
link_gbps = 16

[[cable]]
pchid = "100"
to = "11.20"
km = 0.1

[[cable]]
pchid = "101"
to = "12.20"
km = 0.1

[[cable]]
pchid = "118"
to = "BOXB.0030"
km = 0.05

[[director]]
id = "11"
type = "director-32g"

[[director]]
id = "12"
type = "director-32g"

[[isl]]
from = "12.E0"
to = "11.E0"
km = 20

[[control_unit]]
name = "BOXA"
type = "ds8950"
volser = "BA####"
storage_group = "SGA"

[[control_unit.volumes]]
devices = "1100-1107"
model = "3390-54"
volser = "BX####"

[[control_unit.port]]
id = "0030"
to = "12.04"
km = 0.2

[[control_unit.port]]
id = "0130"
to = "12.05"
km = 0.2

[[control_unit]]
name = "BOXB"
type = "ds8950"
volser = "BB####"

[[control_unit.port]]
id = "0030"
"#;

const WORKLOAD: &str = r#"
[run]
warmup_s = 0.25
intervals = 3

[[stream]]
name = "OLTP"
lpar = "PROD1"
devices = ["1000-100F", "0.2000"]
select = { zipf = 0.9 }
program = { block = "4K" }
write_program = { record_bytes = 27998, records = 2, grouping = "track-data" }
read_share = 0.7
hit_ratio = 0.9
open = { rate_per_s = 5000 }

[[stream]]
name = "BATCH"
lpar = "TEST1"
devices = ["1100-1107"]
select = "sequential"
program = { block = "half-track", records = 2, grouping = "midaw", positioning = "define-extent" }
protocol = "command"
closed = { jobs = 3, think_us = 100, think = "exponential" }

[[event]]
at_s = 0.5
lasts_s = 0.01
kind = "path-lost"
chpid = "0.41"

[[event]]
at_s = 0.4
lasts_s = 0.001
kind = "control-unit-busy"
control_unit = "1100"
"#;

impl Site {
    /// Creates the site, without a mistake.
    pub fn new() -> Self {
        Self { deck: DECK.into(), plant: PLANT.into(), workload: WORKLOAD.into() }
    }

    /// Replaces `from` in the deck, which must be on one card, by `to`; column 72 stays where it is.
    pub fn deck(mut self, from: &str, to: &str) -> Self {
        let card = self.deck.lines().find(|card| card.contains(from)).unwrap_or_else(|| panic!("no {from}"));
        let marked = card.len() == 72 && card.ends_with('*');
        let operand = if marked { card[..71].trim_end() } else { card };
        let mut new = operand.replacen(from, to, 1);
        if let Some((first, second)) = new.split_once("*\n") {
            new = format!("{first:<71}*\n{second}");
        }
        if marked {
            let last = new.rfind('\n').map_or(0, |newline| newline + 1);
            new = format!("{}{:<71}*", &new[..last], &new[last..]);
        }
        self.deck = replaced(&self.deck, card, &new);
        self
    }

    /// Replaces `from` in the plant by `to`.
    pub fn plant(mut self, from: &str, to: &str) -> Self {
        self.plant = replaced(&self.plant, from, to);
        self
    }

    /// Replaces `from` in the workload by `to`.
    pub fn workload(mut self, from: &str, to: &str) -> Self {
        self.workload = replaced(&self.workload, from, to);
        self
    }

    /// Assembles the site; its files must be right, each by itself.
    pub fn assemble(&self) -> Loaded {
        let (read, loaded) = self.read();
        assert_eq!(read, Vec::<String>::new());
        loaded.expect("three files")
    }

    /// Assembles the site whatever the messages about its files; nothing when one cannot be used.
    pub fn assemble_quietly(&self) -> Loaded {
        let (read, loaded) = self.read();
        loaded.unwrap_or_else(|| {
            assert!(!read.is_empty());
            Loaded { configuration: None, site: None, diagnostics: vec![unusable(&read)] }
        })
    }

    /// Assembles the site with another catalog and with its deck changed by `change`.
    pub fn assemble_changed(&self, catalog: &Catalog, change: impl FnOnce(&mut Deck)) -> Loaded {
        let deck = halftrack_deck::read(SourceFile::new("deck.iocp", self.deck.as_str())).deck;
        let plant = read_plant(&SourceFile::new("plant.toml", self.plant.as_str())).0;
        let workload = read_workload(&SourceFile::new("workload.toml", self.workload.as_str())).0;
        let mut deck = deck.expect("deck");
        change(&mut deck);
        let decks = Decks::from([("deck.iocp".to_owned(), deck)]);
        assemble(&decks, &plant.expect("plant"), &workload.expect("workload"), catalog, "site")
    }

    /// Returns every message about the files one by one, and what they give together.
    fn read(&self) -> (Vec<String>, Option<Loaded>) {
        let (catalog, mut read) = Catalog::load(&[]);
        let deck = halftrack_deck::read(SourceFile::new("deck.iocp", self.deck.as_str()));
        read.extend(deck.diagnostics);
        let (plant, found) = read_plant(&SourceFile::new("plant.toml", self.plant.as_str()));
        read.extend(found);
        let (workload, found) = read_workload(&SourceFile::new("workload.toml", self.workload.as_str()));
        read.extend(found);
        let lines = read.iter().map(ToString::to_string).collect();
        let (Some(deck), Some(plant), Some(workload)) = (deck.deck, plant, workload) else {
            return (lines, None);
        };
        let decks = Decks::from([("deck.iocp".to_owned(), deck)]);
        (lines, Some(assemble(&decks, &plant, &workload, &catalog, "site")))
    }

    /// Returns the configuration of a site without mistakes.
    pub fn configuration(&self) -> Configuration {
        let loaded = self.assemble();
        assert_eq!(loaded.diagnostics, []);
        loaded.configuration.expect("a configuration when there is no message")
    }
}

fn replaced(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from} is not in the text");
    text.replacen(from, to, 1)
}

fn unusable(read: &[String]) -> Diagnostic {
    Diagnostic::error(0, &SourceFile::new("site", ""), 0..0, read.join("\n"))
}

/// Checks that the only message has this number and these words, and has a fix.
#[track_caller]
pub fn only(site: Site, number: u16, words: &str) {
    let loaded = site.assemble();
    let lines: Vec<_> = loaded.diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(lines.len(), 1, "{lines:#?}");
    let one = &loaded.diagnostics[0];
    assert!(one.number == number && one.message.contains(words) && one.fix.is_some(), "{lines:#?}");
}
