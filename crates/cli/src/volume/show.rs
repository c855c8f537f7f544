//! `halftrack volume show`: what a volume is, or what lies on one of its tracks, in one record or one block.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use halftrack_program::{Octets, TrackAddress};
use halftrack_volume::{Blocks, CountArea, Track, Tracks};
use serde::Serialize;

use crate::failure::Failure;
use crate::standard_output::print;
use crate::volume::address::{self, RecordRange};
use crate::volume::hex_dump::hex_dump;
use crate::volume::opening::{self, JournalArgument, unusable};
use crate::volume::read::CodePageArgument;
use crate::volume::table::{Side, table};
use crate::volume::volume_shown::VolumeShown;

/// Words at the end of `halftrack volume show --help`.
pub const EXAMPLES: &str = "\
Examples:
  halftrack volume show work01.ckd
  halftrack volume show work01.ckd --track 0/0
  halftrack volume show work01.ckd --record 0/0/3
  halftrack volume show dos.fba --block 1 --code-page 037
  halftrack volume show work01.cckd --json

Exit codes: 0 fine, 2 the volume cannot be read, or the track, record or block is missing.";

/// Arguments of `halftrack volume show`.
#[derive(Debug, Args)]
pub struct ShowArguments {
    /// Image of the volume; its first file when it has several
    #[arg(value_name = "VOLUME")]
    volume: PathBuf,
    /// Whether its journal counts.
    #[command(flatten)]
    journal: JournalArgument,
    /// List the records of a track
    #[arg(long, value_name = "C/H", value_parser = address::track, conflicts_with_all = ["record", "block"])]
    track: Option<TrackAddress>,
    /// Show key and data of the records of a track with these numbers
    #[arg(long, value_name = "C/H/R[-R]", value_parser = address::records, conflicts_with = "block")]
    record: Option<RecordRange>,
    /// Show a block of a fixed-block volume
    #[arg(long, value_name = "B")]
    block: Option<u32>,
    /// Code page of the text beside octets
    #[arg(long, value_enum, default_value_t = CodePageArgument::Page1047)]
    code_page: CodePageArgument,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// Shows; true.
///
/// # Errors
/// Contents that cannot be read.
pub fn show(arguments: &ShowArguments) -> Result<bool, Failure> {
    let volume = &arguments.volume;
    let text = match (arguments.track, arguments.record, arguments.block) {
        (Some(track), ..) => show_track(arguments, &mut opening::ckd(volume, arguments.journal)?, track)?,
        (_, Some(range), _) => show_records(arguments, &mut opening::ckd(volume, arguments.journal)?, range)?,
        (.., Some(block)) => show_block(arguments, &mut opening::fba(volume, arguments.journal)?, block)?,
        _ => {
            let shown = VolumeShown::new(volume, opening::open(volume, arguments.journal)?)?;
            if arguments.json { json(&shown)? } else { shown.text() }
        }
    };
    print(&text)?;
    Ok(true)
}

/// Output of `--json` for a record.
#[derive(Debug, Serialize)]
struct RecordShown {
    place: u8,
    count: String,
    record: u8,
    key_bytes: u8,
    data_bytes: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<String>,
}

impl RecordShown {
    fn new(place: u8, count: CountArea, areas: Option<[Octets<'_>; 2]>) -> Self {
        let [key, data] = match areas {
            Some(areas) => areas.map(|area| Some(hex(area.bytes().unwrap_or_default()))),
            None => [None, None],
        };
        let CountArea { record, key_bytes, data_bytes, .. } = count;
        Self { place, count: hex(&count.to_bytes()), record, key_bytes, data_bytes, key, data }
    }
}

fn hex(octets: &[u8]) -> String {
    octets.iter().map(|octet| format!("{octet:02X}")).collect()
}

fn json(shown: &impl Serialize) -> Result<String, Failure> {
    Ok(serde_json::to_string_pretty(shown).map_err(std::io::Error::from)? + "\n")
}

/// Brings a track, or returns the reason why it is missing.
fn bring<'a, T: Tracks>(
    arguments: &ShowArguments,
    tracks: &'a mut T,
    at: TrackAddress,
) -> Result<T::Track<'a>, Failure> {
    let geometry = *tracks.geometry();
    if !geometry.contains(at) {
        return Err(unusable(&arguments.volume, opening::no_track(at, &geometry)));
    }
    let refuse = |fault| unusable(&arguments.volume, format!("{}: {fault}", opening::named(at)));
    tracks.track(at).map_err(refuse)
}

