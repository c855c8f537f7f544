//! A data set as its format-1 or format-8 DSCB describes it. Field names are those of the mapping macro IECSDSL1.

use std::fmt;

use halftrack_program::{Geometry, RecordAddress, TrackAddress};

use crate::vtoc::date::Date;
use crate::vtoc::dscb::{Dscb, Dscbs, KEY_BYTES};
use crate::vtoc::extent::Extent;
use crate::vtoc::label::text;
use crate::vtoc::record_format::RecordFormat;
use crate::vtoc::{PlacedFault, VtocFault};

/// Offsets of the fields, from the key.
mod at {
    pub(super) const CREDT: usize = 53;
    pub(super) const EXPDT: usize = 56;
    pub(super) const NOEPV: usize = 59;
    pub(super) const FLAG1: usize = 61;
    pub(super) const REFD: usize = 75;
    pub(super) const SMSFG: usize = 78;
    pub(super) const DSORG: usize = 82;
    pub(super) const RECFM: usize = 84;
    pub(super) const BLKL: usize = 86;
    pub(super) const LRECL: usize = 88;
    pub(super) const KEYL: usize = 90;
    pub(super) const DSIND: usize = 93;
    pub(super) const SCALO: usize = 94;
    pub(super) const LSTAR: usize = 98;
    pub(super) const TTTHI: usize = 104;
}

/// DS1DSORG.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Organization {
    /// PS.
    Sequential,
    /// PO.
    Partitioned,
    /// DA.
    Direct,
    /// IS.
    Indexed,
    /// VS: VSAM.
    Vsam,
    /// None of these: the data set was never opened.
    Unknown,
}

impl Organization {
    const fn of(dsorg: [u8; 2]) -> Self {
        match dsorg {
            [_, second] if second & 0x08 != 0 => Self::Vsam,
            [first, _] if first & 0x02 != 0 => Self::Partitioned,
            [first, _] if first & 0x40 != 0 => Self::Sequential,
            [first, _] if first & 0x20 != 0 => Self::Direct,
            [first, _] if first & 0x80 != 0 => Self::Indexed,
            _ => Self::Unknown,
        }
    }
}

/// As job control has it; nothing when unknown.
impl fmt::Display for Organization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sequential => "PS",
            Self::Partitioned => "PO",
            Self::Direct => "DA",
            Self::Indexed => "IS",
            Self::Vsam => "VS",
            Self::Unknown => "",
        })
    }
}

/// Kind of contents of the extents besides DSORG and RECFM (DS1SMSFG, DS1FLAG1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DataSetKind {
    /// Blocks of records.
    Plain,
    /// A library (PDSE), whose pages are not documented.
    Pdse,
    /// A hierarchical file system.
    Hfs,
    /// Blocks with a suffix of 32 bytes, striped or compressed.
    Extended,
}

impl DataSetKind {
    const fn of(sms: u8, flags: u8) -> Self {
        const SMS_PDSE: u8 = 0x08;
        const SMS_EXTENDED: u8 = 0x04;
        const SMS_HFS: u8 = 0x02;
        const FLAG_COMPRESSED: u8 = 0x80;
        if sms & SMS_HFS != 0 {
            Self::Hfs
        } else if sms & SMS_PDSE != 0 {
            Self::Pdse
        } else if sms & SMS_EXTENDED != 0 || flags & FLAG_COMPRESSED != 0 {
            Self::Extended
        } else {
            Self::Plain
        }
    }
}

/// Unit of a secondary allocation (DS1SCAL1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AllocationUnit {
    /// Cylinders.
    Cylinders,
    /// Tracks.
    Tracks,
    /// Average blocks.
    Blocks,
    /// Tracks allocated by their address.
    AbsoluteTracks,
}

/// Allocation when the extents of a data set are full (DS1SCALO).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SecondaryAllocation {
    /// Unit.
    pub unit: AllocationUnit,
    /// Units.
    pub quantity: u32,
}

impl SecondaryAllocation {
    const fn of([flags, q0, q1, q2]: [u8; 4]) -> Self {
        let unit = match flags & 0xC0 {
            0xC0 => AllocationUnit::Cylinders,
            0x80 => AllocationUnit::Tracks,
            0x40 => AllocationUnit::Blocks,
            _ => AllocationUnit::AbsoluteTracks,
        };
        Self { unit, quantity: u32::from_be_bytes([0, q0, q1, q2]) }
    }
}

/// The last block that was written (DS1LSTAR): a track counted from the begin of the data set, and a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LastBlock {
    /// Track of the data set, from 0.
    pub track: u32,
    /// Record number.
    pub record: u8,
}

