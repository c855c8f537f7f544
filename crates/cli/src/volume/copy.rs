//! `halftrack volume copy`: a volume in another format.

use std::path::PathBuf;

use clap::Args;
use halftrack_volume::CreateOptions;

use crate::failure::Failure;
use crate::standard_output::print;
use crate::volume::create::{FormatArguments, made, unit_name};
use crate::volume::opening::{self, JournalArgument, unusable};
use crate::volume::units_bar::UnitsBar;

/// Words at the end of `halftrack volume copy --help`.
pub const EXAMPLES: &str = "\
Examples:
  halftrack volume copy sysres.cckd sysres.ckd
  halftrack volume copy work01_1.ckd work01.cckd --compress bzip2
  halftrack volume copy work01_1.ckd work01.ckd --one-file --replace

Tracks are copied unchanged; the copy includes the changes in the journal. Every format holds
every device, but compressed volumes are 4 GiB at most when they are packed.

Exit codes: 0 fine, 2 the volume cannot be read, or the copy not written.";

/// Arguments of `halftrack volume copy`.
#[derive(Debug, Args)]
pub struct CopyArguments {
    /// Image of the volume; its first file when it has several
    #[arg(value_name = "VOLUME")]
    volume: PathBuf,
    /// Whether its journal counts.
    #[command(flatten)]
    journal: JournalArgument,
    /// The image to create
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// How the copy is kept.
    #[command(flatten)]
    format: FormatArguments,
}

/// Copies; true.
///
/// # Errors
/// A track that cannot be read; files that are there already or cannot be written.
pub fn copy(arguments: &CopyArguments) -> Result<bool, Failure> {
    let format = arguments.format.format()?;
    let same = |path: &PathBuf| path.canonicalize().ok();
    if same(&arguments.volume).is_some_and(|volume| same(&arguments.file) == Some(volume)) {
        let reason = "a volume cannot be copied onto itself; name another file";
        return Err(unusable(&arguments.volume, reason));
    }
    let mut volume = opening::open(&arguments.volume, arguments.journal)?;
    let bar = UnitsBar::new(unit_name(volume.device()));
    let mut options =
        CreateOptions { replaces: arguments.format.replace, watch: &mut |done, of| bar.show(done, of) };
    let files = volume.copy_with(&arguments.volume, &arguments.file, format, &mut options);
    drop(bar);
    print(&made(&files?))?;
    Ok(true)
}
