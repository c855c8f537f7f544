//! Faults as events of a study: parts by their names, in the workload or in a script beside it.

use halftrack_base::Span;
use halftrack_catalog::Catalog;
use halftrack_config::fault_script::{FaultKind, Target, read_script};
use halftrack_config::{DisturbanceKind, Part, StudyFiles, SwitchPort, configure};
use halftrack_input::messages::{faults, study, toml_file};
use halftrack_input::{Diagnostic, SourceFile};

use crate::site::Site;

fn event(keys: &str) -> String {
    format!("[[event]]\nat_s = 0.3\nlasts_s = 0.2\n{keys}\n\n")
}

/// Returns the study with a script whose events have these keys.
fn with_script(script: &str) -> StudyFiles {
    let Site { deck, plant, workload } = Site::new();
    StudyFiles {
        name: "site".to_owned(),
        deck: SourceFile::new("deck.iocp", deck),
        further_decks: Default::default(),
        hardware: Default::default(),
        plant: SourceFile::new("plant.toml", plant),
        workload: SourceFile::new("workload.toml", workload),
        traces: Default::default(),
        samples: Default::default(),
        faults: Some(SourceFile::new("faults.toml", script)),
    }
}

/// Returns what the events of a script are in the study, those of its workload left out.
fn kinds(keys: &str) -> Vec<DisturbanceKind> {
    kinds_of(&event(keys))
}

/// Returns what an event that begins at 0.3 s is.
fn kinds_of(event: &str) -> Vec<DisturbanceKind> {
    let loaded = configure(&with_script(&format!("duration_s = 2\n{event}")), &Catalog::load(&[]).0);
    assert_eq!(loaded.diagnostics, [], "{event}");
    let all = loaded.configuration.expect("a configuration").disturbances;
    all.into_iter().filter(|one| one.at == Span::from_ms(300)).map(|one| one.kind).collect()
}

/// Returns the messages about a script in the study.
fn found(script: &str) -> Vec<Diagnostic> {
    configure(&with_script(script), &Catalog::load(&[]).0).diagnostics
}

fn refused(keys: &str, number: u16, message: &str) -> String {
    let found = found(&format!("duration_s = 2\n{}", event(keys)));
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!((found[0].number, found[0].message.as_str()), (number, message), "{keys}");
    assert_eq!(found[0].at.source.name, "faults.toml");
    found[0].fix.clone().expect("a fix")
}

#[test]
fn every_part_has_a_name() {
    use DisturbanceKind::{PartLost, PathLost, SlowDrain, Stalled};
    let light = |part: &str| kinds(&format!("kind = \"light-lost\"\n{part}"));
    assert_eq!(light("chpid = \"0.41\""), [PathLost { channel: 1 }]);
    assert_eq!(light("chpid = \"41\""), [PathLost { channel: 1 }]);
    assert_eq!(light("chpid = \"1.40\""), [PathLost { channel: 0 }]);
    assert_eq!(light("port = \"0130\"\nbox = \"BOXA\""), [PartLost { part: Part::Port(1) }]);
    let isl = |domain| Part::Isl(SwitchPort { domain, port: 0xE0 });
    assert_eq!(light("isl = \"12.E0\""), [PartLost { part: isl(0x12) }]);
    assert_eq!(kinds("kind = \"isl-lost\"\nisl = \"11.E0\""), [PartLost { part: isl(0x11) }]);
    let channel = kinds("kind = \"channel-lost\"\nlate_us = 10\nchpid = \"40\"");
    assert_eq!(channel, [PathLost { channel: 0 }]);
    let card = kinds("kind = \"card-lost\"\nlate_us = 10\ncard = \"101\"");
    assert_eq!(card, [PathLost { channel: 0 }, PathLost { channel: 1 }]);
    let adapter = kinds("kind = \"host-adapter-lost\"\nport = \"0030\"\nbox = \"BOXB\"");
    assert_eq!(adapter, [PartLost { part: Part::Port(2) }]);
    let director = kinds("kind = \"director-lost\"\ndirector = \"12\"");
    assert_eq!(director, [PartLost { part: Part::Director(0x12) }]);
    let unit = kinds("kind = \"control-unit-lost\"\nbox = \"BOXB\"");
    assert_eq!(unit, [PartLost { part: Part::ControlUnit(1) }]);
    assert_eq!(kinds("kind = \"power-lost\""), [PartLost { part: Part::Power }]);
    let killed = kinds("kind = \"process-killed\"\ndirector = \"11\"");
    assert_eq!(killed, [PartLost { part: Part::Director(0x11) }]);
    let stopped = kinds("kind = \"process-stopped\"\nbox = \"BOXA\"");
    assert_eq!(stopped, [Stalled { part: Part::ControlUnit(0) }]);
    assert_eq!(kinds("kind = \"stalled\"\nchpid = \"40\""), [Stalled { part: Part::Channel(0) }]);
    let slow = kinds("kind = \"slow-drain\"\nchpid = \"50\"\nlate_us = 7");
    assert_eq!(slow, [SlowDrain { part: Part::Channel(2), late: Span::from_us(7) }]);
    assert_eq!(kinds("kind = \"path-lost\"\nchpid = \"0.50\""), [PathLost { channel: 2 }]);
}

#[test]
fn events_of_workload_and_script_are_one_list() {
    let before = "[[event]]\nat_s = 0.4\n";
    let lost = event("kind = \"director-lost\"\ndirector = \"12\"");
    let of_workload = Site::new().workload(before, &format!("{lost}{before}")).configuration();
    let of_script = configure(&with_script(&format!("duration_s = 1\n{lost}")), &Catalog::load(&[]).0);
    assert_eq!(of_workload.disturbances, of_script.configuration.expect("a configuration").disturbances);
    assert_eq!(of_workload.disturbances.len(), 3);
}

