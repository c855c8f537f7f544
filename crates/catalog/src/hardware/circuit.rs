//! Properties of channels and host adapters whose path one program holds at a time.

use halftrack_input::{Expect, Fields, Sourced};

use crate::hardware::prices::time_us;

/// The interface of a circuit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CircuitInterface {
    /// ESCON: a fibre, which directors may join to others.
    #[default]
    Escon,
    /// Parallel: cables of bus and tags from one control unit to the next.
    Parallel,
}

impl CircuitInterface {
    fn read(fields: &mut Fields<'_>) -> Self {
        let words = [("escon", Self::Escon), ("parallel", Self::Parallel)];
        fields.or("interface", Expect::one_of(words), Self::default())
    }
}

/// The properties of a channel whose path one program holds at a time.
#[derive(Debug, Clone, PartialEq)]
pub struct ChannelCircuit {
    /// Its interface.
    pub interface: CircuitInterface,
    /// Receive buffer: data that may be under way unanswered, bytes.
    pub window_bytes: Sourced<u32>,
    /// From a director's port-busy answer on every path until the start is tried again, µs; `None` where no director is.
    pub port_busy_retry_us: Option<Sourced<f64>>,
}

impl ChannelCircuit {
    /// Reads `[circuit]` of a channel.
    pub(crate) fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let interface = CircuitInterface::read(fields);
        let window_bytes = fields.sourced("window_bytes", Expect::integer(64..=1_048_576));
        let port_busy_retry_us = match interface {
            CircuitInterface::Escon => fields.sourced("port_busy_retry_us", time_us()).map(Some),
            CircuitInterface::Parallel => Some(None),
        };
        Some(Self { interface, window_bytes: window_bytes?, port_busy_retry_us: port_busy_retry_us? })
    }
}

/// The properties of a host adapter whose path one program holds at a time.
#[derive(Debug, Clone, PartialEq)]
pub struct UnitCircuit {
    /// Its interface.
    pub interface: CircuitInterface,
    /// Work of a reconnection beside its round trip, µs.
    pub reconnect_us: Sourced<f64>,
    /// From a reconnection that found a port or the channel busy until the next attempt, µs.
    pub reconnect_retry_us: Sourced<f64>,
}

impl UnitCircuit {
    /// Reads `[circuit]` of a control unit.
    pub(crate) fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let interface = CircuitInterface::read(fields);
        let reconnect_us = fields.sourced("reconnect_us", time_us());
        // Attempts without a pause between them would never end.
        let reconnect_retry_us = fields.sourced("reconnect_retry_us", Expect::positive(RETRY_MAX_US));
        Some(Self { interface, reconnect_us: reconnect_us?, reconnect_retry_us: reconnect_retry_us? })
    }
}

/// Longest pause between two reconnections, µs.
const RETRY_MAX_US: f64 = 1e6;
