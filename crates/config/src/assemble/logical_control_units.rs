//! Logical control units: the decks' control units of disks, each found in a box of the plant by its paths.

use std::collections::{BTreeMap, BTreeSet};

use halftrack_deck::model::{self, ChannelPath, ControlUnit};
use halftrack_input::messages::study as numbers;

use crate::assemble::channels::{ChannelAt, Channels, FCP, SIMULATED};
use crate::assemble::fabric::{End, Fabric};
use crate::assemble::inputs::Inputs;
use crate::assemble::laid_paths::{Ground, LaidPaths};
use crate::assemble::links::Links;
use crate::assemble::ports::Ports;
use crate::assemble::routes::route;
use crate::cpc::Subsystem;
use crate::logical_control_unit::{Lcu, Path, PathGroup};
use crate::place::AdapterPort;
use crate::site::{DeckPath, PathPlace};

/// Paths from one channel subsystem to one control unit at most (channel subsystem architecture).
const PATHS_MAX: usize = 8;
/// ESCON channels with the parallel interface behind a converter, as blocks and as bytes.
const CONVERTED: [&str; 2] = ["CVC", "CBY"];
/// Device types of disks, by the beginning of UNIT=.
const DISKS: [&str; 2] = ["3390", "3380"];

/// The logical control units and what the decks' numbers mean.
pub struct LogicalControlUnits {
    lcus: Vec<Lcu>,
    /// Index by machine and control-unit number; several numbers may mean one.
    at: BTreeMap<(u8, u16), u32>,
    /// Machines and control-unit numbers of disks, those that have been reported included.
    disks: BTreeSet<(u8, u16)>,
    /// Outcome for the paths of CNTLUNIT statements.
    places: BTreeMap<DeckPath, PathPlace>,
}

/// Returns true when UNIT= of an IODEVICE names a disk.
pub fn is_disk(unit: &str) -> bool {
    DISKS.iter().any(|disk| unit.starts_with(disk))
}

/// Returns true when UNIT= of an IODEVICE names an alias, such as `3390A`.
pub fn is_alias(unit: &str) -> bool {
    is_disk(unit) && unit.ends_with('A')
}

