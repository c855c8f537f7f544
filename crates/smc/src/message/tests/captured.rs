//! Messages in a capture, as tshark decodes them. Without tshark in the PATH this checks nothing, unless
//! `HALFTRACK_TSHARK=required` is set.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::vectors::{GID, MAC, PEER, endpoint, proposal};
use crate::message::clc::*;
use crate::message::llc::*;
use crate::message::*;

/// Port of RoCE version 2.
const ROCE_PORT: u16 = 4791;

/// Returns an Ethernet frame of IPv4 with `protocol` above.
fn frame(protocol: u8, segment: &[u8]) -> Vec<u8> {
    let mut frame = [2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0].to_vec();
    frame.extend([0x45, 0]);
    frame.extend((20 + segment.len() as u16).to_be_bytes());
    frame.extend([0, 0, 0x40, 0, 64, protocol, 0, 0, 10, 1, 0, 1, 10, 1, 0, 2]);
    frame.extend(segment);
    frame
}

/// Returns a frame with octets of a TCP connection of their own.
fn tcp(port: u16, options: &[u8], flags: u8, octets: &[u8]) -> Vec<u8> {
    let mut segment = port.to_be_bytes().to_vec();
    segment.extend(5001_u16.to_be_bytes());
    segment.extend([
        0,
        0,
        0,
        1,
        0,
        0,
        0,
        1,
        ((20 + options.len()) as u8 / 4) << 4,
        flags,
        0xFF,
        0xFF,
        0,
        0,
        0,
        0,
    ]);
    segment.extend(options);
    segment.extend(octets);
    frame(6, &segment)
}

/// Returns a frame with a SEND Only of a reliable connection.
fn roce(message: &LinkMessage) -> Vec<u8> {
    let mut datagram = 49_152_u16.to_be_bytes().to_vec();
    datagram.extend(ROCE_PORT.to_be_bytes());
    datagram.extend((8 + 12 + 44 + 4_u16).to_be_bytes());
    datagram.extend([0, 0]);
    datagram.extend([0x04, 0, 0xFF, 0xFF, 0, 0x12, 0x34, 0x56, 0x80, 0, 0, 1]);
    datagram.extend(message);
    datagram.extend([0; 4]);
    frame(17, &datagram)
}

fn write_pcap(path: &Path, frames: &[Vec<u8>]) {
    let mut octets = Vec::new();
    octets.extend(0xA1B2_C3D4_u32.to_le_bytes());
    octets.extend([2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0]);
    for (index, frame) in frames.iter().enumerate() {
        octets.extend((index as u32).to_le_bytes());
        octets.extend([0; 4]);
        octets.extend([(frame.len() as u32).to_le_bytes(), (frame.len() as u32).to_le_bytes()].concat());
        octets.extend(frame);
    }
    fs::write(path, octets).expect("a capture");
}

fn is_there() -> bool {
    let is_there =
        Command::new("tshark").arg("--version").output().is_ok_and(|output| output.status.success());
    let required = env::var("HALFTRACK_TSHARK").is_ok_and(|value| value == "required");
    assert!(is_there || !required, "HALFTRACK_TSHARK=required, but tshark does not run");
    is_there
}

