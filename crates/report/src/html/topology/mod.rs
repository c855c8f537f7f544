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
use maud::Markup;

use self::build::build;
use super::bar;
use super::channels::ChannelFigures;
use super::response::Responses;
use super::usage::Usage;

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

#[cfg(test)]
mod tests {
    use crate::html::fixture;
    use crate::html_report;

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
