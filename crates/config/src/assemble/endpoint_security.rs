//! Fibre Channel Endpoint Security: the three parts that encrypt a connection, and what is missing of them.
//!
//! The paper on the FICON Express32S names them: the card, the storage, the key manager. Without any one of them the link is
//! not encrypted, and a part that sends no clear text has no connection.

use std::collections::BTreeSet;
use std::ops::Range;

use halftrack_catalog::{ESP, Security};
use halftrack_fabric::endpoint_security::{Connection, Endpoint, Policy, Protection, Terms};
use halftrack_input::messages::study as numbers;
use halftrack_input::{Located, Severity};
use halftrack_wire::FrameProtection;

use crate::assemble::channels::Channels;
use crate::assemble::fabric::{End, Fabric};
use crate::assemble::hardware::duration;
use crate::assemble::inputs::Inputs;
use crate::assemble::links::{Direction, Links};
use crate::assemble::ports::Ports;
use crate::channel_plug::ChannelPlug;
use crate::cpc::Lpar;
use crate::endpoint_security::{EndpointSecurity, KeyServer};
use crate::logical_control_unit::{Lcu, Path};
use crate::plant::{ControlUnit, HostAdapterPort};

/// A policy of the plant that is not `off`.
struct Setting<'a> {
    policy: &'a Located<Policy>,
    /// Catalog id of the hardware that it is for.
    kind: &'a Located<String>,
    capability: Protection,
    part: &'static str,
}

/// Reports cards and ports that cannot do what they are set to, and a plant without key server.
pub fn check(inputs: &Inputs<'_>) {
    let mut first = None;
    for setting in settings(inputs) {
        if check_capability(inputs, &setting) {
            first.get_or_insert(setting.policy.span.clone());
        }
    }
    let cause = match &inputs.plant.key_manager {
        Some(manager) if manager.is_reachable => return,
        Some(_) => "with a key manager that nothing reaches",
        None => "without a key manager",
    };
    if let Some(span) = first {
        let message = format!("endpoint security {cause} encrypts nothing");
        let warning = inputs.in_plant(numbers::ENDPOINT_SECURITY, &span, message);
        let fix =
            "add `[key_manager]` with a `name`, without `reachable = false`, or drop `endpoint_security`";
        inputs.report(warning.severity(Severity::Warning).fix(fix));
    }
}

/// Returns the policies of cards, boxes and ports that are not `off`; those of types that the catalog lacks are left out.
fn settings<'a>(inputs: &Inputs<'a>) -> Vec<Setting<'a>> {
    let catalog = inputs.catalog;
    let cards = inputs.plant.cards.iter().filter_map(|card| {
        let capability = catalog.channels.get(&card.kind.value)?.attachment.endpoint_security;
        Some(Setting { policy: card.endpoint_security.as_ref()?, kind: &card.kind, capability, part: "card" })
    });
    let ports = inputs.plant.control_units.iter().filter_map(|one| {
        let capability = catalog.control_units.get(&one.kind.value)?.endpoint_security;
        let ports = one.ports.iter().filter_map(|port| port.endpoint_security.as_ref());
        let of = move |policy| Setting { policy, kind: &one.kind, capability, part: "control unit" };
        Some(one.endpoint_security.iter().chain(ports).map(of))
    });
    cards.chain(ports.flatten()).filter(|one| one.policy.value != Policy::Off).collect()
}

/// Reports hardware that cannot do what its policy is. Returns false for such.
fn check_capability(inputs: &Inputs<'_>, setting: &Setting<'_>) -> bool {
    let id = &setting.kind.value;
    let message = match (setting.capability, setting.policy.value) {
        (Protection::None, _) => {
            format!("a {id} has no endpoint security: it can neither authenticate nor encrypt")
        }
        (Protection::Authenticated, Policy::Enforced) => {
            format!("a {id} authenticates and does not encrypt: `enforced` would leave it without a path")
        }
        _ => return true,
    };
    let error = inputs.in_plant(numbers::ENDPOINT_SECURITY, &setting.policy.span, message);
    let error = error.other(inputs.plant.label(&setting.kind.span, "its type"));
    inputs.report(error.fix(format!("drop it, or take another {}", setting.part)));
    false
}

