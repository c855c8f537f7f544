//! A subchannel: what start, resume, halt, clear and test subchannel do to it (reference 1 and 4).
//!
//! ```text
//! idle ─ start ─► the program runs ─┬─ it ends ─► status pending ─ test ─► idle
//!   ▲                    ▲          └─ suspended ─ (status pending ─ test) ─► suspended
//!   │                    └──────────────────────────── resume ──────────────────┤
//!   └────────────── test ◄── status pending ◄──────── halt, clear ──────────────┘
//! ```
//!
//! A program runs within start or resume: the subchannel is never found active. The condition codes are those of
//! the instructions.

use crate::ccw::CcwFormat;
use crate::device::Device;
use crate::interpreter::{
    CCWS_MAXIMUM, ChannelEnding, CommandOrb, CommandOutcome, CommandRun, TransportOrb, TransportOutcome,
    run_transport,
};
use crate::irb::{Irb, Scsw};
use crate::observer::Observer;
use crate::orb::{Orb, OrbFlags, OrbProgram};
use crate::pmcw::{Pmcw, TransportSupport};
use crate::scsw::{
    ActivityControl, CommandScsw, CommandScswFlags, FcxStatus, FunctionControl, ScswControls, StatusControl,
    StatusQualifier, TransportScsw, TransportScswFlags,
};
use crate::status::{DeviceStatus, SubchannelStatus};
use crate::storage::Storage;

/// Condition code of an instruction that has to do with a subchannel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ConditionCode {
    /// 0: done; for test subchannel, status was pending.
    Done = 0,
    /// 1: status is pending; for test subchannel, none was.
    StatusPending = 1,
    /// 2: a function is in progress, or there is none that the instruction could be about.
    Busy = 2,
    /// 3: the subchannel is not enabled, or no path is left.
    NotOperational = 3,
}

/// A subchannel.
#[derive(Debug, Clone)]
pub struct Subchannel {
    pmcw: Pmcw,
    transport: TransportSupport,
    ccw_limit: u32,
    irb: Irb,
    /// The program of the start function, while it is suspended.
    suspended: Option<CommandRun>,
    /// The TCW that interrogates the operation whose status is pending.
    interrogation: Option<TransportOrb>,
}

impl Subchannel {
    /// Creates a subchannel without a function in progress, for a device and paths with transport mode.
    pub fn new(pmcw: Pmcw) -> Self {
        Self {
            pmcw,
            transport: TransportSupport::default(),
            ccw_limit: CCWS_MAXIMUM,
            irb: idle(),
            suspended: None,
            interrogation: None,
        }
    }

    /// Returns the path-management-control word.
    pub const fn pmcw(&self) -> &Pmcw {
        &self.pmcw
    }

    /// Sets which of the device and its paths have transport mode.
    pub fn set_transport_support(&mut self, support: TransportSupport) {
        self.transport = support;
    }

    /// Sets the most CCWs that a start or resume fetches, instead of [`CCWS_MAXIMUM`].
    pub fn set_ccw_limit(&mut self, limit: u32) {
        self.ccw_limit = limit;
    }

    /// Returns the interruption-response block as it stands.
    pub const fn irb(&self) -> &Irb {
        &self.irb
    }

    /// Returns whether status is pending.
    pub const fn is_status_pending(&self) -> bool {
        self.irb.scsw.controls().status.contains(StatusControl::STATUS_PENDING)
    }

    const fn is_in_progress(&self) -> bool {
        !self.irb.scsw.controls().function.is_empty()
    }

