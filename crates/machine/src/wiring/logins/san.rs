//! Ports and switches with the frames between them, each of which takes its time.

use std::collections::{BTreeMap, VecDeque};

use halftrack_base::{Span, Time, for_bytes};
use halftrack_config::Link;
use halftrack_fabric::{NPort, PhysicalPort, PortEvent, Switch, Verdict};
use halftrack_wire::{Eof, FRAMING_BYTES, FcFrame, FcHeader, FrameSink, Sof, WorldWideName};

use super::nodes::Member;
use super::{LoginFrame, PathLogin};

/// One end of a fibre, by index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    Initiator(usize),
    Target(usize),
    /// Switch and its port.
    Switch(usize, usize),
}

/// Times of one direction of a fibre.
#[derive(Debug, Clone, Copy)]
pub(super) struct LinkTimes {
    bytes_per_s: u64,
    /// From the last bit at the sender until the other end handles or forwards the frame.
    latency: Span,
    free_at: Time,
}

impl LinkTimes {
    /// Returns the times of `link` before any frame.
    pub(super) fn new(link: &Link) -> Self {
        let latency = link.propagation + link.forward_latency;
        Self { bytes_per_s: link.bytes_per_s, latency, free_at: Time::ZERO }
    }
}

/// A fibre.
#[derive(Debug)]
pub(super) struct Fibre {
    ends: [Place; 2],
    /// By the end that sends.
    links: [LinkTimes; 2],
    /// The channel at its first end.
    pub channel: Option<u32>,
}

impl Fibre {
    /// Makes a fibre without light.
    pub(super) fn new(ends: [Place; 2], links: [LinkTimes; 2], channel: Option<u32>) -> Self {
        Self { ends, links, channel }
    }
}

/// A frame of a service.
#[derive(Debug)]
struct ServiceFrame {
    sof: Sof,
    header: FcHeader,
    payload: Vec<u8>,
    eof: Eof,
}

/// Frames that a port sends.
#[derive(Debug, Default)]
struct Sent(VecDeque<ServiceFrame>);

impl FrameSink for Sent {
    fn frame(&mut self, sof: Sof, header: &FcHeader, parts: &[&[u8]], eof: Eof) {
        self.0.push_back(ServiceFrame { sof, header: *header, payload: parts.concat(), eof });
    }
}

/// The network.
#[derive(Debug)]
pub(super) struct San {
    now: Time,
    initiators: Vec<(u32, PhysicalPort)>,
    targets: Vec<NPort>,
    switches: Vec<Switch>,
    fibres: Vec<Fibre>,
    /// Fibre and sending end, by place.
    at: BTreeMap<Place, (usize, usize)>,
    /// Frames under way with their fibre and the end that sent them, by arrival.
    under_way: BTreeMap<(Time, u64), (usize, usize, ServiceFrame)>,
    sent: u64,
    /// Logins of initiators to ports, and when they were complete.
    logins: BTreeMap<(Member, WorldWideName), (Time, [u32; 2])>,
    /// Frames at channels since this time; none before.
    recorded_from: Option<Time>,
    frames: Vec<LoginFrame>,
}

impl San {
    /// Makes a network without light.
    pub(super) fn new(
        initiators: Vec<(u32, PhysicalPort)>,
        targets: Vec<NPort>,
        switches: Vec<Switch>,
        fibres: Vec<Fibre>,
    ) -> Self {
        let places = fibres.iter().enumerate().flat_map(|(fibre, of)| {
            of.ends.iter().enumerate().map(move |(end, place)| (*place, (fibre, end)))
        });
        Self {
            now: Time::ZERO,
            at: places.collect(),
            initiators,
            targets,
            switches,
            fibres,
            under_way: BTreeMap::new(),
            sent: 0,
            logins: BTreeMap::new(),
            recorded_from: None,
            frames: Vec::new(),
        }
    }

    /// Returns the instant.
    pub(super) fn now(&self) -> Time {
        self.now
    }

    /// Begins to record frames at channels, and to count the time.
    pub(super) fn record(&mut self) {
        self.recorded_from = Some(self.now);
    }

    /// Ends recording. Returns the frames in order of time.
    pub(super) fn take_frames(mut self) -> Vec<LoginFrame> {
        self.frames.sort_by_key(|frame| frame.at);
        self.frames
    }

    /// Returns addresses and time of the login of an initiator to a port, if it is complete.
    pub(super) fn logged_in(&self, of: Member, to: WorldWideName) -> Option<PathLogin> {
        let (at, addresses) = *self.logins.get(&(of, to))?;
        Some(PathLogin { addresses, takes: at.since(self.recorded_from?) })
    }