#[test]
fn a_part_that_is_not_there_is_named_with_those_that_are() {
    let misses = study::EVENT_MISSES;
    let chpid = "the deck has no CHPID 99 in CSS 0";
    refused("kind = \"light-lost\"\nchpid = \"99\"", misses, chpid);
    let port = "the plant has no host-adapter port 0031";
    let fix = refused("kind = \"light-lost\"\nport = \"0031\"\nbox = \"BOXA\"", misses, port);
    assert_eq!(fix, "did you mean `0030`?");
    let which = "the event does not name its storage box";
    let fix = refused("kind = \"host-adapter-lost\"\nport = \"0030\"", misses, which);
    assert_eq!(fix, "give it `box`: one of BOXA, BOXB");
    refused("kind = \"control-unit-lost\"", misses, which);
    refused("kind = \"control-unit-lost\"\nbox = \"BOXC\"", misses, "the plant has no control unit BOXC");
    refused("kind = \"isl-lost\"\nisl = \"11.E1\"", misses, "the plant has no inter-switch link at 11.E1");
    refused("kind = \"director-lost\"\ndirector = \"13\"", misses, "the plant has no director 13");
    let card = "the plant has no card with port 200";
    refused("kind = \"card-lost\"\nlate_us = 1\ncard = \"200\"", misses, card);
}

#[test]
fn a_fault_that_the_twin_does_not_have_is_refused_with_those_that_it_has() {
    let reset = "kind = \"link-reset\"\nchpid = \"40\"";
    let fix = refused(reset, study::EVENT_MISSES, "`link-reset` is no fault of the twin");
    assert!(fix.starts_with("take one of frames-dropped, frames-corrupted, port-hung, light-lost,"), "{fix}");
}

#[test]
fn frames_that_are_lost_one_by_one_leave_the_link_up() {
    let dropped = |share_ppm| vec![DisturbanceKind::FramesDropped { part: Part::Channel(0), share_ppm }];
    let keys = "chpid = \"40\"";
    assert_eq!(kinds(&format!("kind = \"frames-dropped\"\n{keys}\nshare = 0.1")), dropped(100_000));
    assert_eq!(kinds(&format!("kind = \"frames-corrupted\"\n{keys}\nshare = 1.0")), dropped(1_000_000));
    assert_eq!(kinds(&format!("kind = \"port-hung\"\n{keys}")), dropped(1_000_000));
    assert_eq!(
        kinds_of(&event(&format!("kind = \"light-lost\"\n{keys}")).replace("0.2", "0.05")),
        dropped(1_000_000)
    );
}

/// The run of the site is 3.25 s long.
#[test]
fn an_event_of_a_script_is_over_before_the_run_is() {
    let script = |at_s: f64, lasts_s: f64| {
        let times = format!("at_s = {at_s}\nlasts_s = {lasts_s}");
        found(&format!("duration_s = 9\n[[event]]\n{times}\nkind = \"power-lost\"\n"))
    };
    let numbers = |found: Vec<Diagnostic>| found.iter().map(|one| one.number).collect::<Vec<_>>();
    assert!(script(3.0, 0.25).is_empty());
    let past = script(3.25, 0.5);
    assert_eq!(past[0].message, "the event begins after the run has ended, at 3.25 s");
    assert_eq!(numbers(past), [faults::PAST_END]);
    assert_eq!(numbers(script(3.0, 0.5)), [faults::LOST_FOR_EVER]);
    assert_eq!(numbers(script(9.5, 0.5)), [faults::PAST_END, faults::PAST_END]);
}

#[test]
fn a_link_has_the_same_events_but_those_of_a_study() {
    let link =
        |keys: &str| read_script(&SourceFile::new("s.toml", format!("duration_s = 2\n{}", event(keys))));
    let (script, found) = link("kind = \"path-lost\"\nchpid = \"0.40\"");
    assert_eq!(found, []);
    let events = script.expect("a script").events;
    assert_eq!(events[0].kind, FaultKind::LightLost);
    let part = events[0].part.as_ref().map(|(target, name)| (*target, name.value.as_str()));
    assert_eq!(part, Some((Target::Chpid, "40")));
    let refused = |keys: &str| link(keys).1.into_iter().map(|one| one.message).collect::<Vec<_>>();
    assert_eq!(
        refused("kind = \"config-chp\"\nchpid = \"0.40\"\nlpar = \"PROD1\""),
        ["`config-chp` happens in a study alone: no working link has it"]
    );
    assert_eq!(
        refused("kind = \"control-unit-lost\"\nbox = \"BOXA\""),
        ["`box` names a part of a study; a link has one channel and one control unit"]
    );
}

#[test]
fn an_event_has_the_keys_of_its_kind() {
    let choose = toml_file::CHOOSE_ONE;
    refused("kind = \"director-lost\"\nchpid = \"40\"", choose, "this kind of event needs one of `director`");
    refused("kind = \"power-lost\"\nbox = \"BOXA\"", choose, "this kind of event has no `box`");
    refused("kind = \"power-lost\"\nlpar = \"PROD1\"", choose, "this kind of event has no `lpar`");
    let late = "this kind of event needs `late_us`";
    refused("kind = \"channel-lost\"\nchpid = \"40\"", choose, late);
    let share = "this kind of event has no `share`";
    refused("kind = \"path-lost\"\nchpid = \"40\"\nshare = 0.5", choose, share);
    let port = "this kind of event needs `chpid` and no `control_unit` or `domain` or `port`";
    refused("kind = \"path-lost\"\nchpid = \"40\"\nport = \"0030\"", choose, port);
}
