//! Self-description of a count-key-data device: Sense ID, Read Device Characteristics, configuration data.
//!
//! The layouts are those that Linux' driver for these devices reads.

use halftrack_program::{CONTROL_UNIT_MODEL, CONTROL_UNIT_TYPE, CapacityFormula, Geometry};

/// Bytes of Sense ID with its command-information words.
pub(crate) const SENSE_ID_BYTES: usize = 20;
/// Bytes of Read Device Characteristics.
pub(crate) const CHARACTERISTICS_BYTES: usize = 64;
/// Bytes of Read Configuration Data.
pub(crate) const CONFIGURATION_BYTES: usize = 256;

/// Command-information words of Sense ID: Read Configuration Data takes 256 bytes; the other two are as one
/// emulator shows them.
const COMMAND_INFORMATION: [[u8; 4]; 3] =
    [[0x40, 0xFA, 0x01, 0x00], [0x41, 0x27, 0x00, 0x04], [0x42, 0x3E, 0x00, 0x40]];

/// Bytes 6 to 9 of the characteristics: facilities. Multiple burst, Read Track and Read Data in a Locate Record
/// domain; cache and DASD fast write. Which of them a driver needs is not public; our choice.
const FACILITIES: [u8; 4] = [0xD0, 0x00, 0x00, 0x12];
/// Class of a device: direct access. The unit type beside it is that of a 3390; no driver uses it.
const CLASS_AND_UNIT: [u8; 2] = [0x20, 0x26];
/// Factor 6 of formula 2.
const FACTOR_6: u8 = 6;
/// Cylinders field of a volume whose cylinders are in the long field.
const LONG_CYLINDERS: u16 = 0xFFFE;

/// Byte of the general node-element qualifier with the transport-mode bit.
const TRANSPORT_MODE_BYTE: usize = 17;
const TRANSPORT_MODE: u8 = 0x04;
const RECORD_BYTES: usize = 32;
/// Flags of a node-element descriptor: it is one, and its serial number is valid.
const DESCRIPTOR: u8 = 0xCC;
/// Descriptor: an input/output device; a storage-control unit.
const DEVICE_ELEMENT: u8 = 0x01;
const CONTROL_UNIT_ELEMENT: u8 = 0x02;
/// Class of a device: direct access.
const DIRECT_ACCESS: u8 = 0x01;
/// Flags of a specific qualifier, and of the general one.
const SPECIFIC_QUALIFIER: u8 = 0x40;
const GENERAL_QUALIFIER: u8 = 0x80;
/// Format of the specific qualifier, which distinguishes base from alias.
const ALIAS_FORMAT: u8 = 0x01;

/// Returns the sense ID.
pub(crate) fn sense_id(geometry: &Geometry) -> [u8; SENSE_ID_BYTES] {
    let mut bytes = [0; SENSE_ID_BYTES];
    bytes[0] = 0xFF;
    bytes[1..3].copy_from_slice(&CONTROL_UNIT_TYPE.to_be_bytes());
    bytes[3] = CONTROL_UNIT_MODEL;
    bytes[4..6].copy_from_slice(&geometry.device_type().number().to_be_bytes());
    bytes[6] = geometry.model_code();
    bytes[8..].copy_from_slice(COMMAND_INFORMATION.as_flattened());
    bytes
}

/// Executes Read Device Characteristics.
pub(crate) fn device_characteristics(geometry: &Geometry) -> [u8; CHARACTERISTICS_BYTES] {
    let mut bytes = [0; CHARACTERISTICS_BYTES];
    let mut put = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
    let device = geometry.device_type();
    let formula = device.formula();
    let [factor_1, rest @ ..] = formula.factors();
    let track_bytes = device.cells() * u32::from(factor_1);
    let cylinders = u16::try_from(geometry.cylinders()).unwrap_or(LONG_CYLINDERS).min(LONG_CYLINDERS);
    put(0, &CONTROL_UNIT_TYPE.to_be_bytes());
    put(2, &[CONTROL_UNIT_MODEL]);
    put(3, &device.number().to_be_bytes());
    put(5, &[geometry.model_code()]);
    put(6, &FACILITIES);
    put(10, &CLASS_AND_UNIT);
    put(12, &cylinders.to_be_bytes());
    put(14, &u16::from(geometry.heads()).to_be_bytes());
    put(16, &[device.sectors()]);
    put(17, &track_bytes.to_be_bytes()[1..]);
    put(20, &device.home_bytes().to_be_bytes());
    put(22, &[formula.number(), factor_1 as u8]);
    match formula {
        // Two factors of two bytes, or four of one.
        CapacityFormula::One { .. } => {
            put(24, &rest[0].to_be_bytes());
            put(26, &rest[1].to_be_bytes());
        }
        CapacityFormula::Two { .. } => {
            put(24, &rest.map(|factor| factor as u8));
            put(48, &[FACTOR_6]);
        }
    }
    put(44, &device.largest_record_zero_bytes().to_be_bytes());
    put(60, &geometry.cylinders().to_be_bytes());
    bytes
}

