//! What the picture is of: nodes in columns, groups of nodes with the same neighbours, edges, routes.

/// Devices of a logical control unit with consecutive numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DeviceSpan {
    pub subchannel_set: u8,
    pub first: u16,
    pub last: u16,
}

/// One thing: a partition, channel, director, port or logical control unit.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Node {
    /// Its name, as short as can be.
    pub label: String,
    /// The number beside the name; empty when nothing was measured.
    pub figure: String,
    /// What its figure is compared by; the highest of a group stands for the group.
    pub weight: f64,
    /// Utilisation that colours it, percent.
    pub percent: Option<f64>,
    /// Everything there is to say of it, in a sentence.
    pub title: String,
    /// What the search finds it by, in upper case.
    pub keys: Vec<String>,
    pub devices: Vec<DeviceSpan>,
}

/// Nodes of a column that are drawn as one when folded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    pub column: usize,
    /// What it is called when folded.
    pub label: String,
    /// Indices of its nodes, at least one; a group of one is always drawn as its node.
    pub members: Vec<usize>,
    /// Drawn unfolded at first.
    pub open: bool,
}

/// What connects two nodes of neighbouring columns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Edge {
    pub from: usize,
    pub to: usize,
    /// Utilisation, of the busier direction, percent; `None` when nothing was measured.
    pub percent: Option<f64>,
}

/// Logical control units with the same paths from one channel subsystem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Route {
    /// Partitions of the channel subsystem.
    pub lpars: Vec<usize>,
    pub lcus: Vec<usize>,
    /// Each path as nodes: channel, directors, port.
    pub paths: Vec<Vec<usize>>,
}

/// The whole picture.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Topology {
    /// Heading of each column, from the processor outwards.
    pub columns: Vec<String>,
    pub nodes: Vec<Node>,
    /// In the order of columns.
    pub groups: Vec<Group>,
    pub edges: Vec<Edge>,
    pub routes: Vec<Route>,
}

impl Topology {
    /// Group of each node.
    pub fn group_of_nodes(&self) -> Vec<usize> {
        let mut group_of = vec![0; self.nodes.len()];
        for (index, group) in self.groups.iter().enumerate() {
            group.members.iter().for_each(|member| group_of[*member] = index);
        }
        group_of
    }

    /// The member of a group whose figure stands for it.
    pub fn leader(&self, group: &Group) -> &Node {
        let members = group.members.iter().map(|member| &self.nodes[*member]);
        let leader =
            members.reduce(|highest, next| if next.weight > highest.weight { next } else { highest });
        leader.expect("a group has a member")
    }
}
