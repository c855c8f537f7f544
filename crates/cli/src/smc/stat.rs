//! `halftrack smc stat`: connections over SMC-R, and connections that stayed with TCP.

use std::collections::BTreeMap;

use clap::Args;
use halftrack_smc_host::{Census, ConnectionEntry, Fabric, Fallback, FallbackEntry};
use serde::Serialize;

use crate::failure::Failure;
use crate::standard_output::print;
use crate::volume::table::{Side, counted, table};

/// Words at the end of `halftrack smc stat --help`.
pub const EXAMPLES: &str = "\
Each end of a connection is a line of its own, with the state by the names of smcss, its processes,
the sign by which the peer was recognised (the option of TCP, or the registry of the host), the
buffers (RMB) of both ends, and the octets sent and received. A link group is one pair of stacks
in one pair of roles, as smcr shows it, with its links and the connections that it has moved from a
link that was lost; the link of the fabric shm is memory that both share. Connections that stayed
with TCP are shown by process, with the reason (codes of CLC), as long as the process lives. Only
processes that this user may look into are shown.

Examples:
  halftrack smc stat
  halftrack smc stat --json | jq '.fallbacks[].last[].reason'

Exit codes: 0 fine, 1 the system failed, 2 bad input.";

/// Arguments of `halftrack smc stat`.
#[derive(Debug, Args)]
pub struct StatArguments {
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// End of a connection.
#[derive(Debug, Serialize)]
struct ConnectionRow {
    state: &'static str,
    role: &'static str,
    local: String,
    peer: String,
    link_group: String,
    recognised_by: &'static str,
    processes: Vec<u32>,
    peer_process: u32,
    rmb_bytes: u32,
    peer_rmb_bytes: u32,
    sent_bytes: u64,
    received_bytes: u64,
    unread_bytes: u32,
}

/// Link group.
#[derive(Debug, Default, Serialize)]
struct GroupRow {
    link_group: String,
    role: &'static str,
    state: &'static str,
    fabric: &'static str,
    active_links: u8,
    failovers: u32,
    connections: u32,
    rmbs: u32,
    rmb_bytes: u64,
}

/// Process with connections that stayed with TCP.
#[derive(Debug, Serialize)]
struct FallbackRow {
    process: u32,
    total: u64,
    last: Vec<FallbackConnection>,
}

/// Connection that stayed with TCP.
#[derive(Debug, Serialize)]
struct FallbackConnection {
    role: &'static str,
    local: String,
    peer: String,
    by: &'static str,
    code: String,
    reason: &'static str,
}

#[derive(Debug, Serialize)]
struct Status {
    connections: Vec<ConnectionRow>,
    link_groups: Vec<GroupRow>,
    fallbacks: Vec<FallbackRow>,
}

/// States of a group, by the names that tools of Linux show.
const STATES: [&str; 5] = ["NONE", "SINGLE", "SYM", "ASYMMETRIC-LOCAL", "ASYMMETRIC-PEER"];

/// Shows what there is.
///
/// # Errors
/// The processes cannot be listed.
pub fn stat(arguments: &StatArguments) -> Result<bool, Failure> {
    let status = status_of(&Census::take()?);
    if arguments.json {
        let text = serde_json::to_string_pretty(&status).expect("numbers and names serialise");
        print(&(text + "\n"))?;
    } else {
        print(&text_of(&status))?;
    }
    Ok(true)
}

const fn role(is_server: bool) -> &'static str {
    if is_server { "server" } else { "client" }
}

fn status_of(census: &Census) -> Status {
    let mut groups = BTreeMap::<String, GroupRow>::new();
    let mut connections = Vec::new();
    for entry in &census.connections {
        let row = connection_row(entry);
        let group = groups.entry(row.link_group.clone()).or_insert_with(|| GroupRow {
            link_group: row.link_group.clone(),
            role: row.role,
            ..GroupRow::default()
        });
        let links = entry.links;
        (group.fabric, group.state, group.active_links) = match links.fabric {
            // Memory is one link, and there is no adapter that could be lost.
            Fabric::SharedMemory => ("shm", STATES[1], 1),
            Fabric::RoceUdp => {
                ("roce-udp", STATES.get(usize::from(links.group_state)).copied().unwrap_or("?"), links.links)
            }
        };
        group.failovers = group.failovers.max(links.failovers);
        group.connections += 1;
        group.rmbs += 1;
        group.rmb_bytes += u64::from(row.rmb_bytes);
        connections.push(row);
    }
    let fallbacks = census.processes.iter().map(fallback_row).collect();
    Status { connections, link_groups: groups.into_values().collect(), fallbacks }
}

