//! The arrows between the rooms of `machine`: a room uses only the rooms that the architecture gives it.

use crate::source::SourceText;

/// The rooms of docs/architecture.md, each with all that it may use.
const ROOMS: &[(&str, &[&str])] = &[
    ("wiring", &[]),
    ("events", &["wiring"]),
    ("laws", &["wiring", "events"]),
    ("data", &["wiring"]),
    ("capture", &["wiring", "events"]),
    ("fabric", &["wiring", "events", "laws"]),
    ("images", &["wiring", "events", "laws"]),
    ("saps", &["wiring", "events", "laws"]),
    ("channels", &["wiring", "events", "laws", "data", "capture", "fabric"]),
    ("ctc", &["wiring", "events", "laws"]),
    ("storage", &["wiring", "events", "laws", "data", "fabric"]),
    ("host", &["wiring", "events", "laws", "data", "capture", "fabric", "images", "saps", "channels", "ctc"]),
    ("run", &["wiring", "events", "laws", "data", "capture", "fabric", "images", "saps", "storage", "host"]),
];
/// Files of the express lane, which are modules of the rooms whose state they change.
const LANE: [(&str, &str); 2] = [("express/one_chunk.rs", "channels"), ("express/at_port.rs", "storage")];
/// Directory of the rooms.
const SOURCES: &str = "crates/machine/src/";

/// Returns the room of the file `name`; `None` for files above the rooms, and for tests, which may use every room.
fn room_of(name: &str) -> Option<&str> {
    let path = name.strip_prefix(SOURCES)?;
    if path.ends_with("tests.rs") {
        return None;
    }
    let of_lane = LANE.iter().find(|(file, _)| *file == path).map(|(_, room)| *room);
    of_lane.or_else(|| path.split_once('/').map(|(room, _)| room))
}

/// Returns the rooms that a line of code names; a group of them counts as no room.
fn named(line: &str) -> impl Iterator<Item = &str> {
    let is_word = |char: char| char.is_alphanumeric() || char == '_';
    line.split("crate::")
        .skip(1)
        .map(move |rest| rest.split(|char| !is_word(char)).next().unwrap_or_default())
}

/// Returns every use of a room in `source` that its own room may not have.
pub fn forbidden_uses(source: &SourceText) -> Vec<String> {
    let Some(room) = room_of(&source.name) else { return Vec::new() };
    let Some((_, allowed)) = ROOMS.iter().find(|(name, _)| *name == room) else {
        return if room == "express" { Vec::new() } else { vec![format!("{room} is no room of the design")] };
    };
    let mut found = Vec::new();
    for (at, line) in source.code().lines().enumerate() {
        let breaches = named(line).filter(|other| *other != room && !allowed.contains(other));
        found
            .extend(breaches.map(|other| format!("{}:{} {room} may not use `{other}`", source.name, at + 1)));
    }
    found
}

#[test]
fn a_room_uses_no_room_that_uses_it() {
    let allowed = |room: &str| ROOMS.iter().find(|(name, _)| *name == room).map_or(&[][..], |(_, all)| all);
    for (at, (room, uses)) in ROOMS.iter().enumerate() {
        let above: Vec<&str> = ROOMS[..at].iter().map(|(name, _)| *name).collect();
        assert!(uses.iter().all(|other| above.contains(other)), "{room} uses a room below it in the list");
        assert!(uses.iter().all(|other| !allowed(other).contains(room)), "{room}");
    }
}

#[test]
fn an_arrow_the_other_way_is_found() {
    let uses_in = |name: &str, text: &str| {
        forbidden_uses(&SourceText { name: format!("{SOURCES}{name}"), text: text.to_owned() }).len()
    };
    assert_eq!(uses_in("fabric/link.rs", "use crate::wiring::Wiring;\nuse crate::fabric::bus::Bus;\n"), 0);
    assert_eq!(uses_in("fabric/link.rs", "use crate::run::process::Process;\n"), 1);
    assert_eq!(uses_in("wiring/mod.rs", "fn f(x: crate::events::Event, y: crate::laws::Law) {}\n"), 2);
    assert_eq!(uses_in("channels/bus.rs", "use crate::{wiring::Wiring, run::Run};\n"), 1);
    assert_eq!(uses_in("channels/bus.rs", "// As `crate::storage` has it.\n"), 0);
    assert_eq!(uses_in("express/at_port.rs", "use crate::channels::Channels;\n"), 1);
    assert_eq!(uses_in("wiring/demands/tests.rs", "use crate::run::simulation::Simulation;\n"), 0);
    assert_eq!(uses_in("parlour/mod.rs", ""), 1);
    assert_eq!(uses_in("lib.rs", "use crate::run;\n"), 0);
}
