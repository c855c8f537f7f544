//! How busy the stations of the machine were.

use halftrack_record::{Run, StationInterval};

use super::named::Named;
use super::{Of, QuantityError, Unit, Word, length_ps, word};
use crate::formula::{percent_busy, total};
use crate::summary::RunSummary;

pub(super) const STATIONS: Named<StationInterval> = Named {
    kind: "station",
    records: |interval| &interval.stations,
    name: |_, station| station.name.clone(),
};

pub(super) const WORDS: &[Word] = &[
    word("station_percent", Unit::Percent, Of::Station),
    word("bottleneck_percent", Unit::Percent, Of::Bottleneck),
];

/// Utilisation of a station over the measured time, percent.
pub(super) fn value(run: &Run, word: &'static str, subject: Option<&str>) -> Result<f64, QuantityError> {
    let records = STATIONS.needed(run, word, subject)?;
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

#[cfg(test)]
mod tests {
    use crate::quantity::tests::of;

    #[test]
    fn the_bottleneck_is_the_busiest_of_the_stations() {
        assert_eq!(of("bottleneck_percent"), of("station_percent:channel 0.40 processor"));
    }
}
