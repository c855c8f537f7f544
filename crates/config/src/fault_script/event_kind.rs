//! Kinds of events: faults, and what only the twin has.

use super::FaultKind;

/// Kind of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    /// A fault.
    Fault(FaultKind),
    /// A condition or a command that only a study has.
    Twin(TwinKind),
}

/// Kind of an event that only a study has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TwinKind {
    /// The channel answers every start busy.
    ChannelBusy,
    /// The control unit's image answers every command busy.
    ControlUnitBusy,
    /// Both directions of the channel's fibre are dark, for however short a time: `light-lost` on a link.
    PathLost,
    /// A partition's system takes the paths over the channel to a control unit offline: VARY PATH.
    VaryPath,
    /// A channel path is configured off for a partition: CONFIG CHP.
    ConfigChp,
    /// A partition's system tries synchronous I/O in other directions: SETIOS ZHYPERLINK.
    SetiosZHyperLink,
    /// A zHyperLink is dark.
    ZHyperLinkLost,
    /// No node reaches the key server of endpoint security.
    KeyServerLost,
    /// The firmware of a resource group of native adapters is updated: half of the compression and RoCE cards stand still.
    FirmwareUpdate,
    /// A native adapter is pulled, and plugged again at the end; at the start of the run it is plugged then for the first time.
    AdapterPulled,
}

impl TwinKind {
    /// All kinds.
    const ALL: [Self; 10] = [
        Self::ChannelBusy,
        Self::ControlUnitBusy,
        Self::PathLost,
        Self::VaryPath,
        Self::ConfigChp,
        Self::SetiosZHyperLink,
        Self::ZHyperLinkLost,
        Self::KeyServerLost,
        Self::FirmwareUpdate,
        Self::AdapterPulled,
    ];

    /// Returns its word in a file.
    const fn word(self) -> &'static str {
        match self {
            Self::ChannelBusy => "channel-busy",
            Self::ControlUnitBusy => "control-unit-busy",
            Self::PathLost => "path-lost",
            Self::VaryPath => "vary-path",
            Self::ConfigChp => "config-chp",
            Self::SetiosZHyperLink => "setios-zhyperlink",
            Self::ZHyperLinkLost => "zhyperlink-lost",
            Self::KeyServerLost => "key-server-lost",
            Self::FirmwareUpdate => "firmware-update",
            Self::AdapterPulled => "adapter-pulled",
        }
    }

    /// Returns the keys that name the parts it affects.
    pub(super) const fn keys(self) -> &'static [&'static str] {
        match self {
            Self::ChannelBusy | Self::PathLost => &["chpid"],
            Self::ControlUnitBusy => &["control_unit"],
            Self::VaryPath => &["chpid", "control_unit", "lpar"],
            Self::ConfigChp => &["chpid", "lpar"],
            Self::SetiosZHyperLink => &["lpar", "oper"],
            Self::ZHyperLinkLost => &["zhyperlink"],
            Self::KeyServerLost => &[],
            Self::FirmwareUpdate => &["group"],
            Self::AdapterPulled => &["pchid"],
        }
    }
}

impl EventKind {
    /// Number of kinds.
    const COUNT: usize = FaultKind::ALL.len() + TwinKind::ALL.len();

    /// Returns every kind with its word, those of a study first.
    pub(super) fn words() -> [(&'static str, Self); Self::COUNT] {
        std::array::from_fn(|at| {
            let kind = match TwinKind::ALL.get(at) {
                Some(kind) => Self::Twin(*kind),
                None => Self::Fault(FaultKind::ALL[at - TwinKind::ALL.len()]),
            };
            (kind.word(), kind)
        })
    }

    /// Returns its word in a file.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Fault(kind) => kind.word(),
            Self::Twin(kind) => kind.word(),
        }
    }

    /// Returns the fault that it is on a working link; `None` for what only a study has.
    #[must_use]
    pub const fn on_link(self) -> Option<FaultKind> {
        match self {
            Self::Fault(kind) => Some(kind),
            Self::Twin(TwinKind::PathLost) => Some(FaultKind::LightLost),
            Self::Twin(_) => None,
        }
    }
}
