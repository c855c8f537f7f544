//! The topology of a configuration, with the figures of a run on it.

use std::collections::BTreeMap;

use halftrack_config::{Configuration, Path};

use super::Figures;
use super::groups::groups;
use super::model::{Edge, Node, Route, Topology};
use super::nodes::{channel_node, director_node, lcu_nodes, lpar_nodes, port_nodes};
use super::places::Places;

/// The picture's content.
pub(super) fn build(configuration: &Configuration, figures: &Figures<'_>) -> Topology {
    let places = Places::of(configuration);
    let edges = edges(configuration, &places, figures);
    let mut nodes = vec![Node::default(); places.nodes];
    lpar_nodes(configuration, figures, &mut nodes[places.lpars..places.channels]);
    for (node, channel) in nodes[places.channels..].iter_mut().zip(figures.channels) {
        *node = channel_node(configuration, figures.channels, channel);
    }
    for (id, (place, _)) in &places.directors {
        nodes[*place] = director_node(id, *place, &edges);
    }
    port_nodes(configuration, figures, &mut nodes[places.ports..places.lcus]);
    lcu_nodes(configuration, figures, &mut nodes[places.lcus..]);
    let mut columns = vec!["LPARs".to_owned(), "Channels".to_owned()];
    columns.extend((0..places.director_columns()).map(|depth| match depth {
        0 => "Directors".to_owned(),
        _ => "Directors behind ISLs".to_owned(),
    }));
    columns.extend(["Host-adapter ports".to_owned(), "Logical control units".to_owned()]);
    let groups = groups(configuration, &places);
    let routes = routes(configuration, &places);
    Topology { columns, nodes, groups, edges, routes }
}

/// Partitions to channels by channel-processor utilisation, fibres by their busier direction, ports to logical
/// control units without a measure.
fn edges(configuration: &Configuration, places: &Places, figures: &Figures<'_>) -> Vec<Edge> {
    let mut found: BTreeMap<(usize, usize), Option<f64>> = BTreeMap::new();
    for (lcu, one) in configuration.lcus.iter().enumerate() {
        for group in &one.path_groups {
            for path in &group.paths {
                for (place, lpar) in configuration.lpars.iter().enumerate() {
                    if lpar.css == group.css {
                        let channel = &figures.channels[path.channel as usize];
                        let percent = channel.parts_percent.get(lpar.name.as_str()).copied();
                        found
                            .insert((places.lpars + place, places.channels + path.channel as usize), percent);
                    }
                }
                let nodes = places.path(configuration, path);
                for (hop, pair) in nodes.windows(2).enumerate() {
                    found.insert((pair[0], pair[1]), fibre_percent(path, hop, figures.links_percent));
                }
                found.insert((places.ports + path.port as usize, places.lcus + lcu), None);
            }
        }
    }
    found.into_iter().map(|((from, to), percent)| Edge { from, to, percent }).collect()
}

/// The busier direction of the fibre of hop number `hop`, percent.
fn fibre_percent(path: &Path, hop: usize, links_percent: &[Option<f64>]) -> Option<f64> {
    let back = path.inbound.len().checked_sub(hop + 1).and_then(|at| path.inbound.get(at));
    let links = path.outbound.get(hop).into_iter().chain(back);
    links.filter_map(|link| links_percent[*link as usize]).reduce(f64::max)
}

fn routes(configuration: &Configuration, places: &Places) -> Vec<Route> {
    let mut found: BTreeMap<(u8, Vec<Vec<usize>>), Vec<usize>> = BTreeMap::new();
    for (lcu, one) in configuration.lcus.iter().enumerate() {
        for group in &one.path_groups {
            let paths = group.paths.iter().map(|path| places.path(configuration, path)).collect();
            found.entry((group.css, paths)).or_default().push(places.lcus + lcu);
        }
    }
    let lpars = |css: u8| {
        let of_css = configuration.lpars.iter().enumerate().filter(move |(_, lpar)| lpar.css == css);
        of_css.map(|(place, _)| places.lpars + place).collect()
    };
    found.into_iter().map(|((css, paths), lcus)| Route { lpars: lpars(css), lcus, paths }).collect()
}
