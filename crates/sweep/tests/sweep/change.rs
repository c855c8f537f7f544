//! Keys of all three files of a study, changed one at a time.

use std::path::Path;
use std::sync::Arc;

use halftrack_catalog::Catalog;
use halftrack_config::{Configuration, EadmKind, Loaded, StudyFiles, configure};
use halftrack_deck::syntax::operand::Form;
use halftrack_deck::syntax::script::Script;
use halftrack_sweep::{Change, change};
use toml_edit::{DocumentMut, Item, TableLike, Value};

fn study(name: &str) -> StudyFiles {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies").join(name);
    StudyFiles::read(&directory).expect("a study of the repository")
}

fn catalog() -> Catalog {
    Catalog::load(&[]).0
}

fn of(key: &str, value: &str) -> Change {
    Change { key: key.parse().expect("a key"), value: value.to_owned() }
}

fn changed(key: &str, value: &str) -> StudyFiles {
    change(&study("z16-oltp"), &[of(key, value)]).unwrap_or_else(|error| panic!("{error}"))
}

fn refused(key: &str, value: &str) -> String {
    change(&study("z16-oltp"), &[of(key, value)]).expect_err("a bad change").to_string()
}

fn configuration(files: &StudyFiles) -> Configuration {
    let Loaded { configuration, diagnostics, .. } = configure(files, &catalog());
    configuration.unwrap_or_else(|| panic!("{diagnostics:#?}"))
}

/// Returns lines that only one of the two texts has: of the first with `-`, of the second with `+`.
fn difference(before: &str, after: &str) -> Vec<String> {
    let only = |text: &str, other: &str, sign: char| -> Vec<String> {
        let lines = text.lines().filter(|line| !other.lines().any(|one| one == *line));
        lines.map(|line| format!("{sign}{line}")).collect()
    };
    [only(before, after, '-'), only(after, before, '+')].concat()
}

fn lines_changed(key: &str, value: &str) -> Vec<String> {
    let (before, after) = (study("z16-oltp"), changed(key, value));
    let texts =
        |files: &StudyFiles| [&files.deck, &files.plant, &files.workload].map(|file| file.text.clone());
    texts(&before).iter().zip(&texts(&after)).flat_map(|(before, after)| difference(before, after)).collect()
}

#[test]
fn a_key_of_the_workload_is_found_by_the_name_of_its_stream() {
    assert_eq!(
        lines_changed("workload.stream.BATCH.closed.jobs", "16"),
        [
            "-closed = { jobs = 8, think_us = 200, think = \"exponential\" }",
            "+closed = { jobs = 16, think_us = 200, think = \"exponential\" }"
        ]
    );
    let files = changed("workload.stream.OLTP1.open", "{ rate_per_s = 9 }");
    assert!(files.workload.text.contains("open = { rate_per_s = 9 }"));
    assert_eq!(configuration(&files).streams.len(), 4);
}

#[test]
fn elements_of_the_plant_are_found_by_name_by_number_and_all_at_once() {
    assert_eq!(lines_changed("plant.cable.15d.km", "25").len(), 1, "others of 0.1 km stay");
    let files = changed("plant.cable.*.km", "25");
    assert_eq!(files.plant.text.matches("km = 25").count(), 8);
    assert_eq!(changed("plant.card.145.type", "fex16sa").plant, changed_to_same_name("plant.card.2.type"));
    let files = changed("plant.control_unit.BOXB.port.0201.km", "0.9");
    assert_eq!(files.plant.text.matches("km = 0.9").count(), 1);
    assert!(files.plant.text.trim_end().ends_with("km = 0.9"));
    let files = changed("plant.lpar.PROD2.hyperpav", "NO");
    assert!(files.plant.text.contains("hyperpav = \"NO\""));
}

/// Returns the plant with card 2 made a FEx16S, under the name of the change by PCHID.
fn changed_to_same_name(key: &str) -> Arc<halftrack_input::SourceFile> {
    let plant = changed(key, "fex16sa").plant;
    halftrack_input::SourceFile::new(plant.name.replace(".2.", ".145."), plant.text.clone())
}

#[test]
fn statements_of_the_deck_are_laid_out_again() {
    assert_eq!(
        lines_changed("deck.CHPID.0.40.PCHID", "1F0"),
        [
            "-         CHPID PATH=(CSS(0),40),SHARED,SWITCH=11,PCHID=100,TYPE=FC",
            "+         CHPID PATH=(CSS(0),40),SHARED,SWITCH=11,PCHID=1F0,TYPE=FC"
        ]
    );
    assert_eq!(
        lines_changed("deck.iodevice.0.1000.unit", "3390A"),
        [
            "-         IODEVICE ADDRESS=(1000,128),CUNUMBR=(1000),STADET=Y,UNIT=3390B",
            "+         IODEVICE ADDRESS=(1000,128),CUNUMBR=(1000),STADET=Y,UNIT=3390A"
        ]
    );
    assert_eq!(lines_changed("deck.ID.MSG2", "'IT''S, LARGER'").len(), 2);
    assert!(changed("deck.RESOURCE.MAXDEV", "none").deck.text.contains("(PROD2,2)))\n"));
    assert!(changed("deck.CHPID.41.SHARED", "none").deck.text.contains("PATH=(CSS(0),41),SWITCH=11"));
    assert_eq!(changed("deck.CHPID.*.CHPARM", "01").deck.text.matches("CHPARM=01\n").count(), 8);
}

