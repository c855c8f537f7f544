//! Both sides of the adapter, and what passes between them.

use halftrack_program::DeviceStatus;

use super::adapter_sense::{
    INTERVENTION_REQUIRED, SELECTIVE_RESET_OF_OTHER_SIDE, SYSTEM_RESET_OF_OTHER_SIDE, adapter_state,
};
use super::block::Block;
use super::ending::{Data, Ending, SENSE_ID_ANSWER};
use super::function::{Function, Mode};
use super::response::{Response, response};
use super::side::{Activity, Side, SideState, State, Waiting};
use crate::sense::COMMAND_REJECT;

/// Answer to Sense Command Byte when nothing waits at the other side. Not public; our choice.
const NO_COMMAND: u8 = 0;

/// A command of a channel program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// Command code.
    pub code: u8,
    /// Count of the CCW, of its whole data chain.
    pub count_bytes: u32,
    /// Data of a Write; none of other commands.
    pub block: Block,
}

/// Result of the start of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Started {
    /// The command has ended.
    Ended(Ending),
    /// The command waits for the other side; [`Pair::poll_ending`] returns its ending.
    Waits {
        /// Channel end is to be presented now. The ending has device end without it.
        channel_end: bool,
    },
}

/// Why a channel withdraws what it does at its side.
///
/// All of them act on the other side alike: its command ends with unit check, and the side reset is not ready. For a halt this is
/// how one emulator's table is described; another source was not found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reset {
    /// Halt Subchannel.
    Halt,
    /// Clear Subchannel: selective reset.
    Selective,
    /// System reset, or the logical path is gone. The side returns to basic mode, which is our choice.
    System,
}

impl Reset {
    /// Returns byte 0 of the sense of the other side's command.
    const fn sense(self) -> u8 {
        match self {
            Self::Halt | Self::Selective => SELECTIVE_RESET_OF_OTHER_SIDE,
            Self::System => SYSTEM_RESET_OF_OTHER_SIDE,
        }
    }
}

/// A channel-to-channel adapter.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Pair {
    x: SideState,
    y: SideState,
}

impl Pair {
    /// Starts a command at a side, the first or the next of a chain.
    pub fn start(&mut self, side: Side, command: Command) -> Started {
        let own = self.side_mut(side);
        if own.activity != Activity::Nothing {
            return Started::Ended(Ending::of(DeviceStatus::BUSY, Data::unsent(command.block)));
        }
        (own.is_ready, own.is_chaining) = (true, true);
        match Function::decode(command.code, own.mode) {
            Some(function) => self.respond(side, function, command),
            None => Started::Ended(self.unit_check(side, COMMAND_REJECT, command.block)),
        }
    }

    /// Returns the ending of a command that waited at a side, once.
    pub fn poll_ending(&mut self, side: Side) -> Option<Ending> {
        let own = self.side_mut(side);
        match std::mem::take(&mut own.activity) {
            Activity::Ended(ending) => Some(ending),
            activity => {
                own.activity = activity;
                None
            }
        }
    }

    /// Returns whether attention is to be presented at a side, once. It is pending while a chain is in progress there.
    pub fn poll_attention(&mut self, side: Side) -> bool {
        let own = self.side_mut(side);
        let is_free = own.activity == Activity::Nothing && !own.is_chaining;
        is_free && std::mem::take(&mut own.has_attention)
    }

    /// Ends the chain at a side: no command of it follows.
    pub fn end_chain(&mut self, side: Side) {
        self.side_mut(side).is_chaining = false;
    }

    /// Withdraws everything at a side, its command without an ending. The command of the other side ends with unit check.
    pub fn reset(&mut self, side: Side, reset: Reset) {
        let own = self.side_mut(side);
        let mode = if reset == Reset::System { Mode::default() } else { own.mode };
        *own = SideState { mode, ..SideState::default() };
        let other = self.side_mut(side.other());
        other.has_attention = false;
        if let Some(waiting) = other.take_waiting() {
            let status = waiting.end_status();
            other.sense = reset.sense();
            let ending = Ending::unit_check(status, other.sense, Data::unsent(waiting.block));
            other.activity = Activity::Ended(ending);
        }
    }

    /// Returns what a side does, as the other one sees it.
    pub fn state(&self, side: Side) -> State {
        let own = self.side(side);
        match own.waiting() {
            Some(waiting) => waiting.state(),
            None if own.is_ready => State::Available,
            None => State::NotReady,
        }
    }

    /// Returns the mode of a side.
    pub fn mode(&self, side: Side) -> Mode {
        self.side(side).mode
    }