fn connection_row(entry: &ConnectionEntry) -> ConnectionRow {
    let about = entry.about;
    let stack = |stack: [u8; 8]| stack[4..].iter().map(|octet| format!("{octet:02X}")).collect::<String>();
    let initial = if about.is_server { 'S' } else { 'C' };
    ConnectionRow {
        state: entry.state.name(),
        role: role(about.is_server),
        local: about.local.to_string(),
        peer: about.remote.to_string(),
        link_group: format!("{}-{initial}-{}", stack(about.stack.0), stack(about.peer_stack.0)),
        recognised_by: about.sign.name(),
        processes: entry.processes.clone(),
        peer_process: about.peer_process,
        rmb_bytes: entry.element_bytes.0,
        peer_rmb_bytes: entry.element_bytes.1,
        sent_bytes: entry.stream_bytes.0,
        received_bytes: entry.stream_bytes.1,
        unread_bytes: entry.unread_bytes,
    }
}

fn fallback_row(entry: &FallbackEntry) -> FallbackRow {
    let last = entry.last.iter().map(|fallback: &Fallback| FallbackConnection {
        role: role(fallback.is_server),
        local: fallback.local.to_string(),
        peer: fallback.remote.to_string(),
        by: if fallback.is_of_peer { "peer" } else { "this end" },
        code: format!("{:08X}", fallback.diagnosis.0),
        reason: fallback.diagnosis.text().unwrap_or("a reason of another implementation"),
    });
    FallbackRow { process: entry.process, total: entry.total, last: last.collect() }
}

fn text_of(status: &Status) -> String {
    let Status { connections, link_groups, fallbacks } = status;
    let mut text = format!("{}\n", counted(connections.len(), "connection"));
    if !connections.is_empty() {
        let heads = [
            ("STATE", Side::Left),
            ("ROLE", Side::Left),
            ("LOCAL", Side::Left),
            ("PEER", Side::Left),
            ("LINK GROUP", Side::Left),
            ("PEER BY", Side::Left),
            ("PROCESSES", Side::Left),
            ("PEER PROCESS", Side::Right),
            ("RMB", Side::Right),
            ("SENT", Side::Right),
            ("RECEIVED", Side::Right),
            ("UNREAD", Side::Right),
        ];
        text += &table(heads, &connections.iter().map(connection_cells).collect::<Vec<_>>());
    }
    text += &format!("\n{}\n", counted(link_groups.len(), "link group"));
    if !link_groups.is_empty() {
        let heads = [
            ("LINK GROUP", Side::Left),
            ("ROLE", Side::Left),
            ("STATE", Side::Left),
            ("FABRIC", Side::Left),
            ("LINKS", Side::Right),
            ("FAILOVERS", Side::Right),
            ("CONNECTIONS", Side::Right),
            ("RMBS", Side::Right),
            ("RMB OCTETS", Side::Right),
        ];
        text += &table(heads, &link_groups.iter().map(group_cells).collect::<Vec<_>>());
    }
    let total: u64 = fallbacks.iter().map(|row| row.total).sum();
    text += &format!("\n{} stayed with TCP\n", counted(total as usize, "connection"));
    for row in fallbacks {
        text += &format!("process {}: {}\n", row.process, counted(row.total as usize, "connection"));
        for FallbackConnection { role, local, peer, by, code, reason } in &row.last {
            text += &format!("  {role} {local} {peer}: {reason} ({code}, {by})\n");
        }
    }
    text
}

fn connection_cells(row: &ConnectionRow) -> [String; 12] {
    let processes: Vec<String> = row.processes.iter().map(u32::to_string).collect();
    [
        row.state.to_owned(),
        row.role.to_owned(),
        row.local.clone(),
        row.peer.clone(),
        row.link_group.clone(),
        row.recognised_by.to_owned(),
        processes.join(","),
        row.peer_process.to_string(),
        row.rmb_bytes.to_string(),
        row.sent_bytes.to_string(),
        row.received_bytes.to_string(),
        row.unread_bytes.to_string(),
    ]
}

fn group_cells(row: &GroupRow) -> [String; 9] {
    [
        row.link_group.clone(),
        row.role.to_owned(),
        row.state.to_owned(),
        row.fabric.to_owned(),
        row.active_links.to_string(),
        row.failovers.to_string(),
        row.connections.to_string(),
        row.rmbs.to_string(),
        row.rmb_bytes.to_string(),
    ]
}
