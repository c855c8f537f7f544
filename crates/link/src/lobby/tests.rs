//! Connections without a login, with time as an argument.

use halftrack_wire::els::{Els, ElsReply, LsReject, RejectExplanation, ServiceParameters, code};
use halftrack_wire::fc_header::{fc_type, routing};
use halftrack_wire::fcip::{SpecialFrame, TimeStamp, encapsulate};
use halftrack_wire::{Eof, FcFrame, FrameControl, Sof};

use super::*;
use crate::buffers::{InBuffer, OutBuffer};
use crate::fibre::FibreOptions;
use crate::in_process::InProcessTransport;

const OWN: WorldWideName = WorldWideName(0x5005_0763_0000_0030);
const HOST: WorldWideName = WorldWideName(0x5005_0764_0000_0040);
const STRANGER: WorldWideName = WorldWideName(0x5005_0764_0000_0099);

/// Ports 0 and 1; HOST may log in.
struct TestPorts {
    occupants: [Occupant; 2],
    holder: Option<usize>,
    probes: Vec<usize>,
}

impl Admission for TestPorts {
    fn admits(&self, _: usize, name: WorldWideName) -> bool {
        name == HOST
    }
    fn holder(&self, name: WorldWideName) -> Option<usize> {
        self.holder.filter(|_| name == HOST)
    }
    fn probe(&mut self, _: Time, port: usize) {
        self.probes.push(port);
    }
    fn occupant(&self, port: usize) -> Occupant {
        self.occupants[port]
    }
    fn takes_silent(&self, port: usize) -> bool {
        port == 0
    }
}

/// Lobby of port 0, the ports, and the notices.
struct Site {
    lobby: Lobby<InProcessTransport>,
    house: TestPorts,
    told: Vec<String>,
}

impl Site {
    fn new(occupant: Occupant) -> Self {
        let house = TestPorts { occupants: [occupant, Occupant::LoggedIn], holder: None, probes: Vec::new() };
        Self { lobby: Lobby::default(), house, told: Vec::new() }
    }

    /// Connects and sends these octets.
    fn connect(&mut self, now: Time, octets: &[u8]) -> InProcessTransport {
        let (mut near, far) = InProcessTransport::pair().unwrap();
        put(&mut near, octets);
        let options = FibreOptions { own_name: OWN, receive_credit: 4, check_crc: true, clock: None };
        let told = &mut self.told;
        self.lobby.admit(now, Fibre::accept(far, options, now), &mut |notice| told.push(notice.to_string()));
        near
    }

    fn attend(&mut self, now: Time, port: usize) -> Entry<InProcessTransport> {
        let told = &mut self.told;
        self.lobby.attend(now, port, &mut self.house, &mut |notice| told.push(notice.to_string()))
    }

    /// Checks that nothing follows for the ports.
    fn waits(&mut self, now: Time) {
        assert!(matches!(self.attend(now, 0), Entry::Nothing), "{:?}", self.told);
    }

    /// Checks that the only connection that waits was closed with these words.
    fn closed(&self, words: &str) {
        assert!(
            self.lobby.is_empty() && self.told.last().is_some_and(|told| told.contains(words)),
            "{:?}",
            self.told
        );
    }
}

fn at(ms: u64) -> Time {
    Time::ZERO.saturating_add(Span::from_ms(ms))
}

fn put(transport: &mut InProcessTransport, octets: &[u8]) {
    let mut out = OutBuffer::new(0);
    out.tail().extend_from_slice(octets);
    transport.send(&mut out).unwrap();
}

fn special() -> Vec<u8> {
    let mut octets = Vec::new();
    SpecialFrame::first(STRANGER, 1).emit(TimeStamp::default(), &mut octets);
    octets
}

fn credit() -> Vec<u8> {
    let mut octets = Vec::new();
    SpecialFrame::credits(1).emit(TimeStamp::default(), &mut octets);
    octets
}

