//! Guests that are relocated by `halftrack islink`: their passes, their ends, and systems that are killed meanwhile.

use std::fs;
use std::process::Child;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::islink::{Site, outcome, start};
use crate::support::{code, halftrack, stderr, stdout};

/// Pages of the guest's memory.
const PAGES: u64 = 4096;

/// Guest that writes so much on so few pages that no pass leaves nothing.
const RESTLESS: &str = "dirty_pages_per_s = 400000\nworking_set_pages = 600\nquiesce_ms = 0\n";

/// Returns a site with the memory of a guest.
fn site() -> Site {
    let site = Site::with_decks();
    fs::write(site.path("linux01.mem"), memory()).expect("a file");
    site
}

fn memory() -> Vec<u8> {
    (0..PAGES * 4096).map(|at| (at.wrapping_mul(0x9E37_79B9_7F4A) >> 29) as u8).collect()
}

/// Returns the streams of both systems, with these keys of `[[relocate]]`.
fn relocating(keys: &str) -> [String; 2] {
    ["relocate", "host"].map(|table| {
        let (memory, keys) = if table == "host" { ("moved.mem", "") } else { ("linux01.mem", keys) };
        format!("[[{table}]]\nguest = \"LINUX01\"\nstream = 3\nmemory = \"{memory}\"\n{keys}\n")
    })
}

/// Waits for the end of a system, which may be any. Returns its exit code and its JSON.
fn ending(child: Child) -> (i32, Value) {
    let output = child.wait_with_output().expect("an output");
    let found = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (code(&output), found)
}

/// Returns whether the guest is at the destination alone as it was at its stop, and nothing else is left.
fn is_moved(site: &Site) -> bool {
    let is_gone = |name: &str| !site.path(name).exists();
    let [source, destination] = ["linux01.mem", "moved.mem"].map(|name| fs::read(site.path(name)).ok());
    source.is_some() && source == destination && is_gone("linux01.mem.part") && is_gone("moved.mem.part")
}

fn relocation(found: &Value) -> &Value {
    &found["relocations"][0]
}

/// A guest that writes on few pages is moved in some passes: both systems have the same passes, and the memories are equal.
#[test]
fn a_guest_that_converges_is_moved_as_it_was_at_its_stop() {
    let site = site();
    let files = site.connected_with(relocating(
        "dirty_pages_per_s = 20000\nworking_set_pages = 1000\nquiesce_ms = 5000\nseed = 7",
    ));
    let outcomes = files.map(|file| start(&file, &[])).map(outcome);
    assert!(is_moved(&site), "{outcomes:?}");
    assert!(outcomes.iter().all(|one| one["channel_losses"] == 0), "an orderly end is no loss: {outcomes:?}");
    assert!(fs::read(site.path("moved.mem")).ok() != Some(memory()), "the guest wrote while it was moved");
    let [source, destination] = outcomes.each_ref().map(relocation);
    for (one, is_source) in [(source, true), (destination, false)] {
        assert_eq!((&one["outcome"], &one["is_source"]), (&"converged".into(), &is_source.into()), "{one}");
        assert_eq!((&one["attempts"], &one["memory_bytes"]), (&1.into(), &(PAGES * 4096).into()));
        let ms = |key: &str| one[key].as_f64().unwrap_or(-1.0);
        assert!(ms("quiesce_ms") >= 0.0 && ms("total_ms") > ms("quiesce_ms"), "{one}");
    }
    let bytes = |one: &Value| -> Vec<u64> {
        let passes = one["passes"].as_array().expect("passes");
        passes.iter().filter_map(|pass| pass["bytes"].as_u64()).collect()
    };
    assert_eq!(bytes(source), bytes(destination));
    assert_eq!(bytes(source)[0], PAGES * 4096);
    assert!(bytes(source).len() > 1 && bytes(source)[1] <= 1000 * 4096, "{source}");
}

/// A guest that does not converge stays: nothing is at the destination, its memory file is what it was, and both report it.
#[test]
fn a_guest_that_does_not_converge_stays() {
    let site = site();
    let files = site.connected_with(relocating(&format!("{RESTLESS}passes = 3")));
    let endings = files.each_ref().map(|file| start(file, &[])).map(ending);
    for (code, found) in &endings {
        let one = relocation(found);
        assert_eq!(
            (*code, &one["outcome"], &found["error"]),
            (1, &"cancelled".into(), &Value::Null),
            "{found}"
        );
        assert_eq!(one["passes"].as_array().map(Vec::len), Some(3));
        assert_eq!(one["quiesce_ms"], Value::Null);
    }
    assert!(fs::read(site.path("linux01.mem")).ok() == Some(memory()));
    assert!(!site.path("moved.mem").exists() && !site.path("moved.mem.part").exists());
    let other = std::thread::spawn({
        let file = files[1].clone();
        move || halftrack(&["islink", &file])
    });
    let output = halftrack(&["islink", &files[0]]);
    let words = "User LINUX01 was not relocated and stays at VMA: its passes did not converge";
    for output in [output, other.join().expect("a thread")] {
        assert_eq!(code(&output), 1);
        assert!(stdout(&output).contains(words), "{}", stdout(&output));
    }
}

