//! The cache of a storage box: which tracks it holds, the least recently used goes first.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};

/// No entry: the end of the list.
const NONE: u32 = u32::MAX;

/// Tracks in the order of their last use.
///
/// A list through a vector and an index by track, both as large as they will ever be from the beginning: nothing is
/// allocated for an I/O. The hasher has a fixed key, and nothing depends on the order of the index.
#[derive(Debug)]
pub(crate) struct TrackCache {
    tracks: u32,
    entries: Vec<Entry>,
    index: HashMap<u64, u32, BuildHasherDefault<DefaultHasher>>,
    newest: u32,
    oldest: u32,
    /// Reads that were looked up, and those of them that were found, since the last interval.
    reads: u64,
    read_hits: u64,
}

#[derive(Debug)]
struct Entry {
    track: u64,
    newer: u32,
    older: u32,
}

impl TrackCache {
    /// Makes an empty cache of `tracks` tracks; a cache of none never hits.
    pub(crate) fn new(tracks: u32) -> Self {
        let capacity = tracks as usize;
        Self {
            tracks,
            entries: Vec::with_capacity(capacity),
            // Twice the room: what is removed must not make it grow.
            index: HashMap::with_capacity_and_hasher(2 * capacity, BuildHasherDefault::default()),
            newest: NONE,
            oldest: NONE,
            reads: 0,
            read_hits: 0,
        }
    }

    /// Looks `track` up for a read or write: whether it is there. Afterwards it is, as the most recently used one: a
    /// miss brings it in, and a write leaves what it wrote.
    pub(crate) fn look_up(&mut self, track: u64, write: bool) -> bool {
        let found = self.index.get(&track).copied();
        if !write {
            self.reads += 1;
            self.read_hits += u64::from(found.is_some());
        }
        match found {
            Some(entry) => {
                self.unlink(entry);
                self.link_newest(entry);
            }
            None if self.tracks > 0 => self.bring_in(track),
            None => {}
        }
        found.is_some()
    }

    /// Reads that were looked up, and those of them that were found, since the last call.
    pub(crate) fn take_counts(&mut self) -> (u64, u64) {
        (std::mem::take(&mut self.reads), std::mem::take(&mut self.read_hits))
    }

    /// Puts `track` into a free entry, or into that of the least recently used track.
    fn bring_in(&mut self, track: u64) {
        let entry = if self.entries.len() < self.tracks as usize {
            self.entries.push(Entry { track, newer: NONE, older: NONE });
            self.entries.len() as u32 - 1
        } else {
            let oldest = self.oldest;
            self.unlink(oldest);
            let entry = &mut self.entries[oldest as usize];
            self.index.remove(&std::mem::replace(&mut entry.track, track));
            oldest
        };
        self.index.insert(track, entry);
        self.link_newest(entry);
    }

    fn unlink(&mut self, entry: u32) {
        let Entry { newer, older, .. } = self.entries[entry as usize];
        match self.entries.get_mut(newer as usize) {
            Some(above) => above.older = older,
            None => self.newest = older,
        }
        match self.entries.get_mut(older as usize) {
            Some(below) => below.newer = newer,
            None => self.oldest = newer,
        }
    }

    fn link_newest(&mut self, entry: u32) {
        let below = std::mem::replace(&mut self.newest, entry);
        let this = &mut self.entries[entry as usize];
        (this.newer, this.older) = (NONE, below);
        match self.entries.get_mut(below as usize) {
            Some(below) => below.newer = entry,
            None => self.oldest = entry,
        }
    }
}

#[cfg(test)]
mod tests {
    use halftrack_engine::RandomStream;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Against a list that is searched from end to end.
        #[test]
        fn finds_what_a_simple_list_finds(
            tracks in 0..6_u32,
            uses in prop::collection::vec((0..10_u64, any::<bool>()), 0..200),
        ) {
            let mut cache = TrackCache::new(tracks);
            let mut list: Vec<u64> = Vec::new();
            for (track, write) in uses {
                let found = list.iter().position(|one| *one == track);
                prop_assert_eq!(cache.look_up(track, write), found.is_some());
                found.map(|at| list.remove(at));
                list.insert(0, track);
                list.truncate(tracks as usize);
            }
        }
    }

    #[test]
    fn only_reads_are_counted_and_nothing_is_allocated_for_a_look_up() {
        let mut cache = TrackCache::new(8);
        let counted = allocation_counter::measure(|| {
            for at in 0..10_000_u64 {
                cache.look_up(at * 7 % 29, at % 3 == 0);
            }
        });
        assert_eq!(counted.count_total, 0);
        assert_eq!(cache.reads, 6666);
        assert!(cache.read_hits < cache.reads);
    }

    /// Che, Tung and Wang, "Hierarchical Web caching systems", IEEE JSAC 20, 2002: item `k` is found with probability
    /// `1 - exp(-p_k T)`, where these add up to the size of the cache. For equal items that is size / items.
    #[test]
    fn the_hit_ratio_is_that_of_ches_approximation() {
        const ITEMS: u64 = 2000;
        for (exponent, size) in [(0.0, 500_u32), (0.8, 200), (1.0, 100)] {
            let weights: Vec<f64> = (1..=ITEMS).map(|k| libm::pow(k as f64, -exponent)).collect();
            let sum: f64 = weights.iter().sum();
            let found = |time: f64| weights.iter().map(move |weight| 1.0 - libm::exp(-weight / sum * time));
            let (mut low, mut high) = (0.0, 1e9);
            for _ in 0..200 {
                let middle = (low + high) / 2.0;
                if found(middle).sum::<f64>() < f64::from(size) { low = middle } else { high = middle }
            }
            let expected: f64 = found(low).zip(&weights).map(|(found, weight)| found * weight / sum).sum();

            let mut cache = TrackCache::new(size);
            let mut random = RandomStream::new(1, "tracks");
            let mut sums = Vec::new();
            let mut total = 0.0;
            for weight in &weights {
                total += weight / sum;
                sums.push(total);
            }
            for at in 0..220_000 {
                if at == 20_000 {
                    cache.take_counts();
                }
                let drawn = random.unit_f64();
                cache.look_up(sums.partition_point(|sum| *sum < drawn) as u64, false);
            }
            let ratio = cache.read_hits as f64 / cache.reads as f64;
            assert!((ratio - expected).abs() < 0.005, "exponent {exponent}: {ratio}, expected {expected}");
        }
    }
}
