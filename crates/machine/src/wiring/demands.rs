//! Demands of the streams on stations and tokens, from the recorded plans alone, and the rates that these allow at most.
//!
//! A station serves no more than all of its time (the utilisation law), a pool of tokens no more than each of them is held
//! one after the other; so that rates times demands stay within the number of servers, whatever waits for what. What is
//! known beforehand is a bound of the demand from below: staging after a miss of a track that is looked up is left out, and so
//! are the paths of streams whose I/Os were recorded and those that are held as circuits.

use std::collections::BTreeMap;

use halftrack_base::{Span, for_bytes};
use halftrack_config::{Arrivals, Configuration, ProtocolChoice, Selection, Share, Stream};
use halftrack_exchange::{Delay, Plan, Side, Step, Work};
use halftrack_program::{Operation, Protocol};
use halftrack_workload::device_shares;

use crate::wiring::Wiring;
use crate::wiring::path_wire::PathWire;
use crate::wiring::pricing::Tariff;

const ALL_PPM: f64 = 1_000_000.0;

/// A station that serves one I/O, or a few, at a time. Each kind is numbered as in the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Station {
    Cps(u32),
    SerialPart(u32),
    Iops(u8),
    ChannelProcessor(u32),
    ChannelBus(u32),
    /// The stage of an FCP channel that only writes pass.
    WriteStage(u32),
    ChannelExchanges(u32),
    ChannelExchangesCommand(u32),
    /// A limit of a share of channels.
    Share(u32, Limit),
    Link(u32),
    PortProcessor(u32),
    PortBus(u32),
    PortExchanges(u32),
    /// A limit of a share of host adapters.
    BoxShare(u32, Limit),
    /// By control unit.
    Clusters(u32),
    Staging(u32),
}

/// A limit of a share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Limit {
    Both,
    Reads,
    Writes,
}

impl Station {
    /// Returns true for tokens, which are held and do not serve.
    pub(crate) fn is_pool(self) -> bool {
        matches!(self, Self::ChannelExchanges(_) | Self::ChannelExchangesCommand(_) | Self::PortExchanges(_))
    }

    /// Returns its canonical name, as in its record.
    pub(crate) fn name(self, c: &Configuration) -> String {
        let share = |share: &Share, limit| match limit {
            Limit::Both => format!("{} bus", share.name),
            Limit::Reads => format!("{} reads", share.name),
            Limit::Writes => format!("{} writes", share.name),
        };
        let channel = |index: u32| &c.channels[index as usize].name;
        let port = |index: u32| &c.ports[index as usize].name;
        match self {
            Self::Cps(index) => format!("lpar {} CPs", c.lpars[index as usize].name),
            Self::SerialPart(index) => format!("lpar {} serial part", c.lpars[index as usize].name),
            Self::Iops(index) => format!("{}IOPs", c.cpcs[usize::from(index)].name.prefix()),
            Self::ChannelProcessor(index) => format!("channel {} processor", channel(index)),
            Self::ChannelBus(index) => format!("channel {} bus", channel(index)),
            Self::WriteStage(index) => format!("channel {} write stage", channel(index)),
            Self::ChannelExchanges(index) => format!("channel {} open exchanges", channel(index)),
            Self::ChannelExchangesCommand(index) => {
                format!("channel {} open exchanges in command mode", channel(index))
            }
            Self::Share(index, limit) => share(&c.shares[index as usize], limit),
            Self::Link(index) => format!("link {}", c.links[index as usize].name),
            Self::PortProcessor(index) => format!("port {} processor", port(index)),
            Self::PortBus(index) => format!("port {} bus", port(index)),
            Self::PortExchanges(index) => format!("port {} open exchanges", port(index)),
            Self::BoxShare(index, limit) => share(&c.box_shares[index as usize], limit),
            Self::Clusters(port) => format!("box {} clusters", c.ports[port as usize].control_unit),
            Self::Staging(port) => format!("staging {}", c.ports[port as usize].control_unit),
        }
    }

