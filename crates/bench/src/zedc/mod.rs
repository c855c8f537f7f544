//! zEDC cards through their rings and through the library in the place of zlib, beside zlib.

mod cards;
mod corpus;
mod library;

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Instant;

use flate2::read::{DeflateDecoder, ZlibDecoder};
use halftrack_zedc::{ENGINE_NAMES, INPUT_BYTES_MAX, deflate_bound_bytes, engine_of, software};
use serde::{Deserialize, Serialize};

use crate::bench_error::BenchError;
use crate::calibration::calibration_ns;
use crate::link::children::failed;
use crate::rounds::median;
use cards::{Machine, deflate_long, flood, short_overheads_us};
use corpus::{WHOLE_BYTES, corpus};
use library::compress_by;

/// Stages that a measurement has.
pub const STAGES: u64 = 8;
/// Octets of the corpus of a short measurement.
const QUICK_BYTES: usize = 8_000_000;
/// Cards of the measurement of the library: as the paper recommends at least.
const LIBRARY_CARDS: usize = 2;
/// zlib of the system, by the name that programs load.
pub const SYSTEM_LIBRARY: &str = "libz.so.1";

/// Speed of an engine without a card.
#[derive(Debug, Clone, Serialize)]
pub struct EngineFigures {
    /// Name.
    pub engine: &'static str,
    /// Octets deflated in requests of 1 MiB, 10^6 bytes a second.
    pub deflate_mb_per_s: f64,
    /// Octets to which streams of 1 MiB are inflated, 10^6 bytes a second.
    pub inflate_mb_per_s: f64,
    /// Ratio of compression.
    pub ratio: f64,
}

/// Figures of cards, library and zlib. The first seven are those by which a card is judged.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Figures {
    /// Octets that a card deflates for each second of its processor time, in requests of 1 MiB, 10^6 bytes a second.
    pub card_mb_per_s: f64,
    /// Octets that one thread compresses by the library over two cards, in buffers of 1 MiB, 10^6 bytes a second.
    pub dropin_mb_per_s: f64,
    /// Octets that one thread compresses by zlib of the system at level 1, 10^6 bytes a second.
    pub zlib_mb_per_s: f64,
    /// Ratio of compression of the card.
    pub ratio: f64,
    /// Ratio of compression of zlib of the system at level 1.
    pub ratio_zlib1: f64,
    /// Time of a request of 4 KiB beside that in the engine, median, us.
    pub queue_us_p50: f64,
    /// That time while another function floods the card with requests of 1 MiB, 99th percentile, us.
    pub queue_us_p99_beside_flood: f64,
    /// Engine of the card.
    pub engine: &'static str,
    /// Engines of this build.
    pub engines: Vec<EngineFigures>,
    /// Octets of the corpus.
    pub corpus_bytes: u64,
    /// Octets that were inflated by another library and compared.
    pub bytes_verified: u64,
    /// Time of the fixed arithmetic loop, ns.
    pub calibration_ns: u64,
}

/// Speed of a library, as the process that loaded it prints it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LibraryFigures {
    /// Octets compressed, 10^6 bytes a second.
    pub mb_per_s: f64,
    /// Ratio of compression.
    pub ratio: f64,
    /// Octets that were inflated by another library and compared.
    pub bytes_verified: u64,
}

/// Measures everything. `command` is the `halftrack` command that the cards are; `library` the one in the place of zlib.
///
/// # Errors
/// A process that does not start; an octet that was another one; no files to be compressed.
pub fn measure(
    command: &Path,
    library: &Path,
    is_quick: bool,
    stage: &mut dyn FnMut(&'static str),
) -> Result<Figures, BenchError> {
    stage("calibrating");
    let mut figures =
        Figures { calibration_ns: calibration_ns(), engine: ENGINE_NAMES[0], ..Figures::default() };
    stage("gathering the corpus");
    let data = corpus(if is_quick { QUICK_BYTES } else { WHOLE_BYTES })?;
    let (rounds, seconds) = if is_quick { (1, 0.1) } else { (3, 1.0) };
    figures.corpus_bytes = data.len() as u64;
    stage("the engines");
    figures.engines =
        ENGINE_NAMES.iter().map(|name| engine_figures(name, &data)).collect::<Result<_, _>>()?;
    let machine = Machine::start(command, 1)?;
    stage("requests of 1 MiB");
    let mut rates = Vec::new();
    for _ in 0..rounds {
        let long = deflate_long(&machine, &data)?;
        rates.push(long.per_processor_s / 1e6);
        figures.ratio = ratio(&data, &long.streams);
        figures.bytes_verified +=
            verify(&data, &long.streams, |stream| Box::new(DeflateDecoder::new(stream)))?;
    }
    figures.card_mb_per_s = median(rates);
    stage("requests of 4 KiB");
    figures.queue_us_p50 = quantile(&short_overheads_us(&machine, &data, 1, seconds)?, 0.5);
    stage("requests of 4 KiB beside a flood");
    figures.queue_us_p99_beside_flood = beside_flood(&machine, &data, seconds)?;
    drop(machine);
    stage("the library over two cards");
    let machine = Machine::start(command, LIBRARY_CARDS)?;
    let dropin = by_process(command, library, Some(machine.directory()), &data, rounds)?;
    drop(machine);
    stage("zlib of the system");
    let zlib = by_process(command, Path::new(SYSTEM_LIBRARY), None, &data, 1)?;
    figures.bytes_verified += dropin.bytes_verified + zlib.bytes_verified;
    Ok(Figures {
        dropin_mb_per_s: dropin.mb_per_s,
        zlib_mb_per_s: zlib.mb_per_s,
        ratio_zlib1: zlib.ratio,
        ..figures
    })
}

fn quantile(sorted: &[f64], part: f64) -> f64 {
    let at = ((sorted.len() as f64 - 1.0) * part).round() as usize;
    sorted.get(at).copied().unwrap_or_default()
}

fn ratio(data: &[u8], streams: &[Vec<u8>]) -> f64 {
    data.len() as f64 / streams.iter().map(Vec::len).sum::<usize>() as f64
}

/// Inflates the streams of 1 MiB each by a library that no card has, and compares.
fn verify(
    data: &[u8],
    streams: &[Vec<u8>],
    decoder: impl for<'a> Fn(&'a [u8]) -> Box<dyn std::io::Read + 'a>,
) -> Result<u64, BenchError> {
    let mut plain = Vec::new();
    for (at, (buffer, stream)) in data.chunks(INPUT_BYTES_MAX).zip(streams).enumerate() {
        plain.clear();
        decoder(stream).read_to_end(&mut plain)?;
        if plain != buffer {
            return Err(failed("a stream", format!("the octets of request {at} are others")));
        }
    }
    Ok(data.len() as u64)
}

