//! The values that a key takes in a sweep, and the points that several keys make together.
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

use halftrack_input::messages::sweep::{NOT_A_SET, OUT_OF_STEP, SET_TWICE, TOO_MANY_POINTS};
use halftrack_input::{Diagnostic, Label, SourceFile};

use crate::change::Change;
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

/// Returns the changes of every point: all combinations of `groups`, the last changing fastest; the sets of a group
/// change in step. No group makes one point, the study itself.
///
/// # Errors
/// The same key in two sets; more than [`POINTS_MAX`] points.
pub fn product(groups: &[Vec<ValueSet>]) -> Result<Vec<Vec<Change>>, Box<Diagnostic>> {
    let keys: Vec<&Key> = groups.iter().flatten().map(|set| &set.key).collect();
    for (index, key) in keys.iter().enumerate() {
        if keys[..index].contains(key) {
            let source = SourceFile::new("--set", key.text());
            let message = format!("`{key}` is set twice");
            return Err(Diagnostic::error(SET_TWICE, &source, 0..source.text.len(), message)
                .fix("put all its values into one set")
                .into());
        }
    }
    let sizes: Vec<usize> = groups.iter().filter_map(|group| Some(group.first()?.values.len())).collect();
    let count = sizes.iter().try_fold(1_usize, |count, size| count.checked_mul(*size));
    if count.is_none_or(|count| count > POINTS_MAX) {
        let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
        let source = SourceFile::new("--set", sizes.join(" x "));
        let message = format!("{} points are more than {POINTS_MAX}", source.text);
        return Err(Diagnostic::error(TOO_MANY_POINTS, &source, 0..source.text.len(), message)
            .fix("sweep fewer keys or values at once")
            .into());
    }
    let mut points = vec![Vec::new()];
    for group in groups.iter().filter(|group| !group.is_empty()) {
        points = points.iter().flat_map(|point| with_each(point, group)).collect();
    }
    Ok(points)
}

fn with_each(point: &[Change], group: &[ValueSet]) -> Vec<Vec<Change>> {
    let change =
        |set: &ValueSet, step: usize| Change { key: set.key.clone(), value: set.values[step].clone() };
    let steps = 0..group[0].values.len();
    steps
        .map(|step| point.iter().cloned().chain(group.iter().map(|set| change(set, step))).collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(text: &str) -> ValueSet {
        text.parse().unwrap_or_else(|error: Box<Diagnostic>| panic!("{error}"))
    }

    fn points(sets: &[&str]) -> Vec<String> {
        let groups: Vec<_> = sets.iter().map(|text| sets_in_step(text).expect("sets")).collect();
        let points = product(&groups).expect("a sweep");
        let values =
            |point: &Vec<Change>| point.iter().map(|change| change.value.clone()).collect::<Vec<_>>();
        points.iter().map(|point| values(point).join(" ")).collect()
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
    fn points_are_all_combinations_the_last_set_changing_fastest() {
        assert_eq!(
            points(&["plant.cable.100.km=1,2", "workload.run.seed=7,8,9"]),
            ["1 7", "1 8", "1 9", "2 7", "2 8", "2 9"]
        );
        assert_eq!(product(&[]).expect("the study itself"), [[]]);
    }

    #[test]
    fn sets_in_step_change_together() {
        let shares = "workload.stream.A.closed.jobs=9,5; workload.stream.B.closed.jobs=1,5";
        assert_eq!(points(&[shares, "deck.ID.MSG1='A;B',C"]), ["9 1 'A;B'", "9 1 C", "5 5 'A;B'", "5 5 C"]);
        let unlike = sets_in_step("plant.cable.100.km=1,2;workload.run.seed=1..3").expect_err("out of step");
        assert_eq!(
            unlike.line(),
            "HTK958E --set:1:24 `plant.cable.100.km` has 2 values and `workload.run.seed` has 3"
        );
    }

    #[test]
    fn sweeps_without_end_and_keys_set_twice_are_refused() {
        let many = set("workload.run.seed=1..1000");
        let other = |key: &str| ValueSet { key: key.parse().expect("a key"), ..many.clone() };
        let refusal = product(&[vec![many.clone()], vec![other("workload.run.intervals")]])
            .expect_err("too many")
            .line();
        assert_eq!(refusal, "HTK957E --set:1:1 1000 x 1000 points are more than 100000");
        let refusal = product(&[vec![many.clone(), many.clone()]]).expect_err("twice").line();
        assert_eq!(refusal, "HTK956E --set:1:1 `workload.run.seed` is set twice");
    }
}
