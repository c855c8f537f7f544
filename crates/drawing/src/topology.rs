//! The content of the picture: nodes in columns, groups of nodes with the same neighbours, edges, routes.

/// Devices with consecutive numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceSpan {
    /// Subchannel set.
    pub subchannel_set: u8,
    /// First device number.
    pub first: u16,
    /// Last device number.
    pub last: u16,
}

/// One thing: a partition, channel, director, port, control unit, range of devices.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Node {
    /// Its name, as short as can be.
    pub label: String,
    /// The number beside the name; empty when nothing was measured.
    pub figure: String,
    /// Figure by which it is compared; the highest of a group is shown for the group.
    pub weight: f64,
    /// Utilisation that colours it, percent.
    pub percent: Option<f64>,
    /// All its properties, in a sentence.
    pub title: String,
    /// Keys of the search, in upper case.
    pub keys: Vec<String>,
    /// The devices that the search finds it by.
    pub devices: Vec<DeviceSpan>,
    /// Nodes beyond the end of paths: the devices of a control unit.
    pub below: Vec<usize>,
    /// The partitions that may use it; empty when all may that its paths lead to.
    pub only: Vec<usize>,
}

/// Nodes of a column that are drawn as one when folded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Its column, from 0.
    pub column: usize,
    /// Name when folded.
    pub label: String,
    /// Indices of its nodes, at least one; a group of one is always drawn as its node.
    pub members: Vec<usize>,
    /// Its properties, in a sentence; `None` when those of its highest member are shown.
    pub title: Option<String>,
    /// The word beside its name where it has a title of its own.
    pub figure: String,
    /// Drawn unfolded at first.
    pub open: bool,
}

/// A connection of two nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// The node nearer to the partitions.
    pub from: usize,
    /// The other.
    pub to: usize,
    /// Utilisation, of the busier direction, percent; `None` when nothing was measured.
    pub percent: Option<f64>,
}

/// Control units with the same paths from the same partitions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// The partitions.
    pub lpars: Vec<usize>,
    /// The control units.
    pub units: Vec<usize>,
    /// Each path as nodes from the channel to what is before the control unit.
    pub paths: Vec<Vec<usize>>,
}

/// The whole picture.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Topology {
    /// Heading of each column, from the processor outwards.
    pub columns: Vec<String>,
    /// Nodes to draw, column by column.
    pub nodes: Vec<Node>,
    /// In the order of columns; every node is in one.
    pub groups: Vec<Group>,
    /// Connections, no two of them between the same nodes.
    pub edges: Vec<Edge>,
    /// Routes to follow.
    pub routes: Vec<Route>,
}

impl Topology {
    /// Returns the group of each node.
    pub fn group_of_nodes(&self) -> Vec<usize> {
        let mut group_of = vec![0; self.nodes.len()];
        for (index, group) in self.groups.iter().enumerate() {
            group.members.iter().for_each(|member| group_of[*member] = index);
        }
        group_of
    }

    /// Returns the member of a group whose figure is shown for it.
    ///
    /// # Panics
    ///
    /// When the group is empty.
    pub fn leader(&self, group: &Group) -> &Node {
        let members = group.members.iter().map(|member| &self.nodes[*member]);
        let leader =
            members.reduce(|highest, next| if next.weight > highest.weight { next } else { highest });
        leader.expect("a group has a member")
    }
}
