//! View that one system has of a study, now or at a moment of a run.

use std::collections::BTreeSet;

use halftrack_config::{Channel, Configuration, DeckPath, Lpar, MachineSite, PathPlace, Site};
use halftrack_deck::model::{ChannelPath, ControlUnit, Deck, DeviceRange, LinkAddress, UNDIVIDED};
use halftrack_fabric::endpoint_security::{Connection, Protection};
use halftrack_isfc::End;
use halftrack_record::Moment;

use super::command::DeviceNumber;

/// Inputs of a display: a study, and a moment of its run.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// The simulated machine.
    pub configuration: &'a Configuration,
    /// The definitions of the decks.
    pub site: &'a Site,
    /// The moment of a run; `None` before any run.
    pub moment: Option<&'a Moment>,
    /// PCHIDs of what is plugged into the machine, in place of those of the plant; `None` without others.
    pub plugged: Option<&'a BTreeSet<u16>>,
}

/// View that one system has of a study.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'a> {
    pub known: Known<'a>,
    pub machine: &'a MachineSite,
    pub system: &'a str,
    pub cpc: u8,
    pub css: u8,
    pub(super) lpar: Option<u32>,
}

/// How a channel path stands to the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// It may use it.
    Online,
    /// It could be given it, or it was taken away.
    Offline,
    /// Others have it.
    Elsewhere,
    /// It is not defined.
    Undefined,
}

/// One path of a device or control unit.
#[derive(Debug, Clone)]
pub(super) struct PathFact<'a> {
    pub unit: &'a ControlUnit,
    pub chpid: u8,
    /// Director port of the channel.
    pub entry: Option<String>,
    /// Director port of the control unit.
    pub destination: Option<String>,
    /// The system uses it.
    pub online: bool,
    /// The channel is configured to the system.
    pub physical: bool,
    /// Its fibre is lit, as far as that is known.
    pub operational: bool,
    /// Its other end is in the plant.
    pub validated: bool,
    /// Host-adapter port.
    pub interface: Option<&'a str>,
    /// Protection of its frames; `None` where the other end is unknown.
    pub protection: Option<Protection>,
    /// Channel and port take transport mode.
    pub zhpf: (bool, bool),
    pub lcu: Option<u32>,
}

/// A device of a statement.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found<'a> {
    pub range: &'a DeviceRange,
    pub set: u8,
    pub number: u16,
}

impl<'a> View<'a> {
    /// Returns the systems of a study: partitions that the decks name, those with work first.
    pub(super) fn all(known: Known<'a>) -> Vec<Self> {
        let mut found = Vec::new();
        for (machine, cpc) in known.site.machines.iter().zip(0..) {
            for partition in &machine.deck.partitions {
                let Some(system) = machine.image_name(partition) else { continue };
                let is_it = |one: &Lpar| one.name == system && one.cpc == cpc;
                let lpar = known.configuration.lpars.iter().position(is_it).map(|at| at as u32);
                found.push(Self { known, machine, system, cpc, css: partition.css, lpar });
            }
        }
        let c = known.configuration;
        let links = || c.islinks.iter().flat_map(|link| link.lpars);
        let works = |view: &Self| {
            let mut with_work = c.streams.iter().map(|one| one.lpar).chain(links());
            view.lpar.is_some_and(|lpar| with_work.any(|one| one == lpar))
        };
        found.sort_by_key(|view| (!works(view), view.lpar.is_none()));
        found
    }

    /// Returns the system's ends of logical links, as they are at the moment or at the start of a run.
    pub(super) fn islinks(&self) -> Vec<End> {
        let Known { configuration, moment, .. } = self.known;
        if let Some(moment) = moment {
            let own = moment.islinks.iter().filter(|(lpar, _)| Some(*lpar) == self.lpar);
            return own.map(|(_, end)| end.clone()).collect();
        }
        let ends = configuration.islinks.iter().flat_map(|link| [(link, 0), (link, 1)]);
        let own = ends.filter(|(link, index)| Some(link.lpars[*index]) == self.lpar);
        own.map(|(link, index)| link.end(&configuration.lpars, index)).collect()
    }

