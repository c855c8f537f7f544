//! Words, marks and lines on a chart.

use halftrack_sweep::chart::{Chart, Guideline, Scale, Series};

use crate::failure::Failure;

use super::picture_arguments::{Line, Mark, PictureArguments, finite};

/// Returns `chart` with the words, marks and lines of `arguments`.
///
/// # Errors
/// A wrong number of names; a mark at no place of the x axis.
pub fn dressed(mut chart: Chart, arguments: &PictureArguments) -> Result<Chart, Failure> {
    let replace = |words: &mut String, by: &Option<String>| by.iter().for_each(|by| words.clone_from(by));
    replace(&mut chart.title, &arguments.title);
    replace(&mut chart.x.label, &arguments.x_label);
    replace(&mut chart.y.label, &arguments.y_label);
    chart.x.to = arguments.x_to;
    chart.y.to = arguments.y_to;
    let drawn = chart.curves.iter_mut().chain(&mut chart.bars).map(|series| &mut series.name);
    rename("--names", drawn.collect(), &arguments.names)?;
    if let Scale::Named(places) = &mut chart.x.scale {
        rename("--x-names", places.iter_mut().collect(), &arguments.x_names)?;
    }
    if !arguments.marks.is_empty() {
        let points = arguments.marks.iter().map(|mark| Ok((place(mark, &chart.x.scale)?, mark.y)));
        let points = points.collect::<Result<_, Failure>>()?;
        chart.marks = vec![Series { name: "published".to_owned(), points }];
    }
    let line = |Line(y, name): &Line| Guideline { name: name.clone(), y: *y };
    chart.guidelines = arguments.guidelines.iter().map(line).collect();
    Ok(chart)
}

/// Gives `old` the names `new`, unless there are none.
fn rename(option: &str, old: Vec<&mut String>, new: &[String]) -> Result<(), Failure> {
    if !new.is_empty() && new.len() != old.len() {
        let old: Vec<&str> = old.iter().map(|name| name.as_str()).collect();
        let message = format!("{option}: {} given, {} needed: {}", new.len(), old.len(), old.join("; "));
        return Err(Failure::Argument(message));
    }
    old.into_iter().zip(new).for_each(|(old, new)| new.trim().clone_into(old));
    Ok(())
}

/// Returns the x of `mark`.
fn place(mark: &Mark, scale: &Scale) -> Result<f64, Failure> {
    let Scale::Named(places) = scale else {
        return finite(&mark.x).map_err(|reason| Failure::Argument(format!("--mark: {reason}")));
    };
    let found = places.iter().position(|place| *place == mark.x).map(|place| place as f64);
    let known = || format!("--mark: `{}` is not on the x axis, which has {}", mark.x, places.join("; "));
    found.ok_or_else(|| Failure::Argument(known()))
}
