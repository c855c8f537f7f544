//! The channel's end of a program over a circuit.
//!
//! ```text
//! Selecting ─ command response ─► Transferring ─ status that chains ─► Selecting, with the next command
//!                                      └──────── status that ends ───► Closed
//! any state: cancel(), time-out, frame out of place ─► Closed (cancel is sent)
//! ```

use std::sync::Arc;

use halftrack_base::Time;
use halftrack_wire::choices::{CHANNEL_TIMEOUT_US, FIRST_CCW_NUMBER};
use halftrack_wire::iu::is_control_command;
use halftrack_wire::{Body, ChainFlags, DeviceFrame, Iu, IuData};

use super::window::Outgoing;
use crate::deadline::Deadline;
use crate::end::Identity;
use crate::end_delegates::channel_machine_methods;
use crate::outbox::Outbox;
use crate::outcome::{BusyKind, Cause, ChannelOutcome};
use crate::plan::Login;
use crate::program::{ChainCommand, CommandChain};
use crate::step::{Delay, Step};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// A command is sent; its response is waited for.
    Selecting,
    /// The command response is accepted: data may move, status ends the CCW.
    Transferring,
    /// Over; an answer may still have to be sent.
    Closed,
}

/// The channel's end of a program over a circuit.
#[derive(Debug)]
pub struct ChannelCircuit {
    chain: Arc<CommandChain>,
    window_bytes: u32,
    state: State,
    /// Index of the CCW in progress.
    index: usize,
    /// Data that the CCW in progress sends.
    outgoing: Outgoing,
    /// Bytes that the CCW in progress has read, and octets read before it, where they are known.
    arrived: u32,
    read_before: usize,
    read_data: Vec<u8>,
    outbox: Outbox,
    deadline: Deadline,
    /// Frames from the control unit.
    received: u16,
    outcome: Option<ChannelOutcome>,
}

impl ChannelCircuit {
    /// Returns a channel that begins `chain` now, over a path that it holds.
    #[must_use]
    pub fn new(chain: Arc<CommandChain>, login: &Login, identity: Identity, now: Time) -> ChannelCircuit {
        let mut channel = ChannelCircuit {
            chain,
            window_bytes: login.window_bytes,
            state: State::Selecting,
            index: 0,
            outgoing: Outgoing::default(),
            arrived: 0,
            read_before: 0,
            read_data: Vec::new(),
            outbox: Outbox::new(identity, login.frames()),
            deadline: Deadline::new(CHANNEL_TIMEOUT_US, now),
            received: 0,
            outcome: None,
        };
        channel.select(0);
        channel
    }

    /// Withdraws the program.
    pub fn cancel(&mut self) {
        self.give_up(ChannelOutcome::Cancelled, Cause::Cancelled);
    }

    /// Gives the program up: a frame came that cannot be read.
    pub fn handle_damaged(&mut self, cause: Cause) {
        self.give_up(ChannelOutcome::InterfaceControlCheck(cause), cause);
    }

    /// Takes a frame from the peer.
    pub fn handle_iu(&mut self, now: Time, iu: Iu) {
        self.received = self.received.saturating_add(1);
        if self.state == State::Closed {
            return;
        }
        self.deadline.restart(now);
        let here = FIRST_CCW_NUMBER.wrapping_add(self.index as u16);
        match (iu.body, self.state) {
            (Body::Device(DeviceFrame::CommandResponse { ccw }), State::Selecting) if ccw == here => {
                self.state = State::Transferring;
                self.push(DeviceFrame::CommandResponseAccepted { ccw }, IuData::None);
                self.send_data();
            }
            (Body::Device(DeviceFrame::Data { ccw, ends, .. }), State::Transferring) if ccw == here => {
                self.take_data(ccw, &iu.data, ends);
            }
            (Body::Device(DeviceFrame::DataRequest { ccw }), State::Transferring) if ccw == here => {
                if self.outgoing.answered() {
                    self.send_data();
                } else {
                    self.handle_damaged(Cause::Protocol);
                }
            }
            // Busy answers the command itself.
            (Body::Device(frame @ DeviceFrame::Status { ccw, .. }), _) if ccw == here => {
                self.take_status(&frame, &iu.data);
            }
            (Body::Device(DeviceFrame::Cancel { code }), _) => {
                self.outbox.clear();
                self.close(ChannelOutcome::InterfaceControlCheck(Cause::Purged(code)));
            }
            _ => self.handle_damaged(Cause::Protocol),
        }
    }

    channel_machine_methods!();

