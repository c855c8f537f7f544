//! Sets of pages of a memory.

/// Pages that follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PageRun {
    /// Number of the first page.
    pub first: u64,
    /// Number of pages.
    pub pages: u32,
}

const WORD_PAGES: u64 = u64::BITS as u64;

/// A set of pages of a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageSet {
    words: Vec<u64>,
    pages: u64,
    count: u64,
    /// No page before this one is in the set.
    first: u64,
}

impl PageSet {
    /// Returns the empty set of a memory of so many pages.
    pub fn none(pages: u64) -> Self {
        Self { words: vec![0; pages.div_ceil(WORD_PAGES) as usize], pages, count: 0, first: pages }
    }

    /// Returns the set of all pages of a memory.
    pub fn all(pages: u64) -> Self {
        let mut set = Self {
            words: vec![u64::MAX; pages.div_ceil(WORD_PAGES) as usize],
            pages,
            count: pages,
            first: 0,
        };
        let beyond = set.words.len() as u64 * WORD_PAGES - pages;
        if let Some(last) = set.words.last_mut() {
            *last >>= beyond;
        }
        set
    }

    /// Returns how many pages are in the set.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Returns whether a page is in the set.
    pub fn contains(&self, page: u64) -> bool {
        page < self.pages && self.words[(page / WORD_PAGES) as usize] & bit(page) != 0
    }

    /// Adds a page.
    ///
    /// # Panics
    /// When it is behind the memory.
    pub fn insert(&mut self, page: u64) {
        assert!(page < self.pages, "a page is within its memory");
        let word = &mut self.words[(page / WORD_PAGES) as usize];
        self.count += u64::from(*word & bit(page) == 0);
        *word |= bit(page);
        self.first = self.first.min(page);
    }

    /// Adds the pages of another set of the memory. Returns how many were added.
    ///
    /// # Panics
    /// When the memories are of different sizes.
    pub fn join(&mut self, other: &Self) -> u64 {
        assert_eq!(self.pages, other.pages, "both sets are of one memory");
        let before = self.count;
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word |= other;
        }
        self.count = self.words.iter().map(|word| u64::from(word.count_ones())).sum();
        self.first = self.first.min(other.first);
        self.count - before
    }

    /// Takes the first pages out, at most so many that follow each other.
    pub fn take_run(&mut self, most: u32) -> Option<PageRun> {
        let mut at = (self.first / WORD_PAGES) as usize;
        while *self.words.get(at)? == 0 {
            at += 1;
        }
        let first = at as u64 * WORD_PAGES + u64::from(self.words[at].trailing_zeros());
        let mut run = PageRun { first, pages: 0 };
        while run.pages < most && self.contains(first + u64::from(run.pages)) {
            let page = first + u64::from(run.pages);
            self.words[(page / WORD_PAGES) as usize] &= !bit(page);
            run.pages += 1;
        }
        self.count -= u64::from(run.pages);
        self.first = first + u64::from(run.pages);
        (run.pages > 0).then_some(run)
    }
}

const fn bit(page: u64) -> u64 {
    1 << (page % WORD_PAGES)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// Takes all pages out, in runs of at most `most`.
    fn taken(mut set: PageSet, most: u32) -> Vec<u64> {
        let mut pages = Vec::new();
        while let Some(run) = set.take_run(most) {
            assert!(run.pages <= most);
            pages.extend(run.first..run.first + u64::from(run.pages));
        }
        assert_eq!(set.count(), 0);
        pages
    }

    #[test]
    fn a_whole_memory_has_each_page_once() {
        for pages in [0, 1, 63, 64, 65, 200] {
            assert_eq!(taken(PageSet::all(pages), 7), (0..pages).collect::<Vec<_>>());
            assert_eq!(taken(PageSet::none(pages), 7), []);
        }
        assert_eq!(PageSet::all(5).take_run(0), None);
    }

    proptest! {
        #[test]
        fn pages_are_those_of_a_set(
            one in prop::collection::vec(0..300_u64, 0..80),
            other in prop::collection::vec(0..300_u64, 0..80),
            most in 1..70_u32,
        ) {
            let mut set = PageSet::none(300);
            one.iter().for_each(|page| set.insert(*page));
            let mut more = PageSet::none(300);
            other.iter().for_each(|page| more.insert(*page));
            let expected: BTreeSet<u64> = one.iter().copied().collect();
            prop_assert_eq!(set.count(), expected.len() as u64);
            let both: BTreeSet<u64> = one.iter().chain(&other).copied().collect();
            prop_assert_eq!(set.join(&more), (both.len() - expected.len()) as u64);
            prop_assert!((0..301).all(|page| set.contains(page) == both.contains(&page)));
            prop_assert_eq!(taken(set, most), both.into_iter().collect::<Vec<_>>());
        }
    }
}
