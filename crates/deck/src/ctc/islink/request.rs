//! A logical link to be planned.

use std::fmt;

use crate::ctc::{GivenPort, Image};
use crate::model::Deck;
use crate::reading::ReadOptions;

/// A channel as its user names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChannelName {
    /// Channel subsystem; `None` for that of the partition.
    pub css: Option<u8>,
    /// CHPID.
    pub chpid: u8,
}

impl fmt::Display for ChannelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(css) = self.css {
            write!(f, "{css}.")?;
        }
        write!(f, "{:02X}", self.chpid)
    }
}

/// The channels at both ends of a connection; one and the same where both systems share it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChannelPair {
    /// The channel of the first system.
    pub near: ChannelName,
    /// The channel of the second.
    pub far: ChannelName,
}

/// Rates of a channel in channel-to-channel traffic, MB/s (10^6 bytes a second) written by each system.
#[derive(Debug, Clone, PartialEq)]
pub struct ChannelRates {
    /// Where they are from.
    pub origin: String,
    /// A channel that both systems share, so that all data cross it twice.
    pub shared_mb_per_s: Option<f64>,
    /// A channel of one system, with another one at the other end.
    pub unshared_mb_per_s: Option<f64>,
}

impl ChannelRates {
    /// Returns the rate of a channel that is `shared` by both systems or not.
    pub fn of(&self, shared: bool) -> Option<f64> {
        if shared { self.shared_mb_per_s } else { self.unshared_mb_per_s }
    }
}

/// Systems, channels and wishes of a logical link.
#[derive(Debug, Clone)]
pub struct LinkRequest<'a> {
    /// One or two decks.
    pub decks: &'a [&'a Deck],
    /// Options that these were read with.
    pub options: &'a ReadOptions,
    /// Ports of channels that stand in no deck.
    pub ports: &'a [GivenPort],
    /// The partitions.
    pub systems: [Image; 2],
    /// Names of the systems, which decide who writes from which end.
    pub nodes: [String; 2],
    /// Channels, in the order in which they are to be used.
    pub channels: &'a [ChannelPair],
    /// Devices on each channel; `None` for the recipe's.
    pub per_channel: Option<usize>,
    /// First device number; `None` for one that is free.
    pub first_device: Option<u16>,
    /// Rate that is wanted, MB/s written by each system.
    pub wanted_mb_per_s: Option<f64>,
    /// Rates of the channels; `None` where none are catalogued.
    pub rates: Option<&'a ChannelRates>,
}
