//! Both ends of a link without a fabric, in memory. With a fabric: the tests of the switch.

use halftrack_base::Span;
use halftrack_wire::FcHeader;
use halftrack_wire::els::{
    Discovery, Els, ElsReply, ExchangeIds, ExchangeStatus, FcpLogin, IncidentCode, IncidentReceiver,
    IncidentRegistration, LinkErrors, LsReject, ProcessLogin, RejectExplanation, SbLogin, ServicePage,
    TimeoutValues, code,
};
use proptest::prelude::*;

use super::*;
use crate::rig::{Fibre, channel, control_unit, drain, transport};
use crate::timing::{ANSWER_TIMEOUT, RETRY_INTERVAL};

mod channel_to_channel;
mod fcp_login;

const LOW: u64 = 0x10;
const HIGH: u64 = 0x20;

/// Two ports and the frames between them.
struct Link {
    now: Time,
    ports: [NPort; 2],
    fibres: [Fibre; 2],
}

impl Link {
    fn new(ports: [NPortParameters; 2]) -> Self {
        let ports = ports.map(NPort::new);
        let mut link = Self { now: Time::ZERO, ports, fibres: Default::default() };
        for port in &mut link.ports {
            port.handle_link_up(Time::ZERO);
        }
        link
    }

    fn deliver(&mut self, from: usize, lose: bool) -> bool {
        while self.ports[from].poll_frame(&mut self.fibres[from]) {}
        let Some(frame) = self.fibres[from].take() else { return false };
        if !lose {
            let _ = self.ports[1 - from].handle_frame(self.now, &frame.view());
        }
        true
    }

    fn settle(&mut self) {
        while self.deliver(0, false) || self.deliver(1, false) {}
    }

    /// Lets `span` pass.
    fn pass(&mut self, span: Span) {
        let end = self.now.saturating_add(span);
        self.settle();
        while let Some(at) = self.ports.iter().filter_map(NPort::poll_timeout).min().filter(|at| *at <= end) {
            self.now = at;
            for port in &mut self.ports {
                port.handle_timeout(at);
            }
            self.settle();
        }
        self.now = end;
    }

    fn agree(&self) -> bool {
        let logged_in = |port: usize| self.ports[port].is_logged_in(self.ports[1 - port].address());
        logged_in(0) && logged_in(1)
    }
}

#[test]
fn the_port_with_the_higher_name_assigns_the_addresses() {
    let (higher, lower) = addresses();
    for (channel_name, control_unit_name, addresses) in
        [(LOW, HIGH, [lower, higher]), (HIGH, LOW, [higher, lower])]
    {
        let mut link =
            Link::new([channel(channel_name, &[control_unit_name]), control_unit(control_unit_name, None)]);
        link.settle();
        assert_eq!(link.ports.each_ref().map(NPort::address), addresses);
        let logged_in = |port: usize, transport| PortEvent::PeerLoggedIn {
            peer: addresses[1 - port],
            name: WorldWideName([channel_name, control_unit_name][1 - port]),
            frame_payload_bytes: 2048,
            transport,
        };
        let attached =
            |port: usize, credit| PortEvent::Attached { address: addresses[port], credit, fabric: false };
        assert_eq!(drain(&mut link.ports[0]), [attached(0, 40), logged_in(0, Some(transport()))]);
        assert_eq!(
            drain(&mut link.ports[1]),
            [attached(1, 8), logged_in(1, None), logged_in(1, Some(transport()))]
        );
        let seen = link.ports[0].node_of(addresses[1]).expect("RNID was answered");
        assert_eq!(seen, control_unit(control_unit_name, None).node);
        assert!(link.ports[1].node_of(addresses[0]).is_some(), "RNID goes both ways");
    }
}

#[test]
fn without_process_login_it_is_command_mode() {
    let command_mode = NPortParameters { protocol: PortProtocol::Ficon(None), ..control_unit(HIGH, None) };
    let mut link = Link::new([channel(LOW, &[HIGH]), command_mode]);
    link.settle();
    let last = drain(&mut link.ports[0]).pop();
    assert!(matches!(last, Some(PortEvent::PeerLoggedIn { transport: None, .. })), "{last:?}");
}

