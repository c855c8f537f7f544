//! `halftrack deck diff`: two decks compared by meaning.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use clap::Args;
use halftrack::deck::DeckComparison;
use halftrack_deck::Reading;
use halftrack_deck::model::Deck;

use crate::deck::opening::{self, ReadArguments};
use crate::failure::Failure;
use crate::standard_output::print;

/// Words at the end of `halftrack deck diff --help`.
pub const EXAMPLES: &str = "\
Examples:
  halftrack deck diff active.iocp next.iocp
  halftrack deck diff active.iocp next.iocp --json | jq '.losses[]'

Prints what activating B over A adds, deletes and modifies, and which partition loses paths to
which devices. Order and layout of statements, comments, MSG1, MSG2 and TOK do not count.
Statements that break rules or are not understood are compared as they are written. Exit codes: 0
both mean the same, 1 they differ, 2 a file cannot be read as a deck, or was not understood
completely, so that the comparison is not certain.";

/// Arguments of `halftrack deck diff`.
#[derive(Debug, Args)]
pub struct DiffArguments {
    /// The active deck; `-` is standard input
    #[arg(value_name = "A")]
    before: PathBuf,
    /// The deck to activate
    #[arg(value_name = "B")]
    after: PathBuf,
    #[command(flatten)]
    read: ReadArguments,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// Compares the decks; true when they mean the same.
///
/// # Errors
/// A file that is no deck, or was not understood whole; output that cannot be written.
pub fn diff(arguments: &DiffArguments) -> Result<bool, Failure> {
    let read = |path: &Path| opening::reading(path, &arguments.read);
    let (before, after) = (read(&arguments.before)?, read(&arguments.after)?);
    let decks = (deck(&arguments.before, &before)?, deck(&arguments.after, &after)?);
    let compared = DeckComparison::new((&before, &decks.0), (&after, &decks.1));
    print(&if arguments.json { format!("{:#}\n", compared.to_json()) } else { compared.to_text() })?;
    let not_understood = || Failure::NotUnderstood { deck: compared.not_understood().join(" and ") };
    compared.is_same().ok_or_else(not_understood)
}

/// Returns the statements of a deck that were understood completely.
fn deck<'a>(path: &Path, reading: &'a Reading) -> Result<Cow<'a, Deck>, Failure> {
    reading.taken_in().ok_or_else(|| Failure::Deck { file: path.to_owned() })
}