    /// Performs START SUBCHANNEL: runs the program until it ends or is suspended. It leaves status pending (none for
    /// a suspension that the ORB suppresses). The ORB has been parsed: a wrong one is an operand exception.
    #[inline]
    pub fn start(
        &mut self,
        orb: &Orb,
        storage: &mut impl Storage,
        device: &mut impl Device,
        observer: &mut impl Observer,
    ) -> ConditionCode {
        let paths = self.pmcw.usable_paths() & orb.path_mask;
        match self.refusal() {
            Some(refusal) => return refusal,
            None if paths == 0 => return ConditionCode::NotOperational,
            None => {}
        }
        // The paths are used from the left.
        self.irb.last_path = 0x80 >> paths.leading_zeros();
        match orb.program {
            OrbProgram::Command { flags, ccw_format, idaw_format, address } => {
                let orb = CommandOrb { key: orb.key, flags, ccw_format, idaw_format, address };
                self.go(CommandRun::new(orb, self.ccw_limit), storage, device, observer);
            }
            OrbProgram::Transport { address } => {
                let orb = TransportOrb { key: orb.key, address, interrogates: false };
                self.start_transport(orb, storage, device, observer);
            }
        }
        ConditionCode::Done
    }

    /// Returns why nothing can be started.
    #[inline]
    const fn refusal(&self) -> Option<ConditionCode> {
        if !self.pmcw.is_enabled {
            Some(ConditionCode::NotOperational)
        } else if self.is_status_pending() {
            Some(ConditionCode::StatusPending)
        } else if self.is_in_progress() {
            Some(ConditionCode::Busy)
        } else {
            None
        }
    }

    /// Performs RESUME SUBCHANNEL: continues a suspended program at the CCW before which it stopped. The CCW is fetched
    /// again.
    pub fn resume(
        &mut self,
        storage: &mut impl Storage,
        device: &mut impl Device,
        observer: &mut impl Observer,
    ) -> ConditionCode {
        if !self.pmcw.is_enabled {
            return ConditionCode::NotOperational;
        }
        if self.is_status_pending() {
            return ConditionCode::StatusPending;
        }
        let Some(run) = self.suspended.take() else {
            return ConditionCode::Busy;
        };
        self.go(run, storage, device, observer);
        ConditionCode::Done
    }

    #[inline]
    fn go(
        &mut self,
        mut run: CommandRun,
        storage: &mut impl Storage,
        device: &mut impl Device,
        observer: &mut impl Observer,
    ) {
        let outcome = run.run(storage, device, observer);
        self.interrogation = None;
        self.present_command(run.orb(), &outcome);
        self.suspended = if outcome.ending.is_none() { Some(run) } else { None };
    }

    #[inline]
    fn present_command(&mut self, orb: &CommandOrb, outcome: &CommandOutcome) {
        let mut status = StatusControl(0);
        let mut flags = orb_flags(orb);
        if outcome.is_accepted && orb.flags.contains(OrbFlags::INITIAL_STATUS) {
            flags = flags | CommandScswFlags::ZERO_CONDITION;
            status = status | StatusControl::INTERMEDIATE;
        }
        let mut interruption = SubchannelStatus(0);
        if outcome.is_interrupting {
            interruption = SubchannelStatus::PROGRAM_CONTROLLED_INTERRUPTION;
            status = status | StatusControl::INTERMEDIATE;
        }
        let mut activity = ActivityControl(0);
        let ending = match &outcome.ending {
            Some(ending) => {
                status = status | ending_control(ending);
                *ending
            }
            None => {
                activity = ActivityControl::SUSPENDED;
                if !orb.flags.contains(OrbFlags::SUPPRESS_SUSPENDED) {
                    status = status | StatusControl::INTERMEDIATE;
                }
                ChannelEnding::by_channel(SubchannelStatus(0), DeviceStatus(0))
            }
        };
        if !status.is_empty() {
            status = status | StatusControl::STATUS_PENDING;
        }
        self.irb.sense = ending.sense.filter(|_| self.pmcw.has_concurrent_sense);
        if self.irb.sense.is_some() {
            flags = flags | CommandScswFlags::EXTENDED_CONTROL;
        }
        self.irb.scsw = Scsw::Command(CommandScsw {
            key: orb.key,
            suspend_control: orb.flags.contains(OrbFlags::SUSPEND),
            logout: false,
            deferred: ending.deferred,
            flags,
            controls: ScswControls { function: FunctionControl::START, activity, status },
            ccw_address: outcome.ccw_address,
            device_status: ending.device_status,
            subchannel_status: ending.subchannel_status | interruption,
            residual_count: outcome.residual,
        });
    }

