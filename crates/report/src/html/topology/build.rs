//! The topology of a configuration, with the figures of a run on it.

use std::collections::BTreeMap;

use halftrack_config::{Configuration, Path, Subsystem};
use halftrack_drawing::{Edge, Node, Route, Topology};

use super::Figures;
use super::groups::groups;
use super::key_manager;
use super::nodes::{channel_node, director_node, lcu_nodes, lpar_nodes, port_nodes};
use super::places::Places;

/// Returns the picture's content.
pub(super) fn build(configuration: &Configuration, figures: &Figures<'_>) -> Topology {
    let places = Places::of(configuration);
    let ends = (places.lpars, places.lcus);
    let mut edges = edges(configuration, &places, figures);
    edges.extend(places.zhyperlinks.edges(configuration, ends, figures.zhyperlinks_percent));
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
    places.zhyperlinks.fill(configuration, figures, &mut nodes);
    if let Some((manager, place)) = configuration.key_manager.as_ref().zip(places.key_manager) {
        nodes[place] = key_manager::node(manager);
    }
    edges.extend(key_manager::edges(configuration, &places));
    let groups = groups(configuration, &places);
    let mut routes = routes(configuration, &places);
    routes.extend(places.zhyperlinks.routes(configuration, ends));
    Topology { columns: places.headings(), nodes, groups, edges, routes }
}

/// Returns partitions to channels by channel-processor utilisation, fibres by their busier direction, ports to logical
/// control units without a measure.
fn edges(configuration: &Configuration, places: &Places, figures: &Figures<'_>) -> Vec<Edge> {
    let mut found: BTreeMap<(usize, usize), Option<f64>> = BTreeMap::new();
    for (lcu, one) in configuration.lcus.iter().enumerate() {
        for group in &one.path_groups {
            for path in &group.paths {
                for (place, lpar) in configuration.lpars.iter().enumerate() {
                    if lpar.subsystem() == group.subsystem() {
                        let channel = &figures.channels[path.channel as usize];
                        let percent = channel.parts_percent.get(lpar.name.as_str()).copied();
                        found
                            .insert((places.lpars + place, places.channels + path.channel as usize), percent);
                    }
                }
                for way in path.ways() {
                    let nodes = places.path(configuration, &way);
                    for (hop, pair) in nodes.windows(2).enumerate() {
                        // Inter-switch links side by side are one line, of the busiest.
                        let percent = found.entry((pair[0], pair[1])).or_default();
                        let this = fibre_percent(&way, hop, figures.links_percent);
                        *percent = this.into_iter().chain(*percent).reduce(f64::max);
                    }
                }
                found.insert((places.ports + path.port as usize, places.lcus + lcu), None);
            }
        }
    }
    found.into_iter().map(|((from, to), percent)| Edge { from, to, percent }).collect()
}

/// Returns the busier direction of the fibre of hop number `hop`, percent.
fn fibre_percent(path: &Path, hop: usize, links_percent: &[Option<f64>]) -> Option<f64> {
    let back = path.inbound.len().checked_sub(hop + 1).and_then(|at| path.inbound.get(at));
    let links = path.outbound.get(hop).into_iter().chain(back);
    links.filter_map(|link| links_percent[*link as usize]).reduce(f64::max)
}

fn routes(configuration: &Configuration, places: &Places) -> Vec<Route> {
    let mut found: BTreeMap<(Subsystem, Vec<Vec<usize>>), Vec<usize>> = BTreeMap::new();
    for (lcu, one) in configuration.lcus.iter().enumerate() {
        for group in &one.path_groups {
            let ways = group.paths.iter().flat_map(Path::ways);
            let paths = ways.map(|way| places.path(configuration, &way)).collect();
            found.entry((group.subsystem(), paths)).or_default().push(places.lcus + lcu);
        }
    }
    let lpars = |subsystem: Subsystem| {
        let lpars = configuration.lpars.iter().enumerate();
        let its_own = lpars.filter(move |(_, lpar)| lpar.subsystem() == subsystem);
        its_own.map(|(place, _)| places.lpars + place).collect()
    };
    found
        .into_iter()
        .map(|((subsystem, paths), units)| Route { lpars: lpars(subsystem), units, paths })
        .collect()
}

#[cfg(test)]
mod tests {
    use halftrack_drawing::{DeviceSpan, Layout, WIDTH};

    use super::*;
    use crate::html::channels::ChannelFigures;
    use crate::html::fixture;
    use crate::html::links;
    use crate::html::response::Responses;
    use crate::html::usage::Usage;

