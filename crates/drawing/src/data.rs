//! The data of the topology that the script needs, as JSON that is safe inside a script element.

use serde::Serialize;

use crate::layout::{BOX_HEIGHT, GROUP_GAP, INDENT, Layout, ROW, TOP};
use crate::topology::{DeviceSpan, Topology};

/// The data; names are short because there are many of them.
#[derive(Serialize)]
struct Data<'a> {
    box_width: f64,
    box_height: f64,
    row: f64,
    gap: f64,
    top: f64,
    indent: f64,
    columns: Vec<f64>,
    nodes: Vec<NodeData<'a>>,
    groups: Vec<GroupData<'a>>,
    /// From, to, utilisation in tenths of a percent or -1.
    edges: Vec<(usize, usize, i64)>,
    routes: Vec<RouteData<'a>>,
}

#[derive(Serialize)]
struct NodeData<'a> {
    label: &'a str,
    keys: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    devices: Vec<(u8, u16, u16)>,
    #[serde(skip_serializing_if = "<[usize]>::is_empty")]
    below: &'a [usize],
    #[serde(skip_serializing_if = "<[usize]>::is_empty")]
    only: &'a [usize],
}

#[derive(Serialize)]
struct GroupData<'a> {
    label: &'a str,
    column: usize,
    members: &'a [usize],
    open: bool,
}

#[derive(Serialize)]
struct RouteData<'a> {
    lpars: &'a [usize],
    units: &'a [usize],
    paths: &'a [Vec<usize>],
}

/// Formats the topology as JSON. No `<` is in it, so that it cannot end its script element nor begin a comment there.
pub(crate) fn json(topology: &Topology) -> String {
    let layout = Layout::of(topology);
    let span = |span: &DeviceSpan| (span.subchannel_set, span.first, span.last);
    let data = Data {
        box_width: layout.box_width,
        box_height: BOX_HEIGHT,
        row: ROW,
        gap: GROUP_GAP,
        top: TOP,
        indent: INDENT,
        columns: layout.columns,
        nodes: topology
            .nodes
            .iter()
            .map(|node| NodeData {
                label: &node.label,
                keys: &node.keys,
                devices: node.devices.iter().map(span).collect(),
                below: &node.below,
                only: &node.only,
            })
            .collect(),
        groups: topology
            .groups
            .iter()
            .map(|group| GroupData {
                label: &group.label,
                column: group.column,
                members: &group.members,
                open: group.open,
            })
            .collect(),
        edges: topology.edges.iter().map(|edge| (edge.from, edge.to, tenths(edge.percent))).collect(),
        routes: topology
            .routes
            .iter()
            .map(|route| RouteData { lpars: &route.lpars, units: &route.units, paths: &route.paths })
            .collect(),
    };
    serde_json::to_string(&data).expect("plain records serialise").replace('<', "\\u003c")
}

/// Returns tenths of a percent, -1 for a figure that was not measured.
fn tenths(percent: Option<f64>) -> i64 {
    percent.map_or(-1, |percent| (percent * 10.0).round() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{Group, Node};

    #[test]
    fn a_name_cannot_end_the_script() {
        let name = "</script><!--".to_owned();
        let node = Node { label: name.clone(), ..Node::default() };
        let group = Group {
            column: 0,
            label: name.clone(),
            members: vec![0],
            title: None,
            figure: String::new(),
            open: false,
        };
        let columns = vec![name.clone()];
        let topology = Topology { columns, nodes: vec![node], groups: vec![group], ..Topology::default() };
        let text = json(&topology);
        assert!(!text.contains('<'), "{text}");
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["nodes"][0]["label"], name);
    }

    #[test]
    fn what_was_not_measured_is_told_from_idle() {
        assert_eq!([None, Some(0.0), Some(24.14)].map(tenths), [-1, 0, 241]);
    }
}
