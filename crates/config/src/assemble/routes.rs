//! Routes: from a channel's fibre over the directors to the host-adapter port that a link address names.

use std::collections::{BTreeMap, BTreeSet};

use halftrack_deck::model::{ControlUnit, LinkAddress, Path};
use halftrack_input::Diagnostic;
use halftrack_input::messages::study as numbers;

use crate::assemble::bus;
use crate::assemble::fabric::{End, Fabric};
use crate::assemble::inputs::Inputs;
use crate::assemble::links::Direction;
use crate::place::{AdapterPort, DirectorPort};

/// Where a path ends and the fibres that it takes there.
pub struct Route {
    /// The host-adapter port.
    pub port: AdapterPort,
    /// The fibres, from the channel on.
    pub hops: Vec<Direction>,
    /// The fibres of other ways that are as short, in the order of their names.
    pub others: Vec<Vec<Direction>>,
}

/// Ways of one path at most: a fabric of many cascades has more than anybody wants to follow.
const WAYS_MAX: usize = 16;

/// Why a path has no route.
pub struct Fault {
    /// Missing or wrong part, shared by all paths that suffer from it.
    pub root: String,
    /// The message, at the first path that shows it.
    pub diagnostic: Box<Diagnostic>,
}

/// Returns the route of `path` of `control_unit` from the channel whose fibre ends at `channel`. `None` when a broken
/// part of the plant lies on the way, which has been reported.
pub fn route(
    inputs: &Inputs<'_>,
    fabric: &Fabric<'_>,
    channel: &End,
    control_unit: &ControlUnit,
    path: &Path,
) -> Result<Option<Route>, Fault> {
    let who = format!("CHPID {:02X} of control unit {:04X}", path.chpid, control_unit.number.value);
    let here = |number, message: String| {
        inputs
            .in_deck(number, &path.span, message)
            .other(inputs.deck_label(&control_unit.span, "its CNTLUNIT"))
    };
    let Some(first) = bus::fibre_to(inputs, fabric, channel, control_unit, here, &who)? else {
        return Ok(None);
    };
    let cable = fabric.fibre(first);
    let entry = match (cable.other(channel), path.link) {
        (End::Adapter(port), None) => {
            let hops = vec![(first, cable.ends[0] != *channel)];
            return Ok(Some(Route { port: port.clone(), hops, others: Vec::new() }));
        }
        (End::Director(entry), Some(link)) => {
            return through(inputs, fabric, channel, *entry, link, here, &who);
        }
        (end, link) => (end, link),
    };
    let (end, link) = entry;
    let message = match link {
        Some(link) => format!("{who} has link address {}, but its cable leads to {end}", shown(link)),
        None => format!("{who} has no link address, but its cable leads to {end}"),
    };
    let cable = inputs.plant.label(&cable.span, "where the cable leads");
    let fix = "code LINK= for channels behind a director, and only for them";
    let diagnostic = here(numbers::LINK_MISFIT, message).other(cable).fix(fix);
    Err(Fault { root: format!("link of {who}"), diagnostic: Box::new(diagnostic) })
}

/// Returns the route from `channel` in at `entry` and out to `link`.
fn through(
    inputs: &Inputs<'_>,
    fabric: &Fabric<'_>,
    channel: &End,
    entry: DirectorPort,
    link: LinkAddress,
    here: impl Fn(u16, String) -> Diagnostic,
    who: &str,
) -> Result<Option<Route>, Fault> {
    let director = link.switch.unwrap_or(entry.director);
    let directors = &inputs.plant.directors;
    let Some(said) = directors.iter().find(|one| one.id.value == director) else {
        let message = format!("link address {} of {who} is on no director of the plant", shown(link));
        let mut error = here(numbers::NO_LINK_DIRECTOR, message)
            .fix(format!("add a `[[director]]` with `id = \"{director:02X}\"`, or correct the link address"));
        error
            .others
            .extend(directors.first().map(|one| inputs.plant.label(&one.id.span, "directors of the plant")));
        return Err(Fault { root: format!("director {director:02X}"), diagnostic: Box::new(error) });
    };
    let out = DirectorPort { director, port: link.port };
    let exit = End::Director(out);
    let last = fabric.at(&exit);
    let Some(End::Adapter(port)) = last.map(|last| fabric.fibre(last).other(&exit)) else {
        if fabric.is_broken(&exit) || fabric.director(director).is_none() {
            return Ok(None);
        }
        let message =
            format!("link address {} of {who}: no host-adapter port is cabled to {out}", shown(link));
        let place = match last {
            Some(last) => inputs.plant.label(&fabric.fibre(last).span, "something else is plugged there"),
            None => inputs.plant.label(&said.id.span, "the director"),
        };
        let fix = format!("add `to = \"{out}\"` to a `[[control_unit.port]]`, or correct the link address");
        let diagnostic = here(numbers::NO_HOST_ADAPTER, message).other(place).fix(fix);
        return Err(Fault { root: format!("port {out}"), diagnostic: Box::new(diagnostic) });
    };
    let between = switch_hops(fabric, entry.director, director);
    if between.is_empty() {
        let broken = |end: &DirectorPort| fabric.is_broken(&End::Director(*end));
        if inputs.plant.isls.iter().any(|isl| broken(&isl.from.value)) {
            return Ok(None);
        }
        let message = format!(
            "link address {} of {who}: no inter-switch link leads from director {:02X} to director {director:02X}",
            shown(link),
            entry.director
        );
        let fix = "add an `[[isl]]` between the directors";
        let place = inputs.plant.label(&said.id.span, "the director");
        let diagnostic = here(numbers::NO_ROUTE, message).other(place).fix(fix);
        let root = format!("from {:02X} to {director:02X}", entry.director);
        return Err(Fault { root, diagnostic: Box::new(diagnostic) });
    }
    Ok(Some(joined(fabric, channel, between, &exit, port)))
}

