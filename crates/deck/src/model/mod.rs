//! A deck by meaning: the definitions of its statements, each with its place in the text.
//!
//! Produced by [`crate::read`]. Keys are those of the channel subsystem: a channel path is (CSS, CHPID), a device
//! (subchannel set, number) or (control unit, unit address).
//!
//! Beside it are the limits of machine, channel and function types as data, sets of partitions, the paths through a deck
//! and selections of its parts. No rule is checked here.

pub mod channel_types;
pub(crate) mod css_list;
pub mod filter;
pub mod function_types;
pub(crate) mod hcd_token;
pub mod machines;
pub(crate) mod partitions;
pub(crate) mod paths;
pub mod placement;
pub(crate) mod selection;
pub(crate) mod unit;

use std::ops::Range;
use std::sync::Arc;

use halftrack_input::{Located, SourceFile};

use crate::model::machines::Machine;
use crate::syntax::annotations::{Annotations, PREFIXES};
use crate::syntax::script::Script;

/// Name of the one image of a machine in BASIC mode, in access lists and messages. No partition can be called so.
pub const UNDIVIDED: &str = "the system";

/// Everything that one deck defines, in statement order.
#[derive(Debug, Clone)]
pub struct Deck {
    /// The text the spans point into.
    pub source: Arc<SourceFile>,
    /// The machine whose limits it was read for.
    pub(crate) machine: &'static Machine,
    /// The limits level of the options, else that of `SYSTEM=`.
    pub(crate) level: Option<u8>,
    /// Values of ID.
    pub id: IdStatement,
    /// RESOURCE: the logical partitions. In BASIC mode the one image, called [`UNDIVIDED`], with MIF id 0.
    pub partitions: Vec<Partition>,
    /// `MAXDEV=` of RESOURCE: for each CSS the device slots of its subchannel sets, as coded.
    pub device_slots: Vec<(u8, Vec<u32>)>,
    /// UUID: partitions in which the UIDs of functions are unique, as (CSS, name).
    pub uuid: Vec<(u8, String)>,
    /// CHPID statements.
    pub channel_paths: Vec<ChannelPath>,
    /// CNTLUNIT statements.
    pub control_units: Vec<ControlUnit>,
    /// IODEVICE statements.
    pub devices: Vec<DeviceRange>,
    /// FUNCTION statements.
    pub functions: Vec<Function>,
}

/// The ID statement. Everything in it is optional, and so is the statement.
#[derive(Debug, Clone, Default)]
pub struct IdStatement {
    /// `MSG1=`: its first eight characters name the IOCDS.
    pub msg1: Option<Located<String>>,
    /// `MSG2=`: free text; HCD names data set and time here.
    pub msg2: Option<Located<String>>,
    /// `SYSTEM=`: machine type such as 3931.
    pub machine_type: Option<Located<u16>>,
    /// `SYSTEM=`: limits level of the machine type.
    pub level: Option<Located<u8>>,
    /// `LSYSTEM=`: name of this machine for coupling links.
    pub lsystem: Option<Located<String>>,
    /// `TOK=` as coded.
    pub token: Option<Located<String>>,
}

/// One logical partition of RESOURCE; reserved partitions (`*`) have no name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    /// Channel subsystem.
    pub css: u8,
    /// Name; `None` for a reserved partition.
    pub name: Option<String>,
    /// MIF image id 1–15 (0 in BASIC mode), as coded or assigned (lowest free) when missing.
    pub mif: u8,
    /// Where it was named.
    pub span: Range<usize>,
}

