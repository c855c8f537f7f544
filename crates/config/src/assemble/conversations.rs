//! Conversations: their partitions, and the path that each can take.

use halftrack_base::Span;
use halftrack_catalog::{Catalog, SINGLE_MODE, SMC_R, TCP, Transport};
use halftrack_input::messages::conversation as numbers;
use halftrack_input::{Located, Severity, nearest_or_all};
use halftrack_plugging::Hardware;
use halftrack_smcr_twin::{ConversationPlan, PathPlan, Transport as Times};

use crate::assemble::hardware::duration;
use crate::assemble::inputs::Inputs;
use crate::assemble::roce_functions::{PlacedRoce, is_roce, roce_functions};
use crate::assemble::socket_routes::SocketRoutes;
use crate::conversations::{Conversation, Conversations, SocketPath};
use crate::cpc::Lpar;
use crate::plant::Network;
use crate::workload_file;

/// Returns the conversations of the workload; what the partitions cannot have is reported.
pub fn conversations(inputs: &Inputs<'_>, lpars: &[Lpar], hardware: &[Option<Hardware>]) -> Conversations {
    let wanted = &inputs.workload.conversations;
    let machines = inputs.each().zip(hardware);
    let functions: Vec<_> =
        machines.flat_map(|(machine, hardware)| roce_functions(&machine, hardware.as_ref())).collect();
    let mut assembly = Assembly {
        inputs,
        lpars,
        functions: &functions,
        routes: SocketRoutes::new(inputs, lpars, &functions),
    };
    let mut by_name: Vec<_> = wanted.iter().collect();
    by_name.sort_by(|a, b| a.name.value.cmp(&b.name.value));
    let each = by_name.into_iter().filter_map(|one| assembly.add(one)).collect();
    assembly.routes.into_conversations(each)
}

/// State of the assembly.
struct Assembly<'a, 'b> {
    inputs: &'b Inputs<'a>,
    lpars: &'b [Lpar],
    functions: &'b [PlacedRoce],
    routes: SocketRoutes<'b>,
}

impl Assembly<'_, '_> {
    /// Adds a conversation.
    fn add(&mut self, one: &workload_file::Conversation) -> Option<Conversation> {
        let [client, server] = [0, 1].map(|side| self.partition(one, side));
        let lpars = [client?, server?];
        let (path, network, fallback) = self.path(one, lpars)?;
        // Where no function is there when its client connects, a connection of SMC-R is one of TCP.
        let candidates: &[SocketPath] = match path {
            SocketPath::Tcp => &[SocketPath::Tcp],
            SocketPath::SmcR => &[SocketPath::SmcR, SocketPath::Tcp],
        };
        let plans = candidates.iter().map(|path| self.path_plan(*path, lpars, network));
        let paths = plans.collect::<Option<Vec<PathPlan>>>()?;
        let hosts = lpars.map(|lpar| self.routes.host(lpar));
        self.routes.conversations.push(ConversationPlan {
            hosts,
            traffic: one.traffic,
            connections: one.connections,
            begins: one.at,
            paths,
            reconnect: one.reconnect,
        });
        let (name, network) = (one.name.value.clone(), network.pnetid.value.clone());
        Some(Conversation { name, lpars, path, fallback, network })
    }

    /// Returns the ways over a path, and its times.
    fn path_plan(&mut self, path: SocketPath, lpars: [u32; 2], network: &Network) -> Option<PathPlan> {
        let times = times_of(self.inputs.catalog, path)?;
        let fibre = self.inputs.catalog.fibres.get(SINGLE_MODE)?;
        let distance = Span::from_us_f64(network.km.value * fibre.propagation_us_per_km.value);
        let tcp = self.inputs.catalog.transports.get(TCP)?;
        let (routes, spread) = match path {
            SocketPath::Tcp => self.routes.over_osd(lpars, network, distance)?,
            SocketPath::SmcR => self.routes.over_roce(lpars, network, self.functions, distance),
        };
        Some(PathPlan {
            transport: transport(times),
            setup: (duration(&tcp.message_us) + distance) * u64::from(times.setup_messages.value),
            routes,
            spread,
            failover: times.failover_us.as_ref().map_or(Span::ZERO, duration),
        })
    }

    /// Finds the partition of a side.
    fn partition(&self, one: &workload_file::Conversation, side: usize) -> Option<u32> {
        let name = &one.lpars[side];
        let found = self.lpars.iter().position(|lpar| lpar.name == name.value);
        let planned = &self.inputs.plant.lpars;
        let names = || planned.iter().map(|lpar| lpar.name.value.as_str());
        let report = |message: String, fix: String| {
            let error = self.inputs.in_workload(numbers::NO_CONVERSATION_LPAR, &name.span, message);
            self.inputs.report(error.fix(fix));
        };
        let conversation = &one.name.value;
        if side == 1 && one.lpars[0].value == name.value {
            let message = format!("client and server of conversation {conversation} are both {}", name.value);
            report(message, "name two partitions".to_owned());
            return None;
        }
        // A partition that the plant has and the deck lacks has been reported there.
        if found.is_none() && names().all(|known| known != name.value) {
            let message = format!(
                "conversation {conversation} is of {}, but the plant has no such partition",
                name.value
            );
            report(message, nearest_or_all(&name.value, names()));
        }
        found.map(|lpar| lpar as u32)
    }

