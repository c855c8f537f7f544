//! Data of transport-mode operations that a host-adapter port holds or has promised room for: bounded in octets, by
//! channel and for the port. An operation beyond that is answered control-unit busy, and nothing of it is kept.

use std::collections::BTreeMap;

use halftrack_wire::choices::MAX_TRANSFER_BYTES;
use halftrack_wire::{Body, Iu, IuData};

use crate::program::stated_counts;

/// Most octets for one channel. Our choice: eight of the longest operations.
pub(crate) const HELD_BY_CHANNEL_MAX_BYTES: u64 = 8 * MAX_TRANSFER_BYTES as u64;
/// Most octets of a port. Our choice: four channels with as much as they may have.
pub(crate) const HELD_BY_PORT_MAX_BYTES: u64 = 4 * HELD_BY_CHANNEL_MAX_BYTES;

/// Octets held, by the addresses of the channels.
#[derive(Debug, Default)]
pub(crate) struct HeldData {
    all_bytes: u64,
    channels: BTreeMap<u32, u64>,
}

impl HeldData {
    /// Takes room for `bytes` of a channel; false when there is none.
    pub(crate) fn take(&mut self, channel: u32, bytes: u32) -> bool {
        let bytes = u64::from(bytes);
        let own = self.channels.get(&channel).copied().unwrap_or_default();
        if own + bytes > HELD_BY_CHANNEL_MAX_BYTES || self.all_bytes + bytes > HELD_BY_PORT_MAX_BYTES {
            return false;
        }
        self.all_bytes += bytes;
        self.channels.insert(channel, own + bytes);
        true
    }

    /// Gives room back that was taken.
    pub(crate) fn give_back(&mut self, channel: u32, bytes: u32) {
        let bytes = u64::from(bytes);
        if bytes == 0 {
            return;
        }
        let Some(own) = self.channels.get_mut(&channel) else { return };
        self.all_bytes -= bytes;
        *own -= bytes;
        if *own == 0 {
            self.channels.remove(&channel);
        }
    }
}

/// Returns the octets of the transfer that a command states; 0 for one that will be refused.
pub(crate) fn stated_bytes(iu: &Iu) -> u32 {
    match (&iu.body, &iu.data) {
        (Body::TransportCommand { .. }, IuData::Bytes(tccb)) => {
            stated_counts(tccb).map_or(0, |(count, _)| count).min(MAX_TRANSFER_BYTES)
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_channel_has_more_than_its_part_and_all_together_no_more_than_the_port() {
        let mut held = HeldData::default();
        let mut taken = Vec::new();
        for channel in 0..100_000 {
            while held.take(channel, MAX_TRANSFER_BYTES) {
                taken.push(channel);
            }
        }
        assert_eq!(taken.len(), 32);
        assert_eq!((held.all_bytes, held.channels.len()), (HELD_BY_PORT_MAX_BYTES, 4));
        assert_eq!(held.channels[&0], HELD_BY_CHANNEL_MAX_BYTES);
        held.give_back(0, MAX_TRANSFER_BYTES);
        assert!(held.take(7, 4096) && !held.take(8, MAX_TRANSFER_BYTES));
        held.give_back(7, 4096);
        taken[1..].iter().for_each(|&channel| held.give_back(channel, MAX_TRANSFER_BYTES));
        assert_eq!((held.all_bytes, held.channels.len()), (0, 0));
    }
}
