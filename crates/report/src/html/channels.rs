//! Channels over the measured time: what each is, how busy it was and what it moved.

use std::collections::BTreeMap;

use halftrack_config::{Channel, Configuration};
use halftrack_drawing::number;
use halftrack_program::Protocol;
use halftrack_record::{ChannelInterval, Operations, Run};
use maud::{Markup, html};

use super::bar;
use crate::formula::{megabytes_per_second, per_second, percent_busy};

/// Sums over the intervals of one channel.
#[derive(Debug, Default)]
struct Sums<'a> {
    processor_ps: u128,
    bus_ps: u128,
    read_bytes: u128,
    write_bytes: u128,
    ficon: u128,
    zhpf: u128,
    deferred: u128,
    offline: bool,
    parts_ps: BTreeMap<&'a str, u128>,
}

impl<'a> Sums<'a> {
    fn add(&mut self, channel: &'a ChannelInterval) {
        let Operations { started, deferred, .. } = channel.operations[Protocol::Command];
        self.processor_ps += u128::from(channel.processor_busy_ps);
        self.bus_ps += u128::from(channel.bus_busy_ps);
        self.read_bytes += u128::from(channel.read_bytes);
        self.write_bytes += u128::from(channel.write_bytes);
        self.ficon += u128::from(started);
        self.zhpf += u128::from(channel.operations[Protocol::Transport].started);
        self.deferred += u128::from(deferred) + u128::from(channel.operations[Protocol::Transport].deferred);
        self.offline |= !channel.online;
        for part in &channel.parts {
            *self.parts_ps.entry(&part.lpar).or_default() += u128::from(part.processor_busy_ps);
        }
    }
}

/// One channel over the measured time.
#[derive(Debug)]
pub(super) struct ChannelFigures<'a> {
    pub channel: &'a Channel,
    /// Its CHPID with its lowest channel subsystem.
    pub chpid: String,
    pub processor_percent: f64,
    pub bus_percent: f64,
    read_mb_per_s: f64,
    write_mb_per_s: f64,
    ficon_per_s: f64,
    zhpf_per_s: f64,
    deferred_per_s: f64,
    /// Offline at the end of some interval.
    offline: bool,
    /// Channel-processor utilisation for each partition, percent.
    pub parts_percent: BTreeMap<&'a str, f64>,
}

impl<'a> ChannelFigures<'a> {
    /// The channels of the configuration, in its order.
    pub fn of(run: &'a Run, configuration: &'a Configuration, measured_ps: u64) -> Vec<Self> {
        let mut sums: BTreeMap<(u8, Option<u16>, u8), Sums<'a>> = BTreeMap::new();
        for channel in run.intervals.iter().flat_map(|interval| &interval.channels) {
            sums.entry((channel.cpc, channel.pchid, channel.chpid)).or_default().add(channel);
        }
        let figures = |channel: &'a Channel| {
            let sums =
                sums.remove(&(channel.cpc, channel.identity.pchid(), channel.chpid)).unwrap_or_default();
            let busy = |busy_ps: u128| percent_busy(busy_ps, 1, measured_ps);
            Self {
                channel,
                chpid: chpid(configuration, channel),
                processor_percent: busy(sums.processor_ps),
                bus_percent: busy(sums.bus_ps),
                read_mb_per_s: megabytes_per_second(sums.read_bytes, measured_ps),
                write_mb_per_s: megabytes_per_second(sums.write_bytes, measured_ps),
                ficon_per_s: per_second(sums.ficon, measured_ps),
                zhpf_per_s: per_second(sums.zhpf, measured_ps),
                deferred_per_s: per_second(sums.deferred, measured_ps),
                offline: sums.offline,
                parts_percent: sums.parts_ps.into_iter().map(|(lpar, ps)| (lpar, busy(ps))).collect(),
            }
        };
        configuration.channels.iter().map(figures).collect()
    }

    /// The busier of processor and bus, percent.
    pub fn percent(&self) -> f64 {
        self.processor_percent.max(self.bus_percent)
    }
}

/// A channel's CHPID with its lowest channel subsystem, as in `0.40`; `B.0.40` on a machine with a name.
fn chpid(configuration: &Configuration, channel: &Channel) -> String {
    let css = channel.css.first().copied().unwrap_or_default();
    format!("{}{css:X}.{:02X}", prefix(configuration, channel), channel.chpid)
}

