//! Streams that draw tracks, and what is said where there is no cache or no track for them.

use halftrack_config::{Locality, numbers};

use crate::site::Site;

/// The site with a cache in both boxes; OLTP, which uses both, draws from `tracks` tracks of each device.
fn site(tracks: u32) -> Site {
    Site::new()
        .plant("volser = \"BA####\"", "volser = \"BA####\"\ncache_tracks = 5000")
        .plant("volser = \"BB####\"", "volser = \"BB####\"\ncache_tracks = 600")
        .workload("hit_ratio = 0.9", &format!("locality = {{ tracks = {tracks}, zipf = 0.8 }}"))
}

#[track_caller]
fn refused(site: &Site, number: u16, words: &str, others: usize) {
    let loaded = site.assemble();
    let lines: Vec<_> = loaded.diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(lines.len(), 1, "{lines:#?}");
    let one = &loaded.diagnostics[0];
    assert!(one.number == number && one.message.contains(words) && one.fix.is_some(), "{one}");
    assert_eq!(one.others.len(), others, "{one}");
}

#[test]
fn a_stream_draws_tracks_and_every_port_knows_the_cache_of_its_box() {
    let configuration = site(200).configuration();
    let locality: Vec<_> = configuration.streams.iter().map(|stream| stream.locality).collect();
    assert_eq!(locality, [None, Some(Locality { tracks: 200, exponent: Some(0.8) })]);
    let tracks: Vec<_> = configuration.ports.iter().map(|port| port.hardware.cache_tracks).collect();
    assert_eq!(tracks, [5000, 5000, 600]);
}

#[test]
fn a_cache_of_unknown_size_is_not_guessed() {
    let without = site(200).plant("\ncache_tracks = 600", "");
    refused(
        &without,
        numbers::NO_CACHE,
        "stream OLTP draws tracks, but nothing says how many the cache of BOXB",
        1,
    );
}

/// 10,017 cylinders of 15 tracks.
#[test]
fn a_working_set_lies_on_a_volume() {
    assert_eq!(site(150_255).assemble().diagnostics, []);
    refused(&site(150_256), numbers::DOES_NOT_FIT, "draws from 150256 tracks, but device", 0);
}
