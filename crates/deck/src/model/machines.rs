//! The limits of each machine type in IOCP, as data.
//!
//! Source of every figure: reference, IOCP, section 3. Columns `mixing` are confirmed in the IOCP user's guide
//! topics; CSS, partition, subchannel set and FID columns and the FC unit-address limits are domain knowledge marked
//! M there: correct them here and nowhere else. The reference begins with the 2094; rows before it, and those of the
//! 2096, 2098 and 2818, are domain knowledge too, but for figures that the FICON paper of 2002 prints: one channel
//! subsystem of 256 CHPIDs and 16,384 unit addresses of a FICON channel.

use Generation::{G5, Z9, Z10, Z13, Z14, Z15, Z16, Z17, Z196, Z800, Z900, Z990, Zec12};
use Mixing::{Free, Mixtype, No, Unknown};

use crate::model::channel_types::ChannelType;

/// First PCHID of a port that is no coupling adapter.
pub(crate) const PORT_PCHID_FIRST: u16 = 0x100;
/// Last channel number of any kind before the z17.
pub(crate) const PCHID_LAST: u16 = 0x7FF;

/// Order of the machine families, oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Generation {
    /// S/390 G5 and G6: two models of one machine type.
    G5,
    /// z900.
    Z900,
    /// z800.
    Z800,
    /// z990 and z890.
    Z990,
    /// z9.
    Z9,
    /// z10.
    Z10,
    /// z196 and z114.
    Z196,
    /// zEC12 and zBC12.
    Zec12,
    /// z13.
    Z13,
    /// z14.
    Z14,
    /// z15.
    Z15,
    /// z16.
    Z16,
    /// z17.
    Z17,
}

/// How FC and FCP may share one card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mixing {
    /// Not stated.
    Unknown,
    /// Never.
    No,
    /// When MIXTYPE is coded.
    Mixtype,
    /// Always; MIXTYPE is ignored with a warning.
    Free,
}

/// Limits of one machine type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Machine {
    /// Machine type, such as 3931.
    pub machine_type: u16,
    /// Name people use.
    pub name: &'static str,
    /// Family.
    pub generation: Generation,
    /// Channel subsystems.
    pub css_count: u8,
    /// Logical partitions in all channel subsystems together.
    pub partition_count: u8,
    /// Subchannel sets of each channel subsystem.
    pub subchannel_set_count: u8,
    /// FC and FCP on one card.
    pub mixing: Mixing,
    /// Largest function identifier; `None` when the machine has no FUNCTION statement.
    pub fid_max: Option<u16>,
    /// Unit addresses that one FC channel can reach.
    pub fc_unit_address_count_max: u32,
    /// Limits levels that decks of the type are known to name behind it in `SYSTEM=`. No published limit differs
    /// between the levels of a type, so that a level is looked up and shown and changes nothing else.
    pub levels: &'static [u8],
}

/// Machine type taken when ID names none.
pub const DEFAULT_MACHINE_TYPE: u16 = 3931;

/// Named partitions in one channel subsystem (V).
pub const PARTITIONS_PER_CSS_MAX: u8 = 15;

/// Devices in subchannel set 0 and in each further set, per channel subsystem (V / M).
pub const SUBCHANNEL_SET_DEVICES_MAX: [u32; 4] = [65280, 65535, 65535, 65535];

/// Channel paths of a control unit, and of a device, in one channel subsystem (V).
pub const PATHS_PER_CSS_MAX: usize = 8;

/// Control units of a device (M).
pub const CONTROL_UNITS_PER_DEVICE_MAX: usize = 8;

/// Devices of one IODEVICE statement (V).
pub const DEVICES_PER_STATEMENT_MAX: u32 = 256;

/// Level 1 is seen in decks of every generation (V for 3931); whether a type has further ones is not published.
const FIRST_LEVEL: &[u8] = &[1];