#[test]
fn a_host_that_is_not_listed_is_refused_and_tries_again() {
    for (host, own) in [(LOW, HIGH), (HIGH, LOW)] {
        let mut link = Link::new([channel(host, &[own]), control_unit(own, Some(&[0x99]))]);
        link.settle();
        let refused = PortEvent::Refused { name: WorldWideName(host), why: Refusal::NotListed };
        assert_eq!(drain(&mut link.ports[1]), [refused]);
        let events = drain(&mut link.ports[0]);
        assert!(!events.iter().any(|event| matches!(event, PortEvent::PeerLoggedIn { .. })), "{events:?}");
        link.ports[1].parameters.hosts = None;
        link.pass(RETRY_INTERVAL + RETRY_INTERVAL);
        assert!(link.agree(), "the list was mended");
    }
}

#[test]
fn a_channel_leaves_control_units_alone_that_it_is_not_told_of() {
    let mut link = Link::new([channel(LOW, &[0x99]), control_unit(HIGH, None)]);
    link.settle();
    assert!(!link.agree());
    let mut link = Link::new([channel(LOW, &[]), control_unit(HIGH, None)]);
    link.settle();
    assert!(link.agree(), "a channel that is told of none takes whoever is there");
}

#[test]
fn a_port_of_the_same_name_is_refused() {
    let mut link = Link::new([channel(LOW, &[]), control_unit(LOW, None)]);
    link.settle();
    let same = PortEvent::Refused { name: WorldWideName(LOW), why: Refusal::SameName };
    assert!(drain(&mut link.ports[0]).contains(&same) && drain(&mut link.ports[1]).contains(&same));
}

#[test]
fn a_silent_link_is_reported_once_and_asked_for_ever() {
    let mut port = NPort::new(channel(LOW, &[HIGH]));
    port.handle_link_up(Time::ZERO);
    let mut asked = 0;
    let mut fibre = Fibre::default();
    for _ in 0..12 {
        while port.poll_frame(&mut fibre) {}
        asked += usize::from(fibre.take().is_some());
        let at = port.poll_timeout().expect("something is always awaited");
        port.handle_timeout(at);
    }
    let silent = PortEvent::Refused { name: WorldWideName(LOW), why: Refusal::NoAnswer };
    assert_eq!((drain(&mut port), asked), (vec![silent], 9), "three times three, and the pauses between");
}

/// Sends `els` from the channel to the control unit and reads the answer.
fn request(link: &mut Link, els: &Els) -> ElsReply {
    let [channel, control_unit] = &mut link.ports;
    let header =
        sequence::request(fc_type::EXTENDED_LINK_SERVICE, channel.address(), control_unit.address(), 0xF123);
    let payload = els.emit();
    let frame = FcFrame { header, optional: &[], payload: &payload };
    control_unit.handle_frame(link.now, &frame).expect("a link service");
    let mut fibre = Fibre::default();
    assert!(control_unit.poll_frame(&mut fibre));
    let answer = fibre.take().expect("an answer");
    assert_eq!((answer.header.d_id, answer.header.ox_id), (channel.address(), 0xF123));
    ElsReply::parse(els.code(), &answer.payload).expect("a sound answer")
}

#[test]
fn what_is_asked_is_answered_and_what_does_not_belong_is_rejected() {
    let mut link = Link::new([channel(LOW, &[HIGH]), control_unit(HIGH, None)]);
    link.settle();
    assert_eq!(request(&mut link, &Els::Echo(vec![1, 2, 3, 4])), ElsReply::Echo(vec![1, 2, 3, 4]));
    let unsupported = LsReject {
        reason: RejectExplanation::NotSupported,
        explanation: LsReject::REQUEST_NOT_SUPPORTED,
        vendor: 0,
    };
    let registration = halftrack_wire::els::Registration::Full;
    assert_eq!(request(&mut link, &Els::Scr(registration)), ElsReply::Reject(unsupported));
    let name = link.ports[0].name();
    let logout = halftrack_wire::els::Logout { address: addresses().1, port_name: name };
    assert_eq!(request(&mut link, &Els::Logo(logout)), ElsReply::Accept);
    assert!(!link.ports[1].is_logged_in(addresses().1));
    let ElsReply::Reject(reject) = request(&mut link, &Els::Rnid(0xDF)) else {
        panic!("no login, no answer")
    };
    assert_eq!(reject.explanation, LsReject::LOGIN_REQUIRED);
}

