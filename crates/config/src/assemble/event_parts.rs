//! Parts of the machine that events name.

use std::ops::Range;

use halftrack_input::messages::study as numbers;
use halftrack_input::{Label, Located, nearest_or_all};

use crate::assemble::channels::{ChannelAt, Channels};
use crate::assemble::inputs::Inputs;
use crate::assemble::interconnects::Interconnects;
use crate::assemble::links::Links;
use crate::assemble::logical_control_units::LogicalControlUnits;
use crate::assemble::ports::Ports;
use crate::assemble::streams::Machine;
use crate::compression::Compression;
use crate::configuration::SwitchPort;
use crate::conversations::Conversations;
use crate::cpc::{Lpar, Subsystem};
use crate::disturbance::Part;
use crate::fault_script::{Event, EventKind, FaultKind, Target};
use crate::place::{AdapterPort, DirectorPort, hex};
use crate::plant::Domain;
use crate::plant::cpcs::{known, only};
use crate::synchronous::{SynchronousIo, SynchronousLink};

/// The parts of the machine, by the names that they have in a file.
pub struct EventParts<'a> {
    /// The inputs; a name that is not there is reported.
    pub inputs: &'a Inputs<'a>,
    /// Channels.
    pub channels: &'a Channels<'a>,
    /// Host-adapter ports.
    pub ports: &'a Ports<'a>,
    /// Logical control units.
    pub lcus: &'a LogicalControlUnits,
    /// Domains and fanouts.
    pub interconnects: &'a Interconnects<'a>,
    /// Links, numbered as in the paths of control units.
    pub links: &'a Links,
    /// Partitions.
    pub lpars: &'a [Lpar],
    /// Synchronous I/O.
    pub synchronous: &'a SynchronousIo,
    /// Compression.
    pub compression: &'a Compression,
    /// Sockets between partitions.
    pub conversations: &'a Conversations,
}

impl<'a> EventParts<'a> {
    /// Returns the parts of `machine` with its interconnects, links and work beside I/O.
    pub fn new(
        machine: &Machine<'a, '_>,
        (interconnects, links): (&'a Interconnects<'_>, &'a Links),
        (compression, conversations): &'a (Compression, Conversations),
    ) -> Self {
        let Machine { inputs, lpars, channels, lcus, ports, devices: _, luns: _, synchronous } = *machine;
        Self {
            inputs,
            channels,
            ports,
            lcus,
            interconnects,
            links,
            lpars,
            synchronous,
            compression,
            conversations,
        }
    }
}

impl EventParts<'_> {
    /// Returns the part of the event; of one without a name the storage box.
    pub fn part(&self, event: &Event) -> Option<Part> {
        let Some((target, name)) = &event.part else { return self.storage_box(event).map(Part::ControlUnit) };
        match target {
            Target::Chpid => self.channel(event).map(Part::Channel),
            Target::Port => self.port(event, name).map(Part::Port),
            Target::Isl => self.isl(event, name).map(Part::Isl),
            Target::Director => self.director(event, name).map(Part::Director),
            // Their kinds of events have parts of several channels, or none.
            Target::Card | Target::Domain => None,
        }
    }

    /// Returns the channel of the event.
    pub fn channel(&self, event: &Event) -> Option<u32> {
        let (machine, path) = self.channel_path(event)?;
        let (css, chpid) = path.value;
        let subsystem = Subsystem { cpc: machine.machine, css };
        if let Some(index) = self.channels.of_any_type(subsystem, chpid) {
            return Some(index);
        }
        let (message, place) = match self.channels.at(subsystem, chpid) {
            ChannelAt::Known(..) | ChannelAt::Broken => return None,
            ChannelAt::OtherType(statement) => {
                let kind = &statement.channel_type.value;
                (
                    format!("CHPID {chpid:02X} of CSS {css} is of type {kind}; events happen to FC"),
                    Some(&statement.span),
                )
            }
            ChannelAt::Undefined => {
                let first = machine.deck.channel_paths.first().map(|first| &first.span);
                (format!("the deck has no CHPID {chpid:02X} in CSS {css}"), first)
            }
        };
        let mut error = event
            .error(numbers::EVENT_MISSES, &path.span, message)
            .fix("name a channel path of the deck, such as \"0.40\"");
        error.others.extend(place.map(|span| machine.deck_label(span, "channel paths of the deck")));
        self.inputs.report(error);
        None
    }

