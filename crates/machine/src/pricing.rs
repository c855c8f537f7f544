//! Work of an exchange step turned into processor time by the catalog's prices.

use halftrack_config::Prices;
use halftrack_engine::SimDuration;
use halftrack_exchange::Work;

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
