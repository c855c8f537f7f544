//! Logical paths between a channel image and a control-unit image, of both ends (reference section 6.5).
//!
//! ```text
//! REMOVED ─ELP sent─► PENDING ─LPE─► ESTABLISHED ─RLP sent─► removing ─LPR─► REMOVED
//!    ▲                   │                │
//!    └──LPR, LRJ, no answer, logged out───┘   (a control unit goes from REMOVED to ESTABLISHED by the ELP)
//! ```

mod event;
mod images;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};
use std::ops::RangeInclusive;

use halftrack_base::{Span, Time};
use halftrack_wire::fc_header::NO_EXCHANGE;
use halftrack_wire::heading::{FromSide, Heading};
use halftrack_wire::link_control::{LinkControl, LinkFunction, PathFeatures, RejectReason, RemovedReason};
use halftrack_wire::sb_header::{SB_HEADER_BYTES, SbHeader};
use halftrack_wire::{Eof, FcFrame, FcHeader, FrameControl, FrameSink, ParseError, Sof};

pub use event::{LogicalPath, PathEvent, RemovalCause};
pub use images::ImageSet;

/// Longest time that the answer to a request may take before the request is sent again: E_D_TOV, our choice.
pub const LINK_CONTROL_TIMEOUT: Span = Span::from_s(2);
/// Number of times that a request is sent before it counts as not answered.
pub const LINK_CONTROL_TRIES: u8 = 3;
/// Exchange ids of link control. Our choice: above those of I/O and below those of link services.
pub const LINK_CONTROL_EXCHANGES: RangeInclusive<u16> = 0xE000..=0xEFFF;
/// Most frames that wait for a credit. A frame that does not fit is dropped: the side that waits for it sends its
/// request again.
const OUTBOX_FRAMES: usize = 512;

/// End of the paths at which a port is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathRole {
    /// A channel, which establishes paths.
    Channel,
    /// A control unit, which takes them.
    ControlUnit {
        /// Its images.
        images: ImageSet,
        /// Most paths that it has room for.
        paths_max: usize,
    },
}

/// State of a path that is not REMOVED.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// ELP was sent.
    Pending(Wait),
    /// Device-level information units may flow.
    Established,
    /// RLP was sent.
    Removing(Wait),
}

/// A wait for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Wait {
    until: Time,
    tries: u8,
}

impl Wait {
    fn new(now: Time, tries: u8) -> Self {
        Self { until: now.saturating_add(LINK_CONTROL_TIMEOUT), tries }
    }
}

/// The logical paths of a port, sans IO: frames and time come in by `handle_*`, frames and events go out by `poll_*`.
///
/// The owner hands over the frames of logged-in peers only and reports when a login is over.
#[derive(Debug)]
pub struct LogicalPaths {
    role: PathRole,
    /// Own address.
    address: u32,
    /// Every path that is not REMOVED.
    paths: BTreeMap<LogicalPath, State>,
    /// Exchange of the ELP by which a channel has established each path.
    requests: BTreeMap<LogicalPath, u16>,
    outbox: VecDeque<(u32, LinkControl)>,
    events: VecDeque<PathEvent>,
    next_exchange: u16,
}

impl LogicalPaths {
    /// Makes the logical paths of a port: none yet.
    #[must_use]
    pub fn new(role: PathRole) -> Self {
        Self {
            role,
            address: 0,
            paths: BTreeMap::new(),
            requests: BTreeMap::new(),
            outbox: VecDeque::new(),
            events: VecDeque::new(),
            next_exchange: *LINK_CONTROL_EXCHANGES.start(),
        }
    }

    /// Takes the address that the port was given.
    pub fn set_address(&mut self, address: u32) {
        self.address = address;
    }

    /// Returns whether device-level information units may flow on the path.
    #[inline]
    #[must_use]
    pub fn is_established(&self, peer: u32, channel_image: u8, control_unit_image: u8) -> bool {
        let path = LogicalPath { peer, channel_image, control_unit_image };
        matches!(self.paths.get(&path), Some(State::Established))
    }

    /// Returns the paths that are ESTABLISHED, in order.
    pub fn established(&self) -> impl Iterator<Item = LogicalPath> {
        let established = self.paths.iter().filter(|(_, state)| **state == State::Established);
        established.map(|(path, _)| *path)
    }

