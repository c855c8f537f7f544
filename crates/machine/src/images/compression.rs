//! Compression by zEDC Express cards. The cards, their queues and services are those of the crate `zedc`; here they have the
//! clock of the run.
//!
//! ```text
//! request ─► a card of the partition takes it ─► slices ─► end
//!    └────────► none does: software of the partition
//! ```

use std::collections::BTreeMap;

use halftrack_base::{Span, Time};
use halftrack_config::{CardMachine, CompressionWork, Configuration, Cpc, DisturbanceKind};
use halftrack_engine::Sequencer;
use halftrack_record::{
    CheckerReport, CompressionFunctionInterval, CompressionInterval, FunctionCondition, StationInterval,
};
use halftrack_zedc::{CardId, Counters, FunctionState, RequestId, ResourceGroup};
use halftrack_zedc_twin::{CardWork, Installation, Place, PlacedFunction, counted_since, shown_state};

use super::compressed_stream::Waiting;
use super::compression_flow::CompressionFlow;
use super::{Images, Outside};
use crate::events::event::ImageEvent;
use crate::events::slab::Slab;
use crate::laws::law::Law;
use crate::wiring::{ComponentKind, Wiring};

/// Request on a card.
#[derive(Debug, Clone, Copy)]
struct UnderWay {
    begun: Time,
    bytes: u32,
    /// Slot of the job that goes on behind it.
    behind: Option<u32>,
}

/// Cards of a machine in a run.
#[derive(Debug)]
struct Machine {
    cpc: u8,
    cards: CardWork,
    /// Flow of each client.
    flows: Vec<u32>,
    under_way: BTreeMap<(u32, RequestId), UnderWay>,
    /// Counts of each function when the interval began.
    before: Vec<Counters>,
    /// Each card with a function, by its physical channel, and how long it had worked when the interval began.
    busy_before: Vec<(u16, CardId, Span)>,
    sequencer: Sequencer,
}

impl Machine {
    fn new(w: &Wiring, index: usize, of: &CardMachine) -> Self {
        let c = &w.configuration;
        let is_own = |lpar: u32| c.lpars[lpar as usize].cpc == of.cpc;
        let own = c.compression.work.iter().enumerate().filter(|(_, work)| is_own(work.lpar));
        let lpar = |work: &CompressionWork| c.lpars[work.lpar as usize].name.as_str();
        let clients = own.clone().map(|(_, work)| (lpar(work), work.request.ratio));
        let cards = CardWork::new(Installation::of(&of.plan), of.speed, clients);
        Self {
            cpc: of.cpc,
            before: vec![Counters::default(); cards.functions().len()],
            busy_before: cards_with_functions(&cards),
            cards,
            flows: own.map(|(flow, _)| flow as u32).collect(),
            under_way: BTreeMap::new(),
            sequencer: w.sequencer(ComponentKind::Compression, c.compression.work.len() + index),
        }
    }

    /// Returns the card at a physical channel, if it has functions.
    fn card_at(&self, pchid: u16) -> Option<CardId> {
        self.busy_before.iter().find(|(known, ..)| *known == pchid).map(|(_, card, _)| *card)
    }

    /// Collects function `index` since the last collection, an interval of `length`.
    fn collect(&mut self, index: usize, length: Span) -> CompressionFunctionInterval {
        let function: &PlacedFunction = &self.cards.functions()[index];
        let now = self.cards.counters(function);
        let counted = counted_since(&now, &self.before[index]);
        let (group, state) = self.cards.condition(function).unzip();
        let is_allocated = !matches!(state, None | Some(FunctionState::Configured));
        let collected = CompressionFunctionInterval {
            cpc: self.cpc,
            pfid: function.fid,
            pchid: function.pchid,
            vf: function.vf,
            resource_group: group.map(|group| group.to_string()),
            lpar: function.partition.clone(),
            state: shown_state(state).to_owned(),
            allocated_ps: if is_allocated { length.as_ps() } else { 0 },
            requests: counted.requests,
            queue_ps: counted.queue_time.as_ps(),
            execution_ps: counted.execution_time.as_ps(),
            read_bytes: counted.deflate_in_bytes + counted.inflate_in_bytes,
            written_bytes: counted.deflate_out_bytes + counted.inflate_out_bytes,
        };
        self.before[index] = now;
        collected
    }

