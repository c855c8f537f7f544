//! PRLI of FCP, and of a port of the other protocol.

use super::*;
use crate::rig::{fcp, offered};

fn fcp_link() -> Link {
    let initiator = fcp(channel(LOW, &[HIGH]), FcpLogin::INITIATOR);
    let target =
        fcp(control_unit(HIGH, None), FcpLogin::TARGET.with(FcpLogin::CONFIRMATION).with(FcpLogin::REC));
    Link::new([initiator, target])
}

fn logged_in(port: usize) -> PortEvent {
    let (target, initiator) = addresses();
    PortEvent::FcpPeerLoggedIn {
        peer: [target, initiator][port],
        name: WorldWideName([HIGH, LOW][port]),
        frame_payload_bytes: 2048,
        login: offered(FcpLogin::TARGET),
    }
}

/// Both ends report one login, with what both of them have.
#[test]
fn a_login_of_fcp_is_complete_with_its_process_login() {
    let mut link = fcp_link();
    link.settle();
    for port in 0..2 {
        assert_eq!(drain(&mut link.ports[port])[1..], [logged_in(port)]);
    }
}

#[test]
fn a_target_without_a_node_descriptor_is_logged_in_to() {
    let mut link = fcp_link();
    let unsupported = LsReject::new(RejectExplanation::NotSupported);
    while link.deliver(0, false) || link.deliver(1, false) {
        // RNID is rejected, as a target of another maker would.
        let identify = Purpose::Identify(0);
        if link.ports[0].requests.has(identify) {
            link.ports[0].requests.forget(|purpose| purpose == identify);
            link.ports[0].fail(link.now, identify, Refusal::Rejected(unsupported));
        }
    }
    assert_eq!(drain(&mut link.ports[0])[1..], [logged_in(0)]);
}

/// Neither a channel of FICON at a port of FCP nor the other way round gets a login: response code 5, and the reason at
/// the channel. The logins of both are tried again.
#[test]
fn a_login_of_the_other_protocol_is_refused_by_configuration() {
    let pairs = [
        [fcp(channel(LOW, &[HIGH]), FcpLogin::INITIATOR), control_unit(HIGH, None)],
        [channel(LOW, &[HIGH]), fcp(control_unit(HIGH, None), FcpLogin::TARGET)],
    ];
    for ports in pairs {
        let page = ports[0].protocol.page().expect("a channel offers one");
        let mut link = Link::new(ports);
        link.settle();
        let refused = PortEvent::Refused { name: WorldWideName(HIGH), why: Refusal::OtherProtocol };
        assert_eq!(drain(&mut link.ports[0])[1..], [refused]);
        let events = drain(&mut link.ports[1]);
        assert!(!events.iter().any(|event| matches!(event, PortEvent::FcpPeerLoggedIn { .. })), "{events:?}");
        let refused = PortEvent::Refused { name: WorldWideName(LOW), why: Refusal::OtherProtocol };
        assert_eq!(events.iter().filter(|event| **event == refused).count(), 1, "{events:?}");
        let reply = request(&mut link, &Els::Prli(ProcessLogin::new(page)));
        let refusal = page.refused(ServicePage::FORBIDDEN);
        assert_eq!(reply, ElsReply::ProcessLogin(ProcessLogin::new(refusal)));
    }
}

/// Of several pages each has its own answer; a TYPE that is neither protocol is not supported.
#[test]
fn pages_are_answered_one_by_one() {
    let mut link = fcp_link();
    link.settle();
    drain(&mut link.ports[1]);
    let other = ServicePage { fc_type: 0x28, ..ServicePage::default() };
    let offer = ServicePage::fcp(offered(FcpLogin::INITIATOR));
    let pages = vec![ServicePage::sb(transport()), other, offer];
    let reply = request(&mut link, &Els::Prli(ProcessLogin { pages }));
    let ElsReply::ProcessLogin(answer) = reply else { panic!("PRLI is answered") };
    let responses: Vec<_> = answer.pages.iter().map(ServicePage::response).collect();
    assert_eq!(responses, [ServicePage::FORBIDDEN, ServicePage::NOT_SUPPORTED, ServicePage::EXECUTED]);
    let over = PortEvent::PeerLoggedOut {
        peer: addresses().1,
        name: WorldWideName(LOW),
        why: LogoutCause::NewLogin,
    };
    assert_eq!(drain(&mut link.ports[1]), [over, logged_in(1)], "a new login ends the old one");
    let reply = request(&mut link, &Els::Prli(ProcessLogin::new(other)));
    assert!(matches!(reply, ElsReply::Reject(_)), "{reply:?}");
    let target = ServicePage::fcp(offered(FcpLogin::TARGET));
    let reply = request(&mut link, &Els::Prli(ProcessLogin::new(target)));
    let ElsReply::ProcessLogin(answer) = reply else { panic!("PRLI is answered") };
    assert_eq!(answer.pages[0].response(), ServicePage::NOT_SUPPORTED, "a target does not log in");
}

#[test]
fn a_process_logout_ends_the_login_of_fcp_alone() {
    let mut link = fcp_link();
    link.settle();
    drain(&mut link.ports[1]);
    let logout = Els::Prlo(ProcessLogin::new(ServicePage::fcp(FcpLogin::default())));
    for events in [1, 0] {
        let reply = request(&mut link, &logout);
        let ElsReply::ProcessLogin(answer) = reply else { panic!("PRLO is answered") };
        assert_eq!(answer.pages[0].response(), ServicePage::EXECUTED);
        assert_eq!(drain(&mut link.ports[1]).len(), events);
    }
    assert!(link.agree());
}
