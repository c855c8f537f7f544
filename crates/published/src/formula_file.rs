//! Reading how the value of a figure is made of quantities: the forms of an `[[experiment.answer]]`.

use halftrack_input::{Expect, Fields, Located};

use crate::computed_file::{self, Inputs, read_computed};
use crate::formula::{CatalogNumber, Formula};
use crate::term::Term;

const WORDS: &str = "a quantity and a point such as \"response_ms:READ@light\", or a place of a sweep such as \
                     \"rate_per_s@loads where iop_busy_percent=70\"";
const CATALOG_WORDS: &str = "a number of the catalog such as \"channel/fex32s credits\"";
/// Keys of values that runs or the catalog give.
const FORMS: [&str; 22] = [
    "value",
    "ratio",
    "difference",
    "ratio_of_differences",
    "percent_of",
    "reduction_percent",
    "increase_percent",
    "sum",
    "weighted_sum",
    "mean",
    "max",
    "min",
    "knee",
    "at_knee",
    "interpolated",
    "least",
    "first_at",
    "first_below",
    "deepest",
    "crossing",
    "slope",
    "catalog",
];

impl Formula {
    /// Reads the formula of an answer; `None` without a message when there is none.
    pub(crate) fn read(fields: &mut Fields<'_>, inputs: &Inputs<'_>) -> Option<Self> {
        let given: Vec<&str> = forms().filter(|form| fields.has(form)).collect();
        let value = fields.optional("value", term()).map(Self::Value);
        let ratio = pair(fields, "ratio").map(|(a, b)| Self::Ratio(a, b));
        let difference = pair(fields, "difference").map(|(a, b)| Self::Difference(a, b));
        let ratio_of_differences = two_pairs(fields, "ratio_of_differences").map(Self::RatioOfDifferences);
        let percent_of = pair(fields, "percent_of").map(|(a, b)| Self::PercentOf(a, b));
        let reduction = pair(fields, "reduction_percent").map(|(a, b)| Self::ReductionPercent(a, b));
        let increase = pair(fields, "increase_percent").map(|(a, b)| Self::IncreasePercent(a, b));
        let sum = several(fields, "sum").map(Self::Sum);
        let weighted_sum = Some(fields.tables("weighted_sum", read_part))
            .filter(|parts| !parts.is_empty())
            .map(Self::WeightedSum);
        let mean = several(fields, "mean").map(Self::Mean);
        let max = several(fields, "max").map(Self::Max);
        let min = several(fields, "min").map(Self::Min);
        let knee = fields.optional_table("knee", read_knee);
        let at_knee = fields.optional_table("at_knee", read_at_knee);
        let interpolated = fields.optional_table("interpolated", read_interpolated);
        let least = fields.optional_table("least", read_least);
        let first_at = fields.optional_table("first_at", |first| read_first(first, false));
        let first_below = fields.optional_table("first_below", |first| read_first(first, true));
        let deepest = fields.optional_table("deepest", read_deepest);
        let crossing = fields.optional_table("crossing", read_crossing);
        let slope = fields.optional_table("slope", read_slope);
        let catalog = fields
            .optional("catalog", Expect::parsed(CATALOG_WORDS, CatalogNumber::parse))
            .map(Self::Catalog);
        let computed = read_computed(fields, inputs).map(|computed| Self::Computed(Box::new(computed)));
        if given.len() > 1 {
            let message = format!("an answer is read in one way, not by {}", given.join(" and "));
            fields.error(
                halftrack_input::messages::toml_file::CHOOSE_ONE,
                fields.span(),
                message,
                "keep one of them",
            );
            return None;
        }
        let one = [value, ratio, difference, percent_of, reduction, increase, sum, mean, max, min];
        let whole = [first_at, first_below, deepest];
        let curve = [knee, at_knee, interpolated, least, crossing, slope, catalog];
        one.into_iter()
            .chain([ratio_of_differences, weighted_sum])
            .chain(whole)
            .chain(curve)
            .chain([computed])
            .flatten()
            .next()
    }

    /// Returns true when an answer has a formula, whether a valid one or not.
    pub(crate) fn is_given(fields: &Fields<'_>) -> bool {
        forms().any(|form| fields.has(form))
    }
}

/// Keys of which an answer has one.
fn forms() -> impl Iterator<Item = &'static str> {
    FORMS.into_iter().chain(computed_file::FORMS)
}