fn engine_figures(name: &'static str, data: &[u8]) -> Result<EngineFigures, BenchError> {
    let mut engine = engine_of(name).ok_or_else(|| failed("an engine", name))?;
    let failure = |fault| failed("an engine", fault);
    let mut room = vec![0; deflate_bound_bytes(INPUT_BYTES_MAX)];
    let mut streams = Vec::new();
    let began = Instant::now();
    for buffer in data.chunks(INPUT_BYTES_MAX) {
        let bytes = software::deflate(&mut *engine, buffer, &mut room).map_err(failure)?;
        streams.push(room[..bytes].to_vec());
    }
    let deflate_s = began.elapsed().as_secs_f64();
    let began = Instant::now();
    for (stream, buffer) in streams.iter().zip(data.chunks(INPUT_BYTES_MAX)) {
        let inflated = engine.inflate(stream, &mut room).map_err(failure)?;
        if room[..inflated.produced_bytes] != *buffer {
            return Err(failed("an engine", format!("{name} gives other octets back")));
        }
    }
    let inflate_s = began.elapsed().as_secs_f64();
    let rate = |seconds: f64| data.len() as f64 / 1e6 / seconds;
    let (deflate_mb_per_s, inflate_mb_per_s) = (rate(deflate_s), rate(inflate_s));
    Ok(EngineFigures { engine: name, deflate_mb_per_s, inflate_mb_per_s, ratio: ratio(data, &streams) })
}

fn beside_flood(machine: &Machine, data: &[u8], seconds: f64) -> Result<f64, BenchError> {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let flooding = scope.spawn(|| flood(machine, data, &is_over));
        let found = short_overheads_us(machine, data, 1, seconds);
        is_over.store(true, Ordering::Relaxed);
        flooding.join().map_err(|_| failed("a flood", "it panicked"))??;
        Ok(quantile(&found?, 0.99))
    })
}

/// Has a process of its own load a library and compress by it.
fn by_process(
    command: &Path,
    library: &Path,
    cards: Option<&Path>,
    data: &[u8],
    rounds: usize,
) -> Result<LibraryFigures, BenchError> {
    let file = tempfile::NamedTempFile::new()?;
    fs::write(file.path(), data)?;
    let mut found = Vec::new();
    for _ in 0..rounds {
        let mut child = Command::new(command);
        child.args(["bench", "zedc", "--library"]).arg(library).arg("--compress").arg(file.path());
        child.env_remove("HALFTRACK_ZEDC");
        if let Some(cards) = cards {
            child.env("HALFTRACK_ZEDC", cards);
        }
        let output = child.output().map_err(|error| failed("a library", error))?;
        if !output.status.success() {
            return Err(failed("a library", String::from_utf8_lossy(&output.stderr)));
        }
        let figures: Result<LibraryFigures, _> = serde_json::from_slice(&output.stdout);
        found.push(figures.map_err(|error| failed("a library", error))?);
    }
    let mb_per_s = median(found.iter().map(|figures| figures.mb_per_s).collect());
    let bytes_verified = found.iter().map(|figures| figures.bytes_verified).sum();
    Ok(LibraryFigures { mb_per_s, ratio: found[0].ratio, bytes_verified })
}

/// Compresses a file by a library in this process, and compares.
///
/// # Errors
/// A library that cannot be loaded; an octet that was another one.
pub fn compress_file(library: &Path, file: &Path) -> Result<LibraryFigures, BenchError> {
    let data = fs::read(file)?;
    let (took, streams) = compress_by(library, &data, INPUT_BYTES_MAX)?;
    let bytes_verified = verify(&data, &streams, |stream| Box::new(ZlibDecoder::new(stream)))?;
    let mb_per_s = data.len() as f64 / 1e6 / took.as_secs_f64();
    Ok(LibraryFigures { mb_per_s, ratio: ratio(&data, &streams), bytes_verified })
}
