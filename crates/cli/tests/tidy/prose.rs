//! Plain words: rules 1 to 3 of CONTRIBUTING.md about comments and names, for every file.

use std::collections::BTreeSet;

use crate::source::{SourceText, rust_sources};

/// Most words of the first sentence of a type's or a function's documentation.
const SENTENCE_WORDS_MAX: usize = 25;
/// First words that no documentation begins with.
const NO_BEGINNINGS: [&str; 8] = ["What", "Whatever", "Who", "Whoever", "Whose", "That", "Those", "Whether"];
/// Words in `s` that a function's documentation begins with although they are no verbs: plurals and pronouns.
const NO_VERBS: &str = "Addresses Adapters Aliases Arrivals As Bases Batches Bits Bounds Boxes Buffers Bursts \
    Bus Buses Bytes CCWs CHPIDs CUADDs Cables Cards Cases Cells Chains Channels Chips Class Clocks Clusters Columns \
    Commands Connections Counters Credits Customers Cylinders DCWs DSCBs Deals Decisions Decks Dependencies Devices \
    Digests Digits Directors Disks Disturbances Edges Entries Errors Estimates Events Exchanges Factors Faults Files \
    Findings Flags Functions Guidelines Headers Headings Hercules Hops I/Os IUs Ids Indices Intervals Its Jobs Keywords \
    Kinds Labels Letters Lines Lookaheads MB/s MIDAWs Machines Means Members Messages Microseconds Nanoseconds Networks \
    Nodes Numbers Octets Offsets Operations Options PCHIDs Pages Pairs Parameters Partitions Parts Paths Percentiles \
    Picoseconds Pieces Places Points Ports Prices Processors Programs Promises Rates Records Regions Responses Rounds \
    Rows Seconds Sectors Servers Settings Simultaneous Speeds Statements Stations Statistics Status Systems Targets \
    Tenths Things This Times Tokens Tracks Types Units Utilisations Values Views Volumes Warnings Words Works";
/// Verbs of people. *Wait*, *respond*, *answer busy* and *attention* are terms of the field.
const PEOPLE_ONLY: &str = "ask asks asked asking tell tells told telling hear hears heard hearing say says said saying \
    speak speaks spoke spoken speaking look looks looked looking know knows knew knowing";
/// Words before a verb of people that make it a document's or a person's: *the standard says*.
const SPEAKERS: &str = "standard manual page book paper architecture Redbook FC-FS FC-LS FC-SW FC-SB FC-BB FC-GS SPC POP \
    IEEE RFC documentation description reference user caller reader nobody";
/// Names of types that are words of a letter to friends, and not of the field.
const NO_TYPES: &str = "Way Ways Then To Thing Said Letter Letters Knowledge House Household Happening Fate Asked Asking \
    Look PlugsLook Crowd Seen Rare Redo Once Other Beside Across Ahead Apart Alike Beyond Between WhenNeeded Made Making \
    Lent Teller Flying RejectedBecause Stranger Whoever Somebody Nobody What Something Anything Nothing";
/// Parts of a function's name that are verbs of people; `look_up` and `look_ahead` are terms.
const NO_NAME_PARTS: [&str; 15] = [
    "ask", "asked", "asks", "tell", "tells", "told", "teller", "hear", "hears", "say", "says", "said",
    "speak", "speaks", "knows",
];

/// Declaration that a comment documents.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
enum Item {
    /// A function.
    Function,
    /// A type or a trait.
    Type,
    /// A field, a variant, a module or a test, whose documentation is the law that it holds.
    Other,
}

/// Documentation of one declaration.
#[derive(Debug, PartialEq, Eq)]
struct Documentation {
    line: usize,
    text: String,
    item: Item,
}

fn is_one_of(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|one| one == word)
}

/// Returns `line` without visibility and qualifiers.
fn declaration(line: &str) -> &str {
    let line = line.trim_start();
    let line = match line.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(") ").map_or(rest, |(_, rest)| rest),
        Some(rest) => rest.trim_start(),
        None => line,
    };
    ["const fn", "unsafe fn", "async fn"]
        .iter()
        .find_map(|&two| line.starts_with(two).then(|| &line[two.len() - 2..]))
        .unwrap_or(line)
}

