//! Datagrams of IP and UDP around packets, written and read apart from the crate.

use core::net::{Ipv4Addr, Ipv6Addr};

use halftrack_roce::packet::{Network, Path, ROCE_PORT};

/// Returns the checksum of the header of IPv4.
fn checksum(header: &[u8]) -> [u8; 2] {
    let sum: u32 = header.chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1])).sum();
    let folded = (sum & 0xFFFF) + (sum >> 16);
    (!(folded as u16)).to_be_bytes()
}

/// Returns the datagram that carries a packet over `path`; UDP has no checksum over IPv4.
pub fn datagram(path: &Path, packet: &[u8]) -> Vec<u8> {
    let udp_bytes = (8 + packet.len() as u16).to_be_bytes();
    let mut octets = Vec::new();
    match path.network {
        Network::V4 { source, destination, identification, is_fragment_forbidden } => {
            octets.extend([0x45, 0]);
            octets.extend((28 + packet.len() as u16).to_be_bytes());
            octets.extend(identification.to_be_bytes());
            octets.extend([if is_fragment_forbidden { 0x40 } else { 0 }, 0, 64, 17, 0, 0]);
            octets.extend(source.octets());
            octets.extend(destination.octets());
            let sum = checksum(&octets);
            octets[10..12].copy_from_slice(&sum);
        }
        Network::V6 { source, destination } => {
            octets.extend([0x60, 0, 0, 0]);
            octets.extend(udp_bytes);
            octets.extend([17, 64]);
            octets.extend(source.octets());
            octets.extend(destination.octets());
        }
    }
    octets.extend(path.source_port.to_be_bytes());
    octets.extend(ROCE_PORT.to_be_bytes());
    octets.extend(udp_bytes);
    // A checksum is needed over IPv6 alone, and tshark does not verify it unless it is set to.
    octets.extend(if octets[0] >> 4 == 6 { [0x12, 0x34] } else { [0, 0] });
    octets.extend(packet);
    octets
}

/// Returns the path of a datagram, and its payload.
pub fn parse(octets: &[u8]) -> (Path, &[u8]) {
    let (network, udp) = if octets[0] >> 4 == 4 {
        assert_eq!(octets[0], 0x45, "no options");
        let address = |at: usize| Ipv4Addr::from(<[u8; 4]>::try_from(&octets[at..at + 4]).expect("four"));
        let network = Network::V4 {
            source: address(12),
            destination: address(16),
            identification: u16::from_be_bytes([octets[4], octets[5]]),
            is_fragment_forbidden: octets[6] & 0x40 != 0,
        };
        (network, &octets[20..])
    } else {
        let address =
            |at: usize| Ipv6Addr::from(<[u8; 16]>::try_from(&octets[at..at + 16]).expect("sixteen"));
        (Network::V6 { source: address(8), destination: address(24) }, &octets[40..])
    };
    assert_eq!(u16::from_be_bytes([udp[2], udp[3]]), ROCE_PORT);
    let source_port = u16::from_be_bytes([udp[0], udp[1]]);
    (Path { network, source_port }, &udp[8..])
}
