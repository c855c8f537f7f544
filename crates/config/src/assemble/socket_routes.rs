//! Ways between partitions: over OSD channels, and over RoCE functions.

use std::collections::BTreeMap;

use halftrack_base::Span;
use halftrack_deck::model::ChannelPath;
use halftrack_smcr_twin::{ConversationPlan, NetworkPlan, PortPlan, RouteEnd, RoutePlan};

use crate::assemble::hardware::whole;
use crate::assemble::inputs::Inputs;
use crate::assemble::roce_functions::PlacedRoce;
use crate::conversations::{Conversation, Conversations, RoceFunction};
use crate::cpc::Lpar;
use crate::plant::Network;

/// Octets a second of one Gbit/s.
const BYTES_PER_S_PER_GBPS: f64 = 125e6;
/// Type of the channel paths over which TCP goes.
const OSD: &str = "OSD";

/// Hosts, ports and functions of the conversations so far.
pub struct SocketRoutes<'b> {
    inputs: &'b Inputs<'b>,
    lpars: &'b [Lpar],
    /// Conversations.
    pub conversations: Vec<ConversationPlan>,
    hosts: Vec<u32>,
    /// Ports by name.
    ports: Vec<(String, PortPlan)>,
    by_name: BTreeMap<String, u32>,
    functions: Vec<RoceFunction>,
}

impl<'b> SocketRoutes<'b> {
    pub fn new(inputs: &'b Inputs<'_>, lpars: &'b [Lpar], functions: &[PlacedRoce]) -> Self {
        let on_card = |one: &PlacedRoce| {
            let PlacedRoce { cpc, pfid, pchid, .. } = *one;
            Some(RoceFunction { cpc, pfid, pchid, group: one.group? })
        };
        Self {
            inputs,
            lpars,
            conversations: Vec::new(),
            hosts: Vec::new(),
            ports: Vec::new(),
            by_name: BTreeMap::new(),
            functions: functions.iter().filter_map(on_card).collect(),
        }
    }

    /// Returns the index of the host that partition `lpar` is.
    pub fn host(&mut self, lpar: u32) -> u32 {
        let known = self.hosts.iter().position(|one| *one == lpar);
        known.unwrap_or_else(|| {
            self.hosts.push(lpar);
            self.hosts.len() - 1
        }) as u32
    }

    /// Returns true when partition `lpar` has access to an OSD on the network.
    pub fn has_osd(&self, lpar: u32, network: &Network) -> bool {
        self.osd(lpar, network).is_some()
    }

    /// Returns the first OSD of partition `lpar` on the network.
    fn osd(&self, lpar: u32, network: &Network) -> Option<&'b ChannelPath> {
        let (lpar, name) = (&self.lpars[lpar as usize], &network.pnetid.value);
        let is_me = |(css, partition): &(u8, String)| (*css, partition) == (lpar.css, &lpar.name);
        self.inputs.of(lpar.cpc).deck.channel_paths.iter().find(|path| {
            path.channel_type.value == OSD
                && path.pnetids.iter().flatten().any(|one| one == name)
                && path.access.iter().any(is_me)
        })
    }

    /// Returns the way over the OSD channels of both partitions, and that connections begin on it.
    pub fn over_osd(
        &mut self,
        lpars: [u32; 2],
        network: &Network,
        distance: Span,
    ) -> Option<(Vec<RoutePlan>, u32)> {
        let bytes_per_s = whole(network.osd_gbps.value * BYTES_PER_S_PER_GBPS);
        let [client, server] = lpars.map(|lpar| {
            let path = self.osd(lpar, network)?;
            let prefix = self.prefix(self.lpars[lpar as usize].cpc);
            let name = format!("OSD {prefix}{:02X}", path.chpid.value);
            Some(RouteEnd { port: self.port(name, bytes_per_s), function: None })
        });
        Some((vec![RoutePlan { ends: [client?, server?], distance }], 1))
    }

    /// Returns the ways over RoCE functions, those from the first function to the first one and so on at the front; connections
    /// begin on these.
    pub fn over_roce(
        &mut self,
        lpars: [u32; 2],
        network: &Network,
        functions: &[PlacedRoce],
        distance: Span,
    ) -> (Vec<RoutePlan>, u32) {
        let [client, server] = lpars.map(|lpar| {
            let lpar = &self.lpars[lpar as usize];
            let own = functions.iter().filter(|function| function.is_of(lpar));
            let ends = own.filter_map(|function| self.end(function, network));
            ends.collect::<Vec<RouteEnd>>()
        });
        let (few, many) = (client.len().min(server.len()), client.len().max(server.len()));
        let turned = (0..many).flat_map(|turn| (0..many).map(move |at| (at, (at + turn) % many)));
        let ends = turned.filter_map(|(at, other)| Some([*client.get(at)?, *server.get(other)?]));
        let routes = ends.map(|ends| RoutePlan { ends, distance }).collect();
        (routes, few as u32)
    }

    /// Returns the end at a function, which has a plugged card with ports of known speed, one of them on the network.
    fn end(&mut self, function: &PlacedRoce, network: &Network) -> Option<RouteEnd> {
        let port = function.port_on(&network.pnetid.value)?;
        let place = format!("{}{:03X}.D{}", self.prefix(function.cpc), function.pchid, port + 1);
        let port = self.port(format!("RoCE port {place}"), whole(function.gbps? * BYTES_PER_S_PER_GBPS));
        let is_it = |one: &RoceFunction| (one.cpc, one.pfid) == (function.cpc, function.pfid);
        let index = self.functions.iter().position(is_it)?;
        Some(RouteEnd { port, function: Some(index as u32) })
    }

    fn port(&mut self, name: String, bytes_per_s: u64) -> u32 {
        let next = self.ports.len() as u32;
        let index = *self.by_name.entry(name.clone()).or_insert(next);
        if index == next {
            self.ports.push((name, PortPlan { bytes_per_s }));
        }
        index
    }

    fn prefix(&self, cpc: u8) -> String {
        self.inputs.of(cpc).cpc.name.prefix()
    }

    /// Returns the conversations `each` with their network.
    pub fn into_conversations(self, each: Vec<Conversation>) -> Conversations {
        let (ports, plans) = self.ports.into_iter().unzip();
        let plan = NetworkPlan {
            hosts: self.hosts.iter().map(|lpar| u32::from(self.lpars[*lpar as usize].cps)).collect(),
            ports: plans,
            functions: self.functions.len() as u32,
            conversations: self.conversations,
        };
        Conversations { plan, hosts: self.hosts, ports, functions: self.functions, each }
    }
}