#[test]
fn a_key_that_the_format_allows_but_the_file_leaves_out_is_added() {
    let files = changed("plant.card.100.link_gbps", "16");
    assert!(
        files.plant.text.contains("pchids = [\"100\", \"101\"]\nlink_gbps = 16\n"),
        "{}",
        files.plant.text
    );
    let short = StudyFiles { workload: halftrack_input::SourceFile::new("w", ""), ..study("z16-oltp") };
    let files = change(&short, &[of("workload.run.seed", "7")]).expect("a change");
    assert_eq!(files.workload.text, "[run]\nseed = 7\n");
}

#[test]
fn a_flow_of_eadm_work_is_found_by_its_name() {
    let mut files = study("z16-oltp");
    let flow = "\n[[eadm]]\nname = \"ZIP\"\nlpar = \"PROD1\"\nkind = \"compression\"\nrate_per_s = 50000\n";
    Arc::make_mut(&mut files.workload).text += flow;
    let changes = [of("workload.eadm.ZIP.rate_per_s", "80000"), of("workload.eadm.ZIP.kind", "scm")];
    let work = configuration(&change(&files, &changes).expect("changes")).eadm.remove(0);
    assert_eq!((work.interarrival.as_ps(), work.kind), (12_500_000, EadmKind::Scm));
}

#[test]
fn a_zhyperlink_is_found_by_its_number_and_all_are_by_a_star() {
    let metres = |key: &str| {
        let files =
            change(&study("z16-zhyperlink"), &[of(key, "90")]).unwrap_or_else(|error| panic!("{error}"));
        files.plant.text.matches("metres = 90\n").count()
    };
    assert_eq!(["0", "*"].map(|name| metres(&format!("plant.zhyperlink.{name}.metres"))), [1, 4]);
    let two =
        change(&study("z16-zhyperlink"), &[of("plant.zhyperlink.160.metres", "90")]).expect_err("two ports");
    assert!(two.to_string().contains("`plant.zhyperlink.160` names 2 things"), "{two}");
}

#[test]
fn none_takes_a_key_out() {
    let files = changed("workload.stream.BATCH.closed.think", "none");
    assert!(files.workload.text.contains("closed = { jobs = 8, think_us = 200}"), "{}", files.workload.text);
    let arrivals = [of("workload.stream.OLTP1.open", "none"), of("workload.stream.OLTP1.closed.jobs", "4")];
    configuration(&change(&study("z16-oltp"), &arrivals).expect("changes"));
    assert_eq!(configuration(&changed("workload.stream.LEGACY", "none")).streams.len(), 3);
    assert_eq!(changed("workload.run.cycle_ms", "none").workload.text, study("z16-oltp").workload.text);
    assert!(changed("workload.stream.LEGACY.devices.0", "none").workload.text.contains("[ \"2200-227F\"]"));
}

#[test]
fn keys_that_exclude_each_other_are_answered_by_the_reader_of_the_file() {
    let files = changed("workload.stream.OLTP1.closed.jobs", "4");
    let found = configure(&files, &catalog()).diagnostics;
    let said = found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    assert!(said.contains("HTK896E"), "{said}");
    assert!(said.contains("workload.toml [workload.stream.OLTP1.closed.jobs=4]:"), "{said}");
}

#[test]
fn a_number_where_a_string_stood_becomes_a_string() {
    assert!(changed("plant.cable.100.to", "11.30").plant.text.contains("to = \"11.30\""));
    assert!(
        changed("workload.stream.OLTP1.select", "uniform").workload.text.contains("select = \"uniform\"")
    );
    assert!(
        changed("workload.stream.LEGACY.select", "{ zipf = 0.9 }").workload.text.contains("{ zipf = 0.9 }")
    );
    assert!(changed("workload.stream.OLTP1.name", "\"12\"").workload.text.contains("name = \"12\""));
}

