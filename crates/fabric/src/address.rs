//! Port addresses: 24 bits of domain, area and port (FC-FS; reference section 1.1).

/// Fabric login server: the F_Port at the other end of the link.
pub const FABRIC_LOGIN: u32 = 0xFF_FFFE;
/// Fabric controller: state change registration and notification, and what switches say to each other.
pub const FABRIC_CONTROLLER: u32 = 0xFF_FFFD;
/// Name server.
pub const NAME_SERVER: u32 = 0xFF_FFFC;
/// A port that has no address yet.
pub const UNASSIGNED: u32 = 0;
/// Without a fabric: the port with the higher name, which assigns both addresses.
pub const HIGHER_PORT: u32 = 0x00_0001;
/// Without a fabric: the port with the lower name.
pub const LOWER_PORT: u32 = 0x00_0002;
/// Lowest domain that a switch may have (FC-SW).
pub const DOMAIN_MIN: u8 = 1;
/// Highest domain that a switch may have (FC-SW).
pub const DOMAIN_MAX: u8 = 0xEF;

/// The address of the port with link address `area` in `domain`. FICON gives each port of a director an area of its own
/// and leaves the low octet 0.
#[must_use]
pub const fn of_port(domain: u8, area: u8) -> u32 {
    (domain as u32) << 16 | (area as u32) << 8
}

/// The switch that an address belongs to.
#[must_use]
pub const fn domain(address: u32) -> u8 {
    (address >> 16) as u8
}

/// The port of the switch: its link address.
#[must_use]
pub const fn area(address: u32) -> u8 {
    (address >> 8) as u8
}

/// Whether the address is that of a service rather than of a port.
#[must_use]
pub const fn is_well_known(address: u32) -> bool {
    address > 0xFF_FFEF
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_domain_and_a_link_address() {
        let address = of_port(0x61, 0x1A);
        assert_eq!((address, domain(address), area(address)), (0x61_1A00, 0x61, 0x1A));
        assert!(is_well_known(NAME_SERVER) && !is_well_known(address));
    }
}
