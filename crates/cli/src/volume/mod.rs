//! `halftrack volume`: images of DASD volumes made, looked into, copied, checked and repaired.

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

Volumes are images in the formats of the Hercules emulator: CKD and FBA, plain (in several files above
2 GiB) or compressed. What a volume has in its journal is seen by every command here; `check` puts it into
the image, so that other programs see it too. A journal that a crash left beside another image than its own is
refused; --discard-journal takes the image without it.

Exit codes: 0 fine, 1 something did not hold, 2 bad input.";

/// Arguments of `halftrack volume`.
#[derive(Debug, Args)]
pub struct VolumeArguments {
    #[command(subcommand)]
    what: What,
}

/// What to do with a volume.
#[derive(Debug, Subcommand)]
enum What {
    /// Make an empty volume
    #[command(after_help = create::EXAMPLES)]
    Create(create::CreateArguments),
    /// List the data sets of a volume, or the members of one
    #[command(after_help = list::EXAMPLES)]
    List(list::ListArguments),
    /// Show what a volume is, or what lies on a track, in a record or in a block
    #[command(after_help = show::EXAMPLES)]
    Show(show::ShowArguments),
    /// Read a data set, a member, tracks, records or blocks
    #[command(after_help = read::EXAMPLES)]
    Read(read::ReadArguments),
    /// Copy a volume into another format
    #[command(after_help = copy::EXAMPLES)]
    Copy(copy::CopyArguments),
    /// Say what is wrong with a volume, and mend it on request
    #[command(after_help = check::EXAMPLES)]
    Check(check::CheckArguments),
    /// Give back the space that a compressed volume does not need
    #[command(after_help = compact::EXAMPLES)]
    Compact(compact::CompactArguments),
}

/// Does what is asked for; true when everything held.
///
/// # Errors
/// Bad input; output that cannot be written.
pub fn volume(arguments: &VolumeArguments) -> Result<bool, Failure> {
    match &arguments.what {
        What::Create(arguments) => create::create(arguments),
        What::List(arguments) => list::list(arguments),
        What::Show(arguments) => show::show(arguments),
        What::Read(arguments) => read::read(arguments),
        What::Copy(arguments) => copy::copy(arguments),
        What::Check(arguments) => check::check(arguments),
        What::Compact(arguments) => compact::compact(arguments),
    }
}
