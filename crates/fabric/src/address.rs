//! Port addresses: 24 bits of domain, area and port (FC-FS; reference section 1.1).

use halftrack_wire::WorldWideName;
use halftrack_wire::crc::crc;

/// Fabric login server: the F_Port at the other end of the link.
pub const FABRIC_LOGIN: u32 = 0xFF_FFFE;
/// Fabric controller: state change registration and notification, and the services between switches.
pub const FABRIC_CONTROLLER: u32 = 0xFF_FFFD;
/// Name server.
pub const NAME_SERVER: u32 = 0xFF_FFFC;
/// A port that has no address yet.
pub const UNASSIGNED: u32 = 0;
/// Bits of an address without a fabric: none that a service could have.
const PORT_TO_PORT: u32 = 0x7F_FFFF;
/// Lowest domain that a switch may have (FC-SW).
pub const DOMAIN_MIN: u8 = 1;
/// Highest domain that a switch may have (FC-SW).
pub const DOMAIN_MAX: u8 = 0xEF;

/// Returns the without a fabric: the addresses of the port with the higher name, which assigns both, and of the one with the lower.
///
/// FC-LS leaves the numbers to the port that assigns them. They follow from the names, so that two links of a box have
/// not the same pair: to analysers an exchange is its addresses and OX_ID, and OX_IDs count from 0 on each. Our choice.
#[must_use]
pub fn point_to_point(higher: WorldWideName, lower: WorldWideName) -> (u32, u32) {
    let of = |name: WorldWideName| crc(&name.0.to_be_bytes()) & PORT_TO_PORT;
    (of(higher) | 1, (of(lower) & !1).max(2))
}

/// Returns the address of the port with link address `area` in `domain`. FICON gives each port of a director an area of its own
/// and leaves the low octet 0.
#[must_use]
pub const fn of_port(domain: u8, area: u8) -> u32 {
    (domain as u32) << 16 | (area as u32) << 8
}

/// Returns the switch that an address belongs to.
#[must_use]
pub const fn domain(address: u32) -> u8 {
    (address >> 16) as u8
}

/// Returns the port of the switch: its link address.
#[must_use]
pub const fn area(address: u32) -> u8 {
    (address >> 8) as u8
}

/// Highest 16 bits of the addresses of domain controllers (FC-SW).
const CONTROLLERS: u32 = 0xFF_FC00;

/// Returns the address of the domain controller of a switch, for services between switches that are not neighbours.
#[must_use]
pub const fn domain_controller(domain: u8) -> u32 {
    CONTROLLERS | domain as u32
}

/// Returns the domain whose switch frames for, or from, this address go to: of a port or of a domain controller.
#[must_use]
pub const fn switch_of(address: u32) -> u8 {
    if address & 0xFF_FF00 == CONTROLLERS { address as u8 } else { domain(address) }
}

/// Returns whether the address is that of a service rather than of a port.
#[must_use]
pub const fn is_well_known(address: u32) -> bool {
    address > 0xFF_FFEF
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_without_a_fabric_have_addresses_of_their_own() {
        let pairs: Vec<_> = (0..4096_u64)
            .map(|link| {
                let [channel, control_unit] = [0x5005_0764_0000_0040, 0x5005_0763_0000_0030];
                point_to_point(
                    WorldWideName(channel + (link % 64)),
                    WorldWideName(control_unit + (link / 64)),
                )
            })
            .collect();
        for (higher, lower) in &pairs {
            assert!(*higher != 0 && *lower != 0 && higher != lower, "{higher:06X} {lower:06X}");
            assert!(!is_well_known(*higher) && !is_well_known(*lower), "{higher:06X} {lower:06X}");
        }
        let different: std::collections::BTreeSet<_> = pairs.iter().collect();
        assert_eq!(different.len(), pairs.len());
    }

    #[test]
    fn an_address_has_a_domain_and_a_link_address() {
        let address = of_port(0x61, 0x1A);
        assert_eq!((address, domain(address), area(address)), (0x61_1A00, 0x61, 0x1A));
        assert!(is_well_known(NAME_SERVER) && !is_well_known(address));
        let controller = domain_controller(0x61);
        assert_eq!((switch_of(controller), switch_of(address), controller), (0x61, 0x61, 0xFF_FC61));
        assert!(!is_well_known(controller) && switch_of(NAME_SERVER) == 0xFF);
    }
}