    /// Returns the plant's entry of the partition.
    pub(super) fn lpar(&self) -> Option<&'a Lpar> {
        self.lpar.map(|lpar| &self.known.configuration.lpars[lpar as usize])
    }

    /// Returns true when a stream of the system uses base device `index` at this moment.
    pub(super) fn allocates(&self, index: u32) -> bool {
        let mut streams = self.known.configuration.streams.iter();
        let uses = |one: &halftrack_config::Stream| {
            Some(one.lpar) == self.lpar && one.devices.binary_search(&index).is_ok()
        };
        self.known.moment.is_some() && streams.any(uses)
    }

    /// Returns the deck's word for the system in access lists.
    pub(super) fn partition(&self) -> &'a str {
        if self.machine.deck.is_basic() { UNDIVIDED } else { self.system }
    }

    /// Returns true when an access or candidate list names the system.
    pub(super) fn is_in(&self, list: &[(u8, String)]) -> bool {
        list.iter().any(|(css, name)| *css == self.css && name == self.partition())
    }

    /// Returns the index of the channel that CHPID `chpid` is, where it is simulated.
    pub(super) fn channel(&self, chpid: u8) -> Option<u32> {
        let is_it = |one: &Channel| one.cpc == self.cpc && one.chpid == chpid && one.css.contains(&self.css);
        self.known.configuration.channels.iter().position(is_it).map(|at| at as u32)
    }

    /// Returns the standing of CHPID `chpid` in the system, with its statement.
    pub(super) fn standing(&self, chpid: u8) -> (Standing, Option<&'a ChannelPath>) {
        let Some(path) = self.machine.channel_path(self.css, chpid) else {
            return (Standing::Undefined, None);
        };
        let is_off = |moment: &Moment| {
            let both = self.lpar.zip(self.channel(chpid));
            both.is_some_and(|both| moment.configured_off.contains(&both))
        };
        let standing = match (self.is_in(&path.access), self.is_in(&path.candidates)) {
            (true, _) if self.known.moment.is_some_and(is_off) => Standing::Offline,
            (true, _) => Standing::Online,
            (false, true) => Standing::Offline,
            (false, false) => Standing::Elsewhere,
        };
        (standing, Some(path))
    }

    /// Returns every device statement that the system may use, in canonical order.
    pub(super) fn ranges(&self) -> impl Iterator<Item = &'a DeviceRange> + use<'a> {
        let view = *self;
        let may = move |range: &&DeviceRange| {
            let own = |(css, _): &&(u8, String)| *css == view.css;
            range.candidates.iter().find(own).is_none() || view.is_in(&range.candidates)
        };
        self.machine.devices_of(self.css).filter(may)
    }

    /// Returns the devices of `range`.
    pub(super) fn of_range(&self, range: &'a DeviceRange) -> impl Iterator<Item = Found<'a>> + use<'a> {
        let set = range.subchannel_set.of(self.css);
        let numbers = (0..range.count).map_while(move |nth| range.number.value.checked_add(nth));
        numbers.map(move |number| Found { range, set, number })
    }

    /// Returns the device that an operator names.
    pub(super) fn device(&self, named: DeviceNumber) -> Option<Found<'a>> {
        let set = named.set.unwrap_or(0);
        let holds = |range: &&DeviceRange| {
            let offset = named.number.checked_sub(range.number.value);
            range.subchannel_set.of(self.css) == set && offset.is_some_and(|offset| offset < range.count)
        };
        let range = self.ranges().find(holds)?;
        Some(Found { range, set, number: named.number })
    }

    /// Returns the paths of the control units of `range`.
    pub(super) fn paths_of(&self, range: &DeviceRange) -> Vec<PathFact<'a>> {
        let units = range.control_units.iter().filter_map(|number| self.machine.control_unit(number.value));
        units.flat_map(|unit| self.paths_of_unit(unit)).collect()
    }

    /// Returns the paths of a control unit, in the order of the deck.
    pub(super) fn paths_of_unit(&self, unit: &'a ControlUnit) -> Vec<PathFact<'a>> {
        let own = unit.paths.iter().filter(|path| path.css == self.css);
        own.map(|path| self.path(unit, path.chpid, path.link)).collect()
    }

    fn path(&self, unit: &'a ControlUnit, chpid: u8, link: Option<LinkAddress>) -> PathFact<'a> {
        let Known { configuration, site, moment, .. } = self.known;
        let (standing, _) = self.standing(chpid);
        let channel = self.channel(chpid);
        let (cpc, css, control_unit) = (self.cpc, self.css, unit.number.value);
        let place = site.paths.get(&DeckPath { cpc, css, control_unit, chpid }).copied();
        let wire = place.and_then(|place| self.wire(place));
        let dark = channel.is_some_and(|at| moment.is_some_and(|moment| moment.dark[at as usize]));
        let state = moment.zip(self.lpar).zip(place);
        let state = state.and_then(|((moment, lpar), place)| moment.path(lpar, place.lcu, place.position));
        let physical = standing == Standing::Online && state.is_none_or(|state| state.physically_online);
        let connection = place.zip(wire).map(|(place, wire)| self.connection(place, wire));
        let refused = connection == Some(Connection::Refused);
        let online = physical && state.map_or(!dark && !refused, |state| state.online);
        let port = wire.map(|wire| &configuration.ports[wire.port as usize]);
        let entry = channel.and_then(|at| site.channels[at as usize].entry);
        let has_switch = link.is_some_and(|link| link.switch.is_some());
        let to_director = link.is_some_and(|link| self.leads_to_director(chpid, link));
        let lit = !dark && state.map_or(!refused, |state| state.operational);
        let operational = physical && lit && (place.is_some() || (channel.is_some() && to_director));
        PathFact {
            unit,
            chpid,
            entry: link.and(entry).map(|entry| match has_switch {
                true => format!("{:02X}{:02X}", entry.director, entry.port),
                false => format!("{:02X}", entry.port),
            }),
            destination: link.map(|link| link.to_string()),
            online,
            physical,
            operational,
            validated: place.is_some() || to_director,
            interface: port.and_then(|port| port.name.split_once(' ')).map(|(_, id)| id),
            protection: connection.map(|connection| match operational {
                true => connection.protection(),
                false => Protection::None,
            }),
            zhpf: (
                channel.is_some_and(|at| configuration.channels[at as usize].hardware.zhpf),
                port.is_some_and(|port| port.hardware.zhpf),
            ),
            lcu: place.map(|place| place.lcu),
        }
    }

    /// Returns the connection of the path at `place`, which is `wire`: that of the moment, or of the start of a run.
    fn connection(&self, place: PathPlace, wire: &halftrack_config::Path) -> Connection {
        let moment = self.known.moment;
        let now =
            moment.and_then(|moment| moment.connection(place.lcu, (self.cpc, self.css), place.position));
        now.unwrap_or_else(|| self.known.configuration.connection_at_start(wire))
    }

    /// Returns the path of the configuration at `place`.
    fn wire(&self, place: PathPlace) -> Option<&'a halftrack_config::Path> {
        let mut groups = self.known.configuration.lcus[place.lcu as usize].path_groups.iter();
        let group = groups.find(|group| (group.cpc, group.css) == (self.cpc, self.css))?;
        group.paths.get(usize::from(place.position))
    }

    /// Returns true when `link` is the control port of a director of the plant: FE, the port of its control-unit
    /// function.
    fn leads_to_director(&self, chpid: u8, link: LinkAddress) -> bool {
        const CONTROL_PORT: u8 = 0xFE;
        let entry = || self.machine.channel_path(self.css, chpid)?.switch.as_ref().map(|one| one.value);
        let switch = link.switch.or_else(entry);
        link.port == CONTROL_PORT && switch.is_some_and(|one| self.known.site.directors.contains_key(&one))
    }

    /// Returns the index of the base device, where it is one that is simulated.
    pub(super) fn base(&self, found: Found<'a>) -> Option<u32> {
        let lcu = self.paths_of(found.range).iter().find_map(|path| path.lcu)?;
        let devices = &self.known.configuration.devices;
        let from =
            devices.partition_point(|one| (one.subchannel_set, one.number) < (found.set, found.number));
        let same = devices[from..]
            .iter()
            .take_while(|one| (one.subchannel_set, one.number) == (found.set, found.number));
        same.zip(from as u32..).find(|(one, _)| one.lcu == lcu).map(|(_, at)| at)
    }

    /// Returns true when any path of it works, for a device that something is behind.
    pub(super) fn is_online(paths: &[PathFact<'_>]) -> bool {
        paths.iter().any(|path| path.validated && path.online && path.operational)
    }
}

/// Returns true when the device is an alias.
pub(super) fn is_alias(range: &DeviceRange) -> bool {
    Deck::is_alias_unit(&range.unit.value)
}
