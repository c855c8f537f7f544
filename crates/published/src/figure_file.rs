//! Reading a file of figures: `published/DOCUMENT.toml`.

use std::sync::Arc;

use halftrack_input::messages::published as numbers;
use halftrack_input::{
    Diagnostic, Expect, Fields, FreeTable, Label, Located, SourceFile, nearest_or_all, read_document,
};

use crate::figure::{Figure, KINDS, Printed, RELATIONS};
use crate::units::{Comparison, Known, Units};

/// Largest value that a figure may have.
const VALUE_MAX: f64 = 1e15;

/// A document and its figures.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// Its id, the source of its figures.
    pub source: String,
    /// Title in words.
    pub title: String,
    /// The figures in the order of the file.
    pub figures: Vec<Figure>,
    /// Its table of generation codes of RMF's G column, if it prints one.
    pub codes: Vec<FreeTable>,
}

/// Reads a file; figures with a mistake are reported and left out.
pub(crate) fn read_figures(source: &Arc<SourceFile>, units: &Units) -> (Option<Document>, Vec<Diagnostic>) {
    read_document(source, |fields| {
        let id = fields.required("source", Expect::text());
        let title = fields.required("title", Expect::text());
        fields.optional("date", Expect::text());
        let count = fields.optional("figures", Expect::<u32>::integer(0..=1_000_000));
        let codes = fields.free_tables("code");
        fields.free_tables("model");
        let document = id.as_ref().map(|id| id.value.clone()).unwrap_or_default();
        let mut tables = 0;
        let figures = fields.tables("figure", |figure| {
            tables += 1;
            read_figure(figure, &document, units)
        });
        if let Some(count) = count
            && count.value != tables
        {
            let message = format!("`figures` is {}, but the file has {tables}", count.value);
            fields.error(numbers::MISCOUNTED, count.span, message, "correct the number, or leave it out");
        }
        Some(Document { source: id?.value, title: title?.value, figures, codes })
    })
}

fn read_figure(figure: &mut Fields<'_>, document: &str, units: &Units) -> Option<Figure> {
    let id = figure.required("id", Expect::text());
    let place = figure.required("where", Expect::text());
    let what = figure.required("what", Expect::text());
    let quantity = figure.required("quantity", Expect::text());
    let relation = figure.required("relation", Expect::one_of(RELATIONS));
    let printed = read_printed(figure);
    let any = Expect::new("a string", |value| value.as_str().map(str::to_owned));
    let unit = figure.required("unit", any);
    let kind = figure.required("kind", Expect::one_of(KINDS));
    let params = figure.free_table("params").unwrap_or_default();
    let erratum = figure.optional("erratum", Expect::text()).map(|erratum| erratum.value);
    figure.optional("note", Expect::text());
    figure.optional("as_printed", Expect::text());
    figure.optional("ocr", Expect::flag());
    let comparison = comparison(figure, quantity.as_ref()?, unit.as_ref()?, units)?;
    let id = id?;
    Some(Figure {
        at: Label::new(figure.source(), id.span, "first here"),
        id: id.value,
        source: document.to_owned(),
        place: place?.value,
        what: what?.value,
        relation: relation?.value,
        printed: printed?,
        unit: unit?.value,
        comparison,
        kind: kind?.value,
        params,
        erratum,
    })
}

/// Reads `value`, or `low` and `high`.
fn read_printed(figure: &mut Fields<'_>) -> Option<Printed> {
    let number = || Expect::number(-VALUE_MAX..=VALUE_MAX);
    let present = ["value", "low", "high"].map(|key| figure.has(key));
    let value = figure.optional("value", number());
    let low = figure.optional("low", number());
    let high = figure.optional("high", number());
    match present {
        [true, false, false] => value.map(|value| Printed::Value(value.value)),
        [false, true, true] => {
            let (low, high) = (low?, high?);
            if low.value > high.value {
                let message = format!("`low` is {}, above `high`, {}", low.value, high.value);
                figure.error(numbers::NO_VALUE, low.span, message, "exchange the two");
                return None;
            }
            Some(Printed::Range { low: low.value, high: high.value })
        }
        _ => {
            let message = "a figure has either `value` or both `low` and `high`";
            figure.error(numbers::NO_VALUE, figure.span(), message, "add `value = ...`");
            None
        }
    }
}