/// Builds one row of the table; columns as in the reference, then the FC unit-address limit.
const fn row(
    (machine_type, name, generation): (u16, &'static str, Generation),
    (css_count, partition_count, subchannel_set_count): (u8, u8, u8),
    mixing: Mixing,
    fid_max: Option<u16>,
    fc_unit_address_count_max: u32,
) -> Machine {
    Machine {
        machine_type,
        name,
        generation,
        css_count,
        partition_count,
        subchannel_set_count,
        mixing,
        fid_max,
        fc_unit_address_count_max,
        levels: FIRST_LEVEL,
    }
}

/// All machine types known.
pub const MACHINES: [Machine; 23] = [
    row((9672, "S/390 G5 and G6", G5), (1, 15, 1), Unknown, None, 16384),
    row((2064, "z900", Z900), (1, 15, 1), Unknown, None, 16384),
    row((2066, "z800", Z800), (1, 15, 1), Unknown, None, 16384),
    row((2084, "z990", Z990), (4, 30, 1), Unknown, None, 16384),
    row((2086, "z890", Z990), (2, 30, 1), Unknown, None, 16384),
    row((2094, "z9 EC", Z9), (4, 60, 2), Unknown, None, 16384),
    row((2096, "z9 BC", Z9), (2, 30, 2), Unknown, None, 16384),
    row((2097, "z10 EC", Z10), (4, 60, 2), Unknown, None, 24576),
    row((2098, "z10 BC", Z10), (2, 30, 2), Unknown, None, 24576),
    row((2817, "z196", Z196), (4, 60, 3), No, None, 24576),
    row((2818, "z114", Z196), (2, 30, 2), No, None, 24576),
    row((2827, "zEC12", Zec12), (4, 60, 3), No, Some(0xFF), 24576),
    row((2828, "zBC12", Zec12), (2, 30, 2), No, Some(0xFF), 24576),
    row((2964, "z13", Z13), (6, 85, 4), No, Some(0xFFF), 32768),
    row((2965, "z13s", Z13), (3, 40, 3), No, Some(0xFFF), 32768),
    row((3906, "z14", Z14), (6, 85, 4), Mixtype, Some(0xFFF), 32768),
    row((3907, "z14 ZR1", Z14), (3, 40, 3), Mixtype, Some(0xFFF), 32768),
    row((8561, "z15 T01", Z15), (6, 85, 4), Mixtype, Some(0xFFF), 32768),
    row((8562, "z15 T02", Z15), (3, 40, 3), Mixtype, Some(0xFFF), 32768),
    row((3931, "z16 A01", Z16), (6, 85, 4), Free, Some(0xFFF), 32768),
    row((3932, "z16 A02", Z16), (3, 40, 3), Free, Some(0xFFF), 32768),
    // Four hex digits; 2200 has been seen, the true maximum is not published.
    row((9175, "z17", Z17), (6, 85, 4), Free, Some(0xFFFF), 32768),
    row((9176, "z17 A02", Z17), (3, 40, 3), Free, Some(0xFFFF), 32768),
];

impl Machine {
    /// Returns the machine of `machine_type`.
    pub fn of(machine_type: u16) -> Option<&'static Machine> {
        MACHINES.iter().find(|machine| machine.machine_type == machine_type)
    }

    /// Returns the machine of `machine_type`, provided that it has the limits level `level`, if one is given.
    ///
    /// # Errors
    ///
    /// The known types, or the levels of the type, in words.
    pub fn of_level(machine_type: u16, level: Option<u8>) -> Result<&'static Machine, String> {
        let Some(machine) = Self::of(machine_type) else {
            let all: Vec<String> = MACHINES.iter().map(|one| one.machine_type.to_string()).collect();
            return Err(format!("machine types are {}", all.join(", ")));
        };
        match level.filter(|level| !machine.levels.contains(level)) {
            None => Ok(machine),
            Some(level) => Err(format!("level {level} is unknown; {}", machine.levels_words())),
        }
    }

    /// `levels of a 3931 are 1`.
    pub(crate) fn levels_words(&self) -> String {
        let levels: Vec<String> = self.levels.iter().map(u8::to_string).collect();
        format!("levels of a {} are {}", self.machine_type, levels.join(", "))
    }

    /// Returns the machine taken when ID names none.
    pub fn default_machine() -> &'static Machine {
        Self::of(DEFAULT_MACHINE_TYPE).unwrap_or(&MACHINES[0])
    }

    /// Returns the partitions that `css` may have: those that the lower ones leave over, and never more than 15. On
    /// machines of 85 or 40 partitions the highest channel subsystem has 10. The z990 has more channel subsystems
    /// than 15 partitions each would fill: there the sum alone is limited, by [`Machine::partition_count`].
    pub fn partition_count_in(&self, css: u8) -> u8 {
        let below = PARTITIONS_PER_CSS_MAX.saturating_mul(css);
        match self.partition_count.saturating_sub(below) {
            0 if css < self.css_count => PARTITIONS_PER_CSS_MAX,
            left => left.min(PARTITIONS_PER_CSS_MAX),
        }
    }

    /// Returns true when physical ports have names of their own, PCHIDs: since the z990 (reference, IOCP, section 7).
    /// Before it a CHPID is a port.
    pub fn has_pchids(&self) -> bool {
        self.generation >= Z990
    }

    /// Returns true when a channel of type `kind` may be on `pchid`. PCHIDs begin at 100 for all but coupling
    /// adapters, and end below those of internal channels (M); the numbers of a z17 are not published.
    pub fn may_have_pchid(&self, pchid: u16, kind: &ChannelType) -> bool {
        let coupling = ["CL5", "CFR", "CFS"].iter().any(|family| kind.family.contains(family));
        let is_below = pchid < PORT_PCHID_FIRST && !coupling;
        !is_below && (pchid <= PCHID_LAST || self.generation >= Generation::Z17)
    }

    /// Returns true when the machine also runs undivided, in BASIC mode: no partitions, no RESOURCE statement (M).
    pub fn has_basic_mode(&self) -> bool {
        matches!(self.generation, G5 | Z900)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_highest_css_is_short_of_partitions() {
        let z16 = Machine::default_machine();
        assert_eq!(z16.machine_type, 3931);
        assert_eq!((z16.partition_count_in(4), z16.partition_count_in(5)), (15, 10));
        let small = Machine::of(3932).unwrap();
        assert_eq!((small.partition_count_in(1), small.partition_count_in(2)), (15, 10));
        assert_eq!(Machine::of(2097).unwrap().partition_count_in(3), 15);
    }

    #[test]
    fn partitions_of_all_css_add_up_to_those_of_the_machine() {
        for machine in &MACHINES {
            let sum: u8 = (0..machine.css_count).map(|css| machine.partition_count_in(css)).sum();
            let by_css = if machine.machine_type == 2084 { 60 } else { machine.partition_count };
            assert_eq!(sum, by_css, "{}", machine.machine_type);
        }
    }

    #[test]
    fn ports_below_100_are_of_coupling_adapters() {
        let may = |machine: u16, pchid, kind| {
            let machine = Machine::of(machine).expect("a machine");
            machine.may_have_pchid(pchid, ChannelType::of(kind).expect("a type"))
        };
        assert!(!may(3931, 0x098, "FC") && may(3931, 0x098, "CFP") && may(3931, 0x100, "FC"));
        assert!(may(3931, 0x7FF, "FC") && !may(3931, 0x800, "FC") && may(9175, 0x800, "FC"));
    }

    #[test]
    fn pchids_came_when_basic_mode_had_gone() {
        for machine in &MACHINES {
            assert!(!(machine.has_pchids() && machine.has_basic_mode()), "{}", machine.machine_type);
        }
        let with = |machine_type: u16| {
            let machine = Machine::of(machine_type).unwrap();
            (machine.has_pchids(), machine.has_basic_mode(), machine.css_count)
        };
        assert_eq!((with(9672), with(2064)), ((false, true, 1), (false, true, 1)));
        assert_eq!((with(2066), with(2084)), ((false, false, 1), (true, false, 4)));
    }
}