    /// Collects the cards since the last collection; `functions` are theirs.
    fn collect_cards(
        &mut self,
        cpc: &str,
        now: Time,
        functions: &[CompressionFunctionInterval],
    ) -> Vec<StationInterval> {
        let collect = |(pchid, card, before): &mut (u16, CardId, Span)| {
            let busy = self.cards.busy(*card, now);
            let own = functions.iter().filter(|one| one.pchid == Some(*pchid));
            StationInterval {
                name: format!("compression card {cpc}{pchid:03X}"),
                servers: 1,
                busy_ps: (busy - std::mem::replace(before, busy)).as_ps(),
                completions: own.map(|one| one.requests).sum(),
            }
        };
        self.busy_before.iter_mut().map(collect).collect()
    }
}

/// Returns the cards with functions, by physical channel, before they have worked.
fn cards_with_functions(cards: &CardWork) -> Vec<(u16, CardId, Span)> {
    let place = |one: &PlacedFunction| match one.place {
        Place::Card(place) => Some((one.pchid?, place.card, Span::ZERO)),
        Place::StandBy => None,
    };
    let mut found: Vec<_> = cards.functions().iter().filter_map(place).collect();
    found.sort_unstable_by_key(|(pchid, ..)| *pchid);
    found.dedup_by_key(|(pchid, ..)| *pchid);
    found
}

/// Outage of cards in a run.
#[derive(Debug, Clone, Copy)]
struct Outage {
    /// Index among the machines with cards.
    machine: u32,
    of: Cards,
    at: Time,
    ends: Time,
}

/// Cards that do nothing in an outage.
#[derive(Debug, Clone, Copy)]
enum Cards {
    /// Cards of a resource group, whose firmware is updated.
    Group(ResourceGroup),
    /// A card that is pulled.
    Pulled(CardId),
}

/// Cards of all machines and the programs that they serve.
#[derive(Debug)]
pub(super) struct Compression {
    machines: Vec<Machine>,
    flows: Vec<CompressionFlow>,
    outages: Vec<Outage>,
    /// Jobs whose data are with a card, or in software.
    pub(super) waiting: Slab<Waiting>,
    /// Flow, time and slot of the jobs that go on behind a request that has ended.
    ended: Vec<(u32, Time, u32)>,
    /// When the interval began.
    collected: Time,
}

impl Compression {
    /// Makes the cards at the beginning of a run; `None` where nothing is compressed.
    pub(super) fn new(w: &Wiring) -> Option<Box<Self>> {
        let c = &w.configuration;
        if c.compression.work.is_empty() {
            return None;
        }
        let machines = c.compression.machines.iter().enumerate();
        let machines: Vec<Machine> = machines.map(|(index, of)| Machine::new(w, index, of)).collect();
        let place = |flow: usize| {
            let of = machines.iter().position(|machine| machine.flows.contains(&(flow as u32)));
            let machine = of.expect("every program is of a machine of the plan");
            let client = machines[machine].flows.iter().position(|one| *one as usize == flow);
            (machine as u32, client.unwrap_or_default() as u32)
        };
        let flows = c.compression.work.iter().enumerate();
        let flows = flows.map(|(index, work)| CompressionFlow::new(w, index, work, place(index))).collect();
        let outage = |one: &halftrack_config::Disturbance| {
            let at_machine = |cpc| machines.iter().position(|machine| machine.cpc == cpc);
            let (machine, of) = match one.kind {
                DisturbanceKind::FirmwareUpdate { cpc, group } => (at_machine(cpc)?, Cards::Group(group)),
                DisturbanceKind::AdapterPulled { cpc, pchid } => {
                    let machine = at_machine(cpc)?;
                    (machine, Cards::Pulled(machines[machine].card_at(pchid)?))
                }
                _ => return None,
            };
            let at = Time::ZERO + one.at;
            Some(Outage { machine: machine as u32, of, at, ends: at + one.lasts })
        };
        let outages = c.disturbances.iter().filter_map(outage).collect();
        Some(Box::new(Self {
            machines,
            flows,
            outages,
            waiting: Slab::with_capacity(0),
            ended: Vec::new(),
            collected: Time::ZERO,
        }))
    }

