//! The properties of each channel type: keywords, limits, and the machines that have it, as data.
//!
//! Source of every figure: reference, IOCP, sections 2.4, 2.8 (V) and 3 (limits V, availability by machine M). That
//! some types began or ended before the 2094, and all values of BL and BY, are domain knowledge (M).

use crate::model::machines::{Generation, Machine};

/// One channel type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChannelType {
    /// Value of TYPE=.
    pub name: &'static str,
    /// Types of one family may meet on a control unit (R234).
    pub family: &'static str,
    /// First and last machine family that has it.
    pub machines: (Generation, Generation),
    /// Keywords that have a meaning for this type, out of [`TYPE_KEYWORDS`].
    pub keywords: &'static [&'static str],
    /// It takes one physical channel, so that a missing PCHID deserves a warning (R139).
    pub needs_pchid: bool,
    /// It may belong to several channel subsystems (R209).
    pub may_span: bool,
    /// It may be shared by partitions (R205).
    pub may_be_shared: bool,
    /// It leads to a director or control unit by link address; SWITCH and LINK have a meaning.
    pub has_links: bool,
    /// Link addresses may have two bytes.
    pub two_byte_links: bool,
    /// Largest CUADD; `None` when the type has none.
    pub cuadd_max: Option<u8>,
    /// Control units that one channel can reach (R235).
    pub control_unit_count_max: u32,
    /// Unit addresses that one channel can reach (R238).
    pub unit_addresses: UnitAddressLimit,
    /// Ranges of unit addresses of all its control units (R359).
    pub unit_address_range_count_max: Option<u32>,
    /// UNITADD is coded; otherwise the control unit answers to all 256 unit addresses.
    pub codes_unit_addresses: bool,
    /// Only one UNITADD range (R236).
    pub one_unit_address_range: bool,
    /// Devices may stand in subchannel sets above 0 (R325).
    pub has_subchannel_sets: bool,
}

/// How many unit addresses one channel can reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitAddressLimit {
    /// No limit but that of its control units.
    None,
    /// One limit for all machines.
    Fixed(u32),
    /// The limit of FC on the machine.
    Fc,
}

impl UnitAddressLimit {
    /// Returns the limit on `machine`.
    pub fn on(self, machine: &Machine) -> Option<u32> {
        match self {
            UnitAddressLimit::None => None,
            UnitAddressLimit::Fixed(limit) => Some(limit),
            UnitAddressLimit::Fc => Some(machine.fc_unit_address_count_max),
        }
    }
}

/// Keywords of CHPID that only some types have.
pub const TYPE_KEYWORDS: [&str; 11] = [
    "PCHID",
    "VCHID",
    "AID",
    "PORT",
    "SWITCH",
    "CHPARM",
    "IOCLUSTER",
    "CPATH",
    "CSYSTEM",
    "PNETID",
    "MIXTYPE",
];

const G5: Generation = Generation::G5;
const Z900: Generation = Generation::Z900;
const LAST: Generation = Generation::Z17;

/// Networking types: the pattern of most types that have no links.
const OSA: ChannelType = ChannelType {
    name: "OSD",
    family: "OSD",
    machines: (Z900, LAST),
    keywords: &["PCHID", "CHPARM", "PNETID"],
    needs_pchid: true,
    may_span: true,
    may_be_shared: true,
    has_links: false,
    two_byte_links: false,
    cuadd_max: Some(0xFF),
    control_unit_count_max: 16,
    unit_addresses: UnitAddressLimit::None,
    unit_address_range_count_max: None,
    codes_unit_addresses: false,
    one_unit_address_range: false,
    has_subchannel_sets: true,
};

/// OSA types with one control unit.
const OSA_SINGLE: ChannelType =
    ChannelType { keywords: &["PCHID"], cuadd_max: None, control_unit_count_max: 1, ..OSA };

/// ESCON and its FICON successors.
const CNC: ChannelType = ChannelType {
    name: "CNC",
    family: "CNC FCV FC",
    machines: (G5, Generation::Z196),
    keywords: &["PCHID", "SWITCH", "CHPARM", "IOCLUSTER"],
    may_span: false,
    has_links: true,
    cuadd_max: Some(0x0F),
    control_unit_count_max: 120,
    unit_addresses: UnitAddressLimit::Fixed(1024),
    codes_unit_addresses: true,
    one_unit_address_range: true,
    ..OSA
};

