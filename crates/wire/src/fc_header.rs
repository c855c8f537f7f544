//! FC-2 frame header: 24 octets (FC-FS; reference section 1.1).

use crate::error::ParseError;

/// Octets of a header.
pub const FC_HEADER_BYTES: usize = 24;
/// Exchange id for an unassigned exchange.
pub const NO_EXCHANGE: u16 = 0xFFFF;

/// R_CTL: routing and information category.
pub mod routing {
    /// Solicited data.
    pub const DATA: u8 = 0x01;
    /// Unsolicited control.
    pub const UNSOLICITED_CONTROL: u8 = 0x02;
    /// Solicited control.
    pub const SOLICITED_CONTROL: u8 = 0x03;
    /// Data descriptor: transfer-ready.
    pub const DATA_DESCRIPTOR: u8 = 0x05;
    /// Unsolicited command.
    pub const COMMAND: u8 = 0x06;
    /// Command status.
    pub const STATUS: u8 = 0x07;
    /// Extended link service: request.
    pub const ELS_REQUEST: u8 = 0x22;
    /// Extended link service: reply.
    pub const ELS_REPLY: u8 = 0x23;
    /// Basic link service: abort sequence.
    pub const ABTS: u8 = 0x81;
    /// Basic link service: abort accepted.
    pub const BA_ACC: u8 = 0x84;
    /// Basic link service: abort rejected.
    pub const BA_RJT: u8 = 0x85;
    /// FC-4 link service: request.
    pub const FC4_REQUEST: u8 = 0x32;
    /// FC-4 link service: reply.
    pub const FC4_REPLY: u8 = 0x33;
}

/// TYPE: what the payload is.
pub mod fc_type {
    /// Basic link service.
    pub const BASIC_LINK_SERVICE: u8 = 0x00;
    /// Extended link service.
    pub const EXTENDED_LINK_SERVICE: u8 = 0x01;
    /// FCP, and transport mode.
    pub const FCP: u8 = 0x08;
    /// Single-byte command code set, from channel to control unit.
    pub const SB_CHANNEL: u8 = 0x1B;
    /// Single-byte command code set, from control unit to channel.
    pub const SB_CONTROL_UNIT: u8 = 0x1C;
    /// Common transport: name server.
    pub const COMMON_TRANSPORT: u8 = 0x20;
}

/// F_CTL: 24 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct FrameControl(pub u32);

impl FrameControl {
    /// Sent by the responder of the exchange.
    pub const RESPONDER: Self = Self(0x80_0000);
    /// First sequence of the exchange.
    pub const FIRST_SEQUENCE: Self = Self(0x20_0000);
    /// Last sequence of the exchange.
    pub const LAST_SEQUENCE: Self = Self(0x10_0000);
    /// Last frame of the sequence.
    pub const END_SEQUENCE: Self = Self(0x08_0000);
    /// Sequence initiative is passed.
    pub const INITIATIVE: Self = Self(0x01_0000);
    /// The parameter is a relative offset.
    pub const RELATIVE_OFFSET: Self = Self(0x00_0008);
    const FILL: u32 = 0x00_0003;

    /// Returns both sets of bits.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns whether all bits of `other` are on.
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns the fill octets at the end of the payload, 0-3.
    #[must_use]
    pub const fn fill(self) -> usize {
        (self.0 & Self::FILL) as usize
    }

    /// Returns the same with `fill` fill octets, 0-3.
    #[must_use]
    pub const fn with_fill(self, fill: usize) -> Self {
        Self(self.0 & !Self::FILL | fill as u32 & Self::FILL)
    }
}

/// A frame header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct FcHeader {
    /// Octet 0: see [`routing`].
    pub r_ctl: u8,
    /// Octets 1-3: address of the receiver.
    pub d_id: u32,
    /// Octet 4: class-specific control, or priority.
    pub cs_ctl: u8,
    /// Octets 5-7: address of the sender.
    pub s_id: u32,
    /// Octet 8: see [`fc_type`].
    pub fc_type: u8,
    /// Octets 9-11.
    pub f_ctl: FrameControl,
    /// Octet 12: sequence id.
    pub seq_id: u8,
    /// Octet 13: which optional headers follow.
    pub df_ctl: u8,
    /// Octets 14-15: number of the frame in its sequence.
    pub seq_cnt: u16,
    /// Octets 16-17: exchange id of the originator.
    pub ox_id: u16,
    /// Octets 18-19: exchange id of the responder.
    pub rx_id: u16,
    /// Octets 20-23: relative offset of the payload, octets, depending on F_CTL.
    pub parameter: u32,
}

