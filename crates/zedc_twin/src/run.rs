//! A run: arrivals, slices and updates in virtual time.

use std::collections::BTreeMap;

use halftrack_base::{Span, Time, for_bytes};
use halftrack_zedc::sizing::CardSpeed;
use halftrack_zedc::{
    Autonomous, CARDS_MAX, Caller, CardId, Completion, Counters, FunctionPlace, FunctionState,
    OUTPUT_BYTES_MAX, Options, Partition, PartitionId, RendezvousToken, Segment, SpaceId,
};

use crate::activity::{Activity, FunctionActivity, SmfCounts, counted_since};
use crate::event::{Calendar, Event};
use crate::installation::{Installation, Place, PlacedFunction};
use crate::lengths::{AREA_BYTES, LengthEngine, LengthSpaces, LengthStorage, REGIONS};
use crate::load::{Load, Stream};
use crate::source::Source;

/// State of a run.
struct Run<'a> {
    load: &'a Load,
    /// Time of a request beside its data.
    setup: Span,
    /// Rate of a card.
    bytes_per_s: u64,
    installation: Installation,
    partitions: Vec<Partition>,
    sources: Vec<Source<'a>>,
    by_token: BTreeMap<RendezvousToken, usize>,
    spaces: LengthSpaces,
    calendar: Calendar,
    /// Number of the last slice of each card.
    slices: [u64; CARDS_MAX],
    /// Counts of each function when counting began.
    before: Vec<Counters>,
    now: Time,
}

/// Runs a load on the cards of an installation, whose speed is `speed`.
pub fn run(installation: Installation, load: &Load, speed: CardSpeed) -> Activity {
    let mut run = Run::new(installation, load, speed);
    let end = Time::ZERO + load.warmup + load.measured;
    while let Some((at, event)) = run.calendar.next_before(end) {
        run.now = at;
        run.happen(event);
    }
    run.activity()
}

impl<'a> Run<'a> {
    fn new(installation: Installation, load: &'a Load, speed: CardSpeed) -> Self {
        let storages = load.streams.iter().map(|stream| LengthStorage::new(stream.ratio)).collect();
        let mut run = Self {
            load,
            setup: Span::from_us_f64(speed.setup_us),
            bytes_per_s: ((speed.mb_per_s * 1e6) as u64).max(1),
            before: vec![Counters::default(); installation.functions.len()],
            installation,
            partitions: Vec::new(),
            sources: Vec::new(),
            by_token: BTreeMap::new(),
            spaces: LengthSpaces { storages, last: 0 },
            calendar: Calendar::default(),
            slices: [0; CARDS_MAX],
            now: Time::ZERO,
        };
        let mut names: Vec<&str> = Vec::new();
        for (at, stream) in load.streams.iter().enumerate() {
            let partition = names.iter().position(|name| *name == stream.partition);
            let partition = partition.unwrap_or_else(|| {
                names.push(&stream.partition);
                run.add_partition(&stream.partition);
                names.len() - 1
            });
            run.add_source(at, stream, partition);
        }
        for (at, update) in load.updates.iter().enumerate() {
            run.calendar.add(Time::ZERO + update.at, Event::UpdateBegins(at));
            run.calendar.add(Time::ZERO + update.at + update.length, Event::UpdateEnds(at));
        }
        run.calendar.add(Time::ZERO + load.warmup, Event::Measure);
        run
    }

    /// Adds a partition, to which its functions are allocated.
    fn add_partition(&mut self, name: &str) {
        let mut partition = Partition::new(PartitionId(self.partitions.len() as u8), true);
        for function in &self.installation.functions {
            if let (Place::Card(place), Some(owner)) = (function.place, &function.partition)
                && owner == name
            {
                let attached = partition.attach(place, &mut self.installation.cpc);
                attached.expect("a function is configured, and belongs to one partition");
            }
        }
        self.partitions.push(partition);
    }