/// Services of recovery are answered to a port with a login: who is here, time-outs, a qualifier at its end. PRLO ends
/// transport mode and leaves the login.
#[test]
fn services_of_recovery_are_answered() {
    let mut link = Link::new([channel(LOW, &[HIGH]), control_unit(HIGH, None)]);
    link.settle();
    drain(&mut link.ports[1]);
    let ids = ExchangeIds { originator: addresses().1, ox_id: 7, rx_id: 0xFFFF };
    assert_eq!(request(&mut link, &Els::Rrq(ids)), ElsReply::Accept);
    assert_eq!(request(&mut link, &Els::Rtv), ElsReply::TimeoutValues(TimeoutValues::default()));
    link.ports[1].take_invalid_crcs(link.now, 3);
    let errors = LinkErrors { invalid_crcs: 3, ..LinkErrors::default() };
    assert_eq!(request(&mut link, &Els::Rls(0)), ElsReply::LinkErrors(errors));
    assert!(
        matches!(request(&mut link, &Els::Rls(0x01_2345)), ElsReply::Reject(_)),
        "a port that is not here"
    );
    let own = Discovery { port_name: link.ports[0].name(), address: addresses().1, ..Discovery::default() };
    let ElsReply::Discovery(found) = request(&mut link, &Els::Adisc(own)) else {
        panic!("ADISC is answered")
    };
    assert_eq!((found.port_name, found.address), (WorldWideName(HIGH), addresses().0));
    let logout = ProcessLogin::new(ServicePage::sb(SbLogin::default()));
    for (events, code) in [(1, ServicePage::EXECUTED), (0, ServicePage::EXECUTED)] {
        let reply = request(&mut link, &Els::Prlo(logout.clone()));
        let ElsReply::ProcessLogin(pages) = reply else { panic!("PRLO is answered") };
        assert_eq!(pages.pages.iter().map(ServicePage::response).collect::<Vec<_>>(), [code]);
        assert_eq!(drain(&mut link.ports[1]).len(), events, "the login without transport mode, once");
    }
    assert!(link.agree());
    let other = ProcessLogin::new(ServicePage { fc_type: 0x08, ..ServicePage::default() });
    let ElsReply::ProcessLogin(pages) = request(&mut link, &Els::Prlo(other)) else {
        panic!("PRLO is answered")
    };
    assert_eq!(pages.pages[0].response(), ServicePage::NOT_SUPPORTED);
}

/// REC is answered with the state that the owner of the port has, or with an LS_RJT that no exchange has these ids. Ids
/// of an exchange between others are unknown to both.
#[test]
fn the_state_of_an_exchange_is_answered() {
    let mut link = Link::new([channel(LOW, &[HIGH]), control_unit(HIGH, None)]);
    link.settle();
    drain(&mut link.ports[1]);
    let of_channel = ExchangeIds { originator: addresses().1, ox_id: 7, rx_id: 0xFFFF };
    let of_control_unit = ExchangeIds { originator: addresses().0, ..of_channel };
    let state = ExchangeStatus {
        received_bytes: 4096,
        status: ExchangeStatus::INITIATIVE,
        ..ExchangeStatus::default()
    };
    let unknown = LsReject { reason: RejectExplanation::LogicalError, explanation: 0x17, vendor: 0 };
    for (ids, found, role) in [
        (of_channel, Some(state), ExchangeStatus::RESPONDER),
        (of_control_unit, Some(state), 0),
        (of_channel, None, 0),
    ] {
        let reply = request_of_owner(&mut link, &Els::Rec(ids), found);
        let expected = match found {
            None => ElsReply::Reject(unknown),
            Some(_) => {
                let other = addresses().0 ^ addresses().1 ^ ids.originator;
                ElsReply::ExchangeStatus(ExchangeStatus {
                    ox_id: 7,
                    rx_id: 0xFFFF,
                    originator: ids.originator,
                    responder: other,
                    received_bytes: 4096,
                    status: ExchangeStatus::INITIATIVE | role,
                })
            }
        };
        assert_eq!(reply, expected);
    }
    let of_others = ExchangeIds { originator: 0x01_2345, ..of_channel };
    assert_eq!(request(&mut link, &Els::Rec(of_others)), ElsReply::Reject(unknown));
}

