//! Channel programs of a host before it uses a path to a device: they put the path into the path group, and read from
//! the device what it is (Set Path Group ID, Sense ID, Read Device Characteristics).

use std::sync::Arc;

use halftrack_control_unit::PathGroupId;
use halftrack_exchange::Program;
use halftrack_exchange::program::{ChainCommand, CommandChain, ProgramError};
use halftrack_program::command::{NO_OPERATION, READ_DEVICE_CHARACTERISTICS, SENSE_ID, SET_PATH_GROUP_ID};
use halftrack_program::{DeviceType, Geometry};
use halftrack_wire::{ChainFlags, IuData, WorldWideName};

use super::volume_size::{BLOCK_BYTES, VolumeSize};

/// Octets of Sense ID that are read: control unit and device, without the command-information words.
const SENSE_ID_BYTES: u16 = 7;
/// Octets of Read Device Characteristics.
const CHARACTERISTICS_BYTES: u16 = 64;
/// Function of Set Path Group ID: establish, multipath mode.
const ESTABLISH_MULTIPATH: u8 = 0x80;
/// First octet of Sense ID.
const SENSE_ID_VALID: u8 = 0xFF;
/// Cylinders field of a volume whose cylinders are in the long field.
const LONG_CYLINDERS: u16 = 0xFFFE;

/// Returns the program for a path to a device, as the host that `node` and `channel_image` name. Without a path group
/// the host sets no identifier.
///
/// # Errors
/// None: the chain is a right one.
pub fn vary_online(node: WorldWideName, channel_image: u8, grouped: bool) -> Result<Program, ProgramError> {
    let mut identifier = vec![ESTABLISH_MULTIPATH];
    identifier.extend_from_slice(&path_group_id(node, channel_image));
    let count = identifier.len() as u16;
    let set = command(SET_PATH_GROUP_ID, count, IuData::Bytes(identifier), true);
    let mut commands = if grouped { vec![set] } else { Vec::new() };
    commands.push(command(SENSE_ID, SENSE_ID_BYTES, IuData::None, true));
    commands.push(command(READ_DEVICE_CHARACTERISTICS, CHARACTERISTICS_BYTES, IuData::None, false));
    Ok(Program::Command(Arc::new(CommandChain::new(commands)?)))
}

/// Returns the identifier of the path group of the host that `node` and `channel_image` name.
#[must_use]
pub fn path_group_id(node: WorldWideName, channel_image: u8) -> PathGroupId {
    let mut identifier = PathGroupId::default();
    let (name, rest) = identifier.split_at_mut(size_of::<WorldWideName>());
    name.copy_from_slice(&node.0.to_be_bytes());
    rest[0] = channel_image;
    identifier
}

/// Returns the program that is started for its number alone: a device that executes it has given up every older start.
///
/// # Errors
/// None: the chain is a right one.
pub fn no_operation() -> Result<Program, ProgramError> {
    let chain = CommandChain::new(vec![command(NO_OPERATION, 1, IuData::None, false)])?;
    Ok(Program::Command(Arc::new(chain)))
}

fn command(command: u8, count: u16, output: IuData, chains: bool) -> ChainCommand {
    let flags = if chains { ChainFlags::SLI.with(ChainFlags::CC) } else { ChainFlags::SLI };
    ChainCommand { command, flags, count, output }
}

/// Device type of a volume with fixed blocks.
const FIXED_BLOCK_NUMBER: u16 = 0x9336;
/// Where Read Device Characteristics of fixed blocks has the bytes of a block, and the blocks.
const BLOCK_BYTES_AT: usize = 4;
const BLOCKS_AT: usize = 14;
/// Octets of Read Device Characteristics of fixed blocks.
const BLOCK_CHARACTERISTICS_BYTES: usize = 32;

/// Returns the size in the octets read by [`vary_online`]; nothing when they are those of no disk.
pub fn volume_size(octets: &[u8]) -> Option<VolumeSize> {
    geometry(octets).map(VolumeSize::Tracks).or_else(|| blocks(octets).map(VolumeSize::Blocks))
}

/// Returns the blocks in the octets read by [`vary_online`].
fn blocks(octets: &[u8]) -> Option<u32> {
    let (sense_id, characteristics) = octets.split_at_checked(usize::from(SENSE_ID_BYTES))?;
    let characteristics: &[u8; BLOCK_CHARACTERISTICS_BYTES] = characteristics.first_chunk()?;
    let [high, low] = FIXED_BLOCK_NUMBER.to_be_bytes();
    let half = [characteristics[BLOCK_BYTES_AT], characteristics[BLOCK_BYTES_AT + 1]];
    if sense_id[0] != SENSE_ID_VALID
        || sense_id[4..6] != [high, low]
        || u16::from_be_bytes(half) != BLOCK_BYTES as u16
    {
        return None;
    }
    characteristics[BLOCKS_AT..]
        .first_chunk()
        .map(|octets| u32::from_be_bytes(*octets))
        .filter(|blocks| *blocks > 0)
}