/// Returns the end that a port of a box is.
pub fn of_port(inputs: &Inputs<'_>, control_unit: &ControlUnit, port: &HostAdapterPort) -> Endpoint {
    let policy = port.endpoint_security.as_ref().or(control_unit.endpoint_security.as_ref());
    let kind = inputs.catalog.control_units.get(&control_unit.kind.value);
    Endpoint {
        capability: kind.map_or(Protection::None, |kind| kind.endpoint_security),
        policy: policy.map_or(Policy::Off, |policy| policy.value),
    }
}

/// Returns the end that a channel is.
fn of_channel(fabric: &Fabric<'_>, plug: ChannelPlug) -> Endpoint {
    let Some((card, kind)) = fabric.card(plug) else { return Endpoint::default() };
    Endpoint {
        capability: kind.attachment.endpoint_security,
        policy: card.endpoint_security.as_ref().map_or(Policy::Off, |policy| policy.value),
    }
}

/// Returns the terms of a connection from `channel` to the port of `responder`, all of whose `routes` must pass what is
/// encrypted. A bridge passes nothing of it.
pub fn terms<'r>(
    fabric: &Fabric<'_>,
    channels: &Channels<'_>,
    channel: u32,
    responder: Endpoint,
    mut routes: impl Iterator<Item = &'r Vec<Direction>>,
) -> Terms {
    let passes = |end: &End| match end {
        End::Director(port) => {
            let director = fabric.director(port.director);
            director.and_then(|one| one.passes_encrypted.as_ref()).is_none_or(|passes| passes.value)
        }
        End::Channel(_) | End::Adapter(_) => true,
    };
    let is_native = channels.channel(channel).hardware.bridge.is_none();
    let passed = is_native
        && routes.all(|hops| hops.iter().all(|(hop, _)| fabric.fibre(*hop).ends.iter().all(passes)));
    Terms::of([of_channel(fabric, channels.plug(channel)), responder], passed)
}

/// Returns the endpoint security of the site, if any part of it takes part.
pub fn endpoint_security(inputs: &Inputs<'_>) -> Option<EndpointSecurity> {
    if settings(inputs).is_empty() {
        return None;
    }
    let esp = inputs.find(&inputs.catalog.securities, &Located::new(ESP.to_owned(), 0..0))?;
    let server = inputs.plant.key_manager.as_ref();
    Some(EndpointSecurity {
        key_server: server
            .map(|server| KeyServer { is_reachable: server.is_reachable, key_lifetime: server.key_lifetime }),
        frames: frames(esp),
        payload_bytes: esp.payload_bytes.value.into(),
        engine_latency: duration(&esp.engine_latency_us),
    })
}

fn frames(esp: &Security) -> FrameProtection {
    FrameProtection {
        header_bytes: esp.header_bytes.value + esp.vector_bytes.value,
        trailer_bytes: esp.trailer_bytes.value,
        align_bytes: esp.align_bytes.value,
        check_bytes: esp.check_bytes.value,
    }
}

/// Paths with what they lead over, for messages about them.
pub struct Paths<'m, 'a> {
    inputs: &'m Inputs<'a>,
    channels: &'m Channels<'a>,
    ports: &'m Ports<'a>,
    links: &'m Links,
    lpars: &'m [Lpar],
    lcus: &'m [Lcu],
}

impl<'m, 'a> Paths<'m, 'a> {
    /// Creates the view of all paths of `lcus` and `lpars`, whose `links` are numbered as in the paths.
    pub fn new(
        inputs: &'m Inputs<'a>,
        channels: &'m Channels<'a>,
        ports: &'m Ports<'a>,
        links: &'m Links,
        (lpars, lcus): (&'m [Lpar], &'m [Lcu]),
    ) -> Self {
        Self { inputs, channels, ports, links, lpars, lcus }
    }

