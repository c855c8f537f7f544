//! How data get between a channel's fibre and memory.

use halftrack_base::Span;

/// Part of a card that moves the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DataPath {
    /// In transport mode the data router: firmware sets it up with the command and does not see the data.
    #[default]
    Router,
    /// Firmware, information unit by information unit, in both modes: `unit` of the prices is one sent or received.
    Firmware,
}

/// A channel whose firmware stays with every transfer while the bus moves it. Processor and bus work one after the
/// other, and the channel is held for the sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeldBus {
    /// Channel-processor time of one information unit sent or received.
    pub sequence: Span,
    /// Information units for each CCW that do not travel: those of the ESCON dialogue behind a bridge.
    pub units_per_command: u32,
    /// Bus time of one FC-2 frame beside its data.
    pub frame: Span,
    /// Rate at which the bus moves data, bytes per second.
    pub bytes_per_s: u64,
    /// Share of the bus that polling takes while the channel is idle, permille.
    pub idle_bus_permille: u32,
}