fn show_track(
    arguments: &ShowArguments,
    tracks: &mut impl Tracks,
    at: TrackAddress,
) -> Result<String, Failure> {
    let track = bring(arguments, tracks, at)?;
    let shown: Vec<_> = (0..track.records())
        .filter_map(|place| Some(RecordShown::new(place, track.count(place)?, None)))
        .collect();
    let home_address = hex(&track.home_address());
    if arguments.json {
        return json(&serde_json::json!({ "home_address": home_address, "records": shown }));
    }
    let heads = [
        ("PLACE", Side::Right),
        ("COUNT AREA", Side::Left),
        ("RECORD", Side::Right),
        ("KEY", Side::Right),
        ("DATA", Side::Right),
    ];
    let rows = shown.iter().map(|record| {
        [
            record.place.to_string(),
            record.count.clone(),
            record.record.to_string(),
            record.key_bytes.to_string(),
            match (record.key_bytes, record.data_bytes) {
                (0, 0) => "end of file".to_owned(),
                (_, bytes) => bytes.to_string(),
            },
        ]
    });
    let rows: Vec<_> = rows.collect();
    Ok(format!("{}, home address {home_address}\n\n{}", opening::named(at), table(heads, &rows)))
}

fn show_records(
    arguments: &ShowArguments,
    tracks: &mut impl Tracks,
    range: RecordRange,
) -> Result<String, Failure> {
    let track = bring(arguments, tracks, range.track)?;
    let asked = |place: &u8| {
        track.count(*place).is_some_and(|count| (range.begin..=range.end).contains(&count.record))
    };
    let places: Vec<u8> = (0..track.records()).filter(asked).collect();
    if places.is_empty() {
        return Err(unusable(&arguments.volume, opening::no_record(&track, range.track)));
    }
    let mut shown = Vec::new();
    let mut text = String::new();
    for place in places {
        let Some(count) = track.count(place) else { continue };
        let areas = [track.key(place), track.data(place)];
        shown.push(RecordShown::new(place, count, Some(areas)));
        // Writing into a String cannot fail.
        let _ = writeln!(
            text,
            "{} record {}, count area {}",
            opening::named(range.track),
            count.record,
            hex(&count.to_bytes())
        );
        for (name, area) in ["key", "data"].into_iter().zip(areas) {
            let octets = area.bytes().unwrap_or_default();
            if !octets.is_empty() {
                let dump = hex_dump(octets, arguments.code_page.into());
                let _ = write!(text, "{name}, {} bytes\n{dump}", octets.len());
            }
        }
    }
    if arguments.json { json(&shown) } else { Ok(text) }
}

fn show_block(arguments: &ShowArguments, blocks: &mut impl Blocks, block: u32) -> Result<String, Failure> {
    let last = blocks.blocks().saturating_sub(1);
    if block > last {
        let reason = format!("the volume has no block {block}; its last is {last}");
        return Err(unusable(&arguments.volume, reason));
    }
    let octets = blocks.read(block);
    let octets = octets.map_err(|fault| unusable(&arguments.volume, format!("block {block}: {fault}")))?;
    if arguments.json {
        return json(&serde_json::json!({ "block": block, "data": hex(octets) }));
    }
    Ok(format!("block {block}\n{}", hex_dump(octets, arguments.code_page.into())))
}