    /// Returns how the program ended, once.
    pub fn poll_outcome(&mut self) -> Option<ChannelOutcome> {
        self.outcome.take()
    }

    /// Returns the octets read so far, where they are known; they are given once.
    #[must_use]
    pub fn take_read_data(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.read_data)
    }

    /// Does what a time-out that is due demands.
    pub fn handle_timeout(&mut self, now: Time) {
        if self.deadline.is_due(now) {
            self.give_up(ChannelOutcome::InterfaceControlCheck(Cause::Timeout), Cause::Timeout);
        }
    }

    /// Ends the exchange, because the link is gone: nothing more will arrive and nothing can be sent.
    pub fn handle_link_down(&mut self) {
        self.outbox.clear();
        if self.state != State::Closed {
            self.close(ChannelOutcome::InterfaceControlCheck(Cause::LinkDown));
        }
    }

    fn command(&self) -> Option<&ChainCommand> {
        self.chain.commands().get(self.index)
    }

    /// Sends the command of the CCW with this index.
    fn select(&mut self, index: usize) {
        let Some(command) = self.chain.commands().get(index) else {
            self.handle_damaged(Cause::Protocol);
            return;
        };
        let frame = DeviceFrame::Command {
            ccw: FIRST_CCW_NUMBER.wrapping_add(index as u16),
            command: command.command,
            flags: command.flags,
            count: command.count,
            output: !command.output.is_empty(),
        };
        self.outgoing = Outgoing::new(command.output.clone(), self.window_bytes);
        (self.state, self.index, self.arrived) = (State::Selecting, index, 0);
        self.read_before = self.read_data.len();
        self.push(frame, IuData::None);
    }

    /// Sends the data that the control unit has room for.
    fn send_data(&mut self) {
        let ccw = FIRST_CCW_NUMBER.wrapping_add(self.index as u16);
        let parameters = self.command().is_some_and(|command| is_control_command(command.command));
        while let Some((piece, ends)) = self.outgoing.next() {
            self.push(DeviceFrame::Data { ccw, parameters, ends }, piece);
        }
    }

    fn take_data(&mut self, ccw: u16, data: &IuData, ends: bool) {
        let Some(command) = self.command().filter(|command| command.output.is_empty()) else {
            self.handle_damaged(Cause::Protocol);
            return;
        };
        let count = u32::from(command.count);
        self.arrived += data.len();
        if self.arrived > count {
            self.handle_damaged(Cause::Length);
            return;
        }
        if let IuData::Bytes(octets) = data {
            self.read_data.extend_from_slice(octets);
        }
        if !ends {
            self.push(DeviceFrame::DataRequest { ccw }, IuData::None);
        }
    }

    fn take_status(&mut self, frame: &DeviceFrame, sense: &IuData) {
        let DeviceFrame::Status { ccw, device_status, residual, is_long, retry, ends_chain } = *frame else {
            return;
        };
        // A piece that was lost leaves no gap but is missing in the sum.
        let reads = self.command().filter(|command| command.output.is_empty() && command.transfers_data());
        let whole =
            reads.is_none_or(|command| self.arrived + u32::from(residual) >= u32::from(command.count));
        if !whole && self.state == State::Transferring && !retry {
            self.handle_damaged(Cause::Length);
            return;
        }
        if retry {
            // What came of the command comes again.
            self.read_data.truncate(self.read_before);
            self.select(self.index);
            return;
        }
        if !ends_chain {
            self.select(self.index + 1);
            return;
        }
        let suppressed = self.command().is_some_and(|command| command.flags.has(ChainFlags::SLI));
        self.push(DeviceFrame::StatusAccepted, IuData::None);
        match BusyKind::of_status(device_status) {
            Some(busy) if self.received == 1 => self.close(ChannelOutcome::Busy(busy)),
            _ => self.close(ChannelOutcome::Ended {
                device_status,
                residual: u32::from(residual),
                sense: sense.sense(),
                incorrect_length: !suppressed && (residual > 0 || is_long),
                last_command: ccw,
            }),
        }
    }

    fn give_up(&mut self, outcome: ChannelOutcome, cause: Cause) {
        if self.state != State::Closed {
            self.outbox.clear();
            self.push(DeviceFrame::Cancel { code: cause.purge_code() }, IuData::None);
            self.close(outcome);
        }
    }

    fn push(&mut self, frame: DeviceFrame, data: IuData) {
        self.outbox.push(Body::Device(frame), data, Delay::None, self.received);
    }

    fn close(&mut self, outcome: ChannelOutcome) {
        self.state = State::Closed;
        self.deadline.stop();
        self.outcome = Some(outcome);
    }
}
