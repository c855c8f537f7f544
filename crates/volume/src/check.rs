//! Check of a volume, with the places of faults, and its repair, which loses no record that can be read.

use std::path::{Path, PathBuf};

use halftrack_program::TrackAddress;

use crate::cckd::{self, BLOCKS_PER_GROUP, CckdDevice, CckdImage, CheckDepth};
use crate::ckd_volume::CkdVolume;
use crate::compressed_files::repair_compressed;
use crate::copy::unit_name;
use crate::device_header::{DEVICE_HEADER_BYTES, DeviceHeader, PLAIN_CKD};
use crate::file_names;
use crate::format::Format;
use crate::layout::{Layout, LayoutError};
use crate::medium::Medium;
use crate::open::{Opening, Volume, is_compressed, open_files, open_journal, openable};
use crate::open_error::{ImageError, LACKING_JOURNAL_FIX, OTHER_JOURNAL_FIX, OpenError, lacks_journal};
use crate::recovery::recover;
use crate::salvage::{Damage, damage, salvaged};
use crate::track_image::track_address;
use crate::tracks::Tracks;
use crate::unit_store::Mode;

/// Findings that a check lists; it stops there.
pub const MOST_FINDINGS: usize = 10_000;

/// Something wrong with a volume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VolumeFinding {
    /// The file.
    pub path: PathBuf,
    /// Offset in the file, bytes.
    pub offset: u64,
    /// The track, `cylinder 3 head 4`, or the block group that cannot be read for it.
    pub unit: Option<String>,
    /// Description of the problem.
    pub problem: String,
    /// Repair of the problem; nothing when it cannot be repaired.
    pub repair: Option<String>,
}

/// Something wrong in the files of a volume, before their names come to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Number of the file among the files of the volume, from 0.
    pub file: usize,
    /// Offset in the file, bytes.
    pub offset: u64,
    /// The track or block group that cannot be read for it.
    pub unit: Option<String>,
    /// Description of the problem.
    pub problem: String,
    /// Repair of the problem; nothing when it cannot be repaired.
    pub repair: Option<String>,
}

/// Checks the volume whose first file is at `path`, which is only read. A journal left by a crash is a finding; the rest
/// of the check sees the volume as after its replay. Without a finding every command can open the volume.
///
/// # Errors
/// A file cannot be opened or read.
pub fn check(path: &Path) -> Result<Vec<VolumeFinding>, OpenError> {
    check_with(path, false)
}

/// Returns the same, perhaps without regard to the journal.
///
/// # Errors
/// Errors of [`check`].
pub fn check_with(path: &Path, discards_journal: bool) -> Result<Vec<VolumeFinding>, OpenError> {
    let opening = Opening { mode: Mode::ReadOnly, discards_journal };
    let (paths, mut files) = open_files(path, opening.mode)?;
    let journal_path = file_names::journal(&paths[0]);
    let mut findings = Vec::new();
    match open_journal(&files, &journal_path, opening) {
        Ok(Some(mut journal)) => {
            findings
                .extend(journal_finding(&journal_path, recover(&mut files, &mut journal, Mode::ReadOnly))?);
        }
        Ok(None) => {}
        Err(OpenError::LacksJournal { path, journal }) => {
            let problem = format!("{}; {LACKING_JOURNAL_FIX}", lacks_journal(&journal));
            findings.push(VolumeFinding { path, offset: 0, unit: None, problem, repair: None });
        }
        Err(error) => return Err(error),
    }
    let faults = check_files(files).map_err(OpenError::image(&paths, journal_path))?;
    findings.extend(faults.into_iter().map(|fault| named(fault, &paths)));
    Ok(findings)
}

fn named(fault: Fault, paths: &[PathBuf]) -> VolumeFinding {
    let Fault { file, offset, unit, problem, repair } = fault;
    let path = paths.get(file).or(paths.first()).cloned().unwrap_or_default();
    VolumeFinding { path, offset, unit, problem, repair }
}

/// Returns the finding about a journal.
fn journal_finding(
    path: &Path,
    recovered: Result<u64, ImageError>,
) -> Result<Option<VolumeFinding>, OpenError> {
    let (problem, repair) = match recovered {
        Ok(0) => return Ok(None),
        Ok(transactions) => (
            format!("{transactions} transactions that the volume may lack: it was not closed"),
            Some("apply them; opening the volume for writing does it as well".to_owned()),
        ),
        Err(ImageError::OtherJournal(why)) => {
            (format!("the journal is not that of the image: {why}; {OTHER_JOURNAL_FIX}"), None)
        }
        Err(error) => return Err(OpenError::image(&[], path.to_owned())(error)),
    };
    Ok(Some(VolumeFinding { path: path.to_owned(), offset: 0, unit: None, problem, repair }))
}

