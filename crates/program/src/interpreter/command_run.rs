//! One command-mode program, from CCW to CCW until it ends or is suspended.

use crate::ccw::{Ccw, CcwFlags, CcwFormat};
use crate::chaining::{Chaining, CommandEnding};
use crate::device::{ChainEnd, Device, DeviceEnd};
use crate::idaw::IdawFormat;
use crate::interpreter::ChannelEnding;
use crate::interpreter::ccw_walk::{CcwWalk, Reached};
use crate::interpreter::command_areas::CommandAreas;
use crate::observer::Observer;
use crate::orb::OrbFlags;
use crate::scsw::DeferredCondition;
use crate::status::{DeviceStatus, SubchannelStatus};
use crate::storage::Storage;

/// Parameters of a command-mode ORB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CommandOrb {
    pub(crate) key: u8,
    pub(crate) flags: OrbFlags,
    pub(crate) ccw_format: CcwFormat,
    pub(crate) idaw_format: IdawFormat,
    pub(crate) address: u32,
}

impl CommandOrb {
    /// Ignores the length of an immediate command in format 0; in format 1 the ORB decides (reference 2.3).
    const fn is_immediate_length_ignored(&self) -> bool {
        matches!(self.ccw_format, CcwFormat::Zero) || self.flags.contains(OrbFlags::SUPPRESS_LENGTH)
    }
}

/// Program that has been started: its position, and the status of the device so far.
#[derive(Debug, Clone)]
pub(crate) struct CommandRun {
    orb: CommandOrb,
    walk: CcwWalk,
    ccw_limit: u32,
    reached: Reached,
    /// Status of the last command that the device ended.
    device_status: DeviceStatus,
}

/// Result of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CommandOutcome {
    /// The ending; none when the program is suspended.
    pub(crate) ending: Option<ChannelEnding>,
    /// Octets of the count of the last CCW used that did not move.
    pub(crate) residual: u16,
    /// Address of the last CCW used and 8.
    pub(crate) ccw_address: u32,
    /// A CCW with program-controlled interruption was fetched.
    pub(crate) is_interrupting: bool,
    /// The device took the first command of the program in this run.
    pub(crate) is_accepted: bool,
}

/// Result of one command.
enum CommandResult {
    GoOn,
    Ended { ending: ChannelEnding, residual: u16, end: ChainEnd },
}

/// Where a chain stopped: its ending, unless it is suspended, the residual count, and the end of the chain for the device.
type Stop = (Option<ChannelEnding>, u16, ChainEnd);

impl CommandRun {
    pub(crate) const fn new(orb: CommandOrb, ccw_limit: u32) -> Self {
        Self {
            orb,
            walk: CcwWalk::new(orb.ccw_format, orb.key, orb.flags, orb.address, ccw_limit),
            ccw_limit,
            reached: Reached::Start,
            device_status: DeviceStatus(0),
        }
    }

    /// Returns the ORB that the program was started with.
    pub(crate) const fn orb(&self) -> &CommandOrb {
        &self.orb
    }

    /// Runs until the program ends or is suspended. What the device did is over then in any case.
    #[inline]
    pub(crate) fn run(
        &mut self,
        storage: &mut impl Storage,
        device: &mut impl Device,
        observer: &mut impl Observer,
    ) -> CommandOutcome {
        let was_accepted = !self.device_status.is_empty();
        let (mut ending, residual, chain_end) = self.run_chain(storage, device, observer);
        if let Some(end) = device.end_chain(chain_end) {
            observer.command_ended(&end, SubchannelStatus(0));
            let before = ending.unwrap_or(ChannelEnding::by_channel(SubchannelStatus(0), end.status));
            ending = Some(ChannelEnding { device_status: end.status, sense: end.sense, ..before });
        }
        CommandOutcome {
            ending,
            residual,
            ccw_address: self.walk.address_after(),
            is_interrupting: self.walk.take_interruption(),
            is_accepted: !was_accepted && !self.device_status.is_empty(),
        }
    }

