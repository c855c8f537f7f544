//! The topology: partitions, channels, directors, host-adapter ports and logical control units, and the paths
//! between them, as a picture that folds and as a table.

mod build;
mod data;
mod fold;
mod groups;
mod layout;
mod model;
mod nodes;
mod picture;
mod places;

use halftrack_config::Configuration;
use maud::{Markup, PreEscaped, html};

use self::build::build;
use self::model::Topology;
use super::bar;
use super::channels::ChannelFigures;
use super::response::Responses;
use super::usage::Usage;

/// What the picture colours and labels its nodes with.
pub(super) struct Figures<'a> {
    pub usage: &'a Usage,
    pub channels: &'a [ChannelFigures<'a>],
    pub responses: &'a Responses<'a>,
    /// Utilisation of each link of the configuration, percent.
    pub links_percent: &'a [Option<f64>],
}

/// The section.
pub(super) fn section(configuration: &Configuration, figures: &Figures<'_>) -> Markup {
    let topology = build(configuration, figures);
    html! {
        section #topology {
            h2 { "Topology" }
            (controls())
            (bar::legend("not measured: inside a control unit"))
            div .scroll { (picture::render(&topology)) }
            p #told aria-live="polite" {
                "Numbers are utilisations over the measured time, of the busiest where several are folded into "
                "one; logical control units show their mean response time."
            }
            details {
                summary { "Paths as a table" }
                (paths(&topology))
            }
            script #topology-data type="application/json" { (PreEscaped(data::json(&topology))) }
        }
    }
}

/// What only the script can serve, hidden until it runs.
fn controls() -> Markup {
    html! {
        div #controls hidden {
            label for="search" { "Find" }
            input #search type="search" placeholder="CHPID, PCHID, device, port, LPAR" autocomplete="off"
                  spellcheck="false";
            button #unfold type="button" { "Unfold all" }
            button #fold type="button" { "Fold all" }
            span .note { "Click a folded group to unfold it, anything else to follow its paths; Esc lets go." }
        }
    }
}

/// Every route in words.
fn paths(topology: &Topology) -> Markup {
    let labels = |nodes: &[usize]| -> String {
        nodes.iter().map(|node| topology.nodes[*node].label.as_str()).collect::<Vec<_>>().join(", ")
    };
    html! {
        div .scroll { table {
            caption { "Paths of the logical control units; those with the same paths share a row" }
            thead { tr {
                th scope="col" { "Logical control units" }
                th scope="col" { "Partitions" }
                th scope="col" { "Paths" }
            } }
            tbody {
                @for route in &topology.routes {
                    tr {
                        th scope="row" { (labels(&route.lcus)) }
                        td .text { (labels(&route.lpars)) }
                        td .text {
                            @for (place, path) in route.paths.iter().enumerate() {
                                @if place > 0 { br; }
                                @for (hop, node) in path.iter().enumerate() {
                                    @if hop > 0 { " → " }
                                    (topology.nodes[*node].label)
                                }
                            }
                        }
                    }
                }
            }
        } }
    }
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
