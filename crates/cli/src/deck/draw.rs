//! `halftrack deck draw`: a deck as a picture.

use std::path::{Path, PathBuf};

use clap::Args;
use halftrack_deck::Selection;
use halftrack_drawing::{deck_page, deck_svg};
use halftrack_input::has_errors;

use crate::deck::filters::{self, FilterArguments};
use crate::deck::opening::{self, ReadArguments};
use crate::deck::output;
use crate::failure::Failure;

/// Words at the end of `halftrack deck draw --help`.
pub const EXAMPLES: &str = "\
Examples:
  halftrack deck draw prod.iocp -o prod.html
  halftrack deck draw prod.iocp -o prod.svg
  halftrack deck draw prod.iocp -o box.svg --cu 1000-10FF --lpar PROD1 --unfold

OUT.html is a self-contained page: groups fold, a click follows paths, and a search finds devices,
CHPIDs, PCHIDs, control units, switches and partitions by number and name. OUT.svg is the picture
alone. Exit codes: 0 drawn, 1 drawn, but the deck breaks rules, 2 the file cannot be read as a
deck or a filter matches nothing.";

/// Arguments of `halftrack deck draw`.
#[derive(Debug, Args)]
pub struct DrawArguments {
    /// The deck; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Output file: a page (.html) or a picture (.svg)
    #[arg(short, long, value_name = "OUT", value_parser = place)]
    out: PathBuf,
    /// Unfold every group initially
    #[arg(long)]
    unfold: bool,
    #[command(flatten)]
    filter: FilterArguments,
    #[command(flatten)]
    read: ReadArguments,
}

/// Draws the deck; true when it breaks no rule.
///
/// # Errors
/// A file that is no deck; a filter for what the deck does not have; output that cannot be written.
pub fn draw(arguments: &DrawArguments) -> Result<bool, Failure> {
    let file = opening::open(&arguments.file)?;
    let reading = opening::read(&arguments.file, &file, &arguments.read.options())?;
    let deck = filters::understood(&arguments.file, &file, &reading)?;
    let selection = Selection::of(deck, arguments.filter.of(deck)?);
    if selection.is_empty() {
        return Err(Failure::Argument("no statement of the deck passes all filters".to_owned()));
    }
    let drawn = selection.part();
    let text = if ending(&arguments.out) == Some("svg") {
        deck_svg(&drawn, arguments.unfold)
    } else {
        deck_page(&drawn, arguments.unfold)
    };
    output::put(text.as_bytes(), Some(&arguments.out))?;
    Ok(!has_errors(&reading.diagnostics))
}

/// Parses a file name that ends in `.html` or `.svg`.
fn place(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match ending(&path) {
        Some("html" | "svg") => Ok(path),
        _ => Err("the name must end in .html, for a page, or .svg, for a picture".to_owned()),
    }
}

fn ending(path: &Path) -> Option<&str> {
    path.extension().and_then(|ending| ending.to_str())
}