    #[inline]
    fn run_chain(
        &mut self,
        storage: &mut impl Storage,
        device: &mut impl Device,
        observer: &mut impl Observer,
    ) -> Stop {
        loop {
            let ccw = match self.walk.fetch(storage, observer, self.reached) {
                Ok(ccw) => ccw,
                // Nothing of the CCW at fault was used, so it has no residual count.
                Err(status) => {
                    let ending = ChannelEnding::by_channel(status, self.device_status);
                    return (Some(ending), 0, ChainEnd::Broken);
                }
            };
            self.reached = Reached::CommandChaining;
            if ccw.flags.contains(CcwFlags::SUSPEND) {
                self.walk.go_back(self.ccw_limit);
                observer.suspended(self.walk.address());
                return (None, ccw.count, ChainEnd::Broken);
            }
            match self.command(&ccw, storage, device, observer) {
                CommandResult::GoOn => {}
                CommandResult::Ended { ending, residual, end } => return (Some(ending), residual, end),
            }
        }
    }

    #[inline]
    fn command(
        &mut self,
        ccw: &Ccw,
        storage: &mut impl Storage,
        device: &mut impl Device,
        observer: &mut impl Observer,
    ) -> CommandResult {
        let mut areas = CommandAreas::new(storage, observer, &mut self.walk, self.orb.idaw_format, ccw);
        let fault = areas.prepare();
        if !fault.is_empty() {
            let residual = areas.left() as u16;
            return CommandResult::Ended {
                ending: ChannelEnding::by_channel(fault, self.device_status),
                residual,
                end: ChainEnd::Broken,
            };
        }
        let end = device.execute(ccw.command, &mut areas);
        areas.finish();
        let fault = areas.fault();
        areas.observer().command_ended(&end, fault);
        let ending = CommandEnding {
            flags: areas.flags(),
            status: end.status,
            count: areas.moved().saturating_add(areas.left()),
            moved_bytes: areas.moved(),
            device_bytes: end.device_bytes,
            length_ignored: end.immediate && self.orb.is_immediate_length_ignored(),
        };
        let residual = areas.left() as u16;
        let is_first = self.device_status.is_empty();
        self.device_status = end.status.without(DeviceStatus::STATUS_MODIFIER);
        if !fault.is_empty() {
            // Device status of data that broke off does not count for the program: the channel ended them.
            let ending = ChannelEnding::by_channel(fault, DeviceStatus::NORMAL_END);
            return CommandResult::Ended { ending, residual, end: ChainEnd::Broken };
        }
        let chain_end = ending.chain_end();
        match ending.chaining() {
            Chaining::GoOn => CommandResult::GoOn,
            Chaining::Skip => {
                self.walk.skip();
                CommandResult::GoOn
            }
            Chaining::End { incorrect_length } => {
                let ending = ended(&end, is_first, incorrect_length);
                CommandResult::Ended { ending, residual, end: chain_end }
            }
        }
    }
}

