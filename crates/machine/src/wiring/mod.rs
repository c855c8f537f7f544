//! The one place where a Configuration becomes a machine: routes, plans with their chunks and prices, owners of links, ranks,
//! demands, and the options of the run.
//!
//! Everything here is made once and does not change in a run; state is in the rooms that use it.

mod ahead;
pub(crate) mod alternatives;
pub(crate) mod circuit_routes;
pub(crate) mod credit_reach;
pub(crate) mod data_layout;
pub(crate) mod demands;
pub(crate) mod departures;
pub(crate) mod encryption;
pub(crate) mod error;
pub(crate) mod express_plans;
pub(crate) mod lanes;
pub(crate) mod latency;
pub(crate) mod load;
pub(crate) mod logins;
pub(crate) mod lossy_links;
pub(crate) mod lost_steps;
pub(crate) mod offered;
pub(crate) mod options;
pub(crate) mod parts;
pub(crate) mod path_wire;
mod plan_class;
pub(crate) mod pricing;
pub(crate) mod programs;
pub(crate) mod route;
pub(crate) mod sequence_reference;
pub(crate) mod service;
pub(crate) mod stream_programs;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use halftrack_base::{Span, Time};
use halftrack_config::{Arrivals, Configuration, Lcu, Stream, Subsystem};
use halftrack_engine::{Rank, Sequencer};
use halftrack_exchange::plan::frame_payload_bytes;
use halftrack_exchange::{Plan, PlanId, PlanKey, Plans};
use halftrack_fabric::endpoint_security::Protection;
use halftrack_program::{Operation, Protocol};

use self::encryption::PathEncryption;
use self::error::WiringError;
use self::plan_class::{PathClass, group_facts, occurs, protocol};
use crate::wiring::alternatives::Alternatives;
use crate::wiring::circuit_routes::CircuitRoutes;
use crate::wiring::credit_reach::{CreditReach, Travels};
use crate::wiring::data_layout::DataLayout;
use crate::wiring::departures::Departures;
use crate::wiring::express_plans::ExpressPlans;
use crate::wiring::lanes::Lanes;
use crate::wiring::logins::Logins;
use crate::wiring::options::{ExchangeMode, Options};
use crate::wiring::parts::SlowDrains;
use crate::wiring::path_wire::{GroupWire, PathWire};
use crate::wiring::pricing::{Costs, Tariff};
use crate::wiring::route::{FarEnd, Hop, Route, Routes, Travel, travels_frame_by_frame};
use crate::wiring::sequence_reference::reference_of;
use crate::wiring::service::Service;
use crate::wiring::stream_programs::{StreamProgram, StreamPrograms};

/// Everything about the machine that does not change in a run.
#[derive(Debug)]
pub(crate) struct Wiring {
    pub configuration: Arc<Configuration>,
    pub options: Options,
    pub plans: Plans,
    /// Departures from the ends that follow a plan.
    pub departures: Departures,
    /// The plans that take the express lane.
    pub express: ExpressPlans,
    /// Costs of those at either end.
    pub costs: Costs,
    /// How service times vary.
    pub service: Service,
    /// By channel: the time of an information unit by which its utilisation is estimated; zero where it is measured.
    pub references: Vec<Span>,
    /// The paths of all groups, and behind them their other routes.
    pub paths: Vec<PathWire>,
    /// Encryption of the paths of groups.
    pub encryptions: Vec<PathEncryption>,
    /// Time that a frame of an encrypted path is later at its end.
    pub engine_time: Span,
    /// The machine is so large that it pays to fetch what events to come will touch.
    pub fetches_ahead: bool,
    /// Which of them have several routes.
    pub alternatives: Alternatives,
    /// Lanes of channel-to-channel devices.
    pub lanes: Lanes,
    /// The hops of all routes.
    pub hops: Vec<Hop>,
    /// The ports that circuits hold.
    pub circuits: CircuitRoutes,
    /// Path groups by channel subsystem and logical control unit.
    pub groups: BTreeMap<(Subsystem, u32), GroupWire>,
    /// The host's process owns the transmitter: the channel's own, and any fed by one such link alone.
    pub host_owns: Vec<bool>,
    /// By link: it loses frames, in the whole run or for a while.
    pub is_lossy: Vec<bool>,
    /// Needs of credits, by link.
    pub reach: CreditReach,
    /// Receivers that give credits back late for a time.
    pub slow_drains: SlowDrains,
    /// Some stream names tracks, which control units look up.
    pub draws_tracks: bool,
    /// Where the records of a run with real data lie.
    pub data: Option<Arc<DataLayout>>,
    /// The programs of all streams.
    pub programs: StreamPrograms,
    /// Logins over the paths of FCP.
    pub logins: Logins,
    plan_table: Vec<(PlanId, Protocol)>,
    classes: usize,
}

