//! The JSON form: read back by a parser made from its description alone, made into cards again, and nothing is lost.
#![cfg(feature = "json")]

use std::collections::BTreeMap;

use crate::support::cards;
use halftrack_deck::formats::json;
use halftrack_deck::model::filter::{Filter, NumberRange};
use halftrack_deck::{CsvTable, DeckFile, ReadOptions, Selection, csv, read_with};
use serde_json::Value;

const DECKS: [(&str, &str); 4] = [
    ("a", include_str!("../decks/example_a.iocp")),
    ("b", include_str!("../decks/example_b.iocp")),
    ("c", include_str!("../decks/example_c.iocp")),
    ("z9", include_str!("../decks/hcd_z9.iocp")),
];

/// Returns the JSON of `text`, filtered.
fn filtered(text: &str, filter: Filter) -> Value {
    let file = DeckFile::from_bytes("deck.iocp", text.as_bytes().to_vec()).expect("text");
    let reading = read_with(std::sync::Arc::clone(&file.source), &ReadOptions::default());
    let deck = reading.understood().expect("a deck");
    serde_json::from_str(&json::json(&file, &reading, &Selection::of(deck, filter))).expect("JSON")
}

fn whole(text: &str) -> Value {
    filtered(text, Filter::default())
}

fn words<'v>(object: &'v Value, member: &str) -> Option<&'v str> {
    object.get(member).unwrap_or_else(|| panic!("no {member} in {object}")).as_str()
}

fn word<'v>(object: &'v Value, member: &str) -> &'v str {
    words(object, member).unwrap_or_else(|| panic!("{member} of {object}"))
}

fn number(object: &Value, member: &str) -> u64 {
    object[member].as_u64().unwrap_or_else(|| panic!("{member} of {object}"))
}

fn list<'v>(object: &'v Value, member: &str) -> &'v [Value] {
    object[member].as_array().unwrap_or_else(|| panic!("{member} of {object}"))
}

/// Writes `,KEYWORD=value` for each of `members` that is coded.
fn coded(object: &Value, members: &[(&str, &str)]) -> String {
    let one = |(member, keyword): &(&str, &str)| match &object[*member] {
        Value::Null => String::new(),
        Value::String(text) => format!(",{keyword}={text}"),
        other => format!(",{keyword}={other}"),
    };
    members.iter().map(one).collect()
}

/// Writes `((CSS(0),(40,41)),(CSS(1),(40)))` from pairs, CSSs in the order in which they come first.
fn by_css(pairs: &[(u64, String)], open: &str, close: &str) -> String {
    let mut css: Vec<u64> = pairs.iter().map(|(css, _)| *css).collect();
    css.dedup();
    let one = |css: &u64| {
        let of: Vec<&str> =
            pairs.iter().filter(|(of, _)| of == css).map(|(_, value)| value.as_str()).collect();
        format!("(CSS({css}),{open}{}{close})", of.join(","))
    };
    format!("({})", css.iter().map(one).collect::<Vec<_>>().join(","))
}

fn pairs(object: &Value, member: &str, value: impl Fn(&Value) -> String) -> Vec<(u64, String)> {
    list(object, member).iter().map(|one| (number(one, "css"), value(one))).collect()
}

fn pnetids(object: &Value) -> String {
    let names: Vec<&str> =
        list(object, "pnetids").iter().map(|name| name.as_str().unwrap_or_default()).collect();
    if names.is_empty() { String::new() } else { format!(",PNETID=({})", names.join(",")) }
}

fn id(deck: &Value) -> String {
    let id = &deck["id"];
    let quoted = |member| words(id, member).map(|text| text.replace('\'', "''"));
    let strings = [("msg1", "MSG1"), ("msg2", "MSG2")];
    let mut operands: Vec<String> = strings
        .iter()
        .filter_map(|(member, keyword)| Some(format!("{keyword}='{}'", quoted(member)?)))
        .collect();
    if let Some(machine) = id["system"].as_u64() {
        let level = id["level"].as_u64().map(|level| format!(",{level}")).unwrap_or_default();
        operands.push(format!("SYSTEM=({machine}{level})"));
    }
    operands.extend(words(id, "lsystem").map(|name| format!("LSYSTEM={name}")));
    operands.extend(words(id, "token").map(|token| format!("TOK={token}")));
    format!("ID {}", operands.join(","))
}

fn resource(deck: &Value) -> String {
    let name = |one: &Value| format!("({},{})", words(one, "name").unwrap_or("*"), word(one, "mif"));
    let slots = list(deck, "device_slots").iter().map(|one| {
        let sets: Vec<String> = list(one, "sets").iter().map(Value::to_string).collect();
        format!("(CSS({}),{})", number(one, "css"), sets.join(","))
    });
    let slots: Vec<String> = slots.collect();
    let maxdev = if slots.is_empty() { String::new() } else { format!(",MAXDEV=({})", slots.join(",")) };
    format!("RESOURCE PART={}{maxdev}", by_css(&pairs(deck, "partitions", name), "", ""))
}

