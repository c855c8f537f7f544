//! A plain 4-ary min-heap on an array, as anybody writes it who needs one for a handful of events.

/// When a station's customer departs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Departure {
    pub(crate) at_ps: u64,
    pub(crate) station: u32,
}

/// The departures to come, at most `N`, the earliest first.
#[derive(Clone, Debug)]
pub(crate) struct Heap<const N: usize> {
    entries: [Departure; N],
    len: usize,
}

impl<const N: usize> Heap<N> {
    pub(crate) fn new() -> Self {
        Self { entries: [Departure::default(); N], len: 0 }
    }

    #[inline]
    pub(crate) fn first(&self) -> Option<Departure> {
        (self.len > 0).then(|| self.entries[0])
    }

    /// Puts `departure` in; at most `N - 1` are in it.
    #[inline]
    pub(crate) fn push(&mut self, departure: Departure) {
        let mut at = self.len;
        self.len += 1;
        while at > 0 {
            let parent = (at - 1) / 4;
            if self.entries[parent].at_ps <= departure.at_ps {
                break;
            }
            self.entries[at] = self.entries[parent];
            at = parent;
        }
        self.entries[at] = departure;
    }

    /// Takes the first out; there is one.
    #[inline]
    pub(crate) fn remove_first(&mut self) {
        self.len -= 1;
        if self.len > 0 {
            self.replace_first(self.entries[self.len]);
        }
    }

    /// Puts `departure` in the place of the first; there is one.
    #[inline]
    pub(crate) fn replace_first(&mut self, departure: Departure) {
        let mut at = 0;
        loop {
            let children = 4 * at + 1..(4 * at + 5).min(self.len);
            let Some(least) = children.min_by_key(|&child| self.entries[child].at_ps) else { break };
            if self.entries[least].at_ps >= departure.at_ps {
                break;
            }
            self.entries[at] = self.entries[least];
            at = least;
        }
        self.entries[at] = departure;
    }
}

#[cfg(test)]
mod tests {
    use halftrack_engine::RandomStream;

    use super::*;

    #[test]
    fn departures_come_out_in_order() {
        let mut stream = RandomStream::new(1, "heap");
        let mut heap = Heap::<50>::new();
        for station in 0..50 {
            heap.push(Departure { at_ps: stream.below(1_000), station });
        }
        let mut last_ps = 0;
        for turn in 0..1_000 {
            let first = heap.first().expect("some are in it");
            assert!(first.at_ps >= last_ps, "turn {turn}");
            last_ps = first.at_ps;
            if turn < 950 {
                heap.replace_first(Departure { at_ps: last_ps + stream.below(1_000), ..first });
            } else {
                heap.remove_first();
            }
        }
        assert!(heap.first().is_none());
    }
}
