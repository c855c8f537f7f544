//! Pages of the book whose commands a reader copies.

use std::env::{join_paths, split_paths, var_os};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::{self, code, is_shipped, names_in, repository, stderr, stdout};

/// Returns the lines of the page's blocks of commands.
pub(crate) fn commands(page: &str) -> String {
    let text = fs::read_to_string(repository().join("docs").join(page)).expect("a page of the book");
    let blocks = text.split("```sh\n").skip(1).filter_map(|rest| rest.split_once("```\n"));
    blocks.map(|(block, _)| block).collect()
}

/// Runs `commands` in `directory`, which sees catalog and studies of the repository.
pub(crate) fn typed(commands: &str, directory: &Path) -> Output {
    for name in ["catalog", "studies"] {
        let original = repository().join(name).canonicalize().expect("a directory of the repository");
        symlink(original, directory.join(name)).expect("a link");
    }
    let built = support::binary().parent().expect("a directory").to_owned();
    let path = var_os("PATH").unwrap_or_default();
    let path = join_paths([built].into_iter().chain(split_paths(&path))).expect("a search path");
    let mut shell = Command::new("sh");
    shell.args(["-eu", "-c", commands]).current_dir(directory).env("PATH", path);
    shell.env("XDG_CACHE_HOME", directory.join("cache")).output().expect("a shell")
}

#[test]
fn a_card_is_added_by_copying_the_commands_of_the_page() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let output = typed(&commands("add-a-card-generation.md"), directory.path());
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    let row = |id: &str| {
        let row = stdout(&output).lines().find(|line| line.starts_with(id));
        row.unwrap_or_else(|| panic!("{id} is not answered in\n{}", stdout(&output))).to_owned()
    };
    assert!(row("my-4k-read-max-iops").contains(" fitted "), "{}", row("my-4k-read-max-iops"));
    assert!(row("my-8k-read-max-iops").contains(" yes    predicted "), "{}", row("my-8k-read-max-iops"));
}

/// Control units and directors stay in the background, so their output goes to files, not to a pipe that they hold
/// open.
#[test]
fn a_working_link_comes_up_by_copying_the_commands_of_the_page() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let commands = commands("link.md");
    let ended = "trap 'kill $box $one $two 2>told-late || true' EXIT; box= one= two=";
    let output = typed(&format!("exec >said 2>told; {ended}\n{commands}"), directory.path());
    let read = |name: &str| fs::read_to_string(directory.path().join(name)).expect("text");
    let (said, told) = (read("said"), read("told"));
    assert_eq!(code(&output), 0, "{said}\n{told}");
    let drives = commands.lines().filter(|line| line.starts_with("halftrack drive")).count();
    let counted = |words: &str| said.lines().filter(|line| line.contains(words)).count();
    assert_eq!((drives, counted(" 0 failed, 0 not begun"), counted(" 0 records wrong")), (7, 7, 7), "{said}");
    assert_eq!(counted("paths     40: "), 5, "{said}");
    assert_eq!(counted("zHyperLink boxa.zhl: operational"), 1, "{said}");
    assert!(directory.path().join("run.pcapng").exists());
}

/// Cards are killed by the page itself. The library stands beside the command.
#[test]
fn a_card_compresses_by_copying_the_commands_of_the_page() {
    if !crate::zedc::has_python() {
        return;
    }
    let directory = tempfile::tempdir().expect("temporary directory");
    let beside = directory.path().join("bin");
    fs::create_dir(&beside).expect("a directory");
    fs::copy(support::binary(), beside.join("halftrack")).expect("the command");
    fs::copy(crate::zedc::library(), beside.join("libz.so")).expect("the library");
    let ended = "trap 'kill $first $second $load 2>told-late || true' EXIT; first= second= load=";
    let commands = commands("zedc.md");
    let output =
        typed(&format!("exec >said 2>told; PATH=$PWD/bin:$PATH; {ended}\n{commands}"), directory.path());
    let read = |name: &str| fs::read_to_string(directory.path().join(name)).expect("text");
    let (said, told) = (read("said"), read("told"));
    assert_eq!(code(&output), 0, "{said}\n{told}");
    is_shown("zedc.md", &said, 5);
}

/// Enters the commands of `page`; its blocks of text are what they print.
fn is_seen_by_copying(page: &str, least: usize) {
    let directory = tempfile::tempdir().expect("temporary directory");
    let output = typed(&commands(page), directory.path());
    let told = stderr(&output);
    assert_eq!(code(&output), 0, "{told}");
    is_shown(page, &format!("{}{told}", stdout(&output)), least);
}

/// Compares the blocks of text of `page` with what its commands have `said`. Each line must be a line of it, or the
/// beginning of one. There are more than `least` such lines.
fn is_shown(page: &str, said: &str, least: usize) {
    let page = fs::read_to_string(repository().join("docs").join(page)).expect("the page");
    let shown = page.split("```text\n").skip(1).filter_map(|rest| rest.split_once("```\n"));
    let mut shown: Vec<&str> = shown.flat_map(|(block, _)| block.lines()).collect();
    shown.retain(|line| *line != "[...]");
    assert!(shown.len() > least, "{shown:#?}");
    shown.retain(|line| !said.lines().any(|said| said.starts_with(line)));
    assert!(shown.is_empty(), "the page shows what its commands do not print: {shown:#?}\n{said}");
}