fn channel(one: &Value) -> String {
    let css: Vec<String> = list(one, "css").iter().map(Value::to_string).collect();
    let mut text =
        format!("CHPID PATH=(CSS({}),{}),TYPE={}", css.join(","), word(one, "chpid"), word(one, "type"));
    let (shared, rec) = (word(one, "access_class") == "SHARED", word(one, "access_class") == "REC");
    if shared {
        text += ",SHARED";
    }
    let mut lists = Vec::new();
    for css in list(one, "css") {
        let here = |member: &str| {
            let all = list(one, member).iter().filter(|holder| holder["css"] == *css);
            all.map(|holder| word(holder, "name")).collect::<Vec<_>>().join(",")
        };
        let (access, candidates) = (here("access"), here("candidates"));
        if access.is_empty() && candidates.is_empty() {
            continue;
        }
        let more = if candidates.is_empty() { "=".to_owned() } else { candidates };
        lists.push(match (shared, rec) {
            (true, _) => format!("(CSS({css}),({access}),({more}))"),
            (false, true) => format!("(CSS({css}),({access}),({more}),REC)"),
            (false, false) => format!("(CSS({css}),({access}))"),
        });
    }
    if !lists.is_empty() {
        text += &format!(",PART=({})", lists.join(","));
    }
    if let Some(end) = one["cpath"].as_object() {
        text += &format!(",CPATH=(CSS({}),{})", end["css"], end["chpid"].as_str().expect("a CHPID"));
    }
    if one["mixtype"] == true {
        text += ",MIXTYPE";
    }
    let plain = [
        ("pchid", "PCHID"),
        ("vchid", "VCHID"),
        ("aid", "AID"),
        ("port", "PORT"),
        ("switch", "SWITCH"),
        ("chparm", "CHPARM"),
        ("os", "OS"),
        ("iocluster", "IOCLUSTER"),
        ("csystem", "CSYSTEM"),
    ];
    text + &coded(one, &plain) + &pnetids(one)
}

fn control_unit(one: &Value) -> String {
    let mut paths = pairs(one, "paths", |path| word(path, "chpid").to_owned());
    for managed in list(one, "managed_paths") {
        let css = number(managed, "css");
        paths.extend((0..number(managed, "count")).map(|_| (css, "*".to_owned())));
    }
    paths.sort_by_key(|(css, _)| *css);
    let links = pairs(one, "paths", |path| words(path, "link").unwrap_or("**").to_owned());
    let mut text = format!("CNTLUNIT CUNUMBR={},PATH={}", word(one, "number"), by_css(&paths, "", ""));
    if links.iter().any(|(_, link)| link != "**") {
        text += &format!(",LINK={}", by_css(&links, "", ""));
    }
    let ranges = list(one, "unit_addresses").iter();
    let ranges: Vec<String> =
        ranges.map(|range| format!("({},{})", word(range, "first"), number(range, "count"))).collect();
    // What all 256 are is left to the type of the channel.
    if !ranges.is_empty() && ranges != ["(00,256)"] || word(one, "unit") == "2107" {
        text += &format!(",UNITADD=({})", ranges.join(","));
    }
    if let Some(shared) = one["shared"].as_bool() {
        text += if shared { ",SHARED=Y" } else { ",SHARED=N" };
    }
    text + &coded(one, &[("cuadd", "CUADD"), ("protocol", "PROTOCL"), ("unit", "UNIT")])
}

fn device(one: &Value) -> String {
    let units: Vec<&str> =
        list(one, "control_units").iter().map(|unit| unit.as_str().expect("a number")).collect();
    let mut text = format!(
        "IODEVICE ADDRESS=({},{}),UNITADD={},CUNUMBR=({})",
        word(one, "number"),
        number(one, "count"),
        word(one, "unit_address"),
        units.join(",")
    );
    let sets = pairs(one, "sets", |set| number(set, "set").to_string());
    text += &if sets.is_empty() {
        format!(",SCHSET={}", number(one, "set"))
    } else {
        format!(",SCHSET={}", by_css(&sets, "", ""))
    };
    let yes = |member: &str| if one[member] == true { "Y" } else { "N" };
    text += &format!(",STADET={}", yes("stadet"));
    if one["timeout"] == true {
        text += ",TIMEOUT=Y";
    }
    let candidates = pairs(one, "candidates", |holder| word(holder, "name").to_owned());
    if !candidates.is_empty() {
        text += &format!(",PART={}", by_css(&candidates, "", ""));
    }
    let preferred = pairs(one, "preferred", |path| word(path, "chpid").to_owned());
    if !preferred.is_empty() {
        text += &format!(",PATH={}", by_css(&preferred, "", ""));
    }
    text + &coded(one, &[("model", "MODEL"), ("unit", "UNIT")])
}

