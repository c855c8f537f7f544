//! The host's counters of an interval as plain records.

use halftrack_config::{Configuration, Interface, Lcu, Lpar, Subsystem};
use halftrack_engine::SimTime;
use halftrack_record::{
    ChannelInterval, ChannelPart, DeviceInterval, Guideline, IopInterval, LcuInterval, LcuPath, PoolInterval,
    StationInterval,
};

use super::HostState;
use super::channel::{Busy, ChannelState, Part};
use super::view::{LcuView, PathBusySums};
use crate::fabric::link::Transmitters;
use crate::run::census::Census;
use crate::run::law::Law;
use crate::supervisor::{SupervisorCounters, ViewCounters};
use crate::wiring::Wiring;
use crate::wiring::path_wire::PathWire;

/// What the host's process has counted since the last collection.
pub(crate) struct HostCounters {
    pub channels: Vec<ChannelInterval>,
    pub iops: Vec<IopInterval>,
    pub lcus: Vec<LcuInterval>,
    pub devices: Vec<DeviceInterval>,
    pub stations: Vec<StationInterval>,
    /// Pools of which any was taken, or waited for.
    pub pools: Vec<PoolInterval>,
}

impl HostState {
    /// Ends an interval at `now`, in which `images` is what the images' side has counted, and begins the next.
    pub(crate) fn collect(&mut self, w: &Wiring, now: SimTime, images: SupervisorCounters) -> HostCounters {
        let configuration = &w.configuration;
        let mut stations = Vec::new();
        let SupervisorCounters { cps, views: used, devices, mut pools } = images;
        for ((lpar, state), cps) in configuration.lpars.iter().zip(&mut self.lpars).zip(cps) {
            stations.push(cps);
            if !state.serial_service.is_zero() {
                let busy = state.serial.busy_before(now).as_ps();
                stations.push(StationInterval {
                    name: format!("lpar {} serial part", lpar.name),
                    servers: 1,
                    busy_ps: busy - state.serial_reported_ps,
                    completions: 0,
                });
                state.serial_reported_ps = busy;
            }
        }
        let mut iops = Vec::new();
        for (cpc, state) in configuration.cpcs.iter().zip(&mut self.iops) {
            let own = state.collect(now);
            stations.push(StationInterval {
                name: format!("{}IOPs", cpc.name.prefix()),
                servers: own.len() as u32,
                busy_ps: own.iter().map(|iop| iop.busy_ps).sum(),
                completions: own.iter().map(|iop| iop.started + iop.interrupts).sum(),
            });
            iops.extend(own);
        }
        let mut channels = Vec::new();
        for (index, state) in self.channels.iter_mut().enumerate() {
            let busy = state.collect_busy(now);
            let record = collect_channel(configuration, index, state, busy, now);
            let name = &configuration.channels[index].name;
            let visits = record.ficon.started + record.zhpf.started;
            let processor = if state.held.is_some() { "path" } else { "processor" };
            for (part, busy_ps) in [(processor, record.processor_busy_ps), ("bus", busy.bus_ps)] {
                let name = format!("channel {name} {part}");
                stations.push(StationInterval { name, servers: 1, busy_ps, completions: visits });
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
        let dark: Vec<bool> = self.channels.iter().map(|channel| channel.dark > 0).collect();
        let views = self.views.iter_mut().zip(used);
        let lcus = views.map(|(view, used)| collect_lcu(w, view, used, &dark)).collect();
        HostCounters { channels, iops, lcus, devices, stations, pools }
    }

    /// The transmitters of its links.
    pub(crate) fn links(&self) -> &Transmitters {
        &self.links
    }

    /// Little's law for the open exchanges of every channel, exact to the picosecond: the integral of their
    /// number equals the sum of the times that each was open.
    pub(crate) fn check_little(&self, w: &Wiring, now: SimTime, law: &mut Law) {
        let mut open_ps = vec![0_u128; self.channels.len()];
        for slot in 0..self.exchanges.high_water() as u32 {
            let exchange = &self.exchanges[slot];
            if exchange.is_open() {
                open_ps[exchange.channel as usize] += u128::from(now.since(exchange.opened).as_ps());
            }
        }
        for (index, channel) in self.channels.iter().enumerate() {
            let area = channel.open.area_until(now);
            let sojourn = channel.sojourn_ps + open_ps[index];
            law.check(area == sojourn, || {
                let name = &w.configuration.channels[index].name;
                format!(
                    "channel {name}: integral of open exchanges {area} ps, sum of their times {sojourn} ps"
                )
            });
        }
    }

    /// The utilisation law of the IOPs.
    pub(crate) fn check_utilisation(&self, now: SimTime, law: &mut Law) {
        self.iops.iter().for_each(|iops| iops.check_utilisation(now, law));
    }

    /// Every credit of the host's transmitters is free or accounted for.
    pub(crate) fn check_credits(&self, w: &Wiring, census: &Census, law: &mut Law) {
        self.links.check_credits(w, census, law);
    }

    /// I/Os ended so far.
    pub(crate) fn ios_ended(&self) -> u64 {
        self.ledger.ends()
    }
}

fn collect_channel(
    c: &Configuration,
    index: usize,
    state: &mut ChannelState,
    busy: Busy,
    now: SimTime,
) -> ChannelInterval {
    let channel = &c.channels[index];
    let mut processor_busy_ps = busy.processor_ps;
    let parts = std::mem::take(&mut state.parts);
    state.parts = vec![Part::default(); c.lpars.len()];
    let mut shares =
        apportion(processor_busy_ps, &parts.iter().map(|part| part.processor_ps).collect::<Vec<_>>());
    if let Some(held) = &mut state.held {
        // RMF times the path of such a channel, not its processor (SMF type 73, CMG 1).
        shares = held.collect(now);
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
        acronym: acronym(channel).into(),
        generation: channel.generation,
        link_gbps: channel.link_gbps,
        shared: channel.shared,
        online: state.dark == 0,
        processor_busy_ps,
        // RMF's BUS column has the polling in it, which keeps nothing waiting.
        bus_busy_ps: busy.bus_ps + busy.polling_ps,
        read_bytes: parts.iter().map(|part| part.read_bytes).sum(),
        write_bytes: parts.iter().map(|part| part.write_bytes).sum(),
        ficon: std::mem::take(&mut state.ficon),
        zhpf: std::mem::take(&mut state.zhpf),
        parts: visible.into_iter().map(part).collect(),
        estimate,
        guideline: channel.hardware.guideline.map(|guideline| Guideline {
            processor_percent: guideline.processor_percent,
            bus_percent: guideline.bus_percent,
        }),
    }
}

/// TYPE column of the reports (RMF: CNC_S and CNC_P are switched and point-to-point ESCON, FCV is FICON to a bridge;
/// parallel channels multiplex blocks or bytes).
fn acronym(channel: &halftrack_config::Channel) -> &'static str {
    if channel.hardware.bridge.is_some() {
        return "FCV";
    }
    match (channel.hardware.circuit.map(|circuit| circuit.interface), channel.switched) {
        (None, true) => "FC_S",
        (None, false) => "FC",
        (Some(Interface::Escon), true) => "CNC_S",
        (Some(Interface::Escon), false) => "CNC_P",
        (Some(Interface::Block), _) => "BLOCK",
        (Some(Interface::Byte), _) => "BYTE",
    }
}

/// Deals `total` in proportion to `weights` so that the shares add up to it exactly (largest remainders first,
/// then in order). Work asked for in an interval may be done in the next; the channel's busy time is exact and
/// the partitions' shares follow what they asked for.
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

fn collect_lcu(w: &Wiring, view: &mut LcuView, used: ViewCounters, dark: &[bool]) -> LcuInterval {
    let c = &w.configuration;
    let lcu = &c.lcus[view.lcu as usize];
    let lpar = &c.lpars[view.lpar as usize];
    let wires = &w.paths[view.first_path as usize..];
    let subsystem = lpar.subsystem();
    let count = w.groups[&(subsystem, view.lcu)].paths as usize;
    let number = lcu_number(lcu, subsystem);
    let sums = view.taken.iter().zip(&used.cmr_ps).zip(&view.path_busy);
    let path = |(((taken, cmr_ps), busy), wire): (((&u64, &u64), &PathBusySums), &PathWire)| LcuPath {
        chpid: c.channels[wire.channel as usize].chpid,
        taken: *taken,
        director_port_busy: busy.director_port_busy,
        control_unit_busy: busy.control_unit_busy,
        control_unit_busy_ps: busy.control_unit_busy_ps,
        cmr_ps: *cmr_ps,
        online: !dark[wire.channel as usize],
    };
    let record = LcuInterval {
        lpar: lpar.name.clone(),
        lcu: number,
        control_units: vec![number],
        paths: sums.zip(wires).take(count).map(path).collect(),
        alias_waits: used.alias_waits,
        requests: used.requests,
        aliases_in_use_max: used.aliases_in_use_max,
        aliases: used.aliases,
        open_exchange_ps: used.open_exchange_ps,
        connect_ps: used.connect_ps,
        queued: view.queued,
        queue_sum: view.queue_sum,
        css_delay_ps: Some(view.css_delay_ps),
        response_times: used.response_times,
    };
    view.reset();
    record
}

/// The number of `lcu` in the deck of the machine of `subsystem`.
pub(crate) fn lcu_number(lcu: &Lcu, subsystem: Subsystem) -> u16 {
    let group = lcu.path_groups.iter().find(|group| group.subsystem() == subsystem);
    group.map_or(lcu.number, |group| group.number)
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