    /// Returns the machine of the event and its channel path, CSS and CHPID. A name without CSS is of CSS 0, or of the only
    /// one.
    fn channel_path(&self, event: &Event) -> Option<(Inputs<'_>, Located<(u8, u8)>)> {
        let (_, name) = event.part.as_ref().filter(|(target, _)| *target == Target::Chpid)?;
        let machine = self.machine(event, &name.span)?;
        let parsed = match name.value.split_once('.') {
            Some((css, chpid)) => (hex(css, 1)? as u8, hex(chpid, 2)? as u8),
            None => {
                let mut all = machine.deck.channel_paths.iter().flat_map(|path| path.css.iter().copied());
                let first = all.next().unwrap_or_default();
                let css = if all.all(|css| css == first) { first } else { 0 };
                (css, hex(&name.value, 2)? as u8)
            }
        };
        Some((machine, Located::new(parsed, name.span.clone())))
    }

    /// Returns the channels on the card of the event, which one of its ports names.
    pub fn channels_of_card(&self, event: &Event) -> Option<Vec<u32>> {
        let (_, name) = event.part.as_ref()?;
        let machine = self.machine(event, &name.span)?;
        let is_named = |digits: String| digits.eq_ignore_ascii_case(&name.value);
        let Some(card) =
            machine.cards().find(|card| card.ports.iter().any(|port| is_named(port.value.digits())))
        else {
            let firsts: Vec<_> =
                machine.cards().filter_map(|card| Some(card.ports.first()?.value.digits())).collect();
            self.missing(event, name, "card with port", firsts.iter().map(String::as_str));
            return None;
        };
        let is_on_it = |index: &u32| card.plugs().any(|plug| plug == self.channels.plug(*index));
        Some((0..self.channels.len()).filter(is_on_it).collect())
    }

    /// Returns the host-adapter port `name`; in a plant of several boxes that of the box which the event names.
    fn port(&self, event: &Event, name: &Located<String>) -> Option<u32> {
        let control_unit = self.ports.box_name(self.storage_box(event)?).to_owned();
        let port = name.value.to_ascii_uppercase();
        let found = self.ports.index(&AdapterPort { control_unit: control_unit.clone(), port });
        if found.is_none() {
            let of_box = self.inputs.plant.control_units.iter().filter(|one| one.name.value == control_unit);
            let ids = of_box.flat_map(|one| &one.ports).map(|port| port.id.value.as_str());
            self.missing(event, name, "host-adapter port", ids);
        }
        found
    }

    /// Returns the storage box that the event names, or the only one.
    fn storage_box(&self, event: &Event) -> Option<u32> {
        let names = self.ports.box_names();
        let found = match (&event.storage_box, names) {
            (None, [_]) => Some(0),
            (None, _) => {
                let message = "the event does not name its storage box";
                let error = event.error(numbers::EVENT_MISSES, event.place(), message);
                self.inputs.report(error.fix(format!("give it `box`: one of {}", names.join(", "))));
                return None;
            }
            (Some(name), names) => names.iter().position(|one| *one == name.value).map(|at| at as u32),
        };
        if let (None, Some(name)) = (found, &event.storage_box) {
            self.missing(event, name, "control unit", names.iter().map(String::as_str));
        }
        found
    }

    /// Returns the port at one end of the inter-switch link `name`.
    fn isl(&self, event: &Event, name: &Located<String>) -> Option<SwitchPort> {
        let ends = || self.inputs.plant.isls.iter().flat_map(|isl| [isl.from.value, isl.to.value]);
        let found = DirectorPort::parse(&name.value).filter(|port| ends().any(|end| end == *port));
        if found.is_none() {
            let names: Vec<String> = ends().map(|end| end.to_string()).collect();
            self.missing(event, name, "inter-switch link at", names.iter().map(String::as_str));
        }
        found.map(|port| SwitchPort { domain: port.director, port: port.port })
    }

