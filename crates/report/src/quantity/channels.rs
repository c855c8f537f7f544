//! What the channels did: the columns of CHANNEL PATH ACTIVITY, and quotients of them.

use halftrack_program::Protocol;
use halftrack_record::{ChannelInterval, Operations, Run};

use super::{Of, QuantityError, Unit, Word, chosen, length_ps, unknown, word};
use crate::formula::{megabytes_per_second, per_second, percent_busy, quotient, total};

/// Microseconds of a picosecond sum.
const PS_PER_US: f64 = 1e6;

pub(super) type Formula = fn(&Channels<'_>) -> f64;

/// The channels that a quantity is about, over the measured time.
pub(super) struct Channels<'a> {
    records: Vec<&'a ChannelInterval>,
    /// Physical channels.
    count: u64,
    length_ps: u64,
}

pub(super) const WORDS: &[Word] = &[
    word("mb_per_s", Unit::MbPerSecond, Of::Channels(mb_per_s)),
    word("read_mb_per_s", Unit::MbPerSecond, Of::Channels(|channels| channels.mb_per_s(read_bytes))),
    word("write_mb_per_s", Unit::MbPerSecond, Of::Channels(|channels| channels.mb_per_s(write_bytes))),
    word("channel_processor_percent", Unit::Percent, Of::Channels(|channels| channels.percent(processor_ps))),
    word("channel_estimate_percent", Unit::Percent, Of::Channels(|channels| channels.percent(reported_ps))),
    word("sequences_per_s", Unit::PerSecond, Of::Channels(|channels| channels.rate(&sequences))),
    word("channel_bus_percent", Unit::Percent, Of::Channels(|channels| channels.percent(bus_ps))),
    word("bus_full_mb_per_s", Unit::MbPerSecond, Of::Channels(bus_full_mb_per_s)),
    word("operations_per_s", Unit::PerSecond, Of::Channels(|channels| channels.rate(&|one| starts(one)))),
    word("bytes_per_operation", Unit::Bytes, Of::Channels(bytes_per_operation)),
    word("processor_us_per_operation", Unit::Us, Of::Channels(processor_us_per_operation)),
    word(
        "zhpf_rate_per_s",
        Unit::PerSecond,
        Of::Channels(|channels| channels.rate(&|one| one.operations[Protocol::Transport].started)),
    ),
    word("zhpf_active", Unit::Count, Of::Channels(|channels| channels.active(zhpf))),
    word(
        "zhpf_defer_per_s",
        Unit::PerSecond,
        Of::Channels(|channels| channels.rate(&|one| one.operations[Protocol::Transport].deferred)),
    ),
    word(
        "ficon_rate_per_s",
        Unit::PerSecond,
        Of::Channels(|channels| channels.rate(&|one| one.operations[Protocol::Command].started)),
    ),
    word("ficon_active", Unit::Count, Of::Channels(|channels| channels.active(ficon))),
    word(
        "ficon_defer_per_s",
        Unit::PerSecond,
        Of::Channels(|channels| channels.rate(&|one| one.operations[Protocol::Command].deferred)),
    ),
    word("defer_per_s", Unit::PerSecond, Of::Channels(defer_per_s)),
    word("link_gbps", Unit::Gbps, Of::Channels(|channels| channels.last(|one| one.link_gbps.into()))),
    word("generation_code", Unit::Count, Of::Channels(|channels| channels.last(|one| one.generation.into()))),
];

pub(super) fn value(
    run: &Run,
    word: &'static str,
    subject: Option<&str>,
    formula: Formula,
) -> Result<f64, QuantityError> {
    let is = |one: &ChannelInterval, subject: &str| names(run, one).any(|name| name == subject);
    let unknown = |subject: &str| unknown(word, "channel", subject, subjects(run));
    let records = chosen(run, |interval| &interval.channels, subject, is, unknown)?;
    let count = records.len() as u64 / run.intervals.len().max(1) as u64;
    Ok(formula(&Channels { records, count, length_ps: length_ps(run) }))
}

pub(super) fn subjects(run: &Run) -> Vec<String> {
    let channels = run.intervals.first().into_iter().flat_map(|interval| &interval.channels);
    let mut all: Vec<String> = channels.flat_map(|channel| names(run, channel)).collect();
    all.sort();
    all
}

/// Its names, one for each channel subsystem: `0.40`, `B.0.40` on a machine with a name.
fn names(run: &Run, channel: &ChannelInterval) -> impl Iterator<Item = String> {
    let prefix = run.header.prefix(channel.cpc);
    channel.css.iter().map(move |css| format!("{prefix}{css:X}.{:02X}", channel.chpid))
}

