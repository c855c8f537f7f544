//! Decks from short descriptions: partitions, groups of channels, boxes, functions in TOML, written as IOCP.
//!
//! The format is described in docs/formats/deck-new.md. What is written is read again before it is given out, so that no
//! limit of IOCP is known here.

mod groups;
mod read;
mod text;

use std::sync::Arc;

use halftrack_deck::model::machines::Machine;
use halftrack_input::{Diagnostic, SourceFile, has_errors, read_document};

use groups::{Channels, Director, Functions, Storage};

/// Contents of a description.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Description {
    machine: &'static Machine,
    /// Limits level.
    level: u8,
    /// `MSG1=`.
    name: String,
    /// `LSYSTEM=`.
    lsystem: Option<String>,
    /// Names of partitions by channel subsystem; `*` reserves one.
    partitions: Vec<Vec<String>>,
    channels: Vec<Channels>,
    directors: Vec<Director>,
    storage: Vec<Storage>,
    functions: Vec<Functions>,
}

/// Writes the deck that `source` describes. With everything that is wrong with the description, or with the deck that it
/// would give; there is a deck only when nothing is.
pub fn describe(source: &Arc<SourceFile>) -> (Option<String>, Vec<Diagnostic>) {
    let (description, mut found) = read_document(source, read::read);
    let Some(description) = description.filter(|_| !has_errors(&found)) else { return (None, found) };
    let text = text::write(&description);
    let reading = halftrack_deck::read(SourceFile::new("the deck", text.as_str()));
    let is_fine = reading.deck.is_some();
    if !is_fine {
        found.extend(reading.diagnostics);
    }
    (is_fine.then_some(text), found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "machine_type = 3931\n\
        css = [[\"LP1\", \"LP2\"], [\"LP3\"]]\n\
        [[channels]]\ntype = \"FC\"\nchpids = \"40-43\"\nswitch = \"11\"\n\
        [[channels]]\ntype = \"FC\"\nchpids = \"50-53\"\nswitch = \"12\"\n\
        [[storage]]\nnumber = \"1000\"\ncount = 2\nbases = 128\naliases = 128\nlinks = [\"1104-1107\", \"1204-1207\"]\n";

    #[track_caller]
    fn described(text: &str) -> String {
        let (deck, found) = describe(&SourceFile::new("d.toml", text));
        deck.unwrap_or_else(|| panic!("{found:?}"))
    }

    fn refused(text: &str) -> String {
        let (deck, found) = describe(&SourceFile::new("d.toml", text));
        assert_eq!(deck, None);
        found.iter().map(|message| format!("{}\n", message.line())).collect()
    }

    #[test]
    fn a_box_is_reached_over_all_channels_of_its_directors() {
        let deck = halftrack_deck::read(SourceFile::new("d", described(SMALL)));
        assert_eq!(deck.diagnostics.iter().filter(|one| one.number != 139).count(), 0);
        let deck = deck.deck.expect("a deck");
        assert_eq!((deck.channel_paths.len(), deck.control_units.len(), deck.devices.len()), (8, 2, 4));
        for unit in &deck.control_units {
            assert_eq!(unit.paths.len(), 16, "eight in each CSS");
            assert!(unit.paths.iter().all(|path| path.link.is_some_and(|link| link.switch.is_some())));
        }
        let alias = deck.devices.iter().find(|device| device.unit.value == "3390A").expect("aliases");
        assert_eq!((alias.number.value, alias.unit_address, alias.subchannel_set.of(0)), (0x1080, 0x80, 1));
    }

    #[test]
    fn more_channels_than_paths_are_taken_in_turns() {
        let text = SMALL
            .replace("40-43", "40-47")
            .replace("50-53", "50-57")
            .replace("1104-1107", "1104-110B")
            .replace("1204-1207", "1204-120B");
        let deck = halftrack_deck::read(SourceFile::new("d", described(&text))).deck.expect("a deck");
        let chpids = |unit: usize| -> Vec<u8> {
            let paths = deck.control_units[unit].paths.iter().filter(|path| path.css == 0);
            paths.map(|path| path.chpid).collect()
        };
        assert_eq!(chpids(0), [0x40, 0x41, 0x42, 0x43, 0x50, 0x51, 0x52, 0x53]);
        assert_eq!(chpids(1), [0x44, 0x45, 0x46, 0x47, 0x54, 0x55, 0x56, 0x57]);
    }

    #[test]
    fn networks_and_functions_are_written_too() {
        let text = format!(
            "{SMALL}[[channels]]\ntype = \"OSD\"\nchpids = \"70\"\npchids = [\"114\"]\npnetid = \"NET1\"\nnumber = \"7000\"\n\
             devices = 15\n[[channels]]\ntype = \"IQD\"\nchpids = \"F0\"\nvchid = \"7E0\"\nnumber = \"F000\"\ndevices = 16\n\
             [[director]]\nswitch = \"11\"\nnumber = \"0011\"\n\
             [[function]]\nfid = \"101\"\ncount = 2\ntype = \"ROC2\"\npchid = \"12C\"\nport = 1\nvf = 1\npnetid = \"NET1\"\n\
             lpars = [\"LP1\", \"LP2\"]\n"
        );
        let deck = described(&text);
        for part in [
            "CHPID PATH=(CSS(0,1),70),SHARED,PCHID=114,PNETID=NET1,TYPE=OSD\n",
            "IODEVICE ADDRESS=700F,UNITADD=FE,CUNUMBR=(7000),UNIT=OSAD\n",
            "CUNUMBR=0011,",
            "FUNCTION FID=(0101,002),PCHID=12C,PORT=1,VF=1,",
        ] {
            assert!(deck.contains(part), "{part} in\n{deck}");
        }
    }

    #[test]
    fn old_machines_have_neither_tags_nor_sets() {
        let text = "machine_type = 2064\ncss = [[\"LP1\"]]\n[[channels]]\ntype = \"CNC\"\nchpids = \"40-41\"\nswitch = \"11\"\n\
            [[storage]]\nnumber = \"500\"\nbases = 64\naliases = 16\nlinks = [\"11C0-11C1\"]\n";
        let deck = described(text);
        assert!(deck.contains("CNTLUNIT CUNUMBR=0500,PATH=(40,41),UNITADD=((00,256)),"), "{deck}");
        assert!(!deck.contains("CSS(") && !deck.contains("SCHSET"), "{deck}");
    }

    #[test]
    fn what_is_wrong_is_said_at_its_place() {
        assert!(refused("css = [[\"LP1\"]]\n").contains("machine_type"));
        let unknown = refused(&SMALL.replace("1204-1207", "1304-1307"));
        assert!(unknown.contains("d.toml:16:23 no channels have switch 13"), "{unknown}");
        let kind = refused(&SMALL.replacen("\"FC\"", "\"FX\"", 1));
        assert!(kind.contains("d.toml:4:8") && kind.lines().count() == 1, "the links are no mistake: {kind}");
        // IOCP's messages about the deck are shown with its cards.
        let few = refused(&SMALL.replace("aliases = 128", "aliases = 200"));
        assert!(few.contains("328 devices"), "{few}");
    }
}
