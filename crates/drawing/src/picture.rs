//! The topology as an inline picture: every box, folded ones hidden, and the edges of what is shown.

use std::collections::BTreeMap;

use maud::{Markup, html};

use crate::colour;
use crate::layout::{BOX_HEIGHT, INDENT, Layout, WIDTH};
use crate::number;
use crate::text;
use crate::topology::{Group, Node, Topology};

/// Room in a box beside its label: margins and colour bar.
const LABEL_ROOM: f64 = 26.0;

/// Draws the picture inside a page, whose script folds and unfolds it.
pub(crate) fn on_a_page(topology: &Topology, words: &str) -> Markup {
    let layout = Layout::of(topology);
    html! {
        svg #topology-picture viewBox={ "0 0 " (WIDTH) " " (layout.height) } role="group" aria-label=(words) {
            (headings(topology, &layout))
            g #edges aria-hidden="true" { (edges(topology, &layout)) }
            (boxes(topology, &layout, true))
        }
    }
}

/// Draws the picture as long as nothing is folded or unfolded, as the contents of an SVG file.
pub(crate) fn by_itself(topology: &Topology, layout: &Layout) -> Markup {
    html! {
        (headings(topology, layout))
        g { (edges(topology, layout)) }
        (boxes(topology, layout, false))
    }
}

fn headings(topology: &Topology, layout: &Layout) -> Markup {
    html! {
        g .headings aria-hidden="true" {
            @for (heading, x) in topology.columns.iter().zip(&layout.columns) {
                text x=(x) y="16" { (heading) }
            }
        }
    }
}

/// Draws every group and node; those folded away only where they can be `unfolded`.
fn boxes(topology: &Topology, layout: &Layout, unfolded: bool) -> Markup {
    html! {
        @for (index, group) in topology.groups.iter().enumerate() {
            @if group.members.len() > 1 {
                (group_box(topology, layout, index, group))
            }
            @for member in &group.members {
                @if unfolded || layout.tops[*member].is_some() {
                    (node_box(topology, layout, *member, group))
                }
            }
        }
    }
}

fn group_box(topology: &Topology, layout: &Layout, index: usize, group: &Group) -> Markup {
    let label = group.label.clone();
    let shown = match &group.title {
        Some(title) => Node { label, title: title.clone(), figure: group.figure.clone(), ..Node::default() },
        None => {
            let leader = topology.leader(group);
            let title = format!("{}; the highest: {}", group.label, leader.title);
            Node { label, title, ..leader.clone() }
        }
    };
    let item = topology.nodes.len() + index;
    html! {
        g .item.group data-i=(item) role="button" tabindex="0" aria-expanded=(group.open)
          aria-label=(shown.title) transform=(place(layout, item, group.column)) {
            (contents(&shown, 0.0, layout.box_width, true))
        }
    }
}

fn node_box(topology: &Topology, layout: &Layout, index: usize, group: &Group) -> Markup {
    let node = &topology.nodes[index];
    let indent = if group.members.len() > 1 { INDENT } else { 0.0 };
    let hidden = layout.tops[index].is_none();
    html! {
        g .item.folded[hidden] data-i=(index) role="button" tabindex="0" aria-label=(node.title)
          transform=(place(layout, index, group.column)) {
            (contents(node, indent, layout.box_width, false))
        }
    }
}

fn contents(node: &Node, indent: f64, box_width: f64, group: bool) -> Markup {
    let width = box_width - indent;
    let mark = if group { 14.0 } else { 0.0 };
    let taken = LABEL_ROOM + mark + text::width(&node.figure);
    let label = text::shortened(&node.label, width - taken);
    html! {
        title { (node.title) }
        rect .box x=(indent) width=(width) height=(BOX_HEIGHT) rx="4" {}
        @if let Some(percent) = node.percent {
            rect class={ "tag u" (colour::step(percent)) } x=(indent) width="8" height=(BOX_HEIGHT) rx="2" {}
        }
        @if group { path .mark d="M14 9 l8 4 l-8 4 z" {} }
        text x=(indent + 14.0 + mark) y="18" { (label) }
        text .figure x=(box_width - 7.0) y="18" { (node.figure) }
    }
}

fn place(layout: &Layout, item: usize, column: usize) -> String {
    format!("translate({} {})", layout.columns[column], layout.tops[item].unwrap_or(0.0))
}

