//! `[[conversation]]`: sockets between two partitions.

use halftrack_base::Span;
use halftrack_input::messages::toml_file as numbers;
use halftrack_input::{Expect, Fields, Located};
use halftrack_smcr_twin::Traffic;

use crate::byte_size::byte_size_to;
use crate::conversations::{PATHS, SocketPath};
use crate::plant::network::pnetid;
use crate::unique::check_unique;

/// Connections of a conversation at most: a link group of SMC-R has so many.
const CONNECTIONS_MAX: u32 = 255;
/// Longest message, which goes as a whole, bytes.
const MESSAGE_MAX_BYTES: u64 = 65_536;
/// Longest transfer of a stream, bytes.
const STREAM_MAX_BYTES: u64 = 1 << 30;
/// Latest time at which a client connects, s: 30 days.
const AT_MAX_S: f64 = 2_592_000.0;
/// Longest time until a client connects again, ms.
const RECONNECT_MAX_MS: f64 = 3_600_000.0;

/// One `[[conversation]]`.
#[derive(Debug, Clone)]
pub struct Conversation {
    /// Name, unique in the file.
    pub name: Located<String>,
    /// Partitions of client and server.
    pub lpars: [Located<String>; 2],
    /// Path that the connections want.
    pub path: Located<SocketPath>,
    /// Exchanges of each connection.
    pub traffic: Traffic,
    /// Connections.
    pub connections: u32,
    /// PNETID of the network; the first that both partitions reach by default.
    pub network: Option<Located<String>>,
    /// When its client connects, from the start of the run.
    pub at: Span,
    /// Time from the loss of a connection until the client connects again; `None` where it does not.
    pub reconnect: Option<Span>,
}

pub(super) fn read_conversations(fields: &mut Fields<'_>) -> Vec<Conversation> {
    let mut names = Vec::new();
    let conversations = fields.tables("conversation", |conversation| {
        let name = conversation.required("name", Expect::text());
        names.extend(name.clone());
        let lpars = ["client", "server"].map(|key| conversation.required(key, Expect::text()));
        let path = conversation.required("path", Expect::one_of(PATHS));
        let traffic = read_traffic(conversation);
        let connections = conversation.or("connections", Expect::integer(1..=CONNECTIONS_MAX), 1);
        let network = conversation.optional("network", pnetid());
        let at_s = conversation.or("at_s", Expect::number(0.0..=AT_MAX_S), 0.0);
        let reconnect_ms = conversation.optional("reconnect_ms", Expect::positive(RECONNECT_MAX_MS));
        let [client, server] = lpars;
        Some(Conversation {
            name: name?,
            lpars: [client?, server?],
            path: path?,
            traffic: traffic?,
            connections,
            network,
            at: Span::from_s_f64(at_s),
            reconnect: reconnect_ms.map(|ms| Span::from_us_f64(ms.value * 1000.0)),
        })
    });
    check_unique(fields, "conversation", names);
    conversations
}

/// Reads `request` and `response`, or `stream`.
fn read_traffic(fields: &mut Fields<'_>) -> Option<Traffic> {
    let message = || byte_size_to(MESSAGE_MAX_BYTES);
    let messages = ["request", "response"].map(|key| fields.optional(key, message()));
    let stream = fields.optional("stream", byte_size_to(STREAM_MAX_BYTES));
    let bytes = |one: Located<u64>| one.value as u32;
    let is_given = ["request", "response", "stream"].map(|key| fields.has(key));
    match is_given {
        [true, true, false] => {
            let [request, response] = messages;
            Some(Traffic::Exchange { request_bytes: bytes(request?), response_bytes: bytes(response?) })
        }
        [false, false, true] => Some(Traffic::Stream { bytes: bytes(stream?) }),
        _ => {
            let message = "a conversation has `request` and `response`, or `stream`";
            let fix = "give `request = \"1K\"` and `response = \"1K\"`, or `stream = \"20000000\"`";
            fields.error(numbers::CHOOSE_ONE, fields.span(), message, fix);
            None
        }
    }
}
