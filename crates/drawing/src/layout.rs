//! Where everything stands: columns side by side, each column's rows one below the other and centred.
//!
//! The script lays out again after folding, by the same rules and with the numbers given to it.

use crate::topology::Topology;

/// Width of the picture in units of its view box, which are pixels at its natural size.
pub const WIDTH: f64 = 1300.0;
/// Height of a box.
pub(crate) const BOX_HEIGHT: f64 = 26.0;
/// From one row to the next.
pub(crate) const ROW: f64 = 30.0;
/// Extra room between two groups.
pub(crate) const GROUP_GAP: f64 = 8.0;
/// Room for the headings of columns.
pub(crate) const TOP: f64 = 36.0;
/// How far members stand in from their group.
pub(crate) const INDENT: f64 = 12.0;
/// Share of the picture's width that boxes take.
const BOX_SHARE: f64 = 0.8;
/// Widest box.
const BOX_WIDTH_MAX: f64 = 208.0;

/// Positions for one state of folding.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    /// Width of a box.
    pub box_width: f64,
    /// Left edge of each column.
    pub columns: Vec<f64>,
    /// Upper edge of each node, then of each group; `None` for what is not drawn.
    pub tops: Vec<Option<f64>>,
    /// Height of the whole.
    pub height: f64,
}

impl Layout {
    /// Lays out `topology` with each group open or folded as it is marked.
    pub fn of(topology: &Topology) -> Self {
        let count = topology.columns.len();
        let box_width = (WIDTH * BOX_SHARE / count as f64).min(BOX_WIDTH_MAX);
        let step = (WIDTH - 2.0 - box_width) / (count.max(2) - 1) as f64;
        let columns: Vec<f64> = (0..count).map(|column| (1.0 + step * column as f64).floor()).collect();
        let mut tops = vec![None; topology.nodes.len() + topology.groups.len()];
        let mut depths = vec![0.0; count];
        for (index, group) in topology.groups.iter().enumerate() {
            let depth = &mut depths[group.column];
            let mut place = |item: usize| {
                tops[item] = Some(*depth);
                *depth += ROW;
            };
            let alone = group.members.len() == 1;
            if !alone {
                place(topology.nodes.len() + index);
            }
            if alone || group.open {
                group.members.iter().for_each(|member| place(*member));
            }
            *depth += GROUP_GAP;
        }
        let deepest = depths.iter().copied().fold(0.0, f64::max);
        let group_of = topology.group_of_nodes();
        for (item, top) in tops.iter_mut().enumerate() {
            let group = group_of.get(item).copied().unwrap_or_else(|| item - topology.nodes.len());
            let column = topology.groups.get(group).map_or(0, |group| group.column);
            if let Some(top) = top {
                *top += TOP + ((deepest - depths[column]) / 2.0).floor();
            }
        }
        Self { box_width, columns, tops, height: TOP + deepest }
    }
}
