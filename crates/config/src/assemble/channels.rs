//! Channels: a CHPID of the deck on the port of a card of the plant.

use std::collections::BTreeMap;
use std::ops::Range;

use halftrack_catalog::{ChannelWork, CircuitInterface};
use halftrack_deck::model::{ChannelPath, ControlUnit, Path};
use halftrack_fabric::endpoint_security::Policy;
use halftrack_input::Located;
use halftrack_input::messages::study as numbers;

use crate::assemble::bridges;
use crate::assemble::fabric::{End, Fabric};
use crate::assemble::hardware;
use crate::assemble::inputs::Inputs;
use crate::assemble::logical_control_units::is_disk;
use crate::channel_plug::ChannelPlug;
use crate::configuration::Channel;
use crate::cpc::Subsystem;
use crate::fcp::Initiator;
use crate::identity::ChannelIdentity;
use crate::plant::Card;

/// Channel type of FICON channels, native and zHPF (IOCP, TYPE=FC).
pub const FICON: &str = "FC";
/// Channel type of FICON channels to a bridge in an ESCON director (IOCP, TYPE=FCV).
pub const BRIDGED: &str = "FCV";
/// Channel type of FCP channels, and unit type of their devices (IOCP, TYPE=FCP and UNIT=FCP).
pub const FCP: &str = "FCP";
/// Channel type of ESCON channels to control units (IOCP, TYPE=CNC).
pub const ESCON: &str = "CNC";
/// Channel type of ESCON channels with the control-unit function of channel-to-channel devices (IOCP, TYPE=CTC). None leads to
/// disks.
pub const ESCON_FUNCTION: &str = "CTC";
/// Channel type of parallel channels that multiplex blocks (IOCP, TYPE=BL).
const BLOCK_MULTIPLEXER: &str = "BL";
/// Channel type of parallel channels that multiplex bytes (IOCP, TYPE=BY).
pub const BYTE_MULTIPLEXER: &str = "BY";

/// Types of parallel channels.
const PARALLEL: [&str; 2] = [BLOCK_MULTIPLEXER, BYTE_MULTIPLEXER];
/// Channel types that are simulated and lead to disks or SCSI devices.
pub const SIMULATED: [&str; 6] = [FICON, BRIDGED, FCP, ESCON, BLOCK_MULTIPLEXER, BYTE_MULTIPLEXER];

/// Returns true when channels of this type are simulated.
fn is_simulated(channel_type: &str) -> bool {
    leads_to_devices(channel_type) || channel_type == ESCON_FUNCTION
}

/// Returns true when simulated channels of this type lead to other devices than channel-to-channel ones.
fn leads_to_devices(channel_type: &str) -> bool {
    SIMULATED.contains(&channel_type)
}

