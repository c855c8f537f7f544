//! Directors between channels and control units of which only the ports are there, all in one thread and in virtual time:
//! nothing passes while there is something to do.

use halftrack_config::read_director;
use halftrack_deck::diagnostic::SourceFile;
use halftrack_fabric::{NPort, NPortParameters, PortEvent, Refusal, Role};
use halftrack_wire::els::{Els, NodeDescriptor, SbLogin, ServiceParameters};
use halftrack_wire::fc_header::fc_type;
use halftrack_wire::{Eof, FcHeader, FrameControl, FrameSink, Sof, WorldWideName};

use super::*;
use crate::buffers::OutBuffer;
use crate::fibre::FibreOptions;
use crate::in_process::InProcessTransport;
use crate::plug::{PlugState, Plugged};

const CHANNEL: WorldWideName = WorldWideName(0xC050_7600_0000_0001);
const OTHER_CHANNEL: WorldWideName = WorldWideName(0xC050_7600_0000_0002);
const CONTROL_UNIT: WorldWideName = WorldWideName(0x5005_0763_0000_0030);
const OTHER_CONTROL_UNIT: WorldWideName = WorldWideName(0x5005_0763_0000_0031);
const CREDITS: u16 = 8;
/// How long anything may take.
const LONGEST: SimDuration = SimDuration::from_s(20);

/// Fibres that a test plugs in.
#[derive(Default)]
struct Hands(Vec<Plugged<InProcessTransport>>);

impl Plug for Hands {
    type Transport = InProcessTransport;

    fn look(&mut self, _: SimTime) -> PlugState<InProcessTransport> {
        self.0.pop().map_or(PlugState::Waiting, PlugState::New)
    }

    fn is_listener(&self) -> bool {
        true
    }
}

/// The port of a channel or a control unit.
struct End {
    port: NPort,
    fibre: Fibre<InProcessTransport>,
    linked: bool,
    /// Whether it takes what comes.
    takes: bool,
    events: Vec<PortEvent>,
    /// Frames that are no link services, with the first octet of their payload.
    came: Vec<(FcHeader, u8)>,
    /// Of those with four octets, who sent them and the number that these are.
    numbers: Vec<(u32, u32)>,
}

impl End {
    fn new(
        name: WorldWideName,
        peers: &[WorldWideName],
        transport: InProcessTransport,
        now: SimTime,
    ) -> Self {
        let port = NPort::new(NPortParameters {
            port_name: name,
            node_name: name,
            role: if peers.is_empty() { Role::ControlUnit } else { Role::Channel },
            receive_credit: CREDITS,
            frame_payload_bytes: 2112,
            node: NodeDescriptor::default(),
            transport: Some(SbLogin { flags: SbLogin::TRANSPORT_MODE, ..SbLogin::default() }),
            peers: peers.to_vec(),
            hosts: None,
        });
        let options = FibreOptions { own_name: name, receive_credit: CREDITS, check_crc: true, clock: None };
        let fibre = Fibre::open(transport, options, 1, now);
        Self {
            port,
            fibre,
            linked: false,
            takes: true,
            events: Vec::new(),
            came: Vec::new(),
            numbers: Vec::new(),
        }
    }