/// Plans of one stream on one class of path: operation × hit × remembered pacing.
const VARIANTS: usize = 8;

fn variant(operation: Operation, hit: bool, paced: bool) -> usize {
    usize::from(operation == Operation::UpdateWrite) * 4 + usize::from(hit) * 2 + usize::from(paced)
}

/// Checks that channels and streams can be numbered in 16 bits.
fn countable(configuration: &Configuration) -> Result<(), WiringError> {
    for (what, count) in
        [("channels", configuration.channels.len()), ("streams", configuration.streams.len())]
    {
        if count > usize::from(u16::MAX) {
            return Err(WiringError::TooMany { what, count });
        }
    }
    Ok(())
}

impl Wiring {
    /// Wires `configuration`.
    pub(crate) fn new(configuration: Arc<Configuration>, options: Options) -> Result<Self, WiringError> {
        countable(&configuration)?;
        let draws_tracks = configuration.streams.iter().any(names_tracks);
        let real_data = configuration.run.real_data;
        let mut classes = BTreeMap::new();
        let (mut paths, mut groups, mut encryptions) = (Vec::new(), BTreeMap::new(), Vec::new());
        let may_change = encryption::may_change(&configuration);
        for (lcu_index, lcu) in configuration.lcus.iter().enumerate() {
            for group in &lcu.path_groups {
                let first_path = paths.len() as u32;
                let facts = group_facts(&configuration, lcu, group.subsystem());
                for (position, path) in group.paths.iter().enumerate() {
                    let channel = &configuration.channels[path.channel as usize];
                    let port = &configuration.ports[path.port as usize];
                    let mut class_of = |is_encrypted: bool| {
                        let security = configuration.endpoint_security.filter(|_| is_encrypted);
                        let next = classes.len() as u32;
                        *classes.entry(PathClass::new((channel, port), security, facts)).or_insert(next)
                    };
                    let at_start = encryption::is_encrypted(&configuration, path);
                    let place = (lcu_index as u32, position as u8, class_of(at_start));
                    paths.push(PathWire::new(&configuration, path, place));
                    let may_change = may_change && path.security.attainable == Protection::Encrypted;
                    let other_class = may_change.then(|| class_of(!at_start));
                    encryptions.push(PathEncryption { at_start, other_class });
                }
                let wire = GroupWire { first_path, paths: group.paths.len() as u32 };
                groups.insert((group.subsystem(), lcu_index as u32), wire);
            }
        }
        let data =
            real_data.then(|| DataLayout::new(&configuration, options.seed)).transpose()?.map(Arc::new);
        let references = configuration.channels.iter().map(reference_of).collect::<Result<_, _>>()?;
        let mut wiring = Self {
            plans: Plans::default(),
            departures: Departures::default(),
            express: ExpressPlans::default(),
            costs: Costs::default(),
            service: Service::new(&configuration.service, &options),
            references,
            paths,
            encryptions,
            engine_time: encryption::engine_time(&configuration),
            fetches_ahead: ahead::is_worth(&configuration),
            alternatives: Alternatives::default(),
            circuits: CircuitRoutes::default(),
            lanes: Lanes::default(),
            hops: Vec::new(),
            groups,
            host_owns: Vec::new(),
            is_lossy: Vec::new(),
            reach: CreditReach::default(),
            slow_drains: SlowDrains::new(&configuration),
            draws_tracks,
            data,
            programs: StreamPrograms::new(&configuration),
            logins: Logins::new(&configuration),
            plan_table: Vec::new(),
            classes: classes.len(),
            configuration,
            options,
        };
        wiring.record_plans(&classes)?;
        wiring.reach = wiring.travels().reach(&wiring.configuration);
        wiring.lay_routes();
        wiring.departures = Departures::new(&wiring.plans);
        wiring.express = ExpressPlans::new(&wiring.plans, &wiring.departures);
        wiring.costs = Costs::new(&wiring.configuration, &wiring.plans, &wiring.departures);
        Ok(wiring)
    }

