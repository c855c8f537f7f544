//! The subchannels of a host to one logical control unit: the number of each start, and one start at a time.
//!
//! A subchannel is taken for one exchange at a time. A path that comes online has a program for every device and would
//! wait for ever for one that is always busy: it requests the subchannel and gets it next.

use halftrack_wire::StartNumber;

/// Unit addresses of a logical control unit.
const UNITS: usize = 256;

/// A subchannel.
#[derive(Debug, Clone, Copy, Default)]
struct Subchannel {
    /// Number of the last start.
    last: StartNumber,
    /// A start of this number is open.
    is_open: bool,
    /// Paths that have requested it.
    requests: u8,
}

/// The subchannels by unit address.
#[derive(Debug, Clone)]
pub struct Subchannels {
    units: Vec<Subchannel>,
    /// A path's work at one of them is over.
    freed: bool,
}

impl Subchannels {
    /// Makes the subchannels, all free. Each counts on from the number `before`, which no earlier life of the host has
    /// reached, so that its starts are newer than those of its predecessor.
    #[must_use]
    pub fn new(before: StartNumber) -> Self {
        Self { units: vec![Subchannel { last: before, ..Subchannel::default() }; UNITS], freed: false }
    }

    /// Takes a subchannel for the start of a program; `None` while another start has it or a path has requested it.
    #[inline]
    pub fn take(&mut self, unit: u8) -> Option<StartNumber> {
        let subchannel = &mut self.units[usize::from(unit)];
        if subchannel.is_open || subchannel.requests > 0 { None } else { Some(subchannel.begin()) }
    }

    /// Requests a subchannel for a path, before [`Subchannels::take_for_path`].
    pub fn request_for_path(&mut self, unit: u8) {
        self.units[usize::from(unit)].requests += 1;
    }

    /// Takes a subchannel for a path that has requested it; `None` while a start is open.
    pub fn take_for_path(&mut self, unit: u8) -> Option<StartNumber> {
        let subchannel = &mut self.units[usize::from(unit)];
        if subchannel.is_open { None } else { Some(subchannel.begin()) }
    }

    /// Withdraws the request of a path that needs the subchannel no more.
    pub fn withdraw_request(&mut self, unit: u8) {
        let requests = &mut self.units[usize::from(unit)].requests;
        *requests = requests.saturating_sub(1);
        self.freed = true;
    }

    /// Frees the subchannel of the start of this number, which is over, was given up, or did not begin. A later start
    /// keeps the subchannel.
    #[inline]
    pub fn give_back(&mut self, unit: u8, number: StartNumber) {
        let subchannel = &mut self.units[usize::from(unit)];
        if subchannel.last == number {
            subchannel.is_open = false;
        }
    }

    /// Returns whether a path's work at a subchannel has ended since the last call.
    #[inline]
    pub fn take_freed(&mut self) -> bool {
        std::mem::take(&mut self.freed)
    }
}

impl Subchannel {
    #[inline]
    fn begin(&mut self) -> StartNumber {
        self.last = self.last.next();
        self.is_open = true;
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subchannel_has_one_start_at_a_time_and_counts_them() {
        let mut subchannels = Subchannels::new(StartNumber::new(0x00FF_FFFF));
        let first = subchannels.take(7).unwrap();
        assert_eq!((first.value(), subchannels.take(7)), (0, None));
        assert_eq!(subchannels.take(8).map(StartNumber::value), Some(0), "each counts on its own");
        subchannels.give_back(7, first);
        let second = subchannels.take(7).unwrap();
        assert!(second.is_newer_than(first));
        subchannels.give_back(7, first);
        assert_eq!(subchannels.take(7), None, "the older one has it no more");
    }

    #[test]
    fn a_path_that_requests_is_next() {
        let mut subchannels = Subchannels::new(StartNumber::default());
        let io = subchannels.take(7).unwrap();
        subchannels.request_for_path(7);
        assert_eq!(subchannels.take_for_path(7), None);
        subchannels.give_back(7, io);
        assert_eq!(subchannels.take(7), None, "the path comes first");
        let path = subchannels.take_for_path(7).unwrap();
        subchannels.give_back(7, path);
        assert!(!subchannels.take_freed());
        subchannels.withdraw_request(7);
        assert!(subchannels.take_freed() && !subchannels.take_freed());
        assert!(subchannels.take(7).is_some());
    }
}
