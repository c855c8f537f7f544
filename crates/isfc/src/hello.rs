//! Contents of the blocks between the ends themselves: hello and report.

use halftrack_base::{LengthError, Octets};
use thiserror::Error;

use crate::block::StreamId;
use crate::device_number::DeviceNumber;
use crate::system_name::{SystemName, SystemNameError};

/// Level of a system: which links it can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level(pub u16);

impl Level {
    /// A link has one device, as before z/VM 6.2. The number is ours.
    pub const ONE_DEVICE: Self = Self(1);
    /// A link has up to 16 devices. The number is ours.
    pub const SIXTEEN_DEVICES: Self = Self(2);
}

/// First block of a side on a device.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Hello {
    /// Name of the system.
    pub system: SystemName,
    /// Name of its collection.
    pub collection: SystemName,
    /// Level of the system.
    pub level: Level,
    /// Number of the device at this end.
    pub device: DeviceNumber,
    /// The partner is to send its own on this device: it has not come here yet.
    pub wants_answer: bool,
    /// Offset of the octet that is expected next, of each stream of which some were received.
    pub expected: Vec<(StreamId, u64)>,
}

/// Blocks that were received.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Report {
    /// Devices, by the numbers of the sender, on which blocks may have been lost.
    pub devices: Vec<DeviceNumber>,
    /// Sequence numbers of blocks beyond the first missing one.
    pub held: Vec<u64>,
}

/// Why octets are no hello and no report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ContentError {
    /// Fewer or more than their counts have.
    #[error(transparent)]
    Length(#[from] LengthError),
    /// No name.
    #[error(transparent)]
    Name(#[from] SystemNameError),
}

impl Hello {
    /// Returns the octets of the hello.
    pub fn encode(&self) -> Vec<u8> {
        let mut octets = Vec::with_capacity(26 + 12 * self.expected.len());
        octets.extend(self.system.as_ebcdic());
        octets.extend(self.collection.as_ebcdic());
        octets.extend(self.level.0.to_be_bytes());
        octets.extend(self.device.0.to_be_bytes());
        octets.extend([u8::from(self.wants_answer), 0]);
        octets.extend((self.expected.len() as u32).to_be_bytes());
        for (stream, offset) in &self.expected {
            octets.extend(stream.0.to_be_bytes());
            octets.extend(offset.to_be_bytes());
        }
        octets
    }

    /// Decodes a hello.
    ///
    /// # Errors
    /// The octets are none.
    pub fn decode(octets: &[u8]) -> Result<Self, ContentError> {
        let mut rest = Octets::new(octets);
        let system = SystemName::from_ebcdic(rest.array()?)?;
        let collection = SystemName::from_ebcdic(rest.array()?)?;
        let (level, device) = (Level(rest.half()?), DeviceNumber(rest.half()?));
        let [wants_answer, _] = rest.array()?;
        let streams = rest.word()?;
        let mut expected = Vec::new();
        for _ in 0..streams {
            expected.push((StreamId(rest.word()?), rest.double()?));
        }
        rest.end()?;
        Ok(Self { system, collection, level, device, wants_answer: wants_answer != 0, expected })
    }
}

impl Report {
    /// Returns the octets of the report.
    pub fn encode(&self) -> Vec<u8> {
        let mut octets = Vec::with_capacity(8 + 2 * self.devices.len() + 8 * self.held.len());
        octets.extend((self.devices.len() as u32).to_be_bytes());
        octets.extend((self.held.len() as u32).to_be_bytes());
        octets.extend(self.devices.iter().flat_map(|device| device.0.to_be_bytes()));
        octets.extend(self.held.iter().flat_map(|sequence| sequence.to_be_bytes()));
        octets
    }

    /// Decodes a report.
    ///
    /// # Errors
    /// The octets are none.
    pub fn decode(octets: &[u8]) -> Result<Self, ContentError> {
        let mut rest = Octets::new(octets);
        let (devices, held) = (rest.word()?, rest.word()?);
        let mut report = Self::default();
        for _ in 0..devices {
            report.devices.push(DeviceNumber(rest.half()?));
        }
        for _ in 0..held {
            report.held.push(rest.double()?);
        }
        rest.end()?;
        Ok(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_themselves_after_their_octets() {
        let hello = Hello {
            system: "VMA".parse().unwrap(),
            collection: "CSC1".parse().unwrap(),
            level: Level::SIXTEEN_DEVICES,
            device: DeviceNumber(0xD001),
            wants_answer: true,
            expected: vec![(StreamId(1), 2), (StreamId(7), u64::MAX)],
        };
        assert_eq!(Hello::decode(&hello.encode()), Ok(hello.clone()));
        let report = Report { devices: vec![DeviceNumber(1), DeviceNumber(2)], held: vec![3, 9] };
        assert_eq!(Report::decode(&report.encode()), Ok(report.clone()));
        for octets in [hello.encode(), report.encode()] {
            for length in 0..octets.len() {
                assert!(Hello::decode(&octets[..length]).is_err());
                assert!(Report::decode(&octets[..length]).is_err());
            }
            let longer = [&octets[..], &[0]].concat();
            assert!(Hello::decode(&longer).is_err() && Report::decode(&longer).is_err());
        }
    }

    #[test]
    fn counts_beyond_the_octets_are_an_error_and_take_no_memory() {
        assert!(Report::decode(&[0xFF; 8]).is_err());
        assert!(Report::decode(&[0xFF; 64]).is_err());
    }
}
