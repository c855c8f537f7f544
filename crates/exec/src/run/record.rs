//! Results of a run: plain values, for text and for JSON.

use serde::Serialize;

use crate::disassembly::data_words::hexadecimal;

/// Octets, as hexadecimal digits in JSON.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hex(pub Vec<u8>);

impl Serialize for Hex {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hexadecimal(&self.0))
    }
}

/// A run of data that moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Moved {
    /// `output`, `input` or `skipped`.
    pub direction: &'static str,
    /// Absolute address of its first octet.
    pub address: u64,
    /// Bytes.
    pub bytes: u64,
    /// The first of them.
    pub octets: Hex,
}

/// How a command or an operation ended at the device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeviceEnding {
    /// Device status in words.
    pub device_status: String,
    /// Check that the channel found while data moved, in words.
    pub channel_found: Option<String>,
    /// Bytes that moved.
    pub moved_bytes: u32,
    /// Bytes that the device had to send or could take.
    pub device_bytes: Option<u32>,
}

/// One fragment that the channel fetched, or did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TraceKind {
    /// A CCW.
    Ccw,
    /// A TCW.
    Tcw,
    /// A TCCB, without its DCWs.
    Tccb,
    /// A DCW.
    Dcw,
    /// A TIDAW.
    Tidaw,
    /// The chain was suspended.
    Suspended,
    /// A whole operation of transport mode.
    Operation,
}

/// A line of the trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TraceRecord {
    /// Kind of control word.
    pub kind: TraceKind,
    /// Absolute address; of a DCW, the offset in the transport-command area.
    pub address: Option<u64>,
    /// The octets of the word.
    pub octets: Hex,
    /// The word as a statement of a text.
    pub text: String,
    /// Parameters with names.
    pub parameters: Option<String>,
    /// Data that it moved.
    pub moved: Vec<Moved>,
    /// How it ended at the device.
    pub ending: Option<DeviceEnding>,
}

/// Ending of a function, from the interruption-response block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Ending {
    /// All of it in one sentence.
    pub summary: String,
    /// `command` or `transport`.
    pub mode: &'static str,
    /// Device status in words.
    pub device_status: String,
    /// Device status.
    pub device_status_bits: u8,
    /// Subchannel status in words.
    pub subchannel_status: String,
    /// Subchannel status.
    pub subchannel_status_bits: u8,
    /// Deferred condition code.
    pub deferred_condition_code: u8,
    /// Function control in words.
    pub function_control: String,
    /// Activity control in words.
    pub activity_control: String,
    /// Status control in words.
    pub status_control: String,
    /// The subchannel is suspended.
    pub suspended: bool,
    /// CCW address, or TCW address.
    pub address: u32,
    /// Residual count in bytes: of the last CCW used, or of the operation where the TSB has it.
    pub residual: Option<u64>,
    /// Mask of the path last used.
    pub last_path: u8,
    /// Sense.
    pub sense: Option<Hex>,
    /// Sense in words.
    pub sense_words: Option<String>,
    /// DCW offset of the TSB.
    pub dcw_offset: Option<u16>,
    /// Reason code of a device-detected program check.
    pub reason: Option<u8>,
    /// Result of an interrogation.
    pub interrogation: Option<String>,
    /// The interruption-response block.
    pub irb: Hex,
}

/// Octets that a text shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Shown {
    /// Absolute address.
    pub address: u64,
    /// The octets.
    pub octets: Hex,
    /// The file to write; nothing to show them.
    pub file: Option<String>,
}

/// Something that was not as expected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failed {
    /// Expected and actual result.
    pub message: String,
    /// Begin of the statement in the text, bytes.
    #[serde(skip)]
    pub begin: usize,
    /// End of the statement in the text, bytes.
    #[serde(skip)]
    pub end: usize,
    /// Line of the statement, from 1.
    pub line: usize,
}

/// A function and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StepRecord {
    /// `start`, `resume`, `halt`, `clear`, `cancel` or `store`.
    pub function: &'static str,
    /// Line of the statement, from 1.
    pub line: usize,
    /// Condition code; none of a store.
    pub condition_code: Option<u8>,
    /// Trace of the channel; empty unless requested.
    pub trace: Vec<TraceRecord>,
    /// Records that are left out of a long trace.
    pub trace_left_out: u64,
    /// How it ended.
    pub ending: Option<Ending>,
    /// Data that the text shows.
    pub shown: Vec<Shown>,
    /// Failed expectations.
    pub failed: Vec<Failed>,
}

/// A run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The functions, in order.
    pub steps: Vec<StepRecord>,
    /// Everything was as expected.
    pub as_expected: bool,
}
