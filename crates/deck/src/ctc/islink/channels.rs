//! The channels of a logical link: both ends of each wire, and the link addresses there.

use super::request::{ChannelName, ChannelPair, LinkRequest};
use crate::ctc::ends::{Image, Port};
use crate::ctc::pairs::Connections;
use crate::model::{ChannelPath, Deck};

/// One end of a wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WireEnd {
    /// Channel subsystem of the system.
    pub css: u8,
    /// CHPID.
    pub chpid: u8,
    /// Index of the CHPID statement in the deck of the system.
    pub channel: usize,
    /// The channel is shared by partitions.
    pub shared: bool,
    /// Where its control unit leads; `None` point-to-point.
    pub link: Option<Port>,
    /// `LINK=` in the form of the channel.
    pub link_address: Option<String>,
    /// CUADD of the other system at the channel there.
    pub cuadd: u8,
}

/// A channel at each system, connected to each other; both may be one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wire {
    /// The ends, in the order of the systems.
    pub ends: [WireEnd; 2],
    /// Both systems share the channel.
    pub is_shared: bool,
}

impl Wire {
    /// Returns the words that distinguish it: `40`, `40=41`.
    pub fn name(&self) -> String {
        let [near, far] = &self.ends;
        let name = |end: &WireEnd| format!("{}.{:02X}", end.css, end.chpid);
        if self.is_shared && near.css == far.css {
            name(near)
        } else {
            format!("{}={}", name(near), name(far))
        }
    }
}

/// Finds the wires of `request`. `found` are the connections that its decks have.
pub(super) fn wires(request: &LinkRequest<'_>, found: &Connections) -> Result<Vec<Wire>, Vec<String>> {
    let mut wires: Vec<Wire> = Vec::new();
    let mut refused = Vec::new();
    for pair in request.channels {
        match wire(request, *pair, found) {
            Ok(wire) => {
                let twice = |side: usize| {
                    wires.iter().any(|other| other.ends[side].channel == wire.ends[side].channel)
                };
                if twice(0) || twice(1) {
                    refused.push(format!(
                        "channel {} is listed twice: one wire takes all its devices",
                        wire.name()
                    ));
                }
                wires.push(wire);
            }
            Err(why) => refused.push(why),
        }
    }
    if refused.is_empty() { Ok(wires) } else { Err(refused) }
}

fn wire(request: &LinkRequest<'_>, pair: ChannelPair, found: &Connections) -> Result<Wire, String> {
    let names = [pair.near, pair.far];
    let [near, far] = &request.systems;
    let channels = [channel(request.decks, near, names[0])?, channel(request.decks, far, names[1])?];
    let keys = [(near.deck, channels[0].0), (far.deck, channels[1].0)];
    let is_shared = keys[0] == keys[1];
    let switched = channels.each_ref().map(|(_, path)| path.switch.is_some());
    let ports = match switched {
        [true, true] => {
            let port = |side: usize| {
                let name = names[side];
                found.ports.get(&keys[side]).copied().ok_or_else(|| {
                    let deck = if keys[side].0 == 0 { "" } else { "B:" };
                    let css = request.systems[side].css;
                    format!(
                        "the port of channel {name} of {} is in no deck: give it with --port {deck}{}.{:02X}=SSPP",
                        request.systems[side],
                        name.css.unwrap_or(css),
                        name.chpid
                    )
                })
            };
            Some([port(0)?, port(1)?])
        }
        [false, false] if is_shared => {
            return Err(format!(
                "channel {} is on no director (SWITCH=), and a cable has two ends: a shared channel needs a director",
                names[0]
            ));
        }
        [false, false] => None,
        _ => {
            let [one, other] = names;
            return Err(format!(
                "channels {one} and {other}: one is on a director and the other is not, so that no cable joins them"
            ));
        }
    };
    let end = |side: usize| {
        let (index, path) = &channels[side];
        let (mate, mate_path) = (&request.systems[1 - side], channels[1 - side].1);
        let link = ports.map(|ports| ports[1 - side]);
        let deck = request.decks[request.systems[side].deck];
        Ok::<WireEnd, String>(WireEnd {
            css: request.systems[side].css,
            chpid: path.chpid.value,
            channel: *index,
            shared: path.shared,
            link,
            link_address: link.map(|link| link_address(deck, path, link)).transpose()?,
            cuadd: mate.cuadd(mate_path.css.len() > 1),
        })
    };
    Ok(Wire { ends: [end(0)?, end(1)?], is_shared })
}

/// Finds the channel `name` of `system`: index of its statement, and the channel.
fn channel<'a>(
    decks: &'a [&'a Deck],
    system: &Image,
    name: ChannelName,
) -> Result<(usize, &'a ChannelPath), String> {
    let css = name.css.unwrap_or(system.css);
    if css != system.css {
        return Err(format!("channel {name} is in channel subsystem {css}, and {system} is not"));
    }
    let deck = decks[system.deck];
    let mut paths = deck.channel_paths.iter().enumerate();
    let found = paths.find(|(_, path)| path.css.contains(&css) && path.chpid.value == name.chpid);
    let (index, path) = found.ok_or_else(|| {
        let kind = |path: &&ChannelPath| path.css.contains(&css) && path.channel_type.value == "FC";
        let known: Vec<String> =
            deck.channel_paths.iter().filter(kind).map(|path| format!("{:02X}", path.chpid.value)).collect();
        format!("the deck of {system} has no channel {name}; its FC channels are {}", known.join(" "))
    })?;
    if path.channel_type.value != "FC" {
        return Err(format!(
            "channel {name} of {system} is TYPE={}: an FCTC needs TYPE=FC",
            path.channel_type.value
        ));
    }
    if !path.access.contains(&(system.css, system.name.clone())) {
        return Err(format!("{system} has no access to channel {name}: add it to PART of the CHPID"));
    }
    Ok((index, path))
}

/// Returns `LINK=` for `port`, in the form that `path` has elsewhere, or else the other channels.
fn link_address(deck: &Deck, path: &ChannelPath, port: Port) -> Result<String, String> {
    let mut own = None;
    let mut others = false;
    for leg in deck.control_units.iter().flat_map(|unit| &unit.paths) {
        let Some(link) = leg.link else { continue };
        if path.css.contains(&leg.css) && leg.chpid == path.chpid.value {
            own.get_or_insert(link.switch.is_some());
        }
        others |= link.switch.is_some();
    }
    let is_near = path.switch.as_ref().is_some_and(|switch| switch.value == port.switch);
    if own.unwrap_or(others) || (own.is_none() && !is_near) {
        return Ok(port.to_string());
    }
    if is_near {
        return Ok(format!("{:02X}", port.port));
    }
    Err(format!(
        "channel {:02X} has link addresses of one byte, which do not lead to port {port} of another director: write \
         all of them in two bytes",
        path.chpid.value
    ))
}