    /// Establishes a path (channel). Nothing happens when it is there or on its way.
    pub fn establish(&mut self, now: Time, path: LogicalPath) {
        match self.paths.get(&path) {
            Some(State::Established | State::Pending(_)) => {}
            Some(State::Removing(_)) | None => {
                self.paths.insert(path, State::Pending(Wait::new(now, 1)));
                self.send(path, LinkFunction::EstablishPath(PathFeatures::ENHANCED_CRC));
            }
        }
    }

    /// Removes a path.
    pub fn remove(&mut self, now: Time, path: LogicalPath) {
        match self.paths.get(&path) {
            Some(State::Established | State::Pending(_)) => {
                self.paths.insert(path, State::Removing(Wait::new(now, 1)));
                self.send(path, LinkFunction::RemovePath);
            }
            Some(State::Removing(_)) | None => {}
        }
    }

    /// Sends a control unit the test of its paths to `channel_image`; paths that its answer lacks are then removed
    /// here.
    pub fn test(&mut self, peer: u32, channel_image: u8) {
        let path = LogicalPath { peer, channel_image, control_unit_image: 0 };
        self.send(path, LinkFunction::TestInitialization);
    }

    /// Rejects a device-level frame whose path is not established. LRJ answers the first frame of a sequence that the
    /// other side sent of its own accord; later frames of it are passed over.
    pub fn reject(&mut self, frame: &FcFrame<'_>) {
        let opens = frame.header.seq_cnt == 0 && !frame.header.f_ctl.has(FrameControl::RESPONDER);
        let Some(sb_header) = frame.payload.first_chunk::<SB_HEADER_BYTES>().filter(|_| opens) else {
            return;
        };
        let SbHeader { channel_image, control_unit_image, .. } = SbHeader::parse(sb_header);
        let path = LogicalPath { peer: frame.header.s_id, channel_image, control_unit_image };
        self.send(path, LinkFunction::Reject(RejectReason::PathNotEstablished));
    }

    /// Takes a link-control frame of a logged-in peer.
    ///
    /// # Errors
    /// The octets are no link-control IU; the sender gets an LRJ where the images could be read.
    pub fn handle_frame(&mut self, now: Time, frame: &FcFrame<'_>) -> Result<(), ParseError> {
        let iu = LinkControl::parse(frame.payload).inspect_err(|_| self.reject_malformed(frame))?;
        let (channel_image, control_unit_image) = (iu.channel_image, iu.control_unit_image);
        let path = LogicalPath { peer: frame.header.s_id, channel_image, control_unit_image };
        match iu.function {
            LinkFunction::EstablishPath(features) => {
                self.handle_establish(path, frame.header.ox_id, features)
            }
            LinkFunction::PathEstablished(_) => self.handle_established(path),
            LinkFunction::RemovePath => self.handle_remove(path),
            LinkFunction::PathRemoved(reason) => self.handle_removed(path, reason),
            LinkFunction::TestInitialization => self.answer_test(path),
            LinkFunction::TestInitializationResult(bitmap) => self.handle_test_result(path, &bitmap),
            LinkFunction::Reject(reason) => self.handle_reject(path, reason),
            LinkFunction::Busy => self.handle_busy(now, path),
            LinkFunction::Acknowledge => {}
        }
        Ok(())
    }

    /// Sends at most one frame; false when there is nothing to send. The caller holds a buffer credit for it.
    pub fn poll_frame(&mut self, sink: &mut impl FrameSink) -> bool {
        let Some((d_id, iu)) = self.outbox.pop_front() else { return false };
        let from = match self.role {
            PathRole::Channel => FromSide::Channel,
            PathRole::ControlUnit { .. } => FromSide::ControlUnit,
        };
        let heading = Heading::of_link_control(&iu.function, from);
        let header = FcHeader {
            r_ctl: heading.r_ctl,
            d_id,
            s_id: self.address,
            fc_type: heading.fc_type,
            f_ctl: heading.frame_control(true),
            ox_id: self.next_exchange,
            rx_id: NO_EXCHANGE,
            parameter: heading.parameter,
            ..FcHeader::default()
        };
        let last = self.next_exchange == *LINK_CONTROL_EXCHANGES.end();
        self.next_exchange = if last { *LINK_CONTROL_EXCHANGES.start() } else { self.next_exchange + 1 };
        sink.frame(Sof::Initiate3, &header, &[&iu.emit()], Eof::Terminate);
        true
    }

