//! Scripts: written, read back, refused.

use std::sync::Arc;

use halftrack_config::fault_script::read_script;
use halftrack_faults::{Hosts, Machine, Script};
use halftrack_input::SourceFile;

fn source(text: &str) -> Arc<SourceFile> {
    SourceFile::new("s.toml", text)
}

/// Returns all messages about a script for a machine of two paths without directors.
fn messages(text: &str) -> Vec<String> {
    let (file, mut found) = read_script(&source(text));
    let machine = Machine { km: vec![0; 2], cascades: vec![None; 2], ..Machine::of_hosts(1, Hosts::Ficon) };
    if let Some(file) = file {
        found.extend(Script::from_file(&file, &machine).err().unwrap_or_default());
    }
    found.iter().map(ToString::to_string).collect()
}

#[test]
fn a_script_reads_back_as_it_was_written() {
    for seed in 0..200 {
        let machine = Machine::of_seed(seed);
        let script = Script::of_seed(seed, &machine);
        let hosts = machine.hosts();
        let text = format!("seed = {seed}\nhosts = \"{}\"\n{script}", hosts.word());
        let (file, found) = read_script(&source(&text));
        assert!(found.is_empty(), "{found:?}\n{script}");
        let file = file.unwrap();
        assert_eq!(Machine::new(file.seed.unwrap(), file.hosts), machine);
        assert_eq!(Script::from_file(&file, &machine).unwrap(), script);
    }
}

/// A host over FCP changes nothing of a seed's paths over FICON, and has every kind of fault on its own.
#[test]
fn a_host_over_fcp_is_beside_the_machine_of_the_seed() {
    for seed in 0..50 {
        let [ficon, fcp, both] = Hosts::ALL.map(|hosts| Machine::of_hosts(seed, hosts));
        assert_eq!([&ficon, &fcp, &both].map(Machine::hosts), Hosts::ALL);
        assert_eq!((&ficon.km[..], &ficon.cascades[..]), (&fcp.km[..], &fcp.cascades[..]));
        let paths = both.ficon_paths();
        assert_eq!(
            (&both.km[paths.clone()], &both.cascades[paths.clone()]),
            (&ficon.km[..], &ficon.cascades[..])
        );
        assert!((1..=2).contains(&both.fcp_paths().len()) && paths.end == ficon.paths());
        assert_eq!(Script::of_seed(seed, &ficon), Script::of_seed(seed, &fcp));
    }
}

#[test]
fn a_part_that_is_not_there_is_refused_with_its_place() {
    let event = |key: &str| {
        let kind = if key.starts_with("isl") { "isl-lost" } else { "light-lost" };
        format!("duration_s = 4\n[[event]]\nat_s = 1\nlasts_s = 0.5\nkind = \"{kind}\"\n{key}\n")
    };
    assert_eq!(
        messages(&event("chpid = \"42\"")),
        ["HTK925E s.toml:6:9 the machine has no chpid 42\n  fix: did you mean `40`?"]
    );
    assert_eq!(
        messages(&event("isl = \"61.E0\"")),
        ["HTK925E s.toml:6:7 the machine has no isl 61.E0\n  \
          fix: remove the event: a machine like this has no isl"]
    );
}

#[test]
fn times_past_the_end_and_a_part_lost_for_ever_are_refused() {
    let event = |at_s: f64, lasts_s: f64| {
        let times = format!("at_s = {at_s}\nlasts_s = {lasts_s}");
        format!("duration_s = 4\n[[event]]\n{times}\nkind = \"light-lost\"\nchpid = \"40\"\n")
    };
    assert_eq!(
        messages(&event(4.0, 0.5)),
        ["HTK996E s.toml:3:8 the event begins after the streams have ended, at 4 s\n  \
          fix: begin earlier, or raise `duration_s`"]
    );
    assert_eq!(
        messages(&event(3.0, 1.5)),
        ["HTK997E s.toml:4:11 the event lasts beyond the end of the streams, at 4 s\n  \
          fix: let the part come back before the end, or raise `duration_s`"]
    );
    assert!(messages(&event(3.0, 1.0)).is_empty());
}

#[test]
fn an_event_needs_the_keys_of_its_kind() {
    let event = |rest: &str| format!("duration_s = 4\n[[event]]\nat_s = 1\nlasts_s = 1\n{rest}\n");
    let first = |rest: &str| messages(&event(rest)).remove(0);
    assert_eq!(
        first("kind = \"director-lost\"\nchpid = \"40\""),
        "HTK896E s.toml:2:1 this kind of event needs one of `director`\n  fix: give it one of `director`"
    );
    assert_eq!(
        first("kind = \"frames-dropped\"\nchpid = \"40\""),
        "HTK896E s.toml:2:1 this kind of event needs `share`\n  fix: add `share`"
    );
    assert_eq!(
        first("kind = \"power-lost\"\nlate_us = 5"),
        "HTK896E s.toml:2:1 this kind of event has no `late_us`\n  fix: remove `late_us`"
    );
}

/// Times below a microsecond and shares below one in a million are kept: a script that is accepted is printed as one.
#[test]
fn the_finest_script_reads_back_as_it_was_written() {
    let event = "at_s = 1.0000001\nlasts_s = 1e-9\nkind = \"frames-dropped\"\nchpid = \"40\"\nshare = 1e-8";
    let text = format!("duration_s = 2.0000001\n[[event]]\n{event}\n");
    let machine = Machine::of_seed(1);
    let read = |text: &str| {
        let (file, found) = read_script(&source(text));
        assert!(found.is_empty(), "{found:?}\n{text}");
        Script::from_file(&file.unwrap(), &machine).unwrap()
    };
    let script = read(&text);
    assert_eq!(read(&script.to_string()), script);
}
