//! Packets in a capture, as tshark decodes them. Without tshark in the PATH this checks nothing, unless
//! `HALFTRACK_TSHARK=required` is set. `HALFTRACK_ROCE_CAPTURE` names a file to which the capture is copied, for `icrc.py`.

use std::env;
use std::fs;
use std::path::Path as FilePath;
use std::process::Command;

use halftrack_base::Time;
use halftrack_roce::packet::{Immediate, Operation, RnrTimer, Syndrome};
use halftrack_roce::queue_pair::{Remote, Work, WorkId};

use crate::datagram::datagram;
use crate::ends::{BASE, End, READ_ONLY, ends, post, send, write};

fn write_pcap(path: &FilePath, datagrams: &[Vec<u8>]) {
    let mut octets = Vec::new();
    octets.extend(0xA1B2_C3D4_u32.to_le_bytes());
    octets.extend([2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0]);
    for (index, datagram) in datagrams.iter().enumerate() {
        let kind: [u8; 2] = if datagram[0] >> 4 == 4 { [8, 0] } else { [0x86, 0xDD] };
        let bytes = (14 + datagram.len() as u32).to_le_bytes();
        octets.extend((index as u32).to_le_bytes());
        octets.extend([[0; 4], bytes, bytes].concat());
        octets.extend([2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2]);
        octets.extend(kind);
        octets.extend(datagram);
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
fn fields(capture: &FilePath, filter: &str, fields: &str) -> Vec<String> {
    let mut command = Command::new("tshark");
    command.args([
        "-d",
        "udp.port==4791,infiniband",
        "-T",
        "fields",
        "-E",
        "separator=/s",
        "-E",
        "occurrence=f",
    ]);
    command.args(["-Y", filter, "-r"]).arg(capture);
    for field in fields.split_whitespace() {
        command.args(["-e", field]);
    }
    let output = command.output().expect("tshark runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).lines().map(|line| line.trim_end().to_owned()).collect()
}

/// Moves packets until none is due and adds their datagrams; drops the second request once.
fn record(ends: &mut [End; 2], captured: &mut Vec<Vec<u8>>) {
    let (mut has_moved, mut requests) = (true, 0);
    while has_moved {
        has_moved = false;
        for from in 0..2 {
            for packet in ends[from].transmit(Time::ZERO) {
                captured.push(datagram(&ends[from].pair.settings().path, &packet));
                has_moved = true;
                requests += u32::from(from == 0);
                if requests != 2 || from == 1 {
                    ends[1 - from].receive(Time::ZERO, &packet).expect("a packet");
                }
            }
        }
    }
}

/// Captures writes and messages, a loss, a message without a receive, and a refused access.
fn session(is_v6: bool) -> (Vec<Vec<u8>>, [End; 2]) {
    let mut captured = Vec::new();
    let mut both = ends(is_v6, |settings| settings.rnr_timer = RnrTimer::new(14));
    let Work::Write { from, to, .. } = write(4000, 1027) else { panic!("a write") };
    let with_word = Work::Write { from, to, immediate: Some(Immediate(0xB1B2_B3B4)) };
    post(&mut both[0], &[write(6000, 8)]);
    record(&mut both, &mut captured);
    both[1].pair.post_receives(2);
    post(&mut both[0], &[write(0, 2049), send(&[5; 44]), write(3000, 5), with_word, send(&[7; 44])]);
    record(&mut both, &mut captured);
    let refused = Work::Write { from, to: Remote { rkey: READ_ONLY, address: BASE }, immediate: None };
    both[1].pair.post_receives(1);
    both[0].pair.handle_timeout(Time::from_ps(u64::MAX / 2));
    for packet in both[0].transmit(Time::from_ps(u64::MAX / 2)) {
        captured.push(datagram(&both[0].pair.settings().path, &packet));
        both[1].receive(Time::ZERO, &packet).expect("a packet");
    }
    both[0].pair.post(WorkId(5), refused).expect("room");
    record(&mut both, &mut captured);
    (captured, both)
}

/// Returns the fields of a datagram as tshark prints them.
fn expected(ends: &[End; 2], datagram: &[u8]) -> String {
    let (path, payload) = crate::datagram::parse(datagram);
    let to = ends.iter().find(|end| end.peer_path == path).expect("a path of the run");
    let packet = to.read(payload);
    let heading = packet.heading;
    let icrc = u32::from_be_bytes(payload[payload.len() - 4..].try_into().expect("four"));
    let mut line = format!(
        "{} {} 65535 {:#08x} {} {} {icrc:#010x}",
        packet.operation.opcode().octet(),
        packet.payload.len().wrapping_neg() & 3,
        heading.destination.get(),
        u8::from(heading.is_acknowledge_requested),
        heading.psn.get(),
    );
    match packet.operation {
        Operation::WriteFirst(reth) | Operation::WriteOnly(reth, _) => {
            line += &format!(" {:#018x} {:#010x} {}", reth.address, reth.rkey.0, reth.length_bytes);
        }
        Operation::Acknowledge(aeth) => {
            line += &format!("    {} {}", aeth.syndrome.octet(), aeth.messages);
        }
        Operation::WriteLast(Some(word)) => line += &format!("      {:08x}", word.0),
        _ => {}
    }
    line.trim_end().to_owned()
}

#[test]
fn tshark_decodes_every_packet_as_it_was_sent() {
    if !is_there() {
        return;
    }
    let directory = tempfile::tempdir().expect("a directory");
    let capture = directory.path().join("roce.pcap");
    let (v4, ends_v4) = session(false);
    let (v6, ends_v6) = session(true);
    let datagrams = [v4.clone(), v6.clone()].concat();
    write_pcap(&capture, &datagrams);
    if let Some(copy) = env::var_os("HALFTRACK_ROCE_CAPTURE") {
        fs::copy(&capture, copy).expect("a copy");
    }
    let names = "opcode padcnt p_key destqp a psn".split(' ').map(|name| format!("infiniband.bth.{name}"));
    let names = names.collect::<Vec<_>>().join(" ")
        + " infiniband.invariant.crc infiniband.reth.va infiniband.reth.r_key infiniband.reth.dmalen \
           infiniband.aeth.syndrome infiniband.aeth.msn infiniband.immdt";
    let shown = fields(&capture, "infiniband", &names);
    let lines = v4.iter().map(|datagram| expected(&ends_v4, datagram));
    let lines: Vec<_> = lines.chain(v6.iter().map(|datagram| expected(&ends_v6, datagram))).collect();
    assert_eq!(shown, lines);
    assert_eq!(fields(&capture, "_ws.malformed || _ws.expert.severity >= 0x600000", "frame.number"), [""; 0]);
    let has = |octet: u8, column: usize| {
        let octet = octet.to_string();
        lines.iter().any(|line| line.split(' ').nth(column) == Some(octet.as_str()))
    };
    for opcode in [4, 6, 7, 8, 9, 10, 17] {
        assert!(has(opcode, 0), "opcode {opcode}");
    }
    for syndrome in [Syndrome::ACK.octet(), 0x2E, 0x60, 0x62] {
        assert!(has(syndrome, 10), "syndrome {syndrome:02X}");
    }
    assert!(lines.iter().any(|line| line.ends_with(" b1b2b3b4")), "the word");
}
