//! Statements of a program text, before they have addresses.

use std::ops::Range;

use halftrack_program::{CcwFormat, IdawFormat, OrbFlags};

use crate::content::{AddressText, Content};
use crate::parameter::field::Setting;

/// A statement.
#[derive(Debug)]
pub(crate) struct Statement {
    pub label: Option<(String, Range<usize>)>,
    /// `@`: where the fragment or what it names lies.
    pub place: Option<AddressText>,
    /// `align`: the boundary of the fragment, bytes.
    pub boundary: Option<u64>,
    pub body: Body,
    pub span: Range<usize>,
}

/// Kind of statement, with its operands.
#[derive(Debug)]
pub(crate) enum Body {
    /// Bytes of storage.
    Storage(u64),
    /// Storage key of the pages from the place on.
    Key { key: u8, fetch_protected: bool, bytes: u64 },
    /// A start function.
    Start(Start),
    /// The CCWs that follow lie elsewhere.
    Ccws,
    /// A CCW or DCW.
    Command(Command),
    /// The octets of a CCW.
    Raw(Vec<u8>),
    /// Storage that nothing is put into.
    Area(u64),
    /// Octets in storage.
    Data(Content),
    /// User data of a transport-mode program.
    UserData(UserData),
    /// Fields of the TCW.
    Tcw(Vec<Setting>),
    /// Fields of the header of the TCCB.
    Tcah(Vec<Setting>),
    /// Fields of its trailer.
    Tcat(Vec<Setting>),
    /// Resume subchannel.
    Resume,
    /// Halt subchannel.
    Halt,
    /// Clear subchannel.
    Clear,
    /// Cancel subchannel of a transport-mode operation: interrogates it.
    Cancel,
    /// Octets put into storage between two functions.
    Store(Content),
    /// Expected result.
    Expect(Expectation),
    /// Octets of storage to be shown.
    Show(u64),
    /// Octets of storage to be put into a file.
    Save(u64, String),
}

/// Operands of start subchannel.
#[derive(Debug, Clone)]
pub(crate) struct Start {
    pub transport: bool,
    /// Put into storage and not started: what another program names.
    pub held: bool,
    pub format: CcwFormat,
    pub idaws: IdawFormat,
    pub flags: OrbFlags,
    pub key: u8,
    pub path_mask: u8,
    pub interruption_parameter: u32,
    pub priorities: Option<(u8, u8)>,
    /// The address of the program in the ORB, where it is not that of its first CCW or of its TCW.
    pub program: Option<AddressText>,
}

/// Processing of the data of a command.
#[derive(Debug, Clone, Default)]
pub(crate) struct DataUse {
    pub show: bool,
    pub save: Option<String>,
    pub expect: Option<Content>,
}

/// How the data area of a CCW is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListKind {
    Idaws,
    Midaws,
}

/// A CCW or DCW.
#[derive(Debug)]
pub(crate) struct Command {
    pub code: u8,
    pub flags: u8,
    pub count: Option<u64>,
    /// Bytes of the count when neither it nor data are written.
    pub usual_count: Option<u16>,
    /// Data sent or parameters.
    pub content: Option<Content>,
    pub list: Option<ListKind>,
    pub data_use: DataUse,
}

/// The user data of a transport-mode program.
#[derive(Debug)]
pub(crate) struct UserData {
    pub is_input: bool,
    pub count: Option<u64>,
    pub content: Option<Content>,
    /// Pieces as written: bytes and flags. Empty for pieces of a page each.
    pub tidaws: Option<Vec<(u64, u8)>>,
    pub data_use: DataUse,
}

/// Expected result of a function.
#[derive(Debug, Clone)]
pub(crate) enum Expectation {
    Normal,
    Suspended,
    ConditionCode(u8),
    DeviceStatus(u8),
    SubchannelStatus(u8),
    Residual(u64),
    CcwAddress(AddressText),
    Sense(u16),
    SenseOctets(usize, Vec<u8>),
    Reason(u8),
    DcwOffset(u16),
    Octets(Content),
}
