//! Every number of the catalog with where it is from: the ledger that a scoreboard counts, and the one way to try
//! another value of a number.

use std::ops::Range;
use std::sync::Arc;

use halftrack_input::{Diagnostic, Origin, SourceFile, has_errors};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::catalog::Catalog;

/// One number of one catalog file.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Directory of its kind, such as `channel`.
    pub directory: String,
    /// Id of its entry, such as `fex32s`.
    pub id: String,
    /// Its key within the file, such as `transport.program_us`; elements of arrays by index from 0, `speed.1.mb_per_s`.
    pub key: String,
    /// The value.
    pub value: f64,
    /// Where the value is from.
    pub origin: Origin,
    /// Lowest and highest value that an assumed number may well have; `None` where nothing is given.
    pub range: Option<[f64; 2]>,
    /// Byte range of the value in its file.
    span: Range<usize>,
    /// Written without a fraction, so that another value must be whole too.
    whole: bool,
}

impl Parameter {
    /// `channel/fex32s transport.program_us`.
    pub fn name(&self) -> String {
        format!("{}/{} {}", self.directory, self.id, self.key)
    }

    /// Returns true when the value is written as a whole number, and another value must be whole too.
    pub fn is_whole(&self) -> bool {
        self.whole
    }
}

impl Catalog {
    /// Returns the numbers of entry `id` of the kind in `directory`, in the order of their keys; none for an unknown
    /// entry.
    pub fn parameters(&self, directory: &str, id: &str) -> Vec<Parameter> {
        let mut found = Vec::new();
        if let Some(source) = self.source(directory, id)
            && let Ok(document) = DeTable::parse(&source.text)
        {
            visit(document.get_ref(), (directory, id), "", &mut found);
        }
        found
    }

    /// Returns the catalog with another value of `parameter`, rounded when it must be whole.
    ///
    /// # Errors
    ///
    /// Messages of the catalog against the value, such as one outside the range of its key.
    pub fn with_value(&self, parameter: &Parameter, value: f64) -> Result<Self, Vec<Diagnostic>> {
        let mut catalog = self.clone();
        let mut found = Vec::new();
        if let Some(source) = self.source(&parameter.directory, &parameter.id) {
            let mut text = source.text.clone();
            let value = if parameter.whole { format!("{value:.0}") } else { format!("{value:?}") };
            text.replace_range(parameter.span.clone(), &value);
            let source: Arc<SourceFile> = SourceFile::new(source.name.clone(), text);
            catalog.put(&parameter.directory, &parameter.id, source, &mut found);
        }
        if has_errors(&found) { Err(found) } else { Ok(catalog) }
    }
}

/// Adds the numbers of every table within `table` that has a `value` and its origin.
fn visit(table: &DeTable<'_>, entry: (&str, &str), prefix: &str, found: &mut Vec<Parameter>) {
    for (key, value) in table.iter() {
        let key = format!("{prefix}{}", key.get_ref());
        match value.get_ref() {
            DeValue::Table(inner) => enter(inner, entry, key, found),
            DeValue::Array(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    if let DeValue::Table(inner) = element.get_ref() {
                        enter(inner, entry, format!("{key}.{index}"), found);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Adds the number that `table` is, or the numbers within it.
fn enter(table: &DeTable<'_>, entry: (&str, &str), key: String, found: &mut Vec<Parameter>) {
    let Some((value, span, whole)) = table.get("value").and_then(number) else {
        return visit(table, entry, &format!("{key}."), found);
    };
    let (directory, id) = (entry.0.to_owned(), entry.1.to_owned());
    let end = |key: &str| table.get(key).and_then(number).map(|(value, ..)| value);
    let range = end("low").zip(end("high")).map(|(low, high)| [low, high]);
    found.extend(origin(table).map(|origin| Parameter {
        directory,
        id,
        key,
        value,
        origin,
        range,
        span,
        whole,
    }));
}

fn number(value: &Spanned<DeValue<'_>>) -> Option<(f64, Range<usize>, bool)> {
    match value.get_ref() {
        DeValue::Integer(integer) => {
            let whole = i64::from_str_radix(integer.as_str(), integer.radix()).ok()?;
            Some((whole as f64, value.span(), true))
        }
        DeValue::Float(float) => Some((float.as_str().parse().ok()?, value.span(), false)),
        _ => None,
    }
}

fn origin(table: &DeTable<'_>) -> Option<Origin> {
    let text = |key: &str| table.get(key).and_then(|value| value.get_ref().as_str()).map(str::to_owned);
    let reason = text("reason").unwrap_or_default();
    let listed = table.get("figures").and_then(|value| value.get_ref().as_array());
    let figures = listed.into_iter().flat_map(|array| array.iter());
    let figures = figures.filter_map(|id| id.get_ref().as_str()).map(str::to_owned).collect();
    Some(match text("source")?.as_str() {
        "published" => Origin::Published { figures },
        "fitted" => Origin::Fitted { figures },
        "architecture" => Origin::Architecture { reason },
        "assumed" => Origin::Assumed { reason },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(catalog: &Catalog, key: &str) -> Parameter {
        let all = catalog.parameters("channel", "fex32s");
        all.into_iter().find(|parameter| parameter.key == key).unwrap_or_else(|| panic!("no {key}"))
    }

    #[test]
    fn every_number_of_a_card_is_in_the_ledger() {
        let (catalog, _) = Catalog::load(&[]);
        assert_eq!(named(&catalog, "credits").value, 90.0);
        assert!(matches!(named(&catalog, "transport.program_us").origin, Origin::Fitted { .. }));
        let speed = named(&catalog, "speed.3.generation");
        assert_eq!((speed.value, speed.is_whole()), (f64::from(0x2E), true));
        assert_eq!(speed.name(), "channel/fex32s speed.3.generation");
        assert_eq!(catalog.parameters("channel", "fex999"), []);
    }

    #[test]
    fn another_value_leaves_everything_else() {
        let (catalog, _) = Catalog::load(&[]);
        let changed = catalog.with_value(&named(&catalog, "credits"), 107.9).expect("in range");
        assert_eq!(changed.channels.get("fex32s").map(|card| card.common.credits.value), Some(108));
        let back = changed.with_value(&named(&changed, "credits"), 90.0).expect("in range");
        assert_eq!(back.parameters("channel", "fex32s").len(), catalog.parameters("channel", "fex32s").len());
        assert_eq!(catalog.channels.get("fex32s").map(|card| card.common.credits.value), Some(90));
    }

    #[test]
    fn a_value_out_of_range_is_refused_with_the_catalogs_own_words() {
        let (catalog, _) = Catalog::load(&[]);
        let found = catalog.with_value(&named(&catalog, "credits"), 0.0).expect_err("no credits");
        assert!(found[0].message.contains("`value` is 0"), "{}", found[0]);
    }
}
