use crate::site::{Knobs, OPTIONS, closed, configuration, stream};
use halftrack_engine::SimDuration;
use halftrack_machine::Simulation;
use std::sync::Arc;
#[test]
#[ignore]
fn probe() {
    let knobs = Knobs { streams: vec![stream("work", closed(96))], ..Knobs::default() };
    let mut s = Simulation::new(Arc::new(configuration(&knobs)), OPTIONS).unwrap();
    s.advance(SimDuration::from_ms(50));
    let ms: u64 = std::env::var("PROBE_MS").map_or(1000, |v| v.parse().unwrap());
    for _ in 0..(if ms < 1000 { 1 } else { 5 }) {
        let c0 = s.counters();
        let t = std::time::Instant::now();
        s.advance(SimDuration::from_ms(ms));
        let w = t.elapsed().as_secs_f64();
        let c = s.counters();
        let (i, e) = (c.ios - c0.ios, c.events - c0.events);
        println!(
            "{} ios {:.2} ev/io {:.1} ns/io {:.2} M/s",
            i,
            e as f64 / i as f64,
            w * 1e9 / i as f64,
            i as f64 / w / 1e6
        );
    }
}
