//! Why a choice is as it is: what each set of paths is spread over, and where it is not.

use crate::map::problem::{Group, PART_COUNT, Problem, RESOURCE_GROUP};

/// Parts in the order of [`crate::map::problem::Site::parts`].
const NOUNS: [&str; PART_COUNT] = ["card", "resource group", "domain", "fanout", "CPC drawer", "I/O drawer"];

/// Writes one line for each group: `CU 1000 and 3 more: 8 paths over 8 cards, 4 domains, 2 I/O drawers; intersects:
/// none`.
pub(super) fn lines(problem: &Problem<'_>, sites: &[Option<usize>]) -> Vec<String> {
    problem.groups.iter().map(|group| line(problem, group, sites)).collect()
}

fn line(problem: &Problem<'_>, group: &Group, sites: &[Option<usize>]) -> String {
    let placed: Vec<usize> = group.items.iter().filter_map(|&item| sites[item]).collect();
    let mut over = Vec::new();
    let mut intersects = Vec::new();
    for (part, noun) in NOUNS.into_iter().enumerate() {
        if part == RESOURCE_GROUP && !group.in_resource_groups {
            continue;
        }
        let runs = runs(problem, &placed, part);
        if runs.is_empty() {
            continue;
        }
        over.push(counted(runs.len(), noun));
        let known: usize = runs.iter().sum();
        let most = runs.iter().copied().max().unwrap_or_default();
        if placed.len() < 2 {
            continue;
        }
        // The words of the mapping tool: same card, most paths on one link, one domain, one drawer, one CPC drawer.
        match (part, most) {
            (0, most) if most > 1 => intersects.push(format!("C ({most} on one card)")),
            (2, most) if most == placed.len() => intersects.push("D (one domain)".to_owned()),
            (2, most) if 2 * most > placed.len() => intersects.push(format!("M ({most} on one link)")),
            (1, most) if most == placed.len() => intersects.push("RG (one resource group)".to_owned()),
            (4, most) if most == known && known > 1 => intersects.push("CPC (one CPC drawer)".to_owned()),
            (5, most) if most == placed.len() => intersects.push("DR (one I/O drawer)".to_owned()),
            _ => {}
        }
    }
    let intersects = if intersects.is_empty() { "none".to_owned() } else { intersects.join(", ") };
    let missing = group.items.len() - placed.len();
    let missing = if missing == 0 { String::new() } else { format!(" ({missing} without a port)") };
    format!(
        "{}: {} {}{missing} over {}; intersects: {intersects}",
        group.name,
        group.items.len(),
        group.noun,
        over.join(", ")
    )
}

/// Counts the items of `placed` in each known part, for each part.
fn runs(problem: &Problem<'_>, placed: &[usize], part: usize) -> Vec<usize> {
    let mut found: Vec<u16> = placed.iter().filter_map(|&site| problem.sites[site].parts[part]).collect();
    found.sort_unstable();
    found.chunk_by(|one, other| one == other).map(<[u16]>::len).collect()
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
