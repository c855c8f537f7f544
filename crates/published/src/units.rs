//! The units that figures may be given in: `published/units.toml`, and what of a run each can be compared with.

use std::collections::BTreeMap;
use std::sync::Arc;

use halftrack_input::{Diagnostic, Expect, Fields, SourceFile, read_document};

use crate::dimension::Dimension;

/// How figures of one quantity and unit are compared with a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// Dimension of the run's value.
    pub dimension: Dimension,
    /// A value of the run times this is a value in the figure's unit.
    pub factor: f64,
}

/// Every quantity, its units, and how each is compared; `None` where no run yields anything of the kind.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Units {
    known: BTreeMap<String, BTreeMap<String, Option<Comparison>>>,
}

/// Entry of a units file for a quantity and unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Known {
    /// No such quantity.
    NoQuantity,
    /// The quantity is not given in that unit.
    NoUnit,
    /// It is; how it is compared.
    Unit(Option<Comparison>),
}

impl Units {
    /// Adds the units of a file; of a unit that is known already the file's meaning holds.
    pub fn add(&mut self, source: &Arc<SourceFile>) -> Vec<Diagnostic> {
        let (read, found) = read_document(source, |fields| Some(fields.tables("unit", read_unit)));
        for (quantity, words, comparison) in read.into_iter().flatten() {
            let units = self.known.entry(quantity).or_default();
            units.extend(words.into_iter().map(|word| (word, comparison)));
        }
        found
    }

    /// Returns the entry for `unit` as a unit of `quantity`.
    pub fn get(&self, quantity: &str, unit: &str) -> Known {
        match self.known.get(quantity) {
            None => Known::NoQuantity,
            Some(units) => units.get(unit).map_or(Known::NoUnit, |comparison| Known::Unit(*comparison)),
        }
    }

    /// Returns the quantities, ascending.
    pub fn quantities(&self) -> impl Iterator<Item = &str> + Clone {
        self.known.keys().map(String::as_str)
    }

    /// Returns the units of a quantity, ascending.
    pub fn of<'a>(&'a self, quantity: &str) -> Vec<&'a str> {
        self.known.get(quantity).into_iter().flat_map(BTreeMap::keys).map(String::as_str).collect()
    }
}

fn read_unit(unit: &mut Fields<'_>) -> Option<(String, Vec<String>, Option<Comparison>)> {
    let quantity = unit.required("quantity", Expect::text());
    let any = Expect::new("a string", |value| value.as_str().map(str::to_owned));
    let words = unit.list("words", any);
    let dimension = unit.optional("compared_with", Dimension::expect());
    let factor = unit.or("factor", Expect::positive(1e12), 1.0);
    let words = words?.into_iter().map(|word| word.value).collect();
    let comparison = dimension.map(|found| Comparison { dimension: found.value, factor });
    Some((quantity?.value, words, comparison))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_a_quantity_are_compared_as_said() {
        let text = "[[unit]]\nquantity = \"gb_per_s\"\nwords = [\"GB/s\"]\ncompared_with = \"MB/s\"\n\
                    factor = 0.001\n[[unit]]\nquantity = \"nm\"\nwords = [\"nm\", \"\"]\n";
        let mut units = Units::default();
        assert_eq!(units.add(&SourceFile::new("units.toml", text)), []);
        let comparison = Comparison { dimension: Dimension::MbPerSecond, factor: 0.001 };
        assert_eq!(units.get("gb_per_s", "GB/s"), Known::Unit(Some(comparison)));
        assert_eq!(units.get("gb_per_s", "GiB/s"), Known::NoUnit);
        assert_eq!(units.get("nm", ""), Known::Unit(None));
        assert_eq!(units.get("furlong", "nm"), Known::NoQuantity);
        assert_eq!(units.quantities().collect::<Vec<_>>(), ["gb_per_s", "nm"]);
    }

    #[test]
    fn a_dimension_nobody_knows_is_refused_with_its_place() {
        let text = "[[unit]]\nquantity = \"x\"\nwords = [\"x\"]\ncompared_with = \"parsec\"\n";
        let found = Units::default().add(&SourceFile::new("units.toml", text));
        assert!(found[0].line().starts_with("HTK894E units.toml:4:17 "), "{}", found[0]);
    }
}
