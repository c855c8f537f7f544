//! The figures of one row of an RMF listing, as text and as JSON.

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::column::{Column, Listed};
use crate::field::{Field, Line};
use crate::records::Records;

/// The listed figures of some records, in the order of the listing.
///
/// They serialise as one object; keys with a full stop make an object within, which is `null` when all its figures are.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    cells: Vec<(Listed, Option<f64>)>,
}

impl Figures {
    /// Returns the figures of `columns` for `records`.
    pub(crate) fn of<R>(columns: &'static [Column<R>], records: &Records<'_, R>) -> Self {
        let listed = columns.iter().filter_map(|column| Some((column.listed?, column.of(records))));
        Self { cells: listed.collect() }
    }

    /// Returns the figure of this key; `None` where there is none.
    pub fn get(&self, key: &str) -> Option<f64> {
        self.cells.iter().find(|(listed, _)| listed.key == key).and_then(|(_, value)| *value)
    }

    /// Returns the figures in their order.
    #[cfg(test)]
    pub(crate) fn values(&self) -> Vec<Option<f64>> {
        self.cells.iter().map(|(_, value)| *value).collect()
    }

    /// Puts them into their columns.
    pub(crate) fn print(&self, line: Line) -> Line {
        self.print_first(line, self.cells.len())
    }

    /// Puts them into their columns, and `mark` behind the figure of `key`, at the last position of its column.
    pub(crate) fn print_marked(&self, line: Line, key: &str, mark: &str) -> Line {
        self.cells.iter().fold(line, |line, (listed, value)| match value {
            Some(value) if listed.key == key => {
                let right = listed.field.right - mark.len();
                line.number(&Field { right, ..listed.field }, *value).text(right + 1, mark.len(), mark)
            }
            Some(value) => line.number(&listed.field, *value),
            None => line,
        })
    }

    /// Puts the first `count` of them into their columns.
    pub(crate) fn print_first(&self, line: Line, count: usize) -> Line {
        self.cells.iter().take(count).fold(line, |line, (listed, value)| match value {
            Some(value) => line.number(&listed.field, *value),
            None if listed.missing.is_empty() => line,
            None => line.right(&listed.field, listed.missing),
        })
    }
}

impl Serialize for Figures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let cells = self.cells.iter().map(|(listed, value)| (listed.key, Number::of(listed, *value)));
        Object(cells.collect()).serialize(serializer)
    }
}

/// Keys and figures of one JSON object.
struct Object<'a>(Vec<(&'a str, Option<Number>)>);

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let outer = |key: &str| key.split_once('.').map(|(outer, _)| outer.to_owned());
        let mut map = serializer.serialize_map(None)?;
        for group in
            self.0.chunk_by(|(left, _), (right, _)| outer(left).is_some() && outer(left) == outer(right))
        {
            let Some((name, _)) = group[0].0.split_once('.') else {
                map.serialize_entry(group[0].0, &group[0].1)?;
                continue;
            };
            let within = group.iter().map(|(key, value)| (&key[name.len() + 1..], *value)).collect();
            let is_any = group.iter().any(|(_, value)| value.is_some());
            map.serialize_entry(name, &is_any.then_some(Object(within)))?;
        }
        map.end()
    }
}

/// A figure as JSON has it: whole where the listing prints no decimals.
#[derive(Clone, Copy)]
enum Number {
    Whole(u64),
    Fraction(f64),
}

impl Number {
    fn of(listed: &Listed, value: Option<f64>) -> Option<Self> {
        value.map(|value| match listed.field.decimals {
            0 => Self::Whole(value as u64),
            _ => Self::Fraction(value),
        })
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Whole(whole) => serializer.serialize_u64(*whole),
            Self::Fraction(number) => serializer.serialize_f64(*number),
        }
    }
}