/// The type of the old value does not matter: a number stays one where the key takes numbers.
#[test]
fn a_number_is_a_number_where_the_key_takes_one_whatever_stood_there() {
    let auto = change(&study("z16-oltp"), &[of("workload.run.warmup_s", "auto")]).expect("a change");
    assert!(auto.workload.text.contains("warmup_s = \"auto\""), "{}", auto.workload.text);
    for number in ["0.3", "2", "1e-1"] {
        let changed = change(&auto, &[of("workload.run.warmup_s", number)]).expect("a change");
        assert!(changed.workload.text.contains(&format!("warmup_s = {number}")), "{}", changed.workload.text);
        configuration(&changed);
    }
    // Numbers and strings, each where the format has them, in place of the other and of nothing.
    let wide = |key: &str, value: &str| {
        let changed = change(&auto, &[of(key, value)]).unwrap_or_else(|error| panic!("{error}"));
        format!("{}{}", changed.plant.text, changed.workload.text)
    };
    assert!(wide("plant.cable.100.pchid", "101").contains("pchid = \"101\""));
    assert!(wide("plant.card.100.pchids", "[100, 101]").contains("pchids = [\"100\", \"101\"]"));
    assert!(
        wide("workload.stream.OLTP1.devices", "[\"1000-10FF\", 1100]").contains("[\"1000-10FF\", \"1100\"]")
    );
    assert!(wide("workload.stream.OLTP1.name", "12").contains("name = \"12\""));
    assert!(wide("workload.stream.OLTP1.name", "true").contains("name = \"true\""));
    assert!(wide("workload.run.start", "2026-01-01T00:00:00").contains("start = 2026-01-01T00:00:00"));
    assert!(
        wide("workload.run.start", "\"2026-01-01T00:00:00\"").contains("start = \"2026-01-01T00:00:00\"")
    );
}

#[test]
fn what_names_nothing_is_answered_with_what_there_is() {
    assert_eq!(
        refused("workload.stream.READ4K.hit_ratio", "1"),
        "HTK951E change:1:17 `workload.stream.READ4K` names nothing in the study\n  \
         fix: there is OLTP1, OLTP2, BATCH, LEGACY"
    );
    assert!(refused("workload.streams.OLTP1.hit_ratio", "1").ends_with("did you mean `stream`?"));
    assert!(refused("workload.colour.OLTP1.hit_ratio", "1").ends_with(
        "there is run, stream, event, eadm, compression, compression_software, conversation, islink"
    ));
    assert!(refused("plant.isl.0.km", "1").contains("`plant.isl` names nothing"));
    assert!(refused("plant.director.99.type", "x").ends_with("there is 11, 12"));
    assert!(refused("deck.CHPID.0.99.TYPE", "FC").contains("0.43, 0.50"));
    assert!(refused("deck.DEVICE.1000.UNIT", "3390").ends_with("did you mean `IODEVICE`?"));
    assert!(refused("deck.CHPID.TYPE", "FC").contains("`deck.CHPID` names 8 things"));
    assert!(refused("plant.card.fex32s.fec", "false").contains("choose by number (0, 1, 2, 3)"));
    assert!(
        refused("workload.stream.OLTP1.hit_ratio.x", "1")
            .contains("`workload.stream.OLTP1.hit_ratio` is 0.9")
    );
}

#[test]
fn values_that_cannot_stand_there_are_refused() {
    assert!(refused("deck.CHPID.40.TYPE", "FC X").contains("HTK953E change:1:20 `FC X` is no operand"));
    assert!(refused("deck.CHPID.40.TYPE", "FC,SHARED").contains("is no operand"));
    assert!(refused("deck.CNTLUNIT.1000.PATH", "((CSS(0),40)").contains("is no operand"));
    assert!(refused("deck.ID.MSG1", "'OPEN").contains("is no operand"));
    assert!(refused("workload.stream.OLTP1", "4").contains("a table belongs here, not `4`"));
}

/// Checks that every key that leads to a value of `table`, and the value.
fn leaves(table: &dyn TableLike, prefix: &str, found: &mut Vec<(String, String)>) {
    for (key, item) in table.iter() {
        let key = format!("{prefix}.{key}");
        match item {
            Item::ArrayOfTables(tables) => {
                for (index, table) in tables.iter().enumerate() {
                    leaves(table, &format!("{key}.{index}"), found);
                }
            }
            Item::Table(table) => leaves(table, &key, found),
            Item::Value(value) => {
                found.push((key.clone(), value.clone().decorated("", "").to_string()));
                if let Value::InlineTable(table) = value {
                    leaves(table, &key, found);
                }
            }
            Item::None => {}
        }
    }
}

#[test]
fn a_key_of_plant_or_workload_changed_to_its_own_value_changes_nothing() {
    let files = study("z16-oltp");
    for (word, file) in [("plant", &files.plant), ("workload", &files.workload)] {
        let document: DocumentMut = file.text.parse().expect("TOML");
        let mut keys = Vec::new();
        leaves(document.as_table(), word, &mut keys);
        assert!(keys.len() > 30, "{keys:?}");
        for (key, value) in keys {
            let same =
                change(&files, &[of(&key, &value)]).unwrap_or_else(|error| panic!("{key}={value}: {error}"));
            assert_eq!(same.plant.text, files.plant.text, "{key}={value}");
            assert_eq!(same.workload.text, files.workload.text, "{key}={value}");
        }
    }
}