impl CatalogNumber {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (entry, key) = text.split_once(' ')?;
        let (directory, id) = entry.split_once('/')?;
        Some(Self { directory: directory.to_owned(), id: id.to_owned(), key: key.trim().to_owned() })
    }
}

fn term() -> Expect<'static, Term> {
    Expect::parsed(WORDS, Term::parse)
}

fn several(fields: &mut Fields<'_>, key: &'static str) -> Option<Vec<Located<Term>>> {
    fields.optional_list(key, term()).filter(|terms| !terms.is_empty())
}

/// Reads a multiple of a term.
fn read_part(part: &mut Fields<'_>) -> Option<(f64, Located<Term>)> {
    let times = part.required("times", Expect::positive(1e6));
    let of = part.required("of", term());
    Some((times?.value, of?))
}

fn pair(fields: &mut Fields<'_>, key: &'static str) -> Option<(Located<Term>, Located<Term>)> {
    let terms = fields.optional_list(key, term())?;
    let Ok([first, second]) = <[Located<Term>; 2]>::try_from(terms) else {
        let message = format!("`{key}` is of two terms, the first compared with the second");
        let fix = format!("write `{key} = [\"...\", \"...\"]`");
        fields.error(halftrack_input::messages::toml_file::UNEXPECTED_VALUE, fields.span(), message, fix);
        return None;
    };
    Some((first, second))
}

fn two_pairs(fields: &mut Fields<'_>, key: &'static str) -> Option<[Located<Term>; 4]> {
    let terms = fields.optional_list(key, term())?;
    let Ok(terms) = <[Located<Term>; 4]>::try_from(terms) else {
        let message =
            format!("`{key}` is of four terms: the first two differ by so much, the last two by so much");
        let fix = format!("write `{key} = [\"...\", \"...\", \"...\", \"...\"]`");
        fields.error(halftrack_input::messages::toml_file::UNEXPECTED_VALUE, fields.span(), message, fix);
        return None;
    };
    Some(terms)
}

fn read_knee(knee: &mut Fields<'_>) -> Option<Formula> {
    let rate = knee.required("rate", term());
    let response = knee.required("response", term());
    let factor = knee.required("factor", Expect::number(1.0..=1000.0));
    Some(Formula::Knee { rate: rate?, response: response?, factor: factor?.value })
}

fn read_at_knee(fields: &mut Fields<'_>) -> Option<Formula> {
    let y = fields.required("y", term());
    let rate = fields.required("rate", term());
    let response = fields.required("response", term());
    let factor = fields.required("factor", Expect::number(1.0..=1000.0));
    Some(Formula::AtKnee { y: y?, rate: rate?, response: response?, factor: factor?.value })
}

fn read_interpolated(fields: &mut Fields<'_>) -> Option<Formula> {
    let y = fields.required("y", term());
    let x = fields.required("x", term());
    let at = fields.required("at", Expect::number(-1e15..=1e15));
    Some(Formula::Interpolated { y: y?, x: x?, at: at?.value })
}

fn read_least(fields: &mut Fields<'_>) -> Option<Formula> {
    let x = fields.required("x", term());
    let y = fields.required("y", term());
    let share = fields.required("share", Expect::number(0.001..=1.0));
    let per = fields.optional("per", Expect::positive(1e12));
    Some(Formula::Least { x: x?, y: y?, share: share?.value, per: per.map(|per| per.value) })
}

fn read_first(fields: &mut Fields<'_>, is_below: bool) -> Option<Formula> {
    let x = fields.required("x", term());
    let y = fields.required("y", term());
    let share = fields.required("share", Expect::number(0.001..=1.0));
    Some(Formula::First { x: x?, y: y?, share: share?.value, is_below })
}

fn read_deepest(fields: &mut Fields<'_>) -> Option<Formula> {
    let x = fields.required("x", term());
    let y = fields.required("y", term());
    let beside = fields.required("beside", term());
    Some(Formula::Deepest { x: x?, y: y?, beside: beside? })
}

fn read_crossing(fields: &mut Fields<'_>) -> Option<Formula> {
    let x = fields.required("x", term());
    let a = fields.required("a", term());
    let b = fields.required("b", term());
    Some(Formula::Crossing { x: x?, a: a?, b: b? })
}

fn read_slope(fields: &mut Fields<'_>) -> Option<Formula> {
    let y = fields.required("y", term());
    let x = fields.required("x", term());
    Some(Formula::Slope { y: y?, x: x? })
}