    /// Responds to a command of a side that is free.
    fn respond(&mut self, side: Side, function: Function, command: Command) -> Started {
        if function != Function::SenseAdapterState {
            self.side_mut(side).sense = 0;
        }
        match response(function, self.state_before(side)) {
            Response::End => Started::Ended(self.end(side, function, command)),
            Response::EndBoth => {
                let ending = self.end(side, function, command);
                self.end_other(side, |waiting| Ending::of(waiting.end_status(), Data::None));
                Started::Ended(ending)
            }
            Response::EndFile => {
                let status = DeviceStatus::NORMAL_END.with(DeviceStatus::UNIT_EXCEPTION);
                self.end_other(side, |_| Ending::moved(status, 0, Data::None));
                Started::Ended(self.end(side, function, command))
            }
            Response::Wait => self.wait(side, function, command),
            Response::WaitAndSignal => {
                self.side_mut(side.other()).has_attention = true;
                self.wait(side, function, command)
            }
            Response::EndPrepareAndWait => {
                self.end_other(side, |waiting| Ending::of(waiting.end_status(), Data::None));
                self.wait(side, function, command)
            }
            Response::GiveToRead => Started::Ended(self.write(side, command.block)),
            Response::TakeFromWrite => Started::Ended(self.read(side, command.count_bytes)),
            Response::Busy => {
                self.side_mut(side).has_attention = false;
                let status = DeviceStatus::BUSY.with(DeviceStatus::ATTENTION);
                Started::Ended(Ending::of(status, Data::unsent(command.block)))
            }
            Response::NotReady => Started::Ended(self.unit_check(side, INTERVENTION_REQUIRED, command.block)),
        }
    }

    /// Ends a command that does not wait.
    fn end(&mut self, side: Side, function: Function, command: Command) -> Ending {
        let count_bytes = command.count_bytes;
        match function {
            Function::SenseCommandByte => {
                let code = self.side(side.other()).waiting().map_or(NO_COMMAND, |waiting| waiting.code);
                Ending::answer(count_bytes, Data::CommandByte(code))
            }
            Function::SenseAdapterState => {
                let other = self.state(side.other());
                let own = self.side_mut(side);
                let state = adapter_state(std::mem::take(&mut own.sense), own.mode, other);
                Ending::answer(count_bytes, Data::AdapterState(state))
            }
            Function::SenseId => Ending::answer(count_bytes, Data::Identity(SENSE_ID_ANSWER)),
            Function::SetMode(mode) => {
                self.side_mut(side).mode = mode;
                Ending::of(DeviceStatus::NORMAL_END, Data::None)
            }
            _ => Ending::of(DeviceStatus::NORMAL_END, Data::unsent(command.block)),
        }
    }

    fn wait(&mut self, side: Side, function: Function, command: Command) -> Started {
        let Command { code, count_bytes, block } = command;
        let waiting = Waiting { code, function, count_bytes, block };
        let channel_end = waiting.has_channel_end();
        self.side_mut(side).activity = Activity::Waits(waiting);
        Started::Waits { channel_end }
    }

    /// Gives the data of a Write to the Read that waits at the other side.
    fn write(&mut self, side: Side, mut block: Block) -> Ending {
        let mut moved_bytes = 0;
        self.end_other(side, |read| {
            block.truncate(read.count_bytes);
            moved_bytes = block.len_bytes();
            Ending::moved(DeviceStatus::NORMAL_END, moved_bytes, Data::Read(block))
        });
        Ending::moved(DeviceStatus::NORMAL_END, moved_bytes, Data::None)
    }

    /// Takes the data of the Write that waits at the other side.
    fn read(&mut self, side: Side, count_bytes: u32) -> Ending {
        let mut block = Block::NONE;
        self.end_other(side, |write| {
            block = write.block;
            block.truncate(count_bytes);
            Ending::moved(DeviceStatus::NORMAL_END, block.len_bytes(), Data::None)
        });
        Ending::moved(DeviceStatus::NORMAL_END, block.len_bytes(), Data::Read(block))
    }

    /// Ends the command that waits at the other side of `side`, whose attention for it is withdrawn.
    fn end_other(&mut self, side: Side, ending: impl FnOnce(Waiting) -> Ending) {
        self.side_mut(side).has_attention = false;
        let other = self.side_mut(side.other());
        if let Some(waiting) = other.take_waiting() {
            other.activity = Activity::Ended(ending(waiting));
        }
    }

    /// Ends a command of a side with unit check alone: nothing of it was executed.
    fn unit_check(&mut self, side: Side, sense: u8, block: Block) -> Ending {
        self.side_mut(side).sense = sense;
        Ending::unit_check(DeviceStatus::default(), sense, Data::unsent(block))
    }

    /// Returns what a command of `side` finds at the other one.
    fn state_before(&self, side: Side) -> State {
        match (self.state(side.other()), self.mode(side)) {
            (State::NotReady, Mode::Basic) => State::Available,
            (state, _) => state,
        }
    }

    const fn side(&self, side: Side) -> &SideState {
        match side {
            Side::X => &self.x,
            Side::Y => &self.y,
        }
    }

    const fn side_mut(&mut self, side: Side) -> &mut SideState {
        match side {
            Side::X => &mut self.x,
            Side::Y => &mut self.y,
        }
    }
}
