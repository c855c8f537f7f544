//! Arguments of the pictures of a sweep.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;

/// Contents of a picture, and its labels.
#[derive(Debug, Args)]
#[command(next_help_heading = "Pictures")]
pub struct PictureArguments {
    /// Key or quantity on the x axis; over a quantity, a curve connects the values of the last --set with several.
    /// Several quantities with commas between them are a curve each [default: the key of the first --set with several]
    #[arg(long, value_name = "KEY|QUANTITY,...")]
    pub x: Option<String>,
    /// Draw the quantities of --y as one stacked bar for each point, in the picture parts.svg
    #[arg(long, requires = "y", conflicts_with_all = ["x", "marks", "bars", "beside"])]
    pub parts: bool,
    /// Draw a bar for each point instead of curves, grouped by x
    #[arg(long)]
    pub bars: bool,
    /// Draw the points of an earlier sweep in DIR with the same --x and --y too; without a name they join the curves of
    /// this sweep; repeatable
    #[arg(long, value_name = "[NAME=]DIR")]
    pub beside: Vec<EarlierSweep>,
    /// Names of the curves, bars or parts, in their order [default: the keys that distinguish them]
    #[arg(long, value_name = "WORDS,...", value_delimiter = ',')]
    pub names: Vec<String>,
    /// Title [default: study and quantity]
    #[arg(long, value_name = "WORDS")]
    pub title: Option<String>,
    /// Label of the x axis, with its unit [default: the key or quantity]
    #[arg(long, value_name = "WORDS")]
    pub x_label: Option<String>,
    /// Names of the values of the key on the x axis, in their order; they then stand at equal distances
    #[arg(long, value_name = "WORDS,...", value_delimiter = ',')]
    pub x_names: Vec<String>,
    /// Label of the y axis, with its unit [default: the quantity]
    #[arg(long, value_name = "WORDS")]
    pub y_label: Option<String>,
    /// End of the x axis; greater values are cut off [default: the greatest value]
    #[arg(long, value_name = "X", value_parser = finite)]
    pub x_to: Option<f64>,
    /// End of the y axis; greater values are cut off [default: the greatest value]
    #[arg(long, value_name = "Y", value_parser = finite)]
    pub y_to: Option<f64>,
    /// Mark a published value with an open symbol; X is a number, or a name on the x axis; repeatable
    #[arg(long = "mark", value_name = "X=Y")]
    pub marks: Vec<Mark>,
    /// Draw a dashed line at Y with this name; repeatable
    #[arg(long = "guideline", value_name = "Y=WORDS")]
    pub guidelines: Vec<Line>,
}

/// A published value: where along x, and how much.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// A number or a name.
    pub x: String,
    /// In the unit of the y axis.
    pub y: f64,
}

impl FromStr for Mark {
    type Err = String;

    /// Reads `18000=0.3`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (x, y) = text.rsplit_once('=').ok_or("write X=Y, such as 18000=0.3")?;
        Ok(Self { x: x.trim().to_owned(), y: finite(y)? })
    }
}

/// A guideline: where it lies, and its words.
#[derive(Debug, Clone, PartialEq)]
pub struct Line(pub f64, pub String);

impl FromStr for Line {
    type Err = String;

    /// Reads `50=advised`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (y, words) = text.split_once('=').ok_or("write Y=WORDS, such as 50=advised")?;
        Ok(Self(finite(y)?, words.trim().to_owned()))
    }
}

/// An earlier sweep: what its curves are called, and its directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierSweep {
    /// Words in the legend, if they are not those of this sweep.
    pub name: Option<String>,
    /// Directory of `--out` of the earlier sweep.
    pub directory: PathBuf,
}

impl FromStr for EarlierSweep {
    type Err = String;

    /// Reads `ESCON=out/escon` or `out/escon`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (name, directory) = match text.split_once('=') {
            Some((name, directory)) => (Some(name.trim().to_owned()), directory),
            None => (None, text),
        };
        match directory.trim() {
            "" => Err("write NAME=DIR, such as ESCON=out/escon".to_owned()),
            directory => Ok(Self { name, directory: directory.into() }),
        }
    }
}

/// Reads a finite number.
pub fn finite(text: &str) -> Result<f64, String> {
    let number = text.trim().parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| format!("`{text}` is not a number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_lines_and_earlier_sweeps_are_read_or_refused() {
        assert_eq!("18000=0.3".parse(), Ok(Mark { x: "18000".to_owned(), y: 0.3 }));
        assert_eq!("a=b =1".parse(), Ok(Mark { x: "a=b".to_owned(), y: 1.0 }));
        assert_eq!("50 = advised, 50 % = half".parse(), Ok(Line(50.0, "advised, 50 % = half".to_owned())));
        assert_eq!("1=x".parse::<Mark>(), Err("`x` is not a number".to_owned()));
        assert!("1=inf".parse::<Mark>().is_err() && "50".parse::<Line>().is_err());
        let beside = EarlierSweep { name: Some("ESCON".to_owned()), directory: "out/escon".into() };
        assert_eq!("ESCON=out/escon".parse(), Ok(beside));
        assert_eq!("out".parse(), Ok(EarlierSweep { name: None, directory: "out".into() }));
        assert!("ESCON=".parse::<EarlierSweep>().expect_err("no directory").contains("NAME=DIR"));
    }
}
