//! The tracks of a volume that nothing has. Reckoned from the extents of the data sets, not from the DSCBs of free
//! space (formats 5 and 7), which an operating system rebuilds when it finds them out of date.

use halftrack_program::{Geometry, TrackAddress};

use crate::vtoc::VtocFault;
use crate::vtoc::data_set::DataSet;
use crate::vtoc::extent::{Extent, track_at, track_number};

/// Tracks that follow one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TrackRun {
    /// First track.
    pub begin: TrackAddress,
    /// Tracks.
    pub tracks: u32,
}

/// Tracks in use: first, the one behind the last, and who has them.
struct Used<'a> {
    begin: u32,
    end: u32,
    name: &'a str,
}

fn used<'a>(vtoc: &'a Extent, data_sets: &'a [DataSet], geometry: &Geometry) -> Vec<Used<'a>> {
    let of = |name: &'a str, extent: &Extent| {
        let begin = track_number(extent.begin, geometry);
        Used { begin, end: begin + extent.tracks(geometry), name }
    };
    let mut used = vec![Used { begin: 0, end: 1, name: "the label of the volume" }, of("the VTOC", vtoc)];
    for data_set in data_sets {
        let placed = data_set.extents.iter().filter(|extent| extent.tracks(geometry) > 0);
        used.extend(placed.map(|extent| of(&data_set.name, extent)));
    }
    used.sort_by_key(|used| (used.begin, used.end));
    used
}

pub(super) fn free_space(vtoc: &Extent, data_sets: &[DataSet], geometry: &Geometry) -> Vec<TrackRun> {
    let last = geometry.tracks() as u32;
    let end = Used { begin: last, end: last, name: "" };
    let mut free = Vec::new();
    let mut next = 0;
    for used in used(vtoc, data_sets, geometry).iter().chain([&end]) {
        if used.begin > next
            && let Some(begin) = track_at(next, geometry)
        {
            free.push(TrackRun { begin, tracks: used.begin - next });
        }
        next = next.max(used.end);
    }
    free
}

/// Returns every extent that shares a track with one before it.
pub(super) fn overlaps(vtoc: &Extent, data_sets: &[DataSet], geometry: &Geometry) -> Vec<VtocFault> {
    let mut found = Vec::new();
    let used = used(vtoc, data_sets, geometry);
    let mut furthest: Option<&Used<'_>> = None;
    for one in &used {
        if let Some(before) = furthest.filter(|before| before.end > one.begin)
            && let Some(at) = track_at(one.begin, geometry)
        {
            found.push(VtocFault::Overlap { name: before.name.to_owned(), other: one.name.to_owned(), at });
        }
        if furthest.is_none_or(|before| one.end > before.end) {
            furthest = Some(one);
        }
    }
    found
}