    #[inline]
    fn start_transport(
        &mut self,
        orb: TransportOrb,
        storage: &mut impl Storage,
        device: &mut impl Device,
        observer: &mut impl Observer,
    ) {
        let qualifier = if !self.transport.has_device {
            StatusQualifier::DEVICE_NOT_CAPABLE
        } else if self.transport.paths & self.irb.last_path == 0 {
            StatusQualifier::PATH_NOT_CAPABLE
        } else {
            StatusQualifier(0)
        };
        let outcome = if qualifier.is_empty() {
            run_transport(orb, storage, device, observer)
        } else {
            // Which check the qualifier qualifies is not in the reference; our choice.
            let check = SubchannelStatus::PROGRAM_CHECK;
            let ending = ChannelEnding::by_channel(check, DeviceStatus(0));
            TransportOutcome { ending, is_stored: false, interrogate_address: None }
        };
        self.interrogation = outcome.interrogate_address.map(|address| TransportOrb {
            key: orb.key,
            address,
            interrogates: true,
        });
        self.present_transport(orb, qualifier, &outcome);
    }

    #[inline]
    fn present_transport(
        &mut self,
        orb: TransportOrb,
        qualifier: StatusQualifier,
        outcome: &TransportOutcome,
    ) {
        let ending = &outcome.ending;
        self.irb.sense = ending.sense.filter(|_| self.pmcw.has_concurrent_sense);
        let extended = TransportScswFlags::EXTENDED_CONTROL;
        self.irb.scsw = Scsw::Transport(TransportScsw {
            key: orb.key,
            logout: false,
            deferred: ending.deferred,
            flags: if self.irb.sense.is_some() { extended } else { TransportScswFlags(0) },
            controls: ScswControls {
                function: FunctionControl::START,
                activity: ActivityControl(0),
                status: ending_control(ending) | StatusControl::STATUS_PENDING,
            },
            tcw_address: orb.address,
            device_status: ending.device_status,
            subchannel_status: ending.subchannel_status,
            fcx_status: if outcome.is_stored { FcxStatus::TSB_VALID } else { FcxStatus(0) },
            interrogate_failed: false,
            qualifier,
        });
    }

    /// Performs CANCEL SUBCHANNEL for a transport-mode operation: interrogates it by the TCW that its own names.
    /// Since an operation is over when it can be interrogated, the answer joins the pending status.
    pub fn interrogate(
        &mut self,
        storage: &mut impl Storage,
        device: &mut impl Device,
        observer: &mut impl Observer,
    ) -> ConditionCode {
        if !self.pmcw.is_enabled {
            return ConditionCode::NotOperational;
        }
        let Scsw::Transport(scsw) = &mut self.irb.scsw else {
            return ConditionCode::Busy;
        };
        let Some(orb) = self.interrogation.take() else {
            return ConditionCode::Busy;
        };
        let outcome = run_transport(orb, storage, device, observer);
        let ending = &outcome.ending;
        let is_answered =
            ending.subchannel_status.is_empty() && ending.device_status == DeviceStatus::NORMAL_END;
        scsw.flags = scsw.flags | TransportScswFlags::INTERROGATE_COMPLETE;
        scsw.interrogate_failed = !is_answered;
        scsw.controls.status = scsw.controls.status | StatusControl::INTERMEDIATE;
        ConditionCode::Done
    }

