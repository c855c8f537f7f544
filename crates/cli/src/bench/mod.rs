//! `halftrack bench`: speed of a study's run, of the engine, of channel programs on a volume, of a working link, of
//! synchronous writes, of synchronous I/O, of a logical link, of zEDC cards, and of sockets over SMC-R.

mod commit;
mod engine;
mod islink;
mod link;
mod processes;
mod smc;
mod stages;
mod study;
mod sync;
mod volume;
mod zedc;

use std::fmt::Write as _;

use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};
use serde::Serialize;

use crate::arguments::StudyArguments;
use crate::failure::Failure;

/// Examples and exit codes of `halftrack bench --help`.
pub const EXAMPLES: &str = "\
Examples:
  halftrack bench studies/fex32s-zhpf-4k
  halftrack bench studies/z16-oltp --threads 2 --json
  halftrack bench studies/fex32s-zhpf-4k --processes
  halftrack bench engine
  halftrack bench volume
  halftrack bench link
  halftrack bench commit --directory .
  halftrack bench sync
  halftrack bench islink
  halftrack bench zedc
  halftrack bench smc
  halftrack bench ./engine              a study in a directory of that name

Reading, checking and wiring the study are setup_s and not part of wall_s. cpu_s is the processor
time of the run on all threads, in which they wait for each other too; first_thread_cpu_s is that of
the first, which with two threads has channels alone, with SAPs or, where these are full, storage. calibration_ns is the time of a
fixed arithmetic loop run just before: compare it between two runs before comparing their speed.
With --processes the parts of an I/O are timed, each alone on one thread: channels, images, storage;
saps_with names the part of which SAPs are. More threads than one can be no faster than the longest
of those that are a process.

Exit codes: 0 fine, 1 a law was violated or the run failed, 2 bad input.";

/// Arguments of `halftrack bench`: a study, or a part of the program by its name.
#[derive(Debug)]
pub enum BenchArguments {
    /// `halftrack bench STUDY`.
    Study(OfStudy),
    /// `halftrack bench engine`, `halftrack bench volume`, `halftrack bench link`, `halftrack bench commit`,
    /// `halftrack bench sync`, `halftrack bench islink`, `halftrack bench zedc`, `halftrack bench smc`.
    Part(BenchPart),
}

/// Arguments of `halftrack bench STUDY`.
#[derive(Debug, Args)]
pub struct OfStudy {
    /// Study and options of the run.
    #[command(flatten)]
    study: StudyArguments,
    /// Time each process of the run alone, on one thread
    #[arg(long)]
    processes: bool,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// Parts that can be timed besides a study.
#[derive(Debug, Subcommand)]
pub enum BenchPart {
    /// Time the engine on a closed tandem of stations, beside a hand-written loop
    #[command(after_help = engine::EXAMPLES)]
    Engine(engine::EngineArguments),
    /// Time channel programs that read and write a volume, from start subchannel to test subchannel
    #[command(after_help = volume::EXAMPLES)]
    Volume(volume::VolumeArguments),
    /// Time a channel against a control unit in another process over TCP on this host
    #[command(after_help = link::EXAMPLES)]
    Link(link::LinkArguments),
    /// Time synchronous writes over a control unit, beside those of a bare program
    #[command(after_help = commit::EXAMPLES)]
    Commit(commit::CommitArguments),
    /// Time an ISFC logical link of two processes, beside a bare TCP stream of the same octets
    #[command(after_help = islink::EXAMPLES)]
    Islink(islink::IslinkArguments),
    /// Time synchronous reads (zHyperLink) between two processes, beside the same reads over channel paths
    #[command(after_help = sync::EXAMPLES)]
    Sync(sync::SyncArguments),
    /// Time zEDC cards, and libz.so over them, beside zlib of the system
    #[command(after_help = zedc::EXAMPLES)]
    Zedc(zedc::ZedcArguments),
    /// Time sockets of two processes over SMC-R, beside plain TCP
    #[command(after_help = smc::EXAMPLES)]
    Smc(smc::SmcArguments),
}

/// Written by hand, because the derived forms have no "either these arguments, some of them required, or a subcommand".
impl Args for BenchArguments {
    fn augment_args(command: Command) -> Command {
        either(BenchPart::augment_subcommands(OfStudy::augment_args(command)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        either(BenchPart::augment_subcommands_for_update(OfStudy::augment_args_for_update(command)))
    }
}

impl FromArgMatches for BenchArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        match matches.subcommand() {
            Some(_) => BenchPart::from_arg_matches(matches).map(Self::Part),
            None => OfStudy::from_arg_matches(matches).map(Self::Study),
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn either(command: Command) -> Command {
    command.args_conflicts_with_subcommands(true).subcommand_negates_reqs(true)
}

/// Measures the study or part and prints its speed; returns true when every law held.
///
/// # Errors
/// Bad input, found before anything runs; standard output that cannot be written.
pub fn bench(arguments: &BenchArguments) -> Result<bool, Failure> {
    match arguments {
        BenchArguments::Study(OfStudy { study, processes: true, json }) => processes::bench(study, *json),
        BenchArguments::Study(OfStudy { study, json, .. }) => study::bench(study, *json),
        BenchArguments::Part(BenchPart::Engine(engine)) => engine::bench(engine),
        BenchArguments::Part(BenchPart::Volume(volume)) => volume::bench(volume),
        BenchArguments::Part(BenchPart::Link(link)) => link::bench(link),
        BenchArguments::Part(BenchPart::Commit(commit)) => commit::bench(commit),
        BenchArguments::Part(BenchPart::Islink(islink)) => islink::bench(islink),
        BenchArguments::Part(BenchPart::Sync(sync)) => sync::bench(sync),
        BenchArguments::Part(BenchPart::Zedc(zedc)) => zedc::bench(zedc),
        BenchArguments::Part(BenchPart::Smc(smc)) => smc::bench(smc),
    }
}

/// Returns `figures` as JSON.
fn json(figures: &impl Serialize) -> String {
    serde_json::to_string_pretty(figures).expect("numbers serialise") + "\n"
}

/// Returns one line for each key and its value.
fn table(rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|(key, _)| key.len()).max().unwrap_or(0);
    let mut text = String::new();
    for (key, value) in rows {
        // Writing into a String cannot fail.
        let _ = writeln!(text, "{key:<width$}  {value:>16}");
    }
    text
}
