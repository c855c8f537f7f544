//! The channels' counters of an interval as plain records.

use halftrack_base::Time;
use halftrack_config::{Configuration, Interface, Lpar};
use halftrack_record::{
    ChannelInterval, ChannelKind, ChannelPart, Guideline, LcuInterval, PoolInterval, StationInterval,
};

use super::Channels;
use super::channel::{Busy, ChannelState, Part};
use super::write_stage::WriteStageBusy;
use crate::events::crossing::ViewCounters;
use crate::events::host_context::Context;
use crate::laws::census::Census;
use crate::laws::law::Law;
use crate::wiring::Wiring;

impl Channels {
    /// Collects the channels since the last collection. Their processors and buses as stations go to `stations`, and those
    /// of their pools that were used to `pools`.
    pub(crate) fn collect_channels(
        &mut self,
        configuration: &Configuration,
        now: Time,
        stations: &mut Vec<StationInterval>,
        pools: &mut Vec<PoolInterval>,
    ) -> Vec<ChannelInterval> {
        let mut channels = Vec::new();
        let connections = self.subchannels.connection_counts();
        for (index, state) in self.channels.iter_mut().enumerate() {
            let busy = state.collect_busy(now);
            let mut record = collect_channel(configuration, index, state, busy, now);
            record.connections = connections.as_ref().and_then(|counts| counts.get(&(index as u32)).copied());
            let name = &configuration.channels[index].name;
            let visits = record.started();
            let processor = if state.has_held_path() { "path" } else { "processor" };
            for (part, busy_ps) in [(processor, record.processor_busy_ps), ("bus", busy.bus_ps)] {
                let name = format!("channel {name} {part}");
                stations.push(StationInterval { name, servers: 1, busy_ps, completions: visits });
            }
            if let Some(stage) = &mut state.write_stage {
                let (name, WriteStageBusy { busy_ps, writes }) =
                    (format!("channel {name} write stage"), stage.collect(now));
                stations.push(StationInterval { name, servers: 1, busy_ps, completions: writes });
            }
            pools.extend(state.collect_pools(name, now).into_iter().filter(PoolInterval::is_used));
            channels.push(record);
        }
        for (share, busy) in configuration.shares.iter().zip(self.shares.collect_busy(now)) {
            for (part, busy_ps) in busy {
                let name = format!("{} {part}", share.name);
                stations.push(StationInterval { name, servers: 1, busy_ps, completions: 0 });
            }
        }
        pools.extend(self.collect_request_queues(now));
        channels
    }

    /// Collects the logical control units as partitions see them since the last collection; `used` are the counters of the
    /// images.
    pub(crate) fn collect_lcus(&mut self, w: &Wiring, used: Vec<ViewCounters>) -> Vec<LcuInterval> {
        self.subchannels.collect(w, &self.channels, used)
    }

    /// Checks Little's law for the open exchanges of every channel, exact to the picosecond. The integral of their number
    /// equals the sum of the times that each was open.
    pub(crate) fn check_little(&self, w: &Wiring, now: Time, law: &mut Law) {
        let mut open_ps = vec![0_u128; self.channels.len()];
        for (_, exchange) in self.exchanges.open_ones() {
            open_ps[exchange.channel as usize] += u128::from(now.since(exchange.opened).as_ps());
        }
        for (index, channel) in self.channels.iter().enumerate() {
            let (area, closed_ps) = channel.open_and_sojourn_ps(now);
            let sojourn = closed_ps + open_ps[index];
            law.check(area == sojourn, || {
                let name = &w.configuration.channels[index].name;
                format!(
                    "channel {name}: integral of open exchanges {area} ps, sum of their times {sojourn} ps"
                )
            });
        }
    }

    /// Gives the links of the host's process the credits that are back by `now`.
    pub(crate) fn settle_credits(&mut self, context: &mut Context, now: Time) {
        self.outbound.links_mut().settle_credits(&mut context.pending.returning, now);
    }

    /// Checks that every credit of the host's transmitters is free or accounted for.
    pub(crate) fn check_credits(&self, w: &Wiring, census: &Census, law: &mut Law) {
        self.links().check_credits(w, census, law);
    }

    /// Counts what is under way at the channels and on their links.
    pub(crate) fn census(&self, context: &Context, w: &Wiring, census: &mut Census) {
        census.host(w, &context.pending, &context.transits);
        self.links().census(w, &context.transits, census);
        let waiting = self.channels.iter().flat_map(|channel| channel.bus.waiting());
        for (_, path) in waiting.filter_map(|burst| burst.credit) {
            census.credits[w.last_link(w.paths[path as usize].inbound) as usize] += 1;
        }
        for answer in context.pending.answers_under_way() {
            let envelope = self.exchanges[answer.exchange].envelope;
            census.transit(w, &answer.transit(w, envelope), true);
        }
    }
}

