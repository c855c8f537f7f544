//! Ports that have left. Until everybody who could see one has acknowledged that it is gone, nobody of its name and nobody
//! at its address is let in: whoever is logged in with it ends what it did for the old login before there is a new one.

use std::collections::BTreeSet;

use halftrack_base::Time;
use halftrack_wire::WorldWideName;
use halftrack_wire::timers::RESOURCE_ALLOCATION_TIMEOUT;

use super::directory::PortRecord;

/// A port that has left and is not known to be missed by all.
#[derive(Debug)]
struct Departure {
    record: PortRecord,
    /// Addresses of the ports that have not acknowledged it.
    unaware: BTreeSet<u32>,
    until: Time,
}

/// All of them. Nobody waits for longer than R_A_TOV: nothing of the old login is on its way then.
#[derive(Debug, Default)]
pub(crate) struct Departures(Vec<Departure>);

impl Departures {
    /// Begins the departure of a port, of which the ports with these addresses are notified.
    pub(crate) fn begin(&mut self, now: Time, record: PortRecord, unaware: BTreeSet<u32>) {
        if !unaware.is_empty() {
            let until = now.saturating_add(RESOURCE_ALLOCATION_TIMEOUT);
            self.0.push(Departure { record, unaware, until });
        }
    }

    /// Returns whether a port of this name, or at this address, must wait.
    pub(crate) fn block(&self, name: WorldWideName, port_address: u32) -> bool {
        self.0.iter().any(|gone| gone.record.name == name || gone.record.address == port_address)
    }

    /// Removes the port with this address from the departure of the port of this name: it has acknowledged, or was
    /// notified for the last time.
    pub(crate) fn acknowledge(&mut self, port_address: u32, name: WorldWideName) {
        self.drop_unaware(port_address, |gone| gone.record.name == name);
    }

    /// Removes the port with this address, which is gone itself, from all departures.
    pub(crate) fn forget(&mut self, port_address: u32) {
        self.drop_unaware(port_address, |_| true);
    }

    fn drop_unaware(&mut self, port_address: u32, which: impl Fn(&Departure) -> bool) {
        self.0.retain_mut(|gone| {
            if which(gone) {
                gone.unaware.remove(&port_address);
            }
            !gone.unaware.is_empty()
        });
    }

    /// Returns the time at which the next wait is over at the latest.
    pub(crate) fn poll_timeout(&self) -> Option<Time> {
        self.0.iter().map(|gone| gone.until).min()
    }

    /// Ends the waits whose time is over.
    pub(crate) fn expire(&mut self, now: Time) {
        self.0.retain(|gone| gone.until > now);
    }
}