    /// Lays the routes of all paths: frame by frame where credits can bind.
    fn lay_routes(&mut self) {
        let (configuration, options) = (Arc::clone(&self.configuration), self.options);
        let is_express =
            !self.draws_tracks && !configuration.run.real_data && options.exchange == ExchangeMode::Planned;
        let mut routes = Routes::default();
        let drains_slowly = |links: &[u32]| links.iter().any(|link| self.slow_drains.are_of(*link));
        let single = |out: &[u32], back: &[u32]| {
            travels_frame_by_frame(options, &self.reach, out, back)
                || drains_slowly(out)
                || drains_slowly(back)
        };
        let groups = configuration.lcus.iter().flat_map(|lcu| &lcu.path_groups);
        let each = self.paths.iter_mut().zip(&self.encryptions).zip(groups.flat_map(|group| &group.paths));
        for ((wire, encryption), path) in each {
            let travel = Travel::new(single(&path.outbound, &path.inbound), encryption.at_start);
            wire.lay((&path.outbound, &path.inbound), travel, &mut routes);
        }
        self.alternatives =
            Alternatives::lay(&configuration, &self.encryptions, single, &mut self.paths, &mut routes);
        self.lanes = Lanes::lay(&configuration, &mut routes);
        self.hops = routes.hops;
        self.host_owns = route::host_owned_links(&configuration, &self.paths, &self.lanes, &self.hops);
        route::resolve(&mut self.hops, &self.host_owns, &configuration);
        self.is_lossy = lossy_links::find(&configuration, &self.paths, &self.hops);
        lossy_links::mark(&self.is_lossy, &mut self.paths, &self.lanes, &mut self.hops);
        route::find_express(&mut self.paths, &self.hops, &self.host_owns, &configuration, is_express);
        self.circuits = CircuitRoutes::new(&configuration, &self.paths, &self.lanes, &self.hops);
    }

    /// Adds up what the streams put on the links of their paths. Circuits take no credits.
    fn travels(&self) -> Travels {
        let c = &self.configuration;
        let mut travels = Travels::default();
        for (index, stream) in c.streams.iter().enumerate() {
            let subsystem = c.lpars[stream.lpar as usize].subsystem();
            let lcus: BTreeSet<u32> =
                stream.devices.iter().map(|device| c.devices[*device as usize].lcu).collect();
            let mut known = BTreeMap::new();
            for (lcu, group) in
                lcus.into_iter().filter_map(|lcu| Some((lcu, self.groups.get(&(subsystem, lcu))?)))
            {
                let groups = c.lcus[lcu as usize].path_groups.iter();
                let paths =
                    groups.filter(|group| group.subsystem() == subsystem).flat_map(|group| &group.paths);
                for (wire, path) in self.paths[group.first_path as usize..].iter().zip(paths) {
                    if wire.is_circuit {
                        continue;
                    }
                    let programs = *known.entry((wire.class, wire.channel)).or_insert_with(|| {
                        let tariffs = Tariff::of_channel(&c.channels[wire.channel as usize].hardware);
                        travels.add_programs(self.plans_on(index, wire.class as usize), &tariffs)
                    });
                    travels.add_path(c, path, index as u32, programs);
                }
            }
        }
        travels
    }

