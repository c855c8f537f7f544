//! A program text put together: storage, and what is done with it.

use std::ops::Range;
use std::sync::Arc;

use halftrack_input::{Diagnostic, SourceFile, has_errors};
use halftrack_program::Orb;

use crate::assembly::assembler::Assembler;
use crate::assembly::steps::Steps;
use crate::text::cursor::ReadFile;
use crate::text::statement_text::statements;

/// Octets in storage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// Absolute address.
    pub address: u64,
    /// The octets.
    pub octets: Vec<u8>,
    /// The statement that puts them there, as a range of the text.
    pub span: Range<usize>,
}

/// The storage key of a run of storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyedRange {
    /// Absolute address.
    pub address: u64,
    /// Bytes; every page that they touch has the key.
    pub bytes: u64,
    /// Key, 0-15.
    pub key: u8,
    /// Fetching needs a match too.
    pub fetch_protected: bool,
}

/// Something done to the subchannel, or to storage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Function {
    /// Start subchannel with this ORB.
    Start(Orb),
    /// Resume subchannel.
    Resume,
    /// Halt subchannel.
    Halt,
    /// Clear subchannel.
    Clear,
    /// Cancel subchannel of a transport-mode operation: interrogates it.
    Cancel,
    /// The program puts octets into storage.
    Store {
        /// Absolute address.
        address: u64,
        /// The octets.
        octets: Vec<u8>,
    },
}

/// Expectation after a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Check {
    /// Channel end and device end, and nothing else but a program-controlled interruption.
    Normal,
    /// The subchannel is suspended.
    Suspended,
    /// Condition code of the function.
    ConditionCode(u8),
    /// Device status, all of it.
    DeviceStatus(u8),
    /// Subchannel status, all of it.
    SubchannelStatus(u8),
    /// Residual count, bytes.
    Residual(u64),
    /// CCW address of the SCSW.
    CcwAddress(u64),
    /// Sense bytes 0 and 1.
    Sense(u16),
    /// Sense bytes from an offset on.
    SenseOctets(usize, Vec<u8>),
    /// Reason code of a device-detected program check.
    Reason(u8),
    /// DCW offset of the TSB.
    DcwOffset(u16),
    /// Octets of storage.
    Octets {
        /// Absolute address.
        address: u64,
        /// Expected octets.
        octets: Vec<u8>,
    },
}

/// Storage to be shown, and put into a file when it has a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// Absolute address.
    pub address: u64,
    /// Bytes.
    pub bytes: u64,
    /// Only as far as the function stored there.
    pub only_stored: bool,
    /// The file to write; nothing to show the octets.
    pub file: Option<String>,
}

/// A check and where it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedCheck {
    /// Expected result.
    pub check: Check,
    /// The statement, as a range of the text.
    pub span: Range<usize>,
}

/// A function with its expectations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Function to perform.
    pub function: Function,
    /// Expected results.
    pub checks: Vec<PlacedCheck>,
    /// Data to show.
    pub views: Vec<View>,
    /// The statement, as a range of the text.
    pub span: Range<usize>,
}

/// A program text put together.
#[derive(Debug, Clone)]
pub struct Program {
    /// The text.
    pub source: Arc<SourceFile>,
    /// Bytes of storage.
    pub storage_bytes: u64,
    /// Storage keys; all others are 0.
    pub keys: Vec<KeyedRange>,
    /// Contents of storage, in the order of addresses; zero elsewhere.
    pub segments: Vec<Segment>,
    /// Functions in order.
    pub steps: Vec<Step>,
}

/// Puts a text together; `files` reads the files that it names.
///
/// # Errors
/// Every message about the text, when one of them is an error.
pub fn assemble(source: &Arc<SourceFile>, files: ReadFile<'_>) -> Result<Program, Vec<Diagnostic>> {
    let (statements, found) = statements(source, files);
    let mut steps = Steps::new(Assembler::new(source));
    for statement in statements {
        steps.statement(statement);
    }
    let (program, assembled) = steps.finish();
    let found = [found, assembled].concat();
    if has_errors(&found) {
        let mut found = found;
        found.sort_by_key(|message| message.at.span.start);
        return Err(found);
    }
    Ok(program)
}
