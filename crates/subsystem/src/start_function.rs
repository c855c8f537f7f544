//! One start function at a subchannel: attempts over paths until it ends.
//!
//! ```text
//! begin ──► Attempt(path) ──► ended with status ───────────────► End(Status)
//!              ▲   │ ├─────── channel or control unit busy ─┐
//!              │   │ └─────── interface control check ──────┤
//!              │   └──────── path lost ─────────────────────┤
//!              └─────── another path left ◄─────────────────┤
//!    redrive ◄── Wait(busy) ◄── every path busy ◄───────────┤
//!                               no path online ─────────────┴──► End(NotOperational)
//! ```

use halftrack_base::{Decision, Span, Time};

use crate::{PathGroup, PathMask};

/// Attempts that end in an interface control check before the start is given up: the operating system would have taken
/// the paths off by then. Our choice; twice through a full path group.
pub const CHECKS_MAX: u8 = 16;

/// The missing-interrupt interval for DASD (the usual MIH setting of z/OS, 15 s).
pub const MISSING_INTERRUPT: Span = Span::from_ps(15_000_000_000_000);

/// Outcome of an attempt over one path, as far as it matters to the subchannel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    /// The device presented ending status; the start is over.
    Ended {
        /// Device status byte.
        device_status: u8,
    },
    /// The channel could not take the start.
    ChannelBusy,
    /// A port that the circuit needs is another circuit's.
    DirectorPortBusy,
    /// The control unit answered busy.
    ControlUnitBusy,
    /// The device answered busy.
    DeviceBusy,
    /// The exchange was lost: time-out, protocol error, link down.
    InterfaceControlCheck,
    /// The operation was cancelled at the program's wish.
    Cancelled,
}

/// Resource that a start waits for after it found every path busy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiting {
    /// A channel of the group to be free.
    Channel,
    /// A director's port to be free, which nobody reports: the start is tried again after a time.
    DirectorPort,
    /// Control-unit end.
    ControlUnit,
    /// Device end.
    Device,
}

/// End of a start function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Status was presented.
    Status {
        /// Device status byte.
        device_status: u8,
    },
    /// No path is operational (condition code 3).
    NotOperational,
    /// Interface control checks on every attempt.
    PermanentError,
    /// Cancelled by the program.
    Cancelled,
    /// No interrupt came in time.
    MissingInterrupt,
}

impl Ending {
    /// Returns true for channel end and device end and nothing else.
    pub fn is_normal(self) -> bool {
        self == Ending::Status { device_status: 0x0C }
    }
}

/// Action that a start demands now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextAction {
    /// Try this path of the group.
    Try(u8),
    /// Wait until something is free, then call [`StartFunction::redrive`].
    Wait(Waiting),
    /// Over.
    End(Ending),
}

/// The state of one start function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StartFunction {
    tried: PathMask,
    checks: u8,
    busy: Option<Busy>,
    started: Time,
}

/// The last busy answered since the paths were last untried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Busy {
    Channel,
    DirectorPort,
    ControlUnit,
    Device,
}

impl StartFunction {
    /// Begins a start at `now` and chooses its first path.
    #[inline]
    pub fn begin(now: Time, group: &mut PathGroup) -> (Self, NextAction) {
        let mut start = Self { started: now, ..Self::default() };
        let action = start.next_path(group);
        (start, action)
    }

    /// Takes the outcome of the attempt over `path`.
    #[inline(always)]
    pub fn handle_attempt(&mut self, path: u8, attempt: Attempt, group: &mut PathGroup) -> NextAction {
        match attempt {
            Attempt::Ended { device_status } => NextAction::End(Ending::Status { device_status }),
            Attempt::Cancelled => NextAction::End(Ending::Cancelled),
            Attempt::ChannelBusy => self.after_busy(path, Busy::Channel, group),
            Attempt::DirectorPortBusy => self.after_busy(path, Busy::DirectorPort, group),
            Attempt::ControlUnitBusy => self.after_busy(path, Busy::ControlUnit, group),
            Attempt::DeviceBusy => self.after_busy(path, Busy::Device, group),
            Attempt::InterfaceControlCheck => {
                self.checks += 1;
                if self.checks >= CHECKS_MAX {
                    Decision::PermanentError.count();
                    return NextAction::End(Ending::PermanentError);
                }
                Decision::Redriven.count();
                self.tried = self.tried.with(PathMask::of(path));
                self.next_path(group)
            }
        }
    }

    /// Tries every online path again, because the resource that the start waited for is free.
    pub fn redrive(&mut self, group: &mut PathGroup) -> NextAction {
        self.tried = PathMask::default();
        self.busy = None;
        self.next_path(group)
    }

    /// Returns the time at which [`StartFunction::handle_timeout`] wants to be called.
    pub fn poll_timeout(&self) -> Time {
        self.started + MISSING_INTERRUPT
    }