/// Returns the digits of a type as six EBCDIC characters, followed by those of an unspecified model.
fn type_and_model(number: u16) -> [u8; 9] {
    let digit = |shift: u16| 0xF0 | (number >> shift & 0x0F) as u8;
    [0xF0, 0xF0, digit(12), digit(8), digit(4), digit(0), 0xF0, 0xF0, 0xF0]
}

/// Returns a node-element descriptor of an element of this type and model.
fn descriptor(element: u8, class: u8, type_and_model: &[u8; 9]) -> [u8; RECORD_BYTES] {
    let mut bytes = [0; RECORD_BYTES];
    bytes[..3].copy_from_slice(&[DESCRIPTOR, element, class]);
    bytes[4..13].copy_from_slice(type_and_model);
    // Manufacturer, plant and serial number in EBCDIC: one made-up box for every device.
    bytes[13..16].copy_from_slice(&[0xC8, 0xE3, 0xD2]);
    bytes[16..30].fill(0xF0);
    bytes
}

/// Returns the data of Read Configuration Data. They are descriptors of device and control unit, a specific qualifier
/// of a base device, and the general qualifier at the end.
pub(crate) fn configuration_data(geometry: &Geometry) -> [u8; CONFIGURATION_BYTES] {
    let mut bytes = [0; CONFIGURATION_BYTES];
    let mut put = |at: usize, record: [u8; RECORD_BYTES]| {
        bytes[at * RECORD_BYTES..(at + 1) * RECORD_BYTES].copy_from_slice(&record);
    };
    let device = type_and_model(geometry.device_type().number());
    put(0, descriptor(DEVICE_ELEMENT, DIRECT_ACCESS, &device));
    let mut specific = [0; RECORD_BYTES];
    (specific[0], specific[3]) = (SPECIFIC_QUALIFIER, ALIAS_FORMAT);
    put(1, specific);
    put(2, descriptor(CONTROL_UNIT_ELEMENT, 0, &type_and_model(CONTROL_UNIT_TYPE)));
    let mut general = [0; RECORD_BYTES];
    (general[0], general[TRANSPORT_MODE_BYTE]) = (GENERAL_QUALIFIER, TRANSPORT_MODE);
    put(7, general);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use halftrack_program::{DeviceType, Model};

    #[test]
    fn a_3390_says_what_drivers_read() {
        let bytes = device_characteristics(&Geometry::of(Model::Model3));
        assert_eq!(bytes[..6], [0x39, 0x90, 0xC2, 0x33, 0x90, 0x0A]);
        assert_eq!(bytes[12..17], [0x0D, 0x0B, 0, 15, 224], "3339 cylinders, 15 heads, 224 sectors");
        assert_eq!(bytes[17..22], [0x00, 0xE5, 0xA2, 0x05, 0x94], "58,786 bytes, 1428 of them home");
        assert_eq!(bytes[22..28], [2, 34, 19, 9, 6, 116]);
        assert_eq!((&bytes[44..46], bytes[48]), (&[0xDF, 0xEE][..], 6));
        assert_eq!(bytes[60..], 3339_u32.to_be_bytes());
    }

    #[test]
    fn cylinders_that_do_not_fit_are_in_the_long_field() {
        let bytes = device_characteristics(&Geometry::with_cylinders(262_668).unwrap());
        assert_eq!((&bytes[12..14], &bytes[60..]), (&[0xFF, 0xFE][..], &262_668_u32.to_be_bytes()[..]));
    }

    #[test]
    fn a_3380_has_factors_of_two_bytes() {
        let geometry = Geometry::of_type(DeviceType::D3380, 885).unwrap();
        let bytes = device_characteristics(&geometry);
        assert_eq!(bytes[22..28], [1, 32, 0x01, 0xEC, 0x00, 0xEC]);
        assert_eq!(bytes[17..20], [0x00, 0xBB, 0x60], "47,968 bytes");
        assert_eq!(sense_id(&geometry)[..7], [0xFF, 0x39, 0x90, 0xC2, 0x33, 0x80, 0x02]);
    }

    #[test]
    fn configuration_data_are_eight_records_that_name_their_kind() {
        let bytes = configuration_data(&Geometry::of(Model::Model3));
        let kinds: Vec<_> = bytes.chunks(RECORD_BYTES).map(|record| record[0] >> 6).collect();
        assert_eq!(kinds, [3, 1, 3, 0, 0, 0, 0, 2]);
        assert_eq!(bytes[4..10], [0xF0, 0xF0, 0xF3, 0xF3, 0xF9, 0xF0]);
        assert_eq!((bytes[1], bytes[35]), (1, 1), "a device; the format that tells base from alias");
        assert_eq!(bytes[7 * RECORD_BYTES + 17], 0x04, "transport mode");
    }
}
