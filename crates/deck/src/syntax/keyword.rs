//! The keywords of each statement, and the checks that need nothing else: R122, R123, R179.
//!
//! Reference: IOCP, sections 2.1-2.7, rules G15 and G20, section 8 (keywords of HCD statements).

use std::ops::Range;

use halftrack_input::messages::deck::{KEYWORD_IGNORED, KEYWORD_IN_COMMENT};
use halftrack_input::{Severity, nearest};

use crate::syntax::findings::Findings;
use crate::syntax::statement::Statement;

/// The statements of IOCP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    /// Messages, machine type, token.
    Id,
    /// Logical partitions.
    Resource,
    /// Partitions with unique function UIDs.
    Uuid,
    /// A channel path.
    Chpid,
    /// A control unit.
    Cntlunit,
    /// Devices.
    Iodevice,
    /// PCIe functions.
    Function,
}

/// The words of one statement.
struct Vocabulary {
    word: &'static str,
    operation: Operation,
    required: &'static [&'static str],
    optional: &'static [&'static str],
    /// Words without `=`.
    positional: &'static [&'static str],
    /// Of HCD statements or older decks: accepted and ignored with a warning.
    ignored: &'static [&'static str],
    /// The keyword whose first or last word names the statement in messages.
    key: &'static str,
}

const VOCABULARIES: [Vocabulary; 7] = [
    Vocabulary {
        word: "ID",
        operation: Operation::Id,
        required: &[],
        optional: &["MSG1", "MSG2", "SYSTEM", "LSYSTEM", "TOK"],
        positional: &[],
        ignored: &[],
        key: "",
    },
    Vocabulary {
        word: "RESOURCE",
        operation: Operation::Resource,
        required: &["PART"],
        optional: &["MAXDEV"],
        positional: &[],
        ignored: &[],
        key: "",
    },
    Vocabulary {
        word: "UUID",
        operation: Operation::Uuid,
        required: &["PART"],
        optional: &[],
        positional: &[],
        ignored: &[],
        key: "",
    },
    Vocabulary {
        word: "CHPID",
        operation: Operation::Chpid,
        required: &["PATH", "TYPE"],
        optional: &[
            "PCHID",
            "VCHID",
            "AID",
            "PORT",
            "SHARED",
            "PART",
            "NOTPART",
            "SWITCH",
            "CHPARM",
            "OS",
            "IOCLUSTER",
            "CPATH",
            "CSYSTEM",
            "PNETID",
            "MIXTYPE",
        ],
        positional: &["SHARED", "MIXTYPE"],
        ignored: &["DESC"],
        key: "PATH",
    },
    Vocabulary {
        word: "CNTLUNIT",
        operation: Operation::Cntlunit,
        required: &["CUNUMBR", "PATH", "UNIT"],
        optional: &["UNITADD", "LINK", "CUADD", "SHARED", "PROTOCL"],
        positional: &["Y", "N"],
        ignored: &["SERIAL", "SWPORT", "DESC", "PROTOCOL"],
        key: "CUNUMBR",
    },
    Vocabulary {
        word: "IODEVICE",
        operation: Operation::Iodevice,
        required: &["ADDRESS", "CUNUMBR", "UNIT"],
        optional: &["MODEL", "UNITADD", "PART", "NOTPART", "PATH", "SCHSET", "STADET", "TIMEOUT"],
        positional: &[],
        ignored: &["FEATURE", "SERIAL", "DESC"],
        key: "ADDRESS",
    },
    Vocabulary {
        word: "FUNCTION",
        operation: Operation::Function,
        required: &["FID", "PART"],
        optional: &["PCHID", "VCHID", "PORT", "TYPE", "VF", "PNETID", "FIDPARM", "UID"],
        positional: &["PF"],
        ignored: &["DESC"],
        key: "FID",
    },
];

/// Operations of old MVS stage-1 decks, which use the same cards and other keywords (reference: IOCP, section 8).
const STAGE_1_OPERATIONS: [&str; 3] = ["CHANNEL", "IOCONTRL", "UNITNAME"];

