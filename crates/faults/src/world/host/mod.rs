//! A host of a world: its paths with their I/O driver, over FICON or over FCP.

mod fcp_side;
mod ficon_side;

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use halftrack_base::Time;
use halftrack_link::HostClock;
use halftrack_link::driver::{Driven, LinkPath, PathChange};

use self::fcp_side::FcpSide;
use self::ficon_side::FiconSide;
use super::line::{LineConnector, SharedLine};
use crate::check::{Account, Accountant};
use crate::machine::Machine;
use crate::mutation::Mutation;

/// The paths and the I/O driver of either protocol.
enum Side {
    Ficon(Box<FiconSide>),
    Fcp(Box<FcpSide>),
}

/// Evaluates `$body` with `$side` bound to the side of either protocol.
macro_rules! with_side {
    ($host:expr, $side:ident => $body:expr) => {
        match &mut $host.side {
            Side::Ficon($side) => $body,
            Side::Fcp($side) => $body,
        }
    };
}

/// Evaluates `$body` with `$side` bound to a shared reference to the side of either protocol.
macro_rules! of_side {
    ($host:expr, $side:ident => $body:expr) => {
        match &$host.side {
            Side::Ficon($side) => $body,
            Side::Fcp($side) => $body,
        }
    };
}

/// A host with its channel paths.
pub struct Host {
    side: Side,
    online: Vec<bool>,
    mutation: Option<Mutation>,
    /// Starts and ends, reads and writes.
    account: Rc<RefCell<Account>>,
}

impl Host {
    /// Returns the hosts of a machine, whose paths these lines are.
    ///
    /// # Errors
    /// Why a channel file is no such file.
    pub fn all(
        machine: &Machine,
        lines: &[SharedLine],
        clock: Option<HostClock>,
        mutation: Option<Mutation>,
    ) -> Result<Vec<Self>, String> {
        let connectors = |paths: Range<usize>| -> Vec<_> {
            lines[paths].iter().map(|line| LineConnector(Rc::clone(line))).collect()
        };
        let host = |side, paths: Range<usize>, record_bytes| Self {
            side,
            online: vec![false; paths.len()],
            mutation,
            account: Rc::new(RefCell::new(Account::new(record_bytes))),
        };
        let mut hosts = Vec::new();
        let paths = machine.ficon_paths();
        if !paths.is_empty() {
            let side = FiconSide::new(machine, connectors(paths.clone()), clock)?;
            hosts.push(host(Side::Ficon(Box::new(side)), paths, machine.record_bytes));
        }
        if let Some(fcp) = &machine.fcp {
            let paths = machine.fcp_paths();
            let side = FcpSide::new(machine, connectors(paths.clone()), clock)?;
            hosts.push(host(Side::Fcp(Box::new(side)), paths, fcp.record_bytes()));
        }
        Ok(hosts)
    }

    /// Returns the starts and ends, reads and writes so far.
    pub fn account(&self) -> Rc<RefCell<Account>> {
        Rc::clone(&self.account)
    }

    /// Returns whether its I/O goes to logical units, over FCP.
    pub fn is_fcp(&self) -> bool {
        matches!(self.side, Side::Fcp(_))
    }

    /// Returns whether all paths are online.
    pub fn is_online(&self) -> bool {
        self.online.iter().all(|online| *online)
    }

    /// Returns the first error of a path; empty when nothing went wrong.
    pub fn trouble(&self) -> &str {
        of_side!(self, side => {
            let mut troubles = side.paths.paths.iter().map(|path| path.trouble());
            troubles.find(|trouble| !trouble.is_empty()).unwrap_or_default()
        })
    }

    /// Prepares the streams, now that all paths are online: where the volume has tracks, they are laid out.
    ///
    /// # Errors
    /// A stream that does not fit the volume.
    pub fn prepare(&mut self, now: Time) -> Result<(), String> {
        with_side!(self, side => side.prepare(now))
    }

    /// Returns whether tracks are still to be laid out.
    pub fn is_preparing(&self) -> bool {
        of_side!(self, side => side.is_preparing())
    }

