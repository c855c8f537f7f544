//! Connection data control: cursors and flags of one connection (RFC 7609, appendix A.4).

use halftrack_base::{bit_set, fields};

use super::{AlertToken, LINK_MESSAGE_BYTES, LinkMessage, MessageError};

/// Type of the message.
pub const CDC_TYPE: u8 = 0xFE;

bit_set! {
    /// Flags of the producer of data.
    ProducerFlags: u8 {
        /// The window is closed, and there are data: an update of the consumer is due as soon as space is free.
        WRITER_BLOCKED = 0x80;
        /// Urgent data will follow.
        URGENT_PENDING = 0x40;
        /// The octet before the producer cursor is urgent.
        URGENT_PRESENT = 0x20;
        /// An update of the consumer cursor is wanted at once.
        UPDATE_REQUESTED = 0x10;
        /// The number is that of the last message completed on a link that failed. Cursors do not count.
        FAILOVER_VALIDATION = 0x08;
    }
}

bit_set! {
    /// Flags of the state of a connection at the sender.
    CloseFlags: u8 {
        /// No data will follow (half close).
        SENDING_DONE = 0x80;
        /// The application closed its socket.
        CLOSED = 0x40;
        /// The connection ended abnormally.
        ABNORMAL = 0x20;
    }
}

/// Place in an element: times that the ring wrapped, and octets from its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Cursor {
    /// Number of wraps, in 16 bits.
    pub wrap: u16,
    /// Offset in the element.
    pub count: u32,
}

/// Message of connection data control.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Cdc {
    /// Number among those of the connection and direction.
    pub sequence: u16,
    /// Connection, by the name that the receiver gave it.
    pub token: AlertToken,
    /// First octet not written yet, in the receiver's element.
    pub producer: Cursor,
    /// First octet not consumed yet, in the sender's own element.
    pub consumer: Cursor,
    /// Flags of the producer.
    pub producer_flags: ProducerFlags,
    /// State of the connection.
    pub close_flags: CloseFlags,
}

impl Cursor {
    fn at(octets: &LinkMessage, offset: usize) -> Self {
        Self { wrap: fields::u16_at(octets, offset), count: fields::u32_at(octets, offset + 2) }
    }

    fn put(self, octets: &mut LinkMessage, offset: usize) {
        fields::put(octets, offset, &self.wrap.to_be_bytes());
        fields::put(octets, offset + 2, &self.count.to_be_bytes());
    }
}

impl Cdc {
    /// Returns the octets.
    pub fn encode(&self) -> LinkMessage {
        let mut octets = [0; LINK_MESSAGE_BYTES];
        octets[0] = CDC_TYPE;
        octets[1] = LINK_MESSAGE_BYTES as u8;
        fields::put(&mut octets, 2, &self.sequence.to_be_bytes());
        fields::put(&mut octets, 4, &self.token.0.to_be_bytes());
        self.producer.put(&mut octets, 10);
        self.consumer.put(&mut octets, 18);
        octets[24] = self.producer_flags.0;
        octets[25] = self.close_flags.0;
        octets
    }

    /// Parses a message.
    ///
    /// # Errors
    /// Type or length is another.
    pub fn decode(octets: &LinkMessage) -> Result<Self, MessageError> {
        if octets[0] != CDC_TYPE {
            return Err(MessageError::Type(octets[0]));
        }
        super::llc::check_length(octets)?;
        Ok(Self {
            sequence: fields::u16_at(octets, 2),
            token: AlertToken(fields::u32_at(octets, 4)),
            producer: Cursor::at(octets, 10),
            consumer: Cursor::at(octets, 18),
            producer_flags: ProducerFlags(octets[24]),
            close_flags: CloseFlags(octets[25]),
        })
    }
}