/// A CNTLUNIT statement and the inputs as its machine sees them.
type Statement<'m, 'a> = (&'m Inputs<'a>, &'a ControlUnit);

/// A logical control unit while its CNTLUNIT statements are gathered, in the order of their numbers.
#[derive(Default)]
struct Gathered<'m, 'a> {
    statements: Vec<Statement<'m, 'a>>,
    paths: BTreeMap<Subsystem, Vec<Path>>,
    /// Paths of the statements, and their positions.
    places: Vec<(DeckPath, u8)>,
    aliases: BTreeSet<u8>,
}

impl<'m, 'a> Gathered<'m, 'a> {
    /// Returns its number: the lowest.
    fn number(&self) -> u16 {
        self.statements.first().map_or(0, |(_, statement)| statement.number.value)
    }

    /// Returns the first statement of machine `cpc`.
    fn of(&self, cpc: u8) -> Option<Statement<'m, 'a>> {
        self.statements.iter().find(|(machine, _)| machine.machine == cpc).copied()
    }
}

impl LogicalControlUnits {
    /// Creates the control units with disks, by number. CNTLUNIT statements that lead to the same image of the same box
    /// are one logical control unit, whichever decks they are in, named by the lowest of their numbers.
    pub fn new(
        inputs: &Inputs<'_>,
        channels: &Channels<'_>,
        fabric: &Fabric<'_>,
        ports: &Ports<'_>,
        links: &mut Links,
    ) -> Self {
        let machines: Vec<_> = inputs.each().collect();
        let (disks, aliases) = disks_of(&machines);
        let mut statements = Vec::new();
        for machine in &machines {
            let own = machine.deck.control_units.iter();
            let own = own.filter(|one| disks.contains(&(machine.machine, one.number.value)));
            statements.extend(own.map(|statement| (machine, statement)));
        }
        statements.sort_by_key(|(machine, statement)| (statement.number.value, machine.machine));
        let (mut laid, mut reported) = (LaidPaths::new(links), Reported::new());
        let ground = Ground { channels, fabric, ports };
        let mut gathered = BTreeMap::<(u32, u8), Gathered<'_, '_>>::new();
        for (machine, statement) in statements {
            let paths = paths(machine, ground, &mut laid, &mut reported, statement);
            let Some(first) = paths.first() else { continue };
            let image = statement.cuadd.as_ref().map_or(0, |image| image.value);
            let unit = gathered.entry((ports.box_of(first.1.port), image)).or_default();
            unit.statements.push((machine, statement));
            let number = (machine.machine, statement.number.value);
            unit.aliases.extend(aliases.get(&number).into_iter().flatten());
            for (subsystem, path) in paths {
                let Subsystem { cpc, css } = subsystem;
                let chpid = channels.channel(path.channel).chpid;
                let of_group = unit.paths.entry(subsystem).or_default();
                let said = DeckPath { cpc, css, control_unit: statement.number.value, chpid };
                unit.places.push((said, of_group.len() as u8));
                of_group.push(path);
            }
        }
        let mut units: Vec<_> = gathered.into_iter().collect();
        units.sort_by_key(|(_, unit)| unit.number());
        let (mut at, mut places) = (BTreeMap::new(), BTreeMap::new());
        for ((_, unit), index) in units.iter().zip(0..) {
            let number = |(machine, one): &Statement<'_, '_>| (machine.machine, one.number.value);
            at.extend(unit.statements.iter().map(|statement| (number(statement), index)));
            let place = |position: u8| PathPlace { lcu: index, position };
            places.extend(unit.places.iter().map(|(said, position)| (*said, place(*position))));
        }
        let lcus = units.iter().map(|((control_unit, image), unit)| lcu(*control_unit, *image, unit));
        Self { lcus: lcus.collect(), at, disks, places }
    }

    /// Returns the index of the logical control unit that control unit `number` in the deck of `machine` means.
    pub fn index(&self, machine: u8, number: u16) -> Option<u32> {
        self.at.get(&(machine, number)).copied()
    }

    /// Returns true when control unit `number` of `machine` has disks, though its paths may have been reported as
    /// wrong.
    pub fn has_disks(&self, machine: u8, number: u16) -> bool {
        self.disks.contains(&(machine, number))
    }

    /// Returns the logical control unit `index`.
    pub fn lcu(&self, index: u32) -> &Lcu {
        &self.lcus[index as usize]
    }

    /// Returns the logical control units, by number.
    pub fn all(&self) -> &[Lcu] {
        &self.lcus
    }

    /// Returns the outcome for the paths of CNTLUNIT statements.
    pub fn places(&self) -> &BTreeMap<DeckPath, PathPlace> {
        &self.places
    }
}

/// Machines and numbers of control units, each with what was found of it.
type ByNumber<T> = BTreeMap<(u8, u16), T>;

/// Returns machines and numbers of the control units that have disks, and the unit addresses of their aliases.
fn disks_of(machines: &[Inputs<'_>]) -> (BTreeSet<(u8, u16)>, ByNumber<BTreeSet<u8>>) {
    let mut disks = BTreeSet::new();
    let mut aliases = ByNumber::<BTreeSet<u8>>::new();
    let ranges =
        machines.iter().flat_map(|inputs| inputs.deck.devices.iter().map(|range| (inputs.machine, range)));
    for (machine, range) in ranges.filter(|(_, range)| is_disk(&range.unit.value)) {
        for number in range.control_units.iter().map(|number| (machine, number.value)) {
            disks.insert(number);
            if is_alias(&range.unit.value) {
                let addresses = (0..range.count).map(|nth| range.unit_address.wrapping_add(nth as u8));
                aliases.entry(number).or_default().extend(addresses);
            }
        }
    }
    (disks, aliases)
}

/// Machines and faults of their routes that have been reported, by what they come from; they are not again for other paths.
type Reported = BTreeSet<(u8, String)>;

/// Reports a path of disks over a channel of a type that is not simulated, or not for them.
fn report_not_simulated(
    inputs: &Inputs<'_>,
    statement: &ControlUnit,
    path: &model::Path,
    chpid: &ChannelPath,
) {
    let kind = chpid.channel_type.value.as_str();
    let message = format!(
        "control unit {:04X} of disks is reached over CHPID {:02X} of type {kind}, which {}",
        statement.number.value,
        path.chpid,
        match kind {
            FCP => "is for SCSI logical units",
            _ if CONVERTED.contains(&kind) => "is not simulated: it needs a converter behind its fibre",
            _ => "is not simulated",
        },
    );
    let error = inputs
        .in_deck(numbers::NOT_FICON, &path.span, message)
        .other(inputs.deck_label(&chpid.channel_type.span, "its type"));
    let types: Vec<&str> = SIMULATED.into_iter().filter(|kind| *kind != FCP).collect();
    inputs.report(error.fix(format!("use channels of one of the types {}", types.join(", "))));
}

/// Reports a path of disks to a host-adapter port that serves FCP.
fn report_fcp_port(
    inputs: &Inputs<'_>,
    fabric: &Fabric<'_>,
    statement: &ControlUnit,
    path: &model::Path,
    port: &AdapterPort,
) {
    let message = format!(
        "control unit {:04X} is reached over FICON, but {port} serves FCP, which refuses the login",
        statement.number.value
    );
    let mut error = inputs.in_deck(numbers::OTHER_PROTOCOL, &path.span, message);
    let end = fabric.at(&End::Adapter(port.clone()));
    error.others.extend(end.map(|end| inputs.plant.label(&fabric.fibre(end).span, "where this path ends")));
    inputs.report(error.fix("lead the path to another port, or remove `protocol = \"fcp\"` of this one"));
}

/// Returns the paths of one CNTLUNIT with their channel subsystems, in deck order; what is wrong with them is reported.
fn paths(
    inputs: &Inputs<'_>,
    ground: Ground<'_, '_>,
    laid: &mut LaidPaths<'_>,
    reported: &mut Reported,
    statement: &ControlUnit,
) -> Vec<(Subsystem, Path)> {
    let Ground { channels, fabric, ports } = ground;
    let mut found: Vec<(Subsystem, Path)> = Vec::new();
    for path in &statement.paths {
        let subsystem = Subsystem { cpc: inputs.machine, css: path.css };
        let channel = match channels.at(subsystem, path.chpid) {
            ChannelAt::Known(channel, _) if channels.channel(channel).hardware.fcp.is_none() => channel,
            // An undefined CHPID is an error of the deck alone, which its reader reports.
            ChannelAt::Broken | ChannelAt::Undefined => continue,
            ChannelAt::Known(_, chpid) | ChannelAt::OtherType(chpid) => {
                report_not_simulated(inputs, statement, path, chpid);
                continue;
            }
        };
        let route = match route(inputs, fabric, &End::Channel(channels.plug(channel)), statement, path) {
            Ok(route) => route,
            Err(fault) => {
                if reported.insert((inputs.machine, fault.root)) {
                    inputs.report(*fault.diagnostic);
                }
                None
            }
        };
        let Some((port, route)) = route.and_then(|route| Some((ports.index(&route.port)?, route))) else {
            continue;
        };
        if ports.is_fcp(&route.port) {
            report_fcp_port(inputs, fabric, statement, path, &route.port);
            continue;
        }
        if let Some((_, first)) = found.first()
            && ports.box_of(first.port) != ports.box_of(port)
        {
            let message = format!(
                "the paths of control unit {:04X} end at two boxes, {} and {}",
                statement.number.value,
                ports.port(first.port).control_unit,
                ports.port(port).control_unit
            );
            let end = fabric.at(&End::Adapter(route.port.clone()));
            let mut error = inputs
                .in_deck(numbers::TWO_BOXES, &path.span, message)
                .fix("correct the link address, or `to` of the host-adapter port");
            error
                .others
                .extend(end.map(|end| inputs.plant.label(&fabric.fibre(end).span, "where this path ends")));
            inputs.report(error);
            continue;
        }
        let path = laid.lay(inputs, ground, (channel, port), &route);
        found.push((subsystem, path));
    }
    found
}

/// Returns the logical control unit that the gathered statements make.
fn lcu(control_unit: u32, image: u8, unit: &Gathered<'_, '_>) -> Lcu {
    let mut path_groups = Vec::new();
    for (Subsystem { cpc, css }, paths) in &unit.paths {
        let Some((inputs, statement)) = unit.of(*cpc) else { continue };
        let number = statement.number.value;
        if paths.len() > PATHS_MAX {
            let message = format!(
                "control unit {number:04X} has {} paths from CSS {css}; a path group has at most {PATHS_MAX}",
                paths.len()
            );
            let error = inputs.in_deck(numbers::TOO_MANY_PATHS, &statement.number.span, message);
            inputs
                .report(error.fix("remove paths, or give CNTLUNIT statements of other images another CUADD"));
        }
        path_groups.push(PathGroup { cpc: *cpc, css: *css, number, paths: paths.clone() });
    }
    Lcu {
        number: unit.number(),
        control_unit,
        image,
        aliases: unit.aliases.len() as u32,
        path_groups,
        luns: None,
    }
}