fn ended(end: &DeviceEnd, is_first: bool, incorrect_length: bool) -> ChannelEnding {
    // A device that does not even end the channel's part of the first command has not taken the program.
    let is_refused = is_first && !end.status.contains(DeviceStatus::CHANNEL_END);
    let length = SubchannelStatus::INCORRECT_LENGTH;
    ChannelEnding {
        deferred: if is_refused { DeferredCondition::StatusPending } else { DeferredCondition::Normal },
        device_status: end.status,
        subchannel_status: if incorrect_length && !is_refused { length } else { SubchannelStatus(0) },
        sense: end.sense,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{Answer, NORMAL, PROGRAM, Rig, ccw, status_of};

    const CC: u8 = 0x40;
    const SLI: u8 = 0x20;
    const READ: u8 = 0x06;

    #[test]
    fn a_short_block_leaves_a_residual_and_breaks_the_chain() {
        let program = |flags: u8| [ccw(READ, flags, 100, 0x2000), ccw(READ, 0, 80, 0x3000)];
        let short = || Rig::with([Answer::Gives(vec![1; 80]), Answer::Gives(vec![2; 80])]);
        let mut rig = short();
        assert_eq!(status_of(&rig.run(&program(CC))), (0x0C, 0x40, 20, PROGRAM + 8));
        assert_eq!(rig.device.commands.len(), 1);
        let mut rig = short();
        assert_eq!(status_of(&rig.run(&program(CC | SLI))), (0x0C, 0, 0, PROGRAM + 16));
    }

    #[test]
    fn a_long_block_is_incorrect_without_a_residual() {
        let mut rig = Rig::with([Answer::Gives(vec![1; 81])]);
        assert_eq!(status_of(&rig.run(&[ccw(READ, 0, 80, 0x2000)])), (0x0C, 0x40, 0, PROGRAM + 8));
        assert_eq!(rig.at(0x2000, 81)[79..], [1, 0]);
        let mut rig = Rig::with([Answer::Gives(vec![1; 81])]);
        assert_eq!(status_of(&rig.run(&[ccw(READ, SLI, 80, 0x2000)])), (0x0C, 0, 0, PROGRAM + 8));
        let mut rig = Rig::with([Answer::Gives(vec![1; 81])]);
        assert_eq!(status_of(&rig.run(&[ccw(READ, 0, 0, 0x2000)])), (0x0C, 0x40, 0, PROGRAM + 8), "no count");
    }

    #[test]
    fn the_length_of_an_immediate_command_is_compared_in_format_1_unless_the_orb_says_otherwise() {
        let no_operation = [ccw(0x03, 0, 1, 0)];
        let mut rig = Rig::new();
        assert_eq!(status_of(&rig.run(&no_operation)), (0x0C, 0x40, 1, PROGRAM + 8));
        rig.flags = OrbFlags::SUPPRESS_LENGTH;
        assert_eq!(status_of(&rig.run(&no_operation)), (0x0C, 0, 1, PROGRAM + 8));
        let mut rig = Rig::new();
        rig.ccw_format = CcwFormat::Zero;
        assert_eq!(status_of(&rig.run(&no_operation)), (0x0C, 0, 1, PROGRAM + 8));
    }

    #[test]
    fn a_unit_check_ends_the_chain_with_its_sense() {
        let sense = [0x80; 32];
        let mut rig = Rig::with([Answer::Presents(0x0E, Some(sense))]);
        let irb = rig.run_irb(&[ccw(READ, CC | SLI, 80, 0x2000), ccw(READ, 0, 80, 0x2000)]);
        assert_eq!(status_of(&crate::rig::command_scsw(&irb)), (0x0E, 0, 80, PROGRAM + 8));
        assert_eq!((irb.sense, irb.scsw.controls().to_bits()), (Some(sense), 0x4017));
        assert_eq!(irb.emit()[16..20], [0x01, 0x20, 0, 0]);
    }

    #[test]
    fn a_unit_exception_ends_the_chain() {
        let mut rig = Rig::with([Answer::Presents(0x0D, None)]);
        let scsw = rig.run(&[ccw(READ, CC | SLI, 80, 0x2000), ccw(READ, 0, 80, 0x2000)]);
        assert_eq!(status_of(&scsw), (0x0D, 0, 80, PROGRAM + 8));
    }

    #[test]
    fn a_busy_device_has_not_taken_the_program() {
        let mut rig = Rig::with([Answer::Presents(0x10, None)]);
        let scsw = rig.run(&[ccw(READ, 0, 80, 0x2000)]);
        assert_eq!(scsw.deferred, DeferredCondition::StatusPending);
        assert_eq!(status_of(&scsw), (0x10, 0, 80, PROGRAM + 8));
    }

    #[test]
    fn channel_end_alone_is_primary_status() {
        let mut rig = Rig::with([Answer::Presents(0x08, None)]);
        let scsw = rig.run(&[ccw(READ, CC | SLI, 80, 0x2000), ccw(READ, 0, 80, 0x2000)]);
        assert_eq!((scsw.controls.to_bits(), scsw.device_status.0), (0x4005, 0x08));
        assert_eq!(rig.device.commands.len(), 1, "the chain waits for device end");
    }

    #[test]
    fn a_promise_that_cannot_be_kept_takes_the_place_of_the_ending() {
        let mut rig = Rig::new();
        let end = DeviceEnd { status: DeviceStatus(0x0E), sense: Some([0x10; 32]), ..NORMAL };
        rig.device.broken_promise = Some(end);
        let irb = rig.run_irb(&[ccw(0x05, 0, 80, 0x2000)]);
        assert_eq!((irb.scsw.device_status().0, irb.sense), (0x0E, Some([0x10; 32])));
        rig.flags = OrbFlags::SUSPEND;
        let irb = rig.run_irb(&[ccw(0x05, CC, 80, 0x2000), ccw(READ, 0x02, 80, 0x2000)]);
        assert_eq!(irb.scsw.controls().to_bits(), 0x4017, "no suspension, but an ending");
    }
}
