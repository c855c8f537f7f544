//! The definition of each entity in a deck, as named values; each set of values is kept once.

use std::collections::BTreeMap;

use super::Entity;
use super::table::Item;

/// Values by keyword.
pub(super) type Values = BTreeMap<String, String>;

/// All sets of values of two decks.
#[derive(Debug, Default)]
pub(super) struct Facts {
    known: BTreeMap<Values, usize>,
    list: Vec<Values>,
}

impl Facts {
    /// Returns the number of the set `values`.
    pub(super) fn number(&mut self, values: Values) -> usize {
        if let Some(&number) = self.known.get(&values) {
            return number;
        }
        let number = self.list.len();
        self.list.push(values.clone());
        self.known.insert(values, number);
        number
    }

    /// Returns all values of `item`, those included that step from one number to the next.
    pub(super) fn values(&self, item: Item, entity: &Entity) -> Values {
        let mut values = self.list.get(item.facts).cloned().unwrap_or_default();
        let named: &[(&str, usize)] = match entity {
            Entity::Device { .. } => &[("UNITADD", 2)],
            Entity::Function(_) => &[("VF", 1), ("UID", 4)],
            _ => &[],
        };
        for ((name, digits), number) in named.iter().zip(item.numbers) {
            if let Some(number) = number {
                let text = if *name == "VF" { number.to_string() } else { format!("{number:0digits$X}") };
                values.insert((*name).to_owned(), text);
            }
        }
        values
    }
}
