//! The known name that a mistyped one most likely meant.

/// Returns the name in `known` that `wrong` is closest to, where it may be a typing mistake. That is at most one edit
/// in three characters, letter case not counted, with something left of the name. The first of equals wins.
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = wrong.to_lowercase();
    let limit = (wrong.chars().count() / 3).max(1);
    known
        .into_iter()
        .filter(|name| *name != wrong)
        .map(|name| (distance(&lower, &name.to_lowercase()), name))
        .filter(|(edits, name)| *edits <= limit && *edits < name.chars().count())
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, name)| name)
}

/// Returns words for a fix: the nearest name, or else all that are known.
pub fn nearest_or_all<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> String {
    if let Some(name) = nearest(wrong, known.clone()) {
        return format!("did you mean `{name}`?");
    }
    let all: Vec<_> = known.into_iter().map(|name| format!("`{name}`")).collect();
    if all.is_empty() { "none is known".into() } else { format!("known are {}", all.join(", ")) }
}

/// Edits (insert, delete, replace one character, or swap two neighbours) that turn `from` into `to`.
fn distance(from: &str, to: &str) -> usize {
    let from: Vec<char> = from.chars().collect();
    let to: Vec<char> = to.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in to.iter().enumerate() {
            let mut edits = (above[j] + usize::from(a != b)).min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == to[j - 1] && from[i - 1] == *b {
                edits = edits.min(before[j - 1] + 1);
            }
            row.push(edits);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("pchid", "pchids"), 1);
        assert_eq!(distance("pcihd", "pchid"), 1);
        assert_eq!(distance("kitten", "sitting"), 3);
    }

    #[test]
    fn slips_of_a_statement_lead_back_to_it() {
        let known = ["CHPID", "CNTLUNIT", "IODEVICE", "FUNCTION", "CUNUMBR", "TYPE", "PCHID"];
        for (word, meant) in [
            ("CHIPD", Some("CHPID")),
            ("CNTLUNT", Some("CNTLUNIT")),
            ("IODEVCIE", Some("IODEVICE")),
            ("CUNUMBER", Some("CUNUMBR")),
            ("TYP", Some("TYPE")),
            ("TPYE", Some("TYPE")),
            ("SWITCHES", None),
            ("SPEED", None),
            ("", None),
            ("CHPID", None),
        ] {
            assert_eq!(nearest(word, known), meant, "{word}");
        }
    }

    #[test]
    fn a_slip_finds_its_word_and_another_word_does_not() {
        let known = ["warmup_s", "interval_s", "intervals"];
        assert_eq!(nearest("interval", known), Some("intervals"));
        assert_eq!(nearest("Warmup_S", known), Some("warmup_s"));
        assert_eq!(nearest("colour", known), None);
        assert_eq!(nearest_or_all("colour", ["a", "b"]), "known are `a`, `b`");
    }
}
