//! A deck as a topology: partitions, channel paths and PCIe functions, switches, control units and other machines, devices.
//!
//! A deck names no ports of channel paths on switches and no boxes: what folds together are channel paths with the
//! same switch and control units, control units behind the same ports, and their devices.

mod device_runs;
mod far_ends;
mod functions;
mod groups;
mod nodes;
mod places;
mod routes;

use std::collections::BTreeSet;

use halftrack_deck::model::Deck;

use self::groups::groups;
use self::places::Places;
use crate::topology::{Edge, Node, Topology};

/// Builds the content of the picture of `deck`.
pub fn topology_of(deck: &Deck) -> Topology {
    let places = Places::of(deck);
    let mut nodes = vec![Node::default(); places.count];
    nodes::lpar_nodes(deck, &places, &mut nodes);
    nodes::channel_nodes(deck, &places, &mut nodes);
    nodes::switch_nodes(deck, &places, &mut nodes);
    nodes::unit_nodes(deck, &places, &mut nodes);
    nodes::device_nodes(deck, &places, &mut nodes);
    functions::nodes(deck, &places, &mut nodes);
    nodes::far_nodes(deck, &places, &mut nodes);
    let hosts = if deck.functions.is_empty() { "CHPIDs" } else { "CHPIDs, functions" };
    let mut columns = vec!["LPARs".to_owned(), hosts.to_owned()];
    columns.extend((0..places.switch_columns).map(|depth| match depth {
        0 => "Switches".to_owned(),
        _ => "Switches behind ISLs".to_owned(),
    }));
    let ends = if places.far_ends.elsewhere.is_empty() { "Control units" } else { "Control units, CPCs" };
    columns.extend([ends.to_owned(), "Devices".to_owned()]);
    let groups = groups(deck, &places);
    Topology { columns, nodes, groups, edges: edges(deck, &places), routes: routes::routes(deck, &places) }
}

/// Access of partitions, links, coupling links, ends of channel-to-channel connections, and devices to their control
/// units.
fn edges(deck: &Deck, places: &Places) -> Vec<Edge> {
    let mut found: BTreeSet<(usize, usize)> = BTreeSet::new();
    for index in 0..deck.channel_paths.len() {
        let channel = places.channels + index;
        found.extend(places.holders(deck, index, None).into_iter().map(|lpar| (lpar, channel)));
    }
    for (index, unit) in deck.control_units.iter().enumerate() {
        for path in &unit.paths {
            let Some(mut nodes) = places.path(deck, path) else { continue };
            nodes.push(places.units + index);
            found.extend(nodes.windows(2).map(|pair| (pair[0], pair[1])));
        }
    }
    for (index, function) in deck.functions.iter().enumerate() {
        let holder = function.access.as_ref().and_then(|(css, name)| places.lpar(*css, name));
        found.extend(holder.map(|lpar| (lpar, places.functions + index)));
    }
    for (index, (_, channels)) in places.far_ends.elsewhere.iter().enumerate() {
        found.extend(channels.iter().map(|channel| (places.channels + channel, places.elsewhere + index)));
    }
    let here = places.far_ends.here.iter();
    found.extend(here.map(|(one, other)| (places.channels + one, places.channels + other)));
    found.extend(places.ctc_pairs.iter().map(|(one, other)| (places.units + one, places.units + other)));
    for (index, run) in places.runs.iter().enumerate() {
        found.extend(run.units.iter().map(|unit| (places.units + unit, places.devices + index)));
    }
    found.into_iter().map(|(from, to)| Edge { from, to, percent: None }).collect()
}

#[cfg(test)]
mod tests {
    use halftrack_deck::read;
    use halftrack_input::SourceFile;

    use super::*;
    use crate::layout::Layout;

    pub(super) fn deck(text: &str) -> Deck {
        read(SourceFile::new("deck.iocp", text)).understood().expect("a deck").clone()
    }

    fn example() -> Deck {
        deck(include_str!("../../../deck/tests/decks/example_a.iocp"))
    }