/// Returns the route from a channel over the directors `between` to `port`, whose fibre begins at `exit`.
fn joined(
    fabric: &Fabric<'_>,
    channel: &End,
    between: Vec<Vec<Direction>>,
    exit: &End,
    port: &AdapterPort,
) -> Route {
    let from = |end: &End| fabric.at(end).map(|fibre| (fibre, fabric.fibre(fibre).ends[0] != *end));
    let (first, last) = (from(channel), from(exit));
    let way = |between| [first.into_iter().collect(), between, last.into_iter().collect()].concat();
    let mut ways = between.into_iter().map(way);
    let hops = ways.next().unwrap_or_default();
    Route { port: port.clone(), hops, others: ways.collect() }
}

/// Returns the route from an FCP channel to `port`; `None` when no fibre leads there. The channel finds it by its world-wide
/// name and not by a link address.
pub fn route_to(fabric: &Fabric<'_>, channel: &End, port: &AdapterPort) -> Option<Route> {
    let first = fabric.at(channel)?;
    match fabric.fibre(first).other(channel) {
        End::Adapter(end) if end == port => {
            let hops = vec![(first, fabric.fibre(first).ends[0] != *channel)];
            Some(Route { port: port.clone(), hops, others: Vec::new() })
        }
        End::Adapter(_) | End::Channel(_) => None,
        End::Director(entry) => {
            let adapter = End::Adapter(port.clone());
            let exit = fabric.fibre(fabric.at(&adapter)?).other(&adapter);
            let End::Director(out) = exit else { return None };
            let between = switch_hops(fabric, entry.director, out.director);
            (!between.is_empty()).then(|| joined(fabric, channel, between, exit, port))
        }
    }
}

/// Returns the fibres from one channel to another, over directors or point to point; `None` when they are not connected. A
/// channel reaches itself by its port of a director.
pub fn route_between(fabric: &Fabric<'_>, from: &End, to: &End) -> Option<Vec<Direction>> {
    let first = fabric.at(from)?;
    let leaving = |fibre: usize, end: &End| (fibre, fabric.fibre(fibre).ends[0] != *end);
    match fabric.fibre(first).other(from) {
        End::Director(entry) => {
            let last = fabric.at(to)?;
            let exit = fabric.fibre(last).other(to);
            let End::Director(out) = exit else { return None };
            let between = switch_hops(fabric, entry.director, out.director).into_iter().next()?;
            Some([vec![leaving(first, from)], between, vec![leaving(last, exit)]].concat())
        }
        end => (end == to).then(|| vec![leaving(first, from)]),
    }
}

/// Returns the routes over inter-switch links from director `from` to director `to`, in the order of their names. They
/// are those with the fewest links, which share the load (FC-SW-7, FSPF): none without a connection, one without links
/// within a director.
fn switch_hops(fabric: &Fabric<'_>, from: u8, to: u8) -> Vec<Vec<Direction>> {
    let mut reached = BTreeSet::new();
    let mut ways = vec![(from, Vec::<Direction>::new())];
    while !ways.is_empty() {
        if ways.iter().any(|(at, _)| *at == to) {
            return ways.into_iter().filter(|(at, _)| *at == to).map(|(_, hops)| hops).collect();
        }
        // Ways of one length stay in the order of their names; what is reached over fewer links is not gone to again.
        reached.extend(ways.iter().map(|(at, _)| *at));
        let mut longer = Vec::new();
        for (at, hops) in &ways {
            let mut onward: Vec<_> =
                fabric.fibres().iter().enumerate().filter_map(|one| leaving(one, *at)).collect();
            onward.sort();
            let new = onward.into_iter().filter(|(_, next, _)| !reached.contains(next));
            longer.extend(new.map(|(_, next, hop)| (next, [hops.clone(), vec![hop]].concat())));
        }
        keep_few(&mut longer);
        ways = longer;
    }
    Vec::new()
}

/// Leaves the first ways to every director.
fn keep_few(ways: &mut Vec<(u8, Vec<Direction>)>) {
    let mut kept = BTreeMap::<u8, usize>::new();
    ways.retain(|(at, _)| {
        let kept = kept.entry(*at).or_default();
        *kept += 1;
        *kept <= WAYS_MAX
    });
}

/// Returns a fibre as an inter-switch link out of director `at`: its name, the director it leads to, the direction.
fn leaving(
    (index, fibre): (usize, &crate::assemble::fabric::Fibre),
    at: u8,
) -> Option<(String, u8, Direction)> {
    let [End::Director(a), End::Director(b)] = &fibre.ends else { return None };
    let name = |from: &DirectorPort, to: &DirectorPort| format!("{from} > {to}");
    if a.director == at {
        Some((name(a, b), b.director, (index, false)))
    } else if b.director == at {
        Some((name(b, a), a.director, (index, true)))
    } else {
        None
    }
}

/// Returns a link address as the deck writes it.
pub fn shown(link: LinkAddress) -> String {
    match link.switch {
        Some(switch) => format!("{switch:02X}{:02X}", link.port),
        None => format!("{:02X}", link.port),
    }
}
