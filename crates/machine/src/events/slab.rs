//! A slab: values in place, slots used again, no allocation once it has grown to the run's population.

/// Values by small index.
#[derive(Debug, Clone)]
pub(crate) struct Slab<T> {
    slots: Vec<T>,
    free: Vec<u32>,
}

impl<T: Default> Slab<T> {
    /// Makes an empty slab with room for `capacity` values.
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self { slots: Vec::with_capacity(capacity), free: Vec::with_capacity(capacity) }
    }

    /// Gives a slot for a new value. Its last value is still there and must be overwritten.
    #[inline]
    pub(crate) fn take(&mut self) -> u32 {
        if let Some(slot) = self.free.pop() {
            return slot;
        }
        self.append()
    }

    #[cold]
    fn append(&mut self) -> u32 {
        self.slots.push(T::default());
        u32::try_from(self.slots.len() - 1).expect("a slab holds fewer than 2^32 values")
    }

    /// Puts `value` into a slot of its own.
    #[inline(always)]
    pub(crate) fn put(&mut self, value: T) -> u32 {
        let slot = self.take();
        self.slots[slot as usize] = value;
        slot
    }

    /// Returns the value in `slot`, which another slab has given. The two go in step, and this one gives no slots itself.
    #[inline(always)]
    pub(crate) fn reach(&mut self, slot: u32) -> &mut T {
        while self.slots.len() <= slot as usize {
            self.append();
        }
        &mut self.slots[slot as usize]
    }

    /// Gives `slot` back.
    #[inline]
    pub(crate) fn give(&mut self, slot: u32) {
        self.free.push(slot);
    }

    /// Returns the number of slots ever used; slots are numbered below it.
    pub(crate) fn high_water(&self) -> usize {
        self.slots.len()
    }
}

impl<T> std::ops::Index<u32> for Slab<T> {
    type Output = T;
    #[inline]
    fn index(&self, slot: u32) -> &T {
        &self.slots[slot as usize]
    }
}

impl<T> std::ops::IndexMut<u32> for Slab<T> {
    #[inline]
    fn index_mut(&mut self, slot: u32) -> &mut T {
        &mut self.slots[slot as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_used_again() {
        let mut slab: Slab<u8> = Slab::with_capacity(2);
        let first = slab.take();
        let second = slab.take();
        slab[first] = 7;
        slab.give(first);
        assert_eq!((slab.take(), slab.high_water()), (first, 2));
        assert_ne!(first, second);
    }
}