fn collect_channel(
    c: &Configuration,
    index: usize,
    state: &mut ChannelState,
    busy: Busy,
    now: Time,
) -> ChannelInterval {
    let channel = &c.channels[index];
    let mut processor_busy_ps = busy.processor_ps;
    let parts = std::mem::take(&mut state.parts);
    state.parts = vec![Part::default(); c.lpars.len()];
    let mut shares =
        apportion(processor_busy_ps, &parts.iter().map(|part| part.processor_ps).collect::<Vec<_>>());
    if let Some(held) = state.collect_held(now) {
        // RMF times the path of such a channel, not its processor (SMF type 73, CMG 1).
        shares = held;
        processor_busy_ps = shares.iter().sum();
    }
    let sequences = state.held_bus.as_mut().map(|held| held.take_sequences());
    let total_sequences = sequences.iter().flatten().sum();
    let estimate = state.held_bus.as_ref().map(|held| held.estimate(total_sequences));
    let sequences = sequences.unwrap_or_else(|| vec![0; parts.len()]);
    let visible = |lpar: &Lpar| lpar.cpc == channel.cpc && channel.css.contains(&lpar.css);
    let part = |index: usize| ChannelPart {
        lpar: c.lpars[index].name.clone(),
        processor_busy_ps: shares[index],
        read_bytes: parts[index].read_bytes,
        write_bytes: parts[index].write_bytes,
        sequences: sequences[index],
    };
    let visible: Vec<usize> = (0..parts.len()).filter(|index| visible(&c.lpars[*index])).collect();
    ChannelInterval {
        cpc: channel.cpc,
        chpid: channel.chpid,
        css: channel.css.clone(),
        pchid: channel.identity.pchid(),
        kind: kind(channel),
        generation: channel.generation,
        link_gbps: channel.link_gbps,
        shared: channel.shared,
        online: !state.is_dark(),
        processor_busy_ps,
        // RMF's BUS column has the polling in it, which keeps nothing waiting.
        bus_busy_ps: busy.bus_ps + busy.polling_ps,
        read_bytes: parts.iter().map(|part| part.read_bytes).sum(),
        write_bytes: parts.iter().map(|part| part.write_bytes).sum(),
        operations: state.take_operations(),
        recoveries: std::mem::take(&mut state.recoveries),
        connections: None,
        parts: visible.into_iter().map(part).collect(),
        estimate,
        guideline: channel.hardware.guideline.map(|guideline| Guideline {
            processor_percent: guideline.processor_percent,
            bus_percent: guideline.bus_percent,
        }),
    }
}

/// Returns the TYPE column of the reports. In RMF, CNC_S and CNC_P are switched and point-to-point ESCON, CTC_S and
/// CTC_P those with the control-unit function, and FCV is FICON
/// to a bridge; parallel channels multiplex blocks or bytes.
fn kind(channel: &halftrack_config::Channel) -> ChannelKind {
    if channel.hardware.bridge.is_some() {
        return ChannelKind::FiconBridge;
    }
    if channel.hardware.fcp.is_some() {
        return ChannelKind::Fcp;
    }
    match (channel.hardware.circuit.map(|circuit| circuit.interface), channel.switched) {
        (None, true) => ChannelKind::FiconSwitched,
        (None, false) => ChannelKind::Ficon,
        (Some(Interface::Escon), true) => ChannelKind::EsconSwitched,
        (Some(Interface::Escon), false) => ChannelKind::Escon,
        (Some(Interface::EsconFunction), true) => ChannelKind::EsconFunctionSwitched,
        (Some(Interface::EsconFunction), false) => ChannelKind::EsconFunction,
        (Some(Interface::Block), _) => ChannelKind::BlockMultiplexer,
        (Some(Interface::Byte), _) => ChannelKind::ByteMultiplexer,
    }
}

/// Shares `total` out in proportion to `weights` so that the shares add up to it exactly (largest remainders first, then in
/// order). Work demanded in an interval may be done in the next: the channel's busy time is exact, and the partitions'
/// shares follow their demands.
fn apportion(total: u64, weights: &[u64]) -> Vec<u64> {
    let sum: u128 = weights.iter().map(|weight| u128::from(*weight)).sum();
    if sum == 0 {
        let mut shares = vec![0; weights.len()];
        if let Some(first) = shares.first_mut() {
            *first = total;
        }
        return shares;
    }
    let exact = |weight: &u64| u128::from(total) * u128::from(*weight);
    let mut shares: Vec<u64> = weights.iter().map(|weight| (exact(weight) / sum) as u64).collect();
    let mut by_remainder: Vec<usize> = (0..weights.len()).collect();
    by_remainder.sort_by_key(|index| (std::cmp::Reverse(exact(&weights[*index]) % sum), *index));
    let left = total - shares.iter().sum::<u64>();
    for index in by_remainder.into_iter().take(left as usize) {
        shares[index] += 1;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_and_follow_the_weights() {
        assert_eq!(apportion(10, &[1, 1, 1]), [4, 3, 3]);
        assert_eq!(apportion(100, &[3, 0, 1]), [75, 0, 25]);
        assert_eq!(apportion(7, &[0, 0]), [7, 0]);
        assert_eq!(apportion(0, &[5, 6]), [0, 0]);
    }
}
