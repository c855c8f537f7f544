//! Optional headers between the frame header and the payload, announced by DF_CTL (FC-FS; endpoint security).
//!
//! ```text
//! header 24 | [ESP_Header 8] | [network 16] | [association 32] | [device 0, 16, 32, 64] | payload | CRC 4
//! ```
//!
//! Behind an ESP_Header everything up to the CRC is protected: initialisation vector, the other optional headers,
//! payload, padding and integrity check value. Without the key they cannot be separated, so with an ESP_Header all of
//! it counts as payload.

/// DF_CTL: an ESP_Header follows.
pub const ESP_HEADER: u8 = 0x40;
/// DF_CTL: a network header follows.
pub const NETWORK_HEADER: u8 = 0x20;
/// DF_CTL: an association header follows.
pub const ASSOCIATION_HEADER: u8 = 0x10;
/// DF_CTL: two bits that give the length of the device header: none, 16, 32 or 64 octets.
pub const DEVICE_HEADER: u8 = 0x03;

/// Octets of an ESP_Header: security parameters index 4, sequence number 4.
pub const ESP_HEADER_BYTES: usize = 8;
/// Octets of a network header: two network addresses of 8.
pub const NETWORK_HEADER_BYTES: usize = 16;
/// Octets of an association header.
pub const ASSOCIATION_HEADER_BYTES: usize = 32;

/// The optional headers of a frame, those absent empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OptionalHeaders<'a> {
    /// Security parameters index and sequence number, 8 octets.
    pub esp: &'a [u8],
    /// Network addresses, 16 octets.
    pub network: &'a [u8],
    /// Associators, 32 octets.
    pub association: &'a [u8],
    /// Device header, 16, 32 or 64 octets.
    pub device: &'a [u8],
}

impl<'a> OptionalHeaders<'a> {
    /// Returns the octets of each header that `df_ctl` announces, in their order.
    const fn lengths(df_ctl: u8) -> [usize; 4] {
        if df_ctl & ESP_HEADER != 0 {
            return [ESP_HEADER_BYTES, 0, 0, 0];
        }
        let network = if df_ctl & NETWORK_HEADER != 0 { NETWORK_HEADER_BYTES } else { 0 };
        let association = if df_ctl & ASSOCIATION_HEADER != 0 { ASSOCIATION_HEADER_BYTES } else { 0 };
        [0, network, association, [0, 16, 32, 64][(df_ctl & DEVICE_HEADER) as usize]]
    }

    /// Returns the octets of all headers that `df_ctl` announces, and that stand before the payload in the clear.
    #[must_use]
    pub const fn bytes(df_ctl: u8) -> usize {
        // Almost every frame: nothing announced.
        if df_ctl == 0 {
            return 0;
        }
        let [esp, network, association, device] = Self::lengths(df_ctl);
        esp + network + association + device
    }

    /// Tells the headers in `octets` apart; what is missing at the end stays empty.
    #[must_use]
    pub fn split(df_ctl: u8, octets: &'a [u8]) -> Self {
        let mut rest = octets;
        let [esp, network, association, device] = Self::lengths(df_ctl).map(|length| {
            let (header, behind) = rest.split_at_checked(length).unwrap_or((&[], &[]));
            rest = behind;
            header
        });
        Self { esp, network, association, device }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_stand_in_their_order() {
        let octets: Vec<u8> = (0..112).collect();
        let headers = OptionalHeaders::split(0x33, &octets);
        assert_eq!((headers.esp.len(), OptionalHeaders::bytes(0x33)), (0, 112));
        assert_eq!((headers.network, headers.association), (&octets[..16], &octets[16..48]));
        assert_eq!(headers.device, &octets[48..112]);
        assert_eq!(OptionalHeaders::bytes(0x02), 32);
    }

    #[test]
    fn behind_an_esp_header_nothing_is_told_apart() {
        let headers = OptionalHeaders::split(0x73, &[7; 8]);
        assert_eq!((headers.esp, headers.network.len()), (&[7; 8][..], 0));
        assert_eq!(OptionalHeaders::bytes(0x73), 8);
    }

    #[test]
    fn what_is_missing_stays_empty() {
        let headers = OptionalHeaders::split(0x30, &[1; 20]);
        assert_eq!((headers.network.len(), headers.association.len()), (16, 0));
    }
}
