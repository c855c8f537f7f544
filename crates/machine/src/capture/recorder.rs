//! Makes frames of the chunks that leave and reach the channels.

use std::collections::{BTreeMap, VecDeque};
use std::ops::RangeInclusive;

use halftrack_base::{Span, Time, for_bytes};
use halftrack_config::{Channel, SwitchPort};
use halftrack_exchange::Side;
use halftrack_exchange::port::Outgoing;
use halftrack_program::Protocol;
use halftrack_wire::choices::{CHANNEL_EXCHANGES, CONTROL_UNIT_EXCHANGES};
use halftrack_wire::heading::{FromSide, ends_exchange};
use halftrack_wire::{Address, Eof, FcHeader, FrameSink, Iu, IuKind, Sof, emit_frame};

use super::{Capture, Recorded};
use crate::events::cargo::Cargo;
use crate::events::message::Parcel;
use crate::wiring::Wiring;
use crate::wiring::logins::LoginFrame;
use crate::wiring::route::Hop;

/// Makes the addresses of channel and control unit on a link without a director. FC-FS leaves the numbers to the two ports;
/// each link has its own here, because analysers identify an exchange by its addresses and OX_ID.
const fn point_to_point(link: u32) -> [u32; 2] {
    [2 * link + 1, 2 * link + 2]
}

/// Records the frames of all channels.
#[derive(Debug)]
pub(crate) struct Recorder {
    capture: Capture,
    frames_max: usize,
    /// Open exchanges, by the host's slot.
    exchanges: BTreeMap<u32, Open>,
    /// Exchange ids given, by channel, and by host-adapter port.
    of_channels: Vec<u16>,
    of_ports: Vec<u16>,
}

/// An exchange that is being recorded.
#[derive(Debug)]
struct Open {
    channel: u32,
    address: Address,
    outbound: Direction,
    inbound: Direction,
    /// The control unit has sent its ending status.
    ended: bool,
}

/// One direction of it.
#[derive(Debug)]
struct Direction {
    side: Side,
    outgoing: Outgoing,
    /// IUs that are whole.
    ius: usize,
    /// When the frames of the group that is not whole cross.
    times: VecDeque<Time>,
}

impl Direction {
    /// Notes the instants at which the frames of a chunk cross the channel's end of the fibre. The first bit of the chunk
    /// crosses at `head` and the last one `lag` later: a frame goes out with its first bit and comes in with its last.
    fn cross(&mut self, head: Time, lag: Span, frames: u16) {
        let first = match self.side {
            Side::Channel => 0,
            Side::ControlUnit => 1,
        };
        let share = |index: u16| lag * u64::from(index + first) / u64::from(frames);
        self.times.extend((0..frames).map(|index| head + share(index)));
    }

    /// Takes the IUs that end with a chunk.
    fn ending(&mut self, w: &Wiring, parcel: &Parcel, cargo: &Cargo, address: Address) -> Vec<Iu> {
        let (from, steps) = (self.ius, usize::from(cargo.chunk(w).steps));
        self.ius += steps;
        if let Some(live) = &cargo.live {
            return live.ius.clone();
        }
        let ius = w.plans[parcel.envelope.plan].ius(self.side).get(from..from + steps).unwrap_or_default();
        ius.iter().map(|iu| iu.readdressed(address)).collect()
    }
}

impl Recorder {
    /// Makes a recorder of at most `frames_max` frames, from `now` on. Those of logins of FCP are there when they begin.
    pub(crate) fn new(w: &Wiring, frames_max: u64, now: Time) -> Self {
        let configuration = &w.configuration;
        let name = |channel: &Channel| {
            let css = channel.css.first().copied().unwrap_or_default();
            let prefix = configuration.cpcs[usize::from(channel.cpc)].name.prefix();
            format!("CHPID {prefix}{css}.{:02X}", channel.chpid)
        };
        let channels = configuration.channels.iter().map(name).collect();
        let mut capture = Capture { channels, ..Capture::default() };
        if now == Time::ZERO {
            (0..configuration.channels.len() as u32).for_each(|channel| capture.login(w, channel, now));
        }
        Self {
            capture,
            frames_max: usize::try_from(frames_max).unwrap_or(usize::MAX),
            exchanges: BTreeMap::new(),
            of_channels: vec![*CHANNEL_EXCHANGES.end(); configuration.channels.len()],
            of_ports: vec![*CONTROL_UNIT_EXCHANGES.end(); configuration.ports.len()],
        }
    }

