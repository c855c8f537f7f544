//! Channels over the measured time: what each is, how busy it was and what it moved.

use std::collections::BTreeMap;

use halftrack_config::{Channel, Configuration};
use halftrack_drawing::number;
use halftrack_record::{ChannelInterval, Interval, Run};
use maud::{Markup, html};

use super::cells;
use crate::column::{PageColumns, of_page};
use crate::columns::channels::{BUS, PROCESSOR, TABLE};
use crate::formula::percent_busy;
use crate::records::Records;
use crate::summary::connection_words;

/// One channel over the measured time.
#[derive(Debug)]
pub(super) struct ChannelFigures<'a> {
    pub channel: &'a Channel,
    /// Its CHPID with its lowest channel subsystem.
    pub chpid: String,
    pub processor_percent: f64,
    pub bus_percent: f64,
    /// Channel-processor utilisation for each partition, percent.
    pub parts_percent: BTreeMap<&'a str, f64>,
    /// Offline at the end of some interval.
    offline: bool,
    records: Records<'a, ChannelInterval>,
}

impl<'a> ChannelFigures<'a> {
    /// Returns the channels of the configuration, in its order.
    pub fn of(run: &'a Run, configuration: &'a Configuration, measured_ps: u64) -> Vec<Self> {
        Self::of_intervals(&run.intervals, configuration, measured_ps)
    }

    /// Adds up `intervals`.
    pub fn of_intervals(
        intervals: &'a [Interval],
        configuration: &'a Configuration,
        measured_ps: u64,
    ) -> Vec<Self> {
        let mut records: BTreeMap<(u8, Option<u16>, u8), Vec<&ChannelInterval>> = BTreeMap::new();
        for channel in intervals.iter().flat_map(|interval| &interval.channels) {
            records.entry((channel.cpc, channel.pchid, channel.chpid)).or_default().push(channel);
        }
        let figures = |channel: &'a Channel| {
            let each = records.remove(&(channel.cpc, channel.identity.pchid(), channel.chpid));
            let records = Records::of_thing(each.unwrap_or_default(), measured_ps);
            Self {
                channel,
                chpid: chpid(configuration, channel),
                processor_percent: PROCESSOR.number(&records),
                bus_percent: BUS.number(&records),
                parts_percent: parts_percent(&records),
                offline: records.each.iter().any(|one| !one.online),
                records,
            }
        };
        configuration.channels.iter().map(figures).collect()
    }

    /// Returns its connections by state at the end of the run; `None` where no part of the site takes part in endpoint
    /// security.
    pub fn connections(&self) -> Option<String> {
        self.records.each.last()?.connections.map(|counts| connection_words(&counts))
    }

    /// Returns the busier of processor and bus, percent; `None` where nothing ran.
    pub fn percent(&self) -> Option<f64> {
        (self.records.length_ps > 0).then(|| self.processor_percent.max(self.bus_percent))
    }
}

/// Returns the Channel-processor utilisation for each partition, percent.
fn parts_percent<'a>(records: &Records<'a, ChannelInterval>) -> BTreeMap<&'a str, f64> {
    let mut busy_ps: BTreeMap<&str, u128> = BTreeMap::new();
    for part in records.each.iter().flat_map(|one| &one.parts) {
        *busy_ps.entry(&part.lpar).or_default() += u128::from(part.processor_busy_ps);
    }
    busy_ps.into_iter().map(|(lpar, ps)| (lpar, percent_busy(ps, 1, records.length_ps))).collect()
}

/// Returns a channel's CHPID with its lowest channel subsystem, as in `0.40`; `B.0.40` on a machine with a name.
fn chpid(configuration: &Configuration, channel: &Channel) -> String {
    let css = channel.css.first().copied().unwrap_or_default();
    format!("{}{css:X}.{:02X}", prefix(configuration, channel), channel.chpid)
}

/// Returns the prefix of the names of a channel: `B.` on a machine with a name.
pub(super) fn prefix(configuration: &Configuration, channel: &Channel) -> String {
    configuration.cpcs[usize::from(channel.cpc)].name.prefix()
}