/// Returns the special frame and a login.
fn login(els: fn(ServiceParameters) -> Els, name: WorldWideName) -> Vec<u8> {
    let f_ctl = FrameControl::FIRST_SEQUENCE.with(FrameControl::END_SEQUENCE).with(FrameControl::INITIATIVE);
    let header = FcHeader {
        r_ctl: routing::ELS_REQUEST,
        d_id: 0xFF_FFFE,
        fc_type: fc_type::EXTENDED_LINK_SERVICE,
        f_ctl,
        ox_id: 0xF000,
        rx_id: 0xFFFF,
        ..FcHeader::default()
    };
    let payload = els(ServiceParameters::class_3(name, name, 2112, 8)).emit();
    let mut octets = special();
    let (sof, eof) = (Sof::Initiate3, Eof::Terminate);
    encapsulate(&mut octets, TimeStamp::default(), sof, &header, &[&payload], eof).unwrap();
    octets
}

/// Returns the LS_RJT that came behind the echo of the special frame.
fn rejection(transport: &mut InProcessTransport, request: u8) -> LsReject {
    let mut input = InBuffer::new(0);
    while let Ok(crate::transport::Received::Octets(_)) = transport.receive(&mut input) {}
    let octets = input.as_slice();
    let frames = octets.windows(4).position(|word| word == [0x2E, 0x2E, 0xD1, 0xD1]).expect("a frame came");
    let frame = FcFrame::parse_without_crc_check(&octets[frames + 4..frames + 4 + 24 + 8 + 4]).unwrap();
    match ElsReply::parse(request, frame.payload) {
        Ok(ElsReply::Reject(reject)) => reject,
        other => panic!("{other:?}"),
    }
}

#[test]
fn whoever_does_not_log_in_is_closed_after_five_seconds_whatever_it_says() {
    let dribbled = login(Els::Flogi, HOST);
    // Nothing, half a special frame, half a login, and each octet of one so slowly that it is never whole.
    for (octets, words) in [
        (&[][..], "half-open"),
        (&special()[..40], "half-open"),
        (&special()[..], "nobody has logged in within 5000 ms"),
        (&dribbled[..100], "nobody has logged in within 5000 ms"),
    ] {
        let mut site = Site::new(Occupant::LoggedIn);
        let mut stranger = site.connect(at(0), octets);
        for step in 1..100_u64 {
            if octets.len() >= 76 {
                // A buffer credit now and then, or an octet.
                let next =
                    if octets.len() == 76 { credit() } else { vec![dribbled[100 + step as usize / 2]] };
                if step % 2 == 1 {
                    put(&mut stranger, &next);
                }
            }
            site.waits(at(step * 50));
        }
        assert!(site.lobby.poll_timeout().is_some_and(|due| due <= at(5000)), "{words} {:?}", site.told);
        site.waits(at(5000));
        site.closed(words);
    }
}

#[test]
fn octets_that_are_no_login_close_at_once() {
    let tls = [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xFC, 0x03, 0x03];
    let mut early = login(Els::Flogi, HOST);
    early.drain(..76);
    for (octets, words) in
        [(&tls[..], "no FCIP"), (b"GET / HTTP/1.1\r\n\r\n", "no FCIP"), (&early, "a frame came before")]
    {
        let mut site = Site::new(Occupant::None);
        let _stranger = site.connect(at(0), octets);
        site.waits(at(1));
        site.closed(words);
    }
}

#[test]
fn a_port_login_before_the_fabric_login_is_rejected() {
    let mut site = Site::new(Occupant::None);
    let mut host = site.connect(at(0), &login(Els::Plogi, HOST));
    site.waits(at(1));
    site.closed("before FLOGI");
    assert_eq!(rejection(&mut host, code::PLOGI), LsReject::new(RejectExplanation::LogicalError));
}

#[test]
fn who_says_its_name_gets_a_free_port_or_that_of_one_who_did_not() {
    let mut site = Site::new(Occupant::None);
    let _host = site.connect(at(0), &login(Els::Flogi, HOST));
    let Entry::Take(mut fibre) = site.attend(at(1), 0) else { panic!("{:?}", site.told) };
    assert!(fibre.next_frame().unwrap().is_some_and(|first| claim(&first.frame) == Claim::FabricLogin(HOST)));
    let mut site = Site::new(Occupant::Stranger);
    let _host = site.connect(at(0), &login(Els::Flogi, HOST));
    assert!(matches!(site.attend(at(1), 0), Entry::Vacate(0, _)));
    site.house.occupants[0] = Occupant::None;
    assert!(matches!(site.attend(at(1), 0), Entry::Take(_)));
    // One whose login is under way keeps the port for as long as a login may take.
    let mut site = Site::new(Occupant::Arriving);
    let _host = site.connect(at(0), &login(Els::Flogi, HOST));
    site.waits(at(1));
    site.waits(at(6000));
    site.closed("nobody has logged in");
}

