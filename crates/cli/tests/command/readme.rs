//! The README shows what `make run` prints.

use std::env;
use std::fs;

use crate::support::{code, halftrack, repository, stdout};

const BEGIN: &str = "<!-- output -->\n```text\n";
const END: &str = "```\n<!-- end of output -->\n";
/// Set to write the README's output anew.
const UPDATE: &str = "HALFTRACK_UPDATE_README";

/// First words of each part of the excerpt, and its number of lines.
const PARTS: [(&str, usize); 4] = [
    ("C H A N N E L   P A T H", 17),
    ("I/O   Q U E U I N G", 18),
    ("D I R E C T   A C C E S S", 14),
    ("z16-oltp: ", 31),
];

fn excerpt(output: &str) -> String {
    let lines: Vec<&str> = output.lines().map(str::trim_end).collect();
    let part = |(begin, count): (&str, usize)| {
        let at = lines.iter().position(|line| line.contains(begin)).expect(begin);
        lines[at..].iter().take(count).map(|line| format!("{line}\n")).collect::<String>()
    };
    PARTS.map(part).join("[...]\n")
}

#[test]
fn the_readme_shows_the_output_of_make_run() {
    let path = repository().join("README.md");
    let text = fs::read_to_string(&path).expect("README.md");
    let study = repository().join("studies/z16-oltp");
    let output = halftrack(&["run", study.to_str().expect("path")]);
    assert_eq!(code(&output), 0);
    let now = excerpt(stdout(&output));
    let (before, rest) = text.split_once(BEGIN).expect("the place of the output");
    let (shown, after) = rest.split_once(END).expect("the end of the output");
    if env::var_os(UPDATE).is_some() {
        fs::write(&path, format!("{before}{BEGIN}{now}{END}{after}")).expect("README.md");
        return;
    }
    assert!(shown == now, "the README shows an old output; write it anew with {UPDATE}=1. Now:\n{now}");
}
