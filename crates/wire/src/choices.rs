//! Decisions that no public document settles, each in one place.
//!
//! The FC-SB standards are not public; what is known comes from a dissector, vendor guides and patents. Where
//! these are silent the product decides once, here. Section numbers are those of the project's Fibre Channel
//! reference.

use std::ops::RangeInclusive;

use crate::crc::crc;

/// Seed of the longitudinal redundancy check: XOR of the words, no inversion (6.1, 6.6).
pub const LRC_SEED: u32 = 0;

/// The AS (address specific) bit of device-level IUs (6.1).
pub const ADDRESS_SPECIFIC: bool = true;

/// The AS bit of link-control IUs (6.1).
pub const LINK_ADDRESS_SPECIFIC: bool = false;

/// The ES (exception) bit of device-level IUs (6.1).
pub const EXCEPTION: bool = false;

/// Number of the first CCW of a chain; it increments with every CCW (6.1).
pub const FIRST_CCW_NUMBER: u16 = 1;

/// IU count of the first IU of a direction; it runs on modulo 256 (6.1).
pub const FIRST_IU_COUNT: u8 = 1;

/// Most data octets in one command-mode IU: 8 KiB, the unit of the channel processor (figure ficon-data-iu-bytes of
/// the z16 paper).
pub const MAX_IU_DATA_BYTES: u32 = 8192;

/// Largest command-mode IU: the header and the check word stand around the data (6.1).
pub const MAX_IU_BYTES: u32 = 32 + MAX_IU_DATA_BYTES + 4;

/// Most payload of a frame that a port takes, and of one in command mode: FC-2's limit, so that 8 KiB of data with header
/// take four frames (1, 6.1).
pub const COMMAND_FRAME_PAYLOAD_BYTES: u32 = 2112;

/// Most payload of a frame in transport mode: whole blocks, as senders have it that want pages in frames (1). The
/// catalog's `frame_payload_bytes` for the channels of the twin.
pub const TRANSPORT_FRAME_PAYLOAD_BYTES: u32 = 2048;

/// Exchange ids of the exchanges that a channel opens. They are apart from those of a control unit, and from those of link
/// control and services (E000 up): each end counts by itself (1.4), and to analysers an exchange is its addresses and
/// OX_ID, whichever end opened it.
pub const CHANNEL_EXCHANGES: RangeInclusive<u16> = 0x0000..=0x7FFF;

/// Exchange ids of the exchanges that a control unit opens in command mode.
pub const CONTROL_UNIT_EXCHANGES: RangeInclusive<u16> = 0x8000..=0xDFFF;

/// Exchange ids of status that a control unit presents by itself, and of the channel's answers: those that the working ports of
/// neither end use for programs.
pub const STATUS_EXCHANGES: RangeInclusive<u16> = 0x6000..=0x7FFF;

/// Sense that follows a status IU carries a data CRC like any other data (6.1 gives the rule, not the case).
pub const SENSE_HAS_CRC: bool = true;

/// Octets that follow the LRC in a purge-path response; the dissector reads its code at IU offset 76 (9.4).
pub const PURGE_RESPONSE_DATA_BYTES: usize = 48;

/// Where in those octets the error code stands (9.4).
pub const PURGE_RESPONSE_CODE_OFFSET: usize = 44;

/// Octet of the control parameter that holds a purge-path code or an exception code (6.2).
pub const CONTROL_CODE_INDEX: usize = 1;

/// Octet of the control parameter of a command response that holds the IU-pacing value (6.4).
pub const PACING_INDEX: usize = 2;

/// IU-pacing value that grants no change (6.4).
pub const PACING_NO_CHANGE: u8 = 0;

/// Device status of a busy device (6.4).
pub const DEVICE_BUSY_STATUS: u8 = 0x10;

/// Device status of a busy control unit: busy with control-unit end (6.4).
pub const CONTROL_UNIT_BUSY_STATUS: u8 = 0x30;

/// Device status that requests command retry at once: with the CR flag (6.4).
pub const RETRY_NOW_STATUS: u8 = 0x4E;

/// Device status that requests command retry after a device end: with the CR flag (6.4).
pub const RETRY_LATER_STATUS: u8 = 0x4A;

/// Octets of sense data (channel-programs reference 5.6).
pub const SENSE_BYTES: usize = 32;

/// Value of octet 32 (type) of the extended status in a transport response (6.6).
pub const EXTENDED_STATUS_TYPE: u8 = 1;

/// TSA format in the extended status flags: I/O status (6.6 and channel-programs reference 6.4).
pub const TSA_FORMAT_IO_STATUS: u8 = 1;

/// TSA format in the extended status flags: device-detected program check (channel-programs reference 6.4).
pub const TSA_FORMAT_PROGRAM_CHECK: u8 = 2;

