//! Logical control units: the deck's control units of disks, each found in a box of the plant by its paths.

use std::collections::{BTreeMap, BTreeSet};

use halftrack_deck::model::ControlUnit;

use crate::assemble::channels::{ChannelAt, Channels};
use crate::assemble::fabric::Fabric;
use crate::assemble::inputs::Inputs;
use crate::assemble::links::Links;
use crate::assemble::ports::Ports;
use crate::assemble::reach;
use crate::assemble::routes::route;
use crate::configuration::{Lcu, Path, PathGroup, RoutePair};
use crate::numbers;

/// Paths from one channel subsystem to one control unit at most (channel subsystem architecture).
const PATHS_MAX: usize = 8;
/// Device types of disks, by the beginning of UNIT=.
const DISKS: [&str; 2] = ["3390", "3380"];

/// The logical control units and what the deck's numbers mean.
pub struct LogicalControlUnits {
    lcus: Vec<Lcu>,
    /// Index by control-unit number; several numbers may mean one.
    at: BTreeMap<u16, u32>,
    /// Control-unit numbers of disks, those that have been reported included.
    disks: BTreeSet<u16>,
}

/// Whether UNIT= of an IODEVICE names a disk.
pub fn is_disk(unit: &str) -> bool {
    DISKS.iter().any(|disk| unit.starts_with(disk))
}

/// Whether UNIT= of an IODEVICE names an alias, such as `3390A`.
pub fn is_alias(unit: &str) -> bool {
    is_disk(unit) && unit.ends_with('A')
}

/// A logical control unit while its CNTLUNIT statements are gathered.
struct Gathered<'d> {
    statement: &'d ControlUnit,
    paths: BTreeMap<u8, Vec<Path>>,
    aliases: BTreeSet<u8>,
    numbers: Vec<u16>,
}

impl LogicalControlUnits {
    /// The control units with disks, by number. CNTLUNIT statements that lead to the same image of the same box are
    /// one logical control unit, named by the lowest of their numbers.
    pub fn new(
        inputs: &Inputs<'_>,
        channels: &Channels<'_>,
        fabric: &Fabric<'_>,
        ports: &Ports<'_>,
        links: &mut Links,
    ) -> Self {
        let (disks, aliases) = disks_of(inputs);
        let mut statements: Vec<_> = inputs.deck.control_units.iter().collect();
        statements.retain(|statement| disks.contains(&statement.number.value));
        statements.sort_by_key(|statement| statement.number.value);
        let mut told = Told::default();
        let mut gathered = BTreeMap::<(u32, u8), Gathered<'_>>::new();
        for statement in statements {
            let paths = paths(inputs, channels, fabric, ports, links, &mut told, statement);
            let Some(first) = paths.first() else { continue };
            let image = statement.cuadd.as_ref().map_or(0, |image| image.value);
            let unit = gathered.entry((ports.box_of(first.1.port), image)).or_insert_with(|| Gathered {
                statement,
                paths: BTreeMap::new(),
                aliases: BTreeSet::new(),
                numbers: Vec::new(),
            });
            unit.numbers.push(statement.number.value);
            unit.aliases.extend(aliases.get(&statement.number.value).into_iter().flatten());
            for (css, path) in paths {
                unit.paths.entry(css).or_default().push(path);
            }
        }
        let mut units: Vec<_> = gathered.into_iter().collect();
        units.sort_by_key(|(_, unit)| unit.statement.number.value);
        let numbers = units
            .iter()
            .zip(0..)
            .flat_map(|((_, unit), index)| unit.numbers.iter().map(move |number| (*number, index)));
        let at = numbers.collect();
        let lcus =
            units.into_iter().map(|((control_unit, image), unit)| lcu(inputs, control_unit, image, unit));
        Self { lcus: lcus.collect(), at, disks }
    }

    /// Index of the logical control unit that the deck's control unit `number` means.
    pub fn index(&self, number: u16) -> Option<u32> {
        self.at.get(&number).copied()
    }

    /// Whether control unit `number` has disks, though its paths may have been reported as wrong.
    pub fn has_disks(&self, number: u16) -> bool {
        self.disks.contains(&number)
    }

    /// Logical control unit `index`.
    pub fn lcu(&self, index: u32) -> &Lcu {
        &self.lcus[index as usize]
    }

    /// The logical control units, by number.
    pub fn into_lcus(self) -> Vec<Lcu> {
        self.lcus
    }
}

