//! A deck as an SVG file that stands alone: no script, no variables of a page, so that editors and printers read it.

use halftrack_deck::model::Deck;
use maud::{PreEscaped, html};

use crate::deck::topology_of;
use crate::layout::{Layout, WIDTH};
use crate::page::{name, unfolded};
use crate::picture;
use crate::topology::Topology;

/// Styles with plain colours.
const STYLE: &str = include_str!("svg.css");
/// Room for the name above the picture.
const NAME_HEIGHT: f64 = 34.0;
/// Room around everything.
const MARGIN: f64 = 12.0;

/// Draws the picture of `deck`, with every group unfolded when `open`.
pub fn deck_svg(deck: &Deck, open: bool) -> String {
    topology_svg(name(deck), &unfolded(topology_of(deck), open))
}

/// Draws the picture of `topology` under its name.
pub fn topology_svg(name: &str, topology: &Topology) -> String {
    let layout = Layout::of(topology);
    let (width, height) = (WIDTH + 2.0 * MARGIN, layout.height + NAME_HEIGHT + 2.0 * MARGIN);
    let svg = html! {
        svg xmlns="http://www.w3.org/2000/svg" width=(width) height=(height)
            viewBox={ "0 0 " (width) " " (height) } role="img" aria-label=(name) {
            title { (name) }
            style { (PreEscaped(STYLE)) }
            rect .paper width=(width) height=(height) {}
            text .name x=(MARGIN) y="28" { (name) }
            g transform={ "translate(" (MARGIN) " " (NAME_HEIGHT + MARGIN) ")" } {
                (picture::by_itself(topology, &layout))
            }
        }
    };
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}\n", svg.into_string())
}
