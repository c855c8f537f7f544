//! How many cards and channels a machine has room for.

use halftrack_input::{Expect, Fields, Sourced};

/// Room for cards and channels; what is `None` is not limited, or not published.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plugging {
    /// Slots for channel cards.
    pub slots: Option<Sourced<u32>>,
    /// FICON channels, native and to a bridge.
    pub ficon_channels: Option<Sourced<u32>>,
}

impl Plugging {
    /// Reads `[plugging]`.
    pub(crate) fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let mut optional = |key| fields.sourced_if_given(key, Expect::integer(1..=4096));
        let (slots, ficon_channels) = (optional("slots"), optional("ficon_channels"));
        Some(Self { slots: slots?, ficon_channels: ficon_channels? })
    }
}
