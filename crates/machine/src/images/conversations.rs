//! Conversations between partitions. Connections, ports and processors are those of the crate `smcr_twin`; here they have the clock
//! of the run.

use halftrack_base::{Span, Time};
use halftrack_config::{Configuration, Disturbance, DisturbanceKind, RoceFunction};
use halftrack_engine::Sequencer;
use halftrack_record::{CheckerReport, ConversationInterval, FunctionCondition, StationInterval};
use halftrack_smcr_twin::{Network, NetworkEvent};
use halftrack_zedc::FunctionState;
use halftrack_zedc_twin::shown_state;

use super::{Images, Outside};
use crate::events::event::ImageEvent;
use crate::laws::conversation;
use crate::laws::law::Law;
use crate::wiring::{ComponentKind, Wiring};

/// Outage of functions: an update of firmware, or an adapter that is pulled.
#[derive(Debug)]
struct Outage {
    /// The adapter is pulled; else its firmware is updated.
    is_pulled: bool,
    functions: Vec<u32>,
    at: Time,
    ends: Time,
    /// It has begun, and not ended.
    is_under_way: bool,
}

impl Outage {
    /// Returns the outage that a disturbance is for RoCE functions; `None` for any other disturbance.
    fn new(functions: &[RoceFunction], disturbance: &Disturbance) -> Option<Self> {
        let is_out = |one: &RoceFunction| match disturbance.kind {
            DisturbanceKind::FirmwareUpdate { cpc, group } => Some((one.cpc, one.group) == (cpc, group)),
            DisturbanceKind::AdapterPulled { cpc, pchid } => Some((one.cpc, one.pchid) == (cpc, pchid)),
            _ => None,
        };
        let out = (0..).zip(functions).filter(|(_, one)| is_out(one) == Some(true));
        let functions: Vec<u32> = out.map(|(index, _)| index).collect();
        let is_pulled = matches!(disturbance.kind, DisturbanceKind::AdapterPulled { .. });
        let at = Time::ZERO + disturbance.at;
        (!functions.is_empty()).then(|| Self {
            is_pulled,
            functions,
            at,
            ends: at + disturbance.lasts,
            is_under_way: false,
        })
    }
}

/// Network in a run.
#[derive(Debug)]
pub(super) struct Conversations {
    network: Network,
    outages: Vec<Outage>,
    /// Functions over which a conversation of their partition may go.
    is_allocated: Vec<bool>,
    sequencer: Sequencer,
    /// How long each port had been busy when the interval began, and its chunks until then.
    ports_before: Vec<(Span, u64)>,
    /// How long the processors of each host had worked until then.
    hosts_before: Vec<Span>,
}

impl Conversations {
    /// Makes the network at the beginning of a run; `None` where no partition talks, and no function has an outage.
    pub(super) fn new(w: &Wiring) -> Option<Box<Self>> {
        let of = &w.configuration.conversations;
        let outage = |one: &Disturbance| Outage::new(&of.functions, one);
        let outages: Vec<Outage> = w.configuration.disturbances.iter().filter_map(outage).collect();
        if of.each.is_empty() && outages.is_empty() {
            return None;
        }
        let mut is_allocated = vec![false; of.functions.len()];
        let routes = of.plan.conversations.iter().flat_map(|one| &one.paths).flat_map(|path| &path.routes);
        for function in routes.flat_map(|route| route.ends).filter_map(|end| end.function) {
            is_allocated[function as usize] = true;
        }
        Some(Box::new(Self {
            network: Network::new(&of.plan),
            outages,
            is_allocated,
            sequencer: w.sequencer(ComponentKind::Conversation, 0),
            ports_before: vec![(Span::ZERO, 0); of.ports.len()],
            hosts_before: vec![Span::ZERO; of.hosts.len()],
        }))
    }

    /// Puts the beginning of every connection and the outages into the event set; `condition` orders what changes at an instant
    /// before anything else.
    pub(super) fn begin(&mut self, outside: &mut impl Outside, condition: &mut Sequencer) {
        let Self { network, outages, sequencer, .. } = self;
        network.begin(|at, event| push(outside, sequencer, at, event));
        for (index, outage) in (0..).zip(outages.iter()) {
            for (at, begins) in [(outage.at, true), (outage.ends, false)] {
                outside.push(at, condition.next(), ImageEvent::FunctionOutage { index, begins });
            }
        }
    }

    fn handle(&mut self, outside: &mut impl Outside, now: Time, event: NetworkEvent) {
        let Self { network, sequencer, .. } = self;
        network.handle(now, event, &mut |at, event| push(outside, sequencer, at, event));
    }

    fn on_outage(&mut self, outside: &mut impl Outside, now: Time, index: u32, begins: bool) {
        let Self { network, outages, sequencer, .. } = self;
        let outage = &mut outages[index as usize];
        outage.is_under_way = begins;
        for function in &outage.functions {
            if begins {
                network.lose(now, *function, &mut |at, event| push(outside, sequencer, at, event));
            } else {
                network.restore(*function);
            }
        }
    }

