//! A circuit switch: an ESCON director, which joins ports until they are released.
//!
//! ```text
//!            connect(route, holder)                     release(route, holder)
//! free ─────────────────────────────► held by holder ─────────────────────────► free
//!   ▲  any port held by another: port busy, nothing is taken
//!   └──────────────────────────────────┘
//! ```
//!
//! A route is every port that a connection needs. Of two directors in a chain one has a static connection, which is
//! nothing else than ports that every route over it needs.

/// Answer to a request for a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// All ports of the route are the holder's.
    Connected,
    /// This port, the first such of the route, is another's.
    PortBusy(u32),
}

/// Ports and who holds each.
#[derive(Debug, Clone, Default)]
pub struct CircuitSwitch {
    holders: Vec<Option<u32>>,
}

impl CircuitSwitch {
    /// Creates a switch whose ports are all free.
    #[must_use]
    pub fn new(ports: usize) -> Self {
        Self { holders: vec![None; ports] }
    }

    /// Joins the ports of `route` for `holder`: all or none. What the holder has already it keeps.
    ///
    /// # Panics
    /// When the switch has no such port.
    pub fn connect(&mut self, route: &[u32], holder: u32) -> Answer {
        let of_another = |port: &&u32| self.holders[**port as usize].is_some_and(|other| other != holder);
        if let Some(port) = route.iter().find(of_another) {
            return Answer::PortBusy(*port);
        }
        for port in route {
            self.holders[*port as usize] = Some(holder);
        }
        Answer::Connected
    }

    /// Returns whether all ports of `route` are `holder`'s.
    ///
    /// # Panics
    /// When the switch has no such port.
    #[must_use]
    pub fn holds(&self, route: &[u32], holder: u32) -> bool {
        route.iter().all(|port| self.holders[*port as usize] == Some(holder))
    }

    /// Frees the ports of `route` that are `holder`'s; the others are another's and stay so.
    ///
    /// # Panics
    /// When the switch has no such port.
    pub fn release(&mut self, route: &[u32], holder: u32) {
        for port in route {
            let held = &mut self.holders[*port as usize];
            if *held == Some(holder) {
                *held = None;
            }
        }
    }

    /// Returns the ports that are held now.
    #[must_use]
    pub fn held(&self) -> usize {
        self.holders.iter().flatten().count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_system_gets_port_busy_until_the_first_lets_go() {
        let mut switch = CircuitSwitch::new(3);
        let (first, second) = ([0, 2], [1, 2]);
        assert_eq!(switch.connect(&first, 7), Answer::Connected);
        assert_eq!(switch.connect(&second, 8), Answer::PortBusy(2));
        assert_eq!(switch.held(), 2, "a connection that is refused takes nothing");
        assert!(switch.holds(&first, 7) && !switch.holds(&first, 8) && !switch.holds(&second, 7));
        switch.release(&first, 7);
        assert_eq!(switch.connect(&second, 8), Answer::Connected);
    }

    #[test]
    fn nobody_frees_what_is_anothers() {
        let mut switch = CircuitSwitch::new(2);
        assert_eq!(switch.connect(&[0, 1], 3), Answer::Connected);
        switch.release(&[0, 1], 4);
        assert_eq!(switch.held(), 2);
        assert_eq!(switch.connect(&[1], 3), Answer::Connected, "what the holder has it keeps");
        switch.release(&[0, 1], 3);
        assert_eq!(switch.held(), 0);
    }

    #[test]
    fn a_static_connection_busies_all_routes_over_it() {
        let mut switch = CircuitSwitch::new(6);
        // Ports 2 and 3 join two directors; behind them are the control units at 4 and 5.
        assert_eq!(switch.connect(&[0, 2, 3, 4], 1), Answer::Connected);
        assert_eq!(switch.connect(&[1, 2, 3, 5], 2), Answer::PortBusy(2));
    }
}
