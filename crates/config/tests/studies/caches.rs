//! Streams that draw tracks, and the messages where a cache or a track is missing.

use halftrack_config::Locality;
use halftrack_input::messages::study as numbers;

use crate::site::Site;

/// Returns the site with a cache in both boxes; OLTP, which uses both, draws from `tracks` tracks of each device.
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
    refused(&without, numbers::NO_CACHE, "stream OLTP draws tracks, but the size of the cache of BOXB", 1);
}

/// A key that a stream leaves out is taken from the box of each device; its own key goes first, and tracks that it
/// looks up before both.
#[test]
fn a_box_says_what_its_streams_leave_open() {
    let boxes = |site: Site| {
        site.plant("volser = \"BA####\"", "volser = \"BA####\"\nhit_ratio = 0.7")
            .plant("volser = \"BB####\"", "volser = \"BB####\"\nhit_ratio = 0.2")
    };
    let of = |site: Site| {
        let streams = site.configuration().streams;
        streams.into_iter().map(|stream| (stream.hit_ppm, stream.hit_ppm_of_device)).collect::<Vec<_>>()
    };
    let said = of(boxes(Site::new()));
    assert_eq!(said, [(700_000, vec![]), (900_000, vec![])], "BATCH is in BOXA, OLTP has a word of its own");
    let open = of(boxes(Site::new()).workload("hit_ratio = 0.9\n", ""));
    let mut unlike = vec![700_000; 16];
    unlike.push(200_000);
    assert_eq!(open[1], (700_000, unlike), "OLTP is in both boxes");
    let looked_up = of(boxes(site(200)));
    assert_eq!(looked_up[1], (1_000_000, vec![]));
    assert_eq!(of(Site::new())[0], (1_000_000, vec![]));
}

/// 10,017 cylinders of 15 tracks.
#[test]
fn a_working_set_lies_on_a_volume() {
    assert_eq!(site(150_255).assemble().diagnostics, []);
    refused(&site(150_256), numbers::DOES_NOT_FIT, "draws from 150256 tracks, but device", 0);
}