    /// Counts its servers, or tokens.
    pub(crate) fn servers(self, c: &Configuration) -> u32 {
        match self {
            Self::Cps(index) => c.lpars[index as usize].threads(),
            Self::Iops(index) => u32::from(c.cpcs[usize::from(index)].iop_threads),
            Self::ChannelExchanges(index) => c.channels[index as usize].hardware.open_exchanges,
            Self::ChannelExchangesCommand(index) => {
                c.channels[index as usize].hardware.open_exchanges_command
            }
            Self::PortExchanges(index) => c.ports[index as usize].hardware.exchanges_per_port,
            Self::Staging(port) => c.ports[port as usize].hardware.staging_servers,
            _ => 1,
        }
        .max(1)
    }
}

/// Mean demand of one I/O of a stream.
#[derive(Debug, Clone, Default)]
pub(crate) struct StreamDemands {
    /// Time of each station, and that each token is held at least, s.
    pub stations: BTreeMap<Station, f64>,
    /// Visits to those of them that are drawn by lot: by kind of I/O, by device, or of drawn length.
    pub drawn_visits: BTreeMap<Station, f64>,
    /// From one start of a job to the next without waiting, s: at least, think time included.
    pub cycle_at_least_s: f64,
    /// Time on no station, think time included, at most, s.
    pub delay_at_most_s: f64,
    /// Its demands on its paths are among them.
    pub is_whole: bool,
}

/// Demands of every stream.
#[derive(Debug, Default)]
pub(crate) struct Demands {
    pub streams: Vec<StreamDemands>,
}

impl Demands {
    /// Computes the demands of the streams of `w`, on machines that nothing disturbs.
    pub(crate) fn of(w: &Wiring) -> Self {
        let streams = w.configuration.streams.iter().enumerate();
        Self { streams: streams.map(|(index, stream)| stream_demands(w, index, stream)).collect() }
    }

    /// Computes the demands on the machines before the paths alone, whichever paths are taken.
    pub(crate) fn before_paths(w: &Wiring) -> Self {
        let c = &w.configuration;
        let demands = |stream: &Stream| match stream.synchronous {
            Some(_) => synchronous_demands(stream),
            None => before_paths(c, stream),
        };
        Self { streams: c.streams.iter().map(demands).collect() }
    }

    /// Returns the time that the streams demand of each station a second of `rates_per_s`, of one of its servers. Highest
    /// first, by station among equals.
    pub(crate) fn utilisations(&self, c: &Configuration, rates_per_s: &[f64]) -> Vec<(Station, f64)> {
        let mut asked: BTreeMap<Station, f64> = BTreeMap::new();
        for (demands, rate_per_s) in self.streams.iter().zip(rates_per_s) {
            for (station, demand_s) in &demands.stations {
                *asked.entry(*station).or_insert(0.0) += rate_per_s * demand_s;
            }
        }
        let of_one = |(station, asked): (Station, f64)| (station, asked / f64::from(station.servers(c)));
        let mut found: Vec<_> = asked.into_iter().map(of_one).collect();
        found.sort_by(|(a, one), (b, other)| other.total_cmp(one).then(a.cmp(b)));
        found
    }
}

/// Demands of `stream` on its partition's CPs and on the IOPs, which each of its I/Os has whatever its path.
fn before_paths(c: &Configuration, stream: &Stream) -> StreamDemands {
    let lpar = &c.lpars[stream.lpar as usize];
    let cpc = &c.cpcs[usize::from(lpar.cpc)];
    let mut sum = StreamDemands::default();
    let mut add = |station, time: Span| sum.add(station, time.as_s_f64());
    let on_cps = lpar.time_of_thread(cpc.cp_start) + lpar.time_of_thread(cpc.cp_interrupt);
    add(Station::Cps(stream.lpar), on_cps);
    let mut around = on_cps;
    if stream.protocol != ProtocolChoice::Fcp {
        add(Station::Iops(lpar.cpc), cpc.iop_start + cpc.iop_interrupt);
        // It is counted even where it limits nothing.
        sum.stations.insert(Station::SerialPart(stream.lpar), cpc.image_serial.as_s_f64());
        around += cpc.iop_start + cpc.iop_interrupt;
    }
    let think = think(stream);
    sum.cycle_at_least_s = (around + think).as_s_f64();
    sum.delay_at_most_s = think.as_s_f64();
    sum
}

