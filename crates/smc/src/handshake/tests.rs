use halftrack_base::Time;

use super::*;
use crate::message::clc::{Endpoint, Ipv6Prefix, Proposal, SmcD, Variant};
use crate::message::{PeerId, vectors};

const NOW: Time = Time::ZERO;

fn circumstances() -> Circumstances {
    Circumstances {
        has_option: true,
        has_ipsec: false,
        has_fast_open: false,
        device: DeviceChoice::Function,
        network: Network::Ipv4 { address: [10, 1, 7, 7], mask_bits: 16 },
    }
}

/// Runs both ends; returns their phases and the number of messages.
fn run(
    client: Circumstances,
    server: Circumstances,
    proposal: Proposal,
    own: Endpoint,
) -> (Phase, Phase, usize) {
    let mut of_server = Server::start(server, PeerId([9; 8]), NOW);
    let (mut of_client, mut message) = Client::start(&client, proposal, NOW);
    let mut count = 0;
    let mut is_to_server = true;
    while let Some(sent) = message.take() {
        count += 1;
        let sent = Clc::decode(&sent.encode()).unwrap();
        message = if is_to_server {
            of_server.receive(&sent, NOW, |_| Ok(own))
        } else {
            of_client.receive(&sent, NOW, |_| Ok(own))
        };
        is_to_server = !is_to_server;
    }
    (of_client.phase(), of_server.phase(), count)
}

#[test]
fn first_contact_waits_for_the_link_and_reuse_does_not() {
    let (plain, own) = (circumstances(), vectors::endpoint());
    let expected = (Phase::AwaitConfirmLink, Phase::AwaitConfirmLink, 3);
    assert_eq!(run(plain, plain, vectors::proposal(), own), expected);
    let later = Endpoint { is_first_contact: false, ..own };
    assert_eq!(run(plain, plain, vectors::proposal(), later), (Phase::Active, Phase::Active, 3));
}

#[test]
fn no_octet_goes_to_a_peer_without_the_option() {
    let without = Circumstances { has_option: false, has_ipsec: true, ..circumstances() };
    let tcp = Phase::Tcp(Fallback::Own(Diagnosis::PEER_NO_SMC));
    let (client, first) = Client::start(&without, vectors::proposal(), NOW);
    assert_eq!((client.phase(), first, client.deadline()), (tcp, None, None));
    let server = Server::start(without, PeerId([9; 8]), NOW);
    assert_eq!((server.phase(), server.deadline()), (tcp, None));
}

#[test]
fn each_obstacle_declines_with_its_code_at_both_ends() {
    let plain = circumstances();
    let device = |device| Circumstances { device, ..plain };
    let cases = [
        (Circumstances { has_ipsec: true, ..plain }, Diagnosis::IPSEC),
        (Circumstances { has_fast_open: true, ..plain }, Diagnosis::FAST_OPEN),
        (device(DeviceChoice::NoPnetId), Diagnosis::NO_DEVICE),
        (device(DeviceChoice::Exhausted), Diagnosis::NO_SMC_R_DEVICE),
        (device(DeviceChoice::NoVlan), Diagnosis::VLAN),
    ];
    for (bad, diagnosis) in cases {
        let own = Phase::Tcp(Fallback::Own(diagnosis));
        let peer = Phase::Tcp(Fallback::Peer { diagnosis, is_out_of_sync: false });
        assert_eq!(run(bad, plain, vectors::proposal(), vectors::endpoint()), (own, peer, 1));
        assert_eq!(run(plain, bad, vectors::proposal(), vectors::endpoint()), (peer, own, 2));
    }
}

#[test]
fn smc_d_and_other_networks_are_declined() {
    let declined = |network, proposal| {
        let server = Circumstances { network, ..circumstances() };
        match run(circumstances(), server, proposal, vectors::endpoint()) {
            (Phase::Tcp(Fallback::Peer { diagnosis, .. }), Phase::Tcp(_), 2) => Some(diagnosis),
            _ => None,
        }
    };
    let (near, proposal) = (circumstances().network, vectors::proposal());
    let smc_d = |variant| Proposal { variant, smc_d: Some(SmcD::default()), ..proposal.clone() };
    assert_eq!(declined(near, smc_d(Variant::SmcD)), Some(Diagnosis::MODE));
    assert_eq!(declined(near, smc_d(Variant::Both)), None);
    for (address, mask_bits) in [([10, 2, 7, 7], 16), ([10, 1, 7, 7], 24)] {
        assert_eq!(declined(Network::Ipv4 { address, mask_bits }, proposal.clone()), Some(Diagnosis::PREFIX));
    }
    let mut address = [0x20; 16];
    let prefixes = vec![Ipv6Prefix { address, prefix_bits: 60 }];
    let ipv6 = Proposal { prefixes, ..proposal };
    address[7] = 0x2F;
    assert_eq!(declined(Network::Ipv6 { address }, ipv6.clone()), None);
    address[7] = 0x3F;
    assert_eq!(declined(Network::Ipv6 { address }, ipv6), Some(Diagnosis::PREFIX));
}

#[test]
fn a_group_that_is_missing_is_out_of_synchronisation() {
    let (mut client, _) = Client::start(&circumstances(), vectors::proposal(), NOW);
    let accept = Endpoint { is_first_contact: false, ..vectors::endpoint() };
    let sent = client.receive(&Clc::Accept(accept), NOW, |_| Err(Diagnosis::SYNCHRONISATION));
    let Some(Clc::Decline(sent)) = sent else { panic!("{sent:?}") };
    assert!(sent.is_out_of_sync && sent.diagnosis == Diagnosis::SYNCHRONISATION);
}

#[test]
fn waits_end() {
    let (mut client, _) = Client::start(&circumstances(), vectors::proposal(), NOW);
    let end = client.deadline().unwrap();
    assert_eq!(end.since(NOW), CLC_WAIT);
    let accept = Clc::Accept(vectors::endpoint());
    assert!(client.clone().receive(&Clc::Confirm(vectors::endpoint()), NOW, |_| panic!()).is_none());
    let mut late = client.clone();
    assert_eq!((late.timeout(end), late.phase()), (None, Phase::Failed));
    client.receive(&accept, NOW, |_| Ok(vectors::endpoint()));
    let end = client.deadline().unwrap();
    assert_eq!(end.since(NOW), FIRST_LINK_WAIT);
    let mut insisted = client.clone();
    assert!(matches!(insisted.link_confirmed(false), Some(Clc::Decline(_))));
    let mut late = client.clone();
    assert!(matches!(late.timeout(end), Some(Clc::Decline(_))));
    assert_eq!((client.link_confirmed(true), client.phase()), (None, Phase::Active));
}
