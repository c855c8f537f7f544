//! Initiators of a channel: its own port, or a virtual one (NPIV), with the units that streams reach by its logins.

use halftrack_config::channel_file::{FcpChannel, FcpStream};
use halftrack_exchange::fcp::FcpPeer;

use super::finding::Finding;

/// An initiator that streams use, on all paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Initiator {
    /// Its virtual port; the physical one when there is none.
    pub virtual_port: Option<String>,
    /// Units of its streams, ascending.
    pub luns: Vec<u8>,
}

impl Initiator {
    /// Returns those of the streams of a channel, in the order in which the streams name them.
    pub fn all(channel: &FcpChannel) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for stream in &channel.streams {
            let at = Self::place(&all, stream).unwrap_or_else(|| {
                let virtual_port = stream.virtual_port.as_ref().map(|named| named.value.clone());
                all.push(Self { virtual_port, luns: Vec::new() });
                all.len() - 1
            });
            all[at].luns.extend(stream.stream.devices.iter().filter_map(|lun| u8::try_from(*lun).ok()));
        }
        for initiator in &mut all {
            initiator.luns.sort_unstable();
            initiator.luns.dedup();
        }
        all
    }

    /// Returns the place of the initiator of a stream.
    pub fn place(all: &[Self], stream: &FcpStream) -> Option<usize> {
        let name = stream.virtual_port.as_ref().map(|named| named.value.as_str());
        all.iter().position(|initiator| initiator.virtual_port.as_deref() == name)
    }
}

/// The login of an initiator to the target over one path.
#[derive(Debug)]
pub struct Nexus {
    /// Number of its port on the link: 0 is the physical one.
    pub port: usize,
    /// Name of its virtual port, for messages.
    virtual_port: Option<String>,
    /// The target, once logged in to.
    pub peer: Option<FcpPeer>,
    /// Units that are found before the path is online.
    pub luns: Vec<u8>,
    /// The search for them.
    pub finding: Finding,
}

impl Nexus {
    /// Returns the login of an initiator, before it.
    pub fn new(port: usize, initiator: &Initiator) -> Self {
        Self {
            port,
            virtual_port: initiator.virtual_port.clone(),
            peer: None,
            luns: initiator.luns.clone(),
            finding: Finding::new(&initiator.luns),
        }
    }

    /// Returns why its units cannot be used, with the name of its virtual port.
    pub fn named(&self, why: String) -> String {
        match &self.virtual_port {
            Some(name) => format!("virtual port {name}: {why}"),
            None => why,
        }
    }
}