    /// Iterates over the plans that the I/Os of stream `index` have on paths of `class`.
    fn plans_on(&self, index: usize, class: usize) -> impl Iterator<Item = &Plan> {
        let stream = &self.configuration.streams[index];
        self.programs.of(index).flat_map(move |program| {
            let variants = (0..VARIANTS).filter(move |variant| {
                let (write, hit) = (variant & 4 != 0, variant & 2 != 0);
                occurs(stream, write, hit) && self.programs.all()[program].shape(write).is_some()
            });
            variants.map(move |variant| {
                &self.plans[self.plan_table[(program * self.classes + class) * VARIANTS + variant].0]
            })
        })
    }

    /// Returns the plan for one I/O of `program` of a stream over `path`, and its protocol.
    #[inline]
    pub(crate) fn plan(
        &self,
        program: u32,
        path: &PathWire,
        operation: Operation,
        hit: bool,
        paced: bool,
    ) -> (PlanId, Protocol) {
        let class = path.class as usize;
        self.plan_table[(program as usize * self.classes + class) * VARIANTS + variant(operation, hit, paced)]
    }

    /// Returns the plans that the I/Os of a stream can have on logical paths whose pacing window is remembered.
    pub(crate) fn plans_of(&self, stream: u32) -> Vec<&Plan> {
        let programs = self.programs.of(stream as usize);
        let of = &self.configuration.streams[stream as usize];
        (programs.start * self.classes * VARIANTS..programs.end * self.classes * VARIANTS)
            .filter(|at| {
                let (class, index) = (at / VARIANTS % self.classes, at % VARIANTS);
                let program = &self.programs.all()[at / VARIANTS / self.classes];
                let has_shape = program.shape(index & 4 != 0).is_some();
                index & 1 != 0 && has_shape && self.uses(&self.configuration, of, class as u32, index)
            })
            .map(|at| &self.plans[self.plan_table[at].0])
            .collect()
    }

    /// Returns true when the frames of `path`, a path of a group or another route, are encrypted.
    pub(crate) fn is_encrypted(&self, path: &PathWire) -> bool {
        self.hops[path.outbound.last() as usize].far_end == FarEnd::Decryption
    }

    /// Returns the link at the end of `route`.
    pub(crate) fn last_link(&self, route: Route) -> u32 {
        self.hops[route.range().end - 1].link
    }

    /// Returns when the sender of `link` has the credit back of a buffer that is free at `freed`: `least` later at least.
    #[inline(always)]
    pub(crate) fn credit_back_at(&self, link: u32, freed: Time, least: Span) -> Time {
        self.slow_drains.given_back(link, freed) + self.slow_drains.propagation(link).max(least)
    }

    /// Makes a sequencer for component `index` of `kind`: ranks follow the canonical order of the Configuration.
    pub(crate) fn sequencer(&self, kind: ComponentKind, index: usize) -> Sequencer {
        Sequencer::new(self.rank(kind, index))
    }

    /// Makes the sequencer for the work of the channel subsystem for component `index` of `kind`, whose own is elsewhere.
    pub(crate) fn second_sequencer(&self, kind: ComponentKind, index: usize) -> Sequencer {
        Sequencer::of_second_part(self.rank(kind, index))
    }

    fn rank(&self, kind: ComponentKind, index: usize) -> Rank {
        let c = &self.configuration;
        let counts = [
            c.streams.len(),
            c.lpars.len(),
            c.cpcs.len(),
            c.channels.len(),
            c.links.len(),
            c.ports.len(),
            c.lcus.len(),
            c.eadm.len(),
            c.islinks.len(),
            c.compression.work.len() + c.compression.machines.len(),
        ];
        let before: usize = counts[..kind as usize].iter().sum();
        // Rank 0 is the run itself: disturbances.
        Rank::from_position((1 + before + index) as u32)
    }

