//! Stations and pools of which open streams demand more than there is, found before the run.

use halftrack_config::Arrivals;
use halftrack_record::{OfferedRate, OfferedTooMuch};

use crate::wiring::Wiring;
use crate::wiring::demands::{Demands, Station};

/// Finds the station or pool of which each open stream demands most, where that is too much, each once. Closed streams wait,
/// and take nothing beforehand.
pub(crate) fn offered_too_much(w: &Wiring) -> Vec<OfferedTooMuch> {
    let c = &w.configuration;
    let rates: Vec<f64> = c.streams.iter().map(|stream| offered_per_s(&stream.arrivals)).collect();
    if rates.iter().all(|rate_per_s| *rate_per_s == 0.0) {
        return Vec::new();
    }
    let demands = Demands::of(w);
    let asked = demands.utilisations(c, &rates);
    let of_stream = |place: usize, station: Station| {
        let demand_s = demands.streams[place].stations.get(&station)?;
        Some(rates[place] * demand_s).filter(|asked| *asked > 0.0)
    };
    let mut found: Vec<(Station, f64)> = Vec::new();
    for place in 0..rates.len() {
        let most = asked.iter().find(|(station, _)| of_stream(place, *station).is_some());
        found.extend(most.filter(|most| most.1 > 1.0 && !found.contains(most)));
    }
    let too_much = |(station, utilisation): (Station, f64)| {
        let mut streams: Vec<(usize, f64)> =
            (0..rates.len()).filter_map(|place| Some((place, of_stream(place, station)?))).collect();
        streams.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let named = |(place, _): (usize, f64)| OfferedRate {
            stream: c.streams[place].name.clone(),
            per_s: rates[place],
        };
        OfferedTooMuch {
            station: station.name(c),
            served: 1.0 / utilisation,
            streams: streams.into_iter().map(named).collect(),
        }
    };
    found.into_iter().map(too_much).collect()
}

/// Returns the I/Os a second that an open stream offers; 0 of any other.
pub(crate) fn offered_per_s(arrivals: &Arrivals) -> f64 {
    match arrivals {
        Arrivals::Open { interarrival, .. } => 1.0 / interarrival.as_s_f64(),
        Arrivals::Closed { .. } | Arrivals::Traced(_) => 0.0,
    }
}