    fn add_source(&mut self, at: usize, stream: &'a Stream, partition: usize) {
        let owner = &mut self.partitions[partition];
        let caller = Caller { space: SpaceId(at as u64), application: 1, is_authorized: true };
        let token = owner.rendezvous(caller).expect("an authorized caller of the known application");
        let register = |region| owner.register(token, region, &mut self.spaces);
        let regions = REGIONS.map(register).map(|region| region.expect("regions apart from each other"));
        self.spaces.storages[at].take_slice();
        self.by_token.insert(token, self.sources.len());
        let mut source = Source::new(stream, partition, (token, regions), self.load.seed);
        self.calendar.add(Time::ZERO + source.next_arrival(), Event::Arrives(self.sources.len()));
        self.sources.push(source);
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Measure => self.begin_measurement(),
            Event::Arrives(at) => self.arrive(at),
            Event::SliceEnds { card, number } => {
                if let Some(id) = CardId::new(card).filter(|_| self.slices[usize::from(card)] == number) {
                    self.installation.cpc.card_mut(id).end_slice(self.now);
                }
            }
            Event::UpdateBegins(at) => {
                // Updates of a load do not overlap.
                let _ = self.installation.cpc.begin_update(self.load.updates[at].group, self.now);
                let cards = self.installation.cpc.cards();
                let updated =
                    cards.filter(|id| self.installation.cpc.card(*id).group() == self.load.updates[at].group);
                updated.for_each(|id| self.slices[usize::from(id.get())] += 1);
            }
            Event::UpdateEnds(_) => self.installation.cpc.end_update(),
        }
        self.collect();
        self.begin_slices();
    }

    fn begin_measurement(&mut self) {
        self.before = self.installation.functions.iter().map(|one| self.counters(one)).collect();
        self.sources.iter_mut().for_each(Source::forget);
    }

    fn arrive(&mut self, at: usize) {
        let source = &mut self.sources[at];
        self.calendar.add(self.now + source.next_arrival(), Event::Arrives(at));
        let length_bytes = source.stream.request_bytes;
        let [input, output] = source.regions;
        let parameters = Autonomous {
            options: Options::default(),
            input: &[Segment { region: input, address: 0, length_bytes }],
            output: &[Segment { region: output, address: AREA_BYTES, length_bytes: OUTPUT_BYTES_MAX as u32 }],
        };
        let partition = &mut self.partitions[source.partition];
        match partition.compress(source.token, parameters, &mut self.installation.cpc, self.now) {
            Ok(id) => drop(source.begun.insert(id, self.now)),
            Err(_) => source.software.count(length_bytes),
        }
    }

    /// Collects ends of requests; those of lost cards begin again elsewhere, or in software.
    fn collect(&mut self) {
        for partition in &mut self.partitions {
            partition.collect(&mut self.installation.cpc);
            while let Some((token, Completion { id, answer, .. })) = partition.poll() {
                let Some(source) = self.by_token.get(&token).map(|at| &mut self.sources[*at]) else {
                    continue;
                };
                source.end(id, answer, self.now);
            }
        }
    }

    fn begin_slices(&mut self) {
        for id in self.installation.cpc.cards() {
            let card = self.installation.cpc.card_mut(id);
            if card.begin_slice(&mut LengthEngine, &mut self.spaces, self.now).is_none() {
                continue;
            }
            let (bytes, is_first) = self.spaces.storages[self.spaces.last].take_slice();
            let setup = if is_first { self.setup } else { Span::ZERO };
            let number = &mut self.slices[usize::from(id.get())];
            *number += 1;
            let ends = self.now + setup + for_bytes(bytes, self.bytes_per_s);
            self.calendar.add(ends, Event::SliceEnds { card: id.get(), number: *number });
        }
    }

    fn counters(&self, function: &PlacedFunction) -> Counters {
        match function.place {
            Place::Card(FunctionPlace { card, vf }) => {
                self.installation.cpc.card(card).counters(vf).unwrap_or_default()
            }
            Place::StandBy => Counters::default(),
        }
    }

    fn activity(&self) -> Activity {
        let functions = self.installation.functions.iter().zip(&self.before);
        Activity {
            measured_s: self.load.measured.as_s_f64(),
            functions: functions.map(|(function, before)| self.function_activity(function, before)).collect(),
            streams: self.sources.iter().map(|source| source.activity(self.load)).collect(),
        }
    }

    fn function_activity(&self, function: &PlacedFunction, before: &Counters) -> FunctionActivity {
        let counters = counted_since(&self.counters(function), before);
        let (group, state) = match function.place {
            Place::StandBy => (None, None),
            Place::Card(at) => {
                let card = self.installation.cpc.card(at.card);
                (Some(card.group().to_string()), card.state(at.vf).ok())
            }
        };
        let is_allocated = !matches!(state, None | Some(FunctionState::Configured));
        let counts = is_allocated.then(|| SmfCounts::new(&counters, self.load.measured));
        let of = |figure: fn(&SmfCounts) -> f64| counts.as_ref().map_or(0.0, figure);
        FunctionActivity {
            fid: function.fid,
            pchid: function.pchid,
            vf: function.vf,
            resource_group: group,
            partition: function.partition.clone(),
            state: state.map_or("STBY", shown),
            counts,
            busy_percent: of(SmfCounts::busy_percent),
            execution_us: of(SmfCounts::execution_us_per_request),
            queue_us: of(SmfCounts::queue_us_per_request),
            mb_per_s: of(SmfCounts::mb_per_s),
            kb_per_request: of(SmfCounts::kb_per_request),
            ratio: counters.ratio(),
        }
    }
}

const fn shown(state: FunctionState) -> &'static str {
    match state {
        FunctionState::Configured => "CNFG",
        FunctionState::Allocated => "ALLC",
        FunctionState::DeallocatePending => "DALP",
        FunctionState::InError => "ERR",
        FunctionState::InUpdate => "UPDT",
    }
}
