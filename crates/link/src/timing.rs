//! The order of the timers, without which recovery proves nothing: checked when the crate is built.
//!
//! ```text
//! R_T_TOV < probes < channel timer < life of a frame < R_A_TOV < missing interrupt
//! R_T_TOV < hold time < control unit's status timer < channel timer
//! ```
//!
//! Who waits R_A_TOV has outlived every frame; who is still waiting when the missing-interrupt handler comes has had time for
//! that.

use halftrack_subsystem::{MISSING_INTERRUPT, NUMBERS_KEPT, PROBE_WAIT, PROBES, SILENCE_MAX};
use halftrack_wire::choices::{CHANNEL_TIMEOUT_US, CONTROL_UNIT_TIMEOUT_US};
use halftrack_wire::timers::{FRAME_LIFE_US, RECEIVER_TRANSMITTER_TIMEOUT_US, RESOURCE_ALLOCATION_TIMEOUT};

const PS_PER_US: u64 = 1_000_000;

/// After how long a path without a sign of life counts as stalled, ps.
const STALL_PS: u64 = SILENCE_MAX.as_ps() + PROBES as u64 * PROBE_WAIT.as_ps();

const _: () = {
    let (channel, control_unit) = (CHANNEL_TIMEOUT_US * PS_PER_US, CONTROL_UNIT_TIMEOUT_US * PS_PER_US);
    let (life, rest) = (FRAME_LIFE_US * PS_PER_US, RESOURCE_ALLOCATION_TIMEOUT.as_ps());
    assert!(RECEIVER_TRANSMITTER_TIMEOUT_US * PS_PER_US < PROBE_WAIT.as_ps());
    assert!(PROBE_WAIT.as_ps() < SILENCE_MAX.as_ps());
    assert!(STALL_PS <= channel && channel < life && life < rest);
    assert!(channel < control_unit && control_unit <= rest && rest == NUMBERS_KEPT.as_ps());
    assert!(rest < MISSING_INTERRUPT.as_ps());
};
