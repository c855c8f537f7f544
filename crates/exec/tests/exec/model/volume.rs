//! A CKD volume as lists: tracks, each a home address and records.

/// Cylinders of the volume.
pub const CYLINDERS: u32 = 2;
/// Heads of a 3390.
pub const HEADS: u32 = 15;
/// Cells of a track of a 3390 for record zero, which has 8 bytes as a rule, and the records behind it.
const CELLS: usize = 1729 + 20;
/// Bytes of a track of a 3390 in Hercules' images, home address and end marker counted.
const IMAGE_BYTES: usize = 56_832;

/// A record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// CCHH, record, key length, data length.
    pub count: [u8; 8],
    /// Key area.
    pub key: Vec<u8>,
    /// Data area.
    pub data: Vec<u8>,
}

impl Record {
    /// Returns the cells that the record takes on a 3390.
    fn cells(&self) -> usize {
        let key = if self.key.is_empty() { 0 } else { area_cells(self.key.len()) };
        10 + area_cells(self.data.len()) + key
    }
}

fn area_cells(bytes: usize) -> usize {
    let n = (bytes + 6).div_ceil(232) + 1;
    9 + (bytes + 6 * n).div_ceil(34)
}

/// A track. The record at place 0 is record zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Track {
    /// Flag, CCHH.
    pub home: [u8; 5],
    /// Records.
    pub records: Vec<Record>,
}

impl Track {
    /// Returns whether the records fit the track, and its image.
    pub fn fits(&self) -> bool {
        let bytes: usize = self.records.iter().map(|record| 8 + record.key.len() + record.data.len()).sum();
        self.records.iter().map(Record::cells).sum::<usize>() <= CELLS && 5 + bytes + 8 <= IMAGE_BYTES
    }
}

/// A volume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Volume {
    /// Cylinders.
    pub cylinders: u32,
    /// Tracks: cylinder × 15 + head.
    pub tracks: Vec<Track>,
}

/// Returns the CCHH of a track of a small volume.
pub fn cchh(track: u32) -> [u8; 4] {
    let cylinder = (track / HEADS) as u16;
    [(cylinder >> 8) as u8, cylinder as u8, 0, (track % HEADS) as u8]
}

impl Volume {
    /// Creates a volume of tracks with a home address and a record zero of 8 zero bytes.
    pub fn empty(cylinders: u32) -> Self {
        let tracks = (0..cylinders * HEADS)
            .map(|track| {
                let [c0, c1, h0, h1] = cchh(track);
                let zero = Record { count: [c0, c1, h0, h1, 0, 0, 0, 8], key: vec![], data: vec![0; 8] };
                Track { home: [0, c0, c1, h0, h1], records: vec![zero] }
            })
            .collect();
        Self { cylinders, tracks }
    }

    /// Returns the number of the track that a CCHH names; nothing when the volume has no such track.
    pub fn find(&self, cchh: &[u8]) -> Option<u32> {
        let low = u32::from(cchh[0]) << 8 | u32::from(cchh[1]);
        let heads = u32::from(cchh[2]) << 8 | u32::from(cchh[3]);
        let (cylinder, head) = ((heads >> 4) << 16 | low, heads & 15);
        if cylinder < self.cylinders && head < HEADS { Some(cylinder * HEADS + head) } else { None }
    }
}
