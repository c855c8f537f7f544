//! `halftrack study new`: a study of a whole machine, from a model and a few sizes.

use std::fmt::{Display, Write};
use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::{Args, value_parser};
use halftrack::generate::{Block, Load, Request, Written};
use halftrack::new_study::{
    ALIASES, BASES, CHANNEL_SUBSYSTEMS, CHANNELS, JOBS, KM, LPARS, RATE_PER_S, make_study, new_study_json,
};

use crate::diagnostics;
use crate::failure::Failure;
use crate::standard_output::print;

/// Words at the end of `halftrack study new --help`.
pub const EXAMPLES: &str = "\
Examples:
  halftrack study new --model Max39 --channels 64 --bases 8192 --aliases 8192 my-study
  halftrack study new --model Max200 --channels 384 --bases 49152 --aliases 16384 largest
  halftrack study new --model Max82 --channels 128 --bases 16384 --aliases 0 \\
      --rate 2000000 --km 10 far
  halftrack study new --model my-model --catalog my-catalog --channels 16 \\
      --bases 512 --aliases 512 mine

The deck has logical control units of 256 unit addresses, bases first, aliases behind them in
subchannel set 1. Each has eight paths over eight directors, and each channel a host-adapter port
of its own. Up to 256 channels span all channel subsystems; more are divided among these. Each
partition has devices of its own. DIR appears once every file is written. Warm-up and interval are
in DIR/workload.toml.

Exit codes: 0 fine, 1 the study could not be put in its place, 2 bad input: every exceeded limit
is shown.";

/// Arguments of `halftrack study new`.
#[derive(Debug, Args)]
pub struct NewArguments {
    /// Model of the processor complex, such as Max200, or its catalog id (`halftrack study models`)
    #[arg(long, value_name = "MODEL")]
    model: String,
    /// FICON channels
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(CHANNELS))]
    channels: u32,
    /// Base devices
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(BASES))]
    bases: u32,
    /// HyperPAV aliases
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(ALIASES))]
    aliases: u32,
    /// Logical partitions [default: as in the published measurements of the model]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(LPARS))]
    lpars: Option<u32>,
    /// Channel subsystems [default: as many as partitions and channels need]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(CHANNEL_SUBSYSTEMS))]
    css: Option<u32>,
    /// Catalog id of the channel cards [default: the fastest of the machine]
    #[arg(long, value_name = "ID")]
    card: Option<String>,
    /// Length of each cable, from channel to director and from there to the box, km
    #[arg(long, value_name = "KM", default_value_t = 1.0, value_parser = km)]
    km: f64,
    /// Closed jobs of all partitions together, each with one I/O at a time [default: as many as keep all IOP
    /// threads busy]
    #[arg(long, value_name = "N", conflicts_with = "rate", value_parser = value_parser!(u32).range(JOBS))]
    jobs: Option<u32>,
    /// Instead of jobs: arriving I/Os a second, all partitions together
    #[arg(long, value_name = "R", value_parser = rate)]
    rate: Option<f64>,
    /// Data of each read: 4K, 27K, half-track or a number of bytes
    #[arg(long, value_name = "BLOCK", default_value = "4K")]
    block: Block,
    /// Seed of every random stream
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u64).range(..=i64::MAX as u64))]
    seed: u64,
    /// Directory of your own catalog files, which override the built-in ones; repeatable, the last directory wins
    #[arg(long = "catalog", value_name = "DIR")]
    catalogs: Vec<PathBuf>,
    /// Print one JSON object about the study instead of text
    #[arg(long)]
    json: bool,
    /// Directory to create for the study
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

/// Parses a length, km.
fn km(text: &str) -> Result<f64, String> {
    number(text, &KM)
}

/// Parses I/Os a second.
fn rate(text: &str) -> Result<f64, String> {
    number(text, &RATE_PER_S)
}

fn number(text: &str, range: &RangeInclusive<f64>) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| range.contains(number));
    number.ok_or_else(|| format!("expected a number from {} to {}", range.start(), range.end()))
}

impl NewArguments {
    fn request(&self) -> Request {
        Request {
            model: self.model.clone(),
            channels: self.channels,
            bases: self.bases,
            aliases: self.aliases,
            lpars: self.lpars,
            css: self.css,
            card: self.card.clone(),
            km: self.km,
            load: self.jobs.map(Load::Jobs).or(self.rate.map(Load::Rate)),
            block: self.block,
            seed: self.seed,
        }
    }
}

/// Writes the study.
///
/// # Errors
/// A configuration that does not fit; a directory that exists; output that cannot be written.
pub fn new(arguments: &NewArguments) -> Result<bool, Failure> {
    let made = make_study(&arguments.directory, &arguments.request(), &arguments.catalogs);
    diagnostics::show(match &made {
        Ok((_, found)) => found,
        Err(error) => &error.diagnostics,
    })?;
    let refused = || Failure::NoNewStudy { study: arguments.directory.clone() };
    let (written, _) = made.map_err(|error| error.output.map_or_else(refused, Failure::from))?;
    print(&summary(&written, arguments))?;
    Ok(true)
}

fn summary(written: &Written, arguments: &NewArguments) -> String {
    let study = &arguments.directory;
    if arguments.json {
        return new_study_json(study, written);
    }
    let Written { cpc, card, director, control_unit, .. } = written;
    let mut text = String::new();
    let (partitions, subsystems) =
        (counted(written.lpars, "LPAR"), counted(written.channel_subsystems, "channel subsystem"));
    let _ = writeln!(
        text,
        "{}: {cpc}, {partitions} of {}, {subsystems}",
        study.display(),
        counted(written.cps_of_one, "CP")
    );
    let (channels, cards) = (written.channels, counted(written.cards, "card"));
    let places = (counted(written.domains, "domain"), counted(written.fanouts, "fanout"));
    let _ = writeln!(text, "  channels  {channels} on {cards} ({card}), {}, {}", places.0, places.1);
    let directors = counted(written.directors, "director");
    let _ = writeln!(text, "  fabric    {directors} ({director}), every cable {} km", arguments.km);
    let units = counted(written.logical_control_units, "logical control unit");
    let (boxes, bases) = (counted(written.boxes, "box"), counted(written.bases, "base"));
    let aliases = written.aliases;
    let _ = writeln!(text, "  storage   {boxes} ({control_unit}), {units}, {bases}, {aliases} aliases");
    let load = match (written.jobs, written.rate_per_s) {
        (Some(jobs), _) => counted(jobs, "closed job"),
        (None, rate) => format!("{} I/Os a second", rate.unwrap_or_default()),
    };
    let _ = writeln!(text, "  work      {load}, each I/O reads {}", arguments.block);
    text
}

/// Formats `1 box`, `2 boxes`.
fn counted(count: impl Display + PartialEq<u32>, noun: &str) -> String {
    let ending = match noun.chars().last() {
        _ if count == 1 => "",
        Some('x') => "es",
        _ => "s",
    };
    format!("{count} {noun}{ending}")
}