/// One CHPID statement.
#[derive(Debug, Clone)]
pub struct ChannelPath {
    /// Channel subsystems; more than one when spanned.
    pub css: Vec<u8>,
    /// CHPID 00–FF.
    pub chpid: Located<u8>,
    /// `TYPE=`, upper case, such as `FC`.
    pub channel_type: Located<String>,
    /// `PCHID=`.
    pub pchid: Option<Located<u16>>,
    /// `VCHID=`: virtual channel of an internal queued direct channel.
    pub vchid: Option<Located<u16>>,
    /// `AID=`: adapter of a coupling link.
    pub aid: Option<Located<u16>>,
    /// `PORT=`: port of that adapter, or of the PCHID.
    pub port: Option<Located<u8>>,
    /// `SWITCH=`: logical switch number of the entry director.
    pub switch: Option<Located<u8>>,
    /// `CHPARM=`.
    pub chparm: Option<Located<u8>>,
    /// `OS=`.
    pub os: Option<Located<u8>>,
    /// `IOCLUSTER=`: the sysplex that may manage the channel.
    pub iocluster: Option<Located<String>>,
    /// `CPATH=`: the other end of a coupling link, as (CSS, CHPID).
    pub cpath: Option<Located<(u8, u8)>>,
    /// `CSYSTEM=`: the machine at the other end.
    pub csystem: Option<Located<String>>,
    /// `PNETID=`: physical network of each port; `None` for a port that is left out.
    pub pnetids: Vec<Option<String>>,
    /// `MIXTYPE`: FC and FCP share the card.
    pub mixtype: bool,
    /// Shared, by `SHARED`, by spanning, or by more than one access name.
    pub shared: bool,
    /// Partitions with access, as (CSS, name), after PART, NOTPART and the defaults are applied.
    pub access: Vec<(u8, String)>,
    /// Partitions that may be given access later, beyond those that have it.
    pub candidates: Vec<(u8, String)>,
    /// How partitions hold it.
    pub access_class: AccessClass,
    /// The whole statement.
    pub span: Range<usize>,
}

/// How partitions hold a channel path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessClass {
    /// One partition, for good.
    Dedicated,
    /// One partition at a time.
    Reconfigurable,
    /// Several partitions together.
    Shared,
}

impl AccessClass {
    /// Returns the word of IOCP's reports.
    pub fn name(self) -> &'static str {
        match self {
            AccessClass::Dedicated => "DED",
            AccessClass::Reconfigurable => "REC",
            AccessClass::Shared => "SHARED",
        }
    }
}

/// One path of a control unit: a channel and, behind a director, the port of the control unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// Channel subsystem.
    pub css: u8,
    /// CHPID.
    pub chpid: u8,
    /// Link address: `None` point-to-point (`**` or no LINK).
    pub link: Option<LinkAddress>,
    /// Where the CHPID (or its link when coded) stands.
    pub span: Range<usize>,
}

/// Destination port of a control unit on a director.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LinkAddress {
    /// Switch (domain) address of a two-byte link; `None` for a one-byte link on the entry director.
    pub switch: Option<u8>,
    /// Port address.
    pub port: u8,
}

/// One CNTLUNIT statement: a logical control unit as the channel subsystem sees it.
#[derive(Debug, Clone)]
pub struct ControlUnit {
    /// Control-unit number.
    pub number: Located<u16>,
    /// `UNIT=`.
    pub unit: Located<String>,
    /// Paths in the order coded, CSS by CSS.
    pub paths: Vec<Path>,
    /// Unit-address ranges as (first, count).
    pub unit_addresses: Vec<(u8, u16)>,
    /// `CUADD=`: control-unit image.
    pub cuadd: Option<Located<u8>>,
    /// `SHARED=` of a control unit on parallel channels.
    pub shared: Option<bool>,
    /// `PROTOCL=` of a control unit on parallel channels: `D`, `S` or `S4`.
    pub protocol: Option<String>,
    /// Channels that the system may attach by itself (`*` in PATH), as (CSS, how many).
    pub managed_paths: Vec<(u8, u8)>,
    /// The whole statement.
    pub span: Range<usize>,
}

