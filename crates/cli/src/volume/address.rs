//! Tracks, records and blocks as arguments: `C/H`, `C/H-C/H`, `C/H/R`, `C/H/R-R`, `B-B`.

use halftrack_program::TrackAddress;

/// Tracks from one to another, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrackRange {
    /// First.
    pub begin: TrackAddress,
    /// Last.
    pub end: TrackAddress,
}

/// Records of one track, by their numbers, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordRange {
    /// The track.
    pub track: TrackAddress,
    /// First number.
    pub begin: u8,
    /// Last number.
    pub end: u8,
}

/// Blocks of a fixed-block volume, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockRange {
    /// First.
    pub begin: u32,
    /// Last.
    pub end: u32,
}

/// Reads `C/H`.
///
/// # Errors
/// The expected form.
pub fn track(text: &str) -> Result<TrackAddress, String> {
    let parsed = text.split_once('/').and_then(|(cylinder, head)| {
        let (cylinder, head) = (cylinder.parse().ok()?, head.parse().ok()?);
        TrackAddress::new(cylinder, head)
    });
    parsed.ok_or_else(|| {
        format!("`{text}` is not a track; write CYLINDER/HEAD in decimal, like 0/0 or 3338/14")
    })
}

/// Reads `C/H` or `C/H-C/H`.
///
/// # Errors
/// The expected form.
pub fn tracks(text: &str) -> Result<TrackRange, String> {
    let (begin, end) = text.split_once('-').unwrap_or((text, text));
    let (begin, end) = (track(begin)?, track(end)?);
    if begin > end {
        return Err(format!("the tracks `{text}` end before they begin"));
    }
    Ok(TrackRange { begin, end })
}

/// Reads `C/H/R` or `C/H/R-R`.
///
/// # Errors
/// The expected form.
pub fn records(text: &str) -> Result<RecordRange, String> {
    let expected =
        || format!("`{text}` is not a record; write CYLINDER/HEAD/RECORD in decimal, like 0/0/3 or 0/1/1-12");
    let (at, numbers) = text.rsplit_once('/').ok_or_else(expected)?;
    let track = track(at).map_err(|_| expected())?;
    let (begin, end) = numbers.split_once('-').unwrap_or((numbers, numbers));
    let (Ok(begin), Ok(end)) = (begin.parse(), end.parse()) else { return Err(expected()) };
    if begin > end {
        return Err(format!("the records `{text}` end before they begin"));
    }
    Ok(RecordRange { track, begin, end })
}

/// Reads `B` or `B-B`.
///
/// # Errors
/// The expected form.
pub fn blocks(text: &str) -> Result<BlockRange, String> {
    let (begin, end) = text.split_once('-').unwrap_or((text, text));
    match (begin.parse(), end.parse()) {
        (Ok(begin), Ok(end)) if begin <= end => Ok(BlockRange { begin, end }),
        _ => Err(format!("`{text}` is not a block; write a number from 0, like 1, or a range, like 0-7")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(cylinder: u32, head: u8) -> TrackAddress {
        TrackAddress::new(cylinder, head).unwrap()
    }

    #[test]
    fn tracks_and_records_are_decimal_with_strokes() {
        assert_eq!(tracks("3/14"), Ok(TrackRange { begin: at(3, 14), end: at(3, 14) }));
        assert_eq!(tracks("0/0-70000/2"), Ok(TrackRange { begin: at(0, 0), end: at(70_000, 2) }));
        assert_eq!(records("1/2/3"), Ok(RecordRange { track: at(1, 2), begin: 3, end: 3 }));
        assert_eq!(records("1/2/0-255"), Ok(RecordRange { track: at(1, 2), begin: 0, end: 255 }));
        assert_eq!(blocks("7-9"), Ok(BlockRange { begin: 7, end: 9 }));
    }

    #[test]
    fn anything_else_says_what_was_expected() {
        for text in ["", "1", "1/16", "1/-1", "1/2/3", "268435456/0", "2/0-1/0"] {
            assert!(tracks(text).is_err(), "{text}");
        }
        for text in ["1/2", "1/2/256", "1/2/3-2", "a/b/c"] {
            assert!(records(text).is_err(), "{text}");
        }
        assert!(track("1").unwrap_err().contains("CYLINDER/HEAD"));
        assert!(blocks("2-1").is_err() && blocks("x").is_err());
    }
}
