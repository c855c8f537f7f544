//! A run: arrivals, slices and updates in virtual time.

use halftrack_base::Time;
use halftrack_zedc::sizing::CardSpeed;
use halftrack_zedc::{Counters, FunctionState};

use crate::activity::{Activity, FunctionActivity, SmfCounts, counted_since};
use crate::card_work::{CardWork, shown_state};
use crate::event::{Calendar, Event};
use crate::installation::{Installation, PlacedFunction};
use crate::load::Load;
use crate::source::Source;

/// State of a run.
struct Run<'a> {
    load: &'a Load,
    cards: CardWork,
    sources: Vec<Source<'a>>,
    calendar: Calendar,
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
        let clients = load.streams.iter().map(|stream| (stream.partition.as_str(), stream.ratio));
        let mut run = Self {
            load,
            before: vec![Counters::default(); installation.functions.len()],
            cards: CardWork::new(installation, speed, clients),
            sources: load.streams.iter().map(|stream| Source::new(stream, load.seed)).collect(),
            calendar: Calendar::default(),
            now: Time::ZERO,
        };
        for (at, source) in run.sources.iter_mut().enumerate() {
            run.calendar.add(Time::ZERO + source.next_arrival(), Event::Arrives(at));
        }
        for (at, update) in load.updates.iter().enumerate() {
            run.calendar.add(Time::ZERO + update.at, Event::UpdateBegins(at));
            run.calendar.add(Time::ZERO + update.at + update.length, Event::UpdateEnds(at));
        }
        run.calendar.add(Time::ZERO + load.warmup, Event::Measure);
        run
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Measure => self.begin_measurement(),
            Event::Arrives(at) => self.arrive(at),
            Event::SliceEnds { card, number } => self.cards.end_slice(card, number, self.now),
            Event::UpdateBegins(at) => self.cards.begin_update(self.load.updates[at].group, self.now),
            Event::UpdateEnds(at) => self.cards.end_update(self.load.updates[at].group),
        }
        let Self { cards, sources, calendar, now, .. } = self;
        cards.settle(
            *now,
            |end| sources[end.client].end(end.request, end.is_done, *now),
            |slice| calendar.add(slice.at, Event::SliceEnds { card: slice.card, number: slice.number }),
        );
    }

    fn begin_measurement(&mut self) {
        self.before = self.cards.functions().iter().map(|one| self.cards.counters(one)).collect();
        self.sources.iter_mut().for_each(Source::forget);
    }

    fn arrive(&mut self, at: usize) {
        let source = &mut self.sources[at];
        self.calendar.add(self.now + source.next_arrival(), Event::Arrives(at));
        let bytes = source.stream.request_bytes;
        match self.cards.request(at, bytes, self.now) {
            Some(id) => source.begins(id, self.now),
            None => source.software.count(bytes),
        }
    }

    fn activity(&self) -> Activity {
        let functions = self.cards.functions().iter().zip(&self.before);
        Activity {
            measured_s: self.load.measured.as_s_f64(),
            functions: functions.map(|(function, before)| self.function_activity(function, before)).collect(),
            streams: self.sources.iter().map(|source| source.activity(self.load)).collect(),
        }
    }

    fn function_activity(&self, function: &PlacedFunction, before: &Counters) -> FunctionActivity {
        let counters = counted_since(&self.cards.counters(function), before);
        let (group, state) = self.cards.condition(function).unzip();
        let is_allocated = !matches!(state, None | Some(FunctionState::Configured));
        let counts = is_allocated.then(|| SmfCounts::new(&counters, self.load.measured));
        let of = |figure: fn(&SmfCounts) -> f64| counts.as_ref().map_or(0.0, figure);
        FunctionActivity {
            fid: function.fid,
            pchid: function.pchid,
            vf: function.vf,
            resource_group: group.map(|group| group.to_string()),
            partition: function.partition.clone(),
            state: shown_state(state),
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
