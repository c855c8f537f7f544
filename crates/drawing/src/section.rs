//! The section of a page with the picture, what the script needs, and the paths as a table.

use maud::{Markup, PreEscaped, html};

use crate::topology::Topology;
use crate::{data, picture};

/// The words of a section besides the picture.
pub struct Words<'a> {
    /// Heading.
    pub heading: &'a str,
    /// Content of the picture, for readers who cannot see it.
    pub picture: &'a str,
    /// Objects of the search, inside the field for it.
    pub placeholder: &'a str,
    /// Below the picture while nothing is chosen.
    pub hint: &'a str,
    /// Meaning of colours; may be empty.
    pub legend: Markup,
    /// Name of control units in the table, in the plural.
    pub units: &'a str,
}

/// Builds the section of `topology`.
pub fn section(topology: &Topology, words: &Words<'_>) -> Markup {
    html! {
        section #topology {
            h2 { (words.heading) }
            (controls(words.placeholder))
            (words.legend)
            div .scroll { (picture::on_a_page(topology, words.picture)) }
            p #told aria-live="polite" { (words.hint) }
            details {
                summary { "Paths as a table" }
                (paths(topology, words.units))
            }
            script #topology-data type="application/json" { (PreEscaped(data::json(topology))) }
        }
    }
}

/// Builds the controls that only the script can serve, hidden until it runs.
fn controls(placeholder: &str) -> Markup {
    html! {
        div #controls hidden {
            label for="search" { "Find" }
            input #search type="search" placeholder=(placeholder) autocomplete="off"
                  spellcheck="false";
            button #unfold type="button" { "Unfold all" }
            button #fold type="button" { "Fold all" }
            span .note { "Click a folded group to unfold it, anything else to follow its paths; Esc lets go." }
        }
    }
}

/// Writes every route in words.
fn paths(topology: &Topology, units: &str) -> Markup {
    let labels = |nodes: &[usize]| -> String {
        nodes.iter().map(|node| topology.nodes[*node].label.as_str()).collect::<Vec<_>>().join(", ")
    };
    html! {
        div .scroll { table {
            caption { "Paths of the " (units.to_lowercase()) "; those with the same paths share a row" }
            thead { tr {
                th scope="col" { (units) }
                th scope="col" { "Partitions" }
                th scope="col" { "Paths" }
            } }
            tbody {
                @for route in &topology.routes {
                    tr {
                        th scope="row" { (labels(&route.units)) }
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