    /// Puts the first request of every program and the outages into the event set; `condition` orders what changes at an
    /// instant before anything else.
    pub(super) fn begin(&mut self, outside: &mut impl Outside, condition: &mut Sequencer) {
        for (index, flow) in (0..).zip(&mut self.flows) {
            if let Some(after) = flow.next_interarrival() {
                let event = ImageEvent::Compression { flow: index };
                outside.push(Time::ZERO + after, flow.sequencer.next(), event);
            }
        }
        for (index, outage) in (0..).zip(&self.outages) {
            for (at, begins) in [(outage.at, true), (outage.ends, false)] {
                outside.push(at, condition.next(), ImageEvent::CardOutage { index, begins });
            }
        }
    }

    /// Starts a request of a program, behind which the job of a slot goes on.
    pub(super) fn start(&mut self, outside: &mut impl Outside, now: Time, index: u32, behind: Option<u32>) {
        let flow = &mut self.flows[index as usize];
        if let Some(after) = flow.next_interarrival() {
            let event = ImageEvent::Compression { flow: index };
            outside.push(now + after, flow.sequencer.next(), event);
        }
        let (machine, client, bytes) = (flow.machine, flow.client, flow.request_bytes());
        flow.starts(bytes);
        let of = &mut self.machines[machine as usize];
        match of.cards.request(client as usize, bytes, now) {
            Some(id) => drop(of.under_way.insert((client, id), UnderWay { begun: now, bytes, behind })),
            None => {
                let time = flow.done_in_software(bytes);
                flow.go_on(outside, now + time, behind);
            }
        }
        self.settle(outside, now, machine);
    }

    fn end_slice(&mut self, outside: &mut impl Outside, now: Time, place: u16, number: u32) {
        let [machine, card] = place.to_be_bytes();
        self.machines[usize::from(machine)].cards.end_slice(card, number, now);
        self.settle(outside, now, machine.into());
    }

    fn on_outage(&mut self, outside: &mut impl Outside, now: Time, index: u32, begins: bool) {
        let Outage { machine, of, .. } = self.outages[index as usize];
        let cards = &mut self.machines[machine as usize].cards;
        match (of, begins) {
            (Cards::Group(group), true) => cards.begin_update(group, now),
            (Cards::Group(group), false) => cards.end_update(group),
            (Cards::Pulled(card), true) => cards.pull(card, now),
            (Cards::Pulled(card), false) => cards.plug(card, now),
        }
        self.settle(outside, now, machine);
    }

    /// Takes what has ended on the cards of a machine, and has those that are free go on.
    fn settle(&mut self, outside: &mut impl Outside, now: Time, machine: u32) {
        let Self { machines, flows, ended, .. } = self;
        let Machine { cards, flows: of_clients, under_way, sequencer, .. } = &mut machines[machine as usize];
        cards.settle(
            now,
            |end| {
                let Some(one) = under_way.remove(&(end.client as u32, end.request)) else { return };
                let index = of_clients[end.client];
                let flow = &mut flows[index as usize];
                let mut at = now;
                if end.is_done {
                    flow.done(one.bytes, one.begun, now);
                } else {
                    at += flow.done_in_software(one.bytes);
                }
                ended.extend(one.behind.map(|slot| (index, at, slot)));
            },
            |slice| {
                let place = u16::from_be_bytes([machine as u8, slice.card]);
                let event = ImageEvent::SliceEnds { place, number: slice.number };
                outside.push(slice.at, sequencer.next(), event);
            },
        );
        for (index, at, slot) in ended.drain(..) {
            flows[index as usize].go_on(outside, at, Some(slot));
        }
    }