    /// Returns the states of the RoCE functions now. What is pulled stands by, whatever is done with its resource group.
    pub(super) fn function_conditions(&self, c: &Configuration) -> Vec<FunctionCondition> {
        let condition = |(index, function): (usize, &RoceFunction)| {
            let is_out = |one: &&Outage| one.is_under_way && one.functions.contains(&(index as u32));
            let mut outages = self.outages.iter().filter(is_out).map(|one| one.is_pulled).peekable();
            let state = match (outages.peek().is_some(), self.is_allocated[index]) {
                (true, _) if outages.any(|is_pulled| is_pulled) => shown_state(None),
                (true, _) => shown_state(Some(FunctionState::InUpdate)),
                (false, true) => shown_state(Some(FunctionState::Allocated)),
                (false, false) => shown_state(Some(FunctionState::Configured)),
            };
            FunctionCondition { cpc: function.cpc, pfid: function.pfid, state }
        };
        c.conversations.functions.iter().enumerate().map(condition).collect()
    }

    /// Collects conversations since the last collection, and each port and the processors of each host as stations.
    fn collect(&mut self, c: &Configuration, now: Time) -> (Vec<ConversationInterval>, Vec<StationInterval>) {
        let conversations = self.collect_each(c);
        let stations = self.collect_ports(c, now).into_iter().chain(self.collect_hosts(c, now)).collect();
        (conversations, stations)
    }

    fn collect_each(&mut self, c: &Configuration) -> Vec<ConversationInterval> {
        let of = &c.conversations;
        let conversation = |(index, plan): (usize, &halftrack_config::Conversation)| {
            let counts = self.network.collect(index);
            let [client, server] = plan.lpars.map(|lpar| c.lpars[lpar as usize].name.clone());
            ConversationInterval {
                name: plan.name.clone(),
                client,
                server,
                path: plan.path.name().to_owned(),
                fallback: plan.fallback.clone(),
                network: plan.network.clone(),
                connections: self.network.standing(index),
                fallen_back: self.network.fallen_back(index),
                started: counts.started,
                exchanges: counts.exchanges,
                broken: counts.broken,
                latency_ps: counts.latency.as_ps(),
                latency_max_ps: counts.latency_max.as_ps(),
                bytes: counts.bytes,
                client_ps: counts.work[0].as_ps(),
                server_ps: counts.work[1].as_ps(),
                moves: counts.moves,
                resent_bytes: counts.resent_bytes,
            }
        };
        of.each.iter().enumerate().map(conversation).collect()
    }

    fn collect_ports(&mut self, c: &Configuration, now: Time) -> Vec<StationInterval> {
        let station = |((index, before), name): ((usize, &mut (Span, u64)), &String)| {
            let [out, into] = self.network.port_busy(index, now);
            let after = (out + into, self.network.port_chunks(index));
            let (busy, chunks) = std::mem::replace(before, after);
            let (busy_ps, completions) = ((after.0 - busy).as_ps(), after.1 - chunks);
            StationInterval { name: name.clone(), servers: 2, busy_ps, completions }
        };
        self.ports_before.iter_mut().enumerate().zip(&c.conversations.ports).map(station).collect()
    }

    fn collect_hosts(&mut self, c: &Configuration, now: Time) -> Vec<StationInterval> {
        let of = &c.conversations;
        let station = |(index, before): (usize, &mut Span)| {
            let busy = self.network.host_busy(index, now);
            let busy_ps = (busy - std::mem::replace(before, busy)).as_ps();
            let name = format!("sockets {}", c.lpars[of.hosts[index] as usize].name);
            StationInterval { name, servers: of.plan.hosts[index], busy_ps, completions: 0 }
        };
        self.hosts_before.iter_mut().enumerate().map(station).collect()
    }
}

fn push(outside: &mut impl Outside, sequencer: &mut Sequencer, at: Time, event: NetworkEvent) {
    let NetworkEvent { connection, moves, step } = event;
    outside.push(at, sequencer.next(), ImageEvent::Conversation { connection, moves, step });
}

impl Images {
    /// Handles a step of a connection.
    #[inline(never)]
    pub(super) fn on_conversation(&mut self, outside: &mut impl Outside, now: Time, event: NetworkEvent) {
        if let Some(conversations) = &mut self.conversations {
            conversations.handle(outside, now, event);
        }
    }

    /// Begins or ends the outage `index` of RoCE functions.
    #[inline(never)]
    pub(super) fn on_function_outage(
        &mut self,
        outside: &mut impl Outside,
        now: Time,
        index: u32,
        begins: bool,
    ) {
        if let Some(conversations) = &mut self.conversations {
            conversations.on_outage(outside, now, index, begins);
        }
    }

    /// Collects conversations since the last collection, and each port as a station.
    pub(crate) fn collect_conversations(
        &mut self,
        c: &Configuration,
        now: Time,
    ) -> (Vec<ConversationInterval>, Vec<StationInterval>) {
        let conversations = self.conversations.as_mut();
        conversations.map(|conversations| conversations.collect(c, now)).unwrap_or_default()
    }

    /// Applies the law of exchanges to the whole run so far; `None` where there are none.
    pub(crate) fn check_conversations(&self, c: &Configuration) -> Option<CheckerReport> {
        let network = &self.conversations.as_ref().filter(|_| !c.conversations.each.is_empty())?.network;
        let mut law =
            Law::new("every exchange and octet of a conversation ends, is broken, or is in progress");
        for (index, one) in c.conversations.each.iter().enumerate() {
            conversation::check(&mut law, &one.name, network.exchanges(index));
        }
        Some(law.report())
    }
}
