//! A deck as a page that needs nothing from elsewhere.

use halftrack_deck::model::Deck;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::deck::topology_of;
use crate::section::{Words, section};
use crate::topology::Topology;
use crate::{SCRIPT, STYLE, number};

/// Nothing is fetched: styles and script stand in the page.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
                          base-uri 'none'; form-action 'none'";

/// Draws the page of `deck`, everything unfolded at first when `open`.
pub fn deck_page(deck: &Deck, open: bool) -> String {
    let topology = unfolded(topology_of(deck), open);
    let body = html! {
        (head(deck))
        main { (section(&topology, &words())) }
        footer { "Drawn by halftrack from an IOCP deck; the same deck gives the same page." }
    };
    document(name(deck), "", &body)
}

/// Builds the whole page of `title`: `body` with the styles and the script of [`section()`], and `further_style`.
pub fn document(title: &str, further_style: &str, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " - halftrack" }
                style { (PreEscaped(STYLE)) (PreEscaped(further_style)) }
            }
            body {
                (body)
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string() + "\n"
}

/// Returns `topology`, with every group open when `open`.
pub(crate) fn unfolded(mut topology: Topology, open: bool) -> Topology {
    if open {
        topology.groups.iter_mut().for_each(|group| group.open = true);
    }
    topology
}

/// Returns the name of the IOCDS, else of the file.
pub(crate) fn name(deck: &Deck) -> &str {
    deck.id.msg1.as_ref().map_or(deck.source.name.as_str(), |msg1| msg1.value.as_str())
}

fn words() -> Words<'static> {
    Words {
        heading: "From partitions to devices",
        picture: "Partitions, channel paths, functions, switches, control units and devices with their paths",
        placeholder: "CHPID, PCHID, device, CU, LPAR, FID",
        hint: "Channel paths and functions show their PCHID, control units their type and image, devices their unit \
               type. A control unit with several links on one switch is one line.",
        legend: html! {},
        units: "Control units",
    }
}

fn head(deck: &Deck) -> Markup {
    let machine = deck.machine();
    let devices: usize = deck.devices.iter().map(|range| usize::from(range.count)).sum();
    let partitions = deck.partitions.iter().filter(|one| one.name.is_some()).count();
    let facts = [
        ("Machine", format!("{} ({})", machine.machine_type, machine.name)),
        ("Deck", deck.source.name.clone()),
        ("Text", deck.id.msg2.as_ref().map(|text| text.value.clone()).unwrap_or_default()),
        ("Partitions", number::count(partitions as u128)),
        ("Channel paths", number::count(deck.channel_paths.len() as u128)),
        ("Control units", number::count(deck.control_units.len() as u128)),
        ("Devices", number::count(devices as u128)),
        ("Functions", number::count(deck.functions.iter().map(|one| u128::from(one.count)).sum())),
    ];
    html! {
        header {
            h1 { (name(deck)) }
            dl .facts {
                @for (fact, value) in facts.iter().filter(|(_, value)| !value.is_empty()) {
                    div { dt { (fact) } dd { (value) } }
                }
            }
        }
    }
}