#[test]
fn channels_and_fabric_are_seen_by_copying_the_commands_of_the_page() {
    is_seen_by_copying("channels.md", 40);
}

#[test]
fn the_whole_machine_is_seen_by_copying_the_commands_of_the_page() {
    is_seen_by_copying("whole-machine.md", 20);
}

#[test]
fn zhyperlink_is_seen_by_copying_the_commands_of_the_page() {
    is_seen_by_copying("zhyperlink.md", 20);
}

#[test]
fn fcp_is_seen_by_copying_the_commands_of_the_page() {
    is_seen_by_copying("fcp.md", 10);
}

#[test]
fn displays_are_seen_by_copying_the_commands_of_the_page() {
    is_seen_by_copying("displays.md", 20);
}

/// Enters the commands of `page`, whose background processes end with the shell: their ids are in the variables `names`. All
/// output goes to files, and more than `least` lines of it are shown. There are `drives` balances without a failure, and so many
/// `streams` without a wrong record.
fn is_seen_with_processes(page: &str, names: &[&str], least: usize, (drives, streams): (usize, usize)) {
    let directory = tempfile::tempdir().expect("temporary directory");
    let ids: String = names.iter().map(|name| format!(" ${name}")).collect();
    let unset: String = names.iter().map(|name| format!(" {name}=")).collect();
    let ended = format!("trap 'kill{ids} 2>told-late || true' EXIT;{unset}");
    let commands = format!("exec >said 2>told; {ended}\n{}", commands(page));
    let output = typed(&commands, directory.path());
    let read = |name: &str| fs::read_to_string(directory.path().join(name)).expect("text");
    let said = format!("{}{}", read("said"), read("told"));
    assert_eq!(code(&output), 0, "{said}");
    is_shown(page, &said, least);
    let counted = |words: &str| said.lines().filter(|line| line.contains(words)).count();
    assert_eq!((counted(" completed, 0 failed,"), counted(" 0 records wrong")), (drives, streams), "{said}");
}

#[test]
fn a_path_fails_in_twin_and_link_by_copying_the_commands_of_the_page() {
    is_seen_with_processes("path-loss.md", &["box"], 20, (2, 2));
}

#[test]
fn disks_over_fcp_are_seen_by_copying_the_commands_of_the_page() {
    is_seen_with_processes("disks-over-fcp.md", &["box", "director"], 12, (2, 4));
}

#[test]
fn two_systems_are_seen_on_a_logical_link_by_copying_the_commands_of_the_page() {
    is_seen_with_processes("logical-links.md", &["box", "director"], 12, (1, 1));
}

/// Enters the commands of `page` and expects, octet for octet, the files of the repository below `place`.
fn is_drawn_again(page: &str, place: &str) {
    let directory = tempfile::tempdir().expect("temporary directory");
    let output = typed(&commands(page), directory.path());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let [drawn, kept] =
        [directory.path().join("docs"), repository().join("docs")].map(|docs| docs.join(place));
    assert_eq!(names_in(&drawn), names_in(&kept), "{place}");
    for picture in names_in(&kept) {
        let names = names_in(&kept.join(&picture));
        assert_eq!(names, names_in(&drawn.join(&picture)), "{place}{picture}");
        assert_eq!(names.iter().filter(|name| name.ends_with(".svg")).count(), 1, "{names:?}");
        for name in names {
            let octets = |directory: &Path| fs::read(directory.join(&picture).join(&name)).expect("a file");
            assert!(octets(&drawn) == octets(&kept), "{place}{picture}/{name} is stale: `make figures`");
        }
    }
}

#[test]
fn every_curve_is_drawn_by_the_command_below_it() {
    for (paper, count) in
        [("ficon-2002", 11), ("fex32s-2023", 16), ("fcp-2023", 11), ("sap-2023", 2), ("bit-errors", 2)]
    {
        let page = format!("curves/{paper}.md");
        let text = fs::read_to_string(repository().join("docs").join(&page)).expect("the page");
        let place = format!("figures/{paper}/");
        let first = |rest: &str| rest.split(['/', ' ', '\n']).next().unwrap_or_default().to_owned();
        let pictures: Vec<String> = text.split(&format!("](../{place}")).skip(1).map(first).collect();
        let outputs: Vec<String> =
            commands(&page).split(&format!("--out docs/{place}")).skip(1).map(first).collect();
        assert_eq!(pictures, outputs);
        assert_eq!(pictures.len(), count, "{pictures:?}");
        // The command that ships draws all of them in the time that the one of the tests takes for one page.
        if is_shipped() || paper == "ficon-2002" {
            is_drawn_again(&page, &place);
        }
    }
}