/// ESCON channels behind a converter: block and byte multiplexers to what is beyond it.
const CONVERTED: ChannelType = ChannelType {
    family: "BL BY CVC CBY",
    machines: (G5, Generation::Z196),
    keywords: &["PCHID", "SWITCH"],
    may_be_shared: false,
    cuadd_max: None,
    control_unit_count_max: 48,
    unit_address_range_count_max: Some(64),
    unit_addresses: UnitAddressLimit::None,
    one_unit_address_range: false,
    has_subchannel_sets: false,
    ..CNC
};

/// Parallel channels, bus-and-tag: control units on one cable, distinguished by their unit addresses.
const PARALLEL: ChannelType =
    ChannelType { machines: (G5, Z900), keywords: &[], has_links: false, needs_pchid: false, ..CONVERTED };

const COUPLING: ChannelType = ChannelType {
    family: "CFP CBP ICP CIB CL5 CL6 CS5",
    machines: (Generation::Z9, LAST),
    keywords: &["PCHID", "CPATH", "CSYSTEM"],
    cuadd_max: None,
    control_unit_count_max: 1,
    has_subchannel_sets: false,
    ..OSA
};

/// Coupling links over distances: a PCHID has several ports.
const LONG_REACH: &[&str] = &["PCHID", "PORT", "CPATH", "CSYSTEM"];

/// Coupling senders and receivers of the first kind.
const SENDER: ChannelType = ChannelType { family: "CFS CBS", machines: (G5, LAST), ..COUPLING };
const RECEIVER: ChannelType = ChannelType {
    family: "CFR CBR",
    machines: (G5, LAST),
    may_span: false,
    may_be_shared: false,
    ..COUPLING
};

/// All channel types.
pub const CHANNEL_TYPES: [ChannelType; 28] = [
    ChannelType {
        name: "FC",
        machines: (G5, LAST),
        keywords: &["PCHID", "SWITCH", "CHPARM", "IOCLUSTER", "MIXTYPE"],
        may_span: true,
        two_byte_links: true,
        cuadd_max: Some(0xFF),
        control_unit_count_max: 256,
        unit_addresses: UnitAddressLimit::Fc,
        ..CNC
    },
    ChannelType {
        name: "FCV",
        machines: (G5, Generation::Z10),
        control_unit_count_max: 256,
        unit_addresses: UnitAddressLimit::Fixed(16384),
        ..CNC
    },
    ChannelType {
        name: "FCP",
        family: "FCP",
        keywords: &["PCHID", "MIXTYPE"],
        cuadd_max: None,
        control_unit_count_max: 1,
        ..OSA
    },
    CNC,
    ChannelType {
        name: "CTC",
        family: "CTC",
        keywords: &["PCHID", "SWITCH"],
        unit_addresses: UnitAddressLimit::Fixed(512),
        ..CNC
    },
    ChannelType { name: "BL", ..PARALLEL },
    ChannelType { name: "BY", ..PARALLEL },
    ChannelType { name: "CVC", ..CONVERTED },
    ChannelType { name: "CBY", ..CONVERTED },
    ChannelType { name: "OSC", family: "OSC", machines: (Generation::Z990, LAST), ..OSA_SINGLE },
    OSA,
    ChannelType { name: "OSE", family: "OSE", machines: (Z900, Generation::Z16), ..OSA_SINGLE },
    ChannelType { name: "OSH", family: "OSH", machines: (Generation::Z17, LAST), ..OSA },
    ChannelType {
        name: "OSM",
        family: "OSM",
        machines: (Generation::Z9, Generation::Z15),
        keywords: &["PCHID", "CHPARM"],
        ..OSA
    },
    ChannelType { name: "OSN", family: "OSN", machines: (Generation::Z9, Generation::Z14), ..OSA_SINGLE },
    ChannelType {
        name: "OSX",
        family: "OSX",
        machines: (Generation::Z9, Generation::Z15),
        keywords: &["PCHID", "CHPARM"],
        ..OSA
    },
    ChannelType {
        name: "IQD",
        family: "IQD",
        keywords: &["VCHID", "CHPARM", "PNETID"],
        needs_pchid: false,
        control_unit_count_max: 64,
        ..OSA
    },
    ChannelType { name: "ICP", machines: (Z900, LAST), keywords: &["CPATH"], needs_pchid: false, ..COUPLING },
    ChannelType {
        name: "CIB",
        machines: (Generation::Z9, Generation::Z14),
        keywords: &["AID", "PORT", "CPATH", "CSYSTEM"],
        needs_pchid: false,
        ..COUPLING
    },
    ChannelType { name: "CL5", keywords: LONG_REACH, ..COUPLING },
    ChannelType { name: "CL6", keywords: LONG_REACH, machines: (Generation::Z17, LAST), ..COUPLING },
    ChannelType {
        name: "CS5",
        keywords: &["AID", "PORT", "CPATH", "CSYSTEM"],
        needs_pchid: false,
        ..COUPLING
    },
    ChannelType { name: "CFP", machines: (Z900, LAST), ..COUPLING },
    ChannelType { name: "CBP", machines: (Z900, LAST), ..COUPLING },
    ChannelType { name: "CFS", ..SENDER },
    ChannelType { name: "CBS", ..SENDER },
    ChannelType { name: "CFR", ..RECEIVER },
    ChannelType { name: "CBR", ..RECEIVER },
];

