//! Arguments that say how the pictures of a sweep are drawn.

use clap::Args;
use halftrack::{EarlierSweep, GuidelineOption, Mark, PictureOptions, finite};

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
    pub beside: Vec<EarlierSweep>,
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
    pub guidelines: Vec<GuidelineOption>,
}

impl PictureArguments {
    /// Returns the options of the pictures.
    pub fn options(&self) -> PictureOptions {
        PictureOptions {
            x: self.x.clone(),
            parts: self.parts,
            bars: self.bars,
            beside: self.beside.clone(),
            names: self.names.clone(),
            title: self.title.clone(),
            x_label: self.x_label.clone(),
            x_names: self.x_names.clone(),
            y_label: self.y_label.clone(),
            x_to: self.x_to,
            y_to: self.y_to,
            marks: self.marks.clone(),
            guidelines: self.guidelines.clone(),
        }
    }
}
