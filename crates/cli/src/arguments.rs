//! Arguments of the command line, and the texts of `--help`.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use halftrack_machine::{ExchangeMode, Fidelity, Threads};

use crate::bench;
use crate::capture::CaptureArguments;
use crate::check;
use crate::deck;
use crate::director;
use crate::display;
use crate::drive;
use crate::exec;
use crate::explain;
use crate::fail_on::FailOnArguments;
use crate::faults;
use crate::islink;
use crate::link;
use crate::precision::{self, PrecisionArguments, WarmupArgument};
use crate::published;
use crate::quantities;
use crate::serve;
use crate::site;
use crate::smc;
use crate::sweep;
use crate::threads;
use crate::volume;
use crate::zedc;

const EXIT_CODES: &str = "\
Exit codes:
  0  the run ended and every law held (conservation, Little's law, utilisation)
  1  a law checker found a violation, or the run or its output failed
  2  bad input: arguments, deck, plant, workload or catalog; every error is shown
  3  a condition of --fail-on applies (run, sweep); everything was printed before";

const RUN_EXAMPLES: &str = "\
Examples:
  halftrack run studies/z16-oltp
  halftrack run studies/z16-oltp --system PROD1 --out out/z16-oltp
  halftrack run studies/z16-oltp --report z16-oltp.html
  halftrack run studies/z16-oltp --json | jq .summary.streams
  halftrack run my-study --catalog my-catalog --fidelity frame --seed 7
  halftrack run studies/z16-oltp --capture z16-oltp.pcapng && tshark -r z16-oltp.pcapng -c 20
  halftrack run my-study --warmup auto --precision 1% --confidence 0.95
  halftrack run studies/z16-oltp --set workload.stream.OLTP1.open.rate_per_s=60000 \\
      --set 'plant.cable.*.km=10'
  halftrack run my-study --fail-on overload,guideline || echo 'does not fit'

With --out, DIR gets intervals.json (everything measured), rmf-SYSTEM.txt (the reports of every
interval), summary.txt and report.html (the page that --report writes alone). DIR is replaced as a
whole, once every file is written.

Exit codes: 0 fine, 1 a law was violated or the run failed, 2 bad input, 3 a condition of
--fail-on applies (with law among the conditions, a violated law too); everything was printed
before.";

/// The IBM Z I/O subsystem in software.
#[derive(Debug, Parser)]
#[command(name = "halftrack", version, after_help = EXIT_CODES, propagate_version = true)]
pub struct Arguments {
    /// Subcommand.
    #[command(subcommand)]
    pub command: Command,
}

/// Subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a study and print its RMF reports
    #[command(after_help = RUN_EXAMPLES)]
    Run(RunArguments),
    /// Check a study without running it
    #[command(after_help = check::EXAMPLES)]
    Check(check::CheckArguments),
    /// Compare published measurements with the values that the twin predicts
    #[command(after_help = published::EXAMPLES)]
    Published(published::PublishedArguments),
    /// Run a study and measure the speed of the simulation
    #[command(after_help = bench::EXAMPLES)]
    Bench(bench::BenchArguments),
    /// Run a study for every combination of values of some of its keys
    #[command(after_help = sweep::EXAMPLES)]
    Sweep(Box<sweep::SweepArguments>),
    /// List the quantities that --y and experiments can name, with units and definitions
    #[command(after_help = quantities::EXAMPLES)]
    Quantities(quantities::QuantitiesArguments),
    /// Run channel programs on a volume, or assemble, disassemble and load
    #[command(after_help = exec::EXAMPLES)]
    Exec(exec::ExecArguments),
    /// Run a channel: drive streams of I/O to a control unit in another process
    #[command(after_help = drive::EXAMPLES)]
    Drive(drive::DriveArguments),
    /// Run a director: switch frames between channels and control units in other processes
    #[command(after_help = director::EXAMPLES)]
    Director(director::DirectorArguments),
    /// Answer z/OS operator commands such as D M=DEV(1000) from a study, or from a moment of its run
    #[command(after_help = display::EXAMPLES)]
    Display(display::DisplayArguments),
    /// Check, show, compare, convert and write IOCP decks
    #[command(after_help = deck::EXAMPLES)]
    Deck(deck::DeckArguments),
    /// Explain messages: rule, cause, example and fix
    #[command(after_help = explain::EXAMPLES)]
    Explain(explain::ExplainArguments),
    /// Run machines with random faults in virtual time, and prove that no write is lost
    #[command(after_help = faults::EXAMPLES)]
    Faults(faults::FaultsArguments),
    /// Run a system at one end of an ISFC logical link: move streams to another over channel-to-channel devices
    #[command(after_help = islink::EXAMPLES)]
    Islink(islink::IslinkArguments),
    /// Show records of the links of channels, control units and directors
    Link(link::LinkArguments),
    /// Run a control unit: serve volumes to channels in other processes
    #[command(after_help = serve::EXAMPLES)]
    Serve(serve::ServeArguments),
    /// Run programs whose TCP connections move to SMC-R, and show those connections
    #[command(after_help = smc::EXAMPLES)]
    Smc(smc::SmcArguments),
    /// Write studies of whole machines, and list the machine models
    #[command(after_help = site::EXAMPLES)]
    Study(Box<site::SiteArguments>),
    /// Create, list, show, read, copy, check and compact volumes
    #[command(after_help = volume::EXAMPLES)]
    Volume(volume::VolumeArguments),
    /// Run zEDC Express cards, and programs that compress with them
    #[command(after_help = zedc::EXAMPLES)]
    Zedc(zedc::ZedcArguments),
}

