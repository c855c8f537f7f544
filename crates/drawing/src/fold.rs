//! Folding: nodes with the same neighbours become one group; where that leaves too many, coarser keys are taken.

use std::collections::BTreeMap;

use crate::topology::Group;

/// Groups of a column that are still read at a glance; more are folded by the next coarser key.
const GROUPS_MAX: usize = 24;
/// Nodes of a column that need no folding.
const NODES_OPEN_MAX: usize = 10;

/// A node that may be folded, with as many keys as every other of its column.
pub struct Foldable {
    /// Index of the node.
    pub node: usize,
    /// Keys that it folds by, from fine to coarse.
    pub keys: Vec<String>,
}

/// Returns the groups of one column, in the order of their first members. `label` names a group by its key and
/// members.
pub fn fold(column: usize, nodes: &[Foldable], label: impl Fn(&str, &[usize]) -> String) -> Vec<Group> {
    let levels = nodes.iter().map(|node| node.keys.len()).min().unwrap_or(0);
    let by_level = (0..levels).map(|level| by_key(nodes, level));
    let mut coarsest = Vec::new();
    for groups in by_level {
        coarsest = groups;
        if coarsest.len() <= GROUPS_MAX {
            break;
        }
    }
    let open = nodes.len() <= NODES_OPEN_MAX;
    let group = |(key, members): (&str, Vec<usize>)| Group {
        column,
        label: label(key, &members),
        members,
        title: None,
        figure: String::new(),
        open,
    };
    coarsest.into_iter().map(group).collect()
}

fn by_key(nodes: &[Foldable], level: usize) -> Vec<(&str, Vec<usize>)> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut groups: Vec<(&str, Vec<usize>)> = Vec::new();
    for node in nodes {
        let key = node.keys[level].as_str();
        let place = *places.entry(key).or_insert(groups.len());
        if place == groups.len() {
            groups.push((key, Vec::new()));
        }
        groups[place].1.push(node.node);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(count: usize, fine: usize) -> Vec<Foldable> {
        let keys = |node: usize| vec![format!("fine {}", node % fine), "coarse".to_owned()];
        (0..count).map(|node| Foldable { node, keys: keys(node) }).collect()
    }

    fn sizes(groups: &[Group]) -> Vec<usize> {
        groups.iter().map(|group| group.members.len()).collect()
    }

    #[test]
    fn same_neighbours_fold_together_in_the_order_of_first_members() {
        let groups = fold(3, &column(20, 8), |key, members| format!("{key}: {}", members.len()));
        assert_eq!(sizes(&groups), [3, 3, 3, 3, 2, 2, 2, 2]);
        assert_eq!((groups[0].label.as_str(), groups[0].column), ("fine 0: 3", 3));
        assert_eq!(groups[7].members, [7, 15]);
        assert!(groups.iter().all(|group| !group.open));
    }

    #[test]
    fn too_many_groups_are_folded_coarser() {
        assert_eq!(sizes(&fold(0, &column(200, 100), |_, _| String::new())), [200]);
    }

    #[test]
    fn a_small_column_is_open() {
        assert!(fold(0, &column(10, 2), |_, _| String::new()).iter().all(|group| group.open));
        assert!(fold(0, &[], |_, _| String::new()).is_empty());
    }
}
