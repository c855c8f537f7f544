//! `halftrack volume read`: the octets of a data set, a member, tracks, records or blocks.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use halftrack_base::CodePage;
use halftrack_volume::vtoc::{BlockCursor, DataSet, LogicalRecords, Organization, ReadError};
use halftrack_volume::{Blocks, Track, Tracks};

use crate::failure::Failure;
use crate::standard_error::standard_error;
use crate::volume::address::{self, BlockRange, RecordRange, TrackRange};
use crate::volume::opening::{self, JournalArgument, unusable};
use crate::volume::sink::{Sink, SinkError};
use crate::volume::units_bar::Spinner;

/// Words at the end of `halftrack volume read --help`.
pub const EXAMPLES: &str = "\
Examples:
  halftrack volume read work01.ckd MY.TEXT --text
  halftrack volume read sysres.cckd 'SYS1.PARMLIB(IEASYS00)' --text
  halftrack volume read work01.ckd MY.LOAD --lengths -o my.load
  halftrack volume read work01.ckd --records 0/0/3 | xxd
  halftrack volume read work01.ckd --tracks 0/0-0/14 -o cylinder0
  halftrack volume read dos.fba --blocks 0-1

Records are written one after the other as they are; --text translates each into a line, blanks at
its end left out. --records writes key and data areas. --tracks writes home address, count, key
and data areas of every record from record zero, and eight octets X'FF' behind the last.

Exit codes: 0 fine, 1 a part could not be read (reported on standard error; the rest was written),
2 bad input.";

/// Arguments of `halftrack volume read`.
#[derive(Debug, Args)]
pub struct ReadArguments {
    /// Image of the volume; its first file when it has several
    #[arg(value_name = "VOLUME")]
    volume: PathBuf,
    /// Whether its journal counts.
    #[command(flatten)]
    journal: JournalArgument,
    /// Selection of the contents.
    #[command(flatten)]
    selection: Selection,
    /// Write to FILE, which is replaced when everything was read, instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Translate records from EBCDIC into lines of text
    #[arg(long)]
    text: bool,
    /// Write each record behind its length: four octets, of which two are zero and which the length includes
    #[arg(long, conflicts_with = "text")]
    lengths: bool,
    /// Code page of the text
    #[arg(long, value_enum, default_value_t = CodePageArgument::Page1047)]
    code_page: CodePageArgument,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Selection {
    /// A data set, or a member: DATASET(MEMBER)
    #[arg(value_name = "DATASET")]
    data_set: Option<String>,
    /// Whole tracks: CYLINDER/HEAD, or a range with - between first and last
    #[arg(long, value_name = "C/H[-C/H]", value_parser = address::tracks)]
    tracks: Option<TrackRange>,
    /// Records of a track by their numbers: CYLINDER/HEAD/RECORD, or RECORD-RECORD
    #[arg(long, value_name = "C/H/R[-R]", value_parser = address::records)]
    records: Option<RecordRange>,
    /// Blocks of a fixed-block volume
    #[arg(long, value_name = "B[-B]", value_parser = address::blocks)]
    blocks: Option<BlockRange>,
}

/// `--code-page`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CodePageArgument {
    /// Latin 1, Open Systems
    #[value(name = "1047")]
    Page1047,
    /// USA and Canada
    #[value(name = "037")]
    Page037,
}

impl From<CodePageArgument> for CodePage {
    fn from(argument: CodePageArgument) -> Self {
        match argument {
            CodePageArgument::Page1047 => Self::Page1047,
            CodePageArgument::Page037 => Self::Page037,
        }
    }
}

/// Reads; true when the whole selection could be read.
///
/// # Errors
/// Bad input; output that cannot be written.
pub fn read(arguments: &ReadArguments) -> Result<bool, Failure> {
    let volume = &arguments.volume;
    let spinner = arguments.output.is_some().then(|| Spinner::new("reading"));
    let written = match &arguments.selection {
        Selection { blocks: Some(range), .. } => {
            let mut blocks = opening::fba(volume, arguments.journal)?;
            Sink::fill(arguments.output.as_deref(), |sink| read_blocks(arguments, &mut blocks, *range, sink))
        }
        Selection { tracks: Some(range), .. } => {
            let mut tracks = opening::ckd(volume, arguments.journal)?;
            Sink::fill(arguments.output.as_deref(), |sink| read_tracks(&mut tracks, *range, sink))
        }
        Selection { records: Some(range), .. } => {
            let mut tracks = opening::ckd(volume, arguments.journal)?;
            Sink::fill(arguments.output.as_deref(), |sink| read_records(arguments, &mut tracks, *range, sink))
        }
        Selection { data_set, .. } => {
            let name = data_set.as_deref().unwrap_or_default();
            let mut tracks = opening::ckd(volume, arguments.journal)?;
            let (data_set, cursor) = begin(arguments, &mut tracks, name)?;
            let records = LogicalRecords::new(&data_set, cursor);
            let mut records = records.map_err(|error| unusable(volume, format!("{name}: {error}")))?;
            Sink::fill(arguments.output.as_deref(), |sink| {
                read_data_set(arguments, &mut tracks, &mut records, sink)
            })
        }
    };
    drop(spinner);
    written.map_err(|error| match error {
        SinkError::Failure(failure) => failure,
        SinkError::Refused(reason) => unusable(volume, reason),
    })
}