#[test]
fn a_name_that_may_not_log_in_or_a_port_in_use_is_said() {
    for (name, words, explanation) in
        [(STRANGER, "may not log in", 0x0D), (HOST, "it has its fibre already", 0x29)]
    {
        let mut site = Site::new(Occupant::LoggedIn);
        let mut host = site.connect(at(0), &login(Els::Flogi, name));
        site.waits(at(1));
        site.closed(words);
        assert_eq!(rejection(&mut host, code::FLOGI).explanation, explanation);
    }
}

#[test]
fn a_name_that_is_logged_in_elsewhere_is_rejected_while_that_answers() {
    for holder in [0, 1] {
        let mut site = Site::new(Occupant::LoggedIn);
        site.house.holder = Some(holder);
        let mut host = site.connect(at(0), &login(Els::Flogi, HOST));
        for ms in 1..1000 {
            site.waits(at(ms));
        }
        assert_eq!(site.house.probes, [holder], "it is asked once");
        site.lobby.handle_probe_answered(1 - holder);
        site.waits(at(1000));
        assert!(!site.lobby.is_empty(), "another port has answered");
        site.lobby.handle_probe_answered(holder);
        site.waits(at(1001));
        site.closed("is logged in over another connection");
        assert_eq!(rejection(&mut host, code::FLOGI).explanation, 0x0D);
    }
}

#[test]
fn a_name_that_is_logged_in_elsewhere_takes_the_place_of_one_that_does_not_answer() {
    for holder in [0, 1] {
        let mut site = Site::new(Occupant::LoggedIn);
        site.house.holder = Some(holder);
        let _host = site.connect(at(0), &login(Els::Flogi, HOST));
        site.waits(at(0));
        assert_eq!(site.lobby.poll_timeout(), Some(at(100)));
        site.waits(at(1999));
        let Entry::Vacate(vacated, why) = site.attend(at(2000), 0) else { panic!("{:?}", site.told) };
        assert_eq!(vacated, holder);
        assert!(why.to_string().contains("nothing answered a probe here within 2000 ms"), "{why}");
        site.house.holder = None;
        site.house.occupants[0] = Occupant::None;
        assert!(matches!(site.attend(at(2000), 0), Entry::Take(_)));
    }
}

#[test]
fn who_is_silent_gets_a_free_port_of_a_control_unit_after_a_moment() {
    let mut site = Site::new(Occupant::None);
    let _switch = site.connect(at(0), &special());
    site.waits(at(1));
    assert_eq!(site.lobby.poll_timeout(), Some(at(100)));
    assert!(matches!(site.attend(at(100), 1), Entry::Nothing), "not of a director");
    assert!(matches!(site.attend(at(100), 0), Entry::Take(_)));
}

#[test]
fn so_many_wait_and_the_one_that_waited_longest_makes_room() {
    let mut site = Site::new(Occupant::LoggedIn);
    let strangers: Vec<_> = (0..WAITING_MAX as u64).map(|ms| site.connect(at(ms), &special())).collect();
    site.waits(at(10));
    assert!(site.told.is_empty());
    let mut others: Vec<_> = (0..3).map(|ms| site.connect(at(20 + ms), &special())).collect();
    assert_eq!(site.told.len(), 3, "{:?}", site.told);
    assert!(site.told.iter().all(|told| told.contains("too many connections wait")));
    site.house.occupants[0] = Occupant::Stranger;
    others.push(site.connect(at(30), &login(Els::Flogi, HOST)));
    assert!(matches!(site.attend(at(30), 0), Entry::Vacate(0, _)), "a host gets in among them");
    drop((strangers, others));
}