/// Demands of `stream`; without those on its paths where they are not known.
fn stream_demands(w: &Wiring, index: usize, stream: &Stream) -> StreamDemands {
    if stream.synchronous.is_some() {
        return synchronous_demands(stream);
    }
    let before = before_paths(&w.configuration, stream);
    let mut demands = with_paths(w, index, stream, before.clone()).unwrap_or(before);
    // How long it waits for cards is not known from above.
    demands.is_whole &= stream.compression.is_none();
    demands
}

/// Demands of a stream with synchronous I/O: none but its think time is known from below. An I/O that succeeds visits neither IOP nor
/// path, and how many do is not known beforehand.
fn synchronous_demands(stream: &Stream) -> StreamDemands {
    let think_s = think(stream).as_s_f64();
    StreamDemands { cycle_at_least_s: think_s, delay_at_most_s: think_s, ..StreamDemands::default() }
}

/// Returns the mean time that a job of `stream` thinks.
fn think(stream: &Stream) -> Span {
    match stream.arrivals {
        Arrivals::Closed { think, .. } => think,
        Arrivals::Open { .. } | Arrivals::Traced(_) => Span::ZERO,
    }
}

/// Adds the demands on its paths to `sum`.
fn with_paths(w: &Wiring, index: usize, stream: &Stream, mut sum: StreamDemands) -> Option<StreamDemands> {
    if matches!(stream.arrivals, Arrivals::Traced(_)) {
        return None;
    }
    let c = &w.configuration;
    let subsystem = c.lpars[stream.lpar as usize].subsystem();
    let lcus = shares_of_lcus(c, stream);
    let is_drawn = is_drawn(stream, lcus.len());
    for ((lcu, hit_ppm), share) in lcus {
        let group = w.groups.get(&(subsystem, lcu))?;
        for path in group.first_path..group.first_path + group.paths {
            let wire = &w.paths[path as usize];
            if wire.has_circuit() {
                return None;
            }
            let of_path = share / f64::from(group.paths);
            for (operation, hit, part) in kinds(stream, hit_ppm) {
                let (plan, protocol) = w.plan(w.programs.first_of(index), wire, operation, hit, true);
                let visit = Visit::new(w, path, w.plans.get(plan)?, protocol);
                sum.add_visit(w, &visit, of_path * part, is_drawn);
            }
        }
    }
    sum.is_whole = true;
    Some(sum)
}

/// Returns true when the stations that an I/O of `stream` visits are drawn by lot.
fn is_drawn(stream: &Stream, lcus: usize) -> bool {
    let is_mixed = |ppm: u32| ppm > 0 && ppm < 1_000_000;
    let is_choice = lcus > 1 && stream.selection != Selection::Sequential;
    is_choice || is_mixed(stream.read_ppm) || stream.hit_ppms().any(is_mixed)
}

/// Shares of a stream's I/Os by logical control unit and hit ratio.
fn shares_of_lcus(c: &Configuration, stream: &Stream) -> BTreeMap<(u32, u32), f64> {
    let mut shares = BTreeMap::new();
    let of_devices = device_shares(stream.selection, stream.devices.len() as u32);
    for ((place, device), share) in stream.devices.iter().enumerate().zip(of_devices) {
        let hit_ppm = stream.hit_ppm_of_device.get(place).copied().unwrap_or(stream.hit_ppm);
        *shares.entry((c.devices[*device as usize].lcu, hit_ppm)).or_insert(0.0) += share;
    }
    shares
}

/// Iterates over the kinds of I/O that a stream has, with their shares. Where tracks are looked up, every I/O is taken for a
/// hit.
fn kinds(stream: &Stream, hit_ppm: u32) -> impl Iterator<Item = (Operation, bool, f64)> {
    let reads = f64::from(stream.read_ppm) / ALL_PPM;
    let hits = if stream.locality.is_some() { 1.0 } else { f64::from(hit_ppm) / ALL_PPM };
    let kinds = [
        (Operation::Read, true, reads * hits),
        (Operation::Read, false, reads * (1.0 - hits)),
        (Operation::UpdateWrite, true, 1.0 - reads),
    ];
    kinds.into_iter().filter(|(.., share)| *share > 0.0)
}

impl StreamDemands {
    fn add(&mut self, station: Station, time_s: f64) {
        if time_s > 0.0 {
            *self.stations.entry(station).or_insert(0.0) += time_s;
        }
    }

