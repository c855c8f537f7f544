//! Liveness: some time after the last fault nothing is held any more at either end.

use super::World;
use super::host::Host;

impl World {
    /// Returns the links that each port of the control unit has had since its process began.
    #[must_use]
    pub fn links(&self) -> Vec<u64> {
        let ports = self.control_unit.process.iter().flat_map(|process| &process.ports);
        ports.map(|port| port.counters().connections).collect()
    }

    /// Returns what is still held though all I/Os are over: open exchanges, claimed devices, withheld credit, and paths that did
    /// not come back. Exchange ids that rest and reservations do not count.
    pub fn held(&mut self) -> Vec<String> {
        let mut held: Vec<_> = self.hosts.iter_mut().flat_map(Host::held).collect();
        let Some(process) = &mut self.control_unit.process else {
            held.push(format!("the control unit is not there: {}", self.control_unit.trouble));
            return held;
        };
        for port in &mut process.ports {
            let id = port.options().id.clone();
            if port.open_exchanges() > 0 {
                held.push(format!("port {id} has {} open exchanges", port.open_exchanges()));
            }
            if port.fibre_mut().is_some_and(|fibre| fibre.available_credit() == 0) {
                held.push(format!("port {id} has no buffer credit"));
            }
        }
        if process.units.claimed() > 0 {
            held.push(format!("{} devices are claimed", process.units.claimed()));
        }
        held
    }
}
