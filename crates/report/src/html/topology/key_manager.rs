//! The key manager of the picture, and the channels and ports that take keys from it.

use halftrack_config::{Configuration, KeyManager};
use halftrack_drawing::{Edge, Group, Node, number};

use super::places::Places;

/// Returns the node.
pub(super) fn node(manager: &KeyManager) -> Node {
    let (channels, ports) = (manager.channels.len(), manager.ports.len());
    Node {
        label: format!("Key manager {}", manager.name),
        title: format!(
            "Key manager {} of endpoint security: keys for {} and {}",
            manager.name,
            number::counted(channels, "channel"),
            number::counted(ports, "port")
        ),
        keys: vec![manager.name.to_uppercase(), "KEY MANAGER".to_owned()],
        ..Node::default()
    }
}

/// Returns the ways that keys take, to channels and to ports.
pub(super) fn edges(configuration: &Configuration, places: &Places) -> Vec<Edge> {
    let Some((manager, node)) = configuration.key_manager.as_ref().zip(places.key_manager) else {
        return Vec::new();
    };
    let channels = manager.channels.iter().map(|channel| (places.channels + *channel as usize, node));
    let ports = manager.ports.iter().map(|port| (node, places.ports + *port as usize));
    channels.chain(ports).map(|(from, to)| Edge { from, to, percent: None }).collect()
}

/// Returns its group, in `column`.
pub(super) fn group(node: usize, column: usize) -> Group {
    let (label, figure) = ("Key manager".to_owned(), String::new());
    Group { column, label, members: vec![node], title: None, figure, open: true }
}
