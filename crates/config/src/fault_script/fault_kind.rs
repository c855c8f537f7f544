//! Kinds of faults: their words in a script, and the parts that they happen to.

use super::target::Target;

/// Kind of a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FaultKind {
    /// Frames of a link are lost; the credits that they took are found again (BB_SC).
    FramesDropped,
    /// Frames come once more.
    FramesDuplicated,
    /// Everything on a link comes later, in its order.
    FramesDelayed,
    /// Frames are overtaken.
    FramesReordered,
    /// One bit of a frame is changed.
    FramesCorrupted,
    /// Credits that are given back do not arrive.
    CreditsLost,
    /// A link is dark in both directions; for less than R_T_TOV it stays up.
    LightLost,
    /// One end takes what comes in little by little.
    SlowDrain,
    /// A link keeps what is on its way and brings it later.
    Stalled,
    /// A link ends and may begin again at once: nothing waits for R_T_TOV.
    LinkReset,
    /// The channel's end of a link goes; what it sent before still arrives, late.
    ChannelLost,
    /// All channels of a card go.
    CardLost,
    /// A port that hangs: frames of exchanges with devices are lost, link services and probes pass.
    PortHung,
    /// A host-adapter port goes.
    HostAdapterLost,
    /// An inter-switch link is dark.
    IslLost,
    /// A director loses power: its links are dark and its logins forgotten.
    DirectorLost,
    /// The interconnect of a domain of the control unit goes, and with it the ports of the domain.
    InterconnectLost,
    /// The links of all ports of the control unit are dark.
    ControlUnitLost,
    /// Directors and control unit lose power; the volumes are opened again with their journals.
    PowerLost,
    /// A process does nothing for a time and goes on where it was (SIGSTOP).
    ProcessStopped,
    /// A process ends at once (SIGKILL) and begins anew.
    ProcessKilled,
    /// The disk of the control unit has no space (ENOSPC).
    DiskFull,
    /// Each write and barrier of the disk takes a time.
    DiskSlow,
    /// The process of the control unit ends in the middle of a write, of which a part is there, and begins anew.
    DiskTorn,
}

impl FaultKind {
    /// All kinds.
    pub const ALL: [Self; 24] = [
        Self::FramesDropped,
        Self::FramesDuplicated,
        Self::FramesDelayed,
        Self::FramesReordered,
        Self::FramesCorrupted,
        Self::CreditsLost,
        Self::LightLost,
        Self::SlowDrain,
        Self::Stalled,
        Self::LinkReset,
        Self::ChannelLost,
        Self::CardLost,
        Self::PortHung,
        Self::HostAdapterLost,
        Self::IslLost,
        Self::DirectorLost,
        Self::InterconnectLost,
        Self::ControlUnitLost,
        Self::PowerLost,
        Self::ProcessStopped,
        Self::ProcessKilled,
        Self::DiskFull,
        Self::DiskSlow,
        Self::DiskTorn,
    ];

    /// Returns its word in a script.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::FramesDropped => "frames-dropped",
            Self::FramesDuplicated => "frames-duplicated",
            Self::FramesDelayed => "frames-delayed",
            Self::FramesReordered => "frames-reordered",
            Self::FramesCorrupted => "frames-corrupted",
            Self::CreditsLost => "credits-lost",
            Self::LightLost => "light-lost",
            Self::SlowDrain => "slow-drain",
            Self::Stalled => "stalled",
            Self::LinkReset => "link-reset",
            Self::ChannelLost => "channel-lost",
            Self::CardLost => "card-lost",
            Self::PortHung => "port-hung",
            Self::HostAdapterLost => "host-adapter-lost",
            Self::IslLost => "isl-lost",
            Self::DirectorLost => "director-lost",
            Self::InterconnectLost => "interconnect-lost",
            Self::ControlUnitLost => "control-unit-lost",
            Self::PowerLost => "power-lost",
            Self::ProcessStopped => "process-stopped",
            Self::ProcessKilled => "process-killed",
            Self::DiskFull => "disk-full",
            Self::DiskSlow => "disk-slow",
            Self::DiskTorn => "disk-torn",
        }
    }

    /// Returns the keys of which one names the part; without any the part is the control unit, or everything.
    #[must_use]
    pub const fn targets(self) -> &'static [Target] {
        match self {
            Self::FramesDropped
            | Self::FramesDuplicated
            | Self::FramesDelayed
            | Self::FramesReordered
            | Self::FramesCorrupted
            | Self::CreditsLost
            | Self::LightLost
            | Self::SlowDrain
            | Self::Stalled
            | Self::LinkReset => &[Target::Chpid, Target::Port, Target::Isl],
            Self::PortHung => &[Target::Chpid, Target::Port],
            Self::ChannelLost => &[Target::Chpid],
            Self::CardLost => &[Target::Card],
            Self::HostAdapterLost => &[Target::Port],
            Self::IslLost => &[Target::Isl],
            Self::DirectorLost => &[Target::Director],
            Self::InterconnectLost => &[Target::Domain],
            Self::ProcessStopped | Self::ProcessKilled => &[Target::Director],
            Self::ControlUnitLost | Self::PowerLost | Self::DiskFull | Self::DiskSlow | Self::DiskTorn => &[],
        }
    }

    /// Returns whether the control unit is the part where no key names one.
    #[must_use]
    pub const fn is_of_control_unit(self) -> bool {
        matches!(self, Self::ProcessStopped | Self::ProcessKilled) || self.targets().is_empty()
    }

    /// Returns whether it takes a share of what crosses a link.
    #[must_use]
    pub const fn has_share(self) -> bool {
        matches!(
            self,
            Self::FramesDropped
                | Self::FramesDuplicated
                | Self::FramesReordered
                | Self::FramesCorrupted
                | Self::CreditsLost
        )
    }

    /// Returns whether frames, or writes of a disk, come later by a time.
    #[must_use]
    pub const fn has_lateness(self) -> bool {
        matches!(
            self,
            Self::FramesDuplicated
                | Self::FramesDelayed
                | Self::FramesReordered
                | Self::SlowDrain
                | Self::ChannelLost
                | Self::CardLost
                | Self::DiskSlow
        )
    }
}
