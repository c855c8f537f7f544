//! Hints to the processor that octets or values will be read soon.

/// Octets of a cache line.
const LINE_BYTES: usize = 64;

/// Octets that will be read soon and are fetched into the cache, some lines at a time, so that the work between hides
/// the latency. A hint: nothing else depends on it, and where the processor has no such instruction nothing happens.
#[derive(Debug, Clone, Copy, Default)]
pub struct Prefetch {
    /// Address of the first octet that was not prefetched yet, and of the end. Nothing is read there.
    at: usize,
    end: usize,
}

impl Prefetch {
    /// Makes the prefetch of these octets, of which none was prefetched yet.
    #[inline]
    #[must_use]
    pub fn of(octets: &[u8]) -> Self {
        let at = octets.as_ptr().addr();
        Self { at, end: at + octets.len() }
    }

    /// Prefetches the line in which `value` begins, some events before the one that reads it.
    #[inline]
    pub fn begin<T>(value: &T) {
        prefetch(std::ptr::from_ref(value).addr());
    }

    /// Asks for the first `count` lines of `value`, which is as long.
    #[inline(always)]
    pub fn first_lines<T>(value: &T, count: usize) {
        let at = std::ptr::from_ref(value).addr();
        (0..count).for_each(|line| prefetch(at + line * LINE_BYTES));
    }

    /// Asks for all lines of `value`.
    #[inline]
    pub fn whole<T>(value: &T) {
        let at = std::ptr::from_ref(value).addr();
        for line in (0..size_of::<T>()).step_by(LINE_BYTES) {
            prefetch(at + line);
        }
        // The end of a value that is not aligned to lines lies in one more.
        if align_of::<T>() < LINE_BYTES && size_of::<T>() > 0 {
            prefetch(at + size_of::<T>() - 1);
        }
    }

    /// Asks for the next `count` lines.
    #[inline]
    pub fn lines(&mut self, count: usize) {
        let end = self.end.min(self.at.saturating_add(count.saturating_mul(LINE_BYTES)));
        while self.at < end {
            prefetch(self.at);
            self.at += LINE_BYTES;
        }
    }

    /// Asks for all that is left.
    #[inline]
    pub fn rest(&mut self) {
        self.lines(usize::MAX);
    }
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[allow(unsafe_code)]
fn prefetch(address: usize) {
    use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: a prefetch neither reads nor faults, whatever the address.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::without_provenance(address)) };
}

#[cfg(not(target_arch = "x86_64"))]
#[inline]
fn prefetch(_address: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing can be seen of it but that no value is too small, too large or too oddly placed.
    #[test]
    fn values_of_any_size_are_asked_for() {
        #[repr(align(64))]
        struct Aligned([u8; 128]);
        let aligned = Aligned([7; 128]);
        Prefetch::whole(&aligned);
        Prefetch::whole(&());
        Prefetch::whole(&aligned.0[3]);
        Prefetch::begin(&aligned.0);
        assert_eq!(aligned.0, [7; 128]);
    }

    #[test]
    fn every_line_is_asked_for_once() {
        let octets = vec![0; 1000];
        let mut prefetch = Prefetch::of(&octets);
        prefetch.lines(3);
        assert_eq!(prefetch.end - prefetch.at, 1000 - 3 * LINE_BYTES);
        prefetch.rest();
        assert!(prefetch.at >= prefetch.end && prefetch.at < prefetch.end + LINE_BYTES);
        let before = prefetch;
        prefetch.rest();
        assert_eq!((prefetch.at, prefetch.end), (before.at, before.end));
    }
}
