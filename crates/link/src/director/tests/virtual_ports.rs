//! Virtual ports (NPIV) of an initiator of FCP at a director.

use halftrack_wire::els::Logout;

use super::*;

const PARTITIONS: [WorldWideName; 2] =
    [WorldWideName(0xC050_7600_0000_0011), WorldWideName(0xC050_7600_0000_0012)];
const TARGET: WorldWideName = CONTROL_UNIT;
const FABRIC_LOGIN: u32 = 0xFF_FFFE;

/// Returns an initiator with two virtual ports and a target at one director.
fn partitions(zones: &str) -> Site {
    let mut site = Site::new();
    site.director(0x61, [], zones);
    site.plug_fcp(0, 0, &[CHANNEL, PARTITIONS[0], PARTITIONS[1]], &[TARGET]);
    site.plug_fcp(0, 1, &[TARGET], &[]);
    site
}

/// Returns the address of the target once it is logged in to by a virtual port.
fn nexus(site: &mut Site, index: usize) -> u32 {
    let found = |site: &Site| {
        site.ends[0].virtual_events.iter().rev().find_map(|(at, event)| match event {
            PortEvent::FcpPeerLoggedIn { peer, .. } if *at == index => Some(*peer),
            _ => None,
        })
    };
    site.until("the virtual port logs in", |site| found(site).is_some());
    found(site).expect("just seen")
}

#[test]
fn frames_of_each_virtual_port_come_and_go() {
    let mut site = partitions("");
    for index in [1, 2] {
        let target = nexus(&mut site, index);
        let own = site.ends[0].address(index);
        assert_eq!((own, target), (0x61_0400 + index as u32, 0x61_0500));
        site.ends[0].send_of(index, target, &[7]);
        site.until("it comes", |site| site.ends[1].came.iter().any(|(header, _)| header.s_id == own));
        site.ends[1].send(own, &[8]);
        site.until("the answer comes", |site| site.ends[0].came.iter().any(|(header, _)| header.d_id == own));
    }
    assert!(site.noticed("logged in as 610401, a virtual port"), "{:?}", site.notices);
    let now = site.now;
    site.ends[0].port.log_out_virtual(now, 1);
    site.until("it leaves", |site| site.noticed("at 610401, a virtual port, left the fabric"));
    assert_eq!(nexus(&mut site, 2), 0x61_0500);
}

#[test]
fn zones_are_of_the_names_of_virtual_ports() {
    let zone = format!("[[zone]]\nname = \"A\"\nmembers = [\"{}\", \"{TARGET}\"]\n", PARTITIONS[1]);
    let mut site = partitions(&zone);
    let target = nexus(&mut site, 2);
    site.ends[0].send_of(1, target, &[1]);
    site.until("the frame is discarded", |site| site.noticed("no zone has"));
    site.ends[0].send_of(2, target, &[1]);
    site.until("the other comes", |site| !site.ends[1].came.is_empty());
    let own = site.ends[0].address(2);
    assert!(site.ends[1].came.iter().all(|(header, _)| header.s_id == own));
}

/// Frames that wait for the target go with the virtual port that sent them; those of the other ports stay.
#[test]
fn what_waits_goes_with_its_virtual_port_only() {
    let mut site = partitions("");
    let target = nexus(&mut site, 1);
    nexus(&mut site, 2);
    site.settle();
    let own = [1, 2].map(|index| site.ends[0].address(index));
    site.ends[1].takes = false;
    let frames = u32::from(CREDITS) + 4;
    for number in 0..frames {
        let index = 1 + number as usize % 2;
        site.until("it may be sent", |site| site.ends[0].fibre.can_send());
        site.ends[0].send_of(index, target, &number.to_be_bytes());
        site.turn();
    }
    let header = FcHeader {
        r_ctl: 0x22,
        s_id: own[0],
        d_id: FABRIC_LOGIN,
        fc_type: fc_type::EXTENDED_LINK_SERVICE,
        f_ctl: FrameControl::FIRST_SEQUENCE.with(FrameControl::END_SEQUENCE).with(FrameControl::INITIATIVE),
        ox_id: 0xFFF0,
        ..FcHeader::default()
    };
    let logout = Els::Logo(Logout { address: own[0], port_name: PARTITIONS[0] }).emit();
    site.ends[0].fibre.frame(Sof::Initiate3, &header, &[&logout], Eof::Terminate);
    site.until("it has left", |site| site.noticed("at 610401, a virtual port, left the fabric"));
    site.ends[1].takes = true;
    site.ends[0].send_of(2, target, &99_u32.to_be_bytes());
    site.until("the last comes", |site| site.ends[1].numbers.contains(&(own[1], 99)));
    let came = |s_id: u32| site.ends[1].numbers.iter().filter(move |(from, _)| *from == s_id).count();
    assert_eq!(came(own[1]) as u32, frames / 2 + 1, "{:?}", site.ends[1].numbers);
    assert_eq!(came(own[0]) as u32, u32::from(CREDITS) / 2, "those that had gone out before");
}

#[test]
fn the_name_of_a_virtual_port_is_taken_for_other_connections() {
    let mut site = partitions("");
    nexus(&mut site, 1);
    let twin = site.plug_fcp(0, 2, &[PARTITIONS[0]], &[TARGET]);
    site.until("the twin is rejected", |site| site.noticed("is logged in over another connection"));
    assert_eq!(site.ends[twin].address(0), 0);
    assert_eq!(nexus(&mut site, 1), 0x61_0500);
}

/// All ports of a link log out in order, and nothing is awaited then.
#[test]
fn a_link_is_left_at_once() {
    let mut site = partitions("");
    for index in [1, 2] {
        nexus(&mut site, index);
    }
    let now = site.now;
    site.ends[0].port.log_out(now);
    site.until("the physical port leaves", |site| site.noticed("at 610400 left the fabric"));
    site.settle();
    assert!(!site.ends[0].port.awaits_answers());
}
