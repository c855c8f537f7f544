//! The data of one command: how far they may go, how far they went, and how writes are gathered.

use halftrack_program::{DataPort, DeviceStatus, Octets};
use halftrack_volume::COUNT_AREA_BYTES;

/// The most octets that one write takes: count, key and data of the largest record that a count area can name.
const LARGEST_WRITE_BYTES: usize = COUNT_AREA_BYTES + u8::MAX as usize + u16::MAX as usize;

/// A port that counts what moves through it and lets no more than a limit through.
pub(crate) struct Phase<'p, P> {
    port: &'p mut P,
    left: u32,
    moved: u32,
    starved: bool,
}

impl<'p, P: DataPort> Phase<'p, P> {
    /// Returns the data of a command of a chain: its CCWs end them, not the phase.
    pub(crate) fn of_command(port: &'p mut P) -> Self {
        Self::of_dcw(port, u32::MAX)
    }

    /// Selects the data of a DCW: its count of bytes from the operation's data.
    pub(crate) fn of_dcw(port: &'p mut P, data_count: u32) -> Self {
        Self { port, left: data_count, moved: 0, starved: false }
    }

    /// Returns the bytes that moved.
    pub(crate) fn moved(&self) -> u32 {
        self.moved
    }

    /// Returns whether the device requested more data than the program had.
    pub(crate) fn starved(&self) -> bool {
        self.starved
    }

    fn count(&mut self, bytes: u32) {
        self.left -= bytes.min(self.left);
        self.moved = self.moved.saturating_add(bytes);
    }
}

impl<P: DataPort> DataPort for Phase<'_, P> {
    fn give(&mut self, octets: Octets<'_>) -> u32 {
        let octets = octets.first(self.left);
        if octets.is_empty() {
            return 0;
        }
        let taken = self.port.give(octets);
        self.count(taken);
        taken
    }

    fn take(&mut self, limit: u32) -> Octets<'_> {
        let limit = limit.min(self.left);
        if limit == 0 {
            return Octets::NONE;
        }
        let run = self.port.take(limit);
        let bytes = run.len();
        // Not through `count`: the run borrows the port.
        self.left -= bytes.min(self.left);
        self.moved = self.moved.saturating_add(bytes);
        self.starved |= bytes == 0;
        run
    }

    fn take_check_word(&mut self) -> bool {
        self.port.take_check_word()
    }
}

/// Data that an accepted command moves over the channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    /// Bytes that the device had to send or could take.
    pub device_bytes: u32,
    /// How the command ends.
    pub status: DeviceStatus,
    /// It needed no data.
    pub immediate: bool,
}

impl Span {
    /// A command that ends without data.
    pub(crate) const IMMEDIATE: Self =
        Self { device_bytes: 0, status: DeviceStatus::NORMAL_END, immediate: true };

    /// Creates a command with data that ends normally.
    pub(crate) const fn of(device_bytes: u32) -> Self {
        Self { device_bytes, status: DeviceStatus::NORMAL_END, immediate: false }
    }

    /// Returns the same with another bit of status when `on`.
    pub(crate) const fn with(self, bit: DeviceStatus, on: bool) -> Self {
        if on { Self { status: self.status.with(bit), ..self } } else { self }
    }
}

/// Where data written are gathered when they do not come in one run. Its memory is taken once, with the first
/// write that needs it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scratch(Vec<u8>);

impl Scratch {
    /// Takes up to `limit` octets from `port` and hands them to `then` in one run: without a copy when they
    /// come in one.
    pub(crate) fn gather<R>(
        &mut self,
        port: &mut impl DataPort,
        limit: u32,
        then: impl FnOnce(Octets<'_>) -> R,
    ) -> R {
        let limit = limit.min(LARGEST_WRITE_BYTES as u32);
        let first = port.take(limit);
        let mut filled = first.len();
        if filled == limit || filled == 0 {
            return then(first);
        }
        let mut kept = self.keep(first, 0);
        while filled < limit {
            let run = port.take(limit - filled);
            if run.is_empty() {
                break;
            }
            kept &= self.keep(run, filled);
            filled += run.len();
        }
        if kept { then(Octets::Bytes(&self.0[..filled as usize])) } else { then(Octets::Count(filled)) }
    }

    /// Keeps the octets of `run` at `at`; whether there were any to keep.
    fn keep(&mut self, run: Octets<'_>, at: u32) -> bool {
        let Some(bytes) = run.bytes() else { return false };
        self.0.resize(LARGEST_WRITE_BYTES, 0);
        let at = at as usize;
        match self.0.get_mut(at..at + bytes.len()) {
            Some(place) => place.copy_from_slice(bytes),
            None => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::Port;

    #[test]
    fn a_phase_stops_at_its_limit_and_counts() {
        let mut port = Port::sending(&[7; 10]);
        let mut phase = Phase::of_dcw(&mut port, 6);
        assert_eq!(phase.take(4).len(), 4);
        assert_eq!(phase.take(4).len(), 2);
        assert_eq!(phase.take(4), Octets::NONE);
        assert_eq!(phase.moved(), 6);
        let mut port = Port::taking(5);
        let mut phase = Phase::of_command(&mut port);
        assert_eq!(phase.give(Octets::Bytes(&[1; 4])), 4);
        assert_eq!(phase.give(Octets::Bytes(&[2; 4])), 1);
        assert_eq!(phase.moved(), 5);
        assert_eq!(port.taken, [1, 1, 1, 1, 2]);
    }

    #[test]
    fn runs_are_gathered_into_one() {
        let mut scratch = Scratch::default();
        let mut gathered = |mut port: Port, limit| {
            scratch.gather(&mut port, limit, |octets| (octets.len(), octets.bytes().map(<[u8]>::to_vec)))
        };
        assert_eq!(
            gathered(Port::sending(&[1, 2, 3, 4, 5]).in_runs_of(2), 5),
            (5, Some(vec![1, 2, 3, 4, 5]))
        );
        assert_eq!(gathered(Port::sending(&[1, 2, 3]).in_runs_of(2), 5), (3, Some(vec![1, 2, 3])));
        assert_eq!(gathered(Port::sending(&[1, 2, 3]), 3), (3, Some(vec![1, 2, 3])));
        assert_eq!(gathered(Port::sending(&[]), 3).0, 0);
        assert_eq!(gathered(Port::counting(9), 5), (5, None));
        assert_eq!(gathered(Port::counting(3), 5), (3, None));
    }
}