    /// Ends the start, whose missing-interrupt time is up.
    pub fn handle_timeout(&mut self) -> NextAction {
        Decision::MissingInterrupt.count();
        NextAction::End(Ending::MissingInterrupt)
    }

    fn after_busy(&mut self, path: u8, busy: Busy, group: &mut PathGroup) -> NextAction {
        self.tried = self.tried.with(PathMask::of(path));
        // A busy control unit or device is the more certain news: it frees itself with an end status.
        self.busy = match (self.busy, busy) {
            (Some(Busy::ControlUnit | Busy::Device), Busy::Channel | Busy::DirectorPort) => self.busy,
            _ => Some(busy),
        };
        self.next_path(group)
    }

    #[inline]
    fn next_path(&mut self, group: &mut PathGroup) -> NextAction {
        if let Some(path) = group.select(self.tried) {
            return NextAction::Try(path);
        }
        if group.online().is_empty() {
            return NextAction::End(Ending::NotOperational);
        }
        match self.busy {
            Some(Busy::Channel) => NextAction::Wait(Waiting::Channel),
            Some(Busy::DirectorPort) => NextAction::Wait(Waiting::DirectorPort),
            Some(Busy::ControlUnit) => NextAction::Wait(Waiting::ControlUnit),
            Some(Busy::Device) => NextAction::Wait(Waiting::Device),
            // Every path was tried and none was busy: checks only. Go round again until CHECKS_MAX.
            None => {
                self.tried = PathMask::default();
                match group.select(self.tried) {
                    Some(path) => NextAction::Try(path),
                    None => NextAction::End(Ending::NotOperational),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_path_is_followed_by_the_next_and_all_busy_waits() {
        let mut group = PathGroup::new(2);
        let (mut start, action) = StartFunction::begin(Time::ZERO, &mut group);
        assert_eq!(action, NextAction::Try(0));
        assert_eq!(start.handle_attempt(0, Attempt::ChannelBusy, &mut group), NextAction::Try(1));
        assert_eq!(
            start.handle_attempt(1, Attempt::ControlUnitBusy, &mut group),
            NextAction::Wait(Waiting::ControlUnit)
        );
        assert!(matches!(start.redrive(&mut group), NextAction::Try(_)));
    }

    #[test]
    fn a_busy_director_port_is_waited_for_unless_a_control_unit_will_say_when() {
        let mut group = PathGroup::new(2);
        let (mut start, _) = StartFunction::begin(Time::ZERO, &mut group);
        assert_eq!(start.handle_attempt(0, Attempt::DirectorPortBusy, &mut group), NextAction::Try(1));
        let waits = start.handle_attempt(1, Attempt::DirectorPortBusy, &mut group);
        assert_eq!(waits, NextAction::Wait(Waiting::DirectorPort));
        start.redrive(&mut group);
        start.handle_attempt(0, Attempt::ControlUnitBusy, &mut group);
        let waits = start.handle_attempt(1, Attempt::DirectorPortBusy, &mut group);
        assert_eq!(waits, NextAction::Wait(Waiting::ControlUnit));
    }

    #[test]
    fn a_lost_path_is_redriven_over_another_and_no_path_is_not_operational() {
        let mut group = PathGroup::new(2);
        let (mut start, _) = StartFunction::begin(Time::ZERO, &mut group);
        group.set_online(0, false);
        let after = start.handle_attempt(0, Attempt::InterfaceControlCheck, &mut group);
        assert_eq!(after, NextAction::Try(1));
        group.set_online(1, false);
        let after = start.handle_attempt(1, Attempt::InterfaceControlCheck, &mut group);
        assert_eq!(after, NextAction::End(Ending::NotOperational));
    }

    #[test]
    fn checks_without_end_are_given_up() {
        let mut group = PathGroup::new(1);
        let (mut start, mut action) = StartFunction::begin(Time::ZERO, &mut group);
        let mut attempts = 0;
        while let NextAction::Try(path) = action {
            attempts += 1;
            action = start.handle_attempt(path, Attempt::InterfaceControlCheck, &mut group);
        }
        assert_eq!((action, attempts), (NextAction::End(Ending::PermanentError), CHECKS_MAX));
    }

    #[test]
    fn ending_status_ends_the_start_once() {
        let mut group = PathGroup::new(1);
        let (mut start, _) = StartFunction::begin(Time::ZERO, &mut group);
        let end = start.handle_attempt(0, Attempt::Ended { device_status: 0x0C }, &mut group);
        assert!(matches!(end, NextAction::End(ending) if ending.is_normal()));
        assert_eq!(start.handle_timeout(), NextAction::End(Ending::MissingInterrupt));
        assert_eq!(start.poll_timeout(), Time::ZERO + MISSING_INTERRUPT);
    }
}
