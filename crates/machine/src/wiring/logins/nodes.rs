//! The ports, switches and fibres between FCP channels and the boxes that they reach.

use std::collections::{BTreeMap, BTreeSet};

use halftrack_config::{Channel, Configuration, Initiator, SwitchPort};
use halftrack_fabric::switch::{self, PortKind};
use halftrack_fabric::{
    NPort, NPortParameters, PhysicalPort, PortProtocol, Role, Switch, SwitchParameters, Zoning,
};
use halftrack_wire::WorldWideName;
use halftrack_wire::els::{FcpLogin, NodeDescriptor};

use super::san::{Fibre, LinkTimes, Place, San};

/// Port names of host adapters (reference fcp-scsi.md 3.1).
const HOST_ADAPTERS: u64 = 0x5005_0763_0000_0000;
/// Names of switches.
const SWITCHES: u64 = 0x1000_0000_0000_0000;
/// Difference between a port name and that of its node.
const NODE: u64 = 1 << 60;
/// Payload octets that a port of a switch takes.
const SWITCH_PAYLOAD_BYTES: u16 = 2112;

/// An initiator: the channel, and the number of the port on its link. Zero is the channel itself.
pub(super) type Member = (u32, usize);

/// One end of a fibre of the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Channel(u32),
    Port(u32),
    Switch(SwitchPort),
}

/// Both directions of a fibre, and its ends.
#[derive(Debug, Clone, Copy)]
struct Cable {
    ends: [End; 2],
    back: u32,
}

/// All that logs in, and over what.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    /// Paths of groups, each with initiator and port.
    paths: Vec<(u32, Member, u32)>,
    /// By link from the channel's side.
    cables: BTreeMap<u32, Cable>,
}

impl Nodes {
    /// Finds what the paths of FCP of `c` lead over. One over a director without an address is left out.
    pub(super) fn new(c: &Configuration) -> Self {
        let mut nodes = Self::default();
        let groups = c.lcus.iter().flat_map(|lcu| lcu.path_groups.iter().map(move |group| (lcu, group)));
        let paths = groups.flat_map(|(lcu, group)| {
            group.paths.iter().enumerate().map(move |(position, path)| (lcu, position, path))
        });
        for (index, (lcu, position, path)) in (0..).zip(paths) {
            let Some(luns) = &lcu.luns else { continue };
            let Some(cables) = cables(c, path) else { continue };
            let channel = &c.channels[path.channel as usize];
            let user = (luns.lpar, luns.subchannels[position]);
            let member = member(channel, user);
            nodes.cables.extend(cables);
            nodes.paths.push((index, (path.channel, member), path.port));
        }
        nodes
    }

    /// Returns true when nothing is of FCP.
    pub(super) fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// Iterates over paths with initiator and port.
    pub(super) fn paths(&self) -> impl Iterator<Item = (u32, Member, WorldWideName)> {
        self.paths.iter().map(|(path, member, port)| (*path, *member, adapter_name(*port)))
    }

    /// Returns the logins that are to be.
    pub(super) fn logins(&self) -> BTreeSet<(Member, WorldWideName)> {
        self.paths().map(|(_, member, port)| (member, port)).collect()
    }

    /// Makes the network, without light.
    pub(super) fn san(&self, c: &Configuration) -> San {
        let (mut areas, mut ports) = (BTreeMap::<u8, BTreeMap<u8, PortKind>>::new(), BTreeSet::new());
        for cable in self.cables.values() {
            let is_isl = cable.ends.iter().all(|end| matches!(end, End::Switch(_)));
            let kind = if is_isl { PortKind::InterSwitch { neighbour: None } } else { PortKind::Fabric };
            for end in cable.ends {
                match end {
                    End::Switch(at) => drop(areas.entry(at.domain).or_default().insert(at.port, kind)),
                    End::Port(port) => drop(ports.insert(port)),
                    End::Channel(_) => {}
                }
            }
        }
        let channels: BTreeSet<u32> = self.paths.iter().map(|(_, (channel, _), _)| *channel).collect();
        let place = |end: End| match end {
            End::Channel(channel) => Place::Initiator(channels.range(..channel).count()),
            End::Port(port) => Place::Target(ports.range(..port).count()),
            End::Switch(at) => {
                let of_domain = &areas[&at.domain];
                Place::Switch(areas.range(..at.domain).count(), of_domain.range(..at.port).count())
            }
        };
        let fibre = |(link, cable): (&u32, &Cable)| {
            let channel = match cable.ends[0] {
                End::Channel(channel) => Some(channel),
                End::Port(_) | End::Switch(_) => None,
            };
            let links = [*link, cable.back].map(|link| LinkTimes::new(&c.links[link as usize]));
            Fibre::new(cable.ends.map(place), links, channel)
        };
        San::new(
            channels.iter().map(|channel| (*channel, self.physical(c, *channel))).collect(),
            ports.iter().map(|port| NPort::new(target(*port))).collect(),
            areas.iter().map(|(domain, areas)| switch(*domain, areas)).collect(),
            self.cables.iter().map(fibre).collect(),
        )
    }