/// Begins with the blocks of `DATASET` or `DATASET(MEMBER)`.
fn begin(
    arguments: &ReadArguments,
    tracks: &mut impl Tracks,
    name: &str,
) -> Result<(DataSet, BlockCursor), Failure> {
    let volume = &arguments.volume;
    let geometry = *tracks.geometry();
    let refuse = |error: ReadError| unusable(volume, format!("{name}: {error}"));
    let Some((library, member)) = name.strip_suffix(')').and_then(|name| name.split_once('(')) else {
        let data_set = opening::data_set(volume, tracks, name)?;
        if data_set.organization == Organization::Partitioned {
            let reason = format!(
                "{name} is partitioned; name a member, as '{name}(MEMBER)', or list them with `halftrack volume list \
                 {} {name}`",
                volume.display()
            );
            return Err(unusable(volume, reason));
        }
        let cursor = BlockCursor::new(&data_set, &geometry).map_err(refuse)?;
        return Ok((data_set, cursor));
    };
    let (data_set, directory) = opening::directory(volume, tracks, library)?;
    let Some(found) = directory.find(member) else {
        let reason = format!(
            "{library} has no member {member}; `halftrack volume list {} {library}` lists them",
            volume.display()
        );
        return Err(unusable(volume, reason));
    };
    let cursor = found.blocks(&data_set, &geometry).map_err(refuse)?;
    Ok((data_set, cursor))
}

fn read_data_set(
    arguments: &ReadArguments,
    tracks: &mut impl Tracks,
    records: &mut LogicalRecords,
    sink: &mut Sink<'_>,
) -> Result<bool, SinkError> {
    let mut whole = true;
    loop {
        match records.next(tracks) {
            Ok(Some(record)) => write_record(arguments, record, sink)?,
            Ok(None) => return Ok(whole),
            Err(error) => {
                whole = false;
                complain(&error.to_string())?;
            }
        }
    }
}

fn write_record(arguments: &ReadArguments, record: &[u8], sink: &mut Sink<'_>) -> io::Result<()> {
    if arguments.text {
        let text = CodePage::from(arguments.code_page).text(record);
        return writeln!(sink, "{}", text.trim_end_matches([' ', '\0']));
    }
    if arguments.lengths {
        // A record has 16 MiB at most; longer ones than two octets can express have the large form.
        let length = record.len() as u32 + 4;
        let length = if length < 1 << 15 { length << 16 } else { length | 1 << 31 };
        sink.write_all(&length.to_be_bytes())?;
    }
    sink.write_all(record)
}

fn read_tracks(tracks: &mut impl Tracks, range: TrackRange, sink: &mut Sink<'_>) -> Result<bool, SinkError> {
    let geometry = *tracks.geometry();
    for track in [range.begin, range.end] {
        if !geometry.contains(track) {
            return Err(SinkError::Refused(opening::no_track(track, &geometry)));
        }
    }
    let mut whole = true;
    let mut next = Some(range.begin);
    while let Some(at) = next.filter(|at| *at <= range.end) {
        match tracks.track(at) {
            Ok(track) => write_track(&track, sink)?,
            Err(fault) => {
                whole = false;
                complain(&format!("{}: {fault}", opening::named(at)))?;
            }
        }
        next = geometry.advance(at, 1);
    }
    Ok(whole)
}

/// Octets behind the last record of a track.
const END_OF_TRACK: [u8; 8] = [0xFF; 8];

fn write_track(track: &impl Track, sink: &mut Sink<'_>) -> io::Result<()> {
    sink.write_all(&track.home_address())?;
    for place in 0..track.records() {
        sink.write_all(track.record(place).bytes().unwrap_or_default())?;
    }
    sink.write_all(&END_OF_TRACK)
}

fn read_records(
    arguments: &ReadArguments,
    tracks: &mut impl Tracks,
    range: RecordRange,
    sink: &mut Sink<'_>,
) -> Result<bool, SinkError> {
    let at = range.track;
    let geometry = *tracks.geometry();
    let track = tracks.track(at).map_err(|fault| {
        let outside = !geometry.contains(at);
        let reason = || format!("{}: {fault}", opening::named(at));
        SinkError::Refused(if outside { opening::no_track(at, &geometry) } else { reason() })
    })?;
    let mut found = false;
    for place in 0..track.records() {
        let Some(count) = track.count(place) else { break };
        if (range.begin..=range.end).contains(&count.record) {
            found = true;
            let areas = [track.key(place), track.data(place)].map(|area| area.bytes().unwrap_or_default());
            write_record(arguments, &areas.concat(), sink)?;
        }
    }
    if found {
        return Ok(true);
    }
    Err(SinkError::Refused(opening::no_record(&track, at)))
}

fn read_blocks(
    arguments: &ReadArguments,
    blocks: &mut impl Blocks,
    range: BlockRange,
    sink: &mut Sink<'_>,
) -> Result<bool, SinkError> {
    if range.end >= blocks.blocks() {
        let last = blocks.blocks().saturating_sub(1);
        return Err(SinkError::Refused(format!("the volume has no block {}; its last is {last}", range.end)));
    }
    let mut whole = true;
    for block in range.begin..=range.end {
        match blocks.read(block) {
            Ok(octets) => write_record(arguments, octets, sink)?,
            Err(fault) => {
                whole = false;
                complain(&format!("block {block}: {fault}"))?;
            }
        }
    }
    Ok(whole)
}

fn complain(words: &str) -> io::Result<()> {
    writeln!(standard_error(), "halftrack: {words}")
}