    /// Returns whether a frame waits to be sent.
    #[must_use]
    pub fn has_frame(&self) -> bool {
        !self.outbox.is_empty()
    }

    /// Returns the next event.
    pub fn poll_event(&mut self) -> Option<PathEvent> {
        self.events.pop_front()
    }

    /// Returns the time at which [`LogicalPaths::handle_timeout`] is due.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Time> {
        let waits = self.paths.values().filter_map(|state| match state {
            State::Pending(wait) | State::Removing(wait) => Some(wait.until),
            State::Established => None,
        });
        waits.min()
    }

    /// Sends again what was not answered, or gives it up, as far as its time has come.
    pub fn handle_timeout(&mut self, now: Time) {
        let due: Vec<_> = self
            .paths
            .iter()
            .filter_map(|(path, state)| match state {
                State::Pending(wait) | State::Removing(wait) => {
                    (wait.until <= now).then_some((*path, *state))
                }
                State::Established => None,
            })
            .collect();
        for (path, state) in due {
            match state {
                State::Pending(wait) if wait.tries >= LINK_CONTROL_TRIES => {
                    self.end(path, RemovalCause::NoAnswer);
                }
                State::Pending(wait) => {
                    self.paths.insert(path, State::Pending(Wait::new(now, wait.tries + 1)));
                    self.send(path, LinkFunction::EstablishPath(PathFeatures::ENHANCED_CRC));
                }
                State::Removing(wait) if wait.tries >= LINK_CONTROL_TRIES => {
                    self.end(path, RemovalCause::Closed);
                }
                State::Removing(wait) => {
                    self.paths.insert(path, State::Removing(Wait::new(now, wait.tries + 1)));
                    self.send(path, LinkFunction::RemovePath);
                }
                State::Established => {}
            }
        }
    }

    /// Ends every path of a peer, whose login is over.
    pub fn handle_logged_out(&mut self, peer: u32) {
        let gone: Vec<_> = self.paths.keys().filter(|path| path.peer == peer).copied().collect();
        for path in gone {
            self.end(path, RemovalCause::LoggedOut);
        }
        self.outbox.retain(|(d_id, _)| *d_id != peer);
    }

    /// Ends every path, because the link is down.
    pub fn handle_link_down(&mut self) {
        let gone: Vec<_> = self.paths.keys().copied().collect();
        for path in gone {
            self.end(path, RemovalCause::LoggedOut);
        }
        self.outbox.clear();
    }

    fn send(&mut self, path: LogicalPath, function: LinkFunction) {
        if self.outbox.len() < OUTBOX_FRAMES {
            let iu = LinkControl::new(path.channel_image, path.control_unit_image, function);
            self.outbox.push_back((path.peer, iu));
        }
    }

    fn end(&mut self, path: LogicalPath, why: RemovalCause) {
        self.requests.remove(&path);
        if self.paths.remove(&path).is_some() {
            self.events.push_back(PathEvent::Removed { path, why });
        }
    }

    /// Handles ELP: a control unit establishes the path or answers with the reason for which it does not. The ELP by which
    /// the path was established is answered again when it comes twice, and changes nothing: a path that began anew behind
    /// the channel's back would admit starts that are late.
    fn handle_establish(&mut self, path: LogicalPath, ox_id: u16, features: PathFeatures) {
        let PathRole::ControlUnit { images, paths_max } = self.role else {
            return self.send(path, LinkFunction::Reject(RejectReason::ProtocolError));
        };
        let refusal = if features.has(PathFeatures::CHANNEL_TO_CHANNEL) {
            Some(RemovedReason::FeatureConflict)
        } else if !images.contains(path.control_unit_image) {
            Some(RemovedReason::NoSuchImage)
        } else if !self.paths.contains_key(&path) && self.paths.len() >= paths_max {
            Some(RemovedReason::OutOfResources)
        } else {
            None
        };
        if let Some(reason) = refusal {
            return self.send(path, LinkFunction::PathRemoved(reason));
        }
        if self.requests.get(&path) != Some(&ox_id) {
            self.end(path, RemovalCause::Anew);
            self.paths.insert(path, State::Established);
            self.requests.insert(path, ox_id);
            self.events.push_back(PathEvent::Established(path));
        }
        let granted = PathFeatures(features.0 & PathFeatures::ENHANCED_CRC.0);
        self.send(path, LinkFunction::PathEstablished(granted));
    }

    /// Handles LPE. One that comes after the wait was given up, or twice, changes nothing.
    fn handle_established(&mut self, path: LogicalPath) {
        if let Some(State::Pending(_)) = self.paths.get(&path) {
            self.paths.insert(path, State::Established);
            self.events.push_back(PathEvent::Established(path));
        }
    }

    /// Handles RLP, which is always answered. To a channel whose ELP is on its way the answer to that counts.
    fn handle_remove(&mut self, path: LogicalPath) {
        self.send(path, LinkFunction::PathRemoved(RemovedReason::Requested));
        match self.paths.get(&path) {
            Some(State::Established) => self.end(path, RemovalCause::Removed),
            Some(State::Removing(_)) => self.end(path, RemovalCause::Closed),
            Some(State::Pending(_)) | None => {}
        }
    }

    /// Handles LPR. On an established path it is a late answer to a request given up.
    fn handle_removed(&mut self, path: LogicalPath, reason: RemovedReason) {
        match (self.paths.get(&path), reason) {
            (Some(State::Removing(_)), _) => self.end(path, RemovalCause::Closed),
            (Some(State::Pending(_)), RemovedReason::Requested) => {}
            (Some(State::Pending(_)), _) => self.end(path, RemovalCause::Refused(reason)),
            (Some(State::Established) | None, _) => {}
        }
    }

    /// Handles LRJ. A missing path is no news while an ELP is on its way, which establishes it.
    fn handle_reject(&mut self, path: LogicalPath, reason: RejectReason) {
        match (self.paths.get(&path), reason) {
            (Some(State::Established), RejectReason::PathNotEstablished) => {
                self.end(path, RemovalCause::Unknown);
            }
            (Some(State::Pending(_)), RejectReason::PathNotEstablished) => {}
            (Some(State::Pending(_)), _) => self.end(path, RemovalCause::Rejected(reason)),
            (Some(State::Removing(_)), _) => self.end(path, RemovalCause::Closed),
            (Some(State::Established) | None, _) => {}
        }
    }

    /// Handles LBY: the request is sent again when the answer is overdue, and does not count.
    fn handle_busy(&mut self, now: Time, path: LogicalPath) {
        if let Some(State::Pending(wait) | State::Removing(wait)) = self.paths.get_mut(&path) {
            *wait = Wait::new(now, wait.tries.saturating_sub(1));
        }
    }

    /// Answers TIN with the images to which the channel image has a path.
    fn answer_test(&mut self, path: LogicalPath) {
        let same = |other: &LogicalPath| (other.peer, other.channel_image) == (path.peer, path.channel_image);
        let images: ImageSet =
            self.established().filter(same).map(|other| other.control_unit_image).collect();
        self.send(path, LinkFunction::TestInitializationResult(images.bitmap()));
    }

    /// Handles TIR: paths that the control unit does not have are gone.
    fn handle_test_result(&mut self, path: LogicalPath, bitmap: &[u8; 32]) {
        let missing = |image: u8| bitmap[usize::from(image / 8)] & 0x80 >> (image % 8) == 0;
        let same = |other: &LogicalPath| (other.peer, other.channel_image) == (path.peer, path.channel_image);
        let gone: Vec<_> =
            self.established().filter(same).filter(|other| missing(other.control_unit_image)).collect();
        for path in gone {
            self.end(path, RemovalCause::Unknown);
        }
    }

    /// Rejects octets that are no link-control IU by LRJ, unless they might be an answer. Two sides that reject each
    /// other's rejects would never end.
    fn reject_malformed(&mut self, frame: &FcFrame<'_>) {
        let is_request = frame.header.r_ctl == halftrack_wire::fc_header::routing::UNSOLICITED_CONTROL;
        let Some(sb_header) = frame.payload.first_chunk::<SB_HEADER_BYTES>().filter(|_| is_request) else {
            return;
        };
        let SbHeader { channel_image, control_unit_image, .. } = SbHeader::parse(sb_header);
        let path = LogicalPath { peer: frame.header.s_id, channel_image, control_unit_image };
        self.send(path, LinkFunction::Reject(RejectReason::ProtocolError));
    }
}