fn function(one: &Value) -> String {
    let candidates: Vec<&str> = list(one, "candidates").iter().map(|holder| word(holder, "name")).collect();
    let candidates = if candidates.is_empty() { "=".to_owned() } else { candidates.join(",") };
    let access = one["access"].get("name").and_then(Value::as_str).unwrap_or_default();
    let mut text = format!("FUNCTION FID=({},{})", word(one, "fid"), number(one, "count"));
    let pf = if one["pf"] == true { ",PF" } else { "" };
    text += &format!("{pf},PART=(({access}),({candidates}))");
    let plain = [
        ("pchid", "PCHID"),
        ("vchid", "VCHID"),
        ("port", "PORT"),
        ("vf", "VF"),
        ("type", "TYPE"),
        ("fidparm", "FIDPARM"),
        ("uid", "UID"),
    ];
    text + &coded(one, &plain) + &pnetids(one)
}

/// Writes the deck that `json` describes, as cards.
fn written(json: &Value) -> String {
    let mut statements = vec![id(json), resource(json)];
    let holders = pairs(json, "uuid", |holder| word(holder, "name").to_owned());
    if !holders.is_empty() {
        statements.push(format!("UUID PART={}", by_css(&holders, "", "")));
    }
    statements.extend(list(json, "channel_paths").iter().map(channel));
    statements.extend(list(json, "control_units").iter().map(control_unit));
    statements.extend(list(json, "devices").iter().map(device));
    statements.extend(list(json, "functions").iter().map(function));
    statements.iter().map(|statement| cards(statement)).collect()
}

/// Takes away places, and members about the written form.
fn without_places(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.remove("at");
            members.values_mut().for_each(without_places);
        }
        Value::Array(values) => values.iter_mut().for_each(without_places),
        _ => {}
    }
}

#[test]
fn a_deck_is_made_again_from_its_json() {
    for (name, text) in DECKS {
        let before = whole(text);
        assert_eq!((&before["deck"], &before["valid"]), (&Value::from(1), &Value::Bool(true)), "{name}");
        let again = written(&before);
        let after = whole(&again);
        let (mut before, mut after) = (before, after);
        for value in [&mut before, &mut after] {
            without_places(value);
            value.as_object_mut().expect("an object").retain(|member, _| member != "source");
        }
        let members = before.as_object().expect("an object").keys();
        for member in members.filter(|member| *member != "messages") {
            assert_eq!(before[member], after[member], "{member} of {name}:\n{again}\n{}", after["messages"]);
        }
    }
}

#[test]
fn places_are_cards_and_columns_of_the_file() {
    let json = whole(DECKS[0].1);
    let lines: Vec<&str> = DECKS[0].1.lines().collect();
    for (kind, word) in [
        ("channel_paths", "CHPID"),
        ("control_units", "CNTLUNIT"),
        ("devices", "IODEVICE"),
        ("functions", "FUNCTION"),
    ] {
        for one in list(&json, kind) {
            let (card, column) = (number(&one["at"], "card") as usize, number(&one["at"], "column") as usize);
            assert!(lines[card - 1][column - 1..].starts_with(word), "{kind} {card}:{column}");
        }
    }
    let prod2 = &list(&json, "partitions")[1];
    let (card, column) = (number(&prod2["at"], "card") as usize, number(&prod2["at"], "column") as usize);
    assert!(lines[card - 1][column - 1..].trim_start_matches('(').starts_with("PROD2"), "{prod2}");
}

#[test]
fn a_wrong_deck_has_json_with_its_messages() {
    let json = whole(&DECKS[0].1.replace("TYPE=OSD", "TYPE=OSQ"));
    assert_eq!(json["valid"], false);
    let first = &list(&json, "messages")[0];
    assert_eq!((word(first, "code"), word(first, "ibm")), ("HTK140E", "ICP140I"), "{first}");
    assert_eq!((&first["line"], &first["length"]), (&Value::from(21), &Value::from(3)), "{first}");
    assert_eq!(list(&json, "control_units").len(), 9);
}