#[test]
fn a_key_of_the_deck_changed_to_its_own_value_leaves_the_configuration_equal() {
    for name in ["z16-oltp", "fex32s-zhpf-4k"] {
        let files = study(name);
        let before = configuration(&files);
        let script = Script::parse(&files.deck);
        let mut keys = 0;
        for statement in &script.statements {
            let identity = match statement.subject().split_once(' ') {
                Some((kind, number)) if kind == "IODEVICE" => {
                    let set = statement.value("SCHSET").map_or("0".to_owned(), ToString::to_string);
                    format!("{kind}.{set}.{number}")
                }
                Some((kind, number)) => format!("{kind}.{number}"),
                None => statement.operation.value.clone(),
            };
            for item in &statement.items {
                let Some(keyword) = &item.keyword else { continue };
                assert_ne!(item.value.form, Form::Empty);
                let own = of(&format!("deck.{identity}.{}", keyword.value), &item.value.to_string());
                let same =
                    change(&files, std::slice::from_ref(&own)).unwrap_or_else(|error| panic!("{error}"));
                assert_eq!(configuration(&same), before, "{}", own.text());
                assert!(same.deck.text.lines().all(|line| line.chars().count() <= 72), "{}", same.deck.text);
                keys += 1;
            }
        }
        assert!(keys > 50, "{keys}");
    }
}

#[test]
fn line_ends_comment_cards_and_everything_around_a_statement_stay() {
    let card = |text: &str| format!("{text:<71}*");
    let before = [
        "* HEAD".to_owned(),
        card("CH40     CHPID PATH=(CSS(0),40),   the first one"),
        "* BETWEEN".to_owned(),
        "               TYPE=FC".to_owned(),
        "         CHPID PATH=(CSS(0),41),TYPE=FC".to_owned(),
    ];
    let deck = halftrack_input::SourceFile::new("deck.iocp", before.join("\r\n"));
    let files = StudyFiles { deck, ..study("z16-oltp") };
    let text =
        |key: &str, value: &str| change(&files, &[of(key, value)]).expect("a change").deck.text.clone();
    assert_eq!(
        text("deck.CHPID.40.PCHID", "100"),
        "* HEAD\r\n* BETWEEN\r\nCH40     CHPID PATH=(CSS(0),40),TYPE=FC,PCHID=100 the first one\r\n         \
         CHPID PATH=(CSS(0),41),TYPE=FC"
    );
    assert!(
        text("deck.CHPID.41.TYPE", "OSD").ends_with("TYPE=FC\r\n         CHPID PATH=(CSS(0),41),TYPE=OSD")
    );
}

#[test]
fn the_keys_of_the_documentation_are_keys() {
    let text = include_str!("../../../../docs/formats/sweep.md");
    let spans = text.split('`').skip(1).step_by(2);
    let keys = spans.filter(|span| {
        let (file, rest) = span.split_once('.').unwrap_or_default();
        ["deck", "plant", "workload"].contains(&file) && !rest.starts_with("toml")
    });
    let mut read = 0;
    for key in keys.map(|key| key.split('=').next().unwrap_or(key)) {
        key.parse::<halftrack_sweep::Key>().unwrap_or_else(|error| panic!("{error}"));
        read += 1;
    }
    assert!(read > 15, "{read}");
}

/// Machines have names, by which a card or cable that is the only one of its machine is found too.
#[test]
fn what_is_of_one_of_several_machines_is_found_by_its_name() {
    let files = study("published/two-systems");
    let set = [
        of("plant.cpc.G6.model", "9672-g5"),
        of("plant.cable.G6.km", "10"),
        of("plant.card.Z900.type", "ficon-z900"),
    ];
    let changed = change(&files, &set).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(changed.further_decks, files.further_decks);
    let site = configuration(&changed);
    let models: Vec<_> = site.cpcs.iter().map(|cpc| cpc.model.as_str()).collect();
    assert_eq!(models, ["G5", "z900"]);
    let cards: Vec<_> = site.channels.iter().map(|channel| channel.hardware.id.as_str()).collect();
    assert_eq!(cards, ["ficon-g5g6", "ficon-z900"]);
    let us = |name: &str| {
        let link = site.links.iter().find(|link| link.name == name).expect("a link");
        link.propagation.as_ps() / 1_000_000
    };
    assert_eq!((us("chpid G6.40 > 11.41"), us("chpid Z900.40 > 11.40")), (50, 0));
}