    /// Lights those fibres.
    pub(super) fn plug(&mut self, is_lit: impl Fn(&Fibre) -> bool) {
        let now = self.now;
        for end in self.fibres.iter().filter(|fibre| is_lit(fibre)).flat_map(|fibre| fibre.ends) {
            match end {
                Place::Initiator(port) => self.initiators[port].1.handle_link_up(now),
                Place::Target(port) => self.targets[port].handle_link_up(now),
                Place::Switch(switch, port) => self.switches[switch].handle_link_up(now, port),
            }
        }
    }

    /// Goes on until `end`, or until `is_over`.
    pub(super) fn run(&mut self, end: Time, is_over: impl Fn(&Self) -> bool) {
        loop {
            self.send();
            self.note_logins();
            if is_over(self) {
                return;
            }
            let arrival = self.under_way.first_key_value().map(|((at, _), _)| *at);
            let next = [arrival, self.poll_timeout()].into_iter().flatten().min();
            let Some(at) = next.filter(|at| *at <= end) else { break };
            self.now = self.now.max(at);
            if arrival == Some(at) {
                self.deliver();
            } else {
                self.handle_timeout();
            }
        }
        self.now = end;
    }

    fn poll_timeout(&self) -> Option<Time> {
        let initiators = self.initiators.iter().filter_map(|(_, port)| port.poll_timeout());
        let targets = self.targets.iter().filter_map(NPort::poll_timeout);
        initiators.chain(targets).chain(self.switches.iter().filter_map(Switch::poll_timeout)).min()
    }

    fn handle_timeout(&mut self) {
        let now = self.now;
        self.initiators.iter_mut().for_each(|(_, port)| port.handle_timeout(now));
        self.targets.iter_mut().for_each(|port| port.handle_timeout(now));
        self.switches.iter_mut().for_each(|switch| switch.handle_timeout(now));
    }

    /// Sends what ports and switches have to send.
    fn send(&mut self) {
        for fibre in 0..self.fibres.len() {
            for end in [0, 1] {
                let mut sent = Sent::default();
                match self.fibres[fibre].ends[end] {
                    Place::Initiator(port) => while self.initiators[port].1.poll_frame(&mut sent) {},
                    Place::Target(port) => while self.targets[port].poll_frame(&mut sent) {},
                    Place::Switch(switch, port) => {
                        let switch = &mut self.switches[switch];
                        // Nothing waits for a link.
                        for domain in switch.wanted_marks(port).collect::<Vec<_>>() {
                            switch.handle_drained(port, domain);
                        }
                        while switch.poll_frame(port, &mut sent) {}
                    }
                }
                sent.0.into_iter().for_each(|frame| self.transmit(fibre, end, frame));
            }
        }
    }

    fn transmit(&mut self, fibre: usize, end: usize, frame: ServiceFrame) {
        let Fibre { links, channel, .. } = &mut self.fibres[fibre];
        let link = &mut links[end];
        let begins = self.now.max(link.free_at);
        let octets = u64::from(FRAMING_BYTES) + frame.payload.len() as u64;
        link.free_at = begins + for_bytes(octets, link.bytes_per_s);
        let arrives = link.free_at + link.latency;
        if let (Some(channel), Some(from)) = (*channel, self.recorded_from) {
            let inbound = end == 1;
            let at = Time::ZERO + if inbound { arrives } else { begins }.since(from);
            let ServiceFrame { sof, header, ref payload, eof } = frame;
            let payload = payload.clone();
            self.frames.push(LoginFrame { at, channel, inbound, sof, header, payload, eof });
        }
        self.sent += 1;
        self.under_way.insert((arrives, self.sent), (fibre, end, frame));
    }

    /// Hands the next frame over.
    fn deliver(&mut self) {
        let Some((_, (fibre, sender, frame))) = self.under_way.pop_first() else { return };
        let view = FcFrame { header: frame.header, optional: &[], payload: &frame.payload };
        let now = self.now;
        match self.fibres[fibre].ends[1 - sender] {
            // A port that takes no notice of a frame stays as it is.
            Place::Initiator(port) => drop(self.initiators[port].1.handle_frame(now, &view)),
            Place::Target(port) => drop(self.targets[port].handle_frame(now, &view)),
            Place::Switch(switch, port) => {
                // Frames that a switch holds while its routes change are lost here, and sent again.
                if let Verdict::Forward(to) = self.switches[switch].handle_frame(now, port, &view)
                    && let Some(&(onward, end)) = self.at.get(&Place::Switch(switch, to))
                {
                    self.transmit(onward, end, frame);
                }
            }
        }
    }

    fn note_logins(&mut self) {
        for (channel, port) in &mut self.initiators {
            while let Some((index, event)) = port.poll_event() {
                if let PortEvent::FcpPeerLoggedIn { peer, name, .. } = event {
                    let own = port.port(index).map_or(0, NPort::address);
                    self.logins.entry(((*channel, index), name)).or_insert((self.now, [own, peer]));
                }
            }
        }
        self.switches.iter_mut().for_each(|switch| while switch.poll_event().is_some() {});
        self.targets.iter_mut().for_each(|port| while port.poll_event().is_some() {});
    }
}
