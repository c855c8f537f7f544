//! How busy the stations of the machine were.

use halftrack_interval::{Run, StationInterval};

use super::{Of, QuantityError, Unit, Word, chosen, length_ps, listed, unknown, word};
use crate::formula::{percent_busy, total};
use crate::summary::RunSummary;

const STATION: &str = "station";

pub(super) const WORDS: &[Word] = &[
    word("station_percent", Unit::Percent, Of::Station),
    word("bottleneck_percent", Unit::Percent, Of::Bottleneck),
];

/// Utilisation of a station over the measured time, percent.
pub(super) fn value(run: &Run, word: &'static str, subject: Option<&str>) -> Result<f64, QuantityError> {
    let Some(subject) = subject else {
        let known = listed(subjects(run));
        return Err(QuantityError::NeedsSubject { word, kind: STATION, known });
    };
    let is = |one: &StationInterval, subject: &str| one.name == subject;
    let unknown = |subject: &str| unknown(word, STATION, subject, subjects(run));
    let records = chosen(run, |interval| &interval.stations, Some(subject), is, unknown)?;
    let servers = records.iter().map(|station| u64::from(station.servers)).max().unwrap_or(0);
    Ok(percent_busy(total(records.iter().map(|station| station.busy_ps)), servers, length_ps(run)))
}

/// Utilisation of the busiest station, percent.
pub(super) fn bottleneck(run: &Run, word: &'static str, subject: Option<&str>) -> Result<f64, QuantityError> {
    if subject.is_some() {
        return Err(QuantityError::NoSubject { word });
    }
    Ok(RunSummary::compute(run).bottleneck.map_or(0.0, |station| station.busy_percent))
}

pub(super) fn subjects(run: &Run) -> Vec<String> {
    let stations = run.intervals.first().into_iter().flat_map(|interval| &interval.stations);
    stations.map(|station| station.name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use crate::quantity::tests::of;

    #[test]
    fn the_bottleneck_is_the_busiest_of_the_stations() {
        assert_eq!(of("bottleneck_percent"), of("station_percent:channel 0.40 processor"));
    }
}