    /// Applies the law of requests to the whole run so far.
    fn check(&self) -> CheckerReport {
        let mut law =
            Law::new("every request for compression is done by a card or in software, or in progress");
        for flow in &self.flows {
            let under_way = &self.machines[flow.machine as usize].under_way;
            let own = (flow.client, RequestId(0))..=(flow.client, RequestId(u64::MAX));
            let open = under_way
                .range(own)
                .fold((0, 0), |(count, bytes), (_, one)| (count + 1, bytes + u64::from(one.bytes)));
            flow.ledger.check(&mut law, flow.name(), open.0, open.1);
        }
        law.report()
    }
}

impl Images {
    /// Handles the event of a program: its next request comes.
    #[inline(never)]
    pub(super) fn on_compression(&mut self, outside: &mut impl Outside, now: Time, flow: u32) {
        if let Some(compression) = &mut self.compression {
            compression.start(outside, now, flow, None);
        }
    }

    /// Ends a slice of a card.
    #[inline(never)]
    pub(super) fn on_slice_end(&mut self, outside: &mut impl Outside, now: Time, place: u16, number: u32) {
        if let Some(compression) = &mut self.compression {
            compression.end_slice(outside, now, place, number);
        }
    }

    /// Begins or ends the outage `index` of compression cards.
    #[inline(never)]
    pub(super) fn on_card_outage(&mut self, outside: &mut impl Outside, now: Time, index: u32, begins: bool) {
        if let Some(compression) = &mut self.compression {
            compression.on_outage(outside, now, index, begins);
        }
    }

    /// Collects functions and programs since the last collection, and each card as a station.
    pub(crate) fn collect_compression(
        &mut self,
        cpcs: &[Cpc],
        now: Time,
    ) -> (Vec<CompressionFunctionInterval>, Vec<CompressionInterval>, Vec<StationInterval>) {
        let Some(compression) = &mut self.compression else { return Default::default() };
        let length = now.since(std::mem::replace(&mut compression.collected, now));
        let mut functions = Vec::new();
        let mut stations = Vec::new();
        for machine in &mut compression.machines {
            let all = 0..machine.cards.functions().len();
            let own: Vec<_> = all.map(|index| machine.collect(index, length)).collect();
            let cpc = &cpcs[usize::from(machine.cpc)];
            stations.extend(machine.collect_cards(&cpc.name.prefix(), now, &own));
            functions.extend(own);
        }
        (functions, compression.flows.iter_mut().map(CompressionFlow::collect).collect(), stations)
    }

    /// Returns the states of the functions of compression and RoCE cards now.
    pub(crate) fn function_conditions(&self, c: &Configuration) -> Vec<FunctionCondition> {
        let roce = self.conversations.iter().flat_map(|conversations| conversations.function_conditions(c));
        let machines = self.compression.iter().flat_map(|compression| &compression.machines);
        let of = |machine: &Machine, function: &PlacedFunction| {
            let state = machine.cards.condition(function).map(|(_, state)| state);
            FunctionCondition { cpc: machine.cpc, pfid: function.fid, state: shown_state(state) }
        };
        machines
            .flat_map(|machine| machine.cards.functions().iter().map(move |function| of(machine, function)))
            .chain(roce)
            .collect()
    }

    /// Applies the law of compression to the whole run so far; `None` where there is none.
    pub(crate) fn check_compression(&self) -> Option<CheckerReport> {
        self.compression.as_ref().map(|compression| compression.check())
    }
}

/// Faults for tests of the law.
#[cfg(test)]
impl Images {
    /// Begins with a request that then is nowhere.
    pub(crate) fn lose_compression_request(&mut self) {
        let compression = self.compression.as_mut().expect("cards");
        compression.flows[0].starts(1);
    }
}
