//! Which pictures a sweep draws.

use std::fs;

use halftrack_sweep::{Across, Column, Drawn, Places, Table, ValueSet, curves, parts, picture_name};

use crate::failure::Failure;
use crate::output_directory::OutputDirectory;

use super::dress::dressed;
use super::picture_arguments::{EarlierSweep, PictureArguments};

/// The picture of `--parts`.
const PARTS_PICTURE: &str = "parts.svg";

/// Which pictures a sweep draws.
#[derive(Debug)]
pub struct Pictures {
    /// Quantities along x: one, or several.
    across: Vec<Across>,
    /// Indices of the columns that are drawn.
    drawn: Vec<usize>,
    earlier: Vec<Earlier>,
}

/// An earlier sweep that is drawn too.
#[derive(Debug)]
struct Earlier {
    name: Option<String>,
    table: Table,
    across: Vec<Across>,
    drawn: Vec<usize>,
}

impl Pictures {
    /// Makes the pictures of `arguments` for the sets `groups` and the columns `drawn` of `columns`.
    ///
    /// # Errors
    /// An x axis that is neither key nor quantity; parts of unlike units; marks, lines or words for the y axis of
    /// several pictures; an earlier sweep that is missing or lacks a quantity.
    pub fn new(
        arguments: &PictureArguments,
        groups: &[Vec<ValueSet>],
        columns: &[Column],
        drawn: Vec<usize>,
    ) -> Result<Self, Failure> {
        let units: Vec<_> = drawn.iter().map(|column| columns[*column].unit).collect();
        if arguments.parts && units.iter().any(|unit| *unit != units[0]) {
            return Err(Failure::Argument("--parts needs quantities of one unit".to_owned()));
        }
        let of_one_y = arguments.y_label.is_some()
            || arguments.y_to.is_some()
            || !arguments.marks.is_empty()
            || !arguments.guidelines.is_empty();
        if of_one_y && drawn.len() > 1 && !arguments.parts {
            let message =
                "--mark, --guideline, --y-label and --y-to are for one picture: name one quantity with --y";
            return Err(Failure::Argument(message.to_owned()));
        }
        let sets: Vec<&ValueSet> = groups.iter().flatten().collect();
        let keys: Vec<String> = sets.iter().map(|set| set.key.text().to_owned()).collect();
        let varied = || sets.iter().position(|set| set.values.len() > 1).unwrap_or(0);
        let across = match arguments.x.as_deref() {
            Some(x) => across(x, &keys, columns)?,
            None => vec![Across::Key(varied())],
        };
        let names: Vec<&str> = drawn.iter().map(|column| columns[*column].name.as_str()).collect();
        let x = arguments.x.clone().unwrap_or_else(|| keys[varied()].clone());
        let earlier = arguments.beside.iter().map(|beside| Earlier::read(beside, &x, &names));
        Ok(Self { across, earlier: earlier.collect::<Result<_, _>>()?, drawn })
    }

    /// Draws the pictures; returns name and text of each.
    ///
    /// # Errors
    /// Names and marks that do not fit the pictures.
    pub fn draw(
        &self,
        table: &Table,
        arguments: &PictureArguments,
    ) -> Result<Vec<(String, String)>, Failure> {
        if arguments.parts {
            let chart = dressed(parts(table, &self.drawn), arguments)?;
            return Ok(vec![(PARTS_PICTURE.to_owned(), chart.svg())]);
        }
        let named = arguments.bars || !arguments.x_names.is_empty();
        let places = if named { Places::ByName } else { Places::ByValue };
        let picture = |at: usize| {
            let column = self.drawn[at];
            let own = self.across.iter().map(|across| Drawn {
                table,
                name: axis_name(table, &self.across, *across),
                across: *across,
                column,
            });
            let drawn: Vec<Drawn<'_>> =
                own.chain(self.earlier.iter().flat_map(|earlier| earlier.drawn(at))).collect();
            let chart = curves(drawn[0], &drawn[1..], places);
            let chart = if arguments.bars { chart.with_bars_for_curves() } else { chart };
            Ok((picture_name(&table.columns[column].name), dressed(chart, arguments)?.svg()))
        };
        (0..self.drawn.len()).map(picture).collect()
    }
}

impl Earlier {
    /// Reads the sweep that `beside` names, of which `x` and the quantities `names` are drawn.
    fn read(beside: &EarlierSweep, x: &str, names: &[&str]) -> Result<Self, Failure> {
        let path = beside.directory.join(OutputDirectory::POINTS);
        let failed = |reason: String| Failure::Argument(format!("--beside {}: {reason}", path.display()));
        let text = fs::read_to_string(&path).map_err(|error| failed(error.to_string()))?;
        let table = Table::from_json(&text).map_err(|error| failed(error.to_string()))?;
        let across = across(x, &table.keys, &table.columns).map_err(|error| failed(error.to_string()))?;
        let column = |name: &&str| {
            let column = table.columns.iter().position(|column| column.name == **name);
            column
                .ok_or_else(|| failed(format!("it has no quantity {name}: add it to the --y of that sweep")))
        };
        let drawn = names.iter().map(column).collect::<Result<_, _>>()?;
        Ok(Self { name: beside.name.clone(), table, across, drawn })
    }

    /// Returns its curves in the picture with number `at`.
    fn drawn(&self, at: usize) -> impl Iterator<Item = Drawn<'_>> {
        let column = self.drawn[at];
        let drawn = move |across: &Across| Drawn {
            table: &self.table,
            name: self.name.as_deref(),
            across: *across,
            column,
        };
        self.across.iter().map(drawn)
    }
}

/// Returns the name that distinguishes the curves over `across` from those over the other quantities along x, if
/// there are any.
fn axis_name<'a>(table: &'a Table, all: &[Across], across: Across) -> Option<&'a str> {
    match across {
        Across::Column(column) if all.len() > 1 => Some(table.columns[column].name.as_str()),
        _ => None,
    }
}

/// Returns the quantities of `x`: one of `keys`, or one or several of `columns`.
fn across(x: &str, keys: &[String], columns: &[Column]) -> Result<Vec<Across>, Failure> {
    if let Some(key) = keys.iter().position(|key| key == x) {
        return Ok(vec![Across::Key(key)]);
    }
    let column = |name: &str| {
        let column = columns.iter().position(|column| column.name == name.trim());
        column.map(Across::Column).ok_or_else(|| {
            Failure::Argument(format!(
                "--x {name} is neither a quantity nor a key of this sweep, which has {}",
                keys.join(", ")
            ))
        })
    };
    x.split(',').map(column).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_or_several_quantities_may_lie_along_x() {
        let keys = ["plant.cable.*.km".to_owned(), "workload.run.seed".to_owned()];
        let columns = Table::columns(&[]).expect("the usual columns");
        let of = |x: &str| across(x, &keys, &columns).expect("an axis");
        assert_eq!(of("workload.run.seed"), [Across::Key(1)]);
        assert_eq!(of("mb_per_s"), [Across::Column(2)]);
        assert_eq!(of("mb_per_s,rate_per_s"), [Across::Column(2), Across::Column(0)]);
        assert!(across("mb_per_s,speed", &keys, &columns).is_err());
    }
}
