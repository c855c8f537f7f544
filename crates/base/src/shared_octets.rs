//! Octets that several owners have.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, Range};
use std::sync::Arc;

/// A run of octets that are shared and never copied.
#[derive(Clone, Default)]
pub struct SharedOctets {
    whole: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl SharedOctets {
    /// Returns the octets of a range of these.
    ///
    /// # Panics
    /// When the range is not within them.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Self {
        assert!(range.start <= range.end && range.end <= self.len(), "a range is within its octets");
        let start = self.range.start;
        Self { whole: Arc::clone(&self.whole), range: start + range.start..start + range.end }
    }
}

impl From<Vec<u8>> for SharedOctets {
    fn from(octets: Vec<u8>) -> Self {
        let range = 0..octets.len();
        Self { whole: Arc::new(octets), range }
    }
}

impl From<Arc<Vec<u8>>> for SharedOctets {
    fn from(whole: Arc<Vec<u8>>) -> Self {
        let range = 0..whole.len();
        Self { whole, range }
    }
}

impl Deref for SharedOctets {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.whole[self.range.clone()]
    }
}

impl PartialEq for SharedOctets {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl PartialEq<[u8]> for SharedOctets {
    fn eq(&self, other: &[u8]) -> bool {
        **self == *other
    }
}

impl PartialEq<Vec<u8>> for SharedOctets {
    fn eq(&self, other: &Vec<u8>) -> bool {
        **self == **other
    }
}

impl Eq for SharedOctets {}

impl Hash for SharedOctets {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl fmt::Debug for SharedOctets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} octets", self.len())
    }
}

#[test]
fn parts_share_the_octets_of_the_whole() {
    let whole = SharedOctets::from((0..10).collect::<Vec<u8>>());
    let part = whole.slice(2..8).slice(1..4);
    assert_eq!(*part, [3, 4, 5]);
    assert_eq!(part.as_ptr(), whole[3..].as_ptr());
    assert_eq!(part, SharedOctets::from(vec![3, 4, 5]));
}
