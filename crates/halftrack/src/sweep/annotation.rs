//! Words, marks and lines on a chart.

use halftrack_sweep::chart::{Chart, Guideline, Scale, Series};

use crate::option_error::OptionError;

use super::picture_options::{GuidelineOption, Mark, PictureOptions, finite};

/// Adds the words, marks and lines of `options` to `chart`.
///
/// # Errors
/// More or fewer names than curves, parts or places; a mark at no place of the x axis.
pub fn annotated(mut chart: Chart, options: &PictureOptions) -> Result<Chart, OptionError> {
    let replace = |words: &mut String, by: &Option<String>| by.iter().for_each(|by| words.clone_from(by));
    replace(&mut chart.title, &options.title);
    replace(&mut chart.x.label, &options.x_label);
    replace(&mut chart.y.label, &options.y_label);
    chart.x.to = options.x_to;
    chart.y.to = options.y_to;
    let drawn = chart.curves.iter_mut().chain(&mut chart.bars).map(|series| &mut series.name);
    rename("--names", drawn.collect(), &options.names)?;
    if let Scale::Named(places) = &mut chart.x.scale {
        rename("--x-names", places.iter_mut().collect(), &options.x_names)?;
    }
    if !options.marks.is_empty() {
        let points = options.marks.iter().map(|mark| Ok((place(mark, &chart.x.scale)?, mark.y)));
        let points = points.collect::<Result<_, OptionError>>()?;
        chart.marks = vec![Series { name: "published".to_owned(), points }];
    }
    let line = |GuidelineOption(y, name): &GuidelineOption| Guideline { name: name.clone(), y: *y };
    chart.guidelines = options.guidelines.iter().map(line).collect();
    Ok(chart)
}

/// Gives `old` the names `new`, unless there are none.
pub fn rename(option: &str, old: Vec<&mut String>, new: &[String]) -> Result<(), OptionError> {
    if !new.is_empty() && new.len() != old.len() {
        let old: Vec<&str> = old.iter().map(|name| name.as_str()).collect();
        let message = format!("{option}: {} given, {} needed: {}", new.len(), old.len(), old.join("; "));
        return Err(OptionError(message));
    }
    old.into_iter().zip(new).for_each(|(old, new)| new.trim().clone_into(old));
    Ok(())
}

/// Returns the place of `mark` along x.
fn place(mark: &Mark, scale: &Scale) -> Result<f64, OptionError> {
    let Scale::Named(places) = scale else {
        return finite(&mark.x).map_err(|reason| OptionError(format!("--mark: {reason}")));
    };
    let found = places.iter().position(|place| *place == mark.x).map(|place| place as f64);
    let known = || format!("--mark: `{}` is not on the x axis, which has {}", mark.x, places.join("; "));
    found.ok_or_else(|| OptionError(known()))
}
