//! Response times by system, logical control unit and device, stacked from their parts.

use std::collections::BTreeMap;

use halftrack_drawing::number;
use halftrack_record::{DeviceInterval, Interval, ResponseTimes, Run};
use maud::{Markup, html};

use super::components::{Components, legend, number_headings};
use crate::percentiles::{Distribution, NAMES, PERMILLES};

/// Rows with a bar for one system: logical control units, half as many devices. The others are in the RMF reports.
const ROWS_MAX: usize = 24;
/// Rows of a system where there are many.
const ROWS_MIN: usize = 6;
/// Rows of all systems together, about, so that the page of the largest machine stays small.
const ROWS_OF_ALL: usize = 360;
/// Systems whose tables stand open.
const SYSTEMS_OPEN: usize = 2;

/// Response times at the devices of one system.
#[derive(Debug)]
struct SystemResponse<'a> {
    all: Components<'a>,
    lcus: BTreeMap<u16, Components<'a>>,
    lcu_times: BTreeMap<u16, Vec<&'a ResponseTimes>>,
    /// By subchannel set and number.
    devices: BTreeMap<(u8, u16), (Components<'a>, &'a DeviceInterval)>,
}

/// Response times at the devices of every system, by partition name.
#[derive(Debug)]
pub(super) struct Responses<'a> {
    measured_ps: u64,
    systems: BTreeMap<&'a str, SystemResponse<'a>>,
}

/// A line of a table: its name, its details, its records.
type Line<'a> = (String, String, Components<'a>);

impl<'a> Responses<'a> {
    /// Adds up the intervals of a run.
    pub fn of(run: &'a Run, measured_ps: u64) -> Self {
        Self::of_intervals(&run.intervals, measured_ps)
    }

    /// Adds up `intervals`.
    pub fn of_intervals(intervals: &'a [Interval], measured_ps: u64) -> Self {
        let mut systems: BTreeMap<&str, SystemResponse<'_>> = BTreeMap::new();
        // Logical units have no components of RMF: their streams have responses.
        let devices = intervals.iter().flat_map(|interval| &interval.devices);
        for device in devices.filter(|device| device.luns.is_none()) {
            let system = systems.entry(&device.lpar).or_insert_with(|| SystemResponse::new(measured_ps));
            let new = || Components::new(measured_ps);
            system.all.add(device);
            system.lcus.entry(device.lcu).or_insert_with(new).add(device);
            let place = (device.subchannel_set, device.number);
            let entry = system.devices.entry(place).or_insert_with(|| (new(), device));
            entry.0.add(device);
            entry.1 = device;
        }
        let lcus = intervals.iter().flat_map(|interval| &interval.lcus);
        for lcu in lcus.filter(|lcu| lcu.luns.is_none()) {
            let system = systems.entry(&lcu.lpar).or_insert_with(|| SystemResponse::new(measured_ps));
            system.lcu_times.entry(lcu.lcu).or_default().push(&lcu.response_times);
        }
        Self { measured_ps, systems }
    }

    /// Returns all systems together for one logical control unit.
    pub fn lcu(&self, number: u16) -> Components<'a> {
        let mut sums = Components::new(self.measured_ps);
        for system in self.systems.values() {
            if let Some(lcu) = system.lcus.get(&number) {
                sums.merge(lcu);
            }
        }
        sums
    }

    /// Returns all systems together.
    pub fn all(&self) -> Components<'a> {
        let mut sums = Components::new(self.measured_ps);
        self.systems.values().for_each(|system| sums.merge(&system.all));
        sums
    }

    /// Returns the section.
    pub fn section(&self) -> Markup {
        let lcus_shown = (ROWS_OF_ALL / self.systems.len().max(1)).clamp(ROWS_MIN, ROWS_MAX);
        let systems = self.systems.iter().map(|(name, system)| {
            ((*name).to_owned(), format!("{} LCUs", system.lcus.len()), system.all.clone())
        });
        html! {
            section #response {
                h2 { "Response times" }
                (legend())
                (self.table("Systems", ["System", ""], &systems.collect::<Vec<_>>()))
                @for (place, (name, system)) in self.systems.iter().enumerate() {
                    details open[place < SYSTEMS_OPEN] {
                        summary { "System " (name) }
                        (self.table(&format!("Logical control units, {name}"), ["LCU", &percentile_heading()],
                                    &worst(system.lcus(), lcus_shown)))
                        (left_out(system.lcus.len(), lcus_shown, "logical control unit"))
                        (self.table(&format!("Devices with the longest response, {name}"),
                                    ["Device", "Volume"], &worst(system.devices(), lcus_shown / 2)))
                    }
                }
            }
        }
    }

    fn table(&self, caption: &str, headings: [&str; 2], lines: &[Line<'_>]) -> Markup {
        let full_ms = lines.iter().map(|(_, _, sums)| sums.response_ms()).fold(0.0, f64::max);
        html! {
            div .scroll { table .response {
                caption { (caption) }
                thead { tr {
                    th scope="col" { (headings[0]) }
                    th scope="col" { (headings[1]) }
                    th scope="col" { "Parts, all of " (number::ms(full_ms)) " ms wide" }
                    (number_headings())
                    th scope="col" .number { "I/Os per s" }
                } }
                tbody {
                    @for (name, note, sums) in lines {
                        tr {
                            th scope="row" { (name) }
                            td .text { (note) }
                            (sums.cell(full_ms))
                            (sums.numbers())
                            td { (number::rate(sums.rate_per_s())) }
                        }
                    }
                }
            } }
        }
    }
}

