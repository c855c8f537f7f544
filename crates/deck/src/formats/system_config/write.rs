//! RDEVICE and ACTIVATE ISLINK statements of one system.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::devices::{LinkEnd, devices};
use crate::ctc::islink::DEVICES_MAX;
use crate::ctc::{Connections, Image};

/// Most columns of a line.
const LINE_COLUMNS_MAX: usize = 72;

/// Statements of one system, and the reasons for links that have none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SystemConfig {
    /// The statements.
    pub text: String,
    /// The links that cannot be written, and why.
    pub refused: Vec<String>,
}

/// Returns the statements of `system` for its links to the other partitions of the decks, by `found`. `only` are the
/// devices to be taken, all where it is empty; `node` gives the name of a system.
pub fn system_config(
    found: &Connections,
    system: &Image,
    only: &[RangeInclusive<u16>],
    node: &dyn Fn(&Image) -> String,
) -> SystemConfig {
    let mut links: BTreeMap<&Image, Vec<(u16, LinkEnd<'_>)>> = BTreeMap::new();
    for (number, device) in devices(found, system) {
        if let Some(other) = device.other
            && (only.is_empty() || only.iter().any(|range| range.contains(&number)))
        {
            links.entry(&other.image).or_default().push((number, device));
        }
    }
    let mut written = SystemConfig::default();
    let mut numbers: Vec<u16> = Vec::new();
    let mut activations = String::new();
    for (partner, mut members) in links {
        let name = node(partner);
        let all = members.len();
        if members.iter().any(|(_, device)| device.is_ficon()) {
            members.retain(|(_, device)| device.is_ficon());
        }
        if members.len() < all {
            written.refused.push(format!(
                "{} ESCON devices of the link to {name}: a logical link has devices of one kind",
                all - members.len()
            ));
        }
        if members.len() > DEVICES_MAX {
            written.refused.push(format!(
                "the link to {name} ({partner}): {} devices lead there, and a logical link has {DEVICES_MAX}; choose them \
                 with --devices",
                members.len()
            ));
            continue;
        }
        let words = members.iter().map(|(number, _)| format!("{number:04X}"));
        activations += &statement("ACTIVATE ISLINK", words.chain([format!("NODE {name}")]));
        numbers.extend(members.iter().map(|(number, _)| number));
    }
    if numbers.is_empty() {
        return written;
    }
    written.text = format!("/* {system}: devices and logical links of ISFC, by the I/O configuration */\n");
    numbers.sort_unstable();
    for run in numbers.chunk_by(|one, next| one + 1 == *next) {
        let [first, .., last] = *run else {
            written.text += &format!("RDEVICE {:04X} TYPE CTCA\n", run[0]);
            continue;
        };
        written.text += &format!("RDEVICE {first:04X}-{last:04X} TYPE CTCA\n");
    }
    written.text += &activations;
    written
}

/// Lays out a statement over lines that a comma continues.
fn statement(head: &str, words: impl Iterator<Item = String>) -> String {
    let mut text = String::new();
    let mut line = head.to_owned();
    for word in words {
        // A blank before the word, a blank and a comma behind it.
        if line.len() + word.len() + 3 > LINE_COLUMNS_MAX {
            text += &format!("{line} ,\n");
            line = "  ".to_owned();
        }
        line += &format!(" {word}");
    }
    text + &line + "\n"
}
