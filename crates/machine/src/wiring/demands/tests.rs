use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use halftrack_catalog::Catalog;
use halftrack_config::Configuration;

use super::*;
use crate::run::simulation::Simulation;
use crate::wiring::offered::offered_too_much;
use crate::wiring::options::Options;

const OPTIONS: Options = Options::new(1);

fn configuration(study: &str) -> Configuration {
    let study = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies").join(study);
    let loaded = halftrack_config::load(&study, &Catalog::load(&[]).0);
    loaded.configuration.expect("the study is right")
}

fn wiring(configuration: Configuration) -> Wiring {
    Wiring::new(Arc::new(configuration), OPTIONS).expect("the study can be wired")
}

/// Reads, writes, misses, both protocols, several partitions, cards and boxes; and the cards of 2002.
#[test]
fn rates_times_demands_are_the_busy_time_of_a_run() {
    for study in ["z16-oltp", "z900-ficon"] {
        let mut configuration = configuration(study);
        (configuration.run.interval, configuration.run.intervals) = (Span::from_ms(400), 1);
        let w = wiring(configuration.clone());
        let mut simulation =
            Simulation::new(Arc::new(configuration), OPTIONS).expect("the study can be wired");
        let (run, _) = simulation.run(&mut |_| ());
        let interval = &run.intervals[0];
        let length_s = interval.length_ps as f64 / 1e12;
        let rates: Vec<f64> = run.streams.iter().map(|stream| stream.completed as f64 / length_s).collect();
        let links = interval.links.iter().map(|link| (format!("link {}", link.name), link.busy_ps, 1));
        let stations = interval.stations.iter().map(|one| (one.name.clone(), one.busy_ps, one.servers));
        let busy: BTreeMap<String, f64> = stations
            .chain(links)
            .map(|(name, ps, servers)| (name, ps as f64 / 1e12 / length_s / f64::from(servers.max(1))))
            .collect();
        let mut compared = 0;
        let demands = Demands::of(&w);
        for (station, asked) in demands.utilisations(&w.configuration, &rates) {
            if station.is_pool() || asked < 0.01 {
                continue;
            }
            let name = station.name(&w.configuration);
            let busy = busy.get(&name).unwrap_or_else(|| panic!("{study} has no {name}"));
            // Kinds of I/O and devices are drawn, and how long staging takes.
            let visits = |(one, rate): (&StreamDemands, &f64)| {
                one.drawn_visits.get(&station).map(|visits| visits * rate * length_s)
            };
            let visits: f64 = demands.streams.iter().zip(&rates).filter_map(visits).sum();
            // Four standard deviations: on a link to a port a write is worth a dozen reads.
            let within = 0.02 + if visits > 0.0 { 4.0 / visits.sqrt() } else { 0.0 };
            assert!((asked / busy - 1.0).abs() < within, "{study} {name}: asked {asked}, busy {busy}");
            compared += 1;
        }
        assert!(compared > 20, "{study}: {compared} stations");
        let bounds = run.checkers.last().expect("the seventh law");
        assert!(bounds.violations.is_empty() && bounds.checks > compared, "{study}: {bounds:?}");
    }
}

#[test]
fn an_open_stream_that_offers_too_much_is_found_with_the_rate_that_goes() {
    let fits = configuration("z16-oltp");
    assert_eq!(offered_too_much(&wiring(fits.clone())), []);
    let mut too_much = fits;
    let legacy = too_much.streams.iter_mut().find(|stream| stream.name == "LEGACY").expect("the stream");
    legacy.arrivals = Arrivals::Open { interarrival: Span::from_ns(2500), poisson: true };
    let found = offered_too_much(&wiring(too_much));
    let [one] = &found[..] else { panic!("{found:?}") };
    assert!(one.station.starts_with("channel CSS0.") && one.station.ends_with(" processor"), "{one:?}");
    assert_eq!(one.streams[0].stream, "LEGACY");
    assert!((one.streams[0].per_s / 400_000.0 - 1.0).abs() < 1e-9, "{one:?}");
    assert!((0.3..0.7).contains(&one.served) && one.bound_per_s() < 280_000.0, "{one:?}");
}