/// Returns fields of the frames of a capture that `filter` takes, a line each.
fn fields(capture: &Path, filter: &str, fields: &[&str]) -> Vec<String> {
    let mut command = Command::new("tshark");
    command.args(["-T", "fields", "-E", "separator=/s", "-Y", filter, "-r"]).arg(capture);
    for field in fields {
        command.args(["-e", field]);
    }
    let output = command.output().expect("tshark runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).lines().map(|line| line.trim_end().to_owned()).collect()
}

fn link_messages() -> Vec<LinkMessage> {
    let (queue_pair, psn) = (Bits24::new(0x12_3456), Bits24::new(0x01_0203));
    let (is_response, link) = (true, LinkNumber(2));
    let token = RemoteToken { rkey: Rkey(0xA1A2_A3A4), address: 0xB1B2_B3B4_B5B6_B7B8 };
    let mut rkeys = [Rkey::default(); 8];
    rkeys[0] = token.rkey;
    let messages = [
        Llc::ConfirmLink(ConfirmLink {
            is_response,
            has_no_eye_catchers: true,
            mac: MAC,
            gid: GID,
            queue_pair,
            link,
            user_id: 0x0102_0304,
            max_links: 2,
        }),
        Llc::AddLink(AddLink {
            is_response,
            rejection: Some(1),
            mac: MAC,
            gid: GID,
            queue_pair,
            link,
            mtu: Mtu(3),
            psn,
        }),
        Llc::DeleteLink(DeleteLink {
            is_response,
            is_all: true,
            is_orderly: false,
            link,
            reason: DeleteReason::LOST_PATH,
        }),
        Llc::ConfirmRkey(ConfirmRkey {
            is_response,
            is_negative: false,
            is_retry: true,
            others: 1,
            here: token,
            entries: [LinkToken { link, token }, LinkToken::default()],
        }),
        Llc::TestLink(TestLink { is_response, user_data: [5; 16] }),
        Llc::DeleteRkey(DeleteRkey { is_response, is_negative: true, count: 1, error_mask: 0x80, rkeys }),
    ];
    messages.iter().map(Llc::encode).collect()
}

fn cdc() -> Cdc {
    Cdc {
        sequence: 0x0102,
        token: AlertToken(0xDEAD_BEEF),
        producer: Cursor { wrap: 3, count: 0x0001_0000 },
        consumer: Cursor::default(),
        producer_flags: ProducerFlags::WRITER_BLOCKED | ProducerFlags::FAILOVER_VALIDATION,
        close_flags: CloseFlags::SENDING_DONE,
    }
}

/// Asserts fields of the frames that `filter` takes; their names follow `prefix`.
fn check(capture: &Path, filter: &str, prefix: &str, names: &str, expected: &[&str]) {
    let names: Vec<String> = names.split_whitespace().map(|name| format!("{prefix}{name}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    assert_eq!(fields(capture, filter, &names), expected, "{filter}");
}

fn check_clc(capture: &Path) {
    check(capture, "_ws.malformed", "", "frame.number", &[]);
    check(capture, "tcp.options.experimental.exid == 0xe2d4", "", "frame.number", &["1"]);
    check(capture, "smc.clc_msg", "smc.", "clc_msg length", &["1 92", "2 68", "3 68", "4 28"]);
    let names = "proposal.client.preferred.gid outgoing.interface.subnet.mask \
                 outgoing.interface.subnet.mask.number.of.significant.bits";
    check(capture, "smc.clc_msg == 1", "smc.", names, &["fe80::aa 10.1.0.0 16"]);
    let names = "server.qp.number server.rmb.rkey server.tcp.conn.index server.rmb.element.alert.token \
                 rmb.buffer.size qp.mtu.value server.rmb.virtual.address initial.psn";
    let shown = "0x123456 0xcafe0001 9 0xdeadbeef 2 5 0x00007f0000001000 0xabcdef";
    check(capture, "smc.clc_msg == 2", "smc.accept.", names, &[shown]);
    check(capture, "smc.clc_msg == 3", "smc.confirm.", "client.qp.number rmb.buffer.size", &["0x123456 2"]);
    let is_shown = "smc.clc_msg == 4 && smc.peer.diag.info == 0x05000000";
    check(capture, is_shown, "", "frame.number", &["5"]);
}

fn check_link_messages(capture: &Path) {
    let kinds = ["0x01", "0x02", "0x04", "0x06", "0x07", "0x09", "0xfe"];
    check(capture, "smc.llc_msg", "smc.", "llc_msg", &kinds);
    let names = "sender.qp.number number max.links flags";
    check(capture, "smc.llc_msg == 1", "smc.confirm.link.", names, &["0x123456 0x02 0x02 0x83"]);
    let names = "response.rejected link.number qp.mtu.value initial.psn";
    check(capture, "smc.llc_msg == 2", "smc.add.link.", names, &["1 0x02 3 0x010203"]);
    let names = "all orderly reason.code";
    check(capture, "smc.llc_msg == 4", "smc.delete.link.", names, &["1 0 0x00010000"]);
    check(
        capture,
        "smc.llc_msg == 6",
        "smc.confirm.rkey.",
        "number.qp new.rkey",
        &["1 0xa1a2a3a4,0xa1a2a3a4"],
    );
    check(capture, "smc.llc_msg == 9", "smc.delete.rkey.", "error.mask", &["0x80"]);
    let names = "seqno alert.token prod.wrap.seq write.blocked failover.validation peer.sending.done";
    let shown = "0x0102 0xdeadbeef 0x0003,0x0000 1 1 1";
    check(capture, "smc.llc_msg == 0xfe", "smc.rmbe.ctrl.", names, &[shown]);
}

#[test]
fn tshark_decodes_every_message() {
    if !is_there() {
        return;
    }
    let directory = tempfile::tempdir().expect("a directory");
    let capture = directory.path().join("smc.pcap");
    let area = Proposal { smc_d: Some(SmcD::default()), ..proposal() };
    let decline = Decline { peer: PEER, is_out_of_sync: true, diagnosis: Diagnosis::PEER_DECLINED };
    let clc = [Clc::Proposal(area), Clc::Accept(endpoint()), Clc::Confirm(endpoint()), Clc::Decline(decline)];
    let mut frames = vec![tcp(40_000, &TCP_OPTION, 2, &[])];
    frames.extend((40_001..).zip(&clc).map(|(port, message)| tcp(port, &[], 0x18, &message.encode())));
    frames.extend(link_messages().iter().chain([&cdc().encode()]).map(roce));
    write_pcap(&capture, &frames);

    check_clc(&capture);
    check_link_messages(&capture);
}
