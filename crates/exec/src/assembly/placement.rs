//! Finds room in storage for what may lie anywhere.

/// The lowest address that is given out: the page before it is left to programs that read there.
const FIRST: u64 = 0x1000;
const PAGE: u64 = 4096;

/// Gives out storage from low to high addresses, around what is taken.
#[derive(Debug)]
pub(crate) struct Room {
    /// Taken ranges, by their begin; nothing that begins before `passed` matters any more.
    taken: Vec<(u64, u64)>,
    passed: usize,
    next: u64,
    storage_bytes: u64,
}

impl Room {
    /// Returns all of storage but `taken`, which are begins and ends.
    pub(crate) fn new(storage_bytes: u64, mut taken: Vec<(u64, u64)>) -> Self {
        taken.sort_unstable();
        Self { taken, passed: 0, next: FIRST, storage_bytes }
    }

    /// Returns the address of `bytes` on `boundary`, which do not cross a page when `within_page`; nothing when there is no
    /// room left.
    pub(crate) fn find(&mut self, bytes: u64, boundary: u64, within_page: bool) -> Option<u64> {
        let mut at = self.next.checked_next_multiple_of(boundary)?;
        loop {
            let mut end = at.checked_add(bytes)?;
            if within_page && bytes > 0 && at / PAGE != (end - 1) / PAGE {
                at = at.checked_next_multiple_of(PAGE.max(boundary))?;
                end = at.checked_add(bytes)?;
            }
            if end > self.storage_bytes {
                return None;
            }
            match self.in_the_way(at, end) {
                Some(behind) => at = behind.checked_next_multiple_of(boundary)?,
                None => {
                    self.next = end;
                    return Some(at);
                }
            }
        }
    }

    /// Returns the end of something taken that lies in `at..end`.
    fn in_the_way(&mut self, at: u64, end: u64) -> Option<u64> {
        while let Some((_, behind)) = self.taken.get(self.passed) {
            if *behind > at {
                break;
            }
            self.passed += 1;
        }
        let (begin, behind) = *self.taken.get(self.passed)?;
        (begin < end).then_some(behind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_found_around_what_is_taken() {
        let mut room = Room::new(0x4000, vec![(0x1010, 0x1018), (0x1000, 0x1008), (0x1004, 0x1006)]);
        assert_eq!(room.find(8, 8, false), Some(0x1008));
        assert_eq!(room.find(16, 8, false), Some(0x1018));
        assert_eq!(room.find(0xFE8, 8, true), Some(0x2000));
        assert_eq!(room.find(0x20, 16, true), Some(0x3000));
        assert_eq!(room.find(0x1000, 8, false), None);
    }
}