/// Outcome of looking up a channel path that a deck names.
pub enum ChannelAt<'a> {
    /// A channel of the configuration, its index and its CHPID statement.
    Known(u32, &'a ChannelPath),
    /// Of a type that is not simulated, or that leads to other channels alone.
    OtherType(&'a ChannelPath),
    /// Something about it has been reported.
    Broken,
    /// The deck does not define it.
    Undefined,
}

/// The channels of the decks of types that are simulated.
pub struct Channels<'a> {
    channels: Vec<Channel>,
    /// Index of a channel, or `None` when it is broken, and its statement; by channel subsystem and CHPID.
    at: BTreeMap<(Subsystem, u8), (Option<u32>, &'a ChannelPath)>,
    /// Where its fibre begins, by index.
    plugs: Vec<ChannelPlug>,
    /// The policy of endpoint security of its card, by index.
    policies: Vec<Option<&'a Located<Policy>>>,
}

impl<'a> Channels<'a> {
    /// Creates the channels whose card and cable agree with their CHPID statement; the others are reported.
    pub fn new(inputs: &Inputs<'a>, fabric: &Fabric<'a>) -> Self {
        let mut found = BTreeMap::new();
        let mut statements = Vec::new();
        for inputs in inputs.each() {
            for statement in &inputs.deck.channel_paths {
                let channel = channel(&inputs, fabric, statement);
                let plug = |channel: &Channel| ChannelPlug { cpc: inputs.cpc.name, port: channel.identity };
                statements.push((inputs.machine, statement, channel.as_ref().map(plug)));
                found.extend(channel.map(|channel| (plug(&channel), channel)));
            }
        }
        let index: BTreeMap<ChannelPlug, u32> = found.keys().copied().zip(0..).collect();
        let mut at = BTreeMap::new();
        for (cpc, statement, plug) in statements {
            let index = plug.and_then(|plug| index.get(&plug).copied());
            let subsystem = |css: &u8| Subsystem { cpc, css: *css };
            let chpid = statement.chpid.value;
            at.extend(statement.css.iter().map(|css| ((subsystem(css), chpid), (index, statement))));
        }
        let (plugs, channels): (Vec<ChannelPlug>, _) = found.into_iter().unzip();
        let policy =
            |plug: &ChannelPlug| fabric.card(*plug).and_then(|(card, _)| card.endpoint_security.as_ref());
        let policies = plugs.iter().map(policy).collect();
        Self { channels, at, plugs, policies }
    }

    /// Returns the channel or its absence at CHPID `chpid` in `subsystem`.
    pub fn at(&self, subsystem: Subsystem, chpid: u8) -> ChannelAt<'a> {
        match self.at.get(&(subsystem, chpid)) {
            None => ChannelAt::Undefined,
            Some((_, statement)) if !leads_to_devices(&statement.channel_type.value) => {
                ChannelAt::OtherType(statement)
            }
            Some((None, _)) => ChannelAt::Broken,
            Some((Some(index), statement)) => ChannelAt::Known(*index, statement),
        }
    }

    /// Returns the channel at CHPID `chpid` in `subsystem`, of whatever type; `None` where there is none or it is broken.
    pub fn of_any_type(&self, subsystem: Subsystem, chpid: u8) -> Option<u32> {
        self.at.get(&(subsystem, chpid))?.0
    }

    /// Returns the number of channels.
    pub fn len(&self) -> u32 {
        self.channels.len() as u32
    }

    /// Returns channel number `index`.
    pub fn channel(&self, index: u32) -> &Channel {
        &self.channels[index as usize]
    }

    /// Returns the port at which the fibre of channel number `index` begins.
    pub fn plug(&self, index: u32) -> ChannelPlug {
        self.plugs[index as usize]
    }

    /// Returns the policy of endpoint security of the card of channel number `index`.
    pub fn policy(&self, index: u32) -> Option<&'a Located<Policy>> {
        self.policies[index as usize]
    }

    /// Returns the channels with their initiators, and where their fibres begin, by (CPC, port).
    pub fn into_channels(
        mut self,
        initiators: &BTreeMap<u32, Vec<Initiator>>,
    ) -> (Vec<Channel>, Vec<ChannelPlug>) {
        for (channel, of) in initiators {
            self.channels[*channel as usize].initiators.clone_from(of);
        }
        (self.channels, self.plugs)
    }
}

