//! Stream of FCP in a run: its I/Os, and where on which unit they go.

use halftrack_base::Time;
use halftrack_config::Arrivals;
use halftrack_config::channel_file::{BlockOrder, FcpStream};
use halftrack_engine::RandomStream;
use halftrack_workload::StreamState;

use super::volume::LunVolume;
use crate::driver::region::Place;
use crate::driver::statistics::StreamStatistics;

/// Extents tried for one that is free before the I/O waits for the end of another.
const MOST_PROBES: u32 = 64;
/// Bytes of a record, where every stream has I/Os of whole ones.
const RECORD_BYTES: u32 = 4096;
/// Bytes of a record otherwise.
const SHORT_RECORD_BYTES: u32 = 512;

/// Returns the bytes in which data are compared: all streams have I/Os of whole records.
pub fn record_bytes(streams: &[FcpStream]) -> u16 {
    let is_whole = |stream: &FcpStream| stream.block_bytes.is_multiple_of(RECORD_BYTES);
    (if streams.iter().all(is_whole) { RECORD_BYTES } else { SHORT_RECORD_BYTES }) as u16
}

/// A stream.
#[derive(Debug)]
pub struct FcpStreamRun {
    /// Its name.
    pub name: String,
    /// Random state of the stream.
    pub state: StreamState,
    /// When the next I/O of an open stream comes.
    pub next_arrival: Time,
    /// Statistics of its I/Os.
    pub statistics: StreamStatistics,
    /// Place of its initiator.
    pub initiator: usize,
    /// Bytes of an I/O.
    pub block_bytes: u32,
    /// Records of an I/O.
    pub records: u16,
    is_open: bool,
    /// Places of its units among the volumes.
    volumes: Vec<u16>,
    order: BlockOrder,
    /// By unit: the first record, and the extents behind it.
    extents: Vec<(u32, u32)>,
    /// By unit: the next extent of a sequential stream.
    cursors: Vec<u32>,
    random: RandomStream,
}

impl FcpStreamRun {
    /// Returns the stream of an initiator on units of these sizes.
    ///
    /// # Errors
    /// Why a unit has no place for it.
    pub fn new(
        asked: &FcpStream,
        seed: u64,
        record_bytes: u16,
        (initiator, places): (usize, &[(u16, u64, u32)]),
    ) -> Result<Self, String> {
        let records = asked.block_bytes / u32::from(record_bytes);
        let mut extents = Vec::new();
        for &(volume, blocks, lun_block_bytes) in places {
            if !asked.block_bytes.is_multiple_of(lun_block_bytes) {
                let bytes = asked.block_bytes;
                return Err(format!(
                    "I/Os of {bytes} bytes are no whole blocks of {lun_block_bytes} of unit {volume}"
                ));
            }
            let (first, last) =
                asked.blocks.map_or((0, blocks - 1), |(first, last)| (first.into(), last.into()));
            if last >= blocks {
                return Err(format!("a unit has {blocks} blocks, the last of them is {}", blocks - 1));
            }
            let record_of = |block: u64| block * u64::from(lun_block_bytes);
            let first_record = record_of(first).div_ceil(record_bytes.into());
            let end_record = record_of(last + 1) / u64::from(record_bytes);
            let count = end_record.saturating_sub(first_record) / u64::from(records);
            let (Ok(first), Ok(count)) = (u32::try_from(first_record), u32::try_from(count)) else {
                return Err("a unit is too large: give `blocks`".to_owned());
            };
            if count == 0 {
                return Err(format!("an I/O of {} bytes does not fit the blocks", asked.block_bytes));
            }
            extents.push((first, count));
        }
        let name = asked.stream.name.clone();
        Ok(Self {
            random: RandomStream::new(seed, &format!("stream {name} block")),
            name,
            state: StreamState::new(&asked.stream, seed),
            next_arrival: Time::MAX,
            statistics: StreamStatistics::default(),
            initiator,
            block_bytes: asked.block_bytes,
            records: records as u16,
            is_open: matches!(asked.stream.arrivals, Arrivals::Open { .. }),
            volumes: places.iter().map(|(volume, ..)| *volume).collect(),
            order: asked.order,
            cursors: vec![0; extents.len()],
            extents,
        })
    }

    /// Returns whether I/Os come at a rate, whatever is in progress.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// Returns the place among the volumes of a unit of the stream.
    #[inline]
    pub fn volume(&self, device: u16) -> u16 {
        self.volumes[usize::from(device)]
    }

    /// Returns the record behind the last that it uses of each unit.
    pub fn ends(&self) -> impl Iterator<Item = (u16, u32)> {
        let records = u32::from(self.records);
        self.volumes
            .iter()
            .zip(&self.extents)
            .map(move |(volume, (first, count))| (*volume, first + count * records))
    }

    /// Chooses an extent that nobody has and takes it; nothing when none was found.
    #[inline]
    pub fn claim(&mut self, device: u16, volume: &mut LunVolume, writes: bool) -> Option<Place> {
        let (first, count) = self.extents[usize::from(device)];
        let cursor = &mut self.cursors[usize::from(device)];
        let begin = match self.order {
            BlockOrder::Random => self.random.below(count.into()) as u32,
            BlockOrder::Sequential => *cursor,
        };
        (0..count.min(MOST_PROBES)).find_map(|probe| {
            let extent = ((u64::from(begin) + u64::from(probe)) % u64::from(count)) as u32;
            let place = Place { track: first + extent * u32::from(self.records), record: 1 };
            let is_taken = volume.contents.claim(place, self.records, writes);
            if is_taken && self.order == BlockOrder::Sequential {
                *cursor = (extent + 1) % count;
            }
            is_taken.then_some(place)
        })
    }
}
