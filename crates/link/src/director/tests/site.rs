//! Directors and the ports at them, all in one thread and in virtual time: nothing passes while there is something to do.

use halftrack_config::read_director;
use halftrack_fabric::{NPort, NPortParameters, PhysicalPort, PortEvent, PortProtocol, Role};
use halftrack_input::SourceFile;
use halftrack_wire::els::{FcpLogin, NodeDescriptor, SbLogin};
use halftrack_wire::fc_header::fc_type;
use halftrack_wire::{Eof, FcHeader, FrameControl, FrameSink, Sof, WorldWideName};

use super::super::*;
use super::CREDITS;
use crate::fibre::FibreOptions;
use crate::in_process::InProcessTransport;
use crate::plug::{PlugState, Plugged};

/// How long anything may take.
const LONGEST: Span = Span::from_s(20);

/// Fibres that a test plugs in.
#[derive(Default)]
pub struct Hands(pub Vec<Plugged<InProcessTransport>>);

impl Plug for Hands {
    type Transport = InProcessTransport;

    fn poll(&mut self, _: Time) -> PlugState<InProcessTransport> {
        self.0.pop().map_or(PlugState::Waiting, PlugState::New)
    }

    fn is_listener(&self) -> bool {
        true
    }
}

/// The port of a channel or a control unit, with the virtual ports of its link.
pub struct End {
    pub port: PhysicalPort,
    pub fibre: Fibre<InProcessTransport>,
    pub linked: bool,
    /// Whether it takes what comes.
    pub takes: bool,
    pub events: Vec<PortEvent>,
    /// Events of its virtual ports, with their numbers.
    pub virtual_events: Vec<(usize, PortEvent)>,
    /// Frames that are no link services, with the first octet of their payload.
    pub came: Vec<(FcHeader, u8)>,
    /// Of those with four octets, who sent them and the number that these are.
    pub numbers: Vec<(u32, u32)>,
}

impl End {
    pub fn new(ports: Vec<NPortParameters>, transport: InProcessTransport, now: Time) -> Self {
        let mut ports = ports.into_iter();
        let physical = ports.next().expect("a physical port");
        let name = physical.port_name;
        let port = PhysicalPort::new(physical, ports.collect()).expect("names that differ");
        let options = FibreOptions { own_name: name, receive_credit: CREDITS, check_crc: true, clock: None };
        let fibre = Fibre::open(transport, options, 1, now);
        Self {
            port,
            fibre,
            linked: false,
            takes: true,
            events: Vec::new(),
            virtual_events: Vec::new(),
            came: Vec::new(),
            numbers: Vec::new(),
        }
    }

    /// Runs one turn; true when there was something to do.
    pub fn turn(&mut self, now: Time) -> Result<bool, Closing> {
        let mut worked = self.takes && self.fibre.receive(now)?;
        if worked {
            while let Some(incoming) = self.fibre.next_frame()? {
                let header = incoming.frame.header;
                if [fc_type::EXTENDED_LINK_SERVICE, fc_type::COMMON_TRANSPORT].contains(&header.fc_type) {
                    let _ = self.port.handle_frame(now, &incoming.frame);
                } else {
                    if let Ok(octets) = incoming.frame.payload.try_into() {
                        self.numbers.push((header.s_id, u32::from_be_bytes(octets)));
                    }
                    self.came.push((header, incoming.frame.payload.first().copied().unwrap_or_default()));
                }
            }
        }
        if self.fibre.is_up() && !self.linked {
            self.linked = true;
            self.port.handle_link_up(now);
        }
        self.port.handle_timeout(now);
        while let Some((index, event)) = self.port.poll_event() {
            if index > 0 {
                self.virtual_events.push((index, event));
                continue;
            }
            if let PortEvent::Attached { credit, .. } = event {
                self.fibre.set_credit(credit);
            }
            self.events.push(event);
        }
        while self.fibre.can_send() && self.port.poll_frame(&mut self.fibre) {
            worked = true;
        }
        self.fibre.flush(now, true).map(|()| worked)
    }

