//! Stations of the machine.

use halftrack_record::{Interval, StationInterval};

use crate::column;
use crate::formula::percent_busy;
use crate::quantity::Unit;
use crate::rows::{Rows, Source};
use crate::table::{Named, SubjectRule, Table, one_each_interval};

/// A figure of this table.
type Column = column::Column<StationInterval>;

/// Utilisation of the station.
pub(crate) const BUSY: Column = Column::new(
    "station_percent",
    Unit::Percent,
    "Time that the station was busy; mean over its servers",
    |stations| {
        let servers = stations.each.iter().map(|station| station.servers).max().unwrap_or(0);
        percent_busy(stations.total(|station| station.busy_ps), servers.into(), stations.length_ps)
    },
);

/// Visits to the station.
pub(crate) const VISITS: Column = Column::new(
    "station_visits_per_s",
    Unit::PerSecond,
    "Visits to the station that were completed",
    |stations| stations.rate(|station| station.completions),
);

const STATIONS: Named<StationInterval> =
    Named { records: |interval| &interval.stations, name: |_, station| station.name.clone() };

/// Returns the stations of an interval, and its links as stations with one server.
pub(crate) fn with_links(interval: &Interval) -> impl Iterator<Item = StationInterval> {
    let links = interval.links.iter().map(|link| StationInterval {
        name: link_name(&link.name),
        servers: 1,
        busy_ps: link.busy_ps,
        completions: link.sent,
    });
    interval.stations.iter().cloned().chain(links)
}

/// Returns the name of a link among the stations.
pub(crate) fn link_name(link: &str) -> String {
    format!("link {link}")
}

/// The table of stations.
pub(crate) static TABLE: Table<StationInterval> = Table {
    kind: "station",
    report: "",
    subject_rule: SubjectRule::One,
    columns: &[BUSY, VISITS],
    choose: |run, subject| STATIONS.choose(run, subject),
    subjects: |run| STATIONS.subjects(run),
    by_subject: Some(|run| STATIONS.by_subject(run)),
    things: one_each_interval,
    rows: Rows {
        frame: "stations",
        keys: &[("station", "Canonical name of the station")],
        source: Source::Interval(|run, interval| STATIONS.rows(run, interval)),
    },
};
