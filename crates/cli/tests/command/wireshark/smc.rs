//! A transfer over RoCE, captured live on loopback: packets of InfiniBand with the messages of SMC-R as tshark decodes them, and the
//! rendezvous in the TCP connection.

use std::fs;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use super::tools::is_there;
use crate::smc::library;
use crate::support::binary;

/// Server and client in one program, whose two threads are the ends of a connection.
const PROGRAM: &str = "
import socket, threading, os
server = socket.socket(); server.bind(('127.0.0.1', 0)); server.listen()
near = socket.create_connection(server.getsockname())
def serve():
    far, _ = server.accept()
    while part := far.recv(65536): far.sendall(part)
    far.close()
thread = threading.Thread(target=serve); thread.start()
data = os.urandom(400_000)
threading.Thread(target=lambda: (near.sendall(data), near.shutdown(1))).start()
got = b''
while part := near.recv(65536): got += part
assert got == data and any('halftrack-smc-end' in os.readlink(f'/proc/self/fd/{fd}') for fd in os.listdir('/proc/self/fd') if os.path.lexists(f'/proc/self/fd/{fd}'))
near.close(); thread.join()
";

#[test]
fn rendezvous_and_links_are_decoded_whole() {
    if !is_there("tshark") {
        return;
    }
    if !rustix::process::geteuid().is_root() {
        eprintln!("NOT CHECKED: a live capture, which needs root");
        return;
    }
    let directory = tempfile::tempdir().expect("a directory");
    let capture = directory.path().join("live.pcapng");
    let mut tap = Command::new("tshark")
        .args(["-i", "lo", "-f", "udp port 4791 or tcp", "-w"])
        .arg(&capture)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("tshark starts");
    while fs::metadata(&capture).map_or(0, |file| file.len()) == 0 {
        sleep(Duration::from_millis(50));
    }
    sleep(Duration::from_millis(500));
    let mut program = Command::new(binary());
    program.env("HALFTRACK_SMC_PATIENCE_MS", "20000");
    program.args(["smc", "run", "--fabric", "roce-udp", "--library"]).arg(library());
    let output = program.args(["python3", "-c", PROGRAM]).output().expect("python3 starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    sleep(Duration::from_millis(1500));
    let _ =
        rustix::process::kill_process(rustix::process::Pid::from_child(&tap), rustix::process::Signal::INT);
    tap.wait().expect("it ends");
    let count = |filter: &str| {
        let mut read = Command::new("tshark");
        read.arg("-r").arg(&capture).args(["-d", "udp.port==4791,infiniband", "-Y", filter]);
        let output = read.output().expect("tshark reads");
        assert!(output.status.success(), "{filter}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).lines().count()
    };
    let kinds = [
        ("smc.clc_msg == 1", 1),
        ("smc.clc_msg == 2", 1),
        ("smc.clc_msg == 3", 1),
        ("infiniband.bth.opcode == 4 and smc", 20),
        ("infiniband.bth.opcode >= 6 and infiniband.bth.opcode <= 11", 20),
        ("infiniband.bth.opcode == 17", 20),
    ];
    for (filter, least) in kinds {
        assert!(count(filter) >= least, "{filter}: {}", count(filter));
    }
    assert_eq!(count("udp.port == 4791 and _ws.malformed"), 0);
    assert_eq!(count("tcp and smc and _ws.malformed"), 0);
    assert_eq!(count("udp.port == 4791 and not infiniband"), 0);
}
