//! `halftrack volume list`: the data sets of a volume, or the members of one.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use halftrack_program::Geometry;
use halftrack_volume::Tracks;
use halftrack_volume::vtoc::{
    AllocationUnit, DataSet, Directory, SecondaryAllocation, TrackRun, VolumeLabel, Vtoc,
};
use serde::Serialize;

use crate::failure::Failure;
use crate::standard_error::standard_error;
use crate::standard_output::print;
use crate::volume::opening::{self, JournalArgument, unusable};
use crate::volume::table::{Side, counted, table};

/// Words at the end of `halftrack volume list --help`.
pub const EXAMPLES: &str = "\
Examples:
  halftrack volume list work01.ckd
  halftrack volume list work01.ckd --extents
  halftrack volume list sysres.cckd SYS1.PARMLIB
  halftrack volume list work01.ckd --json | jq '.data_sets[] | select(.dsorg == \"PO\") | .name'

USED is the part of the tracks up to the last block written; empty where the DSCB does not have
it.

Exit codes: 0 fine, 1 the table of contents contradicts itself (reported on standard error), 2 the
volume cannot be read or has no table of contents.";

/// Arguments of `halftrack volume list`.
#[derive(Debug, Args)]
pub struct ListArguments {
    /// Image of the volume; its first file when it has several
    #[arg(value_name = "VOLUME")]
    volume: PathBuf,
    /// Whether its journal counts.
    #[command(flatten)]
    journal: JournalArgument,
    /// List the members of this partitioned data set
    #[arg(value_name = "DATASET")]
    data_set: Option<String>,
    /// Show the tracks of every extent
    #[arg(long, conflicts_with = "data_set")]
    extents: bool,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

/// Lists; true when the table of contents holds together.
///
/// # Errors
/// Volumes and data sets that cannot be read.
pub fn list(arguments: &ListArguments) -> Result<bool, Failure> {
    let mut tracks = opening::ckd(&arguments.volume, arguments.journal)?;
    match &arguments.data_set {
        None => list_data_sets(arguments, &mut tracks),
        Some(name) => list_members(arguments, &mut tracks, name),
    }
}

fn list_data_sets(arguments: &ListArguments, tracks: &mut impl Tracks) -> Result<bool, Failure> {
    let refuse = |reason: String| unusable(&arguments.volume, reason);
    let vtoc = Vtoc::read(tracks).map_err(|error| refuse(error.to_string()))?;
    let label = VolumeLabel::read(tracks).map_err(|error| refuse(error.to_string()))?;
    let serial = label.map(|label| label.serial).unwrap_or_default();
    let geometry = *tracks.geometry();
    let listing = Listing::new(&serial, &vtoc, &geometry);
    let text = if arguments.json { json(&listing)? } else { listing.table(arguments.extents) };
    print(&text)?;
    let mut stderr = standard_error();
    for fault in &vtoc.faults {
        let at = fault.at;
        writeln!(stderr, "halftrack: VTOC, cylinder {} head {}: {}", at.cylinder(), at.head(), fault.fault)?;
    }
    Ok(vtoc.faults.is_empty())
}

fn list_members(arguments: &ListArguments, tracks: &mut impl Tracks, name: &str) -> Result<bool, Failure> {
    let (data_set, directory) = opening::directory(&arguments.volume, tracks, name)?;
    let listing = MemberListing::new(&data_set, &directory);
    let text = if arguments.json { json(&listing)? } else { listing.table() };
    print(&text)?;
    let mut stderr = standard_error();
    for fault in &directory.faults {
        writeln!(stderr, "halftrack: directory of {}: {fault}", data_set.name)?;
    }
    Ok(directory.faults.is_empty())
}

fn json(listing: &impl Serialize) -> io::Result<String> {
    Ok(serde_json::to_string_pretty(listing)? + "\n")
}

/// Output of `--json` for a volume.
#[derive(Debug, Serialize)]
struct Listing {
    volser: String,
    tracks: u64,
    free_tracks: u64,
    largest_free_tracks: u32,
    vtoc: String,
    dscbs: u32,
    free_dscbs: u32,
    data_sets: Vec<Row>,
    free: Vec<Free>,
    faults: Vec<String>,
}

/// A data set; keys are the words of job control where it has one.
#[derive(Debug, Serialize)]
struct Row {
    name: String,
    dsorg: String,
    recfm: String,
    lrecl: u16,
    blksize: u16,
    keylen: u8,
    tracks: u32,
    used_tracks: Option<u32>,
    extents: Vec<String>,
    secondary: Option<String>,
    created: Option<String>,
    referenced: Option<String>,
    expires: Option<String>,
    kind: &'static str,
}

#[derive(Debug, Serialize)]
struct Free {
    begin: String,
    tracks: u32,
}

impl Listing {
    fn new(serial: &str, vtoc: &Vtoc, geometry: &Geometry) -> Self {
        let free = vtoc.free_space(geometry);
        let of = |run: &TrackRun| Free {
            begin: format!("{}/{}", run.begin.cylinder(), run.begin.head()),
            tracks: run.tracks,
        };
        Self {
            volser: serial.to_owned(),
            tracks: geometry.tracks(),
            free_tracks: free.iter().map(|run| u64::from(run.tracks)).sum(),
            largest_free_tracks: free.iter().map(|run| run.tracks).max().unwrap_or(0),
            vtoc: vtoc.extent.to_string(),
            dscbs: vtoc.dscbs,
            free_dscbs: vtoc.free_dscbs,
            data_sets: vtoc.data_sets.iter().map(Row::new).collect(),
            free: free.iter().map(of).collect(),
            faults: vtoc.faults.iter().map(|fault| fault.fault.to_string()).collect(),
        }
    }

