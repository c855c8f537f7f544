//! The fibres of the plant as a graph: which plug each of them joins to which, how fast and how far.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;

use halftrack_base::Span;
use halftrack_catalog as catalog;
use halftrack_input::Located;
use halftrack_input::messages::study as numbers;

use crate::assemble::bridges;
use crate::assemble::bus;
use crate::assemble::hardware::duration;
use crate::assemble::inputs::Inputs;
use crate::assemble::ports::Ports;
use crate::assemble::speeds::{
    LineSpeed, Plug, allowed, check_port_settings, fastest, in_common, listed, of_channel, of_port, offered,
};
use crate::channel_plug::ChannelPlug;
use crate::frame_errors::FrameErrors;
use crate::place::{AdapterPort, DirectorPort, Place};
use crate::plant::{Card, Director, Length, SpeedSetting};

/// Where a fibre ends.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// At a channel.
    Channel(ChannelPlug),
    /// At a director.
    Director(DirectorPort),
    /// At a control unit.
    Adapter(AdapterPort),
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Channel(port) => port.fmt(f),
            Self::Director(port) => port.fmt(f),
            Self::Adapter(port) => port.fmt(f),
        }
    }
}

impl From<Place> for End {
    fn from(place: Place) -> Self {
        match place {
            Place::Director(port) => Self::Director(port),
            Place::ControlUnit(port) => Self::Adapter(port),
            Place::Channel(plug) => Self::Channel(plug),
        }
    }
}

/// One fibre; `ends` are in the order of their kind and name.
#[derive(Debug, Clone)]
pub struct Fibre {
    /// Its two ends.
    pub ends: [End; 2],
    /// Length, km one way.
    pub km: f64,
    /// Repeaters of the signal on the way.
    pub repeaters: u32,
    /// Speed in force.
    pub speed: LineSpeed,
    /// Rate each way, octets a second.
    pub bytes_per_s: u64,
    /// Receive buffers at each of the two ends.
    pub credits: [u32; 2],
    /// Time through the multiplexers on the way, one way.
    pub delay: Span,
    /// Its bit errors, where frames are lost by them.
    pub errors: Option<FrameErrors>,
    /// Place in the plant.
    pub span: Range<usize>,
}

impl Fibre {
    /// Returns the end that is not `end`.
    pub fn other(&self, end: &End) -> &End {
        &self.ends[usize::from(self.ends[0] == *end)]
    }
}

/// How a fibre runs from one end to the other.
#[derive(Debug, Clone)]
struct Run<'a> {
    /// How long it is.
    length: Length,
    /// Setting of both of its ports.
    setting: SpeedSetting,
    /// Receive buffers at each end; `None` takes the ports' own.
    credits: Option<u32>,
    /// Catalog id of the multiplexers that it goes through.
    via: Option<&'a Located<String>>,
    /// Share of the bits that are wrong, where the plant has it.
    bit_error_rate: Option<&'a Located<f64>>,
}

impl Run<'_> {
    /// Returns the plain fibre of this length.
    fn of(length: Length) -> Self {
        Self { length, setting: SpeedSetting::default(), credits: None, via: None, bit_error_rate: None }
    }
}

/// All fibres, found by either end, and what the plant's cards and directors are.
pub struct Fabric<'a> {
    fibres: Vec<Fibre>,
    at: BTreeMap<End, usize>,
    cards: BTreeMap<ChannelPlug, (&'a Card, &'a catalog::Channel)>,
    directors: BTreeMap<u8, (&'a Director, &'a catalog::Director)>,
    /// Ends of which something has been reported.
    broken: BTreeSet<End>,
}

impl<'a> Fabric<'a> {
    /// Creates the fabric of the plant. Fibres that lead nowhere or have no speed are reported and left out.
    pub fn new(inputs: &Inputs<'a>, ports: &Ports<'a>) -> Self {
        let mut fabric = Self {
            fibres: Vec::new(),
            at: BTreeMap::new(),
            cards: BTreeMap::new(),
            directors: BTreeMap::new(),
            broken: bridges::check(inputs),
        };
        fabric.take_cards(inputs);
        for director in &inputs.plant.directors {
            let kind = inputs.find(&inputs.catalog.directors, &director.kind);
            fabric.directors.extend(kind.map(|kind| (director.id.value, (director, kind))));
        }
        check_port_settings(inputs);
        bus::check_unit_addresses(inputs, ports);
        fabric.lay_cables(inputs, ports);
        fabric.lay_inter_switch_links(inputs, ports);
        fabric.lay_adapter_fibres(inputs, ports);
        fabric.fibres.sort_by(|a, b| a.ends.cmp(&b.ends));
        for (index, fibre) in fabric.fibres.iter().enumerate() {
            for end in &fibre.ends {
                fabric.at.entry(end.clone()).or_insert(index);
            }
        }
        fabric
    }