#[test]
fn a_filter_leaves_whole_chains() {
    let of = |filter: Filter| {
        let json = filtered(DECKS[0].1, filter);
        let count = |member| list(&json, member).len();
        [count("channel_paths"), count("control_units"), count("devices"), count("functions")]
    };
    let at = |first, last| vec![NumberRange { first, last }];
    assert_eq!(of(Filter::default()), [11, 9, 14, 5]);
    assert_eq!(of(Filter { chpid: at(0x40, 0x40), ..Filter::default() }), [1, 5, 9, 0]);
    assert_eq!(of(Filter { device: at(0x1005, 0x1005), ..Filter::default() }), [8, 1, 1, 0]);
    assert_eq!(of(Filter { control_unit: at(0x11, 0x11), ..Filter::default() }), [2, 1, 1, 0]);
    assert_eq!(of(Filter { unit: vec!["3390A".to_owned()], ..Filter::default() }), [8, 4, 4, 0]);
    assert_eq!(of(Filter { kind: vec!["FCP".to_owned()], ..Filter::default() }), [1, 1, 1, 0]);
    assert_eq!(of(Filter { fid: at(0x12, 0x12), ..Filter::default() }), [0, 0, 0, 1]);
    assert_eq!(of(Filter { pnetid: vec!["PRODNET".to_owned()], ..Filter::default() }), [1, 1, 2, 3]);
    assert_eq!(of(Filter { lpar: vec!["LNX1".to_owned()], ..Filter::default() }), [11, 9, 14, 0]);
    assert_eq!(of(Filter { lpar: vec!["PROD1".to_owned()], ..Filter::default() }), [10, 8, 13, 5]);
    assert_eq!(of(Filter { grep: vec!["stadet".to_owned()], ..Filter::default() }), [0, 0, 8, 0]);
}

#[test]
fn tables_have_a_row_for_each_and_as_many_cells_as_names() {
    let file = DeckFile::from_bytes("deck.iocp", DECKS[0].1.as_bytes().to_vec()).expect("text");
    let reading = halftrack_deck::read(std::sync::Arc::clone(&file.source));
    let selection = Selection::all(reading.deck.as_ref().expect("a deck"));
    let rows: BTreeMap<&str, usize> = [
        ("chpid", CsvTable::Chpid),
        ("cu", CsvTable::ControlUnit),
        ("device", CsvTable::Device),
        ("function", CsvTable::Function),
        ("path", CsvTable::Path),
    ]
    .into_iter()
    .map(|(name, table)| {
        let text = csv(&selection, table);
        let cells = |line: &str| line.split(',').count();
        let head = cells(text.lines().next().expect("a head"));
        assert!(text.lines().all(|line| cells(line) == head), "{text}");
        (name, text.lines().count() - 1)
    })
    .collect();
    // 11 channel paths, 10 of them in two channel subsystems; 4 boxes of 16 paths, two switches of 4, the rest of 5.
    let expected =
        [("chpid", 21), ("cu", 9), ("device", 1024 + 2 + 32 + 16 + 16), ("function", 7), ("path", 77)];
    assert_eq!(rows, BTreeMap::from(expected));
}

#[test]
fn a_part_of_a_deck_is_a_deck() {
    let reading = crate::support::reading(DECKS[0].1);
    let deck = reading.deck.as_ref().expect("a deck");
    let filter = Filter {
        lpar: vec!["LNX1".to_owned()],
        control_unit: vec![NumberRange { first: 0x1000, last: 0x1000 }],
        chpid: vec![NumberRange { first: 0x40, last: 0x43 }],
        ..Filter::default()
    };
    let part = Selection::of(deck, filter).part();
    let channels: Vec<(u8, &[u8])> =
        part.channel_paths.iter().map(|one| (one.chpid.value, one.css.as_slice())).collect();
    assert_eq!(channels, [(0x40, &[1][..]), (0x41, &[1]), (0x42, &[1]), (0x43, &[1])]);
    assert!(part.channel_paths.iter().all(|one| one.access == [(1, "LNX1".to_owned())]));
    assert_eq!((part.partitions.len(), part.control_units.len(), part.devices.len()), (1, 1, 2));
    assert_eq!(part.control_units[0].paths.len(), 4);
    assert_eq!(deck.channel_paths.len(), 11, "the deck is as it was");
}

#[test]
fn cards_of_hcd_stand_with_their_statements_and_in_a_list() {
    let text = DECKS[0].1.replacen("* FCP FOR LINUX", "*$HCDC$ DESC='<8 PORTS>'\n* FCP FOR LINUX", 1);
    let json = whole(&text);
    let annotated = |member: &str| {
        let with = list(&json, member).iter().filter(|one| !list(one, "annotations").is_empty());
        with.map(|one| one["annotations"].to_string()).collect::<Vec<_>>()
    };
    assert_eq!(annotated("channel_paths"), ["[\"DESC='<8 PORTS>'\"]"]);
    assert!(["control_units", "devices", "functions"].iter().all(|member| annotated(member).is_empty()));
    let [one] = list(&json, "annotations") else { panic!("one card") };
    assert_eq!((word(one, "text"), word(one, "statement")), ("DESC='<8 PORTS>'", "CHPID 53"));
    assert_eq!(one["at"]["card"], 17, "{one}");
}
