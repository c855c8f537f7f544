//! A number about hardware together with where it is from, so that a fit can never pass for a measurement.

use crate::expect::Expect;
use crate::fields::Fields;
use crate::located::Located;
use crate::messages::toml_file as numbers;

/// Where a value is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Printed in a published document, in these figures.
    Published {
        /// Ids of published figures.
        figures: Vec<String>,
    },
    /// Follows from a public architecture or standard.
    Architecture {
        /// Which one and how.
        reason: String,
    },
    /// Chosen so that the model meets published figures, which are therefore no predictions of it.
    Fitted {
        /// Ids of the figures it was fitted to.
        figures: Vec<String>,
    },
    /// An engineering value that nobody has published.
    Assumed {
        /// Why this value.
        reason: String,
    },
}

/// A value, where it stands and where it is from.
#[derive(Debug, Clone, PartialEq)]
pub struct Sourced<T> {
    /// The value.
    pub value: T,
    /// Where it is from.
    pub origin: Origin,
    /// Further words on a published or fitted value, such as the arithmetic; may be empty.
    pub note: String,
    /// Lowest and highest value that an assumed number may well have; `None` where nothing is given.
    pub range: Option<[f64; 2]>,
    /// Byte range of the value in its catalog file.
    pub span: std::ops::Range<usize>,
}

#[derive(Clone, Copy)]
enum Word {
    Published,
    Architecture,
    Fitted,
    Assumed,
}

impl Fields<'_> {
    /// Reads a value that must be there with its source: `{ value = 90, source = "published", figures =
    /// ["fex32s-channel-credits"] }`.
    pub fn sourced<T>(&mut self, key: &'static str, expect: Expect<'_, T>) -> Option<Sourced<T>> {
        self.table(key, |fields| {
            let value = fields.required("value", expect);
            let source = fields.required(
                "source",
                Expect::one_of([
                    ("published", Word::Published),
                    ("architecture", Word::Architecture),
                    ("fitted", Word::Fitted),
                    ("assumed", Word::Assumed),
                ]),
            );
            let figures = fields.optional_list("figures", Expect::text()).unwrap_or_default();
            let reason = fields.optional("reason", Expect::text()).map(|reason| reason.value);
            let range =
                range(fields, source.as_ref().is_some_and(|source| matches!(source.value, Word::Assumed)));
            let origin = origin(fields, source?, figures, reason.clone());
            let (value, origin, range) = (value?, origin?, range?);
            let note = match origin {
                Origin::Published { .. } | Origin::Fitted { .. } => reason.unwrap_or_default(),
                Origin::Architecture { .. } | Origin::Assumed { .. } => String::new(),
            };
            Some(Sourced { value: value.value, origin, note, range, span: value.span })
        })
    }

    /// Reads a value with its source that may be left out. `Some(None)` stands for one that is left out, `None` for one
    /// that is not well-formed.
    pub fn sourced_if_given<T>(
        &mut self,
        key: &'static str,
        expect: Expect<'_, T>,
    ) -> Option<Option<Sourced<T>>> {
        if self.has(key) { self.sourced(key, expect).map(Some) } else { Some(None) }
    }
}

/// Reads `low` and `high` of a value, which an assumed one may have, with the value between them. `Some(None)` when
/// left out.
fn range(fields: &mut Fields<'_>, is_assumed: bool) -> Option<Option<[f64; 2]>> {
    let ends = ["low", "high"].map(|key| fields.optional(key, Expect::number(f64::MIN..=f64::MAX)));
    let value =
        fields.take_key("value").and_then(|value| Expect::number(f64::MIN..=f64::MAX).take(value.get_ref()));
    let (message, fix) = match (&ends, value) {
        ([None, None], _) => return Some(None),
        ([Some(low), Some(high)], Some(value)) if is_assumed => {
            if (low.value..=high.value).contains(&value) {
                return Some(Some([low.value, high.value]));
            }
            (
                format!("{value} is not between {} and {}", low.value, high.value),
                "correct the value or its range",
            )
        }
        ([Some(_), Some(_)], _) => (
            String::from("only an assumed number has a range"),
            "remove `low` and `high`, or write `source = \"assumed\"`",
        ),
        _ => (String::from("a range has two ends"), "give `low` and `high`, or neither"),
    };
    let span = ends.into_iter().flatten().next().map_or_else(|| fields.span(), |end| end.span);
    fields.error(numbers::NO_ORIGIN, span, message, fix);
    None
}