    /// Returns the index of the fibre that ends at `end`; of the first where a bus begins there.
    pub fn at(&self, end: &End) -> Option<usize> {
        self.at.get(end).copied()
    }

    /// Returns indices of the fibres that begin at `channel`: one, or those of a bus to its control units.
    pub fn cables_of(&self, channel: &End) -> impl Iterator<Item = usize> {
        let first = self.at(channel).unwrap_or(self.fibres.len());
        let here = self.fibres[first..].iter().take_while(|fibre| fibre.ends[0] == *channel);
        here.enumerate().map(move |(nth, _)| first + nth)
    }

    /// Returns fibre number `index`.
    pub fn fibre(&self, index: usize) -> &Fibre {
        &self.fibres[index]
    }

    /// Returns every fibre, by its ends.
    pub fn fibres(&self) -> &[Fibre] {
        &self.fibres
    }

    /// Returns the card with `port` and its catalog entry.
    pub fn card(&self, port: ChannelPlug) -> Option<(&'a Card, &'a catalog::Channel)> {
        self.cards.get(&port).copied()
    }

    /// Returns true when something about `end` has been reported, so that what follows from it need not be.
    pub fn is_broken(&self, end: &End) -> bool {
        self.broken.contains(end)
    }

    /// Returns the director with switch number `id`.
    pub fn director(&self, id: u8) -> Option<&'a catalog::Director> {
        self.directors.get(&id).map(|(_, kind)| *kind)
    }

    fn take_cards(&mut self, inputs: &Inputs<'a>) {
        for card in &inputs.plant.cards {
            let own = card.plugs();
            let Some(kind) = inputs.find(&inputs.catalog.channels, &card.kind) else {
                self.broken.extend(own.map(End::Channel));
                continue;
            };
            let ports = kind.common.ports_per_card.value;
            if let Some(extra) = card.ports.get(ports as usize) {
                let message = format!("a {} has {ports} ports, not {}", card.kind.value, card.ports.len());
                let error = inputs.in_plant(numbers::TOO_MANY_PORTS, &extra.span, message);
                inputs.report(error.fix("describe each card by a `[[card]]` of its own"));
            }
            if offered(inputs, card, kind) {
                self.cards.extend(own.map(|port| (port, (card, kind))));
            } else {
                self.broken.extend(own.map(End::Channel));
            }
        }
    }

    fn lay_cables(&mut self, inputs: &Inputs<'a>, ports: &Ports<'a>) {
        for cable in &inputs.plant.cables {
            let port = cable.plug();
            let end = End::Channel(port);
            if self.card(port).is_none() && self.broken.insert(end.clone()) {
                let message = format!("the cable begins at {}, which no card has", port.name());
                let error = inputs.in_plant(numbers::LEADS_NOWHERE, &cable.port.span, message);
                let what = port.port.key().to_ascii_uppercase();
                inputs.report(error.fix(format!("add the {what} to a `[[card]]`, or remove the cable")));
            }
            if self.is_broken(&end) {
                continue;
            }
            if !bus::may_be_shared(inputs, self, cable) {
                self.broken.insert(end);
                continue;
            }
            let from = Located::new(end, cable.port.span.clone());
            let bit_error_rate = cable.bit_error_rate.as_ref();
            let run = Run { via: cable.via.as_ref(), bit_error_rate, ..Run::of(cable.length) };
            for to in cable.ends() {
                let to = Located::new(End::from(to.value.clone()), to.span.clone());
                self.lay_or_break(inputs, ports, &from, &to, &run);
            }
        }
    }

    fn lay_inter_switch_links(&mut self, inputs: &Inputs<'a>, ports: &Ports<'a>) {
        for isl in &inputs.plant.isls {
            let [from, to] =
                [&isl.from, &isl.to].map(|end| Located::new(End::Director(end.value), end.span.clone()));
            let run = Run {
                length: isl.length,
                setting: isl.speed.clone(),
                credits: isl.credits,
                via: isl.via.as_ref(),
                bit_error_rate: isl.bit_error_rate.as_ref(),
            };
            self.lay_or_break(inputs, ports, &from, &to, &run);
        }
    }

    fn lay_adapter_fibres(&mut self, inputs: &Inputs<'a>, ports: &Ports<'a>) {
        for control_unit in &inputs.plant.control_units {
            for port in &control_unit.ports {
                let address = port.address(control_unit);
                let Some(to) = port.to.as_ref().filter(|_| ports.index(&address).is_some()) else { continue };
                let to = Located::new(End::Director(to.value), to.span.clone());
                let from = Located::new(End::Adapter(address), port.id.span.clone());
                let bit_error_rate = port.bit_error_rate.as_ref();
                let run = Run { bit_error_rate, ..Run::of(port.length) };
                self.lay_or_break(inputs, ports, &from, &to, &run);
            }
        }
    }

    /// Lays a fibre, or remembers both ends as reported, as one of them may be already.
    fn lay_or_break(
        &mut self,
        inputs: &Inputs<'_>,
        ports: &Ports<'a>,
        from: &Located<End>,
        to: &Located<End>,
        run: &Run<'_>,
    ) {
        let is_reported = [from, to].iter().any(|end| self.is_broken(&end.value));
        let fibre = if is_reported { None } else { self.lay(inputs, ports, from, to, run) };
        match fibre {
            Some(fibre) => self.fibres.push(fibre),
            None => self.broken.extend([from.value.clone(), to.value.clone()]),
        }
    }

    /// Returns a fibre between two ends at the fastest speed that both offer. Multiplexers must carry the speed and the
    /// setting allow it; a missing end or speed is reported.
    fn lay(
        &self,
        inputs: &Inputs<'_>,
        ports: &Ports<'a>,
        from: &Located<End>,
        to: &Located<End>,
        run: &Run<'_>,
    ) -> Option<Fibre> {
        for end in [from, to] {
            if self.plug(inputs, ports, &end.value).is_none() {
                self.report_nowhere(inputs, end);
                return None;
            }
        }
        let (a, b) = (self.plug(inputs, ports, &from.value)?, self.plug(inputs, ports, &to.value)?);
        if a.parallel != b.parallel {
            bus::report_other_interface(inputs, from, to, a.parallel);
            return None;
        }
        let mut both = in_common(&a.speeds, &b.speeds);
        if both.is_empty() {
            let message = format!("{} and {} have no speed in common", from.value, to.value);
            let fix = format!("one offers {}, the other {}", listed(&a.speeds), listed(&b.speeds));
            let error = inputs
                .in_plant(numbers::NO_COMMON_SPEED, &to.span, message)
                .other(inputs.plant.label(&from.span, "the other end"));
            inputs.report(error.fix(fix));
            return None;
        }
        let gear = match run.via {
            None => None,
            Some(via) => Some(inputs.find(&inputs.catalog.multiplexers, via)?),
        };
        if let (Some(gear), Some(via)) = (gear, run.via) {
            let carried = in_common(&both, &of_port(&gear.speeds, &inputs.catalog.links));
            if carried.is_empty() {
                let message = format!("{} carries no speed that both ends offer", via.value);
                let error = inputs.in_plant(numbers::NOT_CARRIED, &via.span, message);
                inputs.report(error.fix(format!("both ends offer {}", listed(&both))));
                return None;
            }
            both = carried;
        }
        let Some((speed, bytes_per_s)) = fastest(&allowed(both.clone(), &run.setting)) else {
            let message = "this speed is not offered by both directors";
            let span = run.setting.span().unwrap_or_else(|| to.span.clone());
            let error = inputs.in_plant(numbers::SPEED_NOT_OFFERED, &span, message);
            inputs.report(error.fix(format!("in common are {}", listed(&both))));
            return None;
        };
        let swap = from.value > to.value;
        let (mut ends, mut credits) = ([from.value.clone(), to.value.clone()], [a.credits, b.credits]);
        if swap {
            ends.reverse();
            credits.reverse();
        }
        // Gear with buffers of its own answers in place of the ports.
        let own = gear.and_then(|gear| gear.credits.as_ref()).map(|credits| credits.value);
        if let Some(credit) = own.or(run.credits) {
            credits = [credit, credit];
        }
        let delay = gear.map_or(Span::ZERO, |gear| duration(&gear.delay_us));
        // Multiplexers send the signal anew.
        let Length { km, repeaters } = run.length;
        let repeaters = repeaters + u32::from(gear.is_some());
        let errors = self.frame_errors(inputs, speed, &ends, run);
        Some(Fibre { ends, km, repeaters, speed, bytes_per_s, credits, delay, errors, span: to.span.clone() })
    }

    /// Returns the errors of a fibre between `ends` at `speed`. A rate on what is no link of frames is reported: the programs
    /// of circuits lose none.
    fn frame_errors(
        &self,
        inputs: &Inputs<'_>,
        speed: LineSpeed,
        ends: &[End; 2],
        run: &Run<'_>,
    ) -> Option<FrameErrors> {
        let rate = run.bit_error_rate?;
        let is_bridge = |end: &End| {
            let End::Director(port) = end else { return false };
            self.directors.get(&port.director).is_some_and(|(director, _)| director.is_bridge(port.port))
        };
        let coding = inputs.catalog.links.coding(speed.gbps, speed.fec);
        let coding = coding.filter(|_| !ends.iter().any(is_bridge));
        if coding.is_none() && rate.value > 0.0 {
            let message = "this fibre carries circuits, whose frames are not lost one by one";
            let error = inputs.in_plant(numbers::NO_FRAMES_TO_LOSE, &rate.span, message);
            inputs.report(error.fix("remove `bit_error_rate`, or give it to a fibre of FICON"));
        }
        FrameErrors::new(rate.value, coding?)
    }

    fn report_nowhere(&self, inputs: &Inputs<'_>, end: &Located<End>) {
        let known = match &end.value {
            End::Channel(plug) => self.card(*plug).is_some(),
            End::Director(port) => {
                inputs.plant.directors.iter().any(|director| director.id.value == port.director)
            }
            // A box of a kind that the catalog lacks has been reported; only its own ports are known then.
            End::Adapter(address) => inputs.plant.control_units.iter().any(|one| {
                one.name.value == address.control_unit
                    && one.ports.iter().any(|port| port.id.value == address.port)
            }),
        };
        if known {
            return;
        }
        let message = match &end.value {
            End::Director(port) => format!("the plant has no director {:02X}", port.director),
            End::Channel(plug) => format!("no card has {}", plug.name()),
            End::Adapter(port) => format!("the plant has no host-adapter port {port}"),
        };
        let fix =
            "add a `[[director]]`, `[[control_unit.port]]` or `[[card]]` for it, or correct the address";
        inputs.report(inputs.in_plant(numbers::LEADS_NOWHERE, &end.span, message).fix(fix));
    }

    /// Returns the speeds and credits of `end`; `None` when it is missing, or set to a speed that it lacks.
    fn plug(&self, inputs: &Inputs<'_>, ports: &Ports<'a>, end: &End) -> Option<Plug> {
        let links = &inputs.catalog.links;
        match end {
            End::Channel(port) => {
                let (card, kind) = self.card(*port)?;
                let plug = Plug::new(of_channel(kind, links), &card.speed, kind.common.credits.value)?;
                Some(plug.over(kind.circuit().map(|circuit| circuit.interface)))
            }
            End::Director(port) => {
                let (director, kind) = self.directors.get(&port.director)?;
                if director.is_bridge(port.port) {
                    let bridge = kind.bridge.as_ref()?;
                    let setting = director.setting(port.port);
                    return Plug::new(of_port(&bridge.speeds, links), &setting, bridge.credits.value);
                }
                Plug::new(of_port(&kind.speeds, links), &director.setting(port.port), kind.credits.value)
            }
            End::Adapter(port) => {
                let kind = ports.kind(port)?;
                let plug = Plug::new(of_port(&kind.speeds, links), ports.setting(port)?, kind.credits.value)?;
                Some(plug.over(kind.circuit.as_ref().map(|circuit| circuit.interface)))
            }
        }
    }
}
