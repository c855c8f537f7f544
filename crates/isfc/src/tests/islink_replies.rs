//! Replies to operators' commands about real links.

use halftrack_control_unit::ctc::Side::X;

use super::rig::*;
use crate::islink::{self, Command, RealDevice, RealDevices, Reply};
use crate::*;

/// Devices D000 to D01F are online; one is a disk, one is offline, one is another's.
struct Machine;

impl RealDevices for Machine {
    fn device(&self, number: DeviceNumber) -> Option<RealDevice> {
        let is_there = (0xD000..0xD020).contains(&number.0);
        is_there.then(|| RealDevice {
            is_ctc: number.0 != 0xD01C,
            device_type: if number.0 == 0xD01C { "DASD" } else { "FCTC" }.to_owned(),
            is_online: number.0 != 0xD01D,
            user: (number.0 == 0xD01E).then(|| "TCPIP".to_owned()),
        })
    }
}

fn activate(text: &str, links: &[&End], link: Option<&End>) -> Reply {
    match text.parse() {
        Ok(Command::Activate(command)) => islink::activate(&command, "OPERATOR", links, link, &Machine),
        other => panic!("{other:?}"),
    }
}

#[test]
fn devices_are_activated_all_or_none() {
    let rig = Rig::up(1);
    let link = &rig.ends[0];
    let good = activate("ACTIVATE ISLINK D004 D005 NODE VMB BUFFERS 8", &[link], Some(link));
    assert_eq!(good.devices, [number(4), number(5)]);
    let lines = [
        "HCP2722I The BUFFERS option is ignored",
        "HCP2706I Link D004 activated by OPERATOR",
        "HCP2706I Link D005 activated by OPERATOR",
        "Link D004 activated.",
        "Link D005 activated.",
    ];
    assert_eq!(good.lines, lines);
    let bad = activate("ACTIVATE ISLINK D000 D004 D01C D01D D01E E000 D004 NODE VMC", &[link], Some(link));
    assert_eq!(bad.devices, []);
    let lines = [
        "HCP049E FCTC D000 in use",
        "HCP006E Invalid device type - D01C",
        "HCP046E FCTC D01D offline",
        "HCP049E FCTC D01E in use",
        "HCP040E Device E000 does not exist",
        "HCP2721E Duplicate device address D004",
        "Link not activated: its node is VMB, and not VMC",
    ];
    assert_eq!(bad.lines, lines);
}

#[test]
fn the_seventeenth_device_of_a_link_is_refused() {
    let rig = Rig::up(15);
    let link = &rig.ends[0];
    assert_eq!(activate("ACTIVATE ISLINK D00F", &[link], Some(link)).devices, [number(15)]);
    let refused = activate("ACTIVATE ISLINK D00F D010", &[link], Some(link));
    let line = "Link not activated: the logical link to VMB would have 17 devices, more than 16";
    assert_eq!((refused.devices, refused.lines), (vec![], vec![line.to_owned()]));
}

#[test]
fn links_are_shown_device_by_device() {
    let mut rig = Rig::up(2);
    rig.send(X, 3 * MIB);
    rig.run();
    rig.lose(X, 1);
    let counters = rig.ends[0].counters();
    let lines = islink::query(&[], &[&rig.ends[0]], &Machine);
    let first =
        format!("Node: VMB  State: UP  Collection: CSC1  Level: 2  Collisions: {}", counters.collisions);
    assert_eq!(lines[0], first);
    assert_eq!(lines[1], "  Link  Type  State            Writes        Bytes sent    Bytes received");
    assert_eq!(lines[2], "  D000  FCTC  ACTIVE           YES              3145728                 0");
    assert_eq!(lines[3], "  D001  FCTC  NOT OPERATIONAL  NO                     0                 0");
    assert_eq!(islink::query(&[number(7)], &[&rig.ends[0]], &Machine), ["Link D007 is not active."]);
    assert_eq!(islink::query(&[], &[], &Machine), ["There are no links."]);
    let gone = islink::deactivate(&[number(0), number(5), DeviceNumber(1)], &[&rig.ends[0]], &Machine);
    assert_eq!(gone.devices, [number(0)]);
    let lines = ["Link D000 deactivated.", "Link D005 is not active.", "HCP040E Device 0001 does not exist"];
    assert_eq!(gone.lines, lines);
}

#[test]
fn events_have_the_messages_of_cp() {
    let rig = Rig::up(1);
    let lines: Vec<_> = rig.notices[0].iter().filter_map(islink::notice_line).collect();
    assert_eq!(lines, ["HCP2704I Node VMB added to collection", "HCP2702I Link to node VMB came up"]);
}