/// Sends `els` and has the owner of the control unit's port answer with this state.
fn request_of_owner(link: &mut Link, els: &Els, state: Option<ExchangeStatus>) -> ElsReply {
    let [channel, control_unit] = &mut link.ports;
    let (s_id, d_id) = (channel.address(), control_unit.address());
    let header = sequence::request(fc_type::EXTENDED_LINK_SERVICE, s_id, d_id, 0xF123);
    let payload = els.emit();
    let frame = FcFrame { header, optional: &[], payload: &payload };
    control_unit.handle_frame(link.now, &frame).expect("a link service");
    let events = drain(control_unit);
    let [PortEvent::ExchangeRequested(asked)] = &events[..] else { panic!("{events:?}") };
    control_unit.answer_exchange_request(asked, state);
    let mut fibre = Fibre::default();
    assert!(control_unit.poll_frame(&mut fibre));
    ElsReply::parse(els.code(), &fibre.take().expect("an answer").payload).expect("a sound answer")
}

/// A channel registers for the link incidents of a control unit's port when it logs in. A link that works on carries the
/// record at once; one that failed cannot, so that the next one does. Without a login there is no incident.
#[test]
fn incidents_of_a_link_are_reported_to_the_channel_that_registered() {
    let mut link = Link::new([channel(LOW, &[HIGH]), control_unit(HIGH, None)]);
    link.ports[1].note_incident(link.now, IncidentCode::LossOfSignal);
    link.settle();
    link.ports.iter_mut().for_each(|port| assert!(!drain(port).iter().any(is_incident)));
    for burst in 1..=15 {
        link.pass(Span::from_s(2));
        link.ports[1].take_invalid_crcs(link.now, burst);
    }
    link.settle();
    let records = incidents(&mut link.ports[0]);
    assert_eq!(records.iter().map(|record| record.code).collect::<Vec<_>>(), [IncidentCode::BitErrorRate]);
    assert_eq!(incidents(&mut link.ports[1]), records, "the one that the port has noted");
    link.ports[1].note_incident(link.now, IncidentCode::LossOfSignal);
    link.ports.iter_mut().for_each(NPort::handle_link_down);
    link.settle();
    assert_eq!(incidents(&mut link.ports[0]), []);
    link.ports.iter_mut().for_each(|port| port.handle_link_up(link.now));
    link.settle();
    let records = incidents(&mut link.ports[0]);
    let [record] = &records[..] else { panic!("{records:?}") };
    assert_eq!((record.code, record.transaction), (IncidentCode::LossOfSignal, 1));
    assert_eq!((record.incident.port_name, record.at), (WorldWideName(HIGH), (30, 0)));
    link.ports.iter_mut().for_each(|port| port.handle_link_up(link.now));
    link.settle();
    assert_eq!(incidents(&mut link.ports[0]), [], "a record is reported once");
}

/// A port that withdraws its registration gets no record.
#[test]
fn a_registration_for_incidents_can_be_withdrawn() {
    let mut link = Link::new([channel(LOW, &[HIGH]), control_unit(HIGH, None)]);
    link.settle();
    let withdrawn = IncidentRegistration { receiver: IncidentReceiver::Withdrawn, format: 0x1B };
    assert_eq!(request(&mut link, &Els::Lirr(withdrawn)), ElsReply::Registered(withdrawn));
    link.ports[1].note_incident(link.now, IncidentCode::BitErrorRate);
    link.settle();
    assert_eq!((incidents(&mut link.ports[0]).len(), incidents(&mut link.ports[1]).len()), (0, 1));
}

