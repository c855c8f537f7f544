//! Reports of a deck in the manner of IOCP's.
//!
//! Reference: IOCP, section 6.10. The fields of a report are as published; columns and headings are ours. Time and
//! date are left out, so that the same deck gives the same bytes.

mod annotation;
mod channel_path;
mod chpid;
mod control_unit;
mod device;
mod function;
mod images;
pub(crate) mod listing;
mod pchid;
mod table;

use crate::model::channel_types::ChannelType;
use crate::model::selection::Selection;
use crate::model::{ChannelPath, Deck};

/// One of the reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Report {
    /// Physical channels.
    Pchid,
    /// Channel paths of each channel subsystem, with the partitions that hold them.
    Chpid,
    /// Control units and devices of each channel path.
    ChannelPath,
    /// Control units with their paths.
    ControlUnit,
    /// Devices.
    Device,
    /// PCIe functions, with the partitions that hold them.
    Function,
    /// HCD's data cards, with the statements that they are about.
    Annotation,
}

/// All of them, in their order.
pub const REPORTS: [Report; 7] = [
    Report::Pchid,
    Report::Chpid,
    Report::ChannelPath,
    Report::ControlUnit,
    Report::Device,
    Report::Function,
    Report::Annotation,
];

impl Report {
    /// Returns false where the deck has nothing that the report could ever show: most decks have no cards of HCD.
    pub fn applies_to(self, deck: &Deck) -> bool {
        self != Report::Annotation || !deck.annotations().all().is_empty()
    }

    /// Writes the report of `selection`; its heading alone when that is empty.
    pub fn of(self, selection: &Selection<'_>) -> String {
        let deck = selection.deck;
        match self {
            Report::Pchid => heading("PCHID REPORT", deck) + &pchid::report(selection),
            Report::Chpid => heading("CHPID REPORT", deck) + &chpid::report(selection),
            Report::ChannelPath => heading("CHANNEL PATH REPORT", deck) + &channel_path::report(selection),
            Report::ControlUnit => heading("CONTROL UNIT REPORT", deck) + &control_unit::report(selection),
            Report::Device => heading("DEVICE REPORT", deck) + &device::report(selection),
            Report::Function => heading("FID REPORT", deck) + &function::report(selection),
            Report::Annotation => heading("HCD ANNOTATIONS", deck) + &annotation::report(selection),
        }
    }
}

/// Writes title, source, and the values of ID.
fn heading(title: &str, deck: &Deck) -> String {
    let id = &deck.id;
    let machine = deck.machine();
    let level = deck.level().map(|level| format!(",{level}")).unwrap_or_default();
    let mut text = format!(
        "{title:20} SOURCE {}   SYSTEM {}{level} ({})",
        deck.source.name, machine.machine_type, machine.name
    );
    for (name, value) in
        [("LSYSTEM", &id.lsystem), ("ID1", &id.msg1), ("ID2", &id.msg2), ("TOKEN", &id.token)]
    {
        if let Some(value) = value {
            // The token of HCD is long, and nobody reads on after it.
            text += if name == "TOKEN" { "\n                     " } else { "   " };
            text += &format!("{name} {}", value.value);
        }
    }
    text + "\n"
}

/// Formats `100`, `100-1` with a port, `7E0` of a virtual channel, `0A-1` of an adapter, `-` while nothing is
/// assigned.
fn physical(channel: &ChannelPath) -> String {
    let port = channel.port.as_ref().map(|port| format!("-{}", port.value)).unwrap_or_default();
    let number = channel.pchid.as_ref().or(channel.vchid.as_ref());
    match (number, &channel.aid) {
        (Some(number), _) => format!("{:03X}{port}", number.value),
        (None, Some(aid)) => format!("{:02X}{port}", aid.value),
        (None, None) => "-".to_owned(),
    }
}

/// Returns the logical switch, `NONE` without one, `N/A` for a type that has none.
fn switch(channel: &ChannelPath) -> String {
    let kind = ChannelType::of(&channel.channel_type.value);
    match &channel.switch {
        Some(switch) => format!("{:02X}", switch.value),
        None if kind.is_some_and(|kind| kind.has_links) => "NONE".to_owned(),
        None => "N/A".to_owned(),
    }
}

/// Formats addresses such as `00-FF`, `FE`.
fn addresses(first: u8, last: u8) -> String {
    if first == last { format!("{first:02X}") } else { format!("{first:02X}-{last:02X}") }
}

/// Names of physical networks by port.
fn networks(pnetids: &[Option<String>]) -> String {
    let names: Vec<&str> = pnetids.iter().map(|name| name.as_deref().unwrap_or("-")).collect();
    names.join(",")
}