impl ChannelType {
    /// Returns true when CHPARM may be `value`. IQD has the frame size in the first digit, the network in the second
    /// (M).
    pub fn takes_parameter(&self, value: u8) -> bool {
        match self.name {
            "OSD" | "OSH" | "OSM" | "OSX" => matches!(value, 0x00 | 0x02),
            "IQD" => value & 0x39 == 0 && value & 0x06 != 0x06,
            _ => matches!(value, 0x00 | 0x01),
        }
    }

    /// Returns the type named `name`.
    pub fn of(name: &str) -> Option<&'static ChannelType> {
        CHANNEL_TYPES.iter().find(|kind| kind.name == name)
    }

    /// Returns true when `machine` has channels of this type.
    pub fn exists_on(&self, machine: &Machine) -> bool {
        (self.machines.0..=self.machines.1).contains(&machine.generation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_z16_has_ficon_but_no_escon() {
        let z16 = Machine::default_machine();
        assert!(ChannelType::of("FC").unwrap().exists_on(z16));
        for gone in ["FCV", "CNC", "CTC", "CVC", "CBY", "CIB", "OSN", "OSM", "OSX", "CL6", "OSH"] {
            assert!(!ChannelType::of(gone).unwrap().exists_on(z16), "{gone}");
        }
        assert!(ChannelType::of("FCV").unwrap().exists_on(Machine::of(2097).unwrap()));
    }

    #[test]
    fn the_machines_of_2002_have_parallel_escon_and_ficon() {
        let exists = |name: &str, machine_type: u16| {
            ChannelType::of(name).unwrap().exists_on(Machine::of(machine_type).unwrap())
        };
        for name in ["BL", "BY", "CVC", "CBY", "CNC", "CTC", "FCV", "FC"] {
            assert!(exists(name, 9672) && exists(name, 2064), "{name}");
        }
        for name in ["IQD", "OSD", "FCP"] {
            assert!(!exists(name, 9672) && exists(name, 2064), "{name}");
        }
        assert!(!exists("BL", 2066) && !exists("BY", 2084) && exists("CNC", 2818));
    }

    #[test]
    fn names_are_unique_and_keywords_known() {
        for (index, kind) in CHANNEL_TYPES.iter().enumerate() {
            assert!(CHANNEL_TYPES[..index].iter().all(|earlier| earlier.name != kind.name), "{}", kind.name);
            assert!(kind.keywords.iter().all(|keyword| TYPE_KEYWORDS.contains(keyword)), "{}", kind.name);
            assert_eq!(kind.has_links, kind.keywords.contains(&"SWITCH"), "{}", kind.name);
        }
    }

    #[test]
    fn ficon_reaches_more_unit_addresses_on_later_machines() {
        let limit = |machine_type| {
            ChannelType::of("FC").unwrap().unit_addresses.on(Machine::of(machine_type).unwrap())
        };
        assert_eq!((limit(2094), limit(2817), limit(3931)), (Some(16384), Some(24576), Some(32768)));
        assert_eq!((limit(9672), limit(2064)), (Some(16384), Some(16384)));
    }
}