    /// Returns the address of one of its ports.
    pub fn address(&self, index: usize) -> u32 {
        self.port.port(index).map_or(0, NPort::address)
    }

    pub fn send(&mut self, to: u32, payload: &[u8]) {
        self.send_of(0, to, payload);
    }

    /// Sends a frame of one of its ports.
    pub fn send_of(&mut self, index: usize, to: u32, payload: &[u8]) {
        let header = FcHeader {
            r_ctl: 6,
            s_id: self.address(index),
            d_id: to,
            fc_type: fc_type::SB_CHANNEL,
            f_ctl: FrameControl::END_SEQUENCE,
            ..FcHeader::default()
        };
        self.fibre.frame(Sof::Initiate3, &header, &[payload], Eof::Terminate);
    }

    pub fn peer(&self, name: WorldWideName) -> Option<u32> {
        self.events.iter().rev().find_map(|event| match *event {
            PortEvent::PeerLoggedIn { peer, name: known, .. } if known == name => Some(peer),
            _ => None,
        })
    }
}

/// Returns a port that logs in to `peers`; without any it is one of a control unit.
fn parameters(name: WorldWideName, protocol: PortProtocol, peers: &[WorldWideName]) -> NPortParameters {
    NPortParameters {
        port_name: name,
        node_name: name,
        role: if peers.is_empty() { Role::ControlUnit } else { Role::Channel },
        receive_credit: CREDITS,
        frame_payload_bytes: 2112,
        node: NodeDescriptor::default(),
        protocol,
        peers: peers.to_vec(),
        hosts: None,
    }
}

/// Directors and the ports at them.
pub struct Site {
    pub now: Time,
    pub directors: Vec<Director<Hands>>,
    pub ends: Vec<End>,
    pub notices: Vec<String>,
}

impl Site {
    pub fn new() -> Self {
        Self { now: Time::ZERO, directors: Vec::new(), ends: Vec::new(), notices: Vec::new() }
    }

    /// Returns a director with ports 04 to 07, and with inter-switch links from E0 on, so long.
    pub fn director(&mut self, domain: u8, km: impl IntoIterator<Item = f64>, rest: &str) -> usize {
        let mut text =
            format!("name = \"D\"\nwwn = \"10:00:00:00:00:00:00:{domain:02x}\"\ndomain = \"{domain:02X}\"\n");
        for port in 4..8 {
            text += &format!("[[port]]\nlink = \"{port:02X}\"\nlisten = \"0\"\ncredits = {CREDITS}\n");
        }
        for (number, km) in km.into_iter().enumerate() {
            text += &format!("[[isl]]\nlink = \"E{number}\"\nlisten = \"0\"\nkm = {km}\n");
        }
        let (file, messages) = read_director(&SourceFile::new("director.toml", text + rest));
        let file = file.unwrap_or_else(|| panic!("{messages:?}"));
        let plugs = file.ports.iter().map(|_| Hands::default()).collect();
        self.directors.push(Director::new(&file, plugs, None).expect("few zones"));
        self.directors.len() - 1
    }

    pub fn plug(
        &mut self,
        director: usize,
        port: usize,
        name: WorldWideName,
        peers: &[WorldWideName],
    ) -> usize {
        let transport = SbLogin { flags: SbLogin::TRANSPORT_MODE, ..SbLogin::default() };
        self.plug_ports(director, port, vec![parameters(name, PortProtocol::Ficon(Some(transport)), peers)])
    }

    /// Plugs in a port of FCP, the first of `names`, and the virtual ports of its link.
    pub fn plug_fcp(
        &mut self,
        director: usize,
        port: usize,
        names: &[WorldWideName],
        peers: &[WorldWideName],
    ) -> usize {
        let function = if peers.is_empty() { FcpLogin::TARGET } else { FcpLogin::INITIATOR };
        let protocol = PortProtocol::Fcp(function.with(FcpLogin::READ_READY_DISABLED));
        let ports = names.iter().map(|name| parameters(*name, protocol, peers)).collect();
        self.plug_ports(director, port, ports)
    }

