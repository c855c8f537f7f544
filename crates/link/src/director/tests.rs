//! Directors between channels and control units of which only the ports are there.

mod cascades;
mod site;
mod virtual_ports;

use halftrack_fabric::{PortEvent, Refusal};
use halftrack_wire::els::{Els, ServiceParameters};
use halftrack_wire::fc_header::fc_type;
use halftrack_wire::{Eof, FcHeader, FrameControl, FrameSink, Sof, WorldWideName};

use self::site::Site;
use super::*;
use crate::buffers::OutBuffer;
use crate::in_process::InProcessTransport;
use crate::plug::Plugged;

const CHANNEL: WorldWideName = WorldWideName(0xC050_7600_0000_0001);
const OTHER_CHANNEL: WorldWideName = WorldWideName(0xC050_7600_0000_0002);
const CONTROL_UNIT: WorldWideName = WorldWideName(0x5005_0763_0000_0030);
const OTHER_CONTROL_UNIT: WorldWideName = WorldWideName(0x5005_0763_0000_0031);
const CREDITS: u16 = 8;

/// Returns two directors with a link of `km` between a channel and a control unit.
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
        assert_eq!((without, with), ([Span::ZERO; 2], [Span::from_us(50); 2]));
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
        site.step(Time::MAX);
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

/// Frames arrive at the control unit while links of unlike length between the directors come and go: those of each
/// channel bears a number that only grows.
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
        let until = site.now.saturating_add(Span::from_ms(40));
        while site.now < until {
            for (end, sent) in site.ends.iter_mut().zip(&mut sent).filter(|(end, _)| end.fibre.can_send()) {
                *sent += 1;
                end.send(address, &sent.to_be_bytes());
            }
            let next = site.now.saturating_add(Span::from_us(50));
            site.step(next.min(until));
        }
    }
    site.until("frames have come", |site| site.ends[3].numbers.len() > 1000);
    for channel in 0..3 {
        let own = site.ends[channel].address(0);
        let numbers = site.ends[3].numbers.iter().filter(|(s_id, _)| *s_id == own).map(|(_, number)| *number);
        assert!(numbers.is_sorted(), "those of channel {channel} came out of order");
    }
}

/// Frames that a channel sent before its link failed are not delivered when it has come back.
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
    // It sends PLOGI where FLOGI is due.
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
