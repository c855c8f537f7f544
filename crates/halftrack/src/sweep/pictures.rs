//! Choice of the pictures of a sweep.

use std::fs;

use halftrack_sweep::chart::Panels;
use halftrack_sweep::{Column, Drawn, Places, Table, ValueSet, XAxis, curves, panels, parts, picture_name};

use crate::option_error::OptionError;

use super::POINTS;
use super::annotation::{annotated, rename};
use super::picture_options::{EarlierSweep, PictureOptions};

/// Name of the picture of parts.
const PARTS_PICTURE: &str = "parts.svg";

/// Pictures of a sweep.
#[derive(Debug)]
pub struct Pictures {
    options: PictureOptions,
    /// Key along x, or one or several quantities.
    across: Vec<XAxis>,
    /// Indices of the columns that are drawn.
    drawn: Vec<usize>,
    earlier: Vec<Earlier>,
    /// Indices of the keys of the panels.
    panels: Vec<usize>,
}

/// An earlier sweep that is drawn too.
#[derive(Debug)]
struct Earlier {
    name: Option<String>,
    table: Table,
    across: Vec<XAxis>,
    drawn: Vec<usize>,
}

impl Pictures {
    /// Chooses the pictures of `options` for the sets `groups`: the columns `drawn` of `columns`.
    ///
    /// # Errors
    /// An x axis that is neither key nor quantity; parts of unlike units; marks, lines or words for the y axis of
    /// several pictures; an earlier sweep that is missing or lacks a drawn quantity.
    pub fn new(
        options: PictureOptions,
        groups: &[Vec<ValueSet>],
        columns: &[Column],
        drawn: Vec<usize>,
    ) -> Result<Self, OptionError> {
        let units: Vec<_> = drawn.iter().map(|column| columns[*column].unit).collect();
        if options.parts && units.iter().any(|unit| *unit != units[0]) {
            return Err(OptionError("--parts needs quantities of one unit".to_owned()));
        }
        let of_one_y = options.y_label.is_some()
            || options.y_to.is_some()
            || !options.marks.is_empty()
            || !options.guidelines.is_empty();
        if of_one_y && drawn.len() > 1 && !options.parts {
            let message =
                "--mark, --guideline, --y-label and --y-to are for one picture: name one quantity with --y";
            return Err(OptionError(message.to_owned()));
        }
        let sets: Vec<&ValueSet> = groups.iter().flatten().collect();
        let keys: Vec<String> = sets.iter().map(|set| set.key.text().to_owned()).collect();
        let varied = || sets.iter().position(|set| set.values.len() > 1).unwrap_or(0);
        let across = match options.x.as_deref() {
            Some(x) => across(x, &keys, columns)?,
            None => vec![XAxis::Key(varied())],
        };
        let names: Vec<&str> = drawn.iter().map(|column| columns[*column].name.as_str()).collect();
        let x = options.x.clone().unwrap_or_else(|| keys[varied()].clone());
        let earlier = options.beside.iter().map(|beside| Earlier::read(beside, &x, &names));
        let earlier = earlier.collect::<Result<_, _>>()?;
        let panel = |key: &String| {
            let found = keys.iter().position(|one| one == key.trim());
            found.filter(|found| across != [XAxis::Key(*found)]).ok_or_else(|| {
                OptionError(format!(
                    "--panel {key} is no key of this sweep beside x, which has {}",
                    keys.join(", ")
                ))
            })
        };
        let panels = options.panels.iter().map(panel).collect::<Result<_, _>>()?;
        Ok(Self { options, across, drawn, earlier, panels })
    }

    /// Draws each picture; returns names and texts.
    ///
    /// # Errors
    /// Names and marks that do not suit what there is.
    pub fn draw(&self, table: &Table) -> Result<Vec<(String, String)>, OptionError> {
        let options = &self.options;
        if options.parts {
            let chart = annotated(parts(table, &self.drawn), options)?;
            return Ok(vec![(PARTS_PICTURE.to_owned(), chart.svg())]);
        }
        let named = options.bars || !options.x_names.is_empty();
        let places = if named { Places::ByName } else { Places::ByValue };
        let picture = |at: usize| {
            let column = self.drawn[at];
            if !self.panels.is_empty() {
                let drawn = Drawn { table, name: None, across: self.across[0], column };
                return Ok((picture_name(&table.columns[column].name), self.draw_panels(drawn, places)?));
            }
            let own = self.across.iter().map(|across| Drawn {
                table,
                name: axis_name(table, &self.across, *across),
                across: *across,
                column,
            });
            let drawn: Vec<Drawn<'_>> =
                own.chain(self.earlier.iter().flat_map(|earlier| earlier.drawn(at))).collect();
            let chart = curves(drawn[0], &drawn[1..], places);
            let chart = if options.bars { chart.with_bars_for_curves() } else { chart };
            Ok((picture_name(&table.columns[column].name), annotated(chart, options)?.svg()))
        };
        (0..self.drawn.len()).map(picture).collect()
    }

    /// Draws a picture of panels.
    fn draw_panels(&self, drawn: Drawn<'_>, places: Places) -> Result<String, OptionError> {
        let (charts, columns) = panels(drawn, &self.panels, places);
        let options = PictureOptions { title: None, ..self.options.clone() };
        let charts = charts.into_iter().map(|chart| annotated(chart, &options));
        let mut charts = charts.collect::<Result<Vec<_>, _>>()?;
        let titles = charts.iter_mut().map(|chart| &mut chart.title).collect();
        rename("--panel-names", titles, &self.options.panel_names)?;
        Ok(Panels { charts, columns }.svg())
    }
}

impl Earlier {
    /// Reads the sweep that `beside` names, of which `x` and the quantities `names` are drawn.
    fn read(beside: &EarlierSweep, x: &str, names: &[&str]) -> Result<Self, OptionError> {
        let path = beside.directory.join(POINTS);
        let failed = |reason: String| OptionError(format!("--beside {}: {reason}", path.display()));
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
        let drawn = move |across: &XAxis| Drawn {
            table: &self.table,
            name: self.name.as_deref(),
            across: *across,
            column,
        };
        self.across.iter().map(drawn)
    }
}

/// Returns the name that distinguishes the curves over `across` from those over the other quantities along x, if any.
fn axis_name<'a>(table: &'a Table, all: &[XAxis], across: XAxis) -> Option<&'a str> {
    match across {
        XAxis::Column(column) if all.len() > 1 => Some(table.columns[column].name.as_str()),
        _ => None,
    }
}

/// Finds the axis `x`: one of `keys`, or one or several of `columns`.
fn across(x: &str, keys: &[String], columns: &[Column]) -> Result<Vec<XAxis>, OptionError> {
    if let Some(key) = keys.iter().position(|key| key == x) {
        return Ok(vec![XAxis::Key(key)]);
    }
    let column = |name: &str| {
        let column = columns.iter().position(|column| column.name == name.trim());
        column.map(XAxis::Column).ok_or_else(|| {
            OptionError(format!(
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
        assert_eq!(of("workload.run.seed"), [XAxis::Key(1)]);
        assert_eq!(of("mb_per_s"), [XAxis::Column(2)]);
        assert_eq!(of("mb_per_s,rate_per_s"), [XAxis::Column(2), XAxis::Column(0)]);
        assert!(across("mb_per_s,speed", &keys, &columns).is_err());
    }
}