/// A data set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataSet {
    /// Name.
    pub name: String,
    /// Where its DSCB is.
    pub dscb: RecordAddress,
    /// DSORG.
    pub organization: Organization,
    /// Kind of contents of the extents.
    pub kind: DataSetKind,
    /// RECFM.
    pub record_format: RecordFormat,
    /// LRECL, bytes; 0 when missing, 32,768 (X) for spanned records of any length.
    pub record_bytes: u16,
    /// BLKSIZE, bytes; 0 when missing.
    pub block_bytes: u16,
    /// Bytes of the key of each block.
    pub key_bytes: u8,
    /// Created.
    pub created: Option<Date>,
    /// To be kept until.
    pub expires: Option<Date>,
    /// Opened last.
    pub referenced: Option<Date>,
    /// The extents on this volume, in their order.
    pub extents: Vec<Extent>,
    /// Tracks of the extents on this volume.
    pub tracks: u32,
    /// Last block written; nothing before the first.
    pub last_block: Option<LastBlock>,
    /// Whether the data set ends on this volume.
    pub ends_here: bool,
    /// Allocation when its extents are full.
    pub secondary: SecondaryAllocation,
}

impl DataSet {
    pub(super) fn read(
        dscb: &Dscb,
        at: [u8; 5],
        dscbs: &Dscbs,
        geometry: &Geometry,
        faults: &mut Vec<PlacedFault>,
    ) -> Self {
        let [c0, c1, h0, h1, record] = at;
        let track = TrackAddress::from_cchh([c0, c1, h0, h1]);
        let address = RecordAddress { cylinder: track.cylinder(), head: track.head(), record };
        let name = text(&dscb.field::<KEY_BYTES>(0));
        let (extents, whole) = dscbs.extents_of(dscb);
        let [counted] = dscb.field(at::NOEPV);
        let said = faults_of(&name, &extents, whole, counted, geometry);
        faults.extend(said.into_iter().map(|fault| PlacedFault { at: track, fault }));
        let [flags] = dscb.field(at::FLAG1);
        let [sms] = dscb.field(at::SMSFG);
        let [format] = dscb.field(at::RECFM);
        let [key_bytes] = dscb.field(at::KEYL);
        let [indicators] = dscb.field(at::DSIND);
        let tracks = extents.iter().fold(0, |sum: u32, extent| sum.saturating_add(extent.tracks(geometry)));
        Self {
            name,
            dscb: address,
            organization: Organization::of(dscb.field(at::DSORG)),
            kind: DataSetKind::of(sms, flags),
            record_format: RecordFormat(format),
            record_bytes: u16::from_be_bytes(dscb.field(at::LRECL)),
            block_bytes: u16::from_be_bytes(dscb.field(at::BLKL)),
            key_bytes,
            created: Date::parse(dscb.field(at::CREDT)),
            expires: Date::parse(dscb.field(at::EXPDT)),
            referenced: Date::parse(dscb.field(at::REFD)),
            tracks,
            extents,
            last_block: last_block(dscb, flags),
            ends_here: indicators & 0x80 != 0,
            secondary: SecondaryAllocation::of(dscb.field(at::SCALO)),
        }
    }

    /// Returns the tracks up to the last block written. Nothing when the DSCB does not contain it, as with VSAM and
    /// libraries.
    pub fn used_tracks(&self) -> Option<u32> {
        let says = matches!(self.organization, Organization::Sequential | Organization::Partitioned)
            && self.kind == DataSetKind::Plain;
        says.then(|| self.last_block.map_or(0, |last| last.track.saturating_add(1)).min(self.tracks))
    }
}

fn faults_of(
    name: &str,
    extents: &[Extent],
    whole: bool,
    counted: u8,
    geometry: &Geometry,
) -> Vec<VtocFault> {
    let name = || name.to_owned();
    let mut said = Vec::new();
    if !whole {
        said.push(VtocFault::Chain { name: name(), extents: extents.len() });
    } else if usize::from(counted) != extents.len() {
        said.push(VtocFault::ExtentCount { name: name(), counted, found: extents.len() });
    }
    for (number, extent) in extents.iter().enumerate() {
        if extent.tracks(geometry) == 0 {
            said.push(VtocFault::Extent { name: name(), number: number + 1, extent: *extent });
        }
    }
    said
}

/// Returns the DS1LSTAR, with the high octet of the track for data sets of more than 65,535 tracks (DS1LARGE).
fn last_block(dscb: &Dscb, flags: u8) -> Option<LastBlock> {
    const FLAG_LARGE: u8 = 0x08;
    let [t0, t1, record] = dscb.field(at::LSTAR);
    let [high] = dscb.field(at::TTTHI);
    let high = if flags & FLAG_LARGE == 0 { 0 } else { high };
    let track = u32::from_be_bytes([0, high, t0, t1]);
    ((track, record) != (0, 0)).then_some(LastBlock { track, record })
}
