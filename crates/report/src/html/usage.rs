//! Every station's utilisation over the measured time, and what kind of station it is.

use std::collections::BTreeMap;

use halftrack_config::{Channel, Configuration};
use halftrack_record::{Interval, Run, StationInterval};

use crate::columns::stations::{BUSY, VISITS, with_links};
use crate::records::Records;
use crate::summary::SAP_GUIDELINE_PERCENT;
use crate::table::measured_ps;

/// Kind of a station, by its canonical name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    ChannelProcessor,
    ChannelPath,
    ChannelBus,
    Card,
    Interconnect,
    Link,
    PortProcessor,
    PortPath,
    PortBus,
    Staging,
    Iops,
    Cps,
    CompressionCard,
    NetworkPort,
    Sockets,
    Other,
}

impl Kind {
    /// Every kind in the order of the page.
    pub const ALL: [Self; 16] = [
        Self::ChannelProcessor,
        Self::ChannelPath,
        Self::ChannelBus,
        Self::Card,
        Self::Interconnect,
        Self::Link,
        Self::PortProcessor,
        Self::PortPath,
        Self::PortBus,
        Self::Staging,
        Self::Iops,
        Self::Cps,
        Self::CompressionCard,
        Self::NetworkPort,
        Self::Sockets,
        Self::Other,
    ];

    fn of(name: &str) -> Self {
        let ends = |end: &str| name.ends_with(end);
        match name.split(' ').next() {
            Some("channel") if ends(" processor") => Self::ChannelProcessor,
            Some("channel") if ends(" path") => Self::ChannelPath,
            Some("channel") if ends(" bus") => Self::ChannelBus,
            Some("card") => Self::Card,
            Some("domain" | "fanout") => Self::Interconnect,
            Some("link") => Self::Link,
            Some("port") if ends(" processor") => Self::PortProcessor,
            Some("port") if ends(" path") => Self::PortPath,
            Some("port") if ends(" bus") => Self::PortBus,
            Some("staging") => Self::Staging,
            Some(name) if name == "iop" || name.ends_with("IOPs") => Self::Iops,
            Some("lpar") if ends(" CPs") => Self::Cps,
            Some("compression") => Self::CompressionCard,
            Some("RoCE" | "OSD") => Self::NetworkPort,
            Some("sockets") => Self::Sockets,
            _ => Self::Other,
        }
    }

    /// Returns the heading of its table.
    pub fn title(self) -> &'static str {
        match self {
            Self::ChannelProcessor => "Channel processors",
            Self::ChannelPath => "Paths of ESCON and parallel channels",
            Self::ChannelBus => "Channel buses",
            Self::Card => "Channel cards",
            Self::Interconnect => "I/O interconnects of domains and fanouts",
            Self::Link => "Links, one direction each",
            Self::PortProcessor => "Host-adapter port processors",
            Self::PortPath => "Host-adapter port paths",
            Self::PortBus => "Host-adapter port buses",
            Self::Staging => "Staging of control units",
            Self::Iops => "I/O processors (SAPs)",
            Self::Cps => "Central processors of partitions, for their I/O alone",
            Self::CompressionCard => "Compression cards",
            Self::Sockets => "Central processors of partitions, for their sockets alone",
            Self::NetworkPort => "Ports of RoCE and OSD adapters, both directions",
            Self::Other => "Other stations",
        }
    }
}

/// One station over the measured time.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Station {
    /// Canonical name; that of a link begins with `link`.
    pub name: String,
    pub kind: Kind,
    pub servers: u32,
    /// Mean over time and servers, percent.
    pub busy_percent: f64,
    /// Of the busiest interval, percent.
    pub highest_percent: f64,
    /// Visits completed per second; of links, frames or bursts sent.
    pub visits_per_s: f64,
    /// Highest advised utilisation, percent.
    pub guideline_percent: Option<f64>,
}

/// The stations and links of a run.
#[derive(Debug)]
pub(super) struct Usage {
    /// Measured time, ps.
    pub measured_ps: u64,
    /// The busiest first, by name among equals.
    pub stations: Vec<Station>,
    places: BTreeMap<String, usize>,
}

impl Usage {
    /// Adds up the intervals of a run.
    pub fn of(run: &Run) -> Self {
        Self::of_intervals(&run.intervals)
    }

