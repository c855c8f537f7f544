//! `halftrack volume show`: what a volume is, or what lies on one of its tracks, in one record or one block.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use halftrack_program::{Geometry, Octets, TrackAddress};
use halftrack_volume::medium::Medium;
use halftrack_volume::vtoc::{LabelKind, VolumeLabel, Vtoc};
use halftrack_volume::{Blocks, CountArea, FileMedium, Format, Track, Tracks, Volume, file_names};
use serde::Serialize;

use crate::failure::Failure;
use crate::standard_output::print;
use crate::volume::address::{self, RecordRange};
use crate::volume::hex_dump::hex_dump;
use crate::volume::opening::{self, unusable};
use crate::volume::read::CodePageArgument;
use crate::volume::table::{Side, table};

/// Words at the end of `halftrack volume show --help`.
pub const EXAMPLES: &str = "\
Examples:
  halftrack volume show work01.ckd
  halftrack volume show work01.ckd --track 0/0
  halftrack volume show work01.ckd --record 0/0/3
  halftrack volume show dos.fba --block 1 --code-page 037
  halftrack volume show work01.cckd --json

Exit codes: 0 fine, 2 the volume cannot be read, or has no such track, record or block.";

/// Arguments of `halftrack volume show`.
#[derive(Debug, Args)]
pub struct ShowArguments {
    /// Image of the volume; its first file when it has several
    #[arg(value_name = "VOLUME")]
    volume: PathBuf,
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
/// What cannot be read.
pub fn show(arguments: &ShowArguments) -> Result<bool, Failure> {
    let volume = &arguments.volume;
    let text = match (arguments.track, arguments.record, arguments.block) {
        (Some(track), ..) => show_track(arguments, &mut opening::ckd(volume)?, track)?,
        (_, Some(range), _) => show_records(arguments, &mut opening::ckd(volume)?, range)?,
        (.., Some(block)) => show_block(arguments, &mut opening::fba(volume)?, block)?,
        _ => show_volume(arguments, opening::open(volume)?)?,
    };
    print(&text)?;
    Ok(true)
}

/// What `--json` prints of a record.
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

/// Brings a track, or says why there is none.
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

/// What `--json` prints of a volume.
#[derive(Debug, Serialize)]
struct VolumeShown {
    files: Vec<FileShown>,
    compression: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    journal: Option<String>,
    #[serde(flatten)]
    device: DeviceShown,
    label: Option<LabelShown>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vtoc: Option<VtocShown>,
}

#[derive(Debug, Serialize)]
struct FileShown {
    path: String,
    bytes: u64,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum DeviceShown {
    Ckd { device_type: String, model: String, cylinders: u32, heads: u8, tracks: u64, image_track_bytes: u32 },
    Fba { blocks: u32 },
}

#[derive(Debug, Serialize)]
struct LabelShown {
    kind: &'static str,
    volser: String,
    owner: String,
}

/// The table of contents, or why there is none.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum VtocShown {
    Here { extent: String, data_sets: usize, free_tracks: u64, free_dscbs: u32, dscbs: u32, faults: usize },
    Missing { missing: String },
}

fn show_volume(arguments: &ShowArguments, volume: Volume) -> Result<String, Failure> {
    let shown = match volume {
        Volume::Ckd(mut tracks) => {
            let files = files(tracks.files())?;
            let compression = compression(tracks.format());
            let (label, vtoc) = contents(&mut tracks);
            let device = DeviceShown::of(tracks.geometry());
            VolumeShown {
                files,
                compression,
                journal: journal(&arguments.volume),
                device,
                label,
                vtoc: Some(vtoc),
            }
        }
        Volume::Fba(mut blocks) => {
            let files = files(blocks.files())?;
            let compression = compression(blocks.format());
            let label = blocks.read(LABEL_BLOCK).ok().and_then(VolumeLabel::parse);
            let device = DeviceShown::Fba { blocks: blocks.blocks() };
            let (journal, label) = (journal(&arguments.volume), label.map(LabelShown::new));
            VolumeShown { files, compression, journal, device, label, vtoc: None }
        }
    };
    if arguments.json { json(&shown) } else { Ok(shown.text()) }
}

/// Where a fixed-block volume has its label.
const LABEL_BLOCK: u32 = 1;

fn files(files: &[FileMedium]) -> Result<Vec<FileShown>, Failure> {
    let shown = files.iter().map(|file| {
        let failed = |source| Failure::Output { path: file.path().to_owned(), source };
        Ok(FileShown { path: file.path().display().to_string(), bytes: file.len().map_err(failed)? })
    });
    shown.collect()
}

fn compression<P>(format: &Format<P>) -> &'static str {
    match format {
        Format::Plain(_) => "none",
        Format::Compressed(image) => image.compression().name(),
    }
}