/// What stands before the names of a channel: `B.` on a machine with a name.
pub(super) fn prefix(configuration: &Configuration, channel: &Channel) -> String {
    configuration.cpcs[usize::from(channel.cpc)].name.prefix()
}

/// PCHID of a channel; blank on machines without them.
pub(super) fn pchid(channel: &Channel) -> String {
    channel.identity.pchid().map_or(String::new(), |pchid| format!("{pchid:03X}"))
}

/// Generation code as RMF prints it; blank when none is known.
pub(super) fn generation(channel: &Channel) -> String {
    if channel.generation == 0 { String::new() } else { format!("{:02X}", channel.generation) }
}

/// The section.
pub(super) fn section(channels: &[ChannelFigures<'_>]) -> Markup {
    html! {
        section #channels {
            h2 { "Channels" }
            p .note {
                "G is the generation code of RMF's channel report. Bytes are user data; processor and bus are "
                "utilisations over the measured time with their guidelines."
            }
            details open[channels.len() <= 32] {
                summary { (number::counted(channels.len(), "channel")) }
                div .scroll { table {
                    caption { "Channels by PCHID" }
                    (heading())
                    tbody { @for channel in channels { (row(channel)) } }
                } }
            }
        }
    }
}

fn heading() -> Markup {
    html! {
        thead { tr {
            th scope="col" { "CHPID" }
            th scope="col" { "PCHID" }
            th scope="col" { "Card" }
            th scope="col" { "G" }
            th scope="col" .number { "Gbit/s" }
            th scope="col" { "Processor" }
            th scope="col" .number { "%" }
            th scope="col" { "Bus" }
            th scope="col" .number { "%" }
            th scope="col" .number { "Read MB/s" }
            th scope="col" .number { "Write MB/s" }
            th scope="col" .number { "zHPF/s" }
            th scope="col" .number { "FICON/s" }
            th scope="col" .number { "Deferred/s" }
        } }
    }
}

fn row(figures: &ChannelFigures<'_>) -> Markup {
    let channel = figures.channel;
    let guideline = channel.hardware.guideline;
    html! {
        tr {
            th scope="row" {
                (figures.chpid)
                @if figures.offline { " " span .warning { "offline" } }
            }
            td .text { (pchid(channel)) }
            td .text { (channel.hardware.id) }
            td .text { (generation(channel)) }
            td { @if channel.link_gbps > 0 { (channel.link_gbps) } }
            (bar::cell(figures.processor_percent, guideline.map(|one| one.processor_percent.into())))
            (bar::percent_cell(figures.processor_percent))
            (bar::cell(figures.bus_percent, guideline.and_then(|one| one.bus_percent).map(f64::from)))
            (bar::percent_cell(figures.bus_percent))
            td { (number::rate(figures.read_mb_per_s)) }
            td { (number::rate(figures.write_mb_per_s)) }
            td { (number::rate(figures.zhpf_per_s)) }
            td { (number::rate(figures.ficon_per_s)) }
            td { (number::rate(figures.deferred_per_s)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::fixture;

    #[test]
    fn utilisation_is_of_the_measured_time_and_dealt_to_partitions() {
        let (run, configuration) = fixture::site();
        let figures = ChannelFigures::of(&run, &configuration, 2_000_000_000_000);
        // The fixture's second channel: 1 % in the first interval, 11 % in the second, half of it for each partition.
        assert_eq!(figures[1].processor_percent, 6.0);
        assert_eq!(figures[1].parts_percent["PROD2"], 3.0);
        assert_eq!((figures[1].zhpf_per_s, figures[1].read_mb_per_s), (10_000.0, 81.92));
    }

    #[test]
    fn a_channel_shows_its_generation_and_whether_it_was_offline() {
        let (mut run, configuration) = fixture::site();
        run.intervals[0].channels[0].online = false;
        let figures = ChannelFigures::of(&run, &configuration, 2_000_000_000_000);
        let text = section(&figures).into_string();
        assert!(
            text.contains(&format!("<td class=\"text\">{:02X}</td>", configuration.channels[0].generation))
        );
        assert_eq!(text.matches("offline").count(), 1);
    }
}
