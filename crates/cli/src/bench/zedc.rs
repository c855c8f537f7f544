//! `halftrack bench zedc`: cards, and the library over them, beside zlib.

use std::path::PathBuf;

use clap::Args;
use halftrack_bench::zedc::{Figures, STAGES, compress_file, measure};

use super::stages::Stages;
use super::{json, table};
use crate::failure::Failure;
use crate::standard_output::print;

/// Examples and exit codes of `halftrack bench zedc --help`.
pub const EXAMPLES: &str = "\
The corpus is a tar of 100 MB of this host's documentation, C headers and Python libraries. Cards are
this same command, `halftrack zedc serve`, each a process. Every stream is inflated by another library
and compared.
  card_mb_per_s              octets that a card deflates in requests of 1 MiB for each second of its
                             processor time, through rings, copies included
  dropin_mb_per_s            octets that a thread compresses by libz.so over two cards, 1 MiB a call
  zlib_mb_per_s              the same by libz.so.1 of the system at level 1
  ratio, ratio_zlib1         ratios of compression of the card, and of zlib at level 1
  queue_us_p50               what a request of 4 KiB takes beside its time in the engine, median
  queue_us_p99_beside_flood  the same beside a function that floods the card with 1 MiB requests, p99
  engine, engines            engine of the card; speed and ratio of each engine of this build
  corpus_bytes, bytes_verified, calibration_ns

The library is libz.so beside this command, made by `cargo build --profile ship --package
halftrack-zlib`, or the one of --library.

Examples:
  halftrack bench zedc
  halftrack bench zedc --quick --json

Exit codes: 0 fine, 1 a card failed or an octet was another one, 2 bad input.";

/// Arguments of `halftrack bench zedc`.
#[derive(Debug, Args)]
pub struct ZedcArguments {
    /// A short measurement of 8 MB
    #[arg(long)]
    quick: bool,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
    /// Library in the place of zlib
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
    /// File that this process compresses by the library
    #[arg(long, hide = true, requires = "library")]
    compress: Option<PathBuf>,
}

/// Measures everything and prints it.
///
/// # Errors
/// No library; a process that does not start; an octet that was another one.
pub fn bench(arguments: &ZedcArguments) -> Result<bool, Failure> {
    if let (Some(library), Some(file)) = (&arguments.library, &arguments.compress) {
        print(&json(&compress_file(library, file)?))?;
        return Ok(true);
    }
    let command = std::env::current_exe()?;
    let library = crate::zedc::LIBRARY.find(arguments.library.as_deref())?;
    let stages = Stages::new(STAGES);
    let figures = measure(&command, &library, arguments.quick, &mut |stage| stages.next(stage))?;
    drop(stages);
    print(&if arguments.json { json(&figures) } else { to_table(&figures) })?;
    Ok(true)
}

fn to_table(figures: &Figures) -> String {
    let mut text = table(&[
        ("card_mb_per_s", format!("{:.0}", figures.card_mb_per_s)),
        ("dropin_mb_per_s", format!("{:.0}", figures.dropin_mb_per_s)),
        ("zlib_mb_per_s", format!("{:.0}", figures.zlib_mb_per_s)),
        ("of zlib", format!("{:.1} times", figures.dropin_mb_per_s / figures.zlib_mb_per_s)),
        ("ratio", format!("{:.3}", figures.ratio)),
        ("ratio_zlib1", format!("{:.3}", figures.ratio_zlib1)),
        ("queue_us_p50", format!("{:.2}", figures.queue_us_p50)),
        ("queue_us_p99_beside_flood", format!("{:.1}", figures.queue_us_p99_beside_flood)),
        ("engine", figures.engine.to_owned()),
        ("corpus_bytes", figures.corpus_bytes.to_string()),
        ("bytes_verified", figures.bytes_verified.to_string()),
        ("calibration_ns", figures.calibration_ns.to_string()),
    ]);
    for engine in &figures.engines {
        let (name, deflate, inflate, ratio) =
            (engine.engine, engine.deflate_mb_per_s, engine.inflate_mb_per_s, engine.ratio);
        text += &format!("{name}: deflates {deflate:.0} MB/s to 1/{ratio:.3}, inflates {inflate:.0} MB/s\n");
    }
    text
}