    /// Ends recording: what was recorded.
    pub(crate) fn finish(mut self) -> Capture {
        // Frames that cross at one instant stay in the order in which they were recorded.
        self.capture.frames.sort_by_key(|frame| frame.at);
        self.capture
    }

    /// Captures a chunk whose first bit enters the first link of its path at `entered`. Launches on later links are passed
    /// over.
    #[cold]
    pub(crate) fn outbound(&mut self, w: &Wiring, parcel: &Parcel, cargo: &Cargo, entered: Time) {
        let path = &w.paths[parcel.envelope.path as usize];
        // What is on a circuit has no octets.
        if self.capture.is_full || parcel.inbound || path.is_circuit || parcel.hop != path.outbound.first {
            return;
        }
        if parcel.opens {
            self.open(w, parcel);
        }
        let Some(open) = self.exchanges.get_mut(&parcel.envelope.exchange) else { return };
        let chunk = cargo.chunk(w);
        let link = &w.configuration.links[w.hops[parcel.hop as usize].link as usize];
        let fill = link.fill_bytes * u32::from(chunk.frames.saturating_sub(1));
        let lag = for_bytes(u64::from(chunk.wire_bytes + fill), link.bytes_per_s);
        open.outbound.cross(entered, lag, chunk.frames);
        let ius = open.outbound.ending(w, parcel, cargo, open.address);
        let count = ius.len();
        for (index, iu) in ius.into_iter().enumerate() {
            let others_follow = index + 1 < count || parcel.pump.has_more();
            let is_last = open.ended && iu.kind() == IuKind::StatusAccepted;
            self.capture.sequence(open.channel, &mut open.outbound, iu, others_follow, is_last);
        }
        self.end_when_full();
    }

    /// Captures a chunk that is taken and whose last bit has come from the last link at `now`.
    #[cold]
    pub(crate) fn inbound(&mut self, w: &Wiring, parcel: &Parcel, cargo: &Cargo, now: Time) {
        let Some(open) = self.exchanges.get_mut(&parcel.envelope.exchange) else { return };
        let path = &w.paths[parcel.envelope.path as usize];
        // The engines are behind the fibre.
        let now = if w.is_encrypted(path) { now.saturating_sub(w.engine_time) } else { now };
        let head = now.saturating_sub(parcel.tail_lag);
        open.inbound.cross(head, now.since(head), cargo.chunk(w).frames);
        for iu in open.inbound.ending(w, parcel, cargo, open.address) {
            open.ended |= ends_exchange(&iu);
            self.capture.sequence(open.channel, &mut open.inbound, iu, false, false);
        }
        self.end_when_full();
    }

    /// Captures the login of `channel`, whose fibre has light from `now` on, if it is one of FCP.
    #[cold]
    pub(crate) fn login(&mut self, w: &Wiring, channel: u32, now: Time) {
        if !self.capture.is_full {
            self.capture.login(w, channel, now);
            self.end_when_full();
        }
    }

    fn end_when_full(&mut self) {
        if self.capture.frames.len() > self.frames_max {
            self.capture.is_full = true;
            self.capture.frames.truncate(self.frames_max);
            self.exchanges.clear();
        }
    }