/// Returns the geometry in the octets read by [`vary_online`]; nothing when they are not those of a disk with count, key
/// and data.
fn geometry(octets: &[u8]) -> Option<Geometry> {
    let (sense_id, characteristics) = octets.split_at_checked(usize::from(SENSE_ID_BYTES))?;
    let characteristics: &[u8; CHARACTERISTICS_BYTES as usize] = characteristics.first_chunk()?;
    let half = |octets: &[u8], at: usize| u16::from_be_bytes([octets[at], octets[at + 1]]);
    let number = half(sense_id, 4);
    if sense_id[0] != SENSE_ID_VALID || number != half(characteristics, 3) {
        return None;
    }
    let device = DeviceType::ALL.into_iter().find(|device| device.number() == number)?;
    let long = u32::from_be_bytes(*characteristics.last_chunk()?);
    let cylinders = match half(characteristics, 12) {
        LONG_CYLINDERS => long,
        short => u32::from(short),
    };
    Geometry::of_type(device, cylinders)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn octets(number: u16, cylinders: u16, long: u32) -> Vec<u8> {
        let mut octets = vec![SENSE_ID_VALID, 0x39, 0x90, 0xC2];
        octets.extend(number.to_be_bytes());
        octets.push(0x0A);
        let mut characteristics = [0; 64];
        characteristics[3..5].copy_from_slice(&number.to_be_bytes());
        characteristics[12..14].copy_from_slice(&cylinders.to_be_bytes());
        characteristics[60..].copy_from_slice(&long.to_be_bytes());
        octets.extend(characteristics);
        octets
    }

    #[test]
    fn a_disk_tells_its_geometry() {
        assert_eq!(geometry(&octets(0x3390, 3339, 3339)), Geometry::with_cylinders(3339));
        assert_eq!(geometry(&octets(0x3390, LONG_CYLINDERS, 262_668)), Geometry::with_cylinders(262_668));
    }

    #[test]
    fn a_disk_with_fixed_blocks_tells_how_many() {
        let mut octets = vec![SENSE_ID_VALID, 0x63, 0x10, 0x80, 0x93, 0x36, 0x10];
        let mut characteristics = [0; BLOCK_CHARACTERISTICS_BYTES];
        characteristics[4..6].copy_from_slice(&512_u16.to_be_bytes());
        characteristics[14..18].copy_from_slice(&920_115_u32.to_be_bytes());
        octets.extend(characteristics);
        assert_eq!(volume_size(&octets), Some(VolumeSize::Blocks(920_115)));
        assert_eq!(volume_size(&octets[..38]), None);
        octets[7 + 4] = 8;
        assert_eq!(volume_size(&octets), None, "other blocks");
    }

    #[test]
    fn other_devices_do_not() {
        assert_eq!(geometry(&octets(0x3590, 10, 10)), None);
        assert_eq!(geometry(&octets(0x3390, 0, 0)), None);
        assert_eq!(geometry(&octets(0x3390, 3339, 3339)[..70]), None);
        assert_eq!(geometry(&[]), None);
        let mut wrong = octets(0x3390, 3339, 3339);
        wrong[0] = 0;
        assert_eq!(geometry(&wrong), None);
    }

    #[test]
    fn the_program_names_the_host() {
        let node = WorldWideName(0x5005_0764_0000_0001);
        let Ok(Program::Command(chain)) = vary_online(node, 3, true) else {
            panic!("a chain of three commands");
        };
        let commands: Vec<_> =
            chain.commands().iter().map(|command| (command.command, command.count)).collect();
        assert_eq!(commands, [(0xAF, 12), (0xE4, 7), (0x64, 64)]);
        let IuData::Bytes(identifier) = &chain.commands()[0].output else { panic!("an identifier") };
        assert_eq!(identifier[..10], [0x80, 0x50, 0x05, 0x07, 0x64, 0, 0, 0, 1, 3]);
        let Ok(Program::Command(chain)) = vary_online(node, 3, false) else {
            panic!("a chain of two commands")
        };
        assert_eq!(chain.commands()[0].command, SENSE_ID);
    }
}
