//! State that a port keeps for the ports that come to it, one after the other.

use halftrack_base::{Span, Time};
use halftrack_wire::els::{Els, ServiceParameters};
use halftrack_wire::fc_header::fc_type;
use halftrack_wire::{FcFrame, FcHeader, WorldWideName};

use super::{NPort, PEERS_MAX};
use crate::rig::{Fibre, control_unit};
use crate::{address, sequence};

const OWN: u64 = 0x5005_0763_0000_0030;
/// Hosts that come, with higher names, so that they give the addresses.
const HOSTS: u64 = 100_000;

fn give(port: &mut NPort, now: Time, header: FcHeader, els: &Els) {
    let payload = els.emit();
    let _ = port.handle_frame(now, &FcFrame { header, optional: &[], payload: &payload });
}

#[test]
fn a_hundred_thousand_hosts_leave_no_more_than_a_few_hundred() {
    let mut port = NPort::new(control_unit(OWN, None));
    port.handle_link_up(Time::ZERO);
    let (mut fibre, mut logged_in) = (Fibre::default(), 0);
    for host in 1..=HOSTS {
        let now = Time::ZERO.saturating_add(Span::from_us(host));
        let name = WorldWideName(OWN + host);
        let parameters = ServiceParameters::class_3(name, name, 2112, 8);
        let header = |s_id, d_id| sequence::request(fc_type::EXTENDED_LINK_SERVICE, s_id, d_id, host as u16);
        give(&mut port, now, header(0, address::FABRIC_LOGIN), &Els::Flogi(parameters));
        let (s_id, d_id) = address::point_to_point(name, WorldWideName(OWN));
        give(&mut port, now, header(s_id, d_id), &Els::Plogi(parameters));
        logged_in += u64::from(port.direct_peer() == Some(name));
        // The owner takes the events; of the answers the other end takes some in a while.
        while port.poll_event().is_some() {}
        if host % 64 == 0 {
            port.poll_frame(&mut fibre);
            fibre.take();
        }
    }
    assert_eq!(logged_in, HOSTS);
    assert!(port.peers.len() <= PEERS_MAX && !port.requests.are_many());
    let mut frames = 0;
    while port.poll_frame(&mut fibre) {
        fibre.take();
        frames += 1;
    }
    assert!(frames <= 512, "{frames} frames wait to be sent");
}
