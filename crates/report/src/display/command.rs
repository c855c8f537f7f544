//! Operators' commands: DISPLAY and DEVSERV, as far as they are answered.
//!
//! Source: reference, displays, and z/OS MVS System Commands for the spellings.

/// A command, understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// `D M=CHP`: every channel path.
    ChannelPaths,
    /// `D M=CHP(50)`, `D M=CHP(40-43,50)`.
    Chpids {
        /// Which.
        chpids: Vec<u8>,
        /// `,PATHINFO`.
        path_info: bool,
    },
    /// `D M=DEV(07800)`, `D M=DEV(7800,(50))`.
    Devices {
        /// Which.
        devices: Vec<DeviceNumber>,
        /// Only these channel paths of theirs.
        chpids: Option<Vec<u8>>,
    },
    /// `D M=CU(1000)`.
    ControlUnits(Vec<u16>),
    /// `D IOS,..`.
    Ios(IosArea),
    /// `D PCIE`, `D PCIE,PFID=..`, `D PCIE,DD`.
    Pcie(PcieArea),
    /// `D U,DASD,ONLINE,1000,8`.
    Units(UnitChoice),
    /// `DS P,1000,4`.
    Paths {
        /// From here.
        first: DeviceNumber,
        /// So many.
        count: u32,
    },
    /// `ACTIVATE ISLINK`, `DEACTIVE ISLINK`, `QUERY ISLINK` (z/VM).
    IsLink(halftrack_isfc::islink::Command),
}

/// A device number as an operator writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeviceNumber {
    /// Subchannel set; `None` when it was not written, which means set 0.
    pub set: Option<u8>,
    /// Number in it.
    pub number: u16,
}

impl DeviceNumber {
    /// Formats the number as it was written: four digits, or five with the subchannel set.
    pub fn words(self) -> String {
        match self.set {
            Some(set) => format!("{set:X}{:04X}", self.number),
            None => format!("{:04X}", self.number),
        }
    }
}

/// Area of `D IOS`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IosArea {
    /// The configuration in force.
    Config,
    /// Modified indirect data addressing.
    Midaw,
    /// Parallel access volumes.
    Hyperpav,
    /// Transport mode.
    Zhpf,
    /// Synchronous I/O.
    Zhyperlink,
    /// Missing interrupts.
    Mih,
    /// Path recovery.
    Recovery,
    /// Dynamic channel path management.
    Dcm,
}

/// Areas of `D IOS` by keyword.
pub(super) const IOS_AREAS: [(&str, IosArea); 9] = [
    ("CONFIG", IosArea::Config),
    ("MIDAW", IosArea::Midaw),
    ("HYPERPAV", IosArea::Hyperpav),
    ("ZHPF", IosArea::Zhpf),
    ("ZHYPERLINK", IosArea::Zhyperlink),
    ("ZHL", IosArea::Zhyperlink),
    ("MIH", IosArea::Mih),
    ("RECOVERY", IosArea::Recovery),
    ("DCM", IosArea::Dcm),
];

/// Area of `D PCIE`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PcieArea {
    /// Every function.
    All,
    /// One function and its clients.
    Function(u32),
    /// Device drivers.
    Drivers,
}

/// Which devices `D U` is to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnitChoice {
    /// Kind of device; `None` for all.
    pub class: Option<UnitClass>,
    /// Only those that are online, or that are not.
    pub online: Option<bool>,
    /// From this device number on.
    pub first: Option<DeviceNumber>,
    /// So many lines at most.
    pub lines: u32,
}

/// A class of devices of `D U`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitClass {
    /// Disks.
    Dasd,
    /// Tapes.
    Tape,
    /// Channel-to-channel connections.
    Ctc,
}