impl FcHeader {
    /// Reads a header. Every value of every field is a header.
    ///
    /// # Errors
    /// Fewer than 24 octets.
    pub fn parse(octets: &[u8]) -> Result<Self, ParseError> {
        let short = ParseError::Length { expected: FC_HEADER_BYTES, got: octets.len() };
        let octets: &[u8; FC_HEADER_BYTES] = octets.first_chunk().ok_or(short)?;
        let word =
            |at: usize| u32::from_be_bytes([octets[at], octets[at + 1], octets[at + 2], octets[at + 3]]);
        let half = |at: usize| u16::from_be_bytes([octets[at], octets[at + 1]]);
        Ok(Self {
            r_ctl: octets[0],
            d_id: word(0) & 0x00FF_FFFF,
            cs_ctl: octets[4],
            s_id: word(4) & 0x00FF_FFFF,
            fc_type: octets[8],
            f_ctl: FrameControl(word(8) & 0x00FF_FFFF),
            seq_id: octets[12],
            df_ctl: octets[13],
            seq_cnt: half(14),
            ox_id: half(16),
            rx_id: half(18),
            parameter: word(20),
        })
    }

    /// Returns the 24 octets. Of the 24-bit fields the low 24 bits count.
    #[must_use]
    pub fn emit(&self) -> [u8; FC_HEADER_BYTES] {
        let mut octets = [0; FC_HEADER_BYTES];
        for (octets, word) in octets.as_chunks_mut().0.iter_mut().zip(self.words()) {
            *octets = word.to_le_bytes();
        }
        octets
    }

    /// Returns the header's octets, eight in each word, the first in the lowest.
    #[inline]
    #[must_use]
    pub fn words(&self) -> [u64; FC_HEADER_BYTES / 8] {
        let words = [
            u32::from(self.r_ctl) << 24 | self.d_id & 0x00FF_FFFF,
            u32::from(self.cs_ctl) << 24 | self.s_id & 0x00FF_FFFF,
            u32::from(self.fc_type) << 24 | self.f_ctl.0 & 0x00FF_FFFF,
            u32::from(self.seq_id) << 24 | u32::from(self.df_ctl) << 16 | u32::from(self.seq_cnt),
            u32::from(self.ox_id) << 16 | u32::from(self.rx_id),
            self.parameter,
        ];
        let pair =
            |at: usize| u64::from(words[at].swap_bytes()) | u64::from(words[at + 1].swap_bytes()) << 32;
        [pair(0), pair(2), pair(4)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The header of the reference's read command (section 9.3).
    #[test]
    fn the_published_header() {
        let octets = [
            0x06, 0x01, 0x02, 0x00, 0x00, 0x01, 0x01, 0x00, 0x1b, 0x08, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00,
            0x00, 0x12, 0xff, 0xff, 0, 0, 0, 0,
        ];
        let header = FcHeader {
            r_ctl: routing::COMMAND,
            d_id: 0x01_0200,
            s_id: 0x01_0100,
            fc_type: fc_type::SB_CHANNEL,
            f_ctl: FrameControl::END_SEQUENCE,
            seq_id: 1,
            ox_id: 0x12,
            rx_id: NO_EXCHANGE,
            ..FcHeader::default()
        };
        assert_eq!(FcHeader::parse(&octets), Ok(header));
        assert_eq!(header.emit(), octets);
        assert_eq!(FcHeader::parse(&octets[..23]), Err(ParseError::Length { expected: 24, got: 23 }));
    }

    #[test]
    fn fill_is_two_bits_of_frame_control() {
        let control = FrameControl::END_SEQUENCE.with_fill(3);
        assert_eq!((control.fill(), control.with_fill(1).fill()), (3, 1));
        assert!(control.has(FrameControl::END_SEQUENCE) && !control.has(FrameControl::INITIATIVE));
    }

    proptest! {
        #[test]
        fn any_header_round_trips(octets: [u8; FC_HEADER_BYTES]) {
            prop_assert_eq!(FcHeader::parse(&octets).unwrap().emit(), octets);
        }
    }
}