/// Returns true when `word` begins a statement of a stage-1 deck.
pub(crate) fn is_stage_1(word: &str) -> bool {
    STAGE_1_OPERATIONS.contains(&word)
}

/// Returns one name for keywords with one meaning: `PARTITION` is `PART`.
pub fn canonical(keyword: &str) -> &str {
    if keyword == "PARTITION" { "PART" } else { keyword }
}

impl Operation {
    /// Returns the operation named `word`, in either case.
    pub fn from_word(word: &str) -> Option<Self> {
        let known = VOCABULARIES.iter().find(|vocabulary| vocabulary.word.eq_ignore_ascii_case(word));
        known.map(|vocabulary| vocabulary.operation)
    }

    /// Returns the word as a card holds it.
    pub fn word(self) -> &'static str {
        self.vocabulary().word
    }

    fn vocabulary(self) -> &'static Vocabulary {
        match self {
            Operation::Id => &VOCABULARIES[0],
            Operation::Resource => &VOCABULARIES[1],
            Operation::Uuid => &VOCABULARIES[2],
            Operation::Chpid => &VOCABULARIES[3],
            Operation::Cntlunit => &VOCABULARIES[4],
            Operation::Iodevice => &VOCABULARIES[5],
            Operation::Function => &VOCABULARIES[6],
        }
    }

    /// Returns the keyword that names a statement of this kind in messages; empty for those that occur once.
    pub(crate) fn key(self) -> &'static str {
        self.vocabulary().key
    }

    /// Returns true when the statement has `keyword`, synonyms and ignored ones included.
    pub(crate) fn has_keyword(self, keyword: &str) -> bool {
        self.accepts(canonical(keyword)) || self.vocabulary().ignored.contains(&keyword)
    }

    /// Returns true when the statement has `word` without a value.
    pub(crate) fn has_word(self, word: &str) -> bool {
        word.len() > 1 && self.vocabulary().positional.contains(&word)
    }

    /// Returns the operation that a misspelt `word` was meant to be, when `operand` has a keyword that it requires.
    pub(crate) fn meant_by(word: &str, operand: &str) -> Option<Self> {
        let meant = nearest(word, VOCABULARIES.iter().map(|vocabulary| vocabulary.word))?;
        let operation = Self::from_word(meant)?;
        let vocabulary = operation.vocabulary();
        let mut words = vocabulary.required.iter().chain(vocabulary.optional);
        words.any(|keyword| operand.contains(&format!("{keyword}="))).then_some(operation)
    }

    fn accepts(self, keyword: &str) -> bool {
        let words = self.vocabulary();
        words.required.contains(&keyword) || words.optional.contains(&keyword)
    }
}

/// Checks R122, R123 and R179 for the items of `statement`.
pub(crate) fn check(statement: &Statement, operation: Operation, findings: &mut Findings) {
    let meant = check_items(statement, operation, findings);
    let hidden = |keyword: &str| statement.hidden.iter().find(|hidden| canonical(&hidden.word) == keyword);
    let mut explained: Vec<&str> = Vec::new();
    for &required in operation.vocabulary().required {
        // A keyword that is there, misspelt, is one mistake.
        if statement.item(required).is_some() || meant.contains(&required) {
            continue;
        }
        let mut message =
            findings.error(122, &statement.operation.span, format!("{} needs {required}", operation.word()));
        message = match hidden(required) {
            Some(found) => {
                explained.push(required);
                let fix = if found.on_continuation {
                    "end the operand with a comma: without it the continuation cards are comment"
                } else {
                    "put a comma in place of the blank: what follows a blank is comment"
                };
                message.other(findings.label(&found.span, "hidden in a comment")).fix(fix)
            }
            None => message.fix(format!("add {required}=")),
        };
        findings.report(message);
    }
    let one_root = !explained.is_empty();
    for found in &statement.hidden {
        if one_root || !found.at_head || !operation.accepts(canonical(&found.word)) {
            continue;
        }
        let message = findings
            .error(KEYWORD_IN_COMMENT, &found.span, format!("{}= is in a comment and is ignored", found.word))
            .severity(Severity::Warning)
            .fix("put a comma where the operand ends, or reword the comment");
        findings.report(message);
        break;
    }
    if operation == Operation::Id && statement.items.is_empty() {
        let message = findings.error(122, &statement.operation.span, "ID needs at least one keyword");
        findings.report(message.fix("add MSG1='...'"));
    }
}

