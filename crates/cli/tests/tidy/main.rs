//! House rules that a machine can check, over the sources of the whole repository.

mod book;
mod commits;
mod coverage;
mod crates;
mod deck_folders;
mod engines;
mod functions;
mod machine_rooms;
mod messages;
mod prose;
mod source;

use crate::source::{SourceText, repository, rust_sources, texts};

/// Crates that work in real time, with threads and sockets.
const REAL_TIME: [&str; 10] = [
    "crates/cli/",
    "crates/link/",
    "crates/shared_memory/",
    "crates/smc_host/",
    "crates/smc_preload/",
    "crates/smc_udp/",
    "crates/zedc_c/",
    "crates/zedc_rings/",
    "python/",
    "fuzz/fuzz_targets/zedc_client_checks.rs",
];

/// Most lines of a source file, tests included.
const FILE_LINES_MAX: usize = 800;
/// Most lines of a function: a screen.
const FUNCTION_LINES_MAX: usize = 70;

/// Fails with everything that was found.
fn assert_none(found: Vec<String>) {
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}

#[test]
fn no_file_is_too_long() {
    let lines = |source: &SourceText| source.text.lines().count();
    let long = rust_sources().into_iter().filter(|source| lines(source) > FILE_LINES_MAX);
    assert_none(long.map(|source| format!("{} has {} lines", source.name, lines(&source))).collect());
}

#[test]
fn no_function_is_longer_than_a_screen() {
    let mut long = Vec::new();
    for source in rust_sources() {
        for function in functions::functions(&source.code()) {
            if function.lines > FUNCTION_LINES_MAX {
                let (line, name, lines) = (function.line, function.name, function.lines);
                long.push(format!("{}:{line} {name} has {lines} lines", source.name));
            }
        }
    }
    assert_none(long);
}

#[test]
fn no_marker_and_no_stub_is_left() {
    // Put together so that this file does not find itself.
    let markers = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("X", "XX")];
    let mut left = Vec::new();
    for source in rust_sources() {
        left.extend(markers.iter().flat_map(|marker| source.lines_with_word(&source.text, marker)));
        let code = source.code();
        for stub in ["unimplemented", "todo"] {
            left.extend(source.lines_with_word(&code, stub));
        }
    }
    assert_none(left);
}

#[test]
fn below_the_applications_there_is_no_wall_clock() {
    let mut found = Vec::new();
    for source in rust_sources() {
        // `link` works in real time; its one clock is what hands time to the state machines above. The library in front of programs
        // waits as they do, and hands its state machines none.
        if source.is_in(&["crates/cli/", "crates/link/src/clock.rs", "crates/smc_preload/", "python/"])
            || source.is_bench()
        {
            continue;
        }
        let code = source.code();
        found.extend(["Instant", "SystemTime"].iter().flat_map(|word| source.lines_with_word(&code, word)));
    }
    assert_none(found);
}

#[test]
fn only_the_windows_of_the_engine_the_link_and_the_applications_have_threads() {
    let mut found = Vec::new();
    for source in rust_sources() {
        let windows = ["crates/engine/src/windows", "crates/engine/tests/engine/windows"];
        if source.is_in(&REAL_TIME) || source.is_in(&windows) || source.is_bench() {
            continue;
        }
        found.extend(source.lines_with(&source.code(), "std::thread"));
    }
    assert_none(found);
}

#[test]
fn only_the_link_and_the_applications_have_sockets() {
    let mut found = Vec::new();
    for source in rust_sources() {
        if source.is_in(&REAL_TIME) || source.is_bench() {
            continue;
        }
        let code = source.code();
        found.extend(["std::net", "os::unix::net"].iter().flat_map(|words| source.lines_with(&code, words)));
    }
    assert_none(found);
}

#[test]
fn nothing_speaks_of_papers_outside_the_repository() {
    let elsewhere = concat!("shared", "/");
    assert_none(texts().iter().flat_map(|text| text.lines_with(&text.text, elsewhere)).collect());
}

#[test]
fn every_crate_says_first_what_it_does() {
    let fronts = rust_sources()
        .into_iter()
        .filter(|source| source.name.ends_with("/src/lib.rs") || source.name.ends_with("/src/main.rs"));
    let silent = fronts.filter(|source| !source.text.starts_with("//! "));
    assert_none(silent.map(|source| source.name).collect());
}

#[test]
fn no_crate_uses_a_crate_below_it() {
    assert_none(crates::upward_dependencies(&repository()));
}

#[test]
fn no_room_of_the_machine_uses_a_room_that_it_may_not() {
    let found: Vec<_> = rust_sources().iter().flat_map(machine_rooms::forbidden_uses).collect();
    assert_none(found);
}

#[test]
fn every_link_of_the_book_leads_somewhere() {
    assert_none(book::dead_links(&repository()));
}

#[test]
fn every_page_of_the_book_is_in_its_summary() {
    assert_none(book::unlisted_pages(&repository()));
}

#[test]
fn subjects_of_commits_have_an_area_and_an_imperative() {
    assert_none(commits::breaches(&repository()));
}

#[test]
fn every_number_of_a_message_is_registered_and_every_registered_one_is_reported() {
    assert_none(messages::unregistered_literals());
    assert_none(messages::unregistered_codes());
    assert_none(messages::unreported());
}