    /// Makes the port of a channel with its virtual ports.
    fn physical(&self, c: &Configuration, channel: u32) -> PhysicalPort {
        let of = &c.channels[channel as usize];
        let peers = |member: usize| {
            let own = self.paths.iter().filter(|(_, of, _)| *of == (channel, member));
            let names: BTreeSet<_> = own.map(|(_, _, port)| adapter_name(*port)).collect();
            names.into_iter().collect::<Vec<_>>()
        };
        let physical = initiator(own_name(of), peers(0));
        let named = of.initiators.iter().enumerate().filter(|(_, one)| one.name != own_name(of));
        let virtual_ports = named.map(|(index, one)| initiator(one.name, peers(index + 1))).collect();
        PhysicalPort::new(physical, virtual_ports).expect("a configuration has no name twice")
    }
}

/// Returns the cables of a path by their links; `None` when a director on the way has no address for them.
fn cables(c: &Configuration, path: &halftrack_config::Path) -> Option<Vec<(u32, Cable)>> {
    let last = path.outbound.len() - 1;
    let cable = |(hop, link): (usize, &u32)| {
        let [near, far] = c.links[*link as usize].switch_ports;
        let near = if hop == 0 { End::Channel(path.channel) } else { End::Switch(near?) };
        let far = if hop == last { End::Port(path.port) } else { End::Switch(far?) };
        Some((*link, Cable { ends: [near, far], back: *path.inbound.get(last - hop)? }))
    };
    path.outbound.iter().enumerate().map(cable).collect()
}

/// Returns the number of the port of a channel that a partition's subchannel is.
fn member(channel: &Channel, user: (u32, u16)) -> usize {
    let is_it = |one: &Initiator| (one.lpar, one.subchannel) == user && one.name != own_name(channel);
    channel.initiators.iter().position(is_it).map_or(0, |index| index + 1)
}

fn own_name(channel: &Channel) -> WorldWideName {
    Initiator::name_of_channel(channel.cpc, channel.identity.pchid().unwrap_or_default())
}

fn adapter_name(port: u32) -> WorldWideName {
    WorldWideName(HOST_ADAPTERS | u64::from(port))
}

fn parameters(name: WorldWideName, role: Role, function: FcpLogin) -> NPortParameters {
    NPortParameters {
        port_name: name,
        node_name: WorldWideName(name.0 ^ NODE),
        role,
        receive_credit: 90,
        frame_payload_bytes: 2048,
        node: NodeDescriptor::default(),
        protocol: PortProtocol::Fcp(function.with(FcpLogin::READ_READY_DISABLED)),
        peers: Vec::new(),
        hosts: None,
    }
}

fn initiator(name: WorldWideName, peers: Vec<WorldWideName>) -> NPortParameters {
    NPortParameters { peers, ..parameters(name, Role::Channel, FcpLogin::INITIATOR) }
}

fn target(port: u32) -> NPortParameters {
    parameters(adapter_name(port), Role::ControlUnit, FcpLogin::TARGET)
}

fn switch(domain: u8, areas: &BTreeMap<u8, PortKind>) -> Switch {
    let ports =
        areas.iter().map(|(area, kind)| switch::SwitchPort { area: *area, kind: *kind, receive_credit: 90 });
    Switch::new(SwitchParameters {
        name: WorldWideName(SWITCHES | u64::from(domain)),
        domain,
        ports: ports.collect(),
        zoning: Zoning::new(Vec::new()).expect("no zones are few"),
        frame_payload_bytes: SWITCH_PAYLOAD_BYTES,
    })
}
