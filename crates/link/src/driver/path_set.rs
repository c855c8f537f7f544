//! The channel paths of the driver's path group.

use std::cell::RefCell;
use std::rc::Rc;

use halftrack_base::{Decision, Span, Time};
use halftrack_config::ChannelFile;
use halftrack_exchange::{ExchangeEnd, Program};
use halftrack_subsystem::{PROBE_WAIT, Subchannels};
use halftrack_wire::StartNumber;
use halftrack_wire::choices::CHANNEL_TIMEOUT_US;

use super::ChannelPath;
use super::drive_loop::send;
use super::driver_plan::bases;
use super::driver_turn::GroupPaths;
use super::paths::ChannelPaths;
use super::unit_path::UnitPath;
use crate::clock::HostClock;
use crate::connector::Connector;

/// Time in which an exchange times out: another path works when it has ended one since.
const TIMEOUT: Span = Span::from_us(CHANNEL_TIMEOUT_US);

/// The paths of the path group.
pub struct PathSet<C: Connector> {
    /// By their place in the channel file.
    pub paths: Vec<ChannelPath<C>>,
    /// The subchannels of the devices.
    pub subchannels: Rc<RefCell<Subchannels>>,
}

impl<C: Connector> ChannelPaths for PathSet<C> {
    #[inline]
    fn start(&mut self, now: Time, path: u8, unit: u8, program: &Program, tag: u32) -> Option<StartNumber> {
        self.paths.get_mut(usize::from(path))?.start(now, unit, program, tag)
    }

    #[inline]
    fn open(&self, path: u8) -> usize {
        self.paths.get(usize::from(path)).map_or(0, ChannelPath::open_exchanges)
    }

    fn cancel(&mut self, now: Time, path: u8, tag: u32) {
        if let Some(path) = self.paths.get_mut(usize::from(path)) {
            path.cancel(now, tag);
        }
    }

    fn give_up(&mut self, unit: u8, number: StartNumber) {
        self.subchannels.borrow_mut().give_back(unit, number);
    }
}

impl<C: Connector> GroupPaths for PathSet<C> {
    #[inline]
    fn count(&self) -> u8 {
        self.paths.len() as u8
    }

    #[inline]
    fn poll_end(&mut self, path: u8) -> Option<ExchangeEnd> {
        self.paths.get_mut(usize::from(path))?.poll_end()
    }

    #[inline]
    fn recycle(&mut self, path: u8, buffer: Vec<u8>) {
        if let Some(path) = self.paths.get_mut(usize::from(path)) {
            path.recycle(buffer);
        }
    }

    fn take_freed(&mut self) -> bool {
        self.subchannels.borrow_mut().take_freed()
    }

    fn send_started(&mut self, now: Time) {
        send(&mut self.paths, now, false);
    }
}

impl<C: Connector> PathSet<C> {
    /// Returns the channel paths of `file`, whose subchannels count on from `before`; `clock` is the host's.
    pub fn new(
        file: &ChannelFile,
        connectors: Vec<C>,
        before: StartNumber,
        clock: Option<HostClock>,
    ) -> Self {
        let units = bases(&file.streams);
        let subchannels = Rc::new(RefCell::new(Subchannels::new(before)));
        let entries = file.paths.iter().zip(connectors);
        let paths = entries.map(|(entry, connector)| {
            ChannelPath::new(file, entry, units.clone(), connector, clock, Rc::clone(&subchannels))
        });
        Self { paths: paths.collect(), subchannels }
    }

    /// Takes paths whose exchanges time out from the group, while others work.
    pub fn lose_failing(&mut self, now: Time) {
        lose_failing(&mut self.paths, now);
    }

    /// Gives up the paths that are found stalled while another carries something.
    pub fn lose_stalled(&mut self, now: Time) {
        lose_stalled(&mut self.paths, now);
    }
}

/// Path of a path group, with what it gives up when it is lost.
pub(crate) trait GroupPath {
    /// Returns the path to the control unit.
    fn unit(&mut self) -> &mut UnitPath;

    /// Gives the path up: it is tried again after a while.
    fn lose(&mut self, now: Time, why: String);

    /// Takes the path out of its group, because its exchanges time out.
    fn fail(&mut self, now: Time);
}

impl<C: Connector> GroupPath for ChannelPath<C> {
    fn unit(&mut self) -> &mut UnitPath {
        self.unit()
    }

    fn lose(&mut self, now: Time, why: String) {
        self.lose(now, why);
    }

    fn fail(&mut self, now: Time) {
        self.fail(now);
    }
}

/// Takes paths whose exchanges time out from the group, while others work.
pub(crate) fn lose_failing(paths: &mut [impl GroupPath], now: Time) {
    for index in 0..paths.len() {
        if !paths[index].unit().take_failing() {
            continue;
        }
        let lately = now.saturating_sub(TIMEOUT);
        if others(paths, index).any(|path| path.unit().works_since(now, lately)) {
            Decision::FailingPathLost.count();
            paths[index].fail(now);
        } else {
            Decision::FailingPathKept.count();
            paths[index].unit().forgive();
        }
    }
}

/// Gives up the paths that are found stalled while another carries something. Where none does, the others are probed
/// before the stall is found again: when they do not answer either, it is the control unit that is slow, and that is
/// left to the missing-interrupt handler.
pub(crate) fn lose_stalled(paths: &mut [impl GroupPath], now: Time) {
    for index in 0..paths.len() {
        let Some(found) = paths[index].unit().take_stall() else { continue };
        let lately = found.saturating_sub(PROBE_WAIT);
        if others(paths, index).any(|path| path.unit().has_answered_since(lately)) {
            Decision::StalledPathLost.count();
            paths[index].lose(now, "it stalled: its probes were not answered".to_owned());
        } else {
            Decision::StalledPathKept.count();
            others(paths, index).for_each(|path| path.unit().probe());
        }
    }
}

/// Returns the paths but for that at `index`.
fn others<P>(paths: &mut [P], index: usize) -> impl Iterator<Item = &mut P> {
    paths.iter_mut().enumerate().filter(move |(other, _)| *other != index).map(|(_, path)| path)
}
