//! Conversations between partitions, over TCP or SMC-R.

use halftrack_record::{ConversationInterval, Run};

use crate::column::{self, Shown};
use crate::field::Field;
use crate::quantity::Unit;
use crate::rows::{Row, Rows, Source};
use crate::table::{SubjectRule, Table, chosen, distinct, names_of};

/// A figure of this table.
type Column = column::Column<ConversationInterval>;

/// Picoseconds in a microsecond.
const PS_PER_US: f64 = 1e6;

/// Heading of the listing.
pub(crate) const HEADING: &[&str] = &[
    "CONVERSATION     CLIENT   SERVER   PATH  NETWORK   CONNS  EXCHANGE    AVG TIME    MAX TIME      MB/S    CLIENT    SERVER BROKEN  MOVES",
    "                                                              RATE          US          US             CPU US    CPU US",
];

/// The table of conversations.
pub(crate) static TABLE: Table<ConversationInterval> = Table {
    kind: "conversation, or system",
    report: "SOCKET ACTIVITY",
    subject_rule: SubjectRule::OneOrAll,
    columns: &[
        Column::new(
            "conversation_connections",
            Unit::Count,
            "Connections that stand at the end of the run",
            |each| each.last(|one| one.connections as f64),
        )
        .listed("CONNS", "connections", Field::new(51, 55, 0))
        .on_page(1, "Connections", Shown::Rate),
        Column::new(
            "conversation_connections_over_tcp",
            Unit::Count,
            "Connections of SMC-R that go over TCP at the end of the run: no function was there when they were made",
            |each| each.last(|one| one.fallen_back as f64),
        ),
        Column::new(
            "conversation_exchanges_per_s",
            Unit::PerSecond,
            "Exchanges of connections that ended: a request and its response, or one way of a stream",
            |each| each.rate(|one| one.exchanges),
        )
        .listed("EXCHANGE RATE", "exchanges_per_s", Field::new(57, 65, 1))
        .on_page(2, "Exchanges/s", Shown::Rate),
        Column::new(
            "conversation_latency_us",
            Unit::Us,
            "Time of an exchange from its begin at the client to its end there, mean",
            |each| each.ratio(|one| one.latency_ps, |one| one.exchanges) / PS_PER_US,
        )
        .listed("AVG TIME US", "latency_us", Field::new(67, 77, 1))
        .on_page(3, "Time, us", Shown::Rate),
        Column::new(
            "conversation_latency_max_us",
            Unit::Us,
            "Time of an exchange from its begin at the client to its end there, the longest",
            |each| {
                let longest_ps = each.each.iter().map(|one| one.latency_max_ps).max();
                longest_ps.unwrap_or_default() as f64 / PS_PER_US
            },
        )
        .listed("MAX TIME US", "latency_max_us", Field::new(79, 89, 1))
        .on_page(4, "Longest, us", Shown::Rate),
        Column::new(
            "conversation_mb_per_s",
            Unit::MbPerSecond,
            "Data of exchanges that ended, both ways",
            |each| each.mb_per_s(|one| one.bytes),
        )
        .listed("MB/S", "mb_per_s", Field::new(91, 99, 1))
        .on_page(5, "MB/s", Shown::Rate),
        Column::new(
            "conversation_client_us",
            Unit::Us,
            "Time that processors of the client work for an exchange, mean",
            |each| each.ratio(|one| one.client_ps, |one| one.exchanges) / PS_PER_US,
        )
        .listed("CLIENT CPU US", "client_us", Field::new(101, 109, 1))
        .on_page(6, "Client CPU, us", Shown::Rate),
        Column::new(
            "conversation_server_us",
            Unit::Us,
            "Time that processors of the server work for an exchange, mean",
            |each| each.ratio(|one| one.server_ps, |one| one.exchanges) / PS_PER_US,
        )
        .listed("SERVER CPU US", "server_us", Field::new(111, 119, 1))
        .on_page(7, "Server CPU, us", Shown::Rate),
        Column::new(
            "conversation_broken",
            Unit::Count,
            "Exchanges whose connection lost all its functions: none goes on over TCP, but its client may connect again",
            |each| each.total(|one| one.broken) as f64,
        )
        .listed("BROKEN", "broken", Field::new(121, 126, 0))
        .on_page(8, "Broken", Shown::Rate),
        Column::new(
            "conversation_moves",
            Unit::Count,
            "Moves of connections to other functions, when theirs were lost",
            |each| each.total(|one| one.moves) as f64,
        )
        .listed("MOVES", "moves", Field::new(128, 132, 0))
        .on_page(9, "Moves", Shown::Rate),
        Column::new(
            "conversation_resent_bytes",
            Unit::Bytes,
            "Data that went again after moves of connections",
            |each| each.total(|one| one.resent_bytes) as f64,
        ),
    ],
    choose: |run, subject| chosen(run, subject, |interval| &interval.conversations, is),
    subjects,
    by_subject: None,
    things: |_, each| distinct(each.iter().map(|one| &one.name)),
    rows: Rows {
        frame: "conversations",
        keys: &[("conversation", "Name in the workload"), ("client", "Partition of the client"), ("server", "Partition of the server"), ("path", "tcp or smc-r")],
        source: Source::Interval(|_, interval| { interval.conversations.iter().map(|one| Row::new([(&one.name).into(), (&one.client).into(), (&one.server).into(), (&one.path).into()], one)).collect() }),
    },
};

/// Returns true when a conversation is `subject`, or has the system of that name at one of its ends.
fn is(conversation: &ConversationInterval, subject: &str) -> bool {
    let ConversationInterval { name, client, server, .. } = conversation;
    [name, client, server].iter().any(|known| *known == subject)
}

fn subjects(run: &Run) -> Vec<String> {
    names_of(run, |interval| &interval.conversations, |one| [&one.name, &one.client, &one.server])
}
