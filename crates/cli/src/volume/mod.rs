//! `halftrack volume`: images of DASD volumes created, shown, copied, checked and repaired.

mod address;
mod check;
mod compact;
mod copy;
mod create;
mod hex_dump;
mod list;
pub mod opening;
mod read;
mod show;
mod sink;
pub mod table;
mod units_bar;
mod volume_shown;

use clap::{Args, Subcommand};

use crate::failure::Failure;

/// Words at the end of `halftrack volume --help`.
pub const EXAMPLES: &str = "\
Examples:
  halftrack volume create work01.ckd --type 3390-3 --volser WORK01
  halftrack volume list sysres.cckd
  halftrack volume read sysres.cckd 'SYS1.PARMLIB(IEASYS00)' --text
  halftrack volume show work01.ckd --record 0/0/3
  halftrack volume copy sysres.cckd sysres.ckd --compress none
  halftrack volume check work01.ckd

Volumes are images in the formats of the Hercules emulator: CKD and FBA, plain (in several files
above 2 GiB) or compressed. All commands here apply the journal of a volume; `check` writes it
into the image, so that other programs see the changes too. A journal beside an image that is not
its own is refused; --discard-journal ignores it.

Exit codes: 0 fine, 1 a check failed, 2 bad input.";

/// Arguments of `halftrack volume`.
#[derive(Debug, Args)]
pub struct VolumeArguments {
    #[command(subcommand)]
    command: VolumeCommand,
}

/// Subcommands of `halftrack volume`.
#[derive(Debug, Subcommand)]
enum VolumeCommand {
    /// Create an empty volume
    #[command(after_help = create::EXAMPLES)]
    Create(create::CreateArguments),
    /// List the data sets of a volume, or the members of one
    #[command(after_help = list::EXAMPLES)]
    List(list::ListArguments),
    /// Show a volume, or the contents of a track, a record or a block
    #[command(after_help = show::EXAMPLES)]
    Show(show::ShowArguments),
    /// Read a data set, a member, tracks, records or blocks
    #[command(after_help = read::EXAMPLES)]
    Read(read::ReadArguments),
    /// Copy a volume into another format
    #[command(after_help = copy::EXAMPLES)]
    Copy(copy::CopyArguments),
    /// Check a volume, and repair it on request
    #[command(after_help = check::EXAMPLES)]
    Check(check::CheckArguments),
    /// Release the unused space of a compressed volume
    #[command(after_help = compact::EXAMPLES)]
    Compact(compact::CompactArguments),
}

/// Runs the subcommand; true when every check held.
///
/// # Errors
/// Bad input; output that cannot be written.
pub fn volume(arguments: &VolumeArguments) -> Result<bool, Failure> {
    match &arguments.command {
        VolumeCommand::Create(arguments) => create::create(arguments),
        VolumeCommand::List(arguments) => list::list(arguments),
        VolumeCommand::Show(arguments) => show::show(arguments),
        VolumeCommand::Read(arguments) => read::read(arguments),
        VolumeCommand::Copy(arguments) => copy::copy(arguments),
        VolumeCommand::Check(arguments) => check::check(arguments),
        VolumeCommand::Compact(arguments) => compact::compact(arguments),
    }
}
