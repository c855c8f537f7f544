//! State of a connection as words, for memory that the processes of one end share.

use super::inbound::Inbound;
use super::outbound::Outbound;
use super::{Connection, Settings};
use crate::buffer::{ElementSize, Position};
use crate::message::{AlertToken, CloseFlags, ProducerFlags};

/// Words of an image.
pub const IMAGE_WORDS: usize = 14;

/// Connection as words.
pub type Image = [u64; IMAGE_WORDS];

/// Number that stands for no place.
const NO_PLACE: u64 = u64::MAX;

impl Connection {
    /// Returns the state as words; `None` while a message has no completion.
    pub fn image(&self) -> Option<Image> {
        let Settings { token, peer_token, size, peer_size } = self.settings;
        let sizes = u64::from(size.compressed()) << 8 | u64::from(peer_size.compressed());
        let flags = [self.wanted.0, self.sent.0, self.peer.0, u8::from(self.is_due)];
        let mut image = [0; IMAGE_WORDS];
        image[0] = u64::from(token.0) << 32 | u64::from(peer_token.0);
        image[1] = sizes << 32 | u64::from(u32::from_be_bytes(flags));
        self.outbound.put(image[2..8].first_chunk_mut()?)?;
        self.inbound.put(image[8..].first_chunk_mut()?);
        Some(image)
    }

    /// Returns the connection of an image; `None` where its words are none of a connection.
    pub fn of_image(image: &Image) -> Option<Self> {
        let size = |shift: u32| ElementSize::from_compressed((image[1] >> shift) as u8);
        let (size, peer_size) = (size(40)?, size(32)?);
        let (token, peer_token) = (AlertToken((image[0] >> 32) as u32), AlertToken(image[0] as u32));
        let [wanted, sent, peer, is_due] = (image[1] as u32).to_be_bytes();
        Some(Self {
            settings: Settings { token, peer_token, size, peer_size },
            outbound: Outbound::of(peer_size, image[2..8].first_chunk()?)?,
            inbound: Inbound::of(size, image[8..].first_chunk()?)?,
            wanted: CloseFlags(wanted),
            sent: CloseFlags(sent),
            peer: CloseFlags(peer),
            is_due: is_due != 0,
        })
    }
}

impl Outbound {
    fn put(&self, words: &mut [u64; 6]) -> Option<()> {
        if !self.in_flight.is_empty() {
            return None;
        }
        let flags = u64::from(self.is_validation_due) << 1 | u64::from(self.is_blocked_reported);
        let numbers = u64::from(self.sequence) << 16 | u64::from(self.completed_sequence);
        *words = [
            self.prepared.0,
            self.announced.0,
            self.announced_max.0,
            self.consumed.0,
            self.urgent_end.map_or(NO_PLACE, |place| place.0),
            flags << 32 | numbers,
        ];
        Some(())
    }

    fn of(size: ElementSize, words: &[u64; 6]) -> Option<Self> {
        let [prepared, announced, announced_max, consumed, urgent_end, rest] = *words;
        let is_one = announced <= prepared && announced <= announced_max && consumed <= announced_max;
        let is_within = prepared.checked_sub(consumed.min(announced))? <= u64::from(size.bytes());
        let mut outbound = Self::new(size);
        outbound.prepared = Position(prepared);
        outbound.announced = Position(announced);
        outbound.announced_max = Position(announced_max);
        outbound.finished = Position(announced);
        outbound.consumed = Position(consumed);
        outbound.urgent_end = (urgent_end != NO_PLACE).then_some(Position(urgent_end));
        outbound.sequence = (rest >> 16) as u16;
        outbound.completed_sequence = rest as u16;
        outbound.is_blocked_reported = rest >> 32 & 1 != 0;
        outbound.is_validation_due = rest >> 33 & 1 != 0;
        (is_one && is_within).then_some(outbound)
    }
}

impl Inbound {
    fn put(&self, words: &mut [u64; 6]) {
        *words = [
            self.produced.0,
            self.consumed.0,
            self.reported.0,
            self.urgent.map_or(NO_PLACE, |place| place.0),
            self.sequence.into(),
            self.writer.0.into(),
        ];
    }

    fn of(size: ElementSize, words: &[u64; 6]) -> Option<Self> {
        let [produced, consumed, reported, urgent, sequence, writer] = *words;
        let is_one = reported <= consumed && consumed <= produced;
        let is_within = produced.checked_sub(consumed)? <= u64::from(size.bytes());
        let mut inbound = Self::new(size);
        inbound.produced = Position(produced);
        inbound.consumed = Position(consumed);
        inbound.reported = Position(reported);
        inbound.urgent = (urgent != NO_PLACE).then_some(Position(urgent));
        inbound.sequence = sequence as u16;
        inbound.writer = ProducerFlags(writer as u8);
        (is_one && is_within).then_some(inbound)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SIZE: ElementSize = ElementSize::at_least(0);

    fn ends() -> [Connection; 2] {
        let settings = |token, peer_token| Settings {
            token: AlertToken(token),
            peer_token: AlertToken(peer_token),
            size: SIZE,
            peer_size: SIZE,
        };
        [Connection::new(settings(0x8000_0001, 2)), Connection::new(settings(2, 0x8000_0001))]
    }

    /// Carries all messages that are due, each complete at once.
    fn carry(ends: &mut [Connection; 2], from: usize) {
        while let Some(transmission) = ends[from].poll() {
            ends[1 - from].receive(&transmission.cdc).expect("a message of the connection");
            ends[from].completed(transmission.cdc.sequence);
        }
    }

    proptest! {
        /// A connection goes on from its image as if there were none.
        #[test]
        fn an_image_is_the_connection(calls in prop::collection::vec((0..2_usize, 0..6_u8, 0..20_000_u32), 1..100)) {
            let mut ends = ends();
            for (at, call, bytes) in calls {
                match call {
                    0 | 1 => drop(ends[at].send_into_window(bytes)),
                    2 => ends[at].consume(bytes),
                    3 => ends[at].shut_down(),
                    4 if bytes < 500 => ends[at].close(),
                    5 => drop(ends[at].send(bytes.min(ends[at].window_bytes()), true)),
                    _ => {}
                }
                carry(&mut ends, at);
                carry(&mut ends, 1 - at);
                for end in &mut ends {
                    let image = end.image().expect("every message is complete");
                    let again = Connection::of_image(&image).expect("an image");
                    prop_assert_eq!(again.image(), Some(image));
                    prop_assert_eq!((again.state(), again.is_end(), again.is_reset()), (end.state(), end.is_end(), end.is_reset()));
                    prop_assert_eq!((again.window_bytes(), again.readable_bytes()), (end.window_bytes(), end.readable_bytes()));
                    *end = again;
                }
            }
        }

        /// Words that are none of a connection never lead outside the element.
        #[test]
        fn any_words_are_a_connection_within_its_element_or_none(image in prop::array::uniform14(0..40_000_u64)) {
            if let Some(connection) = Connection::of_image(&image) {
                prop_assert!(connection.window_bytes() <= 512 << 10 && connection.readable_bytes() <= 512 << 10);
            }
        }
    }

    #[test]
    fn messages_under_way_have_no_image() {
        let [mut near, _] = ends();
        near.send_into_window(5).expect("open");
        assert!(near.image().is_some());
        near.poll().expect("octets are due");
        assert_eq!(near.image(), None);
    }
}