/// The guest is moved nevertheless when that is wished, after its passes.
#[test]
fn a_guest_is_moved_at_once_when_that_is_wished() {
    let site = site();
    let files = site.connected_with(relocating(&format!("{RESTLESS}passes = 3\nimmediate = true")));
    let other = start(&files[1], &[]);
    let output = halftrack(&["islink", &files[0]]);
    let found = outcome(other);
    assert_eq!(code(&output), 0, "{}", stdout(&output));
    let words = "User LINUX01 has been relocated from VMA to VMB, although the passes did not converge";
    assert!(stdout(&output).contains(words), "{}", stdout(&output));
    assert!(is_moved(&site));
    let one = relocation(&found);
    assert_eq!((&one["outcome"], one["passes"].as_array().map(Vec::len)), (&"quiesced".into(), Some(4)));
    assert_eq!(one["passes"][3]["is_quiesced"], true);
}

/// Waits until a guest arrives. At its start the system makes an empty file, to find out whether it can.
fn wait_for_part(site: &Site) {
    let begun = Instant::now();
    while fs::metadata(site.path("moved.mem.part")).map_or(0, |part| part.len()) == 0 {
        assert!(begun.elapsed() < Duration::from_secs(30), "nothing arrives");
        sleep(Duration::from_millis(1));
    }
}

/// Either system is killed while a guest is moved and started again: the guest is moved from the beginning, and whole.
#[test]
fn a_killed_system_begins_the_relocation_again() {
    for killed in [0, 1] {
        let site = site();
        let files = site.connected_with(relocating(&format!("{RESTLESS}passes = 120\nimmediate = true")));
        let mut running = files.each_ref().map(|file| Some(start(file, &[])));
        wait_for_part(&site);
        sleep(Duration::from_millis(20));
        let mut child = running[killed].take().expect("a process");
        child.kill().expect("a process");
        child.wait().expect("a process");
        running[killed] = Some(start(&files[killed], &[]));
        let outcomes = running.map(|child| outcome(child.expect("a process")));
        assert!(is_moved(&site), "{killed}: {outcomes:?}");
        // The one that went on has both attempts.
        let attempts = &relocation(&outcomes[1 - killed])["attempts"];
        assert_eq!((attempts, &relocation(&outcomes[killed])["attempts"]), (&2.into(), &1.into()));
    }
}

/// Cables are pulled and stall by a script while a guest is moved: nothing is lost, and it is one attempt.
#[test]
fn pulled_cables_lose_no_page() {
    let site = site();
    let files = site.connected_with(relocating(&format!("{RESTLESS}passes = 120\nimmediate = true")));
    // The two may need a second to find each other.
    let events = (0..16).map(|event| {
        let (at_s, chpid) = (0.05 + 0.15 * f64::from(event), 40 + event % 2);
        format!("[[event]]\nat_s = {at_s:.2}\nlasts_s = 0.14\nkind = \"light-lost\"\nchpid = \"{chpid}\"\n")
    });
    let script = format!("duration_s = 3.0\n{}", events.collect::<String>());
    let script = site.file("cables.toml", &script);
    let outcomes = [start(&files[0], &["--faults", &script]), start(&files[1], &[])].map(outcome);
    assert!(is_moved(&site), "{outcomes:?}");
    assert!(outcomes[0]["channel_losses"].as_u64() >= Some(1), "{}", outcomes[0]);
    assert_eq!(relocation(&outcomes[1])["attempts"], 1);
}