    /// Ends the preparation, and shows all I/Os from now on to the account.
    pub fn end_preparation(&mut self) {
        let observer = Box::new(Accountant(self.account()));
        with_side!(self, side => side.end_preparation(observer));
    }

    /// Begins the streams.
    pub fn begin(&mut self, now: Time) {
        with_side!(self, side => side.driver.iter_mut().for_each(|driver| driver.begin(now)));
    }

    /// Requests no more I/Os.
    pub fn drain(&mut self, now: Time) {
        with_side!(self, side => side.driver.iter_mut().for_each(|driver| driver.drain(now)));
    }

    /// Returns how often a start was answered busy.
    pub fn busy(&self) -> u64 {
        of_side!(self, side => {
            let streams = side.driver.iter().flat_map(|driver| driver.statistics());
            streams.map(|(_, statistics)| statistics.busy).sum()
        })
    }

    /// Returns whether all I/Os have ended after [`Host::drain`].
    pub fn is_done(&self) -> bool {
        of_side!(self, side => side.driver.as_ref().is_some_and(|driver| driver.is_done()))
    }

    /// Runs one turn; true when there was something to do.
    pub fn turn(&mut self, now: Time) -> bool {
        let has_timers = self.has_timers();
        let mut worked = with_side!(self, side => {
            let mut worked = false;
            for path in &mut side.paths.paths {
                if has_timers && now >= path.poll_timeout() {
                    path.handle_timeout(now);
                }
                worked |= path.receive(now, &mut || None);
            }
            side.lose_paths(now);
            worked
        });
        for index in 0..self.online.len() {
            worked |= self.follow(now, index);
        }
        worked |= with_side!(self, side => side.drive(now));
        with_side!(self, side => {
            for path in &mut side.paths.paths {
                worked |= path.send(now, true);
            }
        });
        worked
    }

    /// Follows the ends of exchanges over a path, and what became of it; true when something has ended.
    fn follow(&mut self, now: Time, index: usize) -> bool {
        let mutation = self.mutation;
        with_side!(self, side => {
            let worked = side.take_ends(now, index, mutation);
            if let Some(change) = side.paths.paths[index].poll_change() {
                self.online[index] = change == PathChange::Online;
                if !self.online[index] || mutation != Some(Mutation::ReturnUnnoticed) {
                    self.online[index] = side.set_online(now, index, self.online[index]);
                }
            }
            worked
        })
    }

    /// Returns whether the timers of the paths are handled: always before the streams.
    fn has_timers(&self) -> bool {
        let has_streams = of_side!(self, side => side.has_streams());
        self.mutation != Some(Mutation::ChannelTimersIgnored) || !has_streams
    }

    /// Returns the time at which something happens next.
    pub fn next(&self) -> Time {
        let has_timers = self.has_timers();
        of_side!(self, side => {
            let paths = side.paths.paths.iter().filter(|_| has_timers).map(|path| path.poll_timeout());
            let driver = side.driver.iter().map(|driver| driver.poll_timeout());
            paths.chain(driver).min().unwrap_or(Time::MAX)
        })
    }

    /// Returns what its paths still hold, and those that did not come back.
    pub fn held(&mut self) -> Vec<String> {
        let mut held = Vec::new();
        with_side!(self, side => for index in 0..side.paths.paths.len() {
            let is_used = side.uses(index);
            let path = &mut side.paths.paths[index];
            let chpid = path.chpid();
            if !is_used {
                held.push(format!("CHPID {chpid:02X} carries no I/O"));
            }
            if path.open_exchanges() > 0 {
                held.push(format!("CHPID {chpid:02X} has {} open exchanges", path.open_exchanges()));
            }
            if !path.is_online() {
                held.push(format!("CHPID {chpid:02X} is not online: {}", path.trouble()));
            }
            if path.fibre().is_some_and(|fibre| fibre.available_credit() == 0) {
                held.push(format!("CHPID {chpid:02X} has no buffer credit"));
            }
        });
        held
    }
}
