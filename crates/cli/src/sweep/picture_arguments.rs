//! Arguments of the pictures of a sweep.

use clap::Args;
use halftrack::{EarlierSweep, GuidelineOption, Mark, PictureOptions, finite};

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
    /// Draw a panel for each combination of these keys, the values of the last one beside each other
    #[arg(long, value_name = "KEY,...", value_delimiter = ',', conflicts_with_all = ["parts", "bars", "beside", "title"])]
    pub panel: Vec<String>,
    /// Titles of the panels, in their order [default: the values of the keys]
    #[arg(long, value_name = "WORDS,...", value_delimiter = ',', requires = "panel")]
    pub panel_names: Vec<String>,
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
    pub guidelines: Vec<GuidelineOption>,
}

impl PictureArguments {
    /// Returns the options of the pictures.
    pub fn options(&self) -> PictureOptions {
        PictureOptions {
            x: self.x.clone(),
            parts: self.parts,
            bars: self.bars,
            panels: self.panel.clone(),
            panel_names: self.panel_names.clone(),
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