/// Arguments of `halftrack run`.
#[derive(Debug, Args)]
pub struct RunArguments {
    /// Study and options of the run.
    #[command(flatten)]
    pub study: StudyArguments,
    /// Write all results into DIR; an earlier output of halftrack there is replaced
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Write a self-contained HTML page with topology, utilisations and response times to FILE
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Capture options.
    #[command(flatten)]
    pub capture: CaptureArguments,
    /// Print the reports of this system (a partition name) [default: the first system with work]
    #[arg(long, value_name = "NAME")]
    pub system: Option<String>,
    /// Conditions of exit code 3.
    #[command(flatten)]
    pub fail_on: FailOnArguments,
    /// Print one JSON object with the summary and the reports of every system instead of text
    #[arg(long)]
    pub json: bool,
}

/// Arguments of every command that runs a study.
#[derive(Debug, Args)]
pub struct StudyArguments {
    /// Directory with deck.iocp, plant.toml and workload.toml
    #[arg(value_name = "STUDY")]
    pub study: PathBuf,
    /// Directory of your own catalog files (DIR/channel/ID.toml and so on), which override the built-in ones;
    /// repeatable, the last directory wins
    #[arg(long = "catalog", value_name = "DIR")]
    pub catalogs: Vec<PathBuf>,
    /// Set a key of the three files, such as plant.cable.100.km=10, with the syntax of `halftrack sweep`; repeatable
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Script of faults, the format of `halftrack faults`: its events are added to those of the workload
    #[arg(long, value_name = "FILE")]
    pub faults: Option<PathBuf>,
    /// Show every message about the input; by default more than three of one cause are one with a count
    #[arg(long)]
    pub all: bool,
    /// Seed of the random-number streams [default: the one of the workload]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Granularity of the simulation of frames
    #[arg(long, value_enum, default_value_t = FidelityArgument::Burst)]
    pub fidelity: FidelityArgument,
    /// Execution of exchanges; results do not depend on it
    #[arg(long, value_enum, default_value_t = ExchangeArgument::Planned)]
    pub exchange: ExchangeArgument,
    /// Worker threads at most; N! takes that many even where fewer are faster. Results do not depend on their number
    /// [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = threads::parse)]
    pub threads: Option<Threads>,
    /// Begin to measure after this many seconds of virtual time, or `auto`: when the transients of all streams have
    /// ended [default: the warm-up of the workload]
    #[arg(long, value_name = "S|auto", value_parser = precision::warmup)]
    pub warmup: Option<WarmupArgument>,
    /// Simulation of user data; times do not depend on it [default: the one of the workload]
    #[arg(long, value_enum)]
    pub data: Option<DataArgument>,
    /// Corrupt one octet of the data of N I/Os in transit; the run must then report exactly N
    #[arg(long, value_name = "N")]
    pub inject_corruption: Option<u32>,
    /// When the run may end.
    #[command(flatten)]
    pub precision: PrecisionArguments,
}

/// `--data`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DataArgument {
    /// Octets move from and to volumes in memory, and are compared where they arrive
    Real,
    /// Only the number of octets is simulated
    Lengths,
}

/// `--fidelity`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FidelityArgument {
    /// Up to four frames are one event where buffer credits cannot run out
    Burst,
    /// Every frame is an event
    Frame,
}

impl From<FidelityArgument> for Fidelity {
    fn from(argument: FidelityArgument) -> Self {
        match argument {
            FidelityArgument::Burst => Self::Burst,
            FidelityArgument::Frame => Self::Frame,
        }
    }
}

/// `--exchange`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExchangeArgument {
    /// Recorded plans, left for the protocol state machines at the first fault
    Planned,
    /// The protocol state machines for every exchange
    Live,
}

impl From<ExchangeArgument> for ExchangeMode {
    fn from(argument: ExchangeArgument) -> Self {
        match argument {
            ExchangeArgument::Planned => Self::Planned,
            ExchangeArgument::Live => Self::Live,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_run_is_planned_in_bursts_unless_asked_otherwise() {
        let Command::Run(run) = Arguments::parse_from(["halftrack", "run", "study"]).command else {
            panic!("run was asked for");
        };
        assert_eq!(run.study.fidelity, FidelityArgument::Burst);
        assert_eq!(run.study.exchange, ExchangeArgument::Planned);
        assert_eq!((run.study.threads, run.study.seed, run.json), (None, None, false));
    }

    /// Lines behind the options are not wrapped, but those of `bench`, which lists figures.
    #[test]
    fn the_end_of_each_help_fits_a_hundred_columns() {
        let mut commands = vec![Arguments::command()];
        while let Some(command) = commands.pop() {
            let end = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            for line in end.lines() {
                assert!(line.chars().count() <= 100, "{}: {line}", command.get_name());
            }
            commands.extend(command.get_subcommands().filter(|one| one.get_name() != "bench").cloned());
        }
    }

    #[test]
    fn no_threads_is_refused() {
        let parsed = Arguments::try_parse_from(["halftrack", "bench", "study", "--threads", "0"]);
        assert_eq!(parsed.unwrap_err().kind(), clap::error::ErrorKind::ValueValidation);
    }
}
