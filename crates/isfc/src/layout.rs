//! Devices spread over channels: how they are numbered, and to which channel of the partner each leads.

use thiserror::Error;

use crate::designation::MAX_DEVICES;

/// Order of the device numbers over the channels of one end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Numbering {
    /// Neighbours in number are on different channels: one device of each channel, then the next one of each.
    Striped,
    /// Neighbours in number are on one channel: all devices of a channel, then those of the next.
    Unstriped,
}

/// Channel of the partner to which the devices of a channel lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wiring {
    /// Channel 0 to channel 0, channel 1 to channel 1 and so on.
    Straight,
    /// Each channel to the next one of the partner, the last to the first: two channels are exchanged. That more than two go
    /// round is our choice, so that none is straight; the published configurations are not drawn. One channel is straight.
    Crossed,
}

/// Place of a device of a link at both of its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place {
    /// Number of the device, less that of the link's first one. It is one number at both ends.
    pub offset: u16,
    /// Channel at end A, from 0.
    pub channel_a: usize,
    /// Channel at end B, from 0.
    pub channel_b: usize,
}

/// Why channels and devices make no link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum LayoutError {
    /// No channels, or no devices on one.
    #[error("a logical link has at least one channel, with at least one device")]
    Empty,
    /// More devices than a link may have.
    #[error("a logical link has at most {MAX_DEVICES} devices, and here are {0}")]
    TooMany(usize),
}

/// Devices of a link over its channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Layout {
    /// Channels at each end.
    pub channels: usize,
    /// Devices on each of them.
    pub devices_per_channel: usize,
    /// Order of the numbers.
    pub numbering: Numbering,
    /// Channels of the partner.
    pub wiring: Wiring,
}

impl Layout {
    /// Returns the devices in the order of their numbers.
    ///
    /// # Errors
    /// There is none, or there are more than [`MAX_DEVICES`].
    pub fn places(&self) -> Result<Vec<Place>, LayoutError> {
        let devices = self.channels.saturating_mul(self.devices_per_channel);
        match devices {
            0 => Err(LayoutError::Empty),
            1..=MAX_DEVICES => Ok((0..devices).map(|at| self.place(at)).collect()),
            _ => Err(LayoutError::TooMany(devices)),
        }
    }

    const fn place(&self, at: usize) -> Place {
        let channel_a = match self.numbering {
            Numbering::Striped => at % self.channels,
            Numbering::Unstriped => at / self.devices_per_channel,
        };
        let channel_b = match self.wiring {
            Wiring::Straight => channel_a,
            Wiring::Crossed => (channel_a + 1) % self.channels,
        };
        Place { offset: at as u16, channel_a, channel_b }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channels(numbering: Numbering, wiring: Wiring) -> Vec<(usize, usize)> {
        let layout = Layout { channels: 3, devices_per_channel: 2, numbering, wiring };
        let places = layout.places().unwrap();
        assert!(places.iter().zip(0..).all(|(place, offset)| place.offset == offset));
        places.iter().map(|place| (place.channel_a, place.channel_b)).collect()
    }

    #[test]
    fn striped_neighbours_are_on_different_channels() {
        let straight = channels(Numbering::Striped, Wiring::Straight);
        assert_eq!(straight, [(0, 0), (1, 1), (2, 2), (0, 0), (1, 1), (2, 2)]);
        let straight = channels(Numbering::Unstriped, Wiring::Straight);
        assert_eq!(straight, [(0, 0), (0, 0), (1, 1), (1, 1), (2, 2), (2, 2)]);
    }

    #[test]
    fn crossed_devices_lead_to_another_channel() {
        let crossed = channels(Numbering::Unstriped, Wiring::Crossed);
        assert_eq!(crossed, [(0, 1), (0, 1), (1, 2), (1, 2), (2, 0), (2, 0)]);
    }

    #[test]
    fn a_layout_has_one_to_sixteen_devices() {
        let layout = |channels, devices_per_channel| Layout {
            channels,
            devices_per_channel,
            numbering: Numbering::Striped,
            wiring: Wiring::Straight,
        };
        assert_eq!(layout(4, 4).places().unwrap().len(), 16);
        assert_eq!(layout(1, 17).places(), Err(LayoutError::TooMany(17)));
        assert_eq!(layout(usize::MAX, 2).places(), Err(LayoutError::TooMany(usize::MAX)));
        assert_eq!(
            (layout(0, 4).places(), layout(4, 0).places()),
            (Err(LayoutError::Empty), Err(LayoutError::Empty))
        );
    }
}
