//! Logins of FCP channels when their links come up: the ports and switches of `fabric` over the fibres of the configuration, in
//! virtual time. A run has their outcome: addresses, the time that each login takes, and the frames.
//!
//! ```text
//! channel: FLOGI ─► each subchannel: FDISC, SCR, PLOGI and registration at the name server, PLOGI and PRLI to each port
//! ```

mod nodes;
mod san;

use std::collections::BTreeMap;

use halftrack_base::{Span, Time};
use halftrack_config::Configuration;
use halftrack_wire::{Eof, FcHeader, Sof};

use self::nodes::Nodes;

/// Time in which directors find each other and ports of boxes log in, before any channel does.
const BEFORE: Span = Span::from_s(60);
/// Time in which a channel logs in at the latest.
const AT_MOST: Span = Span::from_s(10);

/// The login of an initiator to a port of a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PathLogin {
    /// Addresses of initiator and port.
    pub addresses: [u32; 2],
    /// From the light on the fibre of the channel to the end of PRLI.
    pub takes: Span,
}

/// A frame of a login at the channel's end of its fibre.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LoginFrame {
    /// When its first bit went out, or its last one came in; the fibre has light from zero.
    pub at: Time,
    /// The channel.
    pub channel: u32,
    /// To the channel.
    pub inbound: bool,
    pub sof: Sof,
    pub header: FcHeader,
    pub payload: Vec<u8>,
    pub eof: Eof,
}

/// The logins over all paths of FCP.
#[derive(Debug, Default)]
pub(crate) struct Logins {
    /// By path of a group.
    paths: BTreeMap<u32, PathLogin>,
    frames: Vec<LoginFrame>,
}

impl Logins {
    /// Has all FCP channels of `configuration` log in at once.
    pub(crate) fn new(configuration: &Configuration) -> Self {
        let nodes = Nodes::new(configuration);
        if nodes.is_empty() {
            return Self::default();
        }
        let mut san = nodes.san(configuration);
        san.plug(|fibre| fibre.channel.is_none());
        san.run(Time::ZERO + BEFORE, |_| false);
        san.record();
        san.plug(|fibre| fibre.channel.is_some());
        let wanted = nodes.logins();
        let end = san.now() + AT_MOST;
        san.run(end, |san| wanted.iter().all(|(of, to)| san.logged_in(*of, *to).is_some()));
        let login = |(path, of, to)| Some((path, san.logged_in(of, to)?));
        let paths = nodes.paths().filter_map(login).collect();
        Self { paths, frames: san.take_frames() }
    }

    /// Returns the login over `path`, if it is one of FCP.
    pub(crate) fn of(&self, path: u32) -> Option<&PathLogin> {
        self.paths.get(&path)
    }

    /// Iterates over the paths of FCP.
    pub(crate) fn paths(&self) -> impl Iterator<Item = u32> {
        self.paths.keys().copied()
    }

    /// Returns the frames of all logins, in order of time.
    pub(crate) fn frames(&self) -> &[LoginFrame] {
        &self.frames
    }
}
