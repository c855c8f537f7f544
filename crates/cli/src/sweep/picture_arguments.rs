//! Arguments that say how the pictures of a sweep are drawn.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;

/// What is drawn, what beside it, and what the axes are called.
#[derive(Debug, Args)]
#[command(next_help_heading = "Pictures")]
pub struct PictureArguments {
    /// The key or quantity along the x axis; over a quantity a curve goes through the values of the last --set with
    /// several. Several quantities with commas between them are a curve each [default: the key of the first --set with
    /// several]
    #[arg(long, value_name = "KEY|QUANTITY,...")]
    pub x: Option<String>,
    /// Draw the quantities of --y as parts of one bar a point, in the picture parts.svg
    #[arg(long, requires = "y", conflicts_with_all = ["x", "marks", "bars", "beside"])]
    pub parts: bool,
    /// Draw a bar for each point instead of curves, those of one place side by side
    #[arg(long)]
    pub bars: bool,
    /// Draw the points of an earlier sweep too, which is in DIR and was of the same --x and --y; without a name they
    /// join the curves of this one; may be repeated
    #[arg(long, value_name = "[NAME=]DIR")]
    pub beside: Vec<Beside>,
    /// What the curves, bars or parts are called, in their order [default: the keys that tell them apart]
    #[arg(long, value_name = "WORDS,...", value_delimiter = ',')]
    pub names: Vec<String>,
    /// Title [default: study and quantity]
    #[arg(long, value_name = "WORDS")]
    pub title: Option<String>,
    /// What the x axis shows, with its unit [default: the key or quantity]
    #[arg(long, value_name = "WORDS")]
    pub x_label: Option<String>,
    /// What the values of the key along x are called, in their order; they then stand at equal distances
    #[arg(long, value_name = "WORDS,...", value_delimiter = ',')]
    pub x_names: Vec<String>,
    /// What the y axis shows, with its unit [default: the quantity]
    #[arg(long, value_name = "WORDS")]
    pub y_label: Option<String>,
    /// Largest x; what lies beyond is cut off [default: all is shown]
    #[arg(long, value_name = "X", value_parser = finite)]
    pub x_to: Option<f64>,
    /// Largest y; what lies beyond is cut off [default: all is shown]
    #[arg(long, value_name = "Y", value_parser = finite)]
    pub y_to: Option<f64>,
    /// Mark a published value with an open symbol; X is a number, or a name along x; may be repeated
    #[arg(long = "mark", value_name = "X=Y")]
    pub marks: Vec<Mark>,
    /// A dashed line at Y, and what it is called; may be repeated
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
pub struct Beside {
    /// Words in the legend, if they are not those of this sweep.
    pub name: Option<String>,
    /// What `--out` named.
    pub directory: PathBuf,
}

impl FromStr for Beside {
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
    number.ok_or_else(|| format!("`{text}` is no number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_lines_and_earlier_sweeps_are_read_or_refused() {
        assert_eq!("18000=0.3".parse(), Ok(Mark { x: "18000".to_owned(), y: 0.3 }));
        assert_eq!("a=b =1".parse(), Ok(Mark { x: "a=b".to_owned(), y: 1.0 }));
        assert_eq!("50 = advised, 50 % = half".parse(), Ok(Line(50.0, "advised, 50 % = half".to_owned())));
        assert_eq!("1=x".parse::<Mark>(), Err("`x` is no number".to_owned()));
        assert!("1=inf".parse::<Mark>().is_err() && "50".parse::<Line>().is_err());
        let beside = Beside { name: Some("ESCON".to_owned()), directory: "out/escon".into() };
        assert_eq!("ESCON=out/escon".parse(), Ok(beside));
        assert_eq!("out".parse(), Ok(Beside { name: None, directory: "out".into() }));
        assert!("ESCON=".parse::<Beside>().expect_err("no directory").contains("NAME=DIR"));
    }
}