/// The journal, when it holds anything.
fn journal(volume: &Path) -> Option<String> {
    let path = file_names::journal(volume);
    let bytes = std::fs::metadata(&path).map_or(0, |metadata| metadata.len());
    (bytes > 0).then(|| path.display().to_string())
}

fn contents(tracks: &mut impl Tracks) -> (Option<LabelShown>, VtocShown) {
    let label = match VolumeLabel::read(tracks) {
        Ok(label) => label.map(LabelShown::new),
        Err(error) => return (None, VtocShown::Missing { missing: error.to_string() }),
    };
    let geometry = *tracks.geometry();
    let vtoc = match Vtoc::read(tracks) {
        Ok(vtoc) => VtocShown::Here {
            extent: vtoc.extent.to_string(),
            data_sets: vtoc.data_sets.len(),
            free_tracks: vtoc.free_space(&geometry).iter().map(|run| u64::from(run.tracks)).sum(),
            free_dscbs: vtoc.free_dscbs,
            dscbs: vtoc.dscbs,
            faults: vtoc.faults.len(),
        },
        Err(error) => VtocShown::Missing { missing: error.to_string() },
    };
    (label, vtoc)
}

impl DeviceShown {
    fn of(geometry: &Geometry) -> Self {
        Self::Ckd {
            device_type: format!("{:04X}", geometry.device_type().number()),
            model: geometry.model_name(),
            cylinders: geometry.cylinders(),
            heads: geometry.heads(),
            tracks: geometry.tracks(),
            image_track_bytes: geometry.device_type().image_track_bytes(),
        }
    }
}

impl LabelShown {
    fn new(label: VolumeLabel) -> Self {
        let kind = match label.kind {
            LabelKind::Standard => "VOL1",
            LabelKind::Linux => "LNX1",
            LabelKind::Cms => "CMS1",
        };
        Self { kind, volser: label.serial, owner: label.owner }
    }
}

impl VolumeShown {
    /// One line for each thing.
    fn text(&self) -> String {
        let mut rows: Vec<[String; 2]> = Vec::new();
        let mut row = |name: &str, value: String| rows.push([name.to_owned(), value]);
        for file in &self.files {
            row("file", format!("{} ({} bytes)", file.path, file.bytes));
        }
        row("compression", self.compression.to_owned());
        if let Some(journal) = &self.journal {
            row(
                "journal",
                format!("{journal} (not yet in the image; `halftrack volume check` puts it there)"),
            );
        }
        match &self.device {
            DeviceShown::Ckd { model, cylinders, heads, tracks, image_track_bytes, .. } => {
                row("device", format!("{model}, count-key-data"));
                row("size", format!("{cylinders} cylinders of {heads} heads, {tracks} tracks"));
                row("track", format!("{image_track_bytes} bytes in the image"));
            }
            DeviceShown::Fba { blocks } => {
                row("device", format!("fixed-block, {blocks} blocks of 512 bytes"))
            }
        }
        match &self.label {
            Some(LabelShown { kind, volser, owner }) => {
                row(
                    "label",
                    format!("{kind} {volser}{}{owner}", if owner.is_empty() { "" } else { ", owner " }),
                );
            }
            None => row("label", "none".to_owned()),
        }
        match &self.vtoc {
            Some(VtocShown::Here { extent, data_sets, free_tracks, free_dscbs, dscbs, faults }) => {
                let faults = if *faults == 0 { String::new() } else { format!("; {faults} faults") };
                row(
                    "contents",
                    format!(
                        "{data_sets} data sets, VTOC {extent}, {free_dscbs} of {dscbs} DSCBs free{faults}"
                    ),
                );
                row("free", format!("{free_tracks} tracks"));
            }
            Some(VtocShown::Missing { missing }) => row("contents", format!("no VTOC: {missing}")),
            None => {}
        }
        let width = rows.iter().map(|[name, _]| name.len()).max().unwrap_or(0);
        rows.iter().fold(String::new(), |text, [name, value]| text + &format!("{name:<width$}  {value}\n"))
    }
}