    fn open(&mut self, w: &Wiring, parcel: &Parcel) {
        let envelope = &parcel.envelope;
        let path = &w.paths[envelope.path as usize];
        let plan = &w.plans[envelope.plan];
        let [channel, port] = addresses(w, envelope.path);
        let ox_id = next(&mut self.of_channels[path.channel as usize], &CHANNEL_EXCHANGES);
        // In command mode the control unit answers in an exchange of its own (6.3).
        let own_id = match plan.key.protocol {
            Protocol::Command => next(&mut self.of_ports[path.port as usize], &CONTROL_UNIT_EXCHANGES),
            Protocol::Transport => ox_id,
        };
        let payload_bytes = plan.key.login.frame_payload_bytes;
        let direction = |side, from, ids, id| Direction {
            side,
            outgoing: Outgoing::new(from, ids, id, payload_bytes),
            ius: 0,
            times: VecDeque::new(),
        };
        let open = Open {
            channel: path.channel,
            address: envelope.identity(w).into(),
            outbound: direction(Side::Channel, FromSide::Channel, (channel, port), ox_id),
            inbound: direction(Side::ControlUnit, FromSide::ControlUnit, (port, channel), own_id),
            ended: false,
        };
        if w.is_encrypted(path) {
            self.capture.encrypted.insert(path.channel);
        }
        self.exchanges.insert(envelope.exchange, open);
    }
}

/// Returns the next exchange id.
fn next(last: &mut u16, ids: &RangeInclusive<u16>) -> u16 {
    *last = if last == ids.end() { *ids.start() } else { *last + 1 };
    *last
}

/// Returns the addresses of the two ports of a path, which are those of the director ports that they are plugged in at.
/// A path of FCP has those of its login.
fn addresses(w: &Wiring, path: u32) -> [u32; 2] {
    if let Some(login) = w.logins.of(path) {
        return login.addresses;
    }
    let hops = &w.hops[w.paths[path as usize].outbound.range()];
    let port = |hop: Option<&Hop>, end: usize| {
        hop.and_then(|hop| w.configuration.links[hop.link as usize].switch_ports[end])
    };
    let [channel, control_unit] = [port(hops.first(), 1), port(hops.last(), 0)];
    match (channel, control_unit) {
        (Some(channel), Some(control_unit)) => [channel, control_unit].map(SwitchPort::address),
        _ => point_to_point(hops.first().map_or(0, |hop| hop.link)),
    }
}

impl Capture {
    /// Emits the frames of the login of a channel that begins at `now`.
    fn login(&mut self, w: &Wiring, channel: u32, now: Time) {
        for frame in w.logins.frames().iter().filter(|frame| frame.channel == channel) {
            let LoginFrame { at, inbound, sof, eof, .. } = *frame;
            let at = now + at.since(Time::ZERO);
            Sink { capture: self, at, channel, inbound }.frame(sof, &frame.header, &[&frame.payload], eof);
        }
    }

    /// Emits the frames of an IU at the next instants of its direction.
    fn sequence(
        &mut self,
        channel: u32,
        direction: &mut Direction,
        iu: Iu,
        others_follow: bool,
        is_last: bool,
    ) {
        let inbound = direction.side == Side::ControlUnit;
        direction.outgoing.begin(iu, others_follow, is_last);
        while direction.outgoing.is_sending() {
            let Some(at) = direction.times.pop_front() else {
                return direction.outgoing.give_up();
            };
            direction.outgoing.send_frame(&mut Sink { capture: self, at, channel, inbound });
        }
    }
}

/// Takes frames at an instant.
struct Sink<'a> {
    capture: &'a mut Capture,
    at: Time,
    channel: u32,
    inbound: bool,
}

impl FrameSink for Sink<'_> {
    fn frame(&mut self, sof: Sof, header: &FcHeader, parts: &[&[u8]], eof: Eof) {
        let Sink { capture, at, channel, inbound } = self;
        let begin = capture.octets.len();
        if emit_frame(header, parts, &mut capture.octets).is_err() {
            return;
        }
        let bytes = (capture.octets.len() - begin) as u16;
        let (at, channel, inbound) = (*at, *channel, *inbound);
        capture.frames.push(Recorded { at, channel, inbound, sof, eof, begin, bytes });
    }
}