/// Checks R123 and R179 for each item; returns the keywords that misspelt ones were meant to be.
fn check_items(statement: &Statement, operation: Operation, findings: &mut Findings) -> Vec<&'static str> {
    let vocabulary = operation.vocabulary();
    let mut meant = Vec::new();
    let mut seen: Vec<(&str, &Range<usize>)> = Vec::new();
    for item in &statement.items {
        let (name, span) = match &item.keyword {
            Some(keyword) => {
                let name = canonical(&keyword.value);
                meant.extend(check_keyword(name, &keyword.span, operation, findings));
                (name, &keyword.span)
            }
            None => {
                let word = item.value.text().unwrap_or_default();
                check_word(word, &item.value.span, operation, findings);
                // `SHARED` and `SHARED=Y` mean the same; the stray Y and N of old decks mean nothing.
                (if vocabulary.positional.contains(&word) { word } else { continue }, &item.value.span)
            }
        };
        match seen.iter().find(|(earlier, _)| *earlier == name) {
            Some((_, first)) => {
                let message = findings
                    .error(123, span, format!("duplicate keyword {name}"))
                    .other(findings.label(first, "coded first here"))
                    .fix(format!("keep one {name}"));
                findings.report(message);
            }
            None => seen.push((name, span)),
        }
    }
    meant
}

/// Reports a keyword that is ignored or unknown; returns the keyword that it was meant to be.
fn check_keyword(
    name: &str,
    span: &Range<usize>,
    operation: Operation,
    findings: &mut Findings,
) -> Option<&'static str> {
    let vocabulary = operation.vocabulary();
    if vocabulary.ignored.contains(&name) {
        let message = findings
            .error(KEYWORD_IGNORED, span, format!("{name}= is not a keyword of IOCP and is ignored"))
            .severity(Severity::Warning);
        findings.report(message);
        return None;
    }
    if operation.accepts(name) {
        return None;
    }
    let synonym = Some("PARTITION").filter(|_| operation.accepts("PART"));
    let meant = nearest(name, vocabulary.required.iter().chain(vocabulary.optional).copied().chain(synonym));
    let fix = match meant {
        Some(meant) => format!("did you mean {meant}?"),
        None => format!("keywords of {} are {}", operation.word(), known(vocabulary)),
    };
    let words = format!("{name} is not a keyword of {}", operation.word());
    findings.report(findings.error(179, span, words).fix(fix));
    meant.map(canonical)
}

/// Reports an unknown word without `=`.
fn check_word(word: &str, span: &Range<usize>, operation: Operation, findings: &mut Findings) {
    let vocabulary = operation.vocabulary();
    if vocabulary.positional.contains(&word) {
        return;
    }
    let fix = if operation.accepts(word) {
        format!("write {word}=value")
    } else if let Some(meant) = nearest(word, vocabulary.positional.iter().copied()) {
        format!("did you mean {meant}?")
    } else {
        format!("keywords of {} are {}", operation.word(), known(vocabulary))
    };
    let words = format!("{word} is unknown without `=` and a value");
    findings.report(findings.error(179, span, words).fix(fix));
}

fn known(vocabulary: &Vocabulary) -> String {
    [vocabulary.required, vocabulary.optional].concat().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_operation_has_its_own_vocabulary() {
        for vocabulary in &VOCABULARIES {
            assert_eq!(vocabulary.operation.word(), vocabulary.word);
            assert_eq!(Operation::from_word(vocabulary.word), Some(vocabulary.operation));
            assert!(vocabulary.key.is_empty() || vocabulary.operation.accepts(vocabulary.key));
        }
        assert_eq!(Operation::from_word("CHANNEL"), None);
    }

    #[test]
    fn partition_is_part() {
        assert_eq!(canonical("PARTITION"), "PART");
        assert_eq!(canonical("PATH"), "PATH");
    }
}