fn origin(
    fields: &Fields<'_>,
    source: Located<Word>,
    figures: Vec<Located<String>>,
    reason: Option<String>,
) -> Option<Origin> {
    let wants_figures = matches!(source.value, Word::Published | Word::Fitted);
    if wants_figures && figures.is_empty() {
        let message = "a published or fitted value must name the figures it rests on";
        fields.error(numbers::NO_ORIGIN, source.span, message, "add `figures = [\"figure-id\"]`");
        return None;
    }
    if !wants_figures && let Some(figure) = figures.first() {
        let message = "only a published or fitted value rests on figures";
        let fix = "remove `figures`, or write `source = \"fitted\"`";
        fields.error(numbers::NO_ORIGIN, figure.span.clone(), message, fix);
        return None;
    }
    if !wants_figures && reason.is_none() {
        let message = "a value that no figure supports must give a reason";
        fields.error(numbers::NO_ORIGIN, source.span, message, "add `reason = \"...\"`");
        return None;
    }
    let figures = figures.into_iter().map(|figure| figure.value).collect();
    let reason = reason.unwrap_or_default();
    Some(match source.value {
        Word::Published => Origin::Published { figures },
        Word::Architecture => Origin::Architecture { reason },
        Word::Fitted => Origin::Fitted { figures },
        Word::Assumed => Origin::Assumed { reason },
    })
}

#[cfg(test)]
mod tests {
    use crate::source_file::SourceFile;

    use super::*;
    use crate::fields::read_document;

    fn read(line: &str) -> (Option<Sourced<u16>>, Vec<String>) {
        let source = SourceFile::new("t.toml", format!("credits = {line}\n"));
        let (value, found) =
            read_document(&source, |fields| fields.sourced("credits", Expect::integer(1..=100)));
        (value, found.iter().map(|one| one.line()).collect())
    }

    #[test]
    fn each_origin_needs_its_evidence() {
        let (value, found) = read(r#"{ value = 90, source = "published", figures = ["a", "b"] }"#);
        assert_eq!(found, Vec::<String>::new());
        let figures = vec!["a".to_owned(), "b".to_owned()];
        assert_eq!(value.map(|value| value.origin), Some(Origin::Published { figures }));

        let (value, _) = read(r#"{ value = 9, source = "assumed", reason = "x", low = 4.5, high = 9 }"#);
        assert_eq!(value.and_then(|value| value.range), Some([4.5, 9.0]));

        for (line, words) in [
            (r#"{ value = 9, source = "fitted" }"#, "must name the figures"),
            (r#"{ value = 9, source = "assumed" }"#, "must give a reason"),
            (r#"{ value = 9, source = "assumed", reason = "x", figures = ["a"] }"#, "only a published"),
            (r#"{ value = 9, source = "guessed", reason = "x" }"#, "expected \"published\""),
            (
                r#"{ value = 9, source = "assumed", reason = "x", low = 10, high = 20 }"#,
                "is not between 10 and 20",
            ),
            (r#"{ value = 9, source = "assumed", reason = "x", low = 1 }"#, "two ends"),
            (r#"{ value = 9, source = "fitted", figures = ["a"], low = 1, high = 20 }"#, "only an assumed"),
            (r#"{ value = 900, source = "assumed", reason = "x" }"#, "from 1 to 100"),
            ("90", "expected a table"),
        ] {
            let (value, found) = read(line);
            assert!(value.is_none(), "{line}");
            assert!(found.len() == 1 && found[0].contains(words), "{line}: {found:?}");
        }
    }
}