    /// Returns the domain of the director `name`.
    fn director(&self, event: &Event, name: &Located<String>) -> Option<u8> {
        let ids = || self.inputs.plant.directors.iter().map(|director| director.id.value);
        let found = hex(&name.value, 2).map(|id| id as u8).filter(|id| ids().any(|one| one == *id));
        if found.is_none() {
            let names: Vec<String> = ids().map(|id| format!("{id:02X}")).collect();
            self.missing(event, name, "director", names.iter().map(String::as_str));
        }
        found
    }

    /// Reports that the plant has no `what` called `name`.
    fn missing<'n>(
        &self,
        event: &Event,
        name: &Located<String>,
        what: &str,
        known: impl Iterator<Item = &'n str> + Clone,
    ) {
        let message = format!("the plant has no {what} {}", name.value);
        let fix = match known.clone().next() {
            Some(_) => nearest_or_all(&name.value, known),
            None => "remove the event: the plant has no such part".to_owned(),
        };
        self.inputs.report(event.error(numbers::EVENT_MISSES, &name.span, message).fix(fix));
    }

    /// Returns the partition of the plant that the event names.
    pub fn any_partition(&self, event: &Event) -> Option<u32> {
        let name = event.lpar.as_ref()?;
        let found = self.lpars.iter().position(|lpar| lpar.name == name.value);
        if found.is_none() {
            self.missing(event, name, "partition", self.lpars.iter().map(|lpar| lpar.name.as_str()));
        }
        found.map(|at| at as u32)
    }

    /// Returns the zHyperLink at the port of an adapter that the event names.
    pub fn zhyperlink(&self, event: &Event) -> Option<u32> {
        let name = event.zhyperlink.as_ref()?;
        let places: Vec<&str> = self.synchronous.links.iter().map(SynchronousLink::place).collect();
        let found = places.iter().position(|place| *place == name.value);
        if found.is_none() {
            self.missing(event, name, "zHyperLink at port", places.iter().copied());
        }
        found.map(|at| at as u32)
    }

    /// Returns the partition of the plant that the event names, which is in the channel subsystem of its channel path.
    pub fn partition(&self, event: &Event) -> Option<u32> {
        let (machine, path) = self.channel_path(event)?;
        let name = event.lpar.as_ref()?;
        let lpars = self.lpars;
        let found = lpars.iter().position(|lpar| lpar.cpc == machine.machine && lpar.name == name.value);
        let (css, chpid) = path.value;
        let (span, message, fix) = match found {
            Some(at) if lpars[at].css == css => return Some(at as u32),
            Some(at) => (
                &path.span,
                format!("partition {} is in CSS {}, not {css}", name.value, lpars[at].css),
                format!("write \"{}.{chpid:02X}\"", lpars[at].css),
            ),
            None => (
                &name.span,
                format!("the plant has no partition {} on this machine", name.value),
                nearest_or_all(&name.value, lpars.iter().map(|lpar| lpar.name.as_str())),
            ),
        };
        self.inputs.report(event.error(numbers::EVENT_MISSES, span, message).fix(fix));
        None
    }

    /// Checks that the channel of the event leads to control unit `number`; else it is reported.
    pub fn leads(
        &self,
        machine: &Inputs<'_>,
        event: &Event,
        (lcu, number): (u32, u16),
        channel: u32,
    ) -> Option<()> {
        let (_, path) = self.channel_path(event)?;
        let (css, chpid) = path.value;
        let mut groups = self.lcus.lcu(lcu).path_groups.iter();
        let own = groups.find(|group| (group.cpc, group.css) == (machine.machine, css));
        if own.is_some_and(|group| group.paths.iter().any(|path| path.channel == channel)) {
            return Some(());
        }
        let message = format!("control unit {number:04X} has no path over CHPID {chpid:02X}");
        let error = event.error(numbers::EVENT_MISSES, &path.span, message);
        self.inputs.report(error.fix("name one of the channel paths of its CNTLUNIT statement"));
        None
    }

    /// Returns the inputs as the machine sees them whose part is named at `place`.
    pub fn machine(&self, event: &Event, place: &Range<usize>) -> Option<Inputs<'_>> {
        let cpcs = &self.inputs.plant.cpcs;
        let name = event.cpc.as_ref().map(|said| said.value).or_else(|| only(cpcs));
        let found = name.and_then(|name| self.inputs.each().find(|machine| machine.cpc.name == name));
        if found.is_none() {
            let error = match &event.cpc {
                Some(said) => {
                    event.error(numbers::NO_CPC, &said.span, format!("the plant has no CPC {}", said.value))
                }
                None => event.error(numbers::WHICH_CPC, place, "the event does not name its CPC"),
            };
            self.inputs.report(error.fix(format!("give the event `cpc`; {}", known(cpcs))));
        }
        found
    }

    /// Returns the index of control unit `number` of `machine`.
    pub fn control_unit(&self, machine: &Inputs<'_>, event: &Event, number: &Located<u16>) -> Option<u32> {
        let found = self.lcus.index(machine.machine, number.value);
        // A control unit of disks without a path has been reported with its paths.
        if found.is_none() && !self.lcus.has_disks(machine.machine, number.value) {
            let message = format!("the deck has no control unit {:04X} with disks", number.value);
            let mut error = event
                .error(numbers::EVENT_MISSES, &number.span, message)
                .fix("name the CUNUMBR of a CNTLUNIT with disks");
            let first = machine.deck.control_units.first();
            error.others.extend(first.map(|one| machine.deck_label(&one.span, "control units of the deck")));
            self.inputs.report(error);
        }
        found
    }

    /// Returns the domain that loses its interconnect: another takes over, and that one is not lost at the same time.
    pub fn interconnect(&self, event: &Event) -> Option<u32> {
        let (_, name) = event.part.as_ref()?;
        let inputs = self.inputs;
        let Some(domain) = self.interconnects.domain(&name.value) else {
            let message = format!("the plant has no domain {}", name.value);
            let error = event.error(numbers::EVENT_MISSES, &name.span, message);
            inputs.report(error.fix("name a `[[domain]]` of the plant"));
            return None;
        };
        let Some(standby) = self.interconnects.standby(&name.value) else {
            // A standby that the plant does not have has been reported with its domain.
            let named = |one: &&Domain| one.name.value == name.value;
            if let Some(domain) = inputs.plant.domains.iter().find(named).filter(|one| one.standby.is_none())
            {
                let message = format!("nothing takes over from the interconnect of domain {}", name.value);
                let error = event
                    .error(numbers::NO_STANDBY, &name.span, message)
                    .other(inputs.plant.label(&domain.name.span, "the domain"))
                    .fix("give the domain a `standby`, or let `path-lost` happen to its channels");
                inputs.report(error);
            }
            return None;
        };
        let until = |one: &Event| one.at.value + one.lasts.value;
        let overlaps = |other: &Event| other.at.value < until(event) && event.at.value < until(other);
        for other in inputs.workload.events.iter().filter(|other| overlaps(other)) {
            let Some((_, other_name)) = other.part.as_ref().filter(|_| is_interconnect(other)) else {
                continue;
            };
            if self.interconnects.domain(&other_name.value) == Some(standby) {
                let message = format!(
                    "domain {} and its standby {} are lost at one time",
                    name.value, other_name.value
                );
                let error = event
                    .error(numbers::NO_STANDBY, &name.span, message)
                    .other(Label::new(&other.source, other_name.span.clone(), "the standby is lost here"))
                    .fix("let one of them end before the other begins");
                inputs.report(error);
                return None;
            }
        }
        Some(domain)
    }
}

/// Returns true for the loss of an interconnect.
fn is_interconnect(event: &Event) -> bool {
    event.kind.value == EventKind::Fault(FaultKind::InterconnectLost)
}
