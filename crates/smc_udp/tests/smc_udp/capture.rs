//! Datagrams that were sent, in a capture that tshark decodes.

use core::net::IpAddr;
use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use halftrack_roce::packet::{Path as PacketPath, ROCE_PORT};
use halftrack_smc_udp::SentDatagram;

#[path = "../../../roce/tests/roce/datagram.rs"]
#[allow(dead_code)]
mod datagram;

/// Writes a capture in the format of libpcap, link type raw IP.
pub fn write(path: &Path, sent: &[SentDatagram]) {
    let mut octets = Vec::new();
    octets.extend(0xA1B2_C3D4_u32.to_le_bytes());
    octets.extend([2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 101, 0, 0, 0]);
    for (index, one) in sent.iter().enumerate() {
        let (IpAddr::V4(source), IpAddr::V4(destination)) = (one.source, one.destination) else {
            panic!("addresses of IPv4");
        };
        let datagram = datagram::datagram(&PacketPath::v4(source, destination, ROCE_PORT), &one.octets);
        let bytes = (datagram.len() as u32).to_le_bytes();
        octets.extend((index as u32).to_le_bytes());
        octets.extend([[0; 4], bytes, bytes].concat());
        octets.extend(datagram);
    }
    fs::write(path, octets).expect("a capture");
}

/// Returns whether tshark runs. Without it nothing is checked, unless `HALFTRACK_TSHARK=required` is set.
pub fn is_tshark_there() -> bool {
    let version = Command::new("tshark").arg("--version").output();
    let is_there = version.is_ok_and(|output| output.status.success());
    let is_required = env::var("HALFTRACK_TSHARK").is_ok_and(|value| value == "required");
    assert!(is_there || !is_required, "HALFTRACK_TSHARK=required, but tshark does not run");
    is_there
}

/// Frame as tshark decodes it.
pub struct Frame {
    pub is_malformed: bool,
    pub opcode: Option<u8>,
    pub write_bytes: u32,
    pub is_smc: bool,
    pub identification: u32,
}

/// Decodes a capture.
pub fn frames(capture: &Path) -> Vec<Frame> {
    let mut command = Command::new("tshark");
    command.args([
        "-d",
        "udp.port==4791,infiniband",
        "-T",
        "fields",
        "-E",
        "separator=,",
        "-E",
        "occurrence=f",
    ]);
    let fields = [
        "_ws.malformed",
        "_ws.expert.severity",
        "infiniband.bth.opcode",
        "infiniband.reth.dmalen",
        "_ws.col.Protocol",
        "ip.id",
    ];
    fields.iter().for_each(|field| _ = command.args(["-e", field]));
    let output = command.arg("-r").arg(capture).output().expect("tshark runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    lines.lines().map(frame).collect()
}

fn frame(line: &str) -> Frame {
    let columns: Vec<&str> = line.split(',').collect();
    let [malformed, severity, opcode, write_bytes, protocol, identification] = columns[..] else {
        panic!("{line}");
    };
    let hex = identification.trim_start_matches("0x");
    // Severities from a warning on.
    let is_warned = severity.parse::<u32>().is_ok_and(|severity| severity >= 0x60_0000);
    Frame {
        is_malformed: !malformed.is_empty() || is_warned,
        opcode: opcode.parse().ok(),
        write_bytes: write_bytes.parse().unwrap_or(0),
        is_smc: protocol.starts_with("SMC"),
        identification: u32::from_str_radix(hex, 16).expect("a number"),
    }
}