    fn topology(configuration: &Configuration) -> Topology {
        let (run, _) = fixture::site();
        let usage = Usage::of(&run);
        let channels = ChannelFigures::of(&run, configuration, usage.measured_ps);
        let responses = Responses::of(&run, usage.measured_ps);
        let links_percent = links::percents(configuration, &usage);
        let figures = Figures {
            usage: &usage,
            channels: &channels,
            responses: &responses,
            links_percent: &links_percent,
            zhyperlinks_percent: &[],
        };
        build(configuration, &figures)
    }

    /// Changes the outward links of every path.
    fn reroute(configuration: &mut Configuration, change: impl Fn(&mut Vec<u32>)) {
        let groups = configuration.lcus.iter_mut().flat_map(|lcu| &mut lcu.path_groups);
        groups.flat_map(|group| &mut group.paths).for_each(|path| change(&mut path.outbound));
    }

    fn node(topology: &Topology, label: &str) -> usize {
        topology.nodes.iter().position(|node| node.label == label).unwrap_or_else(|| panic!("no {label}"))
    }

    #[test]
    fn neighbours_fold_together_and_every_connection_is_an_edge() {
        let (_, configuration) = fixture::site();
        let topology = topology(&configuration);
        let labels: Vec<_> = topology.groups.iter().map(|group| group.label.as_str()).collect();
        let ports = ["BOXA, 4 ports", "BOXA, 4 ports", "BOXB, 4 ports", "BOXB, 4 ports"];
        let hosts = ["CSS 0, 2 LPARs", "4 × fex32s", "4 × fex32s", "11", "12"];
        assert_eq!(labels[..5], hosts);
        assert_eq!(labels[5..9], ports);
        assert_eq!(labels[9..], ["BOXA, 4 LCUs", "BOXB, 4 LCUs"]);
        // 2 partitions on 8 channels, 8 channels and 16 ports on directors, 8 ports for each of 8 LCUs.
        assert_eq!(topology.edges.len(), 16 + 8 + 16 + 64);
        assert_eq!(topology.routes.iter().map(|route| route.paths.len()).collect::<Vec<_>>(), [8, 8]);
    }

    #[test]
    fn a_fibre_has_the_colour_of_its_busier_direction() {
        let (run, configuration) = fixture::site();
        let topology = topology(&configuration);
        let (channel, director) = (node(&topology, "0.40 PCHID 100"), node(&topology, "Director 11"));
        let edge = topology.edges.iter().find(|edge| (edge.from, edge.to) == (channel, director)).unwrap();
        let usage = Usage::of(&run);
        let (out, back) = ("link pchid 100 > 11.20", "link 11.20 > pchid 100");
        let busier = usage.percent(out).into_iter().chain(usage.percent(back)).reduce(f64::max);
        assert!(edge.percent.is_some() && edge.percent == busier, "{edge:?} {busier:?}");
    }

    #[test]
    fn a_device_is_found_in_its_logical_control_unit() {
        let (_, configuration) = fixture::site();
        let topology = topology(&configuration);
        let lcu = &topology.nodes[node(&topology, "LCU 1300")];
        assert_eq!(lcu.devices, [DeviceSpan { subchannel_set: 0, first: 0x1300, last: 0x137F }]);
        assert!(lcu.title.starts_with("LCU 1300 of BOXA, image 3: 128 bases, 128 aliases;"), "{}", lcu.title);
    }

    #[test]
    fn directors_in_cascade_have_columns_of_their_own() {
        let (_, mut configuration) = fixture::site();
        let between = configuration.links.len() as u32;
        let link = configuration.links[0].clone();
        configuration.links.push(halftrack_config::Link { name: "11.E0 > 13.E0".to_owned(), ..link });
        reroute(&mut configuration, |outbound| outbound.insert(1, between));
        let topology = topology(&configuration);
        assert_eq!(topology.columns[2..4], ["Directors", "Directors behind ISLs"]);
        let (near, far) = (node(&topology, "Director 11"), node(&topology, "Director 13"));
        assert!(topology.edges.iter().any(|edge| (edge.from, edge.to) == (near, far)));
        let layout = Layout::of(&topology);
        assert!(layout.columns.windows(2).all(|pair| pair[0] + layout.box_width < pair[1]));
        assert!(layout.columns[5] + layout.box_width <= WIDTH);
    }

    #[test]
    fn without_directors_channels_lead_to_ports() {
        let (_, mut configuration) = fixture::site();
        reroute(&mut configuration, |outbound| outbound.truncate(1));
        let topology = topology(&configuration);
        assert_eq!(topology.columns.len(), 4);
        let (channel, port) = (node(&topology, "0.40 PCHID 100"), node(&topology, "BOXA 0030"));
        assert!(topology.edges.iter().any(|edge| (edge.from, edge.to) == (channel, port)));
    }
}