    /// Performs HALT SUBCHANNEL: ends a suspended program, or signals the device; status becomes pending.
    pub fn halt(&mut self) -> ConditionCode {
        if !self.pmcw.is_enabled {
            return ConditionCode::NotOperational;
        }
        let controls = self.irb.scsw.controls();
        let intermediate = StatusControl::INTERMEDIATE | StatusControl::STATUS_PENDING;
        if self.is_status_pending() && controls.status != intermediate {
            return ConditionCode::StatusPending;
        }
        let halted = self.suspended.take().is_some();
        let primary = if halted { StatusControl::PRIMARY } else { StatusControl(0) };
        *self.irb.scsw.controls_mut() = ScswControls {
            function: controls.function | FunctionControl::HALT,
            activity: ActivityControl(0),
            status: controls.status | primary | StatusControl::STATUS_PENDING,
        };
        ConditionCode::Done
    }

    /// Performs CLEAR SUBCHANNEL: drops the operation, and status becomes pending for the clear function alone.
    pub fn clear(&mut self) -> ConditionCode {
        if !self.pmcw.is_enabled {
            return ConditionCode::NotOperational;
        }
        self.suspended = None;
        self.interrogation = None;
        self.irb = idle();
        *self.irb.scsw.controls_mut() = ScswControls {
            function: FunctionControl::CLEAR,
            activity: ActivityControl(0),
            status: StatusControl::STATUS_PENDING,
        };
        ConditionCode::Done
    }

    /// Performs TEST SUBCHANNEL: returns the interruption-response block and a condition code. It is 0 when status
    /// was pending, which is then cleared with its causes, or 1 (reference 4.4).
    #[inline]
    pub fn test(&mut self) -> (ConditionCode, Irb) {
        if !self.pmcw.is_enabled {
            return (ConditionCode::NotOperational, self.irb);
        }
        let stored = self.irb;
        if !self.is_status_pending() {
            return (ConditionCode::StatusPending, stored);
        }
        let intermediate = StatusControl::INTERMEDIATE | StatusControl::STATUS_PENDING;
        let is_purely_intermediate = stored.scsw.controls().status == intermediate;
        let controls = self.irb.scsw.controls_mut();
        controls.status = StatusControl(0);
        if !is_purely_intermediate {
            *controls = ScswControls::default();
            self.interrogation = None;
            if stored.sense.is_some() {
                self.irb.clear_sense();
            }
        }
        (ConditionCode::Done, stored)
    }
}

/// Returns the block of a subchannel to which nothing has happened.
fn idle() -> Irb {
    Irb { scsw: Scsw::Command(CommandScsw::default()), last_path: 0, sense: None }
}

/// Returns the fields of the ORB in the status word. Address-limit checking is not offered.
fn orb_flags(orb: &CommandOrb) -> CommandScswFlags {
    let mut flags =
        if orb.ccw_format == CcwFormat::One { CommandScswFlags::FORMAT_1 } else { CommandScswFlags(0) };
    for (asked, said) in [
        (OrbFlags::PREFETCH, CommandScswFlags::PREFETCH),
        (OrbFlags::INITIAL_STATUS, CommandScswFlags::INITIAL_STATUS),
        (OrbFlags::SUPPRESS_SUSPENDED, CommandScswFlags::SUPPRESS_SUSPENDED),
    ] {
        if orb.flags.contains(asked) {
            flags = flags | said;
        }
    }
    flags
}

/// Returns the status control of an ending: primary, secondary unless only the channel's part is over, and alert for
/// whatever is not a normal ending.
const fn ending_control(ending: &ChannelEnding) -> StatusControl {
    let normal = DeviceStatus::NORMAL_END.with(DeviceStatus::STATUS_MODIFIER);
    let mut status = StatusControl::PRIMARY;
    if ending.device_status.0 != DeviceStatus::CHANNEL_END.0 {
        status = status.with(StatusControl::SECONDARY);
    }
    if !ending.device_status.without(normal).is_empty() || !ending.subchannel_status.is_empty() {
        status = status.with(StatusControl::ALERT);
    }
    status
}

#[cfg(test)]
mod tests;