/// Returns PCHID of a channel; blank on machines without them.
pub(super) fn pchid(channel: &Channel) -> String {
    channel.identity.pchid().map_or(String::new(), |pchid| format!("{pchid:03X}"))
}

/// Returns the generation code as RMF prints it; blank without one.
pub(super) fn generation(channel: &Channel) -> String {
    if channel.generation == 0 { String::new() } else { format!("{:02X}", channel.generation) }
}

/// Returns the columns of the table, without those that no channel has.
fn columns(channels: &[ChannelFigures<'_>]) -> PageColumns<ChannelInterval> {
    let mut columns = of_page(TABLE.columns);
    columns.retain(|(column, _)| channels.iter().any(|one| column.of(&one.records).is_some()));
    columns
}

/// Returns the section.
pub(super) fn section(channels: &[ChannelFigures<'_>]) -> Markup {
    let columns = columns(channels);
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
                    @let is_secured = channels.iter().any(|one| one.connections().is_some());
                    (heading(&columns, is_secured))
                    tbody { @for channel in channels { (row(channel, &columns)) } }
                } }
            }
        }
    }
}

/// Returns the heading; with `is_secured` one of the connections under endpoint security.
fn heading(columns: &PageColumns<ChannelInterval>, is_secured: bool) -> Markup {
    html! {
        thead { tr {
            th scope="col" { "CHPID" }
            th scope="col" { "PCHID" }
            th scope="col" { "Card" }
            th scope="col" { "G" }
            th scope="col" .number { "Gbit/s" }
            @if is_secured { th scope="col" { "Connections" } }
            (cells::headings(columns))
        } }
    }
}

fn row(figures: &ChannelFigures<'_>, columns: &PageColumns<ChannelInterval>) -> Markup {
    let channel = figures.channel;
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
            @if let Some(words) = figures.connections() { td .text { (words) } }
            (cells::cells(columns, &figures.records, channel.hardware.guideline))
        }
    }
}

#[cfg(test)]
mod tests {
    use halftrack_record::ConnectionCounts;

    use super::*;
    use crate::html::fixture;

    #[test]
    fn utilisation_is_of_the_measured_time_and_dealt_to_partitions() {
        let (run, configuration) = fixture::site();
        let figures = ChannelFigures::of(&run, &configuration, 2_000_000_000_000);
        // The fixture's second channel: 1 % in the first interval, 11 % in the second, half of it for each partition.
        assert_eq!(figures[1].processor_percent, 6.0);
        assert_eq!(figures[1].parts_percent["PROD2"], 3.0);
        let row = row(&figures[1], &columns(&figures)).into_string();
        assert!(row.contains("<td>10,000</td>") && row.contains("<td>81.9</td>"), "{row}");
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

    #[test]
    fn connections_have_a_column_where_parts_of_the_site_take_part_in_endpoint_security() {
        let (mut run, configuration) = fixture::site();
        let page =
            |run: &Run| section(&ChannelFigures::of(run, &configuration, 2_000_000_000_000)).into_string();
        assert!(!page(&run).contains("Connections"));
        let counts = ConnectionCounts { encrypted: 3, refused: 1, ..ConnectionCounts::default() };
        run.intervals
            .iter_mut()
            .flat_map(|one| &mut one.channels)
            .for_each(|one| one.connections = Some(counts));
        let text = page(&run);
        assert!(text.contains("Connections") && text.contains("3 encrypted, 1 refused"), "{text}");
    }

    #[test]
    fn recoveries_have_columns_where_there_were_any() {
        let (mut run, configuration) = fixture::site();
        let page =
            |run: &Run| section(&ChannelFigures::of(run, &configuration, 2_000_000_000_000)).into_string();
        assert!(!page(&run).contains("Time-outs/s") && !page(&run).contains("Redrives/s"));
        run.intervals[1].channels[0].recoveries.time_outs = 25;
        assert!(page(&run).contains("Time-outs/s") && page(&run).contains("<td>12.5</td>"), "{}", page(&run));
    }
}