fn is_incident(event: &PortEvent) -> bool {
    matches!(event, PortEvent::IncidentNoted(_) | PortEvent::IncidentReported(_))
}

/// Returns the records among the events of a port.
fn incidents(port: &mut NPort) -> Vec<LinkIncident> {
    let record = |event| match event {
        PortEvent::IncidentNoted(record) | PortEvent::IncidentReported(record) => Some(record),
        _ => None,
    };
    drain(port).into_iter().filter_map(record).collect()
}

/// Returns the addresses of the ports named HIGH and LOW.
fn addresses() -> (u32, u32) {
    address::point_to_point(WorldWideName(HIGH), WorldWideName(LOW))
}

#[test]
fn a_port_login_before_the_fabric_login_is_rejected() {
    let mut port = NPort::new(control_unit(LOW, None));
    port.handle_link_up(Time::ZERO);
    let mut fibre = Fibre::default();
    assert!(port.poll_frame(&mut fibre) && fibre.take().is_some(), "its own FLOGI");
    let parameters = ServiceParameters::class_3(WorldWideName(HIGH), WorldWideName(HIGH), 2112, 8);
    let payload = Els::Plogi(parameters).emit();
    let (s_id, d_id) = addresses();
    let header = sequence::request(fc_type::EXTENDED_LINK_SERVICE, s_id, d_id, 0xF000);
    port.handle_frame(Time::ZERO, &FcFrame { header, optional: &[], payload: &payload }).expect("a request");
    assert!(port.poll_frame(&mut fibre));
    let answer =
        ElsReply::parse(code::PLOGI, &fibre.take().expect("an answer").payload).expect("it is sound");
    assert_eq!(answer, ElsReply::Reject(LsReject::new(RejectExplanation::LogicalError)));
    assert!(!port.is_logged_in(s_id));
    let why = Refusal::NotInFabric;
    assert_eq!(drain(&mut port), [PortEvent::Refused { name: WorldWideName(HIGH), why }]);
}

#[test]
fn a_second_fabric_login_without_a_fabric_ends_the_login_and_makes_a_new_one() {
    for names in [[LOW, HIGH], [HIGH, LOW]] {
        let mut link = Link::new([channel(names[0], &[names[1]]), control_unit(names[1], None)]);
        link.settle();
        drain(&mut link.ports[1]);
        link.ports[0].handle_link_up(link.now);
        link.settle();
        assert!(link.agree());
        let events = drain(&mut link.ports[1]);
        assert!(
            matches!(events[0], PortEvent::PeerLoggedOut { why: LogoutCause::NewLogin, .. }),
            "{events:?}"
        );
        assert!(matches!(events[1], PortEvent::PeerLoggedIn { .. }), "{events:?}");
    }
}

#[test]
fn a_probe_is_answered_by_who_is_there() {
    let mut link = Link::new([channel(LOW, &[HIGH]), control_unit(HIGH, None)]);
    link.ports[1].probe(link.now);
    link.settle();
    assert_eq!(link.ports[1].direct_peer(), Some(WorldWideName(LOW)));
    drain(&mut link.ports[1]);
    for _ in 0..3 {
        link.ports[1].probe(link.now);
    }
    link.settle();
    assert_eq!(drain(&mut link.ports[1]), [PortEvent::ProbeAnswered], "one probe at a time");
    link.ports[1].probe(link.now);
    while link.deliver(1, true) {}
    link.pass(ANSWER_TIMEOUT);
    assert_eq!((drain(&mut link.ports[1]), link.agree()), (vec![], true));
}