/// Checks the files of a volume, whose journal has been replayed. Without a fault every command can open it.
///
/// # Errors
/// A file cannot be read.
pub fn check_files<M: Medium>(files: Vec<M>) -> Result<Vec<Fault>, ImageError> {
    let refused = openable(&files, Mode::Sync).err();
    let compressed = files.first().is_some_and(|first| is_compressed(first).unwrap_or(false));
    let mut faults = if compressed { check_image(&files[0])? } else { check_plain(files)? };
    match refused {
        // The tables of a compressed image do not show that its device is none.
        Some(error @ ImageError::Flaw { .. }) if compressed => faults.insert(0, refusal(error)?),
        Some(error) if faults.is_empty() => faults.push(refusal(error)?),
        _ => {}
    }
    Ok(faults)
}

/// Returns a compressed image.
fn check_image<M: Medium>(medium: &M) -> Result<Vec<Fault>, ImageError> {
    let found = cckd::check(medium, CheckDepth::Units).map_err(ImageError::io(0))?;
    let device = CckdImage::open(medium).ok().map(|image| image.device());
    let fault = |finding: cckd::Finding| Fault {
        file: 0,
        offset: finding.offset,
        unit: finding.unit.map(|unit| compressed_unit_name(device, unit)),
        problem: finding.fault.to_string(),
        repair: Some("make a sound image of all that can be read".to_owned()),
    };
    Ok(found.into_iter().take(MOST_FINDINGS).map(fault).collect())
}

/// Returns the files of an uncompressed volume.
fn check_plain<M: Medium>(files: Vec<M>) -> Result<Vec<Fault>, ImageError> {
    let mut faults = Vec::new();
    for (file, medium) in files.iter().enumerate() {
        if let Some((fault, _)) = header_fault(file, medium)? {
            faults.push(fault);
        }
    }
    if !faults.is_empty() {
        return Ok(faults);
    }
    match Volume::from_media(files, None, Mode::ReadOnly) {
        Ok(Volume::Ckd(mut volume)) => check_tracks(&mut volume, &mut faults)?,
        Ok(Volume::Fba(volume)) => {
            let flaws = crate::FbaLayout::examine(&volume.files()[0])?.1;
            faults.extend(flaws.into_iter().map(|(file, flaw)| Fault {
                file,
                offset: flaw.offset,
                unit: None,
                problem: flaw.found,
                repair: Some("fill the last block with zeros".to_owned()),
            }));
        }
        Err(error) => faults.push(refusal(error)?),
    }
    Ok(faults)
}

/// Returns why a volume cannot be opened, as a fault that no repair fixes; files that fail are an error.
fn refusal(error: ImageError) -> Result<Fault, ImageError> {
    let (file, offset, problem) = match error {
        ImageError::Flaw { file, flaw } => (file, flaw.offset, format!("{}; {}", flaw.found, flaw.expected)),
        ImageError::Layout(error @ (LayoutError::Corrupt(_) | LayoutError::Full(_))) => {
            (0, 0, error.to_string())
        }
        error => return Err(error),
    };
    let problem = format!("no command can open the volume: {problem}");
    Ok(Fault { file, offset, unit: None, problem, repair: None })
}

/// Returns the unit of a compressed image as a message names it.
fn compressed_unit_name(device: Option<CckdDevice>, unit: u32) -> String {
    match device {
        Some(CckdDevice::Ckd { heads: heads @ 1.., .. }) => {
            format!("cylinder {} head {}", unit / heads, unit % heads)
        }
        Some(CckdDevice::Fba { .. }) => {
            let first = unit.saturating_mul(BLOCKS_PER_GROUP);
            format!("blocks {first} to {}", first.saturating_add(BLOCKS_PER_GROUP - 1))
        }
        _ => format!("unit {unit}"),
    }
}