    /// Adds `visit`, which `share` of the I/Os are.
    fn add_visit(&mut self, w: &Wiring, visit: &Visit<'_>, share: f64, is_drawn: bool) {
        for (station, time_s) in &visit.stations {
            self.add(*station, share * time_s);
            if is_drawn || matches!(station, Station::Staging(_)) {
                *self.drawn_visits.entry(*station).or_insert(0.0) += share;
            }
        }
        let held_s = visit.at_least_s();
        for station in visit.pools() {
            self.add(station, share * held_s);
        }
        self.cycle_at_least_s += share * held_s;
        self.delay_at_most_s += share * visit.delay_at_most_s(w);
    }
}

/// One exchange by its plan over one path.
struct Visit<'a> {
    wire: &'a PathWire,
    plan: &'a Plan,
    protocol: Protocol,
    /// Time of each station, s.
    stations: BTreeMap<Station, f64>,
    /// Time under way on the fibre that no other time can hide, s.
    light_s: f64,
}

impl<'a> Visit<'a> {
    fn new(w: &'a Wiring, path: u32, plan: &'a Plan, protocol: Protocol) -> Self {
        let wire = &w.paths[path as usize];
        let mut visit = Self { wire, plan, protocol, stations: BTreeMap::new(), light_s: 0.0 };
        visit.processors(w);
        visit.data(w);
        visit.links(w, path);
        visit.storage(w);
        visit
    }

    fn add(&mut self, station: Station, time: Span) {
        if !time.is_zero() {
            *self.stations.entry(station).or_insert(0.0) += time.as_s_f64();
        }
    }

    /// Adds the processors of both ends: each works for what it sends and for what it receives.
    fn processors(&mut self, w: &Wiring) {
        let c = &w.configuration;
        let (channel, port) = (&c.channels[self.wire.channel as usize], &c.ports[self.wire.port as usize]);
        let of_channel = Tariff::of_channel(&channel.hardware)[self.protocol];
        let of_port = Tariff::of_port(&port.hardware)[self.protocol];
        let plan = self.plan;
        let price = |tariff: &Tariff, sent: &[Step], received: &[Step]| {
            let works = sent.iter().map(|step| step.send).chain(received.iter().map(|step| step.receive));
            tariff.price(works.fold(Work::default(), Work::plus))
        };
        self.add(
            Station::ChannelProcessor(self.wire.channel),
            price(&of_channel, &plan.outbound, &plan.inbound),
        );
        self.add(Station::PortProcessor(self.wire.port), price(&of_port, &plan.inbound, &plan.outbound));
    }

    /// Adds the buses and shares that the data go through, at either end.
    fn data(&mut self, w: &Wiring) {
        let c = &w.configuration;
        let bytes = self.plan.data_bytes();
        let reads = self.plan.key.shape.operation == Operation::Read;
        let (channel, port) = (&c.channels[self.wire.channel as usize], &c.ports[self.wire.port as usize]);
        if channel.hardware.held_bus.is_none() {
            let time = for_bytes(bytes, channel.hardware.bus_bytes_per_s);
            self.add(Station::ChannelBus(self.wire.channel), time);
        }
        if let Some(fcp) = channel.hardware.fcp.filter(|_| !reads) {
            self.add(Station::WriteStage(self.wire.channel), fcp.write);
        }
        self.add(Station::PortBus(self.wire.port), for_bytes(bytes, port.hardware.bus_bytes_per_s));
        self.shares(&c.shares, channel.share, (bytes, reads), Station::Share);
        self.shares(&c.box_shares, port.share, (bytes, reads), Station::BoxShare);
    }

    /// Iterates over the limits of `first` and of all above it.
    fn shares(
        &mut self,
        shares: &[Share],
        first: Option<u32>,
        (bytes, reads): (u64, bool),
        station: fn(u32, Limit) -> Station,
    ) {
        let mut at = first;
        while let Some(index) = at {
            let share = &shares[index as usize];
            let one_way = if reads {
                (share.read_bytes_per_s, Limit::Reads)
            } else {
                (share.write_bytes_per_s, Limit::Writes)
            };
            for (bytes_per_s, limit) in [(share.bytes_per_s, Limit::Both), one_way] {
                if let Some(bytes_per_s) = bytes_per_s {
                    self.add(station(index, limit), for_bytes(bytes, bytes_per_s));
                }
            }
            at = share.parent;
        }
    }

