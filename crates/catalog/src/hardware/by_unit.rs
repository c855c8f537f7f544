//! Firmware that moves the data and has one price for every information unit, so that one maximum of 4 KiB reads, of either
//! protocol, gives the prices of both.

use std::ops::Range;

use halftrack_input::messages::{catalog as catalog_numbers, toml_file as numbers};
use halftrack_input::{Expect, Fields, Sourced};

use crate::hardware::prices::{Prices, US_PER_S};

/// KiB of the block that maxima are of.
const KIB: f64 = 4.0;
/// Information units of a read of one block by Prefix and Read Data: two commands, command response, data, status and its
/// acceptance.
const COMMAND_UNITS: f64 = 6.0;
/// Information units of the same read in transport mode: command, data, response.
const TRANSPORT_UNITS: f64 = 3.0;

/// `[by_unit]` of a family: ties between the prices of a card.
#[derive(Debug, Clone, PartialEq)]
pub struct ByUnit {
    /// Share of the data in the time of a 4 KiB read in command mode, where a card does not give their price.
    pub data_share: Sourced<f64>,
    /// Price of a unit in transport mode over that of one in command mode, where a card has one maximum only.
    pub transport_unit_ratio: Sourced<f64>,
}

/// Prices of the two protocols.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ByUnitPrices {
    pub command: Prices,
    pub transport: Prices,
}

/// Numbers of the file of a card.
#[derive(Debug)]
pub(crate) struct Maxima {
    /// Reads of 4 KiB a second in command mode.
    pub command: Option<Sourced<f64>>,
    /// Reads of 4 KiB a second in transport mode.
    pub transport: Option<Sourced<f64>>,
    /// Price of 1024 bytes of data, µs.
    pub kib_us: Option<Sourced<f64>>,
}

impl ByUnit {
    /// Reads the table at hand.
    pub(crate) fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let data_share = fields.sourced("data_share", Expect::number(0.0..=0.99));
        let transport_unit_ratio = fields.sourced("transport_unit_ratio", Expect::positive(100.0));
        Some(Self { data_share: data_share?, transport_unit_ratio: transport_unit_ratio? })
    }

    /// Returns the prices of a card with these maxima and this price of the data. Either maximum and the price may be
    /// missing.
    pub(crate) fn prices(&self, fields: &Fields<'_>, given: &Maxima) -> Option<ByUnitPrices> {
        let whole_us = |most: &Sourced<f64>| US_PER_S / most.value;
        let Some(first) = given.command.as_ref().or(given.transport.as_ref()) else {
            let message = "no maximum of 4 KiB reads: expected one in [command], in [transport], or in both";
            fields.error(numbers::CHOOSE_ONE, fields.span(), message, "give `read_4k_per_s` in one of them");
            return None;
        };
        let share = self.data_share.value;
        // Data by the share of a command-mode read, of which a transport-mode read has as much data and fewer units.
        let units = TRANSPORT_UNITS / COMMAND_UNITS * self.transport_unit_ratio.value;
        let data_us = match (&given.kib_us, &given.command) {
            (Some(price), _) => KIB * price.value,
            (None, Some(most)) => share * whole_us(most),
            (None, None) => whole_us(first) * share / ((1.0 - share) * units + share),
        };
        let of_unit = |most: &Sourced<f64>, count: f64| {
            let left_us = whole_us(most) - data_us;
            (left_us > 0.0).then_some(left_us / count).or_else(|| too_fast(fields, most, data_us))
        };
        let command = given.command.as_ref().map(|most| of_unit(most, COMMAND_UNITS));
        let transport = given.transport.as_ref().map(|most| of_unit(most, TRANSPORT_UNITS));
        let ratio = self.transport_unit_ratio.value;
        let (command_us, transport_us) = match (command, transport) {
            (Some(command), Some(transport)) => (command?, transport?),
            (Some(command), None) => (command?, command? * ratio),
            (None, Some(transport)) => (transport? / ratio, transport?),
            (None, None) => return None,
        };
        let prices = |unit_us: f64| {
            let priced = |value: f64| Sourced { value, range: None, ..first.clone() };
            Prices {
                program_us: priced(0.0),
                command_us: priced(0.0),
                unit_us: priced(unit_us),
                kib_us: priced(data_us / KIB),
            }
        };
        Some(ByUnitPrices { command: prices(command_us), transport: prices(transport_us) })
    }
}