/// Returns a header that contradicts the device table, and the one that does not.
fn header_fault<M: Medium>(file: usize, medium: &M) -> Result<Option<(Fault, DeviceHeader)>, ImageError> {
    let mut bytes = [0; DEVICE_HEADER_BYTES];
    if medium.len().map_err(ImageError::io(file))? < DEVICE_HEADER_BYTES as u64 {
        return Ok(None);
    }
    medium.read_at(0, &mut bytes).map_err(ImageError::io(file))?;
    if !bytes.starts_with(&PLAIN_CKD) {
        return Ok(None);
    }
    let Err(flaw) = DeviceHeader::from_bytes(&bytes) else { return Ok(None) };
    let Some(right) = DeviceHeader::of_device(&bytes) else { return Ok(None) };
    let problem = format!("{}; {}", flaw.found, flaw.expected);
    let repair = Some("write what the device has".to_owned());
    Ok(Some((Fault { file, offset: flaw.offset, unit: None, problem, repair }, right)))
}

/// Returns the lengths of the files and every track.
fn check_tracks<M: Medium>(volume: &mut CkdVolume<M>, faults: &mut Vec<Fault>) -> Result<(), ImageError> {
    let Format::Plain(layout) = volume.format().clone() else { return Ok(()) };
    for (file, flaw) in crate::CkdLayout::examine(volume.files())?.1 {
        let short = volume.files()[file].len().map_err(ImageError::io(file))? < layout.whole_file_bytes(file);
        let repair = short.then(|| "fill it with empty tracks".to_owned());
        faults.push(Fault { file, offset: flaw.offset, unit: None, problem: flaw.found, repair });
    }
    for track in 0..Layout::<M>::units(&layout) {
        let address = track_address(volume.geometry(), track).unwrap_or_default();
        let octets = read_there(volume, track)?;
        let found = damage(&octets, volume.geometry(), layout.track_bytes(), address);
        let (Some(damage), Some(place)) = (found, Layout::<M>::place(&layout, track)) else { continue };
        if faults.len() == MOST_FINDINGS {
            break;
        }
        let (problem, repair) = words(damage.0);
        faults.push(Fault {
            file: usize::from(place.file),
            offset: place.offset + damage.1 as u64,
            unit: Some(unit_name(address)),
            problem,
            repair: Some(repair),
        });
    }
    Ok(())
}

fn words(damage: Damage) -> (String, String) {
    match damage {
        Damage::HomeAddress => {
            ("the home address is that of another track".to_owned(), "write that of the track".to_owned())
        }
        Damage::Records(0) => ("no record can be read".to_owned(), "make it an empty track".to_owned()),
        Damage::Records(records) => (
            format!("{records} records can be read, record zero counted; behind them is none"),
            "end the track behind them".to_owned(),
        ),
    }
}

/// Returns the part of a track in the file.
fn read_there<M: Medium>(volume: &CkdVolume<M>, track: u32) -> Result<Vec<u8>, ImageError> {
    let Some(place) = Layout::<M>::place(volume.format(), track) else { return Ok(Vec::new()) };
    let file = usize::from(place.file);
    let Some(medium) = volume.files().get(file) else { return Ok(Vec::new()) };
    let length = medium.len().map_err(ImageError::io(file))?;
    let there = length.saturating_sub(place.offset).min(u64::from(place.octets));
    let mut octets = vec![0; there as usize];
    medium.read_at(place.offset, &mut octets).map_err(ImageError::io(file))?;
    Ok(octets)
}

/// Repairs the volume whose first file is at `path`: replays its journal, and does what the findings of
/// [`check`] offer. Of a compressed image a sound one is made; the damaged one stays beside it as
/// `<path>.before-repair`. Returns what was found.
///
/// # Errors
/// A file cannot be opened, read or written; a finding that cannot be repaired is none.
pub fn repair(path: &Path) -> Result<Vec<VolumeFinding>, OpenError> {
    repair_with(path, false)
}

/// Returns the same; the journal is perhaps discarded instead of replayed.
///
/// # Errors
/// Errors of [`repair`].
pub fn repair_with(path: &Path, discards_journal: bool) -> Result<Vec<VolumeFinding>, OpenError> {
    let findings = check_with(path, discards_journal)?;
    if findings.is_empty() {
        return Ok(findings);
    }
    let opening = Opening { mode: Mode::WriteBack, discards_journal };
    let (paths, mut files) = open_files(path, opening.mode)?;
    let journal_path = file_names::journal(&paths[0]);
    let mut journal = open_journal(&files, &journal_path, opening)?;
    let failed = || OpenError::image(&paths, journal_path.clone());
    if let Some(journal) = &mut journal {
        recover(&mut files, journal, Mode::WriteBack).map_err(failed())?;
    }
    if is_compressed(&files[0]).map_err(failed())? {
        let sound = cckd::check(&files[0], CheckDepth::Units).map_err(OpenError::io(path))?.is_empty();
        // Its own repair opens the image alone.
        drop((files, journal));
        if !sound {
            repair_compressed(path)?;
        }
        return Ok(findings);
    }
    repair_files(files, journal).map_err(failed())?;
    Ok(findings)
}