    fn record_plans(&mut self, classes: &BTreeMap<PathClass, u32>) -> Result<(), WiringError> {
        let configuration = Arc::clone(&self.configuration);
        let mut by_number: Vec<_> = classes.iter().map(|(class, number)| (*number, *class)).collect();
        by_number.sort_unstable_by_key(|(number, _)| *number);
        for program in self.programs.all().to_vec() {
            for (number, class) in &by_number {
                for index in 0..VARIANTS {
                    let id = self.record_plan(&configuration, &program, *number, class, index)?;
                    let protocol = self.plans.get(id).map_or(Protocol::Command, |plan| plan.key.protocol);
                    self.plan_table.push((id, protocol));
                }
            }
        }
        Ok(())
    }

    /// Returns true when `stream` has I/Os of variant `index` and a path of the class.
    fn uses(&self, configuration: &Configuration, stream: &Stream, class_number: u32, index: usize) -> bool {
        let (write, hit) = (index & 4 != 0, index & 2 != 0);
        occurs(stream, write, hit)
            && stream.devices.iter().any(|device| {
                let lcu = configuration.devices[*device as usize].lcu;
                let subsystem = configuration.lpars[stream.lpar as usize].subsystem();
                self.groups.get(&(subsystem, lcu)).is_some_and(|group| {
                    let range = group.first_path as usize..(group.first_path + group.paths) as usize;
                    let is_other = |one: &PathEncryption| one.other_class == Some(class_number);
                    self.paths[range.clone()].iter().any(|path| path.class == class_number)
                        || self.encryptions[range].iter().any(is_other)
                })
            })
    }

    fn record_plan(
        &mut self,
        configuration: &Configuration,
        program: &StreamProgram,
        class_number: u32,
        class: &PathClass,
        index: usize,
    ) -> Result<PlanId, WiringError> {
        let stream = &configuration.streams[program.stream as usize];
        let (write, hit) = (index & 4 != 0, index & 2 != 0);
        let used = self.uses(configuration, stream, class_number, index);
        let Some(shape) = program.shape(write).filter(|_| used) else { return Ok(PlanId::default()) };
        let protocol = protocol(configuration, stream, &shape, class)?;
        let mut login = class.login;
        login.frame_payload_bytes =
            frame_payload_bytes(protocol, class.receive_bytes, login.frame_payload_bytes);
        if index & 1 != 0 && login.granted_pacing != 0 && class.remembers_pacing {
            // The window that the control unit granted on this logical path.
            login.initial_pacing = login.granted_pacing;
        }
        let key = PlanKey { shape, protocol, hit, login };
        self.plans.record(key).map_err(|source| WiringError::Program {
            stream: stream.name.clone(),
            shape,
            source,
        })
    }
}

/// Returns the number of `lcu` in the deck of the machine of `subsystem`.
pub(crate) fn lcu_number(lcu: &Lcu, subsystem: Subsystem) -> u16 {
    let group = lcu.path_groups.iter().find(|group| group.subsystem() == subsystem);
    group.map_or(lcu.number, |group| group.number)
}

/// Returns true when control units look up the tracks of the stream.
fn names_tracks(stream: &Stream) -> bool {
    stream.locality.is_some() || matches!(&stream.arrivals, Arrivals::Traced(trace) if trace.looked_up)
}

/// Kinds of component in the order of their ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ComponentKind {
    Stream = 0,
    Lpar = 1,
    Iop = 2,
    Channel = 3,
    Link = 4,
    Port = 5,
    Lcu = 6,
    Eadm = 7,
    IsLink = 8,
    Compression = 9,
    Conversation = 10,
}
