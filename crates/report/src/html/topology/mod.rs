//! The topology: partitions, channels, directors, host-adapter ports and logical control units, and the paths
//! between them, as a picture that folds and as a table.

mod build;
mod groups;
mod key_manager;
mod nodes;
mod places;
mod zhyperlinks;

use halftrack_config::Configuration;
use halftrack_drawing::Words;
use halftrack_record::Run;
use maud::Markup;

use self::build::build;
use super::channels::ChannelFigures;
use super::response::Responses;
use super::usage::Usage;
use super::{bar, links, synchronous};

/// Figures that colour and label the nodes of the picture.
pub(super) struct Figures<'a> {
    pub usage: &'a Usage,
    pub channels: &'a [ChannelFigures<'a>],
    pub responses: &'a Responses<'a>,
    /// Utilisation of each link of the configuration, percent.
    pub links_percent: &'a [Option<f64>],
    /// Share of the time that requests hold each zHyperLink of the configuration, percent.
    pub zhyperlinks_percent: &'a [Option<f64>],
}

/// Returns the section.
pub(super) fn section(configuration: &Configuration, figures: &Figures<'_>) -> Markup {
    halftrack_drawing::section(
        &build(configuration, figures),
        &Words {
            heading: "Topology",
            picture: "Partitions, channels, directors, ports and logical control units with their paths",
            placeholder: "CHPID, PCHID, device, port, LPAR",
            hint: "Numbers are utilisations over the measured time, of the busiest where several are folded into \
                   one; logical control units show their mean response time.",
            legend: bar::legend("not measured: inside a control unit"),
            units: "Logical control units",
        },
    )
}

/// Draws the topology of `configuration` as an SVG file: with the utilisations of `run`, or without any.
pub fn topology_svg(configuration: &Configuration, run: Option<&Run>) -> String {
    let intervals = run.map_or(&[][..], |run| &run.intervals);
    let usage = Usage::of_intervals(intervals);
    let figures = Figures {
        usage: &usage,
        channels: &ChannelFigures::of_intervals(intervals, configuration, usage.measured_ps),
        responses: &Responses::of_intervals(intervals, usage.measured_ps),
        links_percent: &links::percents(configuration, &usage),
        zhyperlinks_percent: &synchronous::percents(intervals, configuration),
    };
    halftrack_drawing::topology_svg(&configuration.study, &build(configuration, &figures))
}

#[cfg(test)]
mod tests {
    use super::topology_svg;
    use crate::html::fixture;
    use crate::html_report;

    #[test]
    fn a_picture_has_utilisations_where_something_ran() {
        let (run, configuration) = fixture::site();
        let (busy, idle) = (topology_svg(&configuration, Some(&run)), topology_svg(&configuration, None));
        for picture in [&busy, &idle] {
            assert!(picture.starts_with("<?xml") && picture.contains("Director 11"));
            assert!(!picture.contains("NaN"), "{picture}");
        }
        assert!(busy.contains("class=\"tag u") && !idle.contains("class=\"tag u"));
    }

    #[test]
    fn the_picture_the_table_and_the_data_are_there() {
        let (run, configuration) = fixture::site();
        let page = html_report(&run, &configuration);
        for part in ["id=\"topology-picture\"", "0.40 PCHID 100", "Director 11", "LCU 1000", "id=\"search\""]
        {
            assert!(page.contains(part), "{part}");
        }
        assert!(page.contains("0.40 PCHID 100 → Director 11 → BOXA 0030"), "paths in words");
    }
}
