//! Which node of the picture stands for what of the configuration, and the nodes along a path.

use std::collections::BTreeMap;

use halftrack_config::{Configuration, Path};

use super::zhyperlinks::ZHyperLinks;
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
    pub zhyperlinks: ZHyperLinks,
    pub key_manager: Option<usize>,
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
        let zhyperlinks = ZHyperLinks::of(configuration, lcus + configuration.lcus.len());
        let after = lcus + configuration.lcus.len() + zhyperlinks.nodes();
        let key_manager = configuration.key_manager.as_ref().map(|_| after);
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
            zhyperlinks,
            key_manager,
            nodes: after + usize::from(key_manager.is_some()),
        }
    }

    pub(super) fn director_columns(&self) -> usize {
        self.directors.values().map(|(_, depth)| depth + 1).max().unwrap_or(0)
    }

    /// Returns the columns between channels and ports: those of directors, and one that the key manager has alone where there
    /// are none.
    pub(super) fn middle_columns(&self) -> usize {
        self.director_columns().max(usize::from(self.key_manager.is_some()))
    }

    /// Returns the headings of the columns.
    pub(super) fn headings(&self) -> Vec<String> {
        let (channels, ports) = match self.zhyperlinks.is_empty() {
            true => ("Channels", "Host-adapter ports"),
            false => ("Channels and adapters", "Ports of boxes"),
        };
        let middle = (0..self.middle_columns()).map(|depth| match (depth, self.director_columns()) {
            (0, 0) => "Key manager",
            (0, _) => "Directors",
            _ => "Directors behind ISLs",
        });
        let all = ["LPARs", channels].into_iter().chain(middle).chain([ports, "Logical control units"]);
        all.map(str::to_owned).collect()
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
