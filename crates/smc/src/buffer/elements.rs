//! Elements of a buffer: which are taken.

/// Most elements of a buffer: the index has one octet, and none is 0.
pub const ELEMENTS_MAX: u8 = 255;

/// Index of an element, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ElementIndex(u8);

/// Elements of a buffer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Elements {
    count: u8,
    taken: [u64; 4],
}

impl ElementIndex {
    /// Returns the index, `None` for 0.
    pub const fn new(index: u8) -> Option<Self> {
        if index == 0 { None } else { Some(Self(index)) }
    }

    /// Returns the number.
    pub const fn get(self) -> u8 {
        self.0
    }

    /// Returns the offset of the element in a buffer of elements of this size.
    pub const fn offset_bytes(self, element_bytes: u32) -> u64 {
        (self.0 as u64 - 1) * element_bytes as u64
    }
}

impl Elements {
    /// Makes `count` elements, none of them taken.
    pub const fn new(count: u8) -> Self {
        Self { count, taken: [0; 4] }
    }

    /// Takes the first that is free.
    pub fn take(&mut self) -> Option<ElementIndex> {
        let index = (1..=self.count).map(ElementIndex).find(|&index| !self.is_taken(index))?;
        let (word, bit) = Self::place(index);
        self.taken[word] |= bit;
        Some(index)
    }

    /// Gives an element back; returns false, and changes nothing, for one that is not taken.
    #[must_use]
    pub const fn release(&mut self, index: ElementIndex) -> bool {
        let (is_taken, (word, bit)) = (self.is_taken(index), Self::place(index));
        self.taken[word] &= !bit;
        is_taken
    }

    /// Returns whether an element is taken.
    pub const fn is_taken(&self, index: ElementIndex) -> bool {
        let (word, bit) = Self::place(index);
        self.taken[word] & bit != 0
    }

    /// Returns whether none is taken.
    pub const fn is_idle(&self) -> bool {
        matches!(self.taken, [0, 0, 0, 0])
    }

    const fn place(index: ElementIndex) -> (usize, u64) {
        (index.0 as usize / 64, 1 << (index.0 % 64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_taken_from_1_to_255_and_used_again() {
        let mut elements = Elements::new(ELEMENTS_MAX);
        let taken: Vec<u8> = std::iter::from_fn(|| elements.take()).map(ElementIndex::get).collect();
        assert_eq!(taken, (1..=255).collect::<Vec<u8>>());
        let middle = ElementIndex::new(64).unwrap();
        assert!(elements.release(middle));
        assert_eq!(elements.take(), Some(middle));
        assert_eq!(elements.take(), None);
        (1..=255).filter_map(ElementIndex::new).for_each(|index| assert!(elements.release(index)));
        assert!(elements.is_idle());
        assert_eq!(ElementIndex::new(0), None);
        assert_eq!(ElementIndex::new(255).unwrap().offset_bytes(0x8_0000), 254 * 0x8_0000);
    }

    #[test]
    fn an_element_that_is_not_taken_is_not_given_back() {
        let mut elements = Elements::new(2);
        let [first, beyond] = [1, 3].map(|index| ElementIndex::new(index).unwrap());
        assert!(!elements.release(first), "free");
        assert_eq!(elements.take(), Some(first));
        assert!(!elements.release(beyond), "beyond the last");
        assert!(elements.release(first));
        assert!(!elements.release(first), "given back already");
    }
}