fn comparison(
    figure: &Fields<'_>,
    quantity: &Located<String>,
    unit: &Located<String>,
    units: &Units,
) -> Option<Option<Comparison>> {
    match units.get(&quantity.value, &unit.value) {
        Known::Unit(comparison) => Some(comparison),
        Known::NoQuantity => {
            let message = format!("the quantity \"{}\" is unknown", quantity.value);
            let fix = nearest_or_all(&quantity.value, units.quantities());
            figure.error(numbers::UNKNOWN_UNIT, quantity.span.clone(), message, fix);
            None
        }
        Known::NoUnit => {
            let message = format!("\"{}\" is an unknown unit of {}", unit.value, quantity.value);
            let fix = nearest_or_all(&unit.value, units.of(&quantity.value));
            figure.error(numbers::UNKNOWN_UNIT, unit.span.clone(), message, fix);
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Kind, Relation};

    const UNITS: &str = "[[unit]]\nquantity = \"iops\"\nwords = [\"IO/s\"]\ncompared_with = \"1/s\"\n";

    fn read(text: &str) -> (Option<Document>, Vec<Diagnostic>) {
        let mut units = Units::default();
        assert_eq!(units.add(&SourceFile::new("units.toml", UNITS)), []);
        read_figures(&SourceFile::new("f.toml", text), &units)
    }

    fn file(figure: &str) -> String {
        format!("source = \"doc\"\ntitle = \"A document\"\n[[figure]]\n{figure}")
    }

    const RIGHT: &str = "id = \"a\"\nwhere = \"Figure 1\"\nwhat = \"Rate\"\nquantity = \"iops\"\nrelation = \">\"\n\
                         value = 302_000\nunit = \"IO/s\"\nkind = \"measured\"\nparams = { block_bytes = 4096 }\n";

    #[test]
    fn a_figure_is_read_whole() {
        let (document, found) = read(&file(RIGHT));
        assert_eq!(found, []);
        let document = document.expect("well-formed");
        let figure = &document.figures[0];
        assert_eq!((figure.id.as_str(), figure.source.as_str()), ("a", "doc"));
        assert_eq!((figure.relation, figure.kind), (Relation::Above, Kind::Measured));
        assert_eq!(figure.printed, Printed::Value(302_000.0));
        assert!(figure.comparison.is_some());
        assert_eq!(figure.params["block_bytes"], "4096");
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (from, to, expected) in [
            ("unit = \"IO/s\"", "unit = \"IOs\"", "HTK971E f.toml:10:8 \"IOs\" is an unknown unit of iops"),
            ("\"iops\"", "\"oips\"", "HTK971E f.toml:7:12 the quantity \"oips\" is unknown"),
            ("value = 302_000\n", "", "HTK972E f.toml:3:1 a figure has either `value` or both"),
            ("value = 302_000", "low = 3\nhigh = 2", "HTK972E f.toml:9:7 `low` is 3, above `high`, 2"),
            ("value = 302_000", "value = 3\nlow = 2", "HTK972E f.toml:3:1 a figure has either"),
            ("\">\"", "\"=>\"", "HTK894E f.toml:8:12 `relation` is \"=>\": expected \"=\", \"~\""),
            ("\"measured\"", "\"guess\"", "HTK894E f.toml:11:8 `kind` is \"guess\": expected \"measured\""),
            ("what =", "waht =", "HTK893E f.toml:3:1 `what` is missing in [[figure]]"),
        ] {
            let (_, found) = read(&file(&RIGHT.replace(from, to)));
            assert!(found[0].line().starts_with(expected), "{to}: {}", found[0]);
        }
    }

    #[test]
    fn a_miscounted_file_is_said() {
        let text = format!("figures = 2\n{}", file(RIGHT));
        let (_, found) = read(&text);
        assert_eq!(found[0].line(), "HTK973E f.toml:1:11 `figures` is 2, but the file has 1");
    }
}