    /// One turn; true when there was something to do.
    fn turn(&mut self, now: SimTime) -> Result<bool, Closing> {
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
        while let Some(event) = self.port.poll_event() {
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

    fn send(&mut self, to: u32, payload: &[u8]) {
        let header = FcHeader {
            r_ctl: 6,
            s_id: self.port.address(),
            d_id: to,
            fc_type: fc_type::SB_CHANNEL,
            f_ctl: FrameControl::END_SEQUENCE,
            ..FcHeader::default()
        };
        self.fibre.frame(Sof::Initiate3, &header, &[payload], Eof::Terminate);
    }

    fn peer(&self, name: WorldWideName) -> Option<u32> {
        self.events.iter().rev().find_map(|event| match *event {
            PortEvent::PeerLoggedIn { peer, name: known, .. } if known == name => Some(peer),
            _ => None,
        })
    }
}

/// Directors and the ports at them.
struct Site {
    now: SimTime,
    directors: Vec<Director<Hands>>,
    ends: Vec<End>,
    notices: Vec<String>,
}

impl Site {
    fn new() -> Self {
        Self { now: SimTime::ZERO, directors: Vec::new(), ends: Vec::new(), notices: Vec::new() }
    }

    /// A director with ports 04 to 07, and with inter-switch links from E0 on, so long.
    fn director(&mut self, domain: u8, km: impl IntoIterator<Item = f64>, rest: &str) -> usize {
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

    fn plug(&mut self, director: usize, port: usize, name: WorldWideName, peers: &[WorldWideName]) -> usize {
        let (near, far) = InProcessTransport::pair().expect("a pair");
        self.directors[director].plugs.of_port[port].0.push(Plugged { transport: far, opened: false });
        self.ends.push(End::new(name, peers, near, self.now));
        self.ends.len() - 1
    }

    fn link(&mut self, number: usize) {
        let (near, far) = InProcessTransport::pair().expect("a pair");
        self.directors[0].plugs.of_port[4 + number].0.push(Plugged { transport: near, opened: true });
        self.directors[1].plugs.of_port[4 + number].0.push(Plugged { transport: far, opened: false });
    }

    /// One end of an inter-switch link is pulled; the other one has yet to see it.
    fn pull(&mut self, director: usize, number: usize) {
        let Self { now, directors, notices, .. } = self;
        let why = Closing::ByThisEnd("it is pulled".to_owned());
        directors[director].close(*now, 4 + number, &why, &mut |notice| notices.push(notice.to_string()));
    }

    /// One turn of all; true when somebody had something to do.
    fn turn(&mut self) -> bool {
        let Self { directors, ends, notices, now } = self;
        let mut worked = false;
        for director in directors {
            let tell = &mut |notice: &Notice<'_>| notices.push(notice.to_string());
            director.look_at_plugs(*now, tell);
            worked |= director.work(*now, tell);
            director.handle_timeouts(*now, tell);
        }
        for end in ends {
            worked |= end.turn(*now).unwrap_or(false);
        }
        worked
    }

    /// Lets all work until nobody has anything to do.
    fn settle(&mut self) {
        // What one sent in a turn without work is work of another in the next.
        while self.turn() || self.turn() {}
    }

    /// Lets all work at this instant, then goes on to the next at which anything is due, `limit` at the latest.
    fn step(&mut self, limit: SimTime) {
        self.settle();
        let directors = self.directors.iter().filter_map(Director::poll_timeout);
        let ends = self.ends.iter().flat_map(|end| [Some(end.fibre.poll_timeout()), end.port.poll_timeout()]);
        let due = directors.chain(ends.flatten()).filter(|due| *due > self.now).min();
        self.now = due.map_or(limit, |due| due.min(limit));
    }

    /// Lets all work until something is so.
    fn until(&mut self, what: &str, so: impl Fn(&Self) -> bool) {
        let give_up = self.now.saturating_add(LONGEST);
        while !so(self) {
            assert!(self.now < give_up, "not within {LONGEST}: {what}; {:#?}", self.notices);
            if !self.turn() && !self.turn() && !so(self) {
                self.step(give_up);
            }
        }
    }

    fn noticed(&self, words: &str) -> bool {
        self.notices.iter().any(|notice| notice.contains(words))
    }

    fn logged_in(&mut self, channel: usize, control_unit: WorldWideName) -> u32 {
        self.until("the channel logs in", |site| site.ends[channel].peer(control_unit).is_some());
        self.ends[channel].peer(control_unit).expect("just seen")
    }

    /// How long a frame takes from one end to another.
    fn way(&mut self, from: usize, to: usize, address: u32) -> SimDuration {
        let (began, came) = (self.now, self.ends[to].came.len());
        self.ends[from].send(address, &[1; 2048]);
        self.until("a frame comes", |site| site.ends[to].came.len() > came);
        self.now.saturating_since(began)
    }

    /// How long a frame takes from `channel` to `control_unit`, and one back.
    fn round_trip(&mut self, channel: usize, control_unit: usize, address: u32) -> [SimDuration; 2] {
        let there = self.way(channel, control_unit, address);
        let back = self.ends[channel].port.address();
        [there, self.way(control_unit, channel, back)]
    }
}

/// Two directors with a link of `km` between a channel and a control unit.
fn two_directors(km: f64) -> (Site, u32) {
    let mut site = Site::new();
    site.director(0x61, [km], "");
    site.director(0x62, [km], "");
    site.link(0);
    site.plug(0, 0, CHANNEL, &[CONTROL_UNIT]);
    site.plug(1, 1, CONTROL_UNIT, &[]);
    let address = site.logged_in(0, CONTROL_UNIT);
    (site, address)
}

#[test]
fn ten_kilometres_cost_fifty_microseconds_each_way() {
    let (mut near, address) = two_directors(0.0);
    assert_eq!(address, 0x62_0500);
    let (mut far, far_address) = two_directors(10.0);
    for _ in 0..50 {
        let without = near.round_trip(0, 1, address);
        let with = far.round_trip(0, 1, far_address);
        assert_eq!((without, with), ([SimDuration::ZERO; 2], [SimDuration::from_us(50); 2]));
    }
    assert!(far.noticed("linked to switch 10:00:00:00:00:00:00:62, domain 62"), "{:?}", far.notices);
}

#[test]
fn credits_of_a_long_link_come_back_and_order_is_kept() {
    let (mut site, address) = two_directors(1.0);
    let mut sent = 0_u8;
    while sent < 200 {
        if site.ends[0].fibre.can_send() {
            site.ends[0].send(address, &[sent]);
            sent += 1;
        }
        site.step(SimTime::MAX);
    }
    site.until("all frames come", |site| site.ends[1].came.len() >= 200);
    let order: Vec<_> = site.ends[1].came.iter().map(|(_, first)| *first).collect();
    assert_eq!(order, (0..200).collect::<Vec<_>>());
}

#[test]
fn a_port_that_goes_is_missed_across_the_link() {
    let (mut site, _) = two_directors(0.0);
    site.ends.truncate(1);
    let left = |event: &PortEvent| matches!(event, PortEvent::PeerLoggedOut { name: CONTROL_UNIT, .. });
    site.until("the channel hears of it", |site| site.ends[0].events.iter().any(left));
    assert!(site.noticed("the other end closed the connection") && site.noticed("left the fabric"));
}

#[test]
fn zones_deny() {
    let mut site = Site::new();
    let zone = format!("[[zone]]\nname = \"A\"\nmembers = [\"{CHANNEL}\", \"61.05\"]\n");
    site.director(0x61, [], &zone);
    site.plug(0, 0, CHANNEL, &[CONTROL_UNIT, OTHER_CONTROL_UNIT]);
    site.plug(0, 1, CONTROL_UNIT, &[]);
    site.plug(0, 2, OTHER_CONTROL_UNIT, &[]);
    site.logged_in(0, CONTROL_UNIT);
    let hidden = PortEvent::Refused { name: OTHER_CONTROL_UNIT, why: Refusal::NotFound };
    site.until("the other one is hidden", |site| site.ends[0].events.contains(&hidden));
    site.ends[0].send(0x61_0600, &[1]);
    site.until("the frame is discarded", |site| site.noticed("no zone has"));
    assert!(site.ends[2].came.is_empty());
}

#[test]
fn strangers_touch_nobody_else() {
    let mut site = Site::new();
    site.director(0x61, [0.0], "");
    site.plug(0, 0, CHANNEL, &[CONTROL_UNIT]);
    site.plug(0, 1, CONTROL_UNIT, &[]);
    let address = site.logged_in(0, CONTROL_UNIT);
    let mut strangers = Vec::new();
    for (port, octets) in
        [(2, b"GET / HTTP/1.1\r\n\r\n".repeat(9)), (3, vec![0xFF; 100_000]), (4, vec![1; 64])]
    {
        let (mut near, far) = InProcessTransport::pair().expect("a pair");
        site.directors[0].plugs.of_port[port].0.push(Plugged { transport: far, opened: false });
        let mut out = OutBuffer::new(0);
        out.tail().extend_from_slice(&octets);
        near.send(&mut out).expect("it is taken");
        strangers.push(near);
    }
    site.until("they are closed", |site| {
        site.notices.iter().filter(|notice| notice.contains("no FCIP")).count() == 3
    });
    site.round_trip(0, 1, address);
}

/// What comes at the control unit while links of unlike length between the directors come and go: what each channel sent
/// bears a number that only grows.
#[test]
fn frames_do_not_overtake_each_other_when_routes_change() {
    let mut site = Site::new();
    let km = [2000.0, 0.0, 400.0];
    site.director(0x61, km, "");
    site.director(0x62, km, "");
    site.link(0);
    let channels = [0xC050_7600_0000_0001, 0xC050_7600_0000_0002, 0xC050_7600_0000_0003].map(WorldWideName);
    for (port, channel) in channels.into_iter().enumerate() {
        site.plug(0, port, channel, &[CONTROL_UNIT]);
    }
    site.plug(1, 0, CONTROL_UNIT, &[]);
    let address = site.logged_in(0, CONTROL_UNIT);
    for channel in 1..3 {
        site.logged_in(channel, CONTROL_UNIT);
    }
    let mut sent = [0_u32; 3];
    // Links come and go while frames are on their way.
    for step in 0..12 {
        match step {
            1 => site.link(1),
            3 => site.link(2),
            5 => site.pull(0, 1),
            6 => site.link(1),
            8 => site.pull(1, 0),
            9 => site.link(0),
            _ => {}
        }
        let until = site.now.saturating_add(SimDuration::from_ms(40));
        while site.now < until {
            for (end, sent) in site.ends.iter_mut().zip(&mut sent).filter(|(end, _)| end.fibre.can_send()) {
                *sent += 1;
                end.send(address, &sent.to_be_bytes());
            }
            let next = site.now.saturating_add(SimDuration::from_us(50));
            site.step(next.min(until));
        }
    }
    site.until("frames have come", |site| site.ends[3].numbers.len() > 1000);
    for channel in 0..3 {
        let own = site.ends[channel].port.address();
        let numbers = site.ends[3].numbers.iter().filter(|(s_id, _)| *s_id == own).map(|(_, number)| *number);
        assert!(numbers.is_sorted(), "those of channel {channel} came out of order");
    }
}

/// What a channel sent before its link failed is not delivered when it has come back.
#[test]
fn what_waited_for_a_control_unit_goes_when_its_sender_is_gone() {
    let mut site = Site::new();
    site.director(0x61, [], "");
    site.plug(0, 0, CHANNEL, &[CONTROL_UNIT]);
    site.plug(0, 1, CONTROL_UNIT, &[]);
    let address = site.logged_in(0, CONTROL_UNIT);
    site.ends[1].takes = false;
    for number in 0..2 * u32::from(CREDITS) {
        site.until("it may be sent", |site| site.ends[0].fibre.can_send());
        site.ends[0].send(address, &number.to_be_bytes());
        site.turn();
    }
    let (now, why) = (site.now, Closing::ByThisEnd("it is pulled".to_owned()));
    site.directors[0].close(now, 0, &why, &mut |_| {});
    site.ends[1].takes = true;
    let heir = site.plug(0, 0, CHANNEL, &[CONTROL_UNIT]);
    let address = site.logged_in(heir, CONTROL_UNIT);
    site.ends[heir].send(address, &99_u32.to_be_bytes());
    let came = |site: &Site| site.ends[1].numbers.iter().map(|(_, number)| *number).collect::<Vec<_>>();
    site.until("a new frame comes", |site| came(site).contains(&99));
    // What the director had handed over before is on the link, as far as its buffers went.
    assert!(
        came(&site).iter().all(|number| *number < u32::from(CREDITS) || *number == 99),
        "{:?}",
        came(&site)
    );
}

#[test]
fn a_second_port_of_a_name_is_rejected_while_the_first_answers_and_takes_its_place_otherwise() {
    for port in [0, 2] {
        let mut site = Site::new();
        site.director(0x61, [], "");
        site.plug(0, 0, CHANNEL, &[CONTROL_UNIT]);
        site.plug(0, 1, CONTROL_UNIT, &[]);
        site.logged_in(0, CONTROL_UNIT);
        let twin = site.plug(0, port, CHANNEL, &[CONTROL_UNIT]);
        site.until("the twin is rejected", |site| site.noticed("is logged in over another connection"));
        assert!(site.ends[twin].peer(CONTROL_UNIT).is_none());
        let address = site.ends[0].peer(CONTROL_UNIT).expect("it is still logged in");
        site.round_trip(0, 1, address);
        // Now it is there and does nothing.
        site.ends[0].takes = false;
        let heir = site.plug(0, port, CHANNEL, &[CONTROL_UNIT]);
        let address = site.logged_in(heir, CONTROL_UNIT);
        let gone = site.noticed("nothing answered a probe") || site.noticed("no buffer credit came back");
        assert!(gone, "{:?}", site.notices);
        site.round_trip(heir, 1, address);
        let left = |event: &PortEvent| matches!(event, PortEvent::PeerLoggedOut { name: CHANNEL, .. });
        assert!(site.ends[1].events.iter().any(left), "the old login is over");
    }
}

#[test]
fn a_port_login_before_the_fabric_login_is_rejected_and_the_connection_closed() {
    let mut site = Site::new();
    site.director(0x61, [], "");
    let stranger = site.plug(0, 0, CHANNEL, &[CONTROL_UNIT]);
    // It says PLOGI where others say FLOGI.
    site.ends[stranger].linked = true;
    site.until("the link is up", |site| site.ends[stranger].fibre.is_up());
    let request =
        FrameControl::FIRST_SEQUENCE.with(FrameControl::END_SEQUENCE).with(FrameControl::INITIATIVE);
    let header = FcHeader {
        r_ctl: 0x22,
        d_id: 0x61_0500,
        fc_type: fc_type::EXTENDED_LINK_SERVICE,
        f_ctl: request,
        ..FcHeader::default()
    };
    let payload = Els::Plogi(ServiceParameters::class_3(CHANNEL, CHANNEL, 2112, 8)).emit();
    site.ends[stranger].fibre.frame(Sof::Initiate3, &header, &[&payload], Eof::Terminate);
    site.until("it is closed", |site| site.noticed("PLOGI of c0:50:76:00:00:00:00:01 before FLOGI"));
}

#[test]
fn a_port_that_takes_nothing_stalls_only_what_is_for_it() {
    let mut site = Site::new();
    site.director(0x61, [], "");
    site.plug(0, 0, CHANNEL, &[CONTROL_UNIT]);
    site.plug(0, 1, CONTROL_UNIT, &[]);
    site.plug(0, 2, OTHER_CHANNEL, &[CONTROL_UNIT, OTHER_CONTROL_UNIT]);
    site.plug(0, 3, OTHER_CONTROL_UNIT, &[]);
    let slow = site.logged_in(0, CONTROL_UNIT);
    let fast = site.logged_in(2, OTHER_CONTROL_UNIT);
    site.ends[1].takes = false;
    let mut sent = 0;
    for _ in 0..200 {
        if site.ends[0].fibre.can_send() {
            site.ends[0].send(slow, &[1; 2112]);
            sent += 1;
        }
        site.turn();
    }
    assert_eq!(
        sent,
        2 * u32::from(CREDITS),
        "the receive buffers of the slow port and those of the director"
    );
    assert!(!site.ends[0].fibre.can_send());
    site.round_trip(2, 3, fast);
    site.until("the frames are too old", |site| site.noticed("it waited too long"));
    site.until("the channel may send again", |site| site.ends[0].fibre.can_send());
}
