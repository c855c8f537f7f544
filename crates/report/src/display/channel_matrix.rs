//! `D M=CHP`: every channel path, its state and its type.
//!
//! Source: reference, displays, 6.1.

use std::fmt::Write;

use serde::Serialize;

use super::channel_type;
use super::view::{Standing, View};

/// Every channel path as `D M=CHP` shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChannelMatrix {
    /// By CHPID, sixteen a row: `+`, `-` or `.`.
    pub states: Vec<Vec<&'static str>>,
    /// By CHPID: two hexadecimal digits, `..` where there is none.
    pub types: Vec<Vec<String>>,
}

impl ChannelMatrix {
    pub(super) fn new(view: &View<'_>) -> Self {
        let chpids = |row: u8| (0..16).map(move |column| row << 4 | column);
        let state = |chpid| match view.standing(chpid).0 {
            Standing::Online => "+",
            Standing::Offline => "-",
            Standing::Elsewhere | Standing::Undefined => ".",
        };
        let kind = |chpid| match view.standing(chpid) {
            (Standing::Online | Standing::Offline, Some(path)) => format!("{:02X}", channel_type::of(path).0),
            _ => "..".to_owned(),
        };
        Self {
            states: (0..16).map(|row| chpids(row).map(state).collect()).collect(),
            types: (0..16).map(|row| chpids(row).map(kind).collect()).collect(),
        }
    }

    /// Formats the display as z/OS prints it.
    pub(super) fn text(&self) -> String {
        let mut text = String::from("CHANNEL PATH STATUS\n  0 1 2 3 4 5 6 7 8 9 A B C D E F\n");
        for (row, states) in self.states.iter().enumerate() {
            writeln!(text, "{row:X} {}", states.join(" ")).expect("text takes everything");
        }
        text.push_str(
            "******************** SYMBOL EXPLANATIONS ********************\n\
             + ONLINE    @ PATH NOT VALIDATED   - OFFLINE    . DOES NOT EXIST\n\
             * MANAGED AND ONLINE   # MANAGED AND OFFLINE\n\
             CHANNEL PATH TYPE STATUS\n  \
             0  1  2  3  4  5  6  7  8  9  A  B  C  D  E  F\n",
        );
        for (row, types) in self.types.iter().enumerate() {
            writeln!(text, "{row:X} {}", types.join(" ")).expect("text takes everything");
        }
        text.push_str("******************** SYMBOL EXPLANATIONS ********************\n");
        for (number, words, name) in channel_type::TYPES {
            writeln!(text, "{number:02X} {words:<42} {name}").expect("text takes everything");
        }
        text
    }
}