    fn plug_ports(&mut self, director: usize, port: usize, ports: Vec<NPortParameters>) -> usize {
        let (near, far) = InProcessTransport::pair().expect("a pair");
        self.directors[director].plugs.of_port[port].0.push(Plugged { transport: far, opened: false });
        self.ends.push(End::new(ports, near, self.now));
        self.ends.len() - 1
    }

    pub fn link(&mut self, number: usize) {
        self.link_between((0, number), (1, number));
    }

    /// Links a director by one of its inter-switch links to another's.
    pub fn link_between(&mut self, one: (usize, usize), other: (usize, usize)) {
        let (near, far) = InProcessTransport::pair().expect("a pair");
        for ((director, number), transport, opened) in [(one, near, true), (other, far, false)] {
            self.directors[director].plugs.of_port[4 + number].0.push(Plugged { transport, opened });
        }
    }

    /// Pulls one end of an inter-switch link; the other one has yet to detect it.
    pub fn pull(&mut self, director: usize, number: usize) {
        let Self { now, directors, notices, .. } = self;
        let why = Closing::ByThisEnd("it is pulled".to_owned());
        directors[director].close(*now, 4 + number, &why, &mut |notice| notices.push(notice.to_string()));
    }

    /// Runs one turn of all; true when there was something to do.
    pub fn turn(&mut self) -> bool {
        let Self { directors, ends, notices, now } = self;
        let mut worked = false;
        for director in directors {
            let notify = &mut |notice: &Notice<'_>| notices.push(notice.to_string());
            director.poll_plugs(*now, notify);
            worked |= director.work(*now, notify);
            director.handle_timeouts(*now, notify);
        }
        for end in ends {
            worked |= end.turn(*now).unwrap_or(false);
        }
        worked
    }

    /// Lets all work until nobody has anything to do.
    pub fn settle(&mut self) {
        // What one sent in a turn without work is work of another in the next.
        while self.turn() || self.turn() {}
    }

    /// Lets all work at this instant, then goes on to the next at which anything is due, `limit` at the latest.
    pub fn step(&mut self, limit: Time) {
        self.settle();
        let directors = self.directors.iter().filter_map(Director::poll_timeout);
        let ends = self.ends.iter().flat_map(|end| [Some(end.fibre.poll_timeout()), end.port.poll_timeout()]);
        let due = directors.chain(ends.flatten()).filter(|due| *due > self.now).min();
        self.now = due.map_or(limit, |due| due.min(limit));
    }

    /// Lets all work until something is so.
    pub fn until(&mut self, what: &str, so: impl Fn(&Self) -> bool) {
        let give_up = self.now.saturating_add(LONGEST);
        while !so(self) {
            assert!(self.now < give_up, "not within {LONGEST}: {what}; {:#?}", self.notices);
            if !self.turn() && !self.turn() && !so(self) {
                self.step(give_up);
            }
        }
    }

    pub fn noticed(&self, words: &str) -> bool {
        self.notices.iter().any(|notice| notice.contains(words))
    }

    pub fn logged_in(&mut self, channel: usize, control_unit: WorldWideName) -> u32 {
        self.until("the channel logs in", |site| site.ends[channel].peer(control_unit).is_some());
        self.ends[channel].peer(control_unit).expect("just seen")
    }

    /// Returns how long a frame takes from one end to another.
    pub fn way(&mut self, from: usize, to: usize, address: u32) -> Span {
        let (began, came) = (self.now, self.ends[to].came.len());
        self.ends[from].send(address, &[1; 2048]);
        self.until("a frame comes", |site| site.ends[to].came.len() > came);
        self.now.saturating_since(began)
    }

    /// Returns how long a frame takes from `channel` to `control_unit`, and one back.
    pub fn round_trip(&mut self, channel: usize, control_unit: usize, address: u32) -> [Span; 2] {
        let there = self.way(channel, control_unit, address);
        let back = self.ends[channel].address(0);
        [there, self.way(control_unit, channel, back)]
    }
}
