//! A system at one end of an ISFC logical link: `islink.toml` of `halftrack islink`, read and checked by itself.
//!
//! ```toml
//! deck = "vma.iocp"
//! partition = "VMA"
//! collection = "DEMO"
//!
//! [link]
//! node = "VMB"
//! devices = ["D000-D003"]
//!
//! [[channel]]
//! chpid = "40"
//! wwpn = "50:05:07:64:00:00:00:40"
//! partner = "50:05:07:64:00:00:00:41"
//! listen = "127.0.0.1:4040"
//!
//! [[send]]
//! stream = 1
//! file = "disk.img"
//! ```

mod channel;
mod disks;
mod guest;
mod request;
mod stream;

use std::sync::Arc;

use halftrack_base::Span;
use halftrack_input::messages::toml_file as numbers;
use halftrack_input::{Diagnostic, Expect, Fields, Located, SourceFile, read_document};

use crate::device_range::DeviceRange;
use crate::link_access::{TlsEntry, read_tls};
use crate::unique::check_unique;
use stream::Names;

pub use channel::IslinkChannelEntry;
pub use disks::{DiskStreamEntry, DisksEntry};
pub use guest::{HostEntry, RelocateEntry};
pub use request::RequestEntry;
pub use stream::{StreamContents, StreamEntry};

/// Words of the name of a system or a collection.
const SYSTEM_WORDS: &str = "a name of one to eight letters, digits, $, # and @";
/// Longest time without progress after which a run ends, s.
const PATIENCE_MAX_S: f64 = 86_400.0;
/// Longest time by default, s.
const PATIENCE_DEFAULT_S: f64 = 30.0;

/// A system at one end of a logical link.
#[derive(Debug, Clone)]
pub struct IslinkFile {
    /// The text that the spans point into.
    pub source: Arc<SourceFile>,
    /// Name of the deck's file, beside this one.
    pub deck: Located<String>,
    /// Name of the partition in the deck, with its channel subsystem where that is given.
    pub partition: Located<String>,
    /// Name of the system.
    pub system: String,
    /// Name of its collection of systems.
    pub collection: String,
    /// Certificates of its ports.
    pub tls: Option<TlsEntry>,
    /// System at the other end; none takes the one that is there.
    pub node: Option<String>,
    /// Devices of the link; none for all of the channels.
    pub devices: Option<Vec<Located<DeviceRange>>>,
    /// Longest time without a path or progress.
    pub patience: Span,
    /// Channels, one at least.
    pub channels: Vec<IslinkChannelEntry>,
    /// Streams that are sent.
    pub sent: Vec<StreamEntry>,
    /// Streams that are received.
    pub received: Vec<StreamEntry>,
    /// Guests that leave.
    pub relocations: Vec<RelocateEntry>,
    /// Guests that come.
    pub hosts: Vec<HostEntry>,
    /// Requests.
    pub requests: Vec<RequestEntry>,
    /// Streams on which it responds.
    pub responses: Vec<u32>,
    /// Streams of I/O to disks.
    pub disks: Option<DisksEntry>,
}

/// Reads the file of a system; the messages are about this file alone.
pub fn read_islink(source: &Arc<SourceFile>) -> (Option<IslinkFile>, Vec<Diagnostic>) {
    read_document(source, |fields| {
        let deck = fields.required("deck", Expect::text());
        let partition = fields.required("partition", Expect::text());
        let system = fields.optional("system", system_name());
        let collection = fields.or("collection", system_name(), "HALFTRAK".to_owned());
        let patience = fields.or("patience_s", Expect::positive(PATIENCE_MAX_S), PATIENCE_DEFAULT_S);
        let tls = read_tls(fields);
        let (node, devices) = fields.optional_table("link", |link| Some(read_link(link))).unwrap_or_default();
        let channels = channel::read_channels(fields, tls.is_some());
        let mut names = Names::default();
        let sent = stream::read_streams(fields, "send", &mut names);
        let received = stream::read_streams(fields, "receive", &mut names);
        let relocations = guest::read_relocations(fields, &mut names);
        let hosts = guest::read_hosts(fields, &mut names);
        let requests = request::read_requests(fields, &mut names);
        let responses = request::read_responses(fields, &mut names);
        let disks = disks::read_disks(fields);
        check_unique(fields, "stream", names.streams);
        check_unique(fields, "guest", names.guests);
        check_unique(fields, "memory", names.memories);
        if !fields.has("channel") {
            let fix = "add a `[[channel]]` with `chpid`, `wwpn`, `partner` and `listen` or `connect`";
            fields.error(numbers::MISSING_KEY, fields.span(), "no `[[channel]]`: expected one at least", fix);
        }
        let partition = partition?;
        let system = system.map_or_else(|| of_partition(&partition.value), |system| system.value);
        Some(IslinkFile {
            source: Arc::clone(fields.source()),
            deck: deck?,
            partition,
            system,
            collection,
            tls,
            node,
            devices,
            patience: Span::from_s_f64(patience),
            channels,
            sent,
            received,
            relocations,
            hosts,
            requests,
            responses,
            disks,
        })
    })
}

fn read_link(link: &mut Fields<'_>) -> (Option<String>, Option<Vec<Located<DeviceRange>>>) {
    let node = link.optional("node", system_name()).map(|node| node.value);
    let devices = link.optional_list("devices", Expect::parsed(DeviceRange::WORDS, DeviceRange::parse));
    (node, devices)
}

/// Returns the name of a partition without its channel subsystem.
fn of_partition(partition: &str) -> String {
    partition.split_once('.').map_or(partition, |(_, name)| name).to_owned()
}

/// Returns the name of a system or a collection.
fn system_name<'e>() -> Expect<'e, String> {
    Expect::parsed(SYSTEM_WORDS, |text| {
        let is_character =
            |octet: &u8| octet.is_ascii_uppercase() || octet.is_ascii_digit() || b"$#@".contains(octet);
        let upper = text.to_ascii_uppercase();
        let is_name = (1..=8).contains(&upper.len()) && upper.as_bytes().iter().all(is_character);
        is_name.then_some(upper)
    })
}