/// Repairs the files of an uncompressed volume, whose journal has been replayed and is empty. What cannot be
/// repaired stays as it is.
///
/// # Errors
/// A file cannot be read or written.
pub fn repair_files<M: Medium>(mut files: Vec<M>, journal: Option<M>) -> Result<(), ImageError> {
    for (file, medium) in files.iter_mut().enumerate() {
        repair_header(file, medium)?;
        fill_up_blocks(medium)?;
    }
    fill_up(&mut files)?;
    if let Ok(Volume::Ckd(mut volume)) = Volume::from_media(files, journal, Mode::WriteBack) {
        repair_tracks(&mut volume)?;
        volume.close()?;
    }
    Ok(())
}

/// Writes the header that the device has over one that contradicts it: one sector, whole or not at all.
fn repair_header<M: Medium>(file: usize, medium: &mut M) -> Result<(), ImageError> {
    if let Some((_, right)) = header_fault(file, medium)? {
        let written = medium.write_at(0, &right.to_bytes()).and_then(|()| medium.sync());
        written.map_err(ImageError::io(file))?;
    }
    Ok(())
}

/// Fills the last block of an FBA volume up.
fn fill_up_blocks<M: Medium>(medium: &mut M) -> Result<(), ImageError> {
    let mut magic = [0; PLAIN_CKD.len()];
    let bytes = medium.len().map_err(ImageError::io(0))?;
    if bytes >= magic.len() as u64 {
        medium.read_at(0, &mut magic).map_err(ImageError::io(0))?;
    }
    if magic == PLAIN_CKD || is_compressed(medium)? {
        return Ok(());
    }
    let whole = bytes.next_multiple_of(crate::BLOCK_BYTES as u64);
    if whole != bytes {
        medium.set_len(whole).and_then(|()| medium.sync()).map_err(ImageError::io(0))?;
    }
    Ok(())
}

/// Writes the tracks that are missing in the files, wholly or in part. A file is cut short until its last track is
/// there.
fn fill_up<M: Medium>(files: &mut [M]) -> Result<(), ImageError> {
    let Ok((layout, _)) = crate::CkdLayout::examine(files) else { return Ok(()) };
    let geometry = layout.geometry();
    for track in 0..Layout::<M>::units(&layout) {
        let Some(place) = Layout::<M>::place(&layout, track) else { break };
        let file = usize::from(place.file);
        let length = files[file].len().map_err(ImageError::io(file))?;
        if place.offset + u64::from(place.octets) <= length {
            continue;
        }
        let address = track_address(&geometry, track).unwrap_or_default();
        let mut octets = vec![0; length.saturating_sub(place.offset) as usize];
        let mut fill = || {
            files[file].read_at(place.offset, &mut octets)?;
            if let Some(damage) = damage(&octets, &geometry, layout.track_bytes(), address) {
                octets = salvaged(&octets, address, damage);
            }
            octets.resize(place.octets as usize, 0);
            files[file].write_at(place.offset, &octets)
        };
        fill().map_err(ImageError::io(file))?;
    }
    for (file, medium) in files.iter_mut().enumerate() {
        medium.sync().map_err(ImageError::io(file))?;
    }
    Ok(())
}

fn repair_tracks<M: Medium>(volume: &mut CkdVolume<M>) -> Result<(), ImageError> {
    if volume.format().is_compressed() {
        return Ok(());
    }
    let geometry = *volume.geometry();
    let track_bytes = Layout::<M>::unit_bytes(volume.format());
    for track in 0..Layout::<M>::units(volume.format()) {
        let address: TrackAddress = track_address(&geometry, track).unwrap_or_default();
        let octets = read_there(volume, track)?;
        if let Some(damage) = damage(&octets, &geometry, track_bytes, address) {
            let written = volume.write_track(address, &salvaged(&octets, address, damage));
            written.and_then(|()| volume.commit()).map_err(|fault| {
                let trouble = volume.take_failure();
                trouble.unwrap_or_else(|| LayoutError::Corrupt(format!("{}: {fault}", unit_name(address))))
            })?;
        }
    }
    Ok(())
}