    fn node<'t>(topology: &'t Topology, label: &str) -> (usize, &'t Node) {
        let found = topology.nodes.iter().enumerate().find(|(_, node)| node.label == label);
        found.unwrap_or_else(|| {
            let labels: Vec<&str> = topology.nodes.iter().map(|node| node.label.as_str()).collect();
            panic!("no {label} in {labels:?}")
        })
    }

    #[test]
    fn every_connection_of_the_deck_is_an_edge() {
        let topology = topology_of(&example());
        assert_eq!(topology.columns, ["LPARs", "CHPIDs, functions", "Switches", "Control units", "Devices"]);
        // 6 partitions on 10 channel paths and one on FCP; 8 channel paths on switches; 2 + 4 x 2 switches to
        // control units, 3 control units without switch; 14 ranges of devices; 5 statements of functions.
        assert_eq!(topology.edges.len(), 61 + 8 + 10 + 3 + 14 + 5);
        let (channel, switch) = (node(&topology, "0,1.40 FC").0, node(&topology, "Switch 11").0);
        assert!(topology.edges.iter().any(|edge| (edge.from, edge.to) == (channel, switch)));
        let (_, base) = node(&topology, "1000-107F");
        assert_eq!((base.figure.as_str(), base.devices[0].subchannel_set), ("3390B", 0));
        let (_, alias) = node(&topology, "1.1080-10FF");
        assert_eq!((alias.figure.as_str(), alias.devices[0].subchannel_set), ("3390A", 1));
    }

    #[test]
    fn every_node_is_in_one_group_of_its_column() {
        let topology = topology_of(&example());
        let mut members: Vec<usize> =
            topology.groups.iter().flat_map(|group| group.members.clone()).collect();
        members.sort_unstable();
        assert_eq!(members, (0..topology.nodes.len()).collect::<Vec<_>>());
        assert!(topology.groups.windows(2).all(|pair| pair[0].column <= pair[1].column));
        assert_eq!(Layout::of(&topology).columns.len(), 5);
    }

    #[test]
    fn a_route_leads_from_those_who_may_to_what_they_reach() {
        let topology = topology_of(&example());
        let fcp = node(&topology, "1.60 FCP").0;
        let route = topology.routes.iter().find(|route| route.paths == [[fcp]]).expect("a route");
        assert_eq!(route.lpars, [node(&topology, "LNX1").0]);
        assert_eq!(topology.nodes[route.units[0]].below, [node(&topology, "6000-601F").0]);
        assert_eq!(node(&topology, "6000-601F").1.only, [node(&topology, "LNX1").0]);
        let unit = node(&topology, "CU 1000").0;
        let box_a = topology.routes.iter().filter(|route| route.units.contains(&unit));
        let sizes: Vec<(usize, usize)> = box_a.map(|route| (route.lpars.len(), route.paths.len())).collect();
        assert_eq!(sizes, [(3, 8), (3, 8)]);
    }

    #[test]
    fn channels_that_fold_are_named_by_their_numbers() {
        let topology = topology_of(&example());
        let of = |chpid: &str| {
            let at = node(&topology, chpid).0;
            topology.groups.iter().find(|group| group.members.contains(&at)).expect("a group")
        };
        let group = of("0,1.40 FC");
        let title = group.title.as_deref();
        assert_eq!(
            (group.label.as_str(), title),
            ("FC 40-41 on 11", Some("FC 40-41, switch 11: 2 channel paths"))
        );
        assert_eq!(of("1.60 FCP").label, "FCP");
    }

    #[test]
    fn switches_behind_switches_have_a_column_of_their_own() {
        let text = " RESOURCE PART=((A,1)),MAXDEV=9\n\
                    \x20CHPID PATH=40,SHARED,PCHID=100,SWITCH=11,TYPE=FC\n\
                    \x20CNTLUNIT CUNUMBR=1000,PATH=40,LINK=1304,UNITADD=((00,1)),UNIT=2107\n\
                    \x20IODEVICE ADDRESS=1000,CUNUMBR=1000,UNIT=3390\n";
        let topology = topology_of(&deck(text));
        assert_eq!(topology.columns[2..4], ["Switches", "Switches behind ISLs"]);
        let (near, far) = (node(&topology, "Switch 11").0, node(&topology, "Switch 13").0);
        assert!(topology.edges.iter().any(|edge| (edge.from, edge.to) == (near, far)));
    }

    #[test]
    fn a_function_is_beside_the_channel_paths_of_its_partition() {
        let topology = topology_of(&example());
        let (function, one) = node(&topology, "FID 11-12 HYL");
        assert_eq!(
            (one.figure.as_str(), one.title.as_str()),
            (
                "128-1",
                "FUNCTION 0011-0012, HYL, PCHID 128, port 1, VF 1-2: partition PROD1 of CSS 0; may go to PROD2"
            )
        );
        assert!(["0012", "FID 12", "128", "HYL"].iter().all(|key| one.keys.iter().any(|own| own == key)));
        let holder = node(&topology, "PROD1").0;
        let of: Vec<usize> =
            topology.edges.iter().filter(|edge| edge.to == function).map(|edge| edge.from).collect();
        assert_eq!(of, [holder]);
        assert!(topology.routes.iter().any(|route| route.lpars == [holder] && route.paths == [[function]]));
        let group = topology.groups.iter().find(|group| group.members.contains(&function)).expect("a group");
        assert_eq!((group.column, group.title.as_deref()), (1, Some("HYL 128: 2 functions")));
        let network =
            |key: &str| topology.nodes.iter().filter(|one| one.keys.iter().any(|own| own == key)).count();
        assert_eq!(network("PRODNET"), 1 + 3, "OSA, and functions of the network");
    }

    /// Two partitions with an internal link, a link to another machine, and a connection between their channels.
    const COUPLED: [&str; 11] = [
        "ID SYSTEM=(3931,1),LSYSTEM=CPC1",
        "RESOURCE PART=((A,1),(CF1,2)),MAXDEV=9",
        "CHPID PATH=F0,SHARED,CPATH=F1,TYPE=ICP",
        "CHPID PATH=F1,SHARED,CPATH=F0,TYPE=ICP",
        "CHPID PATH=E0,SHARED,AID=0B,PORT=1,CPATH=(CSS(0),E1),CSYSTEM=CPC2,TYPE=CS5",
        "CHPID PATH=40,SHARED,SWITCH=11,PCHID=100,TYPE=FC",
        "CHPID PATH=41,SHARED,SWITCH=11,PCHID=120,TYPE=FC",
        "CNTLUNIT CUNUMBR=4000,PATH=40,UNITADD=((00,4)),LINK=1121,CUADD=2,UNIT=FCTC",
        "IODEVICE ADDRESS=(4000,4),UNITADD=00,CUNUMBR=4000,PART=A,UNIT=FCTC",
        "CNTLUNIT CUNUMBR=4010,PATH=41,UNITADD=((00,4)),LINK=1120,CUADD=1,UNIT=FCTC",
        "IODEVICE ADDRESS=(4000,4),UNITADD=00,CUNUMBR=4010,PART=CF1,UNIT=FCTC",
    ];

    /// Returns the cards of one short statement, cut at column 71.
    fn cards(statement: &str) -> String {
        let (first, rest) = statement.split_at(statement.len().min(70));
        if rest.is_empty() { format!(" {first}\n") } else { format!(" {first}X\n{:15}{rest}\n", "") }
    }

    #[test]
    fn coupling_links_and_ctc_lead_to_their_other_ends() {
        let text: String = COUPLED.iter().map(|statement| cards(statement)).collect();
        let topology = topology_of(&deck(&text));
        let at = |label: &str| node(&topology, label).0;
        let connected = |from: &str, to: &str| {
            topology.edges.iter().any(|edge| (edge.from, edge.to) == (at(from), at(to)))
        };
        assert!(connected("0.F0 ICP", "0.F1 ICP") && connected("CU 4000", "CU 4010"));
        assert!(connected("0.E0 CS5", "CPC2 0.E1"));
        assert_eq!(topology.columns[3], "Control units, CPCs");
        assert_eq!(topology.nodes[at("CPC2 0.E1")].title, "CPC2 0.E1, CS5: the other end of CHPID 0.E0");
        let words = "CHPID 0.E0, CS5, AID 0B-1, to 0.E1 of CPC2, SHARED: 0 control units, 0 unit addresses";
        assert_eq!(topology.nodes[at("0.E0 CS5")].title, words);
        assert!(topology.nodes[at("CU 4010")].below.contains(&at("CU 4000")));
        let path = [at("0.F1 ICP"), at("0.F0 ICP")];
        assert!(topology.routes.iter().any(|route| route.paths == [path] && route.lpars.len() == 2));
    }

    #[test]
    fn an_empty_deck_has_a_picture() {
        let topology = topology_of(&deck("         RESOURCE PART=((A,1))\n"));
        assert_eq!((topology.nodes.len(), topology.columns.len()), (1, 4));
        assert!(Layout::of(&topology).height.is_finite());
    }
}
