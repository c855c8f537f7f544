//! Channel programs of a device with fixed blocks: Define Extent, Locate, and one Read or Write of consecutive blocks.

use std::sync::Arc;

use halftrack_exchange::Program;
use halftrack_exchange::program::{ChainCommand, CommandChain, ProgramError};
use halftrack_program::command::DEFINE_EXTENT;
use halftrack_wire::{ChainFlags, IuData};

use super::volume_size::BLOCK_BYTES;

/// Locate.
const LOCATE: u8 = 0x43;
/// Read as many blocks as located.
const READ: u8 = 0x42;
/// Write as many blocks as located.
const WRITE: u8 = 0x41;
/// Operations of Locate.
const LOCATE_WRITE: u8 = 0x01;
const LOCATE_READ: u8 = 0x06;
/// Masks of Define Extent: all writes permitted, or none.
const PERMIT_WRITES: u8 = 0xC0;
const INHIBIT_WRITES: u8 = 0x40;

/// Returns the program that reads `blocks` blocks from `first` on, or writes `written` to them. There are fewer than 128, so that
/// one CCW moves them.
///
/// # Errors
/// None: the chain is a right one.
pub fn block_program(first: u32, blocks: u16, written: Option<IuData>) -> Result<Program, ProgramError> {
    let writes = written.is_some();
    let last_relative = u32::from(blocks).saturating_sub(1);
    let mut extent = vec![if writes { PERMIT_WRITES } else { INHIBIT_WRITES }, 0];
    extent.extend_from_slice(&(BLOCK_BYTES as u16).to_be_bytes());
    extent.extend([first, 0, last_relative].into_iter().flat_map(u32::to_be_bytes));
    let mut locate = vec![if writes { LOCATE_WRITE } else { LOCATE_READ }, 0];
    locate.extend_from_slice(&blocks.to_be_bytes());
    locate.extend_from_slice(&[0; 4]);
    let control = |command, parameters: Vec<u8>| ChainCommand {
        command,
        flags: ChainFlags::CC,
        count: parameters.len() as u16,
        output: IuData::Bytes(parameters),
    };
    let transfer = ChainCommand {
        command: if writes { WRITE } else { READ },
        flags: ChainFlags::default(),
        count: (u32::from(blocks) * BLOCK_BYTES) as u16,
        output: written.unwrap_or_default(),
    };
    let commands = vec![control(DEFINE_EXTENT, extent), control(LOCATE, locate), transfer];
    Ok(Program::Command(Arc::new(CommandChain::new(commands)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_locates_its_blocks_in_its_extent() {
        let Ok(Program::Command(chain)) = block_program(0x0102, 8, None) else { panic!("a chain") };
        let [extent, locate, read] = chain.commands() else { panic!("three commands") };
        assert_eq!(extent.output.octets()[..], [0x40, 0, 2, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 7]);
        assert_eq!(locate.output.octets()[..], [6, 0, 0, 8, 0, 0, 0, 0]);
        assert_eq!((read.command, read.count), (0x42, 4096));
        let data = IuData::Bytes(vec![1; 512]);
        let Ok(Program::Command(chain)) = block_program(0, 1, Some(data)) else { panic!("a chain") };
        assert_eq!(chain.commands()[0].output.octets()[0], 0xC0);
        assert_eq!((chain.commands()[2].command, chain.commands()[2].output.len()), (0x41, 512));
    }
}
