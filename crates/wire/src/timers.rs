//! Times on a link and in a fabric (FC-FS, FC-SW; recovery reference section 1). One place for all, because each
//! follows from those before it.

use halftrack_base::Span;

use crate::choices::CHANNEL_TIMEOUT_US;

/// R_T_TOV: a loss of signal for longer is a link failure, a shorter one is none. Microseconds.
pub const RECEIVER_TRANSMITTER_TIMEOUT_US: u64 = 100_000;

/// Hold time: how long a frame may wait in one switch, microseconds. (R_A_TOV − E_D_TOV − WAN_TOV) / (hops + 1) / 2 with
/// seven hops, as vendors count it.
pub const HOLD_TIME_US: u64 = 500_000;

/// Timeout of a control unit for the answer to a status, accepted or stacked, before it ends the exchange,
/// microseconds: the operation stays done, and a later request of the channel finds no open exchange.
pub const STATUS_TIMEOUT_US: u64 = 1_500_000;

/// E_D_TOV, microseconds.
pub const ERROR_DETECT_TIMEOUT_US: u64 = 2_000_000;

const RESOURCE_ALLOCATION_TIMEOUT_US: u64 = 10_000_000;

/// R_A_TOV: how long a frame may be on its way, so that what was given up may not be used again before.
pub const RESOURCE_ALLOCATION_TIMEOUT: Span = Span::from_us(RESOURCE_ALLOCATION_TIMEOUT_US);

/// How long a frame may be on its way from its first sender to its receiver, microseconds: R_A_TOV covers E_D_TOV and
/// twice that, the way there and back.
pub const FRAME_LIFE_US: u64 = (RESOURCE_ALLOCATION_TIMEOUT_US - ERROR_DETECT_TIMEOUT_US) / 2;

/// REC_TOV: time without activity after which an FCP initiator requests the state of its exchange (FCP-4: E_D_TOV and one
/// second).
pub const RECOVERY_TIMEOUT: Span = Span::from_us(ERROR_DETECT_TIMEOUT_US + 1_000_000);

/// RR_TOV: for how long an FCP target keeps the state of an exchange that waits for its initiator (FCP-4).
pub const RETRANSMISSION_TIMEOUT: Span = Span::from_s(2);

/// RR_TOV where the two ports agreed to send lost information units again (FCP-4).
pub const RETRANSMISSION_TIMEOUT_WITH_RETRY: Span = Span::from_s(300);

/// Time of the upper layer for a SCSI command: that of Linux (`sd`).
pub const COMMAND_TIMEOUT: Span = Span::from_s(30);

/// Time of an initiator for a task management function: that of Linux (`libfc`).
pub const TASK_MANAGEMENT_TIMEOUT: Span = Span::from_s(10);

// The order in which they must run out, so that each finds what the one before it left.
const _: () = {
    assert!(RECEIVER_TRANSMITTER_TIMEOUT_US < HOLD_TIME_US);
    assert!(HOLD_TIME_US < STATUS_TIMEOUT_US);
    assert!(STATUS_TIMEOUT_US < CHANNEL_TIMEOUT_US);
    assert!(CHANNEL_TIMEOUT_US < FRAME_LIFE_US);
    assert!(FRAME_LIFE_US < RESOURCE_ALLOCATION_TIMEOUT_US);
};