fn item(line: &str) -> Item {
    match declaration(line).split_whitespace().next() {
        Some("fn") => Item::Function,
        Some("struct" | "enum" | "trait" | "type" | "union") => Item::Type,
        _ => Item::Other,
    }
}

/// Collects the documentation in `text`, that of the module included.
fn documentation(text: &str) -> Vec<Documentation> {
    let mut found: Vec<Documentation> = Vec::new();
    let mut open: Option<Documentation> = None;
    let mut is_test = false;
    for (at, line) in text.lines().enumerate() {
        let trimmed = line.trim_start();
        if let Some(words) = trimmed.strip_prefix("///").or_else(|| trimmed.strip_prefix("//!")) {
            let one =
                open.get_or_insert(Documentation { line: at + 1, text: String::new(), item: Item::Other });
            one.text.push_str(words.trim());
            one.text.push('\n');
        } else if trimmed.starts_with("#[") {
            // What Python reads as a property has the documentation of one.
            is_test |= ["#[test]", "#[getter]"].contains(&trimmed);
        } else {
            if let Some(one) = open.take() {
                found.push(Documentation { item: if is_test { Item::Other } else { item(line) }, ..one });
            }
            is_test = false;
        }
    }
    found
}

/// Returns the first sentence of `text`.
fn first_sentence(text: &str) -> String {
    let paragraph = text.split("\n\n").next().unwrap_or_default().replace('\n', " ");
    let end = paragraph.match_indices(". ").map(|(at, _)| at).find(|&at| !paragraph[..at].ends_with("e.g"));
    paragraph[..end.unwrap_or(paragraph.len())].to_owned()
}

/// Returns the breach of rule 1 in `one`, if there is any.
fn beginning(one: &Documentation) -> Option<String> {
    let sentence = first_sentence(&one.text);
    let first = sentence.split([' ', ',', ':', ';']).next().unwrap_or_default();
    if NO_BEGINNINGS.contains(&first) && one.item != Item::Other || sentence.starts_with("The same") {
        return Some(format!("begins with `{first}`"));
    }
    if ["What", "Who", "Those"].contains(&first) || sentence.starts_with("That of") {
        return Some(format!("begins with `{first}`"));
    }
    let is_verb = first.ends_with('s') && !is_one_of(NO_VERBS, first.trim_end_matches('.'));
    if one.item == Item::Function && !is_verb {
        return Some(format!(
            "a function's documentation begins with `{first}`, no verb in the third person"
        ));
    }
    let words = sentence.split_whitespace().count();
    let is_long = one.item != Item::Other && words > SENTENCE_WORDS_MAX;
    is_long.then(|| format!("{words} words in the first sentence"))
}

/// Returns the comment of `line`.
fn comment(line: &str) -> Option<&str> {
    let trimmed = line.trim_start();
    if trimmed.starts_with("//") {
        return Some(trimmed);
    }
    line.find(" // ").filter(|&at| line[..at].matches('"').count().is_multiple_of(2)).map(|at| &line[at..])
}

/// Returns the verbs of people in `comment` that have no speaker within three words before them.
fn people(comment: &str) -> Option<&str> {
    let mut quoted = false;
    let is_end = |char: char| !(char.is_alphanumeric() || char == '-' || char == '_' || char == '`');
    let words: Vec<&str> = comment.split(is_end).filter(|word| !word.is_empty()).collect();
    for (at, word) in words.iter().enumerate() {
        quoted ^= word.matches('`').count() % 2 == 1;
        let before = &words[at.saturating_sub(3)..at];
        let is_term = words.get(at + 1).is_some_and(|next| *next == "up" || *next == "ahead");
        let is_other =
            before.iter().any(|word| is_one_of(SPEAKERS, word)) || (word.starts_with("look") && is_term);
        if !quoted && is_one_of(PEOPLE_ONLY, word) && !is_other {
            return Some(word);
        }
    }
    None
}