/// A guest that is at the destination is not moved again, and one with another memory is not replaced.
#[test]
fn a_guest_is_at_one_system_only() {
    let site = site();
    let files = site.connected_with(relocating("dirty_pages_per_s = 1000"));
    let run = || files.each_ref().map(|file| start(file, &[])).map(ending);
    let codes = |endings: &[(i32, Value); 2]| endings.each_ref().map(|(code, _)| *code);
    assert_eq!(codes(&run()), [0, 0]);
    assert!(is_moved(&site));
    let again = run();
    assert_eq!(codes(&again), [0, 0], "{again:?}");
    assert!(again.iter().all(|(_, found)| relocation(found)["outcome"] == "already-there"), "{again:?}");
    assert!(is_moved(&site));
    fs::write(site.path("linux01.mem"), memory()).expect("a file");
    let other = run();
    assert_eq!(codes(&other), [1, 1]);
    assert!(other.iter().all(|(_, found)| relocation(found)["outcome"] == "refused"), "{other:?}");
    assert!(fs::read(site.path("linux01.mem")).ok() == Some(memory()));
    assert!(fs::read(site.path("moved.mem")).ok() != Some(memory()));
}

/// Another guest than the expected one, and a stream that has another part at the other system, are no relocation.
#[test]
fn systems_that_expect_something_else_are_refused() {
    let site = site();
    let [one, other] = relocating("");
    let files = site.connected_with([one.clone(), other.replace("LINUX01", "LINUX02")]);
    for (code, found) in files.map(|file| start(&file, &[])).map(ending) {
        assert_eq!((code, &relocation(&found)["outcome"]), (1, &"refused".into()), "{found}");
    }
    let receive = "[[receive]]\nstream = 3\nfile = \"moved.mem\"\n".to_owned();
    let files = site.connected_with([one, receive]).map(|file| {
        let text = fs::read_to_string(&file).expect("a file").replace("patience_s = 60", "patience_s = 2");
        fs::write(&file, text).expect("a file");
        file
    });
    let [(code, found), _] = files.map(|file| start(&file, &[])).map(ending);
    let error = found["error"].as_str().unwrap_or_default();
    assert_eq!(code, 1);
    assert!(error.contains("stream 3 is of `relocate` here") || error.contains("no progress"), "{found}");
}

/// Every mistake is reported at its place, and nothing is begun.
#[test]
fn mistakes_about_guests_are_reported_where_they_are() {
    let site = site();
    fs::write(site.path("odd.mem"), vec![1; 5000]).expect("a file");
    fs::write(site.path("empty.mem"), "").expect("a file");
    let [one, other] = relocating("working_set_pages = 10");
    let [file, _] = site.connected_with([one.clone(), String::new()]);
    let good = fs::read_to_string(&file).expect("a file");
    let twice = |guest: &str, stream: u32, memory: &str| {
        format!("[[host]]\nguest = \"{guest}\"\nstream = {stream}\nmemory = \"{memory}\"\n")
    };
    for (text, expected) in [
        (good.replace("linux01.mem", "odd.mem"), "HTK760E"),
        (good.replace("linux01.mem", "empty.mem"), "HTK760E"),
        (good.replace("linux01.mem", "missing.mem"), "HTK758E"),
        (good.replace("linux01.mem", "missing/linux01.mem"), "HTK758E"),
        (good.replace("pages = 10", "pages = 4097"), "HTK761E"),
        (good.replace("LINUX01", "LINUX0123"), "HTK894E"),
        (good.replace("working_set_pages = 10", "passes = 0"), "HTK894E"),
        (good.replace("working_set_pages = 10", "dirty_pages_per_s = 1000001"), "HTK894E"),
        (good.replace("working_set_pages", "working_set_page"), "HTK892E"),
        (good.clone() + &twice("LINUX01", 4, "b.mem"), "guest LINUX01"),
        (good.clone() + &twice("LINUX02", 3, "b.mem"), "stream 3"),
        (good.clone() + &twice("LINUX02", 4, "linux01.mem"), "memory linux01.mem"),
        (good.clone() + &other.replace("LINUX01", "LINUX02").replace("stream = 3\n", ""), "HTK893E"),
        (good.clone() + &twice("LINUX02", 4, "missing/b.mem"), "HTK758E"),
        (
            good.clone() + "[[request]]\nstream = 3\nrequest_bytes = 8\nresponse_bytes = 8\nrequests = 1\n",
            "HTK895E",
        ),
        (
            good.clone() + "[[request]]\nstream = 5\nrequest_bytes = 0\nresponse_bytes = 8\nrequests = 1\n",
            "HTK894E",
        ),
    ] {
        let output = halftrack(&["islink", &site.file("bad.toml", &text)]);
        assert_eq!((code(&output), stdout(&output)), (2, ""), "{expected}");
        assert!(stderr(&output).contains(expected), "{expected}: {}", stderr(&output));
        assert!(stderr(&output).contains("bad.toml:"), "{}", stderr(&output));
    }
}
