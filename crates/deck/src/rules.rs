//! All rules of IOCP that are checked, as data: number, what must hold, and where the reader finds more.
//!
//! Source: reference, IOCP, section 4. The number is that of the IBM message of the same meaning (`ICPnnnI`); the
//! words are ours. Checks of ours without such a message are in [`halftrack_input::messages::deck`].

use halftrack_input::Severity;
use halftrack_input::Severity::{Caution, Error, Info, Warning};

/// One rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// Number of the message, without severity letter.
    pub number: u16,
    /// How bad it is when the rule is broken.
    pub severity: Severity,
    /// What is wrong when the message is given.
    pub title: &'static str,
    /// What the rule is about.
    pub area: Area,
}

/// What a rule is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Area {
    /// Cards, operands, values.
    Syntax,
    /// Logical partitions and access lists.
    Partitions,
    /// Channel paths.
    Channels,
    /// Control units.
    ControlUnits,
    /// Devices.
    Devices,
    /// PCIe functions.
    Functions,
}

impl Area {
    /// The word for it in tables.
    pub fn name(self) -> &'static str {
        match self {
            Area::Syntax => "syntax",
            Area::Partitions => "partitions",
            Area::Channels => "channels",
            Area::ControlUnits => "control units",
            Area::Devices => "devices",
            Area::Functions => "functions",
        }
    }
}

const fn rule(number: u16, severity: Severity, area: Area, title: &'static str) -> Rule {
    Rule { number, severity, title, area }
}

use Area::{Channels, ControlUnits, Devices, Functions, Partitions, Syntax};

