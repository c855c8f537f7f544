//! The order of the timers, without which recovery proves nothing: checked when the crate is built.
//!
//! ```text
//! R_T_TOV < probes < channel timer < life of a frame < R_A_TOV < missing interrupt
//! ```
//!
//! Who waits R_A_TOV has outlived every frame; who is still waiting when the missing-interrupt handler comes has had time for
//! that.

use halftrack_fabric::timing::{ERROR_DETECT_TIMEOUT, RESOURCE_ALLOCATION_TIMEOUT};
use halftrack_subsystem::{MISSING_INTERRUPT, NUMBERS_KEPT, PROBE_WAIT, PROBES, SILENCE_MAX};
use halftrack_wire::choices::{CHANNEL_TIMEOUT_US, CONTROL_UNIT_TIMEOUT_US};

const PS_PER_US: u64 = 1_000_000;

/// R_T_TOV: how long light may be gone before a link counts as failed, ps (recovery reference, section 1).
const RECEIVER_TRANSMITTER_TIMEOUT_PS: u64 = 100_000 * PS_PER_US;
/// Longest life of a frame, ps: half of what R_A_TOV leaves beside E_D_TOV.
const FRAME_LIFE_PS: u64 = (RESOURCE_ALLOCATION_TIMEOUT.as_ps() - ERROR_DETECT_TIMEOUT.as_ps()) / 2;
/// After how long a path without a sign of life counts as stalled, ps.
const STALL_PS: u64 = SILENCE_MAX.as_ps() + PROBES as u64 * PROBE_WAIT.as_ps();

const _: () = {
    let (channel, control_unit) = (CHANNEL_TIMEOUT_US * PS_PER_US, CONTROL_UNIT_TIMEOUT_US * PS_PER_US);
    let rest = RESOURCE_ALLOCATION_TIMEOUT.as_ps();
    assert!(RECEIVER_TRANSMITTER_TIMEOUT_PS < PROBE_WAIT.as_ps() && PROBE_WAIT.as_ps() < SILENCE_MAX.as_ps());
    assert!(STALL_PS <= channel && channel < FRAME_LIFE_PS && FRAME_LIFE_PS < rest);
    assert!(channel < control_unit && control_unit <= rest && rest == NUMBERS_KEPT.as_ps());
    assert!(rest < MISSING_INTERRUPT.as_ps());
};