impl Channels<'_> {
    fn total(&self, of: impl Fn(&ChannelInterval) -> u64) -> u128 {
        total(self.records.iter().map(|one| of(one)))
    }

    fn rate(&self, of: &dyn Fn(&ChannelInterval) -> u64) -> f64 {
        per_second(self.total(of), self.length_ps)
    }

    fn mb_per_s(&self, of: fn(&ChannelInterval) -> u64) -> f64 {
        megabytes_per_second(self.total(of), self.length_ps)
    }

    /// Mean over the channels.
    fn percent(&self, of: fn(&ChannelInterval) -> u64) -> f64 {
        percent_busy(self.total(of), self.count, self.length_ps)
    }

    /// Mean number of operations active at a start, the new one included.
    fn active(&self, of: fn(&ChannelInterval) -> Operations) -> f64 {
        let sum = self.total(|one| of(one).active_sum);
        quotient(sum as f64, self.total(|one| of(one).started) as f64)
    }

    /// What does not change during a run; 0 for no channel.
    fn last(&self, of: fn(&ChannelInterval) -> u64) -> f64 {
        self.records.last().map_or(0.0, |one| of(one) as f64)
    }
}

fn read_bytes(channel: &ChannelInterval) -> u64 {
    channel.read_bytes
}

fn write_bytes(channel: &ChannelInterval) -> u64 {
    channel.write_bytes
}

fn processor_ps(channel: &ChannelInterval) -> u64 {
    channel.processor_busy_ps
}

/// What CHANNEL PATH ACTIVITY has as TOTAL: an estimate for channels that do not measure it.
fn reported_ps(channel: &ChannelInterval) -> u64 {
    channel.reported_processor_ps()
}

/// Information units, of channels whose utilisation is estimated from them.
fn sequences(channel: &ChannelInterval) -> u64 {
    channel.estimate.map_or(0, |estimate| estimate.sequences)
}

fn bus_ps(channel: &ChannelInterval) -> u64 {
    channel.bus_busy_ps
}

fn zhpf(channel: &ChannelInterval) -> Operations {
    channel.operations[Protocol::Transport]
}

fn ficon(channel: &ChannelInterval) -> Operations {
    channel.operations[Protocol::Command]
}

fn starts(channel: &ChannelInterval) -> u64 {
    channel.operations[Protocol::Transport].started + channel.operations[Protocol::Command].started
}

fn mb_per_s(channels: &Channels<'_>) -> f64 {
    channels.mb_per_s(read_bytes) + channels.mb_per_s(write_bytes)
}

fn defer_per_s(channels: &Channels<'_>) -> f64 {
    channels.rate(&|one| {
        one.operations[Protocol::Transport].deferred + one.operations[Protocol::Command].deferred
    })
}

/// Read and write rate at which the bus utilisation would reach 100 %.
fn bus_full_mb_per_s(channels: &Channels<'_>) -> f64 {
    quotient(100.0 * mb_per_s(channels), channels.percent(bus_ps) * channels.count as f64)
}

fn bytes_per_operation(channels: &Channels<'_>) -> f64 {
    let bytes = channels.total(read_bytes) + channels.total(write_bytes);
    quotient(bytes as f64, channels.total(starts) as f64)
}

fn processor_us_per_operation(channels: &Channels<'_>) -> f64 {
    quotient(channels.total(processor_ps) as f64 / PS_PER_US, channels.total(starts) as f64)
}

#[cfg(test)]
mod tests {
    use crate::quantity::tests::of;

    fn near(name: &str, expected: f64) {
        assert!((of(name) / expected - 1.0).abs() < 0.02, "{name} is {}, not about {expected}", of(name));
    }

    #[test]
    fn columns_of_one_channel_over_both_intervals() {
        near("channel_processor_percent:0.41", of("channel_processor_percent:1.41"));
        near("mb_per_s:0.40", of("read_mb_per_s:0.40") + of("write_mb_per_s:0.40"));
        near("zhpf_active:0.40", 1.2);
        assert_eq!(of("generation_code:0.40"), f64::from(0x21));
        assert_eq!(of("link_gbps:0.40"), 16.0);
    }

    #[test]
    fn quotients_agree_with_their_columns() {
        let bytes = of("mb_per_s:0.40") * 1e6 / of("operations_per_s:0.40");
        near("bytes_per_operation:0.40", bytes);
        near("bus_full_mb_per_s:0.40", of("mb_per_s:0.40") / of("channel_bus_percent:0.40") * 100.0);
        let us = of("channel_processor_percent:0.40") * 1e4 / of("operations_per_s:0.40");
        near("processor_us_per_operation:0.40", us);
    }

    #[test]
    fn all_channels_together_add_rates_and_average_utilisations() {
        let rates: f64 =
            ["0.40", "0.41", "0.42", "1.50"].map(|one| of(&format!("mb_per_s:{one}"))).iter().sum();
        near("mb_per_s", rates);
        let busy: f64 = ["0.40", "0.41", "0.42", "1.50"]
            .map(|one| of(&format!("channel_bus_percent:{one}")))
            .iter()
            .sum();
        near("channel_bus_percent", busy / 4.0);
    }
}