/// All rules, in the order of their numbers within each area.
pub const RULES: &[Rule] = &[
    rule(103, Warning, Syntax, "ID stands after another statement; it is ignored"),
    rule(104, Warning, Syntax, "a second ID is ignored"),
    rule(110, Error, Syntax, "a comma is expected"),
    rule(111, Error, Syntax, "an opening parenthesis is expected"),
    rule(112, Error, Syntax, "a closing parenthesis is expected"),
    rule(113, Error, Syntax, "a comma or the end of the operand is expected"),
    rule(114, Error, Syntax, "a keyword or a value is expected"),
    rule(115, Error, Syntax, "a character that may stand only in a string"),
    rule(117, Error, Syntax, "a control unit number is not 0000-FFFE"),
    rule(122, Error, Syntax, "a required keyword is missing"),
    rule(123, Error, Syntax, "a keyword is coded twice"),
    rule(126, Error, Syntax, "not hexadecimal, or the wrong number of digits"),
    rule(131, Error, Syntax, "the operand must go on, but column 72 is blank"),
    rule(140, Error, Syntax, "a value is malformed or beyond the machine"),
    rule(145, Error, Syntax, "device numbers run past FFFF"),
    rule(179, Error, Syntax, "a statement or keyword is not known"),
    rule(206, Error, Syntax, "a channel or function type does not exist on the machine"),
    rule(137, Error, Partitions, "a second partition without SHARED or REC"),
    rule(148, Error, Partitions, "only REC may stand here"),
    rule(149, Error, Partitions, "a partition is not defined in the CSS"),
    rule(153, Error, Partitions, "PART and NOTPART for one CSS"),
    rule(155, Error, Partitions, "a MIF id is used twice in a CSS"),
    rule(156, Error, Partitions, "a partition is named twice"),
    rule(157, Error, Partitions, "too many partitions"),
    rule(162, Warning, Partitions, "MAXDEV is missing; the maximum is reserved"),
    rule(164, Info, Partitions, "MAXDEV lacks a CSS; the default is taken"),
    rule(165, Error, Partitions, "a CSS tag is missing"),
    rule(167, Error, Partitions, "a CSS does not exist"),
    rule(192, Error, Partitions, "MCS_1 is given I/O"),
    rule(139, Warning, Channels, "a PCHID is missing"),
    rule(200, Error, Channels, "a channel path is defined twice"),
    rule(201, Error, Channels, "SWITCH has no meaning for the type"),
    rule(202, Error, Channels, "a keyword has no meaning for the type"),
    rule(203, Error, Channels, "FICON and ESCON channels on one switch"),
    rule(204, Warning, Channels, "more channels of a type than the machine is known to have"),
    rule(205, Error, Channels, "the type cannot be shared"),
    rule(207, Error, Channels, "a PCHID, VCHID or FID is used twice"),
    rule(208, Error, Channels, "a coupling keyword has no meaning for the type"),
    rule(209, Error, Channels, "the type cannot be spanned"),
    rule(210, Error, Channels, "a CHPARM that the type does not have"),
    rule(369, Error, Channels, "LSYSTEM is missing for a coupling link"),
    rule(371, Error, Channels, "FC and FCP on one card without MIXTYPE"),
    rule(374, Error, Channels, "types that never mix on one card"),
    rule(225, Error, ControlUnits, "a second control unit on an unswitched channel without CUADD"),
    rule(226, Error, ControlUnits, "a link address is missing"),
    rule(229, Error, ControlUnits, "the type has no link addresses"),
    rule(230, Error, ControlUnits, "a control unit is defined twice"),
    rule(232, Error, ControlUnits, "a channel is listed twice"),
    rule(233, Error, ControlUnits, "unit addresses overlap or run past FF"),
    rule(234, Error, ControlUnits, "channel types that do not mix on a control unit"),
    rule(235, Error, ControlUnits, "too many control units on a channel"),
    rule(236, Error, ControlUnits, "more than one range of unit addresses"),
    rule(237, Error, ControlUnits, "shared and unshared channels on a control unit"),
    rule(238, Error, ControlUnits, "too many unit addresses on a channel (also ICP360I)"),
    rule(243, Error, ControlUnits, "one control unit at a link has CUADD, another has none"),
    rule(244, Error, ControlUnits, "a CUADD is used twice at a link"),
    rule(245, Error, ControlUnits, "PATH and LINK differ in number"),
    rule(246, Error, ControlUnits, "a link is taken twice without CUADD"),
    rule(248, Error, ControlUnits, "a CUADD is used twice on an unswitched channel"),
    rule(250, Error, ControlUnits, "a control unit on a coupling receiver"),
    rule(251, Error, ControlUnits, "CUADD above 0F where an ESCON type takes part"),
    rule(252, Error, ControlUnits, "a link address is out of range"),
    rule(253, Error, ControlUnits, "a link address on a channel without switch"),
    rule(255, Error, ControlUnits, "one-byte and two-byte links on one channel"),
    rule(256, Error, ControlUnits, "FCTC beside other control units on an unswitched channel"),
    rule(357, Error, ControlUnits, "too many link addresses on a channel"),
    rule(359, Error, ControlUnits, "too many ranges of unit addresses on a channel"),
    rule(300, Error, Devices, "unit addresses run past FF"),
    rule(302, Error, Devices, "a control unit is named twice"),
    rule(303, Error, Devices, "a control unit does not answer to the unit address"),
    rule(304, Error, Devices, "more than eight paths to a device"),
    rule(308, Error, Devices, "a control unit is not defined"),
    rule(310, Warning, Devices, "TIMEOUT on channels that have none"),
    rule(311, Error, Devices, "control units with channels that do not mix"),
    rule(313, Error, Devices, "control units with shared and unshared channels"),
    rule(315, Error, Devices, "a device candidate list on unshared channels"),
    rule(323, Caution, Devices, "an OSAD device on a control unit with CUADD"),
    rule(325, Error, Devices, "the type has subchannel set 0 only"),
    rule(352, Error, Devices, "a unit address is used twice on a control unit"),
    rule(361, Error, Devices, "a partition sees a device number twice"),
    rule(180, Error, Functions, "no partition can use the function"),
    rule(183, Error, Functions, "more than one physical function of an adapter"),
    rule(184, Error, Functions, "the network IEDN on some ports of a RoCE adapter only"),
    rule(188, Error, Functions, "a PNETID is used by two internal channels"),
    rule(190, Error, Functions, "a UID is used twice in a UUID partition"),
    rule(215, Error, Functions, "a VF is used twice"),
    rule(216, Error, Functions, "a count for a type without VF"),
    rule(217, Error, Functions, "more PNETIDs than ports"),
    rule(219, Error, Functions, "VF is missing"),
    rule(220, Error, Functions, "TYPE is missing"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_stands_once_and_in_order() {
        for pair in RULES.windows(2) {
            let ordered = pair[0].area < pair[1].area
                || (pair[0].area == pair[1].area && pair[0].number < pair[1].number);
            assert!(ordered, "{} before {}", pair[0].number, pair[1].number);
        }
        assert!(RULES.iter().all(|rule| (100..400).contains(&rule.number)));
    }
}
