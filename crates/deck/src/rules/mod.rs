//! The rules of IOCP: a table of all that are checked, their checks, and the definitions that these work on.
//!
//! The table has number, severity and area of each rule. The checks are in the other files, one a family of rules. They
//! work on the statements before the one at hand, but for those that run once all statements are read. The values that
//! they check have been read before, by [`crate::syntax`] and the readers of statements.
//!
//! Source: reference, IOCP, section 4. The number is that of the IBM message of the same meaning (`ICPnnnI`); the
//! words are ours. Checks of ours without such a message are in [`halftrack_input::messages::deck`].

pub(crate) mod adapter_limits;
pub(crate) mod cards;
pub(crate) mod channel_load;
pub(crate) mod count_limits;
pub(crate) mod coupling;
pub(crate) mod definitions;
pub(crate) mod device_counts;
pub(crate) mod device_numbers;
pub(crate) mod devices;
pub(crate) mod functions;
pub(crate) mod links;
pub(crate) mod paths;
pub(crate) mod sharing;
pub(crate) mod software;
pub(crate) mod switches;

use halftrack_input::Severity::{self, Caution, Error, Info, Warning};
use halftrack_input::messages;

/// One rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// Number of the message, without severity letter.
    pub number: u16,
    /// How bad it is when the rule is broken.
    pub severity: Severity,
    /// Area of the rule.
    pub area: Area,
}

impl Rule {
    /// Returns the fault that the message reports, from the register of messages.
    pub fn title(&self) -> &'static str {
        messages::find(self.number, self.severity).map_or("", |message| message.title)
    }
}

/// The area of a rule.
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
    /// Returns the word for it in tables.
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

const fn rule(number: u16, severity: Severity, area: Area) -> Rule {
    Rule { number, severity, area }
}

use Area::{Channels, ControlUnits, Devices, Functions, Partitions, Syntax};

/// All rules, in the order of their numbers within each area.
pub const RULES: &[Rule] = &[
    rule(103, Warning, Syntax),
    rule(104, Warning, Syntax),
    rule(110, Error, Syntax),
    rule(111, Error, Syntax),
    rule(112, Error, Syntax),
    rule(113, Error, Syntax),
    rule(114, Error, Syntax),
    rule(115, Error, Syntax),
    rule(117, Error, Syntax),
    rule(122, Error, Syntax),
    rule(123, Error, Syntax),
    rule(126, Error, Syntax),
    rule(131, Error, Syntax),
    rule(140, Error, Syntax),
    rule(145, Error, Syntax),
    rule(179, Error, Syntax),
    rule(206, Error, Syntax),
    rule(137, Error, Partitions),
    rule(148, Error, Partitions),
    rule(149, Error, Partitions),
    rule(153, Error, Partitions),
    rule(155, Error, Partitions),
    rule(156, Error, Partitions),
    rule(157, Error, Partitions),
    rule(162, Warning, Partitions),
    rule(164, Info, Partitions),
    rule(165, Error, Partitions),
    rule(167, Error, Partitions),
    rule(192, Error, Partitions),
    rule(139, Warning, Channels),
    rule(200, Error, Channels),
    rule(201, Error, Channels),
    rule(202, Error, Channels),
    rule(203, Error, Channels),
    rule(204, Warning, Channels),
    rule(205, Error, Channels),
    rule(207, Error, Channels),
    rule(208, Error, Channels),
    rule(209, Error, Channels),
    rule(210, Error, Channels),
    rule(369, Error, Channels),
    rule(371, Error, Channels),
    rule(374, Error, Channels),
    rule(225, Error, ControlUnits),
    rule(226, Error, ControlUnits),
    rule(229, Error, ControlUnits),
    rule(230, Error, ControlUnits),
    rule(232, Error, ControlUnits),
    rule(233, Error, ControlUnits),
    rule(234, Error, ControlUnits),
    rule(235, Error, ControlUnits),
    rule(236, Error, ControlUnits),
    rule(237, Error, ControlUnits),
    rule(238, Error, ControlUnits),
    rule(243, Error, ControlUnits),
    rule(244, Error, ControlUnits),
    rule(245, Error, ControlUnits),
    rule(246, Error, ControlUnits),
    rule(248, Error, ControlUnits),
    rule(250, Error, ControlUnits),
    rule(251, Error, ControlUnits),
    rule(252, Error, ControlUnits),
    rule(253, Error, ControlUnits),
    rule(255, Error, ControlUnits),
    rule(256, Error, ControlUnits),
    rule(357, Error, ControlUnits),
    rule(359, Error, ControlUnits),
    rule(300, Error, Devices),
    rule(302, Error, Devices),
    rule(303, Error, Devices),
    rule(304, Error, Devices),
    rule(308, Error, Devices),
    rule(310, Warning, Devices),
    rule(311, Error, Devices),
    rule(313, Error, Devices),
    rule(315, Error, Devices),
    rule(323, Caution, Devices),
    rule(325, Error, Devices),
    rule(352, Error, Devices),
    rule(361, Error, Devices),
    rule(180, Error, Functions),
    rule(183, Error, Functions),
    rule(184, Error, Functions),
    rule(188, Error, Functions),
    rule(190, Error, Functions),
    rule(215, Error, Functions),
    rule(216, Error, Functions),
    rule(217, Error, Functions),
    rule(219, Error, Functions),
    rule(220, Error, Functions),
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
