//! Output of `halftrack volume show` for a whole volume.

use std::path::Path;

use halftrack_program::Geometry;
use halftrack_volume::medium::Medium;
use halftrack_volume::vtoc::{LabelKind, VolumeLabel, Vtoc};
use halftrack_volume::{Blocks, FileMedium, Format, Tracks, Volume, file_names};
use serde::Serialize;

use crate::failure::Failure;
use crate::volume::table::counted;

/// Output of `--json` for a volume.
#[derive(Debug, Serialize)]
pub struct VolumeShown {
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

impl VolumeShown {
    /// Looks at the volume in `path`.
    ///
    /// # Errors
    /// A file of it fails.
    pub fn new(path: &Path, volume: Volume) -> Result<Self, Failure> {
        Ok(match volume {
            Volume::Ckd(mut tracks) => {
                let files = files(tracks.files())?;
                let compression = compression(tracks.format());
                let (label, vtoc) = contents(&mut tracks);
                let device = DeviceShown::of(tracks.geometry());
                Self { files, compression, journal: journal(path), device, label, vtoc: Some(vtoc) }
            }
            Volume::Fba(mut blocks) => {
                let files = files(blocks.files())?;
                let compression = compression(blocks.format());
                let label = blocks.read(LABEL_BLOCK).ok().and_then(VolumeLabel::parse);
                let device = DeviceShown::Fba { blocks: blocks.blocks() };
                let (journal, label) = (journal(path), label.map(LabelShown::new));
                Self { files, compression, journal, device, label, vtoc: None }
            }
        })
    }
}

/// Where a fixed-block volume has its label.
const LABEL_BLOCK: u32 = 1;

fn files(files: &[FileMedium]) -> Result<Vec<FileShown>, Failure> {
    let shown = files.iter().map(|file| {
        let failed = |source| Failure::output(file.path().to_owned(), source);
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

/// Describes the journal, when it holds anything.
fn journal(volume: &Path) -> Option<String> {
    let path = file_names::journal(&file_names::first(volume));
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
    /// Formats one line for each property.
    pub fn text(&self) -> String {
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
                let data_sets = counted(*data_sets, "data set");
                let faults =
                    if *faults == 0 { String::new() } else { format!("; {}", counted(*faults, "fault")) };
                row(
                    "contents",
                    format!("{data_sets}, VTOC {extent}, {free_dscbs} of {dscbs} DSCBs free{faults}"),
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
