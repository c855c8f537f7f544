//! `halftrack exec`: channel programs run on volumes, or assembled, disassembled and loaded.

mod device;
mod disassemble;
mod load;
mod program;
mod timed;

use std::path::PathBuf;

use clap::Args;
use halftrack_volume::{Mode, Opening};

use crate::failure::Failure;
use crate::volume::opening::JournalArgument;

/// Words at the end of `halftrack exec --help`.
pub const EXAMPLES: &str = "\
Examples:
  halftrack exec programs/read-4k.ccw work01.ckd --trace
  halftrack exec programs/update-write.ccw work01.ckd --json | jq '.steps[].ending.summary'
  halftrack exec --list programs/read-4k.ccw
  halftrack exec --ipl sysres.cckd --save storage.bin
  halftrack exec --disassemble ccw1 chain.bin --at 0x2000

PROGRAM is a text in the language of docs/formats/program-text.md. Its functions (start, resume,
halt, clear, cancel) run one after the other, in storage of zeros. Writes are on the disk when the
ending of the program is shown; with --writeback at the latest a second later, or with 32 MiB of
changes, and when the command ends.

Exit codes: 0 every function ended as expected, or normally where nothing is expected; 1 one ended
otherwise, or the volume could not be written; 2 the text or the volume cannot be used.";

/// Arguments of `halftrack exec`.
#[derive(Debug, Args)]
#[command(override_usage = "halftrack exec [OPTIONS] PROGRAM VOLUME
       halftrack exec [OPTIONS] --ipl VOLUME
       halftrack exec --list PROGRAM
       halftrack exec --disassemble KIND FILE")]
pub struct ExecArguments {
    /// Text of the program; with --ipl the volume, with --disassemble the file of octets
    #[arg(value_name = "PROGRAM")]
    input: PathBuf,
    /// Volume on which the program runs: the first file of its image
    #[arg(value_name = "VOLUME")]
    volume: Option<PathBuf>,
    /// Show every CCW or DCW as fetched, its parameters, its data, its ending, and the IRB
    #[arg(long)]
    trace: bool,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
    /// Load from the volume: Read IPL of 24 bytes, then the CCWs in them
    #[arg(long, conflicts_with_all = ["volume", "list", "disassemble"])]
    ipl: bool,
    /// With --ipl: write the loaded storage, from address 0, to FILE
    #[arg(long, value_name = "FILE", requires = "ipl")]
    save: Option<PathBuf>,
    /// Assemble only, and print addresses and octets beside the statements
    #[arg(long, conflicts_with_all = ["volume", "disassemble", "trace", "json"])]
    list: bool,
    /// Print FILE as a program text: CCWs of format 0 or 1, or a TCCB
    #[arg(long, value_name = "KIND", value_enum, conflicts_with_all = ["volume", "trace", "json"])]
    disassemble: Option<disassemble::Kind>,
    /// With --disassemble: address of the first octet
    #[arg(long, value_name = "ADDRESS", requires = "disassemble", default_value = "0x1000",
          value_parser = disassemble::address)]
    at: u32,
    /// Open the volume read-only; writes end with unit check
    #[arg(long)]
    read_only: bool,
    /// Harden writes within a second and at the end of the command, instead of at the end of each program
    #[arg(long, conflicts_with = "read_only")]
    writeback: bool,
    /// Whether the journal of the volume counts.
    #[command(flatten)]
    journal: JournalArgument,
}

impl ExecArguments {
    fn opening(&self) -> Opening {
        // A load reads.
        self.journal.opening(match (self.read_only || self.ipl, self.writeback) {
            (true, _) => Mode::ReadOnly,
            (false, true) => Mode::WriteBack,
            (false, false) => Mode::Sync,
        })
    }
}

/// Runs the command; true when everything was as expected.
///
/// # Errors
/// A text, file or volume that cannot be used; output that cannot be written.
pub fn exec(arguments: &ExecArguments) -> Result<bool, Failure> {
    if let Some(kind) = arguments.disassemble {
        return disassemble::disassemble(kind, &arguments.input, arguments.at);
    }
    if arguments.list {
        return program::list(&arguments.input);
    }
    if arguments.ipl {
        return load::load(arguments);
    }
    match &arguments.volume {
        Some(volume) => program::run(arguments, volume),
        None => {
            let missing = "a VOLUME to run the program on is missing; --list assembles it without one";
            Err(Failure::Argument(missing.to_owned()))
        }
    }
}
