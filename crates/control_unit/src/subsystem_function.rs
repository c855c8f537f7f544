//! Perform Subsystem Function and Read Subsystem Data, as far as the drivers of Linux use them.

use crate::chain::{COUNT_TOO_SMALL, INVALID_PARAMETER, INVALID_SEQUENCE};
use crate::sense::UnitCheck;

/// The most bytes that a function has here: Set System Characteristics.
pub(crate) const FUNCTION_BYTES_MAXIMUM: usize = 66;
/// Bytes of Prepare for Read Subsystem Data.
const PREPARE_BYTES: usize = 12;
/// Order 18: prepare for Read Subsystem Data. Its suborder is in byte 6.
const PREPARE: u8 = 0x18;
/// Order 1D: set system characteristics. The host's description of itself changes nothing here.
const SET_SYSTEM_CHARACTERISTICS: u8 = 0x1D;
/// Suborder 0E: configuration of the 256 unit addresses.
const UNIT_ADDRESS_CONFIGURATION: u8 = 0x0E;
/// Suborder 41: feature codes.
const FEATURE_CODES: u8 = 0x41;

/// Bytes of the unit-address configuration: type and base of each.
const CONFIGURATION_BYTES: usize = 512;
const FEATURE_BYTES: usize = 256;
/// Type of a unit address: a base device.
const BASE_DEVICE: u8 = 1;

/// Feature bits that Linux' driver tests, by byte: 8 Prefix; 9 Read Track Data; 12 Write Track Data; 40 transport
/// mode, and over several tracks.
const FEATURES: [(usize, u8); 4] = [(8, 0x01), (9, 0x20), (12, 0x40), (40, 0x80 | 0x20)];

/// Data for the next Read Subsystem Data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prepared {
    UnitAddressConfiguration,
    FeatureCodes,
}

impl Prepared {
    /// Performs a function; what it prepared, if it prepared anything.
    pub(crate) fn perform(parameters: &[u8]) -> Result<Option<Self>, UnitCheck> {
        match parameters {
            [] => Err(COUNT_TOO_SMALL),
            [SET_SYSTEM_CHARACTERISTICS, ..] => Ok(None),
            [PREPARE, rest @ ..] if rest.len() < PREPARE_BYTES - 1 => Err(COUNT_TOO_SMALL),
            [PREPARE, _, _, _, _, _, UNIT_ADDRESS_CONFIGURATION, ..] => {
                Ok(Some(Self::UnitAddressConfiguration))
            }
            [PREPARE, _, _, _, _, _, FEATURE_CODES, ..] => Ok(Some(Self::FeatureCodes)),
            _ => Err(INVALID_PARAMETER),
        }
    }

    /// Returns the data that were prepared, for `then`.
    pub(crate) fn read<R>(prepared: Option<Self>, then: impl FnOnce(&[u8]) -> R) -> Result<R, UnitCheck> {
        match prepared {
            Some(Self::UnitAddressConfiguration) => {
                let mut bytes = [0; CONFIGURATION_BYTES];
                bytes[0] = BASE_DEVICE;
                Ok(then(&bytes))
            }
            Some(Self::FeatureCodes) => {
                let mut bytes = [0; FEATURE_BYTES];
                for (at, bits) in FEATURES {
                    bytes[at] = bits;
                }
                Ok(then(&bytes))
            }
            None => Err(INVALID_SEQUENCE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{MemoryTracks, Unit, reason};
    use halftrack_program::command::*;

    fn prepared(suborder: u8) -> Unit {
        let mut unit = Unit::new(MemoryTracks::of_4k());
        let mut parameters = [0; PREPARE_BYTES];
        (parameters[0], parameters[6]) = (PREPARE, suborder);
        unit.does(PERFORM_SUBSYSTEM_FUNCTION, &parameters);
        unit
    }

    #[test]
    fn feature_codes_offer_prefix_track_data_and_transport_mode() {
        let mut unit = prepared(FEATURE_CODES);
        let features = unit.bytes(READ_SUBSYSTEM_DATA);
        assert_eq!(features.len(), 256);
        assert_eq!([8, 9, 12, 40].map(|at| features[at]), [0x01, 0x20, 0x40, 0xA0]);
        assert_eq!(reason(unit.run(READ_SUBSYSTEM_DATA)), INVALID_SEQUENCE, "read once");
    }

    #[test]
    fn one_unit_address_is_configured() {
        let configuration = prepared(UNIT_ADDRESS_CONFIGURATION).bytes(READ_SUBSYSTEM_DATA);
        assert_eq!((configuration.len(), configuration[0]), (512, BASE_DEVICE));
        assert!(configuration[1..].iter().all(|&byte| byte == 0));
    }

    #[test]
    fn other_orders_are_rejected() {
        let perform =
            |octets: &[u8]| Unit::new(MemoryTracks::of_4k()).send(PERFORM_SUBSYSTEM_FUNCTION, octets);
        assert_eq!(reason(perform(&[])), COUNT_TOO_SMALL);
        assert_eq!(reason(perform(&[PREPARE; 11])), COUNT_TOO_SMALL);
        assert_eq!(reason(perform(&[PREPARE; 12])), INVALID_PARAMETER);
        assert_eq!(reason(perform(&[0x99; 12])), INVALID_PARAMETER);
        let characteristics = perform(&[SET_SYSTEM_CHARACTERISTICS; 66]);
        assert_eq!((characteristics.status.0, characteristics.moved_bytes), (0x0C, 66));
        let mut unit = Unit::new(MemoryTracks::of_4k());
        assert_eq!(reason(unit.run(READ_SUBSYSTEM_DATA)), INVALID_SEQUENCE, "nothing was prepared");
    }
}
