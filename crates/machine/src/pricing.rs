//! Work of an exchange step turned into processor time by the catalog's prices.

use halftrack_config::{Configuration, Prices};
use halftrack_engine::SimDuration;
use halftrack_exchange::{Plans, Work};
use halftrack_program::Protocol;

use crate::departures::{Departures, GroupWork};

/// Time that `work` takes at `prices`.
#[inline]
pub(crate) fn price(prices: &Prices, work: Work) -> SimDuration {
    SimDuration::from_ps(
        prices.program.as_ps() * u64::from(work.programs)
            + prices.command.as_ps() * u64::from(work.commands)
            + prices.unit.as_ps() * u64::from(work.units)
            + prices.kib.as_ps() * u64::from(work.data_bytes) / 1024,
    )
}

/// What a planned group costs its sender and its receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cost {
    send: SimDuration,
    receive: SimDuration,
}

/// The cost of every planned group on every channel and port: a table for each price list, the same for hardware
/// of equal prices.
#[derive(Debug, Default)]
pub(crate) struct Costs {
    costs: Vec<Cost>,
    /// By channel: where its table begins.
    pub of_channel: Vec<u32>,
    /// By port: where its table begins.
    pub of_port: Vec<u32>,
}

/// Prices in command mode and in transport mode.
type PriceList = (Prices, Prices);

impl Costs {
    /// Prices the work of all `departures`.
    pub(crate) fn new(configuration: &Configuration, plans: &Plans, departures: &Departures) -> Self {
        let mut lists: Vec<PriceList> = Vec::new();
        let mut table_of = |command: Prices, transport: Prices| {
            let list = (command, transport);
            let known = lists.iter().position(|other| *other == list);
            let table = known.unwrap_or_else(|| {
                lists.push(list);
                lists.len() - 1
            });
            (table * departures.works().len()) as u32
        };
        let channels = configuration.channels.iter().map(|channel| &channel.hardware);
        let of_channel = channels.map(|hardware| table_of(hardware.command, hardware.transport)).collect();
        let ports = configuration.ports.iter().map(|port| &port.hardware);
        let of_port = ports.map(|hardware| table_of(hardware.command, hardware.transport)).collect();
        let cost = |list: &PriceList, group: &GroupWork| {
            let protocol = plans.get(group.plan).map(|plan| plan.key.protocol);
            let prices = if protocol == Some(Protocol::Transport) { &list.1 } else { &list.0 };
            Cost { send: price(prices, group.send), receive: price(prices, group.receive) }
        };
        let all = lists.iter().flat_map(|list| departures.works().iter().map(move |group| cost(list, group)));
        Self { costs: all.collect(), of_channel, of_port }
    }

    /// What `group` costs its sender, by the table that begins at `table`.
    #[inline]
    pub(crate) fn send(&self, table: u32, group: u32) -> SimDuration {
        self.costs[(table + group) as usize].send
    }

    /// What `group` costs its receiver, by the table that begins at `table`.
    #[inline]
    pub(crate) fn receive(&self, table: u32, group: u32) -> SimDuration {
        self.costs[(table + group) as usize].receive
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_priced_in_proportion() {
        let ns = |n| SimDuration::from_ns(n);
        let prices = Prices { program: ns(36_000), command: ns(100), unit: ns(10), kib: ns(940) };
        let work = Work { programs: 1, commands: 2, units: 3, data_bytes: 4608 };
        assert_eq!(price(&prices, work), ns(36_000 + 200 + 30 + 4230));
    }
}