    /// Returns the path that a conversation can take, its network, and the reason of a fallback.
    fn path<'n>(
        &self,
        one: &workload_file::Conversation,
        lpars: [u32; 2],
    ) -> Option<(SocketPath, &'n Network, Option<String>)>
    where
        Self: 'n,
    {
        let named = one.network.as_ref().map(|network| &network.value);
        let all = self.inputs.plant.networks.iter();
        let of_name = all.filter(|network| named.is_none_or(|name| *name == network.pnetid.value));
        let has_osd = |network: &&Network| lpars.iter().all(|lpar| self.routes.has_osd(*lpar, network));
        let candidates: Vec<_> = of_name.filter(has_osd).collect();
        let Some(first) = candidates.first() else {
            self.report_no_network(one);
            return None;
        };
        if one.path.value == SocketPath::Tcp {
            return Some((SocketPath::Tcp, first, None));
        }
        if !self.are_cards_known(one, lpars) {
            return None;
        }
        let lacks = |network: &Network| lpars.iter().find_map(|lpar| self.lack(*lpar, network));
        match candidates.iter().find(|network| lacks(network).is_none()) {
            Some(network) => Some((SocketPath::SmcR, network, None)),
            None => {
                let reason = lacks(first)?;
                let message = format!("conversation {} falls back to TCP: {reason}", one.name.value);
                let warning = self.inputs.in_workload(numbers::FALLS_BACK, &one.path.span, message);
                let fix = "give both partitions RoCE functions with the PNETID of their OSD";
                self.inputs.report(warning.severity(Severity::Warning).fix(fix));
                Some((SocketPath::Tcp, first, Some(reason)))
            }
        }
    }

    fn report_no_network(&self, one: &workload_file::Conversation) {
        let [client, server] = &one.lpars;
        let (message, at): (_, &Located<String>) = match &one.network {
            Some(network) => {
                let (client, server, name) = (&client.value, &server.value, &network.value);
                (format!("{client} and {server} do not both reach network {name}"), network)
            }
            None => (format!("{} and {} have no network in common", client.value, server.value), &one.name),
        };
        let error = self.inputs.in_workload(numbers::NO_NETWORK, &at.span, message);
        let fix = "give the plant a `[[network]]`, and both partitions a CHPID of TYPE=OSD with its PNETID";
        self.inputs.report(error.fix(fix));
    }

    /// Returns true when it is known which cards the machines of both partitions have; else it is reported.
    fn are_cards_known(&self, one: &workload_file::Conversation, lpars: [u32; 2]) -> bool {
        let machines = lpars.map(|lpar| self.inputs.of(self.lpars[lpar as usize].cpc));
        let unknown = machines.iter().find_map(|machine| {
            let mut functions = machine.deck.functions.iter().filter(|function| is_roce(function));
            functions.next().filter(|_| machine.cpc.hardware.is_none()).map(|function| (machine, function))
        });
        let Some((machine, function)) = unknown else { return true };
        let message = format!(
            "conversation {} goes over RoCE functions, but the plant names no hardware file",
            one.name.value
        );
        let error = machine.in_plant(numbers::ROCE_UNKNOWN, &machine.cpc.model.span, message);
        let error = error.other(machine.deck_label(&function.fid.span, "one of the functions"));
        let fix = "add `hardware = \"hardware.toml\"` to the CPC, with the cards that are plugged";
        machine.report(error.fix(fix));
        false
    }

    /// Returns what partition `lpar` lacks for SMC-R on a network.
    fn lack(&self, lpar: u32, network: &Network) -> Option<String> {
        let (lpar, wanted) = (&self.lpars[lpar as usize], &network.pnetid.value);
        let name = &lpar.name;
        let own: Vec<_> = self.functions.iter().filter(|function| function.is_of(lpar)).collect();
        if own.is_empty() {
            return Some(format!("{name} has no RoCE function"));
        }
        let plugged: Vec<_> = own.into_iter().filter(|function| function.group.is_some()).collect();
        if plugged.is_empty() {
            return Some(format!("the RoCE functions of {name} are on no plugged card"));
        }
        let usable: Vec<_> = plugged.into_iter().filter(|function| function.gbps.is_some()).collect();
        if usable.is_empty() {
            return Some(format!(
                "the catalog has no `network` of the cards with the RoCE functions of {name}"
            ));
        }
        if usable.iter().any(|function| function.port_on(wanted).is_some()) {
            return None;
        }
        let mut others: Vec<_> =
            usable.iter().flat_map(|one| one.networks.iter().flatten()).map(String::as_str).collect();
        others.sort_unstable();
        others.dedup();
        Some(format!("the RoCE functions of {name} are on {}, and its OSD on {wanted}", others.join(", ")))
    }
}

/// Returns the times of a path in the catalog.
fn times_of(catalog: &Catalog, path: SocketPath) -> Option<&Transport> {
    let id = match path {
        SocketPath::Tcp => TCP,
        SocketPath::SmcR => SMC_R,
    };
    catalog.transports.get(id)
}

/// Returns the times of a path as the twin has them.
fn transport(times: &Transport) -> Times {
    let message = duration(&times.message_us);
    let message_work =
        Span::from_us_f64(times.message_us.value * times.work_percent.value / 100.0).min(message);
    Times {
        message_work,
        message_delay: message - message_work,
        kib_work: duration(&times.kib_us),
        stream_kib_work: duration(&times.stream_kib_us),
        window_bytes: times.window_bytes.value,
    }
}
