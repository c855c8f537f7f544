//! Synchronous I/O: the links and the devices that it was requested of.

use std::collections::BTreeMap;

use halftrack_config::{Configuration, SynchronousLink};
use halftrack_drawing::number;
use halftrack_record::{DeviceInterval, Interval, Run, SynchronousLinkInterval};
use maud::{Markup, html};

use super::cells::{cells, headings};
use crate::column::of_page;
use crate::columns::{synchronous, synchronous_links};
use crate::records::Records;
use crate::synchronous_io_device_activity::has_requests;
use crate::table::measured_ps;

/// Devices of one system that have a row; the others are in the RMF report.
const DEVICES_SHOWN: usize = 24;
/// Links whose table stands open.
const LINKS_OPEN: usize = 32;

/// Records of one device of a system, with its number.
type Device<'a> = (String, Records<'a, DeviceInterval>);

/// Returns the section; nothing for a run without zHyperLinks.
pub(super) fn section(run: &Run) -> Markup {
    if run.intervals.iter().all(|interval| interval.synchronous_links.is_empty()) {
        return html! {};
    }
    html! {
        section #synchronous {
            h2 { "Synchronous I/O over zHyperLink" }
            p .note {
                "A request holds its link and the CP that issued it until the data are there. What is rejected goes "
                "on as an asynchronous I/O on the FICON paths."
            }
            (links(run))
            @for (system, devices) in systems(run) { (table(system, devices)) }
        }
    }
}

/// Returns the share of the time that requests hold each zHyperLink of the configuration, percent; `None` where the run did not
/// measure it.
pub(super) fn percents(intervals: &[Interval], configuration: &Configuration) -> Vec<Option<f64>> {
    let measured = measured(intervals);
    let held = |link: &SynchronousLink| {
        measured.get(link.name.as_str()).map(|records| synchronous_links::HELD.number(records))
    };
    configuration.synchronous.links.iter().map(held).collect()
}

/// Returns the rate of requests that succeeded, over all links; `None` for a run without zHyperLinks.
pub(super) fn successes_per_s(run: &Run) -> Option<f64> {
    let links: Vec<_> = run.intervals.iter().flat_map(|interval| &interval.synchronous_links).collect();
    let is_without = links.is_empty();
    let rate = Records::of_thing(links, measured_ps(&run.intervals)).rate(|link| link.successes);
    (!is_without).then_some(rate)
}

/// Returns the records of each link over the whole run, by name.
fn measured(intervals: &[Interval]) -> BTreeMap<&str, Records<'_, SynchronousLinkInterval>> {
    let mut links = BTreeMap::<&str, Vec<_>>::new();
    for link in intervals.iter().flat_map(|interval| &interval.synchronous_links) {
        links.entry(&link.name).or_default().push(link);
    }
    let measured_ps = measured_ps(intervals);
    links.into_iter().map(|(name, each)| (name, Records::of_thing(each, measured_ps))).collect()
}

fn links(run: &Run) -> Markup {
    let columns = of_page(synchronous_links::TABLE.columns);
    let links = measured(&run.intervals);
    html! {
        details open[links.len() <= LINKS_OPEN] {
            summary { (number::counted(links.len(), "zHyperLink")) }
            div .scroll { table {
                caption { "zHyperLinks, all systems together" }
                thead { tr { th scope="col" { "Link" } (headings(&columns)) } }
                tbody {
                    @for (name, records) in links {
                        tr {
                            th scope="row" { (name) }
                            (cells(&columns, &records, None))
                        }
                    }
                }
            } }
        }
    }
}

/// Returns the devices with requests of each system, those with most of them first.
fn systems(run: &Run) -> BTreeMap<&str, Vec<Device<'_>>> {
    let measured_ps = measured_ps(&run.intervals);
    let mut found = BTreeMap::<&str, BTreeMap<(u8, u16), Vec<&DeviceInterval>>>::new();
    for device in run.intervals.iter().flat_map(|interval| &interval.devices) {
        if has_requests(device) {
            let place = (device.subchannel_set, device.number);
            found.entry(&device.lpar).or_default().entry(place).or_default().push(device);
        }
    }
    let named =
        |((set, number), records)| (format!("{set:X}{number:04X}"), Records::of_thing(records, measured_ps));
    let sorted = |devices: BTreeMap<_, _>| {
        let mut devices: Vec<Device<'_>> = devices.into_iter().map(named).collect();
        let requests = |device: &Device<'_>| synchronous::REQUESTS.number(&device.1);
        devices.sort_by(|a, b| requests(b).total_cmp(&requests(a)));
        devices
    };
    found.into_iter().map(|(system, devices)| (system, sorted(devices))).collect()
}

fn table(system: &str, mut devices: Vec<Device<'_>>) -> Markup {
    let columns = of_page(synchronous::TABLE.columns);
    let count = devices.len();
    devices.truncate(DEVICES_SHOWN);
    html! {
        div .scroll { table {
            caption { "Devices with synchronous I/O, " (system) }
            thead { tr {
                th scope="col" { "Device" }
                th scope="col" { "Volume" }
                (headings(&columns))
            } }
            tbody {
                @for (number, records) in &devices {
                    tr {
                        th scope="row" { (number) }
                        td .text { (records.each[0].volser) }
                        (cells(&columns, records, None))
                    }
                }
            }
        } }
        @if count > devices.len() {
            p .note { "The " (DEVICES_SHOWN) " with most requests of " (number::counted(count, "device")) "." }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden;

    #[test]
    fn links_and_devices_have_their_figures() {
        let text = section(&golden::synchronous_run()).into_string();
        for part in [
            "pchid 180.1 &gt; BOXA H000",
            "Devices with synchronous I/O, SYN1",
            "08000",
            "SYN001",
            "Link busy %",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert!(!text.contains("08101") && !text.contains("SYN2PROD"), "{text}");
    }

    #[test]
    fn what_no_channel_has_seen_is_counted() {
        let run = golden::synchronous_run();
        let links = run.intervals.iter().flat_map(|interval| &interval.synchronous_links);
        let seconds = measured_ps(&run.intervals) as f64 / 1e12;
        let expected = links.map(|link| link.successes).sum::<u64>() as f64 / seconds;
        assert!((successes_per_s(&run).expect("links") - expected).abs() < 1e-9 && expected > 0.0);
        assert_eq!(successes_per_s(&golden::run()), None);
    }

    #[test]
    fn a_run_without_links_has_no_section() {
        assert_eq!(section(&golden::run()).into_string(), "");
    }
}