    /// Adds up `intervals`.
    pub fn of_intervals(intervals: &[Interval]) -> Self {
        let measured_ps = measured_ps(intervals);
        let mut records: BTreeMap<String, (Vec<StationInterval>, f64)> = BTreeMap::new();
        for interval in intervals {
            for station in with_links(interval) {
                let percent = BUSY.number(&Records::of_thing(vec![&station], interval.length_ps));
                let (each, highest_percent) = records.entry(station.name.clone()).or_default();
                *highest_percent = highest_percent.max(percent);
                each.push(station);
            }
        }
        let station = |(name, (each, highest_percent)): (String, (Vec<StationInterval>, f64))| {
            let records = Records::of_thing(each.iter().collect(), measured_ps);
            Station {
                kind: Kind::of(&name),
                guideline_percent: (Kind::of(&name) == Kind::Iops).then_some(SAP_GUIDELINE_PERCENT),
                name,
                servers: each.iter().map(|one| one.servers).max().unwrap_or(0),
                busy_percent: BUSY.number(&records),
                highest_percent,
                visits_per_s: VISITS.number(&records),
            }
        };
        let mut stations: Vec<Station> = records.into_iter().map(station).collect();
        // Stable: equals stay in the order of their names.
        stations.sort_by(|a, b| b.busy_percent.total_cmp(&a.busy_percent));
        let places = stations.iter().enumerate();
        let places = places.map(|(place, station)| (station.name.clone(), place)).collect();
        Self { measured_ps, stations, places }
    }

    /// Adds what the catalog advises for the channels of `configuration`.
    pub fn with_guidelines(mut self, configuration: &Configuration) -> Self {
        for (name, guideline_percent) in guidelines(configuration) {
            if let Some(place) = self.places.get(&name) {
                self.stations[*place].guideline_percent = Some(guideline_percent);
            }
        }
        self
    }

    /// Returns the utilisation of the station of this name, percent; `None` when the run has no such station.
    pub fn percent(&self, name: &str) -> Option<f64> {
        self.places.get(name).map(|place| self.stations[*place].busy_percent)
    }
}

/// Returns the guidelines for the stations of channels, by name, percent.
fn guidelines(configuration: &Configuration) -> BTreeMap<String, f64> {
    let of_channel = |channel: &Channel| {
        let station = |part| format!("channel {} {part}", channel.name);
        let Some(guideline) = channel.hardware.guideline else { return Vec::new() };
        let processor = f64::from(guideline.processor_percent);
        let bus = guideline.bus_percent.map(|percent| (station("bus"), f64::from(percent)));
        [(station("processor"), processor), (station("path"), processor)].into_iter().chain(bus).collect()
    };
    configuration.channels.iter().flat_map(of_channel).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden;

    #[test]
    fn the_busiest_stands_first_with_its_busiest_interval() {
        let run = golden::run();
        let usage = Usage::of(&run);
        let first = &usage.stations[0];
        assert_eq!((first.name.as_str(), first.kind), ("channel 0.40 processor", Kind::ChannelProcessor));
        assert!((first.busy_percent - 35.25).abs() < 1e-6 && (first.highest_percent - 63.0).abs() < 1e-6);
        assert_eq!(usage.percent("channel 0.40 processor"), Some(first.busy_percent));
        assert_eq!(usage.percent("channel 9.99 processor"), None);
    }

    #[test]
    fn kinds_come_from_names() {
        let kinds = [
            ("channel CSS0.40 path", Kind::ChannelPath),
            ("channel CSS0.40 bus", Kind::ChannelBus),
            ("card PCHID 100 reads", Kind::Card),
            ("domain D1 writes", Kind::Interconnect),
            ("link pchid 100 > 11.20", Kind::Link),
            ("port BOXA 0030 processor", Kind::PortProcessor),
            ("port BOXA 0030 path", Kind::PortPath),
            ("staging BOXA", Kind::Staging),
            ("lpar PROD1 CPs", Kind::Cps),
            ("IOPs", Kind::Iops),
            ("zHyperLink 0", Kind::Other),
        ];
        for (name, kind) in kinds {
            assert_eq!(Kind::of(name), kind, "{name}");
        }
        assert!(Kind::ALL.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