    /// Warns of policies that change nothing on any path, and of control units whose every path is refused. Reports engines
    /// that are slower than a line.
    pub fn check(&self) {
        if settings(self.inputs).is_empty() {
            return;
        }
        let mut protected = BTreeSet::new();
        for path in self.all().filter(|path| path.security.attainable != Protection::None) {
            protected.extend(self.settings_of(path).into_iter().flatten().map(|policy| policy.span.start));
        }
        for setting in settings(self.inputs) {
            let is_idle = setting.policy.value == Policy::Audit
                && setting.capability != Protection::None
                && !protected.contains(&setting.policy.span.start);
            if is_idle {
                self.warn(
                    &setting.policy.span,
                    "endpoint security changes nothing here: no path has both ends set to it, \
                                                 able to do it, and directors between them that pass it",
                );
            }
        }
        self.check_control_units();
        self.check_engines();
    }

    fn all(&self) -> impl Iterator<Item = &Path> {
        self.lcus.iter().flat_map(|lcu| &lcu.path_groups).flat_map(|group| &group.paths)
    }

    /// Returns the policies of both ends of `path`: of the card, and of the port or its box.
    fn settings_of(&self, path: &Path) -> [Option<&Located<Policy>>; 2] {
        [self.channels.policy(path.channel), self.ports.policy(path.port)]
    }

    fn check_control_units(&self) {
        let has_keys = self.inputs.plant.key_manager.as_ref().is_some_and(|manager| manager.is_reachable);
        let groups = self.lcus.iter().flat_map(|lcu| lcu.path_groups.iter().map(move |group| (lcu, group)));
        for (lcu, group) in groups {
            let mut paths = group.paths.iter();
            if !paths.all(|path| path.security.with_key(has_keys) == Connection::Refused) {
                continue;
            }
            let enforced = group.paths.iter().flat_map(|path| self.settings_of(path)).flatten();
            let Some(place) = enforced.into_iter().find(|policy| policy.value == Policy::Enforced) else {
                continue;
            };
            let what = match &lcu.luns {
                None => format!("control unit {:04X} has no path from CSS {}", group.number, group.css),
                Some(luns) => {
                    let lpar = &self.lpars[luns.lpar as usize].name;
                    format!("the logical units {} have no path from {lpar}", luns.name)
                }
            };
            let message = format!("{what}: none would be encrypted, and `enforced` sends no clear text");
            self.warn(&place.span, &message);
        }
    }

    /// Reports a line that brings frames faster than an engine takes them: such an engine would be a queue.
    fn check_engines(&self) {
        let id = Located::new(ESP.to_owned(), 0..0);
        let Some(esp) = self.inputs.find(&self.inputs.catalog.securities, &id) else { return };
        let engine = esp.engine_mb_per_s.value;
        let ends = |path: &Path| [path.outbound.first().copied(), path.inbound.first().copied()];
        let is_faster = |link: &u32| self.links.link(*link).bytes_per_s as f64 > engine * 1e6;
        let mut encrypted = self.all().filter(|path| path.security.attainable == Protection::Encrypted);
        let fast = encrypted.find_map(|path| Some((path, ends(path).into_iter().flatten().find(is_faster)?)));
        let Some((path, link)) = fast else { return };
        let Some(place) = self.settings_of(path).into_iter().flatten().next() else { return };
        let link = self.links.link(link);
        let message = format!(
            "{} carries {} MB/s, and an engine of the catalog encrypts {engine}",
            link.name,
            link.bytes_per_s / 1_000_000
        );
        let error = self.inputs.in_plant(numbers::ENDPOINT_SECURITY, &place.span, message);
        let entry = self.inputs.catalog.securities.label(ESP, esp.engine_mb_per_s.span.clone(), "the engine");
        let fix = "raise `engine_mb_per_s`, or set the fibre to a lower speed";
        self.inputs.report(entry.into_iter().fold(error, |error, label| error.other(label)).fix(fix));
    }

    fn warn(&self, span: &Range<usize>, message: &str) {
        let warning = self.inputs.in_plant(numbers::ENDPOINT_SECURITY, span, message);
        let fix =
            "set both ends, give the plant a `[key_manager]` that is reached, or drop `endpoint_security`";
        self.inputs.report(warning.severity(Severity::Warning).fix(fix));
    }
}