/// Draws edges between visible nodes, the busiest last so that nothing covers it.
fn edges(topology: &Topology, layout: &Layout) -> Markup {
    let group_of = topology.group_of_nodes();
    let shown = |node: usize| match layout.tops[node] {
        Some(_) => node,
        None => topology.nodes.len() + group_of[node],
    };
    let mut bundles: BTreeMap<(usize, usize), (Option<f64>, usize)> = BTreeMap::new();
    for edge in &topology.edges {
        let (from, to) = (shown(edge.from), shown(edge.to));
        // Both ends are folded into one group.
        if from == to {
            continue;
        }
        let bundle = bundles.entry((from, to)).or_default();
        bundle.0 = higher(bundle.0, edge.percent);
        bundle.1 += 1;
    }
    let mut bundles: Vec<_> = bundles.into_iter().collect();
    let order = |percent: Option<f64>| percent.unwrap_or(-1.0);
    bundles.sort_by(|(_, (a, _)), (_, (b, _))| order(*a).total_cmp(&order(*b)));
    let group = |item: usize| {
        let group = group_of.get(item).copied().unwrap_or_else(|| item - topology.nodes.len());
        &topology.groups[group]
    };
    let label = |item: usize| topology.nodes.get(item).map_or(&group(item).label, |node| &node.label);
    let left = |item: usize| {
        let inside = item < topology.nodes.len() && group(item).members.len() > 1;
        layout.columns[group(item).column] + if inside { INDENT } else { 0.0 }
    };
    html! {
        @for ((from, to), (percent, count)) in &bundles {
            @let middle = |item: usize| layout.tops[item].unwrap_or(0.0) + BOX_HEIGHT / 2.0;
            @let right = layout.columns[group(*from).column] + layout.box_width;
            @let same = group(*from).column == group(*to).column;
            @let end = if same { right } else { left(*to) };
            path class=(edge_class(*percent)) data-e={ (from) "-" (to) }
                 stroke-width=(stroke(*count)) d=(curve(right, middle(*from), end, middle(*to))) {
                title { (edge_title(label(*from), label(*to), *count, *percent)) }
            }
        }
    }
}

fn higher(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.max(b)),
        (known, None) | (None, known) => known,
    }
}

fn edge_class(percent: Option<f64>) -> String {
    percent.map_or("edge".to_owned(), |percent| format!("edge u{}", colour::step(percent)))
}

fn edge_title(from: &str, to: &str, count: usize, percent: Option<f64>) -> String {
    let many = if count == 1 { String::new() } else { format!(", {count} connections") };
    let busy = percent.map_or(String::new(), |percent| format!(", at most {} %", number::percent(percent)));
    format!("{from} to {to}{many}{busy}")
}

/// Returns the width of a line of `count` edges.
fn stroke(count: usize) -> String {
    let doublings = count.max(1).ilog2().min(6);
    format!("{:.1}", 1.4 + 0.6 * f64::from(doublings))
}

/// Draws a line from the right of one box to the left of the next, or round the right side within a column.
fn curve(x1: f64, y1: f64, x2: f64, y2: f64) -> String {
    let reach = if x2 > x1 { (x2 - x1) / 2.0 } else { -40.0 };
    format!("M{x1:.0} {y1:.0}C{:.0} {y1:.0} {:.0} {y2:.0} {x2:.0} {y2:.0}", x1 + reach.abs(), x2 - reach)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::Edge;

    /// Builds two partitions and four channels; the channels in one group that is folded or not.
    fn topology(open: bool) -> Topology {
        let node = |label: &str, percent| Node {
            label: label.to_owned(),
            weight: percent,
            percent: Some(percent),
            ..Node::default()
        };
        let group = |column, members: &[usize]| Group {
            column,
            label: format!("group of {}", members.len()),
            members: members.to_vec(),
            title: None,
            figure: String::new(),
            open,
        };
        Topology {
            columns: vec!["one".to_owned(), "two".to_owned()],
            nodes: ["A", "B", "c", "d", "e", "f"]
                .map(|label| node(label, f64::from(label.as_bytes()[0] % 7)))
                .to_vec(),
            groups: vec![group(0, &[0]), group(0, &[1]), group(1, &[2, 3, 4, 5])],
            edges: (0..2)
                .flat_map(|from| (2..6).map(move |to| Edge { from, to, percent: Some(10.0 * to as f64) }))
                .collect(),
            routes: Vec::new(),
        }
    }

    #[test]
    fn a_folded_group_bundles_the_edges_of_its_members() {
        let text = on_a_page(&topology(false), "words").into_string();
        assert_eq!(text.matches("data-e=").count(), 2);
        assert!(text.contains("A to group of 4, 4 connections, at most 50.0 %"), "{text}");
        assert_eq!(text.matches("item folded").count(), 4);
    }

    #[test]
    fn an_open_group_shows_every_member_and_edge() {
        let text = on_a_page(&topology(true), "words").into_string();
        assert_eq!((text.matches("data-e=").count(), text.matches("item folded").count()), (8, 0));
        assert!(text.contains("aria-expanded=\"true\""));
    }

    #[test]
    fn an_edge_inside_a_folded_group_is_not_drawn() {
        let with = |open: bool| {
            let mut topology = topology(open);
            topology.edges.push(Edge { from: 2, to: 3, percent: None });
            on_a_page(&topology, "words").into_string().matches("data-e=").count()
        };
        assert_eq!((with(false), with(true)), (2, 9));
    }

    #[test]
    fn boxes_do_not_overlap_and_stay_inside() {
        for open in [false, true] {
            let topology = topology(open);
            let layout = Layout::of(&topology);
            let columns = [vec![0, 1], vec![8, 2, 3, 4, 5]];
            for column in columns {
                let tops: Vec<f64> = column.into_iter().filter_map(|item| layout.tops[item]).collect();
                assert!(tops.windows(2).all(|pair| pair[1] - pair[0] >= BOX_HEIGHT), "{tops:?}");
                assert!(tops.iter().all(|top| top + BOX_HEIGHT <= layout.height), "{tops:?}");
            }
            assert!(layout.columns[1] + layout.box_width <= WIDTH);
        }
    }
}
