//! Which node of the picture stands for what of the configuration, and the nodes along a path.

use std::collections::BTreeMap;

use halftrack_config::{Configuration, Path};

use crate::html::links::ends;

/// Columns before the directors: partitions and channels.
pub(super) const HOST_COLUMNS: usize = 2;

/// Which nodes stand for what, by index in the configuration.
pub(super) struct Places {
    pub lpars: usize,
    pub channels: usize,
    /// Directors by id, with the number of the column among those of directors.
    pub directors: BTreeMap<String, (usize, usize)>,
    pub ports: usize,
    pub lcus: usize,
    pub nodes: usize,
}

impl Places {
    pub(super) fn of(configuration: &Configuration) -> Self {
        let mut depths: BTreeMap<String, usize> = BTreeMap::new();
        for path in paths(configuration) {
            for (depth, director) in directors(configuration, &path).enumerate() {
                let deepest = depths.entry(director.to_owned()).or_default();
                *deepest = depth.max(*deepest);
            }
        }
        let channels = configuration.lpars.len();
        let directors_from = channels + configuration.channels.len();
        let ports = directors_from + depths.len();
        let lcus = ports + configuration.ports.len();
        Self {
            lpars: 0,
            channels,
            directors: depths
                .into_iter()
                .zip(directors_from..)
                .map(|((id, depth), at)| (id, (at, depth)))
                .collect(),
            ports,
            lcus,
            nodes: lcus + configuration.lcus.len(),
        }
    }

    pub(super) fn director_columns(&self) -> usize {
        self.directors.values().map(|(_, depth)| depth + 1).max().unwrap_or(0)
    }

    /// Returns the channel, directors, port.
    pub(super) fn path(&self, configuration: &Configuration, path: &Path) -> Vec<usize> {
        let mut nodes = vec![self.channels + path.channel as usize];
        nodes.extend(directors(configuration, path).map(|director| self.directors[director].0));
        nodes.push(self.ports + path.port as usize);
        nodes
    }
}

/// Returns every way of every path of the configuration.
pub(super) fn paths(configuration: &Configuration) -> impl Iterator<Item = Path> {
    let groups = configuration.lcus.iter().flat_map(|lcu| &lcu.path_groups);
    groups.flat_map(|group| &group.paths).flat_map(Path::ways)
}

/// Returns ids of the directors of a path from the channel outwards: every link but the last ends at a director's port,
/// `11.20`.
pub(super) fn directors<'a>(
    configuration: &'a Configuration,
    path: &'a Path,
) -> impl Iterator<Item = &'a str> {
    let before_last = path.outbound.len().saturating_sub(1);
    path.outbound[..before_last].iter().map(|link| {
        let (_, to) = ends(&configuration.links[*link as usize].name);
        to.split_once('.').map_or(to, |(director, _)| director)
    })
}