/// One IODEVICE statement: `count` consecutive devices.
#[derive(Debug, Clone)]
pub struct DeviceRange {
    /// First device number.
    pub number: Located<u16>,
    /// How many, 1–256.
    pub count: u16,
    /// Subchannel set of each CSS as coded (`SCHSET=n` gives the same for all); 0 when missing.
    pub subchannel_set: SubchannelSets,
    /// Control units, by number.
    pub control_units: Vec<Located<u16>>,
    /// `UNIT=`, such as `3390B`, `3390A`, `3390`.
    pub unit: Located<String>,
    /// `MODEL=`.
    pub model: Option<String>,
    /// `STADET=Y`: the channel subsystem reports status changes of the device.
    pub stadet: bool,
    /// `TIMEOUT=Y`.
    pub timeout: bool,
    /// First unit address.
    pub unit_address: u8,
    /// Device candidate list as (CSS, name); empty when every partition may use it.
    pub candidates: Vec<(u8, String)>,
    /// Preferred path as (CSS, CHPID).
    pub preferred: Vec<(u8, u8)>,
    /// The whole statement.
    pub span: Range<usize>,
}

/// `SCHSET=` of an IODEVICE.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SubchannelSets {
    /// Set for every CSS that `by_css` does not name.
    pub all: u8,
    /// Exceptions as (CSS, set).
    pub by_css: Vec<(u8, u8)>,
}

/// One FUNCTION statement: `count` PCIe functions with consecutive identifiers.
#[derive(Debug, Clone)]
pub struct Function {
    /// First function identifier.
    pub fid: Located<u16>,
    /// How many, 1-255; FID, VF and UID step by one.
    pub count: u16,
    /// `TYPE=`, such as `ROC2`; machines before z13 need none.
    pub kind: Option<Located<String>>,
    /// The physical or virtual channel it lives on; `None` while no PCHID is assigned.
    pub adapter: Option<Located<Adapter>>,
    /// `PORT=`.
    pub port: Option<u8>,
    /// `VF=` of the first function.
    pub vf: Option<Located<u16>>,
    /// `PF`: the physical function itself.
    pub pf: bool,
    /// The partition that has it, as (CSS, name).
    pub access: Option<(u8, String)>,
    /// Partitions that may get it, beyond the one that has it.
    pub candidates: Vec<(u8, String)>,
    /// `PNETID=`: physical network of each port; `None` for a port that is left out.
    pub pnetids: Vec<Option<String>>,
    /// `FIDPARM=`.
    pub fidparm: Option<u8>,
    /// `UID=` of the first function.
    pub uid: Option<Located<u16>>,
    /// The whole statement.
    pub span: Range<usize>,
}

/// Where a PCIe function lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Adapter {
    /// A physical channel.
    Pchid(u16),
    /// A virtual channel.
    Vchid(u16),
}

impl Deck {
    /// Returns the machine whose limits it was read for. It is that of `SYSTEM=`, unless the options name another or
    /// none is named.
    pub fn machine(&self) -> &'static Machine {
        self.machine
    }

    /// Returns the limits level of that machine. It is that of the options, else that of `SYSTEM=` when it names the
    /// same machine.
    pub fn level(&self) -> Option<u8> {
        self.level
    }

    /// Returns the cards and statements behind the definitions. They serve statements that have no place in the model
    /// (FUNCTION, UUID), comments, and a deck written back byte for byte.
    pub fn script(&self) -> Script {
        Script::parse(&self.source)
    }

    /// Returns HCD's data cards, each with its statement.
    pub fn annotations(&self) -> Annotations {
        // Most decks have none, and finding the statements costs as much as reading the deck.
        if PREFIXES.iter().any(|prefix| self.source.text.contains(prefix)) {
            Annotations::of(&self.script())
        } else {
            Annotations::default()
        }
    }

    /// Returns true for a machine that runs undivided: the deck has no RESOURCE statement.
    pub fn is_basic(&self) -> bool {
        self.partitions.iter().any(|partition| partition.mif == 0)
    }
}

impl SubchannelSets {
    /// Returns the subchannel set of the devices in `css`.
    pub fn of(&self, css: u8) -> u8 {
        self.by_css.iter().find(|(of, _)| *of == css).map_or(self.all, |(_, set)| *set)
    }
}
