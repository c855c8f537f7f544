//! Arguments of `halftrack sweep`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::RangedU64ValueParser;

use crate::arguments::FidelityArgument;
use crate::fail_on::FailOnArguments;
use crate::precision::PrecisionArguments;
use crate::run_cache::CacheArguments;

use super::picture_arguments::PictureArguments;

/// Text at the end of `halftrack sweep --help`.
pub const EXAMPLES: &str = "\
Examples:
  halftrack sweep studies/z16-oltp --set workload.stream.OLTP1.open.rate_per_s=20000..100000:20000
  halftrack sweep studies/fex32s-zhpf-4k --set workload.stream.READ4K.closed.jobs=1..64*2 \\
      --set 'plant.cable.*.km=0,10,100' --y rate_per_s,response_ms --out out/distance
  halftrack sweep my-study --set plant.card.0.type=fex16sa,fex32s \\
      --set 'plant.cable.*.km=0..100:10' --json
  halftrack sweep my-study --set 'workload.stream.A.open={ rate_per_s = 9 },none'
  halftrack sweep studies/published/fex32s-mix --set \\
      'workload.stream.ZHPF.closed.jobs=90,50,10; workload.stream.FICON.closed.jobs=10,50,90'
  halftrack sweep studies/fex32s-zhpf-4k --set workload.stream.READ4K.closed.jobs=1..64*2 \\
      --x rate_per_s --y response_ms --mark 300000=0.2 --out out/response
  halftrack sweep studies/published/ficon-2002-channel \\
      --set plant.card.0.type=ficon-z900,ficon-express \\
      --y rate_per_s --bars --x-names 'z900,FICON Express' --mark 'FICON Express=7200' \\
      --out out/cards
  halftrack sweep studies/fex32s-zhpf-4k --set 'plant.cable.*.km=0..100:10' \\
      --set workload.stream.READ4K.closed.jobs=1..64*2 --parquet out/distance
  duckdb -c \"FROM 'out/distance/*/values/*.parquet' WHERE quantity = 'response_ms'\"

KEY is a file (deck, plant, workload) and names with dots between them. VALUES are separated by
commas, but not within brackets or quotation marks; FIRST..LAST[:STEP] and FIRST..LAST*FACTOR
count; none removes the key. Several --set make all combinations; sets with ; between them in one
--set change in step. The reference is docs/formats/sweep.md.

Finished runs are cached: a sweep that was interrupted continues where it was when it is started
again.

With --out, DIR gets points.csv, points.json and a picture (SVG) of every quantity of --y. DIR is
replaced as a whole, once every file is written. With --parquet, the directory of the study in DIR
is, which has the points (keys and values as columns) and the values (a row each, with unit).

Exit codes: 0 fine, 1 a point failed or violated a law, 2 bad input: no point was run, 3 a
condition of --fail-on applies to a point.";

/// Arguments of `halftrack sweep`.
#[derive(Debug, Args)]
pub struct SweepArguments {
    /// Directory with deck.iocp, plant.toml and workload.toml
    #[arg(value_name = "STUDY")]
    pub study: PathBuf,
    /// Vary a key of the three files over VALUES. Several --set make all combinations; keys with `;` between them in
    /// one --set change in step
    #[arg(long = "set", value_name = "KEY=VALUES", required = true)]
    pub sets: Vec<String>,
    /// Write the table and the pictures into DIR; an earlier sweep there is replaced
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Write points and values as Parquet files into DIR/study=NAME, beside other studies there; an earlier sweep of the
    /// study is replaced
    #[arg(long, value_name = "DIR")]
    pub parquet: Option<PathBuf>,
    /// Quantities to draw, and to show in the table beside rate, response time and MB/s; repeatable; `halftrack
    /// quantities` lists all [default: rate_per_s,response_ms,mb_per_s]
    #[arg(long, value_name = "QUANTITY,...", value_delimiter = ',')]
    pub y: Vec<String>,
    /// Number of points that run at the same time; results do not depend on it [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    pub threads: Option<usize>,
    /// Run the points on the Ray cluster at ADDRESS (HOST:PORT or auto), by default the one that Ray finds or starts. It needs
    /// the Python package; HALFTRACK_PACKAGE_PYTHON names the interpreter [default: python3]
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "")]
    pub ray: Option<String>,
    /// Seed of the random-number streams [default: the one of the workload]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Granularity of the simulation of frames
    #[arg(long, value_enum, default_value_t = FidelityArgument::Burst)]
    pub fidelity: FidelityArgument,
    /// Directory of your own catalog files (DIR/channel/ID.toml and so on), which override the built-in ones;
    /// repeatable, the last directory wins
    #[arg(long = "catalog", value_name = "DIR")]
    pub catalogs: Vec<PathBuf>,
    /// When a run may end.
    #[command(flatten)]
    pub precision: PrecisionArguments,
    /// Where finished runs are kept.
    #[command(flatten)]
    pub cache: CacheArguments,
    /// Conditions of exit code 3.
    #[command(flatten)]
    pub fail_on: FailOnArguments,
    /// How the pictures are drawn.
    #[command(flatten)]
    pub pictures: PictureArguments,
    /// Show every message about sets and study; by default more than three of one cause are one with a count
    #[arg(long)]
    pub all: bool,
    /// Print one JSON object (as in points.json) instead of a table
    #[arg(long)]
    pub json: bool,
}
