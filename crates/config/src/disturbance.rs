//! Disturbances of the machine in a run.

use halftrack_base::Span;
use halftrack_zedc::ResourceGroup;

use crate::configuration::SwitchPort;
use crate::synchronous::Directions;

/// Something that happens to the machine in a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disturbance {
    /// When, from the start of the run, warm-up included.
    pub at: Span,
    /// For how long.
    pub lasts: Span,
    /// Kind of disturbance, with the parts that it affects.
    pub kind: DisturbanceKind,
}

/// A part of the machine that fails or halts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// A channel, by index.
    Channel(u32),
    /// A host-adapter port, by index.
    Port(u32),
    /// An inter-switch link, by the director port at one of its ends.
    Isl(SwitchPort),
    /// A director, by its domain.
    Director(u8),
    /// A storage box, by index.
    ControlUnit(u32),
    /// Every director and every storage box.
    Power,
}

/// Kind of disturbance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DisturbanceKind {
    /// The channel answers every start busy.
    ChannelBusy {
        /// Index of the channel.
        channel: u32,
    },
    /// The control unit's image answers every command busy.
    ControlUnitBusy {
        /// Index of the logical control unit.
        lcu: u32,
    },
    /// Both directions of the channel's fibre are dark: frames on it are lost.
    PathLost {
        /// Index of the channel.
        channel: u32,
    },
    /// A share of the frames on the links at a part is lost, in both directions.
    FramesDropped {
        /// The part.
        part: Part,
        /// How many of a million frames.
        share_ppm: u32,
    },
    /// The interconnect of a domain is lost: its cards go over that of their standby domain.
    InterconnectLost {
        /// Index of the domain among the shares.
        share: u32,
    },
    /// A partition's system uses the paths over the channel to the control unit's image no more, until it ends: VARY
    /// PATH. I/Os under way end; refused where no other path would be left.
    VaryPath {
        /// Index of the partition.
        lpar: u32,
        /// Index of the logical control unit.
        lcu: u32,
        /// Index of the channel.
        channel: u32,
    },
    /// The channel is configured off for a partition, until it ends: CONFIG CHP. The same of all its paths, together
    /// or not at all.
    ConfigChp {
        /// Index of the partition.
        lpar: u32,
        /// Index of the channel.
        channel: u32,
    },
    /// A partition's system tries synchronous I/O in these directions, until it ends: SETIOS ZHYPERLINK.
    SetiosZHyperLink {
        /// Index of the partition.
        lpar: u32,
        /// The directions.
        oper: Directions,
    },
    /// A zHyperLink is dark.
    ZHyperLinkLost {
        /// Index of the link.
        link: u32,
    },
    /// The paths over a part are lost: frames on them too.
    PartLost {
        /// The part.
        part: Part,
    },
    /// Nothing enters a fibre at the part; what is on its way arrives.
    Stalled {
        /// The part.
        part: Part,
    },
    /// No node reaches the key server.
    KeyServerLost,
    /// A native adapter is not in its slot: its functions stand by.
    AdapterPulled {
        /// Index of the CPC.
        cpc: u8,
        /// Its physical channel.
        pchid: u16,
    },
    /// The firmware of a resource group is updated: its compression and RoCE cards do nothing.
    FirmwareUpdate {
        /// Index of the CPC.
        cpc: u8,
        /// The group.
        group: ResourceGroup,
    },
    /// A receiver gives every credit back late.
    SlowDrain {
        /// The receiver: a channel, a port, or both ends of an inter-switch link.
        part: Part,
        /// Time by which a credit is late.
        late: Span,
    },
}
