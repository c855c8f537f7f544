//! A command that has come to the control unit: one CCW, or several by data chaining.

use halftrack_wire::iu::is_control_command;
use halftrack_wire::{ChainFlags, CommandDib, IuData};

/// Most octets of a data chain, which is held whole before it is executed. Our choice: a block of 1 MiB and its header, with
/// as much again.
const DATA_CHAIN_MAX_BYTES: u32 = 2 << 20;

/// Octets for which room is made when a second CCW shows that data are chained. Our choice: a block of 1 MiB.
const BLOCK_BYTES: usize = 1 << 20;

/// One CCW.
#[derive(Debug, Clone, Copy)]
struct Part {
    count: u16,
    flags: ChainFlags,
}

/// A command that has come, with what of its output has.
#[derive(Debug)]
pub struct Arrived {
    /// Number of its first CCW.
    ccw: u16,
    /// Command code.
    pub command: u8,
    last: Part,
    /// CCWs before the last, where data are chained.
    earlier: Vec<Part>,
    /// Sum of the counts of all, bytes.
    count: u32,
    /// It brings output: parameters or user data.
    pub has_output: bool,
    pub output: IuData,
    /// All output of its last CCW has come.
    pub is_complete: bool,
}

/// Place in a data chain at which a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastUsed {
    /// Number of the CCW.
    pub ccw: u16,
    pub flags: ChainFlags,
    /// Sum of the counts up to it, bytes.
    pub count: u32,
}

impl Arrived {
    /// Returns the command of a CCW with the output that came with it, if it has any.
    pub fn new(ccw: u16, dib: CommandDib, output: Option<IuData>) -> Self {
        Self {
            ccw,
            command: dib.command,
            last: Part { count: dib.count, flags: dib.flags },
            earlier: Vec::new(),
            count: u32::from(dib.count),
            has_output: output.is_some(),
            output: output.unwrap_or_default(),
            is_complete: false,
        }
    }

    /// Adds the next CCW of the data chain; false when that is too long, or has output where the command has none.
    pub fn try_chain(&mut self, dib: CommandDib, output: Option<&IuData>) -> bool {
        if output.is_some() != self.has_output {
            return false;
        }
        self.earlier.push(self.last);
        self.last = Part { count: dib.count, flags: dib.flags };
        self.count += u32::from(dib.count);
        if let (IuData::Bytes(octets), true) = (&mut self.output, self.earlier.len() == 1) {
            octets.reserve(BLOCK_BYTES);
        }
        if let Some(output) = output {
            self.output.append(output);
        }
        self.count <= DATA_CHAIN_MAX_BYTES
    }

    /// Returns whether another CCW of the data chain follows.
    pub fn chains_data(&self) -> bool {
        self.last.flags.has(ChainFlags::CD)
    }

    /// Returns the number of its last CCW that has come.
    pub fn last_ccw(&self) -> u16 {
        self.ccw.wrapping_add(self.earlier.len() as u16)
    }

    /// Returns the sum of its counts, bytes.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Returns whether it is a control command.
    pub fn is_control(&self) -> bool {
        is_control_command(self.command)
    }

    /// Returns the CCW in which the command ended that used so many octets.
    pub fn last_used(&self, used_bytes: u32) -> LastUsed {
        let mut count = 0;
        for (ccw, part) in self.parts() {
            count += u32::from(part.count);
            if used_bytes <= count {
                return LastUsed { ccw, flags: part.flags, count };
            }
        }
        LastUsed { ccw: self.last_ccw(), flags: self.last.flags, count: self.count }
    }

    /// Returns the data of a read as each CCW takes them: its number, the data, and whether its count is used up.
    pub fn shares<'a>(&'a self, data: &'a IuData) -> impl Iterator<Item = (u16, IuData, bool)> + 'a {
        let mut from = 0;
        self.parts().map_while(move |(ccw, part)| {
            let share = data.slice(from, u32::from(part.count));
            from += share.len();
            let is_full = share.len() == u32::from(part.count);
            (!share.is_empty()).then_some((ccw, share, is_full))
        })
    }

    /// Returns whether it is a single CCW.
    pub fn is_single(&self) -> bool {
        self.earlier.is_empty()
    }

    fn parts(&self) -> impl Iterator<Item = (u16, Part)> + '_ {
        let numbers = (0..).map(|place: u16| self.ccw.wrapping_add(place));
        numbers.zip(self.earlier.iter().chain(std::iter::once(&self.last)).copied())
    }
}