/// Returns the channel of a CHPID statement; nothing for other types and for what has been reported.
fn channel(inputs: &Inputs<'_>, fabric: &Fabric<'_>, statement: &ChannelPath) -> Option<Channel> {
    if !is_simulated(&statement.channel_type.value) {
        return None;
    }
    let chpid = statement.chpid.value;
    let css = statement.css.iter().copied().min()?;
    let port = port(inputs, statement)?;
    let end = End::Channel(port.value);
    if fabric.is_broken(&end) {
        return None;
    }
    let (key, digits) = (port.value.port.key(), port.value.port.digits());
    let Some((card, kind)) = fabric.card(port.value) else {
        if may_be_silent(inputs, statement) {
            return None;
        }
        let message = format!("the plant has no card with {}", of_chpid(&port, chpid));
        let cards = inputs.cards().next().map(|card| inputs.plant.label(&card.span, "cards of the plant"));
        let mut error = inputs
            .in_deck(numbers::NO_CARD, &port.span, message)
            .fix(format!("add \"{digits}\" to the `{key}s` of a `[[card]]`"));
        error.others.extend(cards);
        inputs.report(error);
        return None;
    };
    let is_idle = is_often_idle(&statement.channel_type.value) && fabric.at(&end).is_none();
    if !is_of_type(inputs, statement, card, kind) || is_idle {
        return None;
    }
    let said = card.ports.iter().find(|one| one.value == port.value.port);
    let said = said.map_or(card.span.clone(), |one| one.span.clone());
    let Some(fibre) = fabric.at(&end).map(|index| fabric.fibre(index)) else {
        let message = format!("{} is not cabled", of_chpid(&port, chpid));
        let error = inputs
            .in_deck(numbers::NO_CABLE, &port.span, message)
            .other(inputs.plant.label(&said, "this port has no `[[cable]]`"))
            .fix(format!("add a `[[cable]]` with `{key} = \"{digits}\"`"));
        inputs.report(error);
        return None;
    };
    if statement.channel_type.value != FCP && !agrees(inputs, statement, fibre.other(&end), &fibre.span) {
        return None;
    }
    let in_force = (fibre.speed.gbps, fibre.speed.fec);
    let speed = kind.speeds.iter().find(|speed| (speed.gbps, speed.fec) == in_force)?;
    let mut hardware = hardware::channel(&card.kind.value, kind, &statement.channel_type.value);
    let mut initial_pacing = kind.common.initial_pacing.value;
    if let Some(bridge) = bridges::of_channel(inputs, fibre, &end) {
        hardware = hardware::bridged(hardware, bridge);
        initial_pacing = bridge.initial_pacing.value;
    }
    let mut subsystems = statement.css.clone();
    subsystems.sort_unstable();
    Some(Channel {
        name: format!("{}CSS{css}.{chpid:02X}", inputs.cpc.name.prefix()),
        cpc: inputs.machine,
        css: subsystems,
        chpid,
        identity: port.value.port,
        shared: statement.shared,
        switched: statement.switch.is_some(),
        hardware,
        share: None,
        link_gbps: fibre.speed.gbps,
        generation: speed.generation.value,
        initial_pacing,
        initiators: Vec::new(),
    })
}

/// Returns true when the plant need not cable channels of this type. No stream may need those of FCP, and no logical link those
/// that lead to other channels.
fn is_often_idle(channel_type: &str) -> bool {
    matches!(channel_type, FCP | ESCON_FUNCTION)
}

/// Returns true when the plant may be silent about the channel of `statement`. Tapes and printers are not simulated, nor are
/// channels that are idle.
fn may_be_silent(inputs: &Inputs<'_>, statement: &ChannelPath) -> bool {
    let kind = statement.channel_type.value.as_str();
    is_often_idle(kind) || (PARALLEL.contains(&kind) && !has_disks(inputs, statement))
}

/// Returns true when the channel of `statement` leads to disks.
fn has_disks(inputs: &Inputs<'_>, statement: &ChannelPath) -> bool {
    let leads_to = |unit: &ControlUnit| {
        let here = |path: &Path| path.chpid == statement.chpid.value && statement.css.contains(&path.css);
        unit.paths.iter().any(here)
    };
    let disks = || inputs.deck.devices.iter().filter(|range| is_disk(&range.unit.value));
    let of_disks = |unit: &&ControlUnit| {
        disks().any(|range| range.control_units.iter().any(|number| number.value == unit.number.value))
    };
    inputs.deck.control_units.iter().filter(of_disks).any(leads_to)
}

/// Returns the port of a CHPID statement: its PCHID, or the CHPID itself on machines without them; `None` where the
/// PCHID is missing.
pub fn plug_of(inputs: &Inputs<'_>, statement: &ChannelPath) -> Option<Located<ChannelPlug>> {
    let of = |port| ChannelPlug { cpc: inputs.cpc.name, port };
    let chpid = &statement.chpid;
    if !inputs.deck.machine().has_pchids() {
        return Some(Located::new(of(ChannelIdentity::Chpid(chpid.value)), chpid.span.clone()));
    }
    let pchid = statement.pchid.as_ref()?;
    Some(Located::new(of(ChannelIdentity::Pchid(pchid.value)), pchid.span.clone()))
}

