//! The example of two hosts that share two storage systems: how many channels, paths and ports the layouts of it have. Each
//! study is the view of one of the two hosts, which are equal.

use std::collections::BTreeSet;

use halftrack_config::Configuration;

use crate::site::Site;

const HOSTS: usize = 2;

macro_rules! text {
    ($name:literal, $file:literal) => {
        include_str!(concat!("../../../../studies/published/ficon-2002-layout-", $name, "/", $file))
            .to_owned()
    };
}

macro_rules! layout {
    ($name:literal) => {
        Site {
            deck: text!($name, "deck.iocp"),
            plant: text!($name, "plant.toml"),
            workload: text!($name, "workload.toml"),
        }
        .configuration()
    };
}

/// Counts the channels of a host and, for each storage system, the channels that reach it and its ports in use.
fn counts(site: &Configuration) -> (usize, Vec<(usize, usize)>) {
    let boxes: BTreeSet<u32> = site.lcus.iter().map(|lcu| lcu.control_unit).collect();
    let of_box = |which: u32| {
        let lcus = site.lcus.iter().filter(|lcu| lcu.control_unit == which);
        let paths: Vec<_> = lcus.flat_map(|lcu| &lcu.path_groups).flat_map(|group| &group.paths).collect();
        let channels: BTreeSet<u32> = paths.iter().map(|path| path.channel).collect();
        let ports: BTreeSet<u32> = paths.iter().map(|path| path.port).collect();
        (channels.len(), ports.len())
    };
    (site.channels.len(), boxes.into_iter().map(of_box).collect())
}

#[test]
fn sixty_four_escon_channels_become_sixteen_and_then_eight_of_ficon() {
    let escon = counts(&layout!("escon"));
    let like_for_like = counts(&layout!("ficon"));
    let shared = counts(&layout!("shared"));
    let consolidated = counts(&layout!("consolidated"));
    // Sixteen channels of each host for each of two storage systems with sixteen ports.
    assert_eq!(escon, (32, vec![(16, 16), (16, 16)]));
    // A quarter of both.
    assert_eq!(like_for_like, (8, vec![(4, 4), (4, 4)]));
    // Every channel reaches both storage systems, which have eight ports together.
    assert_eq!(shared, (8, vec![(8, 4), (8, 4)]));
    assert_eq!(consolidated, (4, vec![(4, 4), (4, 4)]));
    let channels = [escon, like_for_like, shared, consolidated].map(|layout| HOSTS * layout.0);
    assert_eq!(channels, [64, 16, 16, 8]);
}