/// Reports a maximum that leaves nothing for the units.
fn too_fast<T>(fields: &Fields<'_>, most: &Sourced<f64>, data_us: f64) -> Option<T> {
    let span: Range<usize> = most.span.clone();
    let whole_us = US_PER_S / most.value;
    let message = format!(
        "{} reads of 4 KiB a second are {whole_us:.1} us each, but the data alone take {data_us:.1} us",
        most.value
    );
    let fix = format!("lower it below {:.0}, or correct the price of the data", (US_PER_S / data_us).floor());
    fields.error(catalog_numbers::TOO_FAST, span, message, fix);
    None
}

#[cfg(test)]
mod tests {
    use halftrack_input::SourceFile;
    use halftrack_input::messages::{catalog as catalog_numbers, toml_file as numbers};

    use crate::catalog::Catalog;
    use crate::hardware::channel::{Channel, ChannelWork};

    /// Reads a card of such firmware with these tables; the second result has the numbers of the messages.
    fn card(tables: &str) -> (Option<Channel>, Vec<u16>) {
        let text = format!(
            "title = 't'\nfirmware = 'ficon-2005'\n\
             bus_mb_per_s = {{ value = 408, source = 'assumed', reason = 't' }}\n{}\n[[speed]]\ngbps = 4\n",
            tables.replace("MOST", "source = 'assumed', reason = 't' }")
        );
        let (mut catalog, mut found) = Catalog::load(&[]);
        catalog.put("channel", "mine", SourceFile::new("mine.toml", text), &mut found);
        (catalog.channels.get("mine").cloned(), found.iter().map(|one| one.number).collect())
    }

    /// Returns prices of a unit in command mode and in transport mode, and of 1024 bytes.
    fn prices(tables: &str) -> [f64; 3] {
        let (card, found) = card(tables);
        assert_eq!(found, [0; 0]);
        let ChannelWork::Priced(work) = card.expect("a card").work else { panic!("no held bus") };
        let transport = work.transport.expect("zHPF").prices;
        assert_eq!(transport.kib_us.value, work.command.kib_us.value);
        [work.command.unit_us.value, transport.unit_us.value, work.command.kib_us.value]
    }

    fn near(found: [f64; 3], expected: [f64; 3]) {
        let close = found.iter().zip(expected).all(|(found, expected)| (found / expected - 1.0).abs() < 1e-3);
        assert!(close, "{found:?} {expected:?}");
    }

    #[test]
    fn either_maximum_gives_all_prices() {
        let command = "command.read_4k_per_s = { value = 10000, MOST";
        // 100 us, of which 6.1 are the data.
        let unit = 93.9 / 6.0;
        near(prices(&format!("{command}\ntransport.data_path = 'firmware'")), [unit, unit, 1.525]);
        let transport = format!("transport.read_4k_per_s = {{ value = {}, MOST", 1e6 / (3.0 * unit + 6.1));
        near(prices(&transport), [unit, unit, 1.525]);
        near(prices(&format!("{command}\n{transport}")), [unit, unit, 1.525]);
        let kib = "kib_us = { value = 2.5, MOST";
        near(prices(&format!("{kib}\n{command}\ntransport.data_path = 'firmware'")), [15.0, 15.0, 2.5]);
    }

    #[test]
    fn a_maximum_is_needed_and_must_leave_time_for_the_units() {
        assert_eq!(card("transport.data_path = 'firmware'").1, [numbers::CHOOSE_ONE]);
        let fast = "kib_us = { value = 50, MOST\ncommand.read_4k_per_s = { value = 10000, MOST";
        assert_eq!(card(fast).1, [catalog_numbers::TOO_FAST]);
    }
}