    /// Links of every way of the path, of which exchanges take each in turn.
    fn links(&mut self, w: &Wiring, path: u32) {
        let c = &w.configuration;
        let ways = w.alternatives.count(path);
        let mut light = Span::ZERO;
        for turn in 0..ways {
            let way = &w.paths[w.alternatives.at_turn(path, turn) as usize];
            let sides = [(way.outbound, Side::Channel), (way.inbound, Side::ControlUnit)];
            let [out, back] = sides.map(|(route, side)| {
                let mut there = Span::ZERO;
                for hop in &w.hops[route.range()] {
                    let link = &c.links[hop.link as usize];
                    let fill = u64::from(self.plan.frames(side)) * u64::from(link.fill_bytes);
                    let time = for_bytes(self.plan.wire_bytes(side) + fill, link.bytes_per_s);
                    self.add(Station::Link(hop.link), time / u64::from(ways));
                    there += link.propagation + link.forward_latency;
                }
                let is_encrypted = w.is_encrypted(way);
                there + if is_encrypted { w.engine_time } else { Span::ZERO }
            });
            light = light.max(crossings(self.plan, out, back));
        }
        self.light_s = light.as_s_f64();
    }

    /// Adds the clusters and the staging of the box.
    fn storage(&mut self, w: &Wiring) {
        let c = &w.configuration;
        let port = &c.ports[self.wire.port as usize];
        // Every port of a box stands for it by the first of them.
        let first = c.ports.iter().position(|one| one.control_unit == port.control_unit).unwrap_or(0) as u32;
        self.add(Station::Clusters(first), port.hardware.box_io);
        if self.plan.inbound.iter().any(|step| step.delay == Delay::Staging) {
            self.add(Station::Staging(first), port.hardware.miss);
        }
    }

    /// Returns the tokens that it holds.
    fn pools(&self) -> impl Iterator<Item = Station> + use<> {
        let (channel, port) = (self.wire.channel, self.wire.port);
        let command =
            (self.protocol == Protocol::Command).then_some(Station::ChannelExchangesCommand(channel));
        [Station::ChannelExchanges(channel), Station::PortExchanges(port)].into_iter().chain(command)
    }

    /// Returns the shortest time that it can take: light, or the station that has most to do for it. Parts of it may
    /// overlap.
    fn at_least_s(&self) -> f64 {
        self.stations.values().copied().fold(self.light_s, f64::max)
    }

    /// Returns the longest time that it spends on no station: light, and the control unit's own times, nothing overlapping.
    fn delay_at_most_s(&self, w: &Wiring) -> f64 {
        let unit = &w.configuration.ports[self.wire.port as usize].hardware;
        let cached = for_bytes(self.plan.data_bytes(), unit.cache_bytes_per_s);
        self.light_s + (unit.dispatch + unit.hit + unit.write + cached).as_s_f64()
    }
}

/// Returns the time of light in the longest chain of information units that wait for one another until the last has come to
/// the channel. It is `out` one way and `back` the other.
fn crossings(plan: &Plan, out: Span, back: Span) -> Span {
    // When the steps of each direction so far have come, the channel's and the control unit's.
    let (mut sent, mut answered) = (Vec::new(), Vec::new());
    let came = |arrivals: &[Span], count: u16| match usize::from(count).checked_sub(1) {
        Some(last) => arrivals.get(last).copied(),
        None => Some(Span::ZERO),
    };
    while sent.len() < plan.outbound.len() || answered.len() < plan.inbound.len() {
        let before = sent.len() + answered.len();
        advance(&plan.outbound, &mut sent, |count| came(&answered, count), out);
        advance(&plan.inbound, &mut answered, |count| came(&sent, count), back);
        if before == sent.len() + answered.len() {
            break;
        }
    }
    answered.last().copied().unwrap_or(Span::ZERO)
}

/// Lets steps arrive as long as `came` gives the time when their predecessors have come.
fn advance(steps: &[Step], arrivals: &mut Vec<Span>, came: impl Fn(u16) -> Option<Span>, light: Span) {
    while let Some(at) = steps.get(arrivals.len()).and_then(|step| came(step.after_received)) {
        let behind = arrivals.last().copied().unwrap_or(Span::ZERO);
        arrivals.push((at + light).max(behind));
    }
}

#[cfg(test)]
mod tests;
