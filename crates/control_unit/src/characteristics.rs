//! What a count-key-data device says of itself: Sense ID, Read Device Characteristics, configuration data.
//!
//! The layouts are those that Linux' driver for these devices reads.

use halftrack_program::{Geometry, Model, SECTORS};

/// Bytes of Sense ID with its command-information words.
pub(crate) const SENSE_ID_BYTES: usize = 20;
/// Bytes of Read Device Characteristics.
pub(crate) const CHARACTERISTICS_BYTES: usize = 64;
/// Bytes of Read Configuration Data.
pub(crate) const CONFIGURATION_BYTES: usize = 256;

/// Control unit 2107 model E8: one that has transport mode, and that drivers know.
const CONTROL_UNIT_TYPE: [u8; 2] = [0x21, 0x07];
const CONTROL_UNIT_MODEL: u8 = 0xE8;
const DEVICE_TYPE: [u8; 2] = [0x33, 0x90];

/// Command-information words of Sense ID: Read Configuration Data takes 256 bytes; the other two are as one
/// emulator shows them.
const COMMAND_INFORMATION: [[u8; 4]; 3] =
    [[0x40, 0xFA, 0x01, 0x00], [0x41, 0x27, 0x00, 0x04], [0x42, 0x3E, 0x00, 0x40]];

/// Byte 6 to 9 of the characteristics: facilities. Multiple burst, Read Track and Read Data in a Locate Record
/// domain; cache and DASD fast write.
const FACILITIES: [u8; 4] = [0xD0, 0x00, 0x00, 0x12];
/// Class and unit type of a 3390.
const CLASS_AND_UNIT: [u8; 2] = [0x20, 0x26];
/// Bytes of a track as the capacity formula counts them, in three bytes.
const TRACK_BYTES: [u8; 3] = [0x00, 0xE5, 0xA2];
/// Bytes of home address and record zero.
const HOME_BYTES: u16 = 1428;
/// Formula 2 of the capacity and its first five factors.
const FORMULA: [u8; 6] = [2, 34, 19, 9, 6, 116];
const FACTOR_6: u8 = 6;
/// Largest record zero, bytes.
const LARGEST_RECORD_ZERO_BYTES: u16 = 57_326;
/// Identifiers of the error-recording programs for a 3390.
const RECORDING_IDENTIFIERS: [u8; 2] = [0x26, 0x26];
/// Cylinders field of a volume whose cylinders are in the long field.
const LONG_CYLINDERS: u16 = 0xFFFE;

/// Byte 10 of the general node-element qualifier after its 7 bytes: byte 17, transport mode.
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
/// Format of the specific qualifier that tells base from alias.
const ALIAS_FORMAT: u8 = 0x01;

/// Model byte of the device: what the sizes of a 3390 are known by.
fn device_model(geometry: &Geometry) -> u8 {
    match geometry.model() {
        Some(Model::Model1) => 0x02,
        Some(Model::Model2) => 0x06,
        Some(Model::Model3) => 0x0A,
        Some(Model::Model9 | Model::Model27 | Model::Model54) => 0x0C,
        None if geometry.is_extended_address_volume() => 0x0E,
        None => 0x0C,
    }
}

/// Sense ID.
pub(crate) fn sense_id(geometry: &Geometry) -> [u8; SENSE_ID_BYTES] {
    let mut bytes = [0; SENSE_ID_BYTES];
    bytes[0] = 0xFF;
    bytes[1..3].copy_from_slice(&CONTROL_UNIT_TYPE);
    bytes[3] = CONTROL_UNIT_MODEL;
    bytes[4..6].copy_from_slice(&DEVICE_TYPE);
    bytes[6] = device_model(geometry);
    bytes[8..].copy_from_slice(COMMAND_INFORMATION.as_flattened());
    bytes
}

/// Read Device Characteristics.
pub(crate) fn device_characteristics(geometry: &Geometry) -> [u8; CHARACTERISTICS_BYTES] {
    let mut bytes = [0; CHARACTERISTICS_BYTES];
    let mut put = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
    let cylinders = u16::try_from(geometry.cylinders()).unwrap_or(LONG_CYLINDERS).min(LONG_CYLINDERS);
    put(0, &CONTROL_UNIT_TYPE);
    put(2, &[CONTROL_UNIT_MODEL]);
    put(3, &DEVICE_TYPE);
    put(5, &[device_model(geometry)]);
    put(6, &FACILITIES);
    put(10, &CLASS_AND_UNIT);
    put(12, &cylinders.to_be_bytes());
    put(14, &u16::from(geometry.heads()).to_be_bytes());
    put(16, &[SECTORS]);
    put(17, &TRACK_BYTES);
    put(20, &HOME_BYTES.to_be_bytes());
    put(22, &FORMULA);
    put(40, &RECORDING_IDENTIFIERS);
    put(44, &LARGEST_RECORD_ZERO_BYTES.to_be_bytes());
    put(48, &[FACTOR_6]);
    put(60, &geometry.cylinders().to_be_bytes());
    bytes
}

/// A node-element descriptor of an element of this type and model.
fn descriptor(element: u8, class: u8, type_and_model: &[u8; 9]) -> [u8; RECORD_BYTES] {
    let mut bytes = [0; RECORD_BYTES];
    bytes[..3].copy_from_slice(&[DESCRIPTOR, element, class]);
    bytes[4..13].copy_from_slice(type_and_model);
    // Manufacturer, plant and serial number in EBCDIC: one made-up box for every device.
    bytes[13..16].copy_from_slice(&[0xC8, 0xE3, 0xD2]);
    bytes[16..30].fill(0xF0);
    bytes
}

/// Read Configuration Data: descriptors of device and control unit, a specific qualifier that says that the
/// device is a base, and the general qualifier at the end.
pub(crate) fn configuration_data() -> [u8; CONFIGURATION_BYTES] {
    let mut bytes = [0; CONFIGURATION_BYTES];
    let mut put = |at: usize, record: [u8; RECORD_BYTES]| {
        bytes[at * RECORD_BYTES..(at + 1) * RECORD_BYTES].copy_from_slice(&record);
    };
    // EBCDIC digits: 003390 and 002107, model 900.
    let device = [0xF0, 0xF0, 0xF3, 0xF3, 0xF9, 0xF0, 0xF9, 0xF0, 0xF0];
    let control_unit = [0xF0, 0xF0, 0xF2, 0xF1, 0xF0, 0xF7, 0xF9, 0xF0, 0xF0];
    put(0, descriptor(DEVICE_ELEMENT, DIRECT_ACCESS, &device));
    let mut specific = [0; RECORD_BYTES];
    (specific[0], specific[3]) = (SPECIFIC_QUALIFIER, ALIAS_FORMAT);
    put(1, specific);
    put(2, descriptor(CONTROL_UNIT_ELEMENT, 0, &control_unit));
    let mut general = [0; RECORD_BYTES];
    (general[0], general[TRANSPORT_MODE_BYTE]) = (GENERAL_QUALIFIER, TRANSPORT_MODE);
    put(7, general);
    bytes
}
