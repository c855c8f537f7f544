//! `halftrack volume compact`: a compressed volume without the space that nothing uses.

use std::path::PathBuf;

use clap::Args;
use halftrack_volume::Compacted;

use crate::failure::Failure;
use crate::standard_output::print;
use crate::volume::opening::JournalArgument;
use crate::volume::units_bar::UnitsBar;

/// Words at the end of `halftrack volume compact --help`.
pub const EXAMPLES: &str = "\
Examples:
  halftrack volume compact work01.cckd

The volume is rewritten beside its image, and replaces it when it is complete.

Exit codes: 0 fine, 2 the volume is not compressed, damaged, or in use.";

/// Arguments of `halftrack volume compact`.
#[derive(Debug, Args)]
pub struct CompactArguments {
    /// Image of a compressed volume
    #[arg(value_name = "VOLUME")]
    volume: PathBuf,
    /// Whether its journal counts.
    #[command(flatten)]
    journal: JournalArgument,
    /// Print one JSON object instead of a line
    #[arg(long)]
    json: bool,
}

/// Compacts; true.
///
/// # Errors
/// Volumes that are not compressed, or cannot be read or written.
pub fn compact(arguments: &CompactArguments) -> Result<bool, Failure> {
    let bar = UnitsBar::new("tracks or groups of blocks");
    let mut watch = |done, of| bar.show(done, of);
    let compacted =
        halftrack_volume::compact_with(&arguments.volume, arguments.journal.discards(), &mut watch);
    drop(bar);
    let Compacted { before_bytes, after_bytes } = compacted?;
    let text = if arguments.json {
        format!("{:#}\n", serde_json::json!({ "before_bytes": before_bytes, "after_bytes": after_bytes }))
    } else {
        format!("{}: {before_bytes} bytes before, {after_bytes} now\n", arguments.volume.display())
    };
    print(&text)?;
    Ok(true)
}
