//! Types of channel paths as displays number and describe them.
//!
//! Source: reference, displays, 6.1; the first two rows and words of the legend from z/OS MVS System Messages, IEE174I.

use halftrack_deck::model::ChannelPath;

/// One line of the legend of types: number, words, and what HCD calls it.
pub(super) type Row = (u8, &'static str, &'static str);

/// Row of a type that the table lacks.
const UNDEFINED: Row = (0x00, "UNKNOWN", "UNDEF");

/// Every type of the table.
pub(super) const TYPES: [Row; 25] = [
    UNDEFINED,
    (0x01, "PARALLEL BLOCK MULTIPLEX", "BLOCK"),
    (0x02, "PARALLEL BYTE MULTIPLEX", "BYTE"),
    (0x03, "ESCON POINT TO POINT", "CNC_P"),
    (0x04, "ESCON SWITCHED OR POINT TO POINT", "CNC_?"),
    (0x05, "ESCON SWITCHED", "CNC_S"),
    (0x06, "ESCON PATH TO A BLOCK CONVERTER", "CVC"),
    (0x08, "CTC POINT TO POINT", "CTC_P"),
    (0x09, "CTC SWITCHED", "CTC_S"),
    (0x0A, "CTC SWITCHED OR POINT TO POINT", "CTC_?"),
    (0x0B, "COUPLING FACILITY SENDER", "CFS"),
    (0x0F, "ESCON PATH TO A BYTE CONVERTER", "CBY"),
    (0x10, "OSA EXPRESS", "OSE"),
    (0x11, "OSA DIRECT EXPRESS", "OSD"),
    (0x1A, "FICON POINT TO POINT", "FC"),
    (0x1B, "FICON SWITCHED", "FC_S"),
    (0x1C, "FICON TO ESCON BRIDGE", "FCV"),
    (0x1D, "FICON INCOMPLETE", "FC_?"),
    (0x22, "COUPLING FACILITY PEER", "CFP"),
    (0x23, "INTERNAL COUPLING PEER", "ICP"),
    (0x24, "INTERNAL QUEUED DIRECT", "IQD"),
    (0x25, "FCP CHANNEL", "FCP"),
    (0x26, "COUPLING OVER INFINIBAND", "CIB"),
    (0x30, "OSA ZBX DATA", "OSX"),
    (0x31, "OSA ZBX MANAGEMENT", "OSM"),
];

/// Returns the line of the table that a channel path is of.
pub(super) fn of(path: &ChannelPath) -> Row {
    let kind = path.channel_type.value.as_str();
    let name = match (kind, path.switch.is_some()) {
        ("FC", true) => "FC_S",
        ("CNC", true) => "CNC_S",
        ("CNC", false) => "CNC_P",
        ("CTC", true) => "CTC_S",
        ("CTC", false) => "CTC_P",
        ("BL", _) => "BLOCK",
        ("BY", _) => "BYTE",
        _ => kind,
    };
    TYPES.into_iter().find(|(_, _, of)| *of == name).unwrap_or(UNDEFINED)
}
