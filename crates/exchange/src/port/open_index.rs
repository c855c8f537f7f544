//! The exchange that a frame belongs to, found by the sender's address and the exchange id.
//!
//! The index is a table with open addressing. As a rule one probe of one cache line finds an entry. Its size is fixed
//! when it is made: less than four entries an exchange, and no memory is taken later.

/// Key of an entry without exchange.
const EMPTY: u64 = u64::MAX;
/// Spreads keys: 2^64 over the golden ratio (Fibonacci hashing).
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// Places of exchanges by address and exchange id.
#[derive(Debug)]
pub(crate) struct OpenIndex {
    /// Key and place.
    entries: Vec<(u64, u16)>,
    shift: u32,
    used: usize,
}

impl OpenIndex {
    /// Makes an index with room for `room` exchanges.
    pub(crate) fn new(room: usize) -> Self {
        let size = (room.max(1) * 2).next_power_of_two();
        Self { entries: vec![(EMPTY, 0); size], shift: 64 - size.trailing_zeros(), used: 0 }
    }

    /// Returns the place of the exchange `ox_id` with the port `s_id`.
    pub(crate) fn get(&self, s_id: u32, ox_id: u16) -> Option<u16> {
        self.get_key(key(s_id, ox_id))
    }

    /// Returns the place noted for a key of the owner's own making.
    pub(crate) fn get_key(&self, key: u64) -> Option<u16> {
        let (key, place) = self.entries[self.position(key)];
        (key != EMPTY).then_some(place)
    }

    /// Notes a place; one noted before under the same ids is forgotten. Returns false, and notes nothing, without room.
    pub(crate) fn insert(&mut self, s_id: u32, ox_id: u16, place: u16) -> bool {
        self.insert_key(key(s_id, ox_id), place)
    }

    /// Notes the place for a key of the owner's own making; false when there is no room.
    pub(crate) fn insert_key(&mut self, key: u64, place: u16) -> bool {
        let at = self.position(key);
        if self.entries[at].0 == EMPTY {
            if 2 * (self.used + 1) > self.entries.len() {
                return false;
            }
            self.used += 1;
        }
        self.entries[at] = (key, place);
        true
    }

    /// Forgets a place, if it is the one noted.
    pub(crate) fn remove(&mut self, s_id: u32, ox_id: u16, place: u16) {
        self.remove_key(key(s_id, ox_id), place);
    }

    /// Forgets a key of the owner's own making, if it is noted with this place.
    pub(crate) fn remove_key(&mut self, key: u64, place: u16) {
        let mask = self.entries.len() - 1;
        let mut hole = self.position(key);
        if self.entries[hole] != (key, place) {
            return;
        }
        self.used -= 1;
        // What stands behind moves up when it would not be found across the hole.
        let mut at = (hole + 1) & mask;
        while self.entries[at].0 != EMPTY {
            let home = self.home(self.entries[at].0);
            if at.wrapping_sub(home) & mask >= at.wrapping_sub(hole) & mask {
                self.entries[hole] = self.entries[at];
                hole = at;
            }
            at = (at + 1) & mask;
        }
        self.entries[hole] = (EMPTY, 0);
    }

    /// Returns where the key is, or the empty entry where it would be; there is always one.
    fn position(&self, key: u64) -> usize {
        let mask = self.entries.len() - 1;
        let mut at = self.home(key);
        while self.entries[at].0 != key && self.entries[at].0 != EMPTY {
            at = (at + 1) & mask;
        }
        at
    }

    fn home(&self, key: u64) -> usize {
        (key.wrapping_mul(SPREAD) >> self.shift) as usize
    }
}

fn key(s_id: u32, ox_id: u16) -> u64 {
    u64::from(s_id) << 16 | u64::from(ox_id)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use halftrack_engine::RandomStream;

    use super::*;

    #[test]
    fn it_finds_what_a_map_finds() {
        let mut index = OpenIndex::new(40);
        let mut map = BTreeMap::new();
        let mut random = RandomStream::new(7, "index");
        for step in 0..20_000_u32 {
            let (s_id, ox_id) = (random.below(3) as u32, random.below(60) as u16);
            if random.below(2) == 0 && map.len() < 40 {
                assert!(index.insert(s_id, ox_id, step as u16));
                map.insert((s_id, ox_id), step as u16);
            } else if let Some(place) = map.remove(&(s_id, ox_id)) {
                index.remove(s_id, ox_id, place.wrapping_add(1));
                assert_eq!(index.get(s_id, ox_id), Some(place), "another place is noted");
                index.remove(s_id, ox_id, place);
            }
            let (s_id, ox_id) = (random.below(3) as u32, random.below(60) as u16);
            assert_eq!(index.get(s_id, ox_id), map.get(&(s_id, ox_id)).copied(), "step {step}");
        }
    }

    #[test]
    fn without_room_nothing_is_noted() {
        let mut index = OpenIndex::new(1);
        assert!(index.insert(1, 1, 5));
        assert!(!index.insert(2, 2, 6));
        assert_eq!((index.get(1, 1), index.get(2, 2)), (Some(5), None));
        assert!(index.insert(1, 1, 7));
    }
}
