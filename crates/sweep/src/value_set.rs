//! The values that a key takes in a sweep.
//!
//! ```text
//! sets   = set *( ";" set )        in step: the first value of each, the second of each and so on
//! set    = key "=" value *( "," value )
//! value  = range | text            commas and semicolons within ( ), [ ], { } and quotation marks do not separate
//! range  = number ".." number [ ":" step | "*" factor ]
//! ```

use std::ops::Range;
use std::str::FromStr;
use std::sync::Arc;

use halftrack_input::messages::sweep::{NOT_A_SET, OUT_OF_STEP};
use halftrack_input::{Diagnostic, Label, SourceFile};

use crate::key::Key;
use crate::number_range::{NotARange, number_range};

/// Most points of one sweep, and most values of one set.
pub const POINTS_MAX: usize = 100_000;

/// A key and the values that it takes, in the order given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueSet {
    /// The key.
    pub key: Key,
    /// At least one value.
    pub values: Vec<String>,
}

impl FromStr for ValueSet {
    type Err = Box<Diagnostic>;

    /// Reads `workload.stream.OLTP1.open.rate_per_s=1000,2000` or `plant.cable.*.km=0..100:10`.
    ///
    /// # Errors
    /// The part before `=` is no key, a value is empty, a range never ends or has too many values.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let source = SourceFile::new("--set", text);
        let Some(equals) = equals(text) else {
            return Err(Diagnostic::error(
                NOT_A_SET,
                &source,
                0..text.len(),
                "no `=` and values follow the key",
            )
            .fix("write `--set KEY=VALUE,VALUE,...`")
            .into());
        };
        let key: Key = text[..equals].parse().map_err(|error: Box<Diagnostic>| {
            let at = Label { source: Arc::clone(&source), ..error.at.clone() };
            Box::new(Diagnostic { at, ..*error })
        })?;
        let mut values = Vec::new();
        for span in separated(text, equals + 1, ',') {
            let value = text[span.clone()].trim();
            if value.is_empty() {
                return Err(Diagnostic::error(NOT_A_SET, &source, span, "a value is empty")
                    .fix("write at least one value, and one after every comma; `none` takes the key out")
                    .into());
            }
            let bad =
                |message: String| Box::new(Diagnostic::error(NOT_A_SET, &source, span.clone(), message));
            match number_range(value, POINTS_MAX) {
                Ok(numbers) => values.extend(numbers),
                Err(NotARange::Text) => values.push(value.to_owned()),
                Err(NotARange::Endless) => return Err(bad(format!("`{value}` does not lead to its end"))),
                Err(NotARange::TooLong) => {
                    return Err(bad(format!("`{value}` has more than {POINTS_MAX} values")));
                }
            }
        }
        Ok(Self { key, values })
    }
}

/// Finds the first `=` outside quotation marks.
fn equals(text: &str) -> Option<usize> {
    let mut quoted = false;
    text.char_indices().find_map(|(at, ch)| {
        quoted ^= ch == '"';
        (ch == '=' && !quoted).then_some(at)
    })
}

/// Returns the parts of `text` from byte `start` on, between separators outside brackets and quotation marks.
fn separated(text: &str, start: usize, separator: char) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let (mut begin, mut depth, mut quote) = (start, 0_usize, None);
    for (at, ch) in text[start..].char_indices().map(|(at, ch)| (start + at, ch)) {
        match (quote, ch) {
            (Some(open), _) => quote = Some(open).filter(|open| *open != ch),
            (None, '"' | '\'') => quote = Some(ch),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, ch) if ch == separator && depth == 0 => {
                spans.push(begin..at);
                begin = at + 1;
            }
            _ => {}
        }
    }
    spans.push(begin..text.len());
    spans
}

/// Returns the sets of one `--set`: one, or several that change in step, as
/// `workload.stream.A.closed.jobs=90,50;workload.stream.B.closed.jobs=10,50` does.
///
/// # Errors
/// As for each [`ValueSet`]; sets in step with unlike numbers of values.
pub fn sets_in_step(text: &str) -> Result<Vec<ValueSet>, Box<Diagnostic>> {
    let spans = separated(text, 0, ';');
    let sets = spans.iter().map(|span| text[span.clone()].trim().parse());
    let sets = sets.collect::<Result<Vec<ValueSet>, _>>()?;
    let other = sets.iter().position(|set| set.values.len() != sets[0].values.len());
    let Some(other) = other else { return Ok(sets) };
    let message = format!(
        "`{}` has {} values and `{}` has {}",
        sets[0].key,
        sets[0].values.len(),
        sets[other].key,
        sets[other].values.len()
    );
    let source = SourceFile::new("--set", text);
    Err(Diagnostic::error(OUT_OF_STEP, &source, spans[other].clone(), message)
        .fix("give sets in step as many values each, or write another `--set` for all combinations")
        .into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(text: &str) -> ValueSet {
        text.parse().unwrap_or_else(|error: Box<Diagnostic>| panic!("{error}"))
    }

    fn refusal(text: &str) -> String {
        text.parse::<ValueSet>().expect_err("no set").line()
    }

    #[test]
    fn commas_separate_outside_brackets_and_quotation_marks() {
        assert_eq!(set("plant.cable.100.km=1, 2.5 ,none").values, ["1", "2.5", "none"]);
        let tables = set("workload.stream.A.open={ rate_per_s = 1, arrivals = \"x\" },{ rate_per_s = 2 }");
        assert_eq!(tables.values.len(), 2);
        assert_eq!(set("deck.CHPID.40.PATH=(CSS(0),40),(CSS(1),40)").values, ["(CSS(0),40)", "(CSS(1),40)"]);
        assert_eq!(set("deck.ID.MSG1='A,B',C").values, ["'A,B'", "C"]);
        assert_eq!(set("workload.stream.A.devices=[\"1,2\", \"3\"],[]").values, ["[\"1,2\", \"3\"]", "[]"]);
        assert_eq!(set("plant.isl.\"A=B\".km=0..2").values, ["0", "1", "2"]);
    }

    #[test]
    fn what_is_no_set_is_shown_where_it_goes_wrong() {
        assert_eq!(refusal("plant.cable.100.km"), "HTK955E --set:1:1 no `=` and values follow the key");
        assert_eq!(refusal("cable.100.km=1"), "HTK950E --set:1:1 `cable` is no file of a study");
        assert_eq!(refusal("plant.cable.100.km=1,,2"), "HTK955E --set:1:22 a value is empty");
        assert_eq!(refusal("plant.cable.100.km="), "HTK955E --set:1:20 a value is empty");
        assert_eq!(
            refusal("plant.cable.100.km=1..5:0"),
            "HTK955E --set:1:20 `1..5:0` does not lead to its end"
        );
        assert!(refusal("plant.cable.100.km=1..900000").ends_with("`1..900000` has more than 100000 values"));
    }

    #[test]
    fn sets_in_step_have_as_many_values_each() {
        let unlike = sets_in_step("plant.cable.100.km=1,2;workload.run.seed=1..3").expect_err("out of step");
        assert_eq!(
            unlike.line(),
            "HTK958E --set:1:24 `plant.cable.100.km` has 2 values and `workload.run.seed` has 3"
        );
    }
}