#[test]
fn logout_and_link_down_end_logins() {
    let mut link = Link::new([channel(LOW, &[HIGH]), control_unit(HIGH, None)]);
    link.settle();
    drain(&mut link.ports[1]);
    link.ports[0].log_out(link.now);
    link.settle();
    let over = |why| PortEvent::PeerLoggedOut { peer: addresses().1, name: WorldWideName(LOW), why };
    assert_eq!(drain(&mut link.ports[1]), [over(LogoutCause::Logout)]);
    link.pass(RETRY_INTERVAL + ANSWER_TIMEOUT);
    assert!(link.agree(), "the port that logged in before does so again");
    drain(&mut link.ports[1]);
    link.ports[1].handle_link_down();
    assert_eq!(drain(&mut link.ports[1]), [over(LogoutCause::LinkDown)]);
    assert_eq!((link.ports[1].address(), link.ports[1].poll_timeout()), (0, None));
}

#[test]
fn a_stranger_is_told_to_log_in_again() {
    let mut link = Link::new([channel(LOW, &[HIGH]), control_unit(HIGH, None)]);
    link.settle();
    link.ports[1].end_login(0, LogoutCause::NoAnswer, None);
    link.ports[1].handle_stranger(link.now, addresses().1);
    link.settle();
    assert!(!link.ports[0].is_logged_in(addresses().0), "LOGO ends what is left of the login");
}

proptest! {
    /// Whatever is lost and in whatever order the ends act: once the fibre carries all, both ends are logged in.
    #[test]
    fn both_ends_log_in_in_the_end(
        higher in any::<bool>(),
        steps in prop::collection::vec((0_u8..16, any::<bool>()), 0..60),
    ) {
        let names = if higher { [HIGH, LOW] } else { [LOW, HIGH] };
        let mut link = Link::new([channel(names[0], &[names[1]]), control_unit(names[1], Some(&[names[0]]))]);
        let mut closed = false;
        for (step, flag) in steps {
            let end = usize::from(flag);
            match step {
                0..=9 => { link.deliver(end, false); }
                10 | 11 => { link.deliver(end, true); }
                12 => link.ports[end].handle_link_up(link.now),
                13 => {
                    link.ports[end].log_out(link.now);
                    closed = true;
                }
                _ => {
                    link.now = link.now.saturating_add(Span::from_ms(900));
                    link.ports.iter_mut().for_each(|port| port.handle_timeout(link.now));
                }
            }
        }
        // A port that sends LOGO stays away until its link comes up anew.
        if closed {
            link.ports.iter_mut().for_each(|port| port.handle_link_up(link.now));
        }
        link.pass(RETRY_INTERVAL * 4);
        prop_assert!(link.agree(), "{:?}", link.ports);
        let last = drain(&mut link.ports[0]).pop();
        let complete = matches!(last, Some(PortEvent::PeerLoggedIn { transport: Some(_), .. }));
        prop_assert!(complete, "{:?}", last);
    }

    #[test]
    fn no_octets_upset_a_port(
        header: [u8; 24],
        types in 0_usize..3,
        which in prop::sample::select(vec![code::FLOGI, code::PLOGI, code::PRLI, code::RSCN, code::RNID, code::LOGO, 2, 1]),
        mut payload in prop::collection::vec(any::<u8>(), 0..140),
        to_port: bool,
        settled: bool,
    ) {
        let mut link = Link::new([channel(LOW, &[HIGH]), control_unit(HIGH, None)]);
        if settled {
            link.settle();
        }
        let mut header = FcHeader::parse(&header).expect("24 octets");
        header.fc_type = [fc_type::EXTENDED_LINK_SERVICE, fc_type::COMMON_TRANSPORT, header.fc_type][types];
        if to_port {
            header = FcHeader { d_id: link.ports[1].address(), s_id: addresses().1, seq_cnt: 0, ..header };
            header.f_ctl = sequence::request(1, 0, 0, 0).f_ctl;
        }
        if let Some(first) = payload.first_mut() {
            *first = which;
        }
        for port in &mut link.ports {
            let _ = port.handle_frame(link.now, &FcFrame { header, optional: &[], payload: &payload });
        }
        link.pass(RETRY_INTERVAL * 4);
        prop_assert!(link.agree());
    }
}