impl<'a> SystemResponse<'a> {
    fn new(measured_ps: u64) -> Self {
        Self {
            all: Components::new(measured_ps),
            lcus: BTreeMap::new(),
            lcu_times: BTreeMap::new(),
            devices: BTreeMap::new(),
        }
    }

    fn lcus(&self) -> Vec<Line<'a>> {
        let line = |(lcu, records): (&u16, &Components<'a>)| {
            let times = Distribution::of(self.lcu_times.get(lcu).into_iter().flatten().copied());
            (format!("{lcu:04X}"), percentile_words(&times), records.clone())
        };
        self.lcus.iter().map(line).collect()
    }

    fn devices(&self) -> Vec<Line<'a>> {
        let line = |(&(set, number), (records, device)): (&(u8, u16), &(Components<'a>, &DeviceInterval))| {
            let volume = format!("{} {} LCU {:04X}", device.volser, device.storage_group, device.lcu);
            (device_name(set, number), volume, records.clone())
        };
        self.devices.iter().map(line).collect()
    }
}

/// Returns the heading of the percentiles of a logical control unit.
fn percentile_heading() -> String {
    format!("{}, ms", NAMES.join(" / "))
}

/// Returns percentiles of `times` in one cell; nothing where none were counted.
fn percentile_words(times: &Distribution) -> String {
    if times.counted() == 0 {
        return String::new();
    }
    PERMILLES.map(|permille| number::ms(times.percentile_ms(permille))).join(" / ")
}

/// Returns a device number, with its subchannel set where that is not 0.
fn device_name(set: u8, number: u16) -> String {
    if set == 0 { format!("{number:04X}") } else { format!("{set}.{number:04X}") }
}

/// Returns the `count` lines with the longest response that had I/Os, the longest first, by name among equals.
fn worst(mut lines: Vec<Line<'_>>, count: usize) -> Vec<Line<'_>> {
    lines.retain(|(_, _, records)| records.completed() > 0);
    let mut lines: Vec<_> = lines.into_iter().map(|line| (line.2.response_ms(), line)).collect();
    lines.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    lines.truncate(count);
    lines.into_iter().map(|(_, line)| line).collect()
}

fn left_out(all: usize, shown: usize, noun: &str) -> Markup {
    html! {
        @if all > shown {
            p .note {
                "The " (shown) " with the longest response of " (number::counted(all, noun))
                "; the RMF report of the system has all of them."
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden;

    #[test]
    fn the_longest_response_stands_first_and_idle_devices_are_left_out() {
        let run = golden::run();
        let responses = Responses::of(&run, 1_799_998_000_000_000);
        let lines = worst(responses.systems["SYN1"].devices(), ROWS_MAX);
        let names: Vec<_> = lines.iter().map(|(name, ..)| name.as_str()).collect();
        assert_eq!(names, ["8100", "8000"], "8101 has no I/O");
        assert!((lines[0].2.response_ms() - 1.9).abs() < 1e-9);
        assert!(responses.section().into_string().contains("1.8000"), "subchannel set 1");
    }

    #[test]
    fn a_logical_control_unit_has_its_percentiles() {
        let run = golden::run();
        let text = Responses::of(&run, 1).section().into_string();
        assert!(text.contains("p50 / p90 / p99 / p99.9, ms"), "{text}");
        assert!(text.contains("0.100 / 0.300 / 0.300 / 0.900"), "{text}");
    }

    #[test]
    fn systems_add_up() {
        let run = golden::run();
        let responses = Responses::of(&run, 1);
        let all: u128 = responses.systems.values().map(|system| system.all.completed()).sum();
        assert_eq!(responses.all().completed(), all);
        assert!(responses.lcu(0x40).completed() > responses.systems["SYN1"].lcus[&0x40].completed());
    }
}