/// Returns the port of a CHPID statement; a PCHID that is missing is reported.
fn port(inputs: &Inputs<'_>, statement: &ChannelPath) -> Option<Located<ChannelPlug>> {
    let plug = plug_of(inputs, statement);
    if plug.is_some() {
        return plug;
    }
    let chpid = &statement.chpid;
    let message =
        format!("CHPID {:02X} has no PCHID, so that its card cannot be found in the plant", chpid.value);
    let error = inputs.in_deck(numbers::NO_PCHID, &chpid.span, message);
    inputs.report(error.fix("add PCHID= to the CHPID statement"));
    None
}

/// Returns the port as messages name it, with its CHPID where that is not the port.
fn of_chpid(port: &Located<ChannelPlug>, chpid: u8) -> String {
    match port.value.port {
        ChannelIdentity::Pchid(_) => format!("{} of CHPID {chpid:02X}", port.value.name()),
        ChannelIdentity::Chpid(_) => port.value.name(),
    }
}

/// Returns true when a port of the card can be an FCP channel whose numbers are known.
fn fcp_of(kind: &halftrack_catalog::Channel) -> bool {
    matches!(&kind.work, ChannelWork::Priced(work) if work.fcp.is_some())
}

/// Reports a card that cannot be a channel of the type of `statement`.
fn is_of_type(
    inputs: &Inputs<'_>,
    statement: &ChannelPath,
    card: &Card,
    kind: &halftrack_catalog::Channel,
) -> bool {
    let said = &statement.channel_type;
    if said.value == FCP && fcp_of(kind) {
        return true;
    }
    let fits: &[&str] = match kind.circuit().map(|circuit| circuit.interface) {
        None => &[FICON],
        Some(CircuitInterface::Escon) => &[ESCON, ESCON_FUNCTION],
        Some(CircuitInterface::Parallel) => &PARALLEL,
    };
    if fits.contains(&said.value.as_str()) || (said.value == BRIDGED && kind.attachment.bridge) {
        return true;
    }
    let fits = fits.join(" or ");
    let message = format!(
        "CHPID {:02X} is of type {}, but its card {} is for channels of type {fits}",
        statement.chpid.value, said.value, card.kind.value
    );
    let error = inputs
        .in_deck(numbers::OTHER_CARD, &said.span, message)
        .other(inputs.plant.label(&card.kind.span, "its card"))
        .fix(format!("write TYPE={fits}, or another `type` of the `[[card]]`"));
    inputs.report(error);
    false
}

/// Reports a cable that does not lead to the director of SWITCH=.
fn agrees(inputs: &Inputs<'_>, statement: &ChannelPath, to: &End, cable: &Range<usize>) -> bool {
    let chpid = statement.chpid.value;
    let (number, span, message, fix) = match (&statement.switch, to) {
        (Some(switch), End::Director(port)) if switch.value == port.director => return true,
        (None, End::Adapter(_) | End::Channel(_)) => return true,
        (Some(switch), _) if !inputs.plant.directors.iter().any(|one| one.id.value == switch.value) => (
            numbers::NO_DIRECTOR,
            &switch.span,
            format!(
                "CHPID {chpid:02X} is on switch {:02X}, but the plant has no such director",
                switch.value
            ),
            format!("add a `[[director]]` with `id = \"{:02X}\"`, or correct SWITCH=", switch.value),
        ),
        (Some(switch), _) => (
            numbers::OTHER_DIRECTOR,
            &switch.span,
            format!("CHPID {chpid:02X} is on switch {:02X}, but its cable leads to {to}", switch.value),
            "correct SWITCH=, or `to` of the cable".to_owned(),
        ),
        (None, _) => (
            numbers::OTHER_DIRECTOR,
            &statement.chpid.span,
            format!("CHPID {chpid:02X} is on no switch, but its cable leads to {to}"),
            "add SWITCH= to the CHPID statement, or cable the channel to a host-adapter port".to_owned(),
        ),
    };
    let cable = inputs.plant.label(cable, "where its cable leads");
    inputs.report(inputs.in_deck(number, span, message).other(cable).fix(fix));
    false
}
