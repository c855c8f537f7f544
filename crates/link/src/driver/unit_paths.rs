//! Paths of a path group that are parts of channels with other work.

use halftrack_base::Time;
use halftrack_exchange::{ExchangeEnd, Program};
use halftrack_wire::StartNumber;

use super::driver_turn::GroupPaths;
use super::path_set::GroupPath;
use super::paths::ChannelPaths;
use super::unit_path::UnitPath;

/// Paths of a group, by place.
pub struct UnitPaths<'a>(pub Vec<&'a mut UnitPath>);

impl UnitPaths<'_> {
    /// Takes the ends of programs by which paths come online; nothing else was started.
    pub(super) fn settle(&mut self) {
        for path in &mut self.0 {
            while path.poll_end().is_some() {}
        }
    }

    fn get_mut(&mut self, path: u8) -> Option<&mut UnitPath> {
        self.0.get_mut(usize::from(path)).map(|path| &mut **path)
    }
}

impl GroupPath for &mut UnitPath {
    fn unit(&mut self) -> &mut UnitPath {
        self
    }

    fn lose(&mut self, now: Time, why: String) {
        UnitPath::lose(self, now, why);
    }

    fn fail(&mut self, now: Time) {
        self.rest(now, UnitPath::failure());
    }
}

impl ChannelPaths for UnitPaths<'_> {
    fn start(&mut self, now: Time, path: u8, unit: u8, program: &Program, tag: u32) -> Option<StartNumber> {
        self.get_mut(path)?.start(now, unit, program, tag)
    }

    fn open(&self, path: u8) -> usize {
        self.0.get(usize::from(path)).map_or(0, |path| path.open_exchanges())
    }

    fn cancel(&mut self, now: Time, path: u8, tag: u32) {
        if let Some(path) = self.get_mut(path) {
            path.cancel(now, tag);
        }
    }

    fn give_up(&mut self, unit: u8, number: StartNumber) {
        if let Some(path) = self.0.first() {
            path.subchannels().borrow_mut().give_back(unit, number);
        }
    }
}

impl GroupPaths for UnitPaths<'_> {
    fn count(&self) -> u8 {
        self.0.len() as u8
    }

    fn poll_end(&mut self, path: u8) -> Option<ExchangeEnd> {
        self.get_mut(path)?.poll_end()
    }

    fn recycle(&mut self, path: u8, buffer: Vec<u8>) {
        if let Some(path) = self.get_mut(path) {
            path.recycle(buffer);
        }
    }

    fn take_freed(&mut self) -> bool {
        self.0.first().is_some_and(|path| path.subchannels().borrow_mut().take_freed())
    }

    /// Leaves that to the loop of the channels, whose next turn sends.
    fn send_started(&mut self, _: Time) {}
}