/// Response code of a transport response for an exchange that kept the rules (6.6).
pub const RESPONSE_ACCEPTED: u8 = 0;

/// Response code of a transport response for an exchange in which the channel broke the rules (6.6).
pub const RESPONSE_PROTOCOL_ERROR: u8 = 2;

/// Response code of a transport response for a device that does not exist: FCP's code for an incorrect logical unit
/// number (6.6).
pub const RESPONSE_ADDRESS_EXCEPTION: u8 = 9;

/// Reason code of a device-detected program check: an operation is active for the device on the same logical path
/// (recovery reference 2.4).
pub const TWO_OPERATIONS_REASON: u8 = 8;

/// Code of a device-level exception: address exception (6.2).
pub const ADDRESS_EXCEPTION_CODE: u8 = 1;

/// Most octets that one transport-mode operation moves, check words included: more than any program of whole tracks,
/// of which there are at most 255. A control unit refuses an operation that states more.
pub const MAX_TRANSFER_BYTES: u32 = 1 << 24;

/// Alignment of the bursts of a transport-mode write (6.6): whole words. The limits on first transfer and
/// transfer-ready count user data: a transfer takes as many bursts as its user data would, all but the last of
/// the limit's length, and the padding and check words ride in the last.
pub const BURST_ALIGNMENT_BYTES: u32 = 4;

/// Returns the check word that closes a transport-mode transfer covers the data of the IU that carries it, earlier bursts
/// of the transfer not (6.6).
#[must_use]
pub fn closing_check_word(iu_data: &[u8]) -> u32 {
    crc(iu_data)
}

/// Computes the check word at the end of each track but the last of a transport-mode write. It covers the track's
/// user data, without the padding before it.
#[must_use]
pub fn track_check_word(track: &[u8]) -> u32 {
    crc(track)
}

/// IUs that a channel may have outstanding before the first command response (6.4).
pub const INITIAL_PACING: u8 = 16;

/// How long a channel waits for the control unit's next IU before it cancels or aborts, and again before it
/// gives the exchange up, microseconds: E_D_TOV (1.4).
pub const CHANNEL_TIMEOUT_US: u64 = 2_000_000;

/// Timeout of a control unit for the channel's next IU before it abandons the exchange, microseconds: R_A_TOV (1.4),
/// so that the channel, which has the program, acts first. That of the answer to a status is shorter:
/// [`crate::timers::STATUS_TIMEOUT_US`].
pub const CONTROL_UNIT_TIMEOUT_US: u64 = 10_000_000;

/// Connection usage code of the special frame that begins an FCIP connection (RFC 3821 leaves it to FC-BB).
pub const FCIP_LINK_USAGE: u16 = 0x0000;

/// Connection usage code of the special frame that returns buffer credits. R_RDY is a primitive signal and FCIP
/// carries frames only, so once per batch a special frame has the number of freed receive buffers, in the place of
/// K_A_TOV (2, 8.2).
pub const FCIP_CREDIT_USAGE: u16 = 0x5252;

/// Format of node identification data that FICON requests with RNID (5).
pub const NODE_IDENTIFICATION_FORMAT: u8 = 0xDF;

/// Octets of that format behind the names: a node descriptor of 32, then 20. As many as general topology discovery
/// data, which have the same format code, so that decoders of those find what they count on (5).
pub const NODE_IDENTIFICATION_BYTES: u8 = 52;

/// Bit in the last octet of the node identification data: the node takes PRLI. A patent describes that the answer to
/// RNID contains it, but not where (5).
pub const TAKES_PROCESS_LOGIN: u8 = 0x01;

/// Transport mode, in octet 15 of the SB page of PRLI (5.2).
pub const PRLI_TRANSPORT_MODE: u8 = 0x80;

/// First transfer-ready of a write disabled, in octet 15 of the SB page of PRLI (5.2).
pub const PRLI_FIRST_TRANSFER_READY_DISABLED: u8 = 0x40;

/// Bidirectional operations, in octet 15 of the SB page of PRLI (5.2).
pub const PRLI_BIDIRECTIONAL: u8 = 0x20;

/// Format of link-incident records in RLIR and LIRR: the TYPE of SB (FC-LS lists formats by TYPE).
pub const LINK_INCIDENT_FORMAT: u8 = 0x1B;

/// Format of the time in a link-incident record: seconds and nanoseconds of the reporter's own clock.
pub const LINK_INCIDENT_TIME_FORMAT: u8 = 0x01;

/// Address at which a switch takes registrations for link incidents, and from which it reports them: the fabric
/// controller (recovery reference 4.1 leaves it open).
pub const LINK_INCIDENT_SERVICE: u32 = 0xFF_FFFD;
