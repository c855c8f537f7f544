//! How the run went over its intervals: rate and response of each system, the busiest stations.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use halftrack_drawing::number;
use halftrack_record::{Interval, Run, StationInterval};
use maud::{Markup, html};

use super::components::Components;
use super::line_chart::{LINES_MAX, Line, LineChart};
use super::usage::Usage;
use crate::columns::stations::{BUSY, with_links};
use crate::formula::seconds;
use crate::records::Records;
use crate::table::measured_ps;

/// Moments on a chart; more intervals are drawn several to a moment.
const MOMENTS_MAX: usize = 240;

/// Some intervals that follow each other, drawn as one moment.
#[derive(Debug, Default)]
struct Moment<'a> {
    start_s: f64,
    length_ps: u64,
    systems: BTreeMap<&'a str, Components<'a>>,
    stations: BTreeMap<String, Vec<StationInterval>>,
}

impl<'a> Moment<'a> {
    fn of(intervals: &'a [Interval]) -> Self {
        let start_s = intervals.first().map_or(0.0, |first| seconds(first.start_ps));
        let length_ps = measured_ps(intervals);
        let mut moment = Self { start_s, length_ps, ..Self::default() };
        for interval in intervals {
            for device in &interval.devices {
                let system = moment.systems.entry(&device.lpar);
                system.or_insert_with(|| Components::new(length_ps)).add(device);
            }
            for station in with_links(interval) {
                moment.stations.entry(station.name.clone()).or_default().push(station);
            }
        }
        moment
    }

    fn rate_per_s(&self, system: &str) -> f64 {
        self.systems.get(system).map_or(0.0, Components::rate_per_s)
    }

    fn response_ms(&self, system: &str) -> f64 {
        self.systems.get(system).map_or(0.0, Components::response_ms)
    }

    fn percent(&self, station: &str) -> f64 {
        let each = self.stations.get(station).into_iter().flatten();
        BUSY.number(&Records::of_thing(each.collect(), self.length_ps))
    }
}

/// Returns the section; nothing for a run of one interval.
pub(super) fn section(run: &Run, usage: &Usage) -> Markup {
    if run.intervals.len() < 2 {
        return html! {};
    }
    let together = run.intervals.len().div_ceil(MOMENTS_MAX);
    let moments: Vec<_> = run.intervals.chunks(together).map(Moment::of).collect();
    let times_s: Vec<f64> = moments.iter().map(|moment| moment.start_s).collect();
    let systems = busiest_systems(&moments);
    let shown = &systems[..systems.len().min(LINES_MAX)];
    let busiest = busiest_of_each_kind(usage);
    let lines = |names: &[&str], value: &dyn Fn(&Moment<'_>, &str) -> f64| -> Vec<Line> {
        let line = |name: &&str| Line {
            name: (*name).to_owned(),
            values: moments.iter().map(|moment| value(moment, name)).collect(),
        };
        names.iter().map(line).collect()
    };
    let charts = [
        ("I/Os per second", lines(shown, &|moment, name| moment.rate_per_s(name)), 0.0),
        ("Response, ms", lines(shown, &|moment, name| moment.response_ms(name)), 0.0),
        (
            "Utilisation of the busiest station of each kind, %",
            lines(&busiest, &|moment, name| moment.percent(name)),
            100.0,
        ),
    ];
    html! {
        section #history {
            h2 { "Over time" }
            p .note {
                (number::counted(run.intervals.len(), "interval"))
                @if together > 1 { ", " (together) " drawn as one" }
                @if systems.len() > shown.len() { "; the " (shown.len()) " busiest systems of " (systems.len()) }
                "."
            }
            div .charts {
                @for (title, lines, at_least) in &charts {
                    (LineChart { title, times_s: &times_s, lines, at_least: *at_least }.render())
                }
            }
            details {
                summary { "The same as numbers" }
                (table(&times_s, &charts))
            }
        }
    }
}

/// Returns systems by their I/Os, the busiest first, by name among equals.
fn busiest_systems<'a>(moments: &[Moment<'a>]) -> Vec<&'a str> {
    let mut completed: BTreeMap<&str, u128> = BTreeMap::new();
    for (system, sums) in moments.iter().flat_map(|moment| &moment.systems) {
        *completed.entry(system).or_default() += sums.completed();
    }
    let mut systems: Vec<_> = completed.into_iter().collect();
    systems.sort_by_key(|(name, completed)| (Reverse(*completed), *name));
    systems.into_iter().map(|(name, _)| name).collect()
}

/// Returns the busiest station of each kind, those of the busiest kinds first.
fn busiest_of_each_kind(usage: &Usage) -> Vec<&str> {
    let mut kinds = BTreeSet::new();
    let first = usage.stations.iter().filter(|station| kinds.insert(station.kind));
    first.take(LINES_MAX).map(|station| station.name.as_str()).collect()
}

fn table(times_s: &[f64], charts: &[(&str, Vec<Line>, f64)]) -> Markup {
    html! {
        div .scroll { table {
            caption { "Rate, response and utilisation over time" }
            thead {
                tr {
                    th scope="col" rowspan="2" .number { "From s" }
                    @for (title, lines, _) in charts { th scope="colgroup" colspan=(lines.len()) { (title) } }
                }
                tr { @for line in charts.iter().flat_map(|(_, lines, _)| lines) {
                    th scope="col" .number { (line.name) }
                } }
            }
            tbody {
                @for (moment, time) in times_s.iter().enumerate() {
                    tr {
                        th scope="row" .number { (number::grouped(*time, 3)) }
                        @for line in charts.iter().flat_map(|(_, lines, _)| lines) {
                            td { (number::grouped(line.values[moment], 3)) }
                        }
                    }
                }
            }
        } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden;

    #[test]
    fn one_interval_has_no_history() {
        let mut run = golden::run();
        run.intervals.truncate(1);
        assert_eq!(section(&run, &Usage::of(&run)).into_string(), "");
    }

    #[test]
    fn every_system_and_station_has_its_line() {
        let run = golden::run();
        let text = section(&run, &Usage::of(&run)).into_string();
        assert_eq!(text.matches("<polyline").count(), 2 + 2 + 4);
        assert!(text.contains("channel 0.40 processor from 7.500 to 63.000"), "{text}");
    }

    #[test]
    fn many_intervals_are_drawn_several_to_a_moment() {
        let mut run = golden::run();
        let second = run.intervals[1].clone();
        run.intervals.extend(std::iter::repeat_n(second, 998));
        let text = section(&run, &Usage::of(&run)).into_string();
        assert!(text.contains("1,000 intervals, 5 drawn as one"));
        let points = text.split("points=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        assert_eq!(points.split(' ').count(), 200);
    }
}
