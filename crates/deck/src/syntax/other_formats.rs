//! Configurations in other formats, recognised by their first words, so that one message names the format of the
//! file.
//!
//! Reference: IOCP, section 8.

use crate::syntax::keyword::is_stage_1;

/// Words with which statements of a Hercules configuration begin.
const HERCULES: [&str; 10] = [
    "ARCHMODE",
    "ARCHLVL",
    "CPUSERIAL",
    "CPUMODEL",
    "MAINSIZE",
    "NUMCPU",
    "OSTAILOR",
    "PANRATE",
    "LOADPARM",
    "CNSLPORT",
];

/// Words with which statements of a z/VM SYSTEM CONFIG begin.
const SYSTEM_CONFIG: [&str; 8] = [
    "RDEVICE",
    "RDEV",
    "DEVICES",
    "SYSTEM_IDENTIFIER",
    "CP_OWNED",
    "USER_VOLUME_LIST",
    "OPERATOR_CONSOLES",
    "ACTIVATE",
];

/// Recognises `text`, which has no statement of IOCP: returns its name, and a fix that leads to a deck.
pub(crate) fn recognise(text: &str) -> (&'static str, &'static str) {
    let first_words = || text.lines().filter_map(|line| line.split_whitespace().next());
    let one_of =
        |words: &[&str]| first_words().any(|word| words.iter().any(|one| one.eq_ignore_ascii_case(word)));
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    if one_of(&HERCULES) || lines().any(is_hercules_device) {
        return (
            "a Hercules configuration",
            "Hercules has no channel paths: write the deck, or take it from HCD",
        );
    }
    if one_of(&SYSTEM_CONFIG) {
        return ("a z/VM SYSTEM CONFIG", "z/VM writes its deck with HCM or in a file IOCP of its own");
    }
    if first_words().any(is_stage_1) {
        return ("an MVS stage-1 deck", "read the IOCP deck of this configuration");
    }
    if lines().all(|line| line.starts_with("//") || line.starts_with("/*")) {
        return ("JCL without a deck in it", "name the file that SYSIN reads");
    }
    if text.trim_start().starts_with(['{', '<', '[']) {
        return ("JSON, XML or a configuration of another program", "name the file with the cards");
    }
    (
        "no IOCP deck",
        "a deck has statements ID, RESOURCE, CHPID, CNTLUNIT, IODEVICE, FUNCTION, in column 2 or later",
    )
}

/// Returns true for `0A80  3390  disk` in column 1: address, type, argument.
fn is_hercules_device(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let address = words.next().unwrap_or_default();
    let address = address.split(['.', '-', ',']).next().unwrap_or_default();
    let kind = words.next().unwrap_or_default();
    line.starts_with(|ch: char| ch.is_ascii_hexdigit())
        && (3..=4).contains(&address.len())
        && address.chars().all(|ch| ch.is_ascii_hexdigit())
        && kind.len() == 4
        && kind.chars().all(|ch| ch.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_by_their_words() {
        for (text, name) in [
            ("# mine\nARCHMODE z/Arch\n0A80 3390 disk\n", "Hercules"),
            ("0700.8 3270\n", "Hercules"),
            ("/* config */\nRdevice 3C0-3C7 Type DASD\n", "z/VM"),
            (" CHANNEL ADDRESS=1,TYPE=BLKMPXR\n", "stage-1"),
            ("//JOB1 JOB\n//S EXEC PGM=IOPIOCP\n/*\n", "JCL"),
            ("{\"deck\": 1}", "JSON"),
            ("Dear list,\nwhy does\n", "no IOCP deck"),
        ] {
            assert!(recognise(text).0.contains(name), "{text}: {}", recognise(text).0);
        }
    }
}
