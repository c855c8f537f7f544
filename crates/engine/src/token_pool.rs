//! A pool of equal tokens: buffer credits, permits, anything that is taken and given back.

/// Tokens of which some are free and the others outstanding; never fewer than none nor more than all are free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenPool {
    total: u32,
    free: u32,
}

impl TokenPool {
    /// Creates a pool of `total` tokens, all free.
    pub const fn new(total: u32) -> Self {
        Self { total, free: total }
    }

    /// Takes one token; false if none is free.
    #[inline]
    #[must_use]
    pub fn take(&mut self) -> bool {
        self.take_n(1)
    }

    /// Takes `n` tokens or, if fewer are free, none and returns false.
    #[inline]
    #[must_use]
    pub fn take_n(&mut self, n: u32) -> bool {
        let Some(free) = self.free.checked_sub(n) else { return false };
        self.free = free;
        true
    }

    /// Gives one token back.
    ///
    /// # Panics
    /// When none is outstanding.
    #[inline]
    pub fn give(&mut self) {
        self.give_n(1);
    }

    /// Gives `n` tokens back.
    ///
    /// # Panics
    /// When fewer than `n` are outstanding.
    #[inline]
    pub fn give_n(&mut self, n: u32) {
        let outstanding = self.outstanding();
        assert!(n <= outstanding, "{n} tokens given back, but only {outstanding} are outstanding");
        self.free += n;
    }

    /// Returns all tokens, free or not.
    #[inline]
    pub const fn total(&self) -> u32 {
        self.total
    }

    /// Returns the tokens that can be taken.
    #[inline]
    pub const fn free(&self) -> u32 {
        self.free
    }

    /// Returns the tokens taken and not yet given back.
    #[inline]
    pub const fn outstanding(&self) -> u32 {
        self.total - self.free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_all_or_nothing() {
        let mut pool = TokenPool::new(3);
        assert!(pool.take() && pool.take_n(2));
        assert!(!pool.take());
        pool.give_n(2);
        assert!(!pool.take_n(3));
        assert_eq!((pool.total(), pool.free(), pool.outstanding()), (3, 2, 1));
        assert!(pool.take());
        assert_eq!(pool.outstanding(), 2);
    }

    #[test]
    #[should_panic(expected = "2 tokens given back, but only 1 are outstanding")]
    fn more_than_taken_cannot_be_given() {
        let mut pool = TokenPool::new(3);
        assert!(pool.take());
        pool.give_n(2);
    }
}
