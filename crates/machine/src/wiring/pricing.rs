//! Work of an exchange step turned into processor time by the catalog's prices.

use halftrack_base::{ByteRate, Span};
use halftrack_config::{ChannelHardware, Configuration, ControlUnitHardware, DataPath, HeldBus, Prices};
use halftrack_exchange::{Plans, Work};
use halftrack_program::{PerProtocol, Protocol};

use crate::wiring::departures::{Departures, GroupWork};

/// The tariff by which one kind of hardware works for one protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tariff {
    /// By its prices; data of transport mode are paid with the command that sets the data router up.
    Router(Prices),
    /// By its prices; firmware sends and receives every information unit, with the data that it has.
    Firmware(Prices),
    /// By information unit, and for the bus by frame and byte: the processor stays with a transfer while the bus moves
    /// it.
    HeldBus(HeldBus),
}

impl Tariff {
    /// Returns the tariffs of a channel.
    pub(crate) fn of_channel(hardware: &ChannelHardware) -> PerProtocol<Tariff> {
        PerProtocol::from_fn(|protocol| {
            let prices = match protocol {
                Protocol::Command => hardware.command,
                Protocol::Transport => hardware.transport,
            };
            match (hardware.held_bus, hardware.data_path) {
                (Some(held_bus), _) => Tariff::HeldBus(held_bus),
                (None, DataPath::Router) => Tariff::Router(prices),
                (None, DataPath::Firmware) => Tariff::Firmware(prices),
            }
        })
    }

    /// Returns the tariffs of a host-adapter port.
    pub(crate) fn of_port(hardware: &ControlUnitHardware) -> PerProtocol<Tariff> {
        PerProtocol::from_fn(|protocol| match protocol {
            Protocol::Command => Tariff::Router(hardware.command),
            Protocol::Transport => Tariff::Router(hardware.transport),
        })
    }

    /// Computes the price of `work`.
    #[inline]
    pub(crate) fn price(&self, work: Work) -> Span {
        match self {
            Tariff::Router(prices) => listed(prices, &work, work.units, work.data_bytes),
            Tariff::Firmware(prices) => listed(prices, &work, work.sequences, work.moved_bytes),
            Tariff::HeldBus(held) => {
                held_processor(held, &work) + held_transfer(held, work.frames, work.moved_bytes)
            }
        }
    }
}

fn listed(prices: &Prices, work: &Work, units: u32, data_bytes: u32) -> Span {
    Span::from_ps(
        prices.program.as_ps() * u64::from(work.programs)
            + prices.command.as_ps() * u64::from(work.commands)
            + prices.unit.as_ps() * u64::from(units)
            + prices.kib.as_ps() * u64::from(data_bytes) / 1024,
    )
}

fn held_processor(held: &HeldBus, work: &Work) -> Span {
    let units = work.sequences + held.units_per_command * work.commands;
    Span::from_ps(held.sequence.as_ps() * u64::from(units))
}

/// Returns the time that a held bus takes for `frames` with `bytes` of data.
pub(crate) fn held_transfer(held: &HeldBus, frames: u32, bytes: u32) -> Span {
    held.frame * u64::from(frames) + ByteRate::new(held.bytes_per_s).time_of(bytes)
}

/// The costs of a planned group to its sender and its receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cost {
    send: Span,
    receive: Span,
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

impl Costs {
    /// Computes the price of the work of all `departures`.
    pub(crate) fn new(configuration: &Configuration, plans: &Plans, departures: &Departures) -> Self {
        let mut lists: Vec<PerProtocol<Tariff>> = Vec::new();
        let mut table_of = |list: PerProtocol<Tariff>| {
            let known = lists.iter().position(|other| *other == list);
            let table = known.unwrap_or_else(|| {
                lists.push(list);
                lists.len() - 1
            });
            (table * departures.works().len()) as u32
        };
        let channels = configuration.channels.iter().map(|channel| &channel.hardware);
        let of_channel = channels.map(|hardware| table_of(Tariff::of_channel(hardware))).collect();
        let ports = configuration.ports.iter().map(|port| &port.hardware);
        let of_port = ports.map(|hardware| table_of(Tariff::of_port(hardware))).collect();
        let cost = |list: &PerProtocol<Tariff>, group: &GroupWork| {
            let protocol = plans.get(group.plan).map_or(Protocol::Command, |plan| plan.key.protocol);
            let tariff = &list[protocol];
            Cost { send: tariff.price(group.send), receive: tariff.price(group.receive) }
        };
        let all = lists.iter().flat_map(|list| departures.works().iter().map(move |group| cost(list, group)));
        Self { costs: all.collect(), of_channel, of_port }
    }

    /// Returns the cost of `group` to its sender, by the table that begins at `table`.
    #[inline]
    pub(crate) fn send(&self, table: u32, group: u32) -> Span {
        self.costs[(table + group) as usize].send
    }

    /// Returns the cost of `group` to its receiver, by the table that begins at `table`.
    #[inline]
    pub(crate) fn receive(&self, table: u32, group: u32) -> Span {
        self.costs[(table + group) as usize].receive
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ns(n: u64) -> Span {
        Span::from_ns(n)
    }

    const PRICES: Prices = Prices {
        program: Span::from_ns(36_000),
        command: Span::from_ns(100),
        unit: Span::from_ns(10),
        kib: Span::from_ns(940),
    };

    #[test]
    fn data_is_priced_in_proportion() {
        let work = Work { programs: 1, commands: 2, units: 3, data_bytes: 4608, ..Work::default() };
        assert_eq!(Tariff::Router(PRICES).price(work), ns(36_000 + 200 + 30 + 4230));
    }

    #[test]
    fn firmware_pays_for_every_unit_that_passes_and_a_data_router_for_what_it_is_set_up_for() {
        let command = Work { programs: 1, commands: 1, data_bytes: 8192, sequences: 1, ..Work::default() };
        let data = Work { sequences: 1, moved_bytes: 8192, ..Work::default() };
        let price = |tariff: Tariff| (tariff.price(command), tariff.price(data));
        assert_eq!(price(Tariff::Router(PRICES)), (ns(36_100 + 7520), ns(0)));
        assert_eq!(price(Tariff::Firmware(PRICES)), (ns(36_110), ns(10 + 7520)));
    }

    #[test]
    fn a_held_bus_adds_the_transfer_to_the_processors_time() {
        let held = HeldBus {
            sequence: ns(14_000),
            units_per_command: 0,
            frame: ns(8000),
            bytes_per_s: 128_000_000,
            idle_bus_permille: 120,
        };
        let data = Work { sequences: 1, frames: 2, moved_bytes: 4096, units: 1, ..Work::default() };
        assert_eq!(Tariff::HeldBus(held).price(data), ns(14_000 + 16_000 + 32_000));
        let status = Work { sequences: 1, frames: 1, programs: 1, ..Work::default() };
        assert_eq!(Tariff::HeldBus(held).price(status), ns(14_000 + 8000));
        let bridged = HeldBus { units_per_command: 3, ..held };
        let commands = Work { sequences: 2, frames: 2, commands: 2, ..Work::default() };
        assert_eq!(
            Tariff::HeldBus(bridged).price(commands),
            ns(8 * 14_000 + 16_000),
            "firmware alone, no frames"
        );
    }
}
