//! State of paths and channels at an instant of a run.

use halftrack_fabric::endpoint_security::Connection;
use halftrack_isfc::End;

/// State of paths and channels at an instant of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Moment {
    /// The instant, from the start of the run, warm-up included.
    pub at_ps: u64,
    /// By channel: its fibre is dark.
    pub dark: Vec<bool>,
    /// Channels that are configured off, as (partition, channel), ascending.
    pub configured_off: Vec<(u32, u32)>,
    /// Paths that are not as they should be, by partition, logical control unit and position.
    pub paths: Vec<PathState>,
    /// Connections of paths with endpoint security, by logical control unit, channel subsystem and position; none where no
    /// part of the site takes part in it.
    pub connections: Vec<PathConnection>,
    /// Disturbances so far that were refused, by index: they would have taken the last path of a control unit.
    pub refused: Vec<u32>,
    /// Ends of logical links, each with the index of the partition of its system.
    pub islinks: Vec<(u32, End)>,
    /// Functions of compression cards; none where nothing is compressed.
    pub functions: Vec<FunctionCondition>,
}

/// State of a PCIe function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FunctionCondition {
    /// Index of the CPC.
    pub cpc: u8,
    /// Its identifier (PFID).
    pub pfid: u16,
    /// State, as `D PCIE` shows it.
    pub state: &'static str,
}

/// A path that a partition does not have wholly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PathState {
    /// Index of the partition.
    pub lpar: u32,
    /// Index of the logical control unit.
    pub lcu: u32,
    /// Position in the path group of the partition's channel subsystem.
    pub position: u8,
    /// The system uses it.
    pub online: bool,
    /// The channel is configured to the partition.
    pub physically_online: bool,
    /// Neither its fibre nor any other part of it is lost.
    pub operational: bool,
}

/// The connection of a path of a channel subsystem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PathConnection {
    /// Index of the logical control unit.
    pub lcu: u32,
    /// Index of the CPC.
    pub cpc: u8,
    /// Channel subsystem.
    pub css: u8,
    /// Position in the path group of the channel subsystem.
    pub position: u8,
    /// Its connection; without protection while the path is lost.
    pub connection: Connection,
}

impl PathState {
    /// Returns true when every path and channel works.
    #[must_use]
    pub const fn is_whole(&self) -> bool {
        self.online && self.physically_online && self.operational
    }
}

impl Moment {
    /// Returns the connection at `position` of the path group of `css` of `cpc` to logical control unit `lcu`.
    #[must_use]
    pub fn connection(&self, lcu: u32, (cpc, css): (u8, u8), position: u8) -> Option<Connection> {
        let key = (lcu, cpc, css, position);
        let of = |one: &PathConnection| (one.lcu, one.cpc, one.css, one.position);
        let at = self.connections.binary_search_by_key(&key, of);
        at.ok().map(|at| self.connections[at].connection)
    }

    /// Returns the state of a path that is not whole; `None` for one that is.
    #[must_use]
    pub fn path(&self, lpar: u32, lcu: u32, position: u8) -> Option<&PathState> {
        let key = (lpar, lcu, position);
        let at = self.paths.binary_search_by_key(&key, |one| (one.lpar, one.lcu, one.position));
        at.ok().map(|at| &self.paths[at])
    }
}