    fn table(&self, extents: bool) -> String {
        let heads = [
            ("NAME", Side::Left),
            ("DSORG", Side::Left),
            ("RECFM", Side::Left),
            ("LRECL", Side::Right),
            ("BLKSIZE", Side::Right),
            ("KEYLEN", Side::Right),
            ("TRACKS", Side::Right),
            ("USED", Side::Right),
            ("EXTENTS", Side::Right),
            ("SECONDARY", Side::Left),
            ("CREATED", Side::Left),
            ("REFERENCED", Side::Left),
            ("EXPIRES", Side::Left),
        ];
        let rows: Vec<_> = self.data_sets.iter().map(|row| row.cells(extents)).collect();
        let total = format!(
            "volume {}: {}; {} of {} tracks free, {} of them in one piece; {} of {} DSCBs free\n",
            self.volser,
            counted(self.data_sets.len(), "data set"),
            self.free_tracks,
            self.tracks,
            self.largest_free_tracks,
            self.free_dscbs,
            self.dscbs
        );
        if rows.is_empty() { total } else { table(heads, &rows) + "\n" + &total }
    }
}

impl Row {
    fn new(data_set: &DataSet) -> Self {
        let shown = |date: Option<halftrack_volume::vtoc::Date>| date.map(|date| date.to_string());
        Self {
            name: data_set.name.clone(),
            dsorg: data_set.organization.to_string(),
            recfm: data_set.record_format.to_string(),
            lrecl: data_set.record_bytes,
            blksize: data_set.block_bytes,
            keylen: data_set.key_bytes,
            tracks: data_set.tracks,
            used_tracks: data_set.used_tracks(),
            extents: data_set.extents.iter().map(ToString::to_string).collect(),
            secondary: secondary(data_set.secondary),
            created: shown(data_set.created),
            referenced: shown(data_set.referenced),
            expires: shown(data_set.expires),
            kind: opening::kind(data_set.kind),
        }
    }

    fn cells(&self, extents: bool) -> [String; 13] {
        let number = |number: u32| if number == 0 { String::new() } else { number.to_string() };
        let word = |word: &Option<String>| word.clone().unwrap_or_default();
        let used = self.used_tracks.filter(|_| self.tracks > 0);
        let used = used.map(|used| format!("{} %", u64::from(used) * 100 / u64::from(self.tracks)));
        let places = format!("{} {}", self.extents.len(), self.extents.join(" "));
        [
            self.name.clone(),
            if self.kind == "plain" { self.dsorg.clone() } else { format!("{} {}", self.dsorg, self.kind) },
            self.recfm.clone(),
            number(self.lrecl.into()),
            number(self.blksize.into()),
            number(self.keylen.into()),
            self.tracks.to_string(),
            used.unwrap_or_default(),
            if extents { places } else { self.extents.len().to_string() },
            word(&self.secondary),
            word(&self.created),
            word(&self.referenced),
            word(&self.expires),
        ]
    }
}

/// Formats it as a space parameter: `CYL 2`.
fn secondary(allocation: SecondaryAllocation) -> Option<String> {
    let unit = match allocation.unit {
        AllocationUnit::Cylinders => "CYL",
        AllocationUnit::Tracks => "TRK",
        AllocationUnit::Blocks => "BLK",
        AllocationUnit::AbsoluteTracks => "ABSTR",
    };
    (allocation.quantity > 0).then(|| format!("{unit} {}", allocation.quantity))
}

/// Output of `--json` for a partitioned data set.
#[derive(Debug, Serialize)]
struct MemberListing {
    data_set: String,
    directory_blocks: u32,
    members: Vec<MemberRow>,
    faults: Vec<String>,
}

#[derive(Debug, Serialize)]
struct MemberRow {
    name: String,
    track: u32,
    record: u8,
    alias: bool,
    user_data: String,
}

impl MemberListing {
    fn new(data_set: &DataSet, directory: &Directory) -> Self {
        let hex = |octets: &[u8]| octets.iter().map(|octet| format!("{octet:02X}")).collect();
        let members = directory.members.iter().map(|member| MemberRow {
            name: member.name.clone(),
            track: member.begin.track,
            record: member.begin.record,
            alias: member.is_alias,
            user_data: hex(&member.user_data),
        });
        Self {
            data_set: data_set.name.clone(),
            directory_blocks: directory.blocks,
            members: members.collect(),
            faults: directory.faults.iter().map(ToString::to_string).collect(),
        }
    }

    fn table(&self) -> String {
        let rows = self.members.iter().map(|member| {
            [
                member.name.clone(),
                member.track.to_string(),
                member.record.to_string(),
                if member.alias { "alias" } else { "" }.to_owned(),
                member.user_data.clone(),
            ]
        });
        let rows: Vec<_> = rows.collect();
        let heads = [
            ("NAME", Side::Left),
            ("TRACK", Side::Right),
            ("RECORD", Side::Right),
            ("ALIAS", Side::Left),
            ("USER DATA", Side::Left),
        ];
        let members = counted(rows.len(), "member");
        let blocks = counted(self.directory_blocks as usize, "directory block");
        let total = format!("{}: {members} in {blocks}\n", self.data_set);
        if rows.is_empty() { total } else { table(heads, &rows) + "\n" + &total }
    }
}