/// Numbers of the control units that have disks, and the unit addresses of their aliases.
fn disks_of(inputs: &Inputs<'_>) -> (BTreeSet<u16>, BTreeMap<u16, BTreeSet<u8>>) {
    let mut disks = BTreeSet::new();
    let mut aliases = BTreeMap::<u16, BTreeSet<u8>>::new();
    for range in inputs.deck.devices.iter().filter(|range| is_disk(&range.unit.value)) {
        for number in range.control_units.iter().map(|number| number.value) {
            disks.insert(number);
            if is_alias(&range.unit.value) {
                let addresses = (0..range.count).map(|nth| range.unit_address.wrapping_add(nth as u8));
                aliases.entry(number).or_default().extend(addresses);
            }
        }
    }
    (disks, aliases)
}

/// What was reported and is not reported again for other paths.
#[derive(Default)]
struct Told {
    /// Faults of routes, by what they come from.
    faults: BTreeSet<String>,
    /// Fibres that are too long.
    far: BTreeSet<usize>,
}

/// The paths of one CNTLUNIT with their channel subsystems, in deck order; what is wrong with them is reported.
fn paths(
    inputs: &Inputs<'_>,
    channels: &Channels<'_>,
    fabric: &Fabric<'_>,
    ports: &Ports<'_>,
    links: &mut Links,
    told: &mut Told,
    statement: &ControlUnit,
) -> Vec<(u8, Path)> {
    let mut found: Vec<(u8, Path)> = Vec::new();
    for path in &statement.paths {
        let channel = match channels.at(path.css, path.chpid) {
            ChannelAt::Known(channel, _) => channel,
            // An undefined CHPID is an error of the deck alone, which its reader reports.
            ChannelAt::Broken | ChannelAt::Undefined => continue,
            ChannelAt::OtherType(chpid) => {
                let message = format!(
                    "control unit {:04X} of disks is reached over CHPID {:02X} of type {}; only FC and CNC are simulated",
                    statement.number.value, path.chpid, chpid.channel_type.value
                );
                let error = inputs
                    .in_deck(numbers::NOT_FICON, &path.span, message)
                    .other(inputs.deck_label(&chpid.channel_type.span, "its type"));
                inputs.report(error.fix("use TYPE=FC or TYPE=CNC channels for disks"));
                continue;
            }
        };
        let route = match route(inputs, fabric, channels.end(channel), statement, path) {
            Ok(route) => route,
            Err(fault) => {
                if told.faults.insert(fault.root) {
                    inputs.report(*fault.diagnostic);
                }
                None
            }
        };
        let Some((port, route)) = route.and_then(|route| Some((ports.index(&route.port)?, route))) else {
            continue;
        };
        if let Some((_, first)) = found.first()
            && ports.box_of(first.port) != ports.box_of(port)
        {
            let message = format!(
                "the paths of control unit {:04X} end at two boxes, {} and {}",
                statement.number.value,
                ports.port(first.port).control_unit,
                ports.port(port).control_unit
            );
            let end = fabric.at(&crate::assemble::fabric::End::Adapter(route.port.clone()));
            let mut error = inputs
                .in_deck(numbers::TWO_BOXES, &path.span, message)
                .fix("correct the link address, or `to` of the host-adapter port");
            error
                .others
                .extend(end.map(|end| inputs.plant.label(&fabric.fibre(end).span, "where this path ends")));
            inputs.report(error);
            continue;
        }
        reach::check(inputs, fabric, channels.channel(channel).identity, &route.hops, &mut told.far);
        let RoutePair { outbound, inbound } = links.route(&route.hops);
        let alternatives = route.others.iter().map(|hops| links.route(hops)).collect();
        found.push((path.css, Path { channel, port, outbound, inbound, alternatives }));
    }
    found
}

/// The logical control unit that the gathered statements make.
fn lcu(inputs: &Inputs<'_>, control_unit: u32, image: u8, unit: Gathered<'_>) -> Lcu {
    let number = unit.statement.number.value;
    for (css, paths) in &unit.paths {
        if paths.len() > PATHS_MAX {
            let message = format!(
                "control unit {number:04X} has {} paths from CSS {css}; a path group has at most {PATHS_MAX}",
                paths.len()
            );
            let error = inputs.in_deck(numbers::TOO_MANY_PATHS, &unit.statement.number.span, message);
            inputs
                .report(error.fix("remove paths, or give CNTLUNIT statements of other images another CUADD"));
        }
    }
    Lcu {
        number,
        control_unit,
        image,
        aliases: unit.aliases.len() as u32,
        path_groups: unit.paths.into_iter().map(|(css, paths)| PathGroup { css, paths }).collect(),
    }
}
