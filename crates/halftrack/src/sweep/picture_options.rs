//! Options of the pictures of a sweep.

use std::path::PathBuf;
use std::str::FromStr;

/// Curves, marks and words of the pictures.
#[derive(Debug, Clone, Default)]
pub struct PictureOptions {
    /// The key or quantity along the x axis; several quantities have commas between them. `None` is the key of the first set
    /// with several values.
    pub x: Option<String>,
    /// Draws the quantities as parts of one bar a point, in one picture.
    pub parts: bool,
    /// Draws a bar for each point instead of curves.
    pub bars: bool,
    /// Keys for each of whose combinations a picture has a panel.
    pub panels: Vec<String>,
    /// Titles of the panels, in their order; empty for the values of the keys.
    pub panel_names: Vec<String>,
    /// Earlier sweeps that are drawn too.
    pub beside: Vec<EarlierSweep>,
    /// Names of the curves, bars or parts, in their order; empty for the keys that distinguish them.
    pub names: Vec<String>,
    /// Title; `None` for study and quantity.
    pub title: Option<String>,
    /// Label of the x axis, with its unit.
    pub x_label: Option<String>,
    /// Names of the values of the key along x, in their order.
    pub x_names: Vec<String>,
    /// Label of the y axis, with its unit.
    pub y_label: Option<String>,
    /// Largest x.
    pub x_to: Option<f64>,
    /// Largest y.
    pub y_to: Option<f64>,
    /// Published values.
    pub marks: Vec<Mark>,
    /// Horizontal lines.
    pub guidelines: Vec<GuidelineOption>,
}

/// A published value: its place along x, and its amount.
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

/// A guideline: its height, and its words.
#[derive(Debug, Clone, PartialEq)]
pub struct GuidelineOption(pub f64, pub String);

impl FromStr for GuidelineOption {
    type Err = String;

    /// Reads `50=advised`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (y, words) = text.split_once('=').ok_or("write Y=WORDS, such as 50=advised")?;
        Ok(Self(finite(y)?, words.trim().to_owned()))
    }
}

/// An earlier sweep: the name of its curves, and its directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierSweep {
    /// Words in the legend, if they are not those of this sweep.
    pub name: Option<String>,
    /// Directory of its output.
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
///
/// # Errors
/// Words about a text that is none.
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
        assert_eq!(
            "50 = advised, 50 % = half".parse(),
            Ok(GuidelineOption(50.0, "advised, 50 % = half".to_owned()))
        );
        assert_eq!("1=x".parse::<Mark>(), Err("`x` is not a number".to_owned()));
        assert!("1=inf".parse::<Mark>().is_err() && "50".parse::<GuidelineOption>().is_err());
        let beside = EarlierSweep { name: Some("ESCON".to_owned()), directory: "out/escon".into() };
        assert_eq!("ESCON=out/escon".parse(), Ok(beside));
        assert_eq!("out".parse(), Ok(EarlierSweep { name: None, directory: "out".into() }));
        assert!("ESCON=".parse::<EarlierSweep>().expect_err("no directory").contains("NAME=DIR"));
    }
}