/// Returns the breach of rule 3 in a line of code.
fn name(line: &str) -> Option<String> {
    let declaration = declaration(line);
    let (kind, rest) = declaration.split_once(' ')?;
    let name = rest.split(|char: char| !(char.is_alphanumeric() || char == '_')).next()?;
    match kind {
        "struct" | "enum" | "trait" | "type" => {
            is_one_of(NO_TYPES, name).then(|| format!("`{name}` is no name of the field"))
        }
        "fn" if (name.starts_with("is_") || name.starts_with("has_")) && rest.contains("(&mut self") => {
            Some(format!("`{name}` is a question that changes something: `try_` or `take_`"))
        }
        "fn" => {
            let is_bad = |(at, part): (usize, &str)| {
                NO_NAME_PARTS.contains(&part)
                    || part == "look"
                        && !name.split('_').nth(at + 1).is_some_and(|next| next == "up" || next == "ahead")
            };
            name.split('_').enumerate().any(is_bad).then(|| format!("`{name}`: code does not speak"))
        }
        _ => None,
    }
}

/// Returns the lines, from 0, that declare tests: such a name is a sentence about the code.
fn tests(text: &str) -> BTreeSet<usize> {
    let lines: Vec<&str> = text.lines().collect();
    let is_test = |at: &usize| lines[at.saturating_sub(3)..*at].iter().any(|line| line.trim() == "#[test]");
    (0..lines.len()).filter(is_test).collect()
}

/// Returns every breach of rules 1 to 3 in `source`.
fn breaches(source: &SourceText) -> Vec<String> {
    let documentation = documentation(&source.text);
    let mut found: Vec<(usize, String)> =
        documentation.iter().filter_map(|one| beginning(one).map(|why| (one.line, why))).collect();
    let tests = tests(&source.text);
    let code = source.code();
    for (at, (line, code)) in source.text.lines().zip(code.lines()).enumerate() {
        let verb = comment(line).and_then(people).map(|verb| format!("`{verb}`: code does not speak"));
        let name = if tests.contains(&at) { None } else { name(code) };
        found.extend(verb.into_iter().chain(name).map(|why| (at + 1, why)));
    }
    found.sort();
    found.into_iter().map(|(line, why)| format!("{}:{line} {why}", source.name)).collect()
}

#[test]
fn comments_and_names_are_plain_words() {
    let own = "crates/cli/tests/tidy/prose.rs";
    let sources = rust_sources();
    crate::assert_none(sources.iter().filter(|source| source.name != own).flat_map(breaches).collect());
}

#[test]
fn each_rule_finds_its_breach() {
    let breaches_of =
        |text: &str| breaches(&SourceText { name: "x.rs".to_owned(), text: text.to_owned() }).len();
    let plain = "/// Sends the frame.\npub fn send() {}\n/// Octets of a frame.\npub struct Octets;\n// Waits, as the standard says.\n";
    assert_eq!(breaches_of(plain), 0);
    let bad = [
        "/// What was sent.\nfn sent() {}\n",
        "/// The frame.\nfn frame() {}\n",
        "/// Octets of a frame.\nfn octets() {}\n",
        "/// Those of a port.\nstruct Counters;\n",
        "/// The same for writes.\nwrites: u64,\n",
        "// The port says so.\n",
        "let x = 1; // asked again\n",
        "pub enum Way {\n",
        "pub(crate) struct Letter;\n",
        "fn is_done(&mut self) -> bool {\n",
        "fn tell_port() {\n",
    ];
    for text in bad {
        assert_eq!(breaches_of(text), 1, "{text}");
    }
    let long = format!("/// A{}.\nstruct A;\n", " word".repeat(25));
    assert_eq!(breaches_of(&long), 1);
    assert_eq!(breaches_of("/// Looks up the name in `ask` and tells nobody.\nfn look_up() {}\n"), 1);
}
