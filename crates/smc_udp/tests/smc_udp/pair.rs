//! Server in this process, client in another.

use core::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::env;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{self, Command};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use halftrack_smc::buffer::ElementSize;
use halftrack_smc::link_group::{GroupState, PORTS_MAX, PortNumber, Role};
use halftrack_smc::message::clc::{Clc, HEADER_BYTES, announced_bytes};
use halftrack_smc::message::{AlertToken, Mac, Mtu, PeerId};
use halftrack_smc_udp::{Fabric, SentDatagram, Settings};

use crate::capture;

/// Octets of each direction.
const STREAM_BYTES: u64 = 1 << 20;
/// Name of the process whose addresses both ends use, and of the place of the TCP connection.
const SERVER: &str = "HALFTRACK_SMC_UDP_SERVER";
/// Name of the file of the client's capture.
const CAPTURE: &str = "HALFTRACK_SMC_UDP_CAPTURE";

/// Returns the address of a port: runs of the tests at one time have others each.
fn address(server: u32, at: usize, port: usize) -> IpAddr {
    let [high, low] = [server / 250 % 250, server % 250].map(|part| part as u8 + 1);
    Ipv4Addr::new(127, high, low, (10 * at + port) as u8 + 1).into()
}

pub fn fabric(server: u32, role: Role) -> (Fabric, mpsc::Receiver<SentDatagram>) {
    let (sender, sent) = mpsc::channel();
    let at = usize::from(role == Role::Client);
    let port = |port: usize| Some((Mac([2, 0, 0, 0, at as u8, port as u8]), address(server, at, port)));
    let ports: [_; PORTS_MAX] = [0, 1].map(port);
    let fabric = Fabric::start(Settings {
        role,
        peer: PeerId([at as u8 + 1; 8]),
        ports,
        mtu: Mtu(3),
        size: ElementSize::at_least(64 * 1024),
        elements: 2,
        seed: 11 + at as u32,
        copies: Some(sender),
    });
    (fabric.expect("sockets at port 4791 of 127.0.0.0/8"), sent)
}

fn send_message(tcp: &mut TcpStream, message: &Clc) {
    tcp.write_all(&message.encode()).expect("a message of CLC");
}

fn receive_message(tcp: &mut TcpStream) -> Clc {
    let mut octets = vec![0; HEADER_BYTES];
    tcp.read_exact(&mut octets).expect("a header");
    let header = octets.first_chunk().expect("whole");
    octets.resize(announced_bytes(header).expect("a header of CLC"), 0);
    tcp.read_exact(&mut octets[HEADER_BYTES..]).expect("a message of CLC");
    Clc::decode(&octets).expect("a message of CLC")
}

/// Returns the octets of a stream from a place.
pub fn octets(seed: u64, from: u64, bytes: usize) -> Vec<u8> {
    (from..).take(bytes).map(|place| (place % 253) as u8 ^ (place / 65_536) as u8 ^ seed as u8).collect()
}

/// Sends one stream and receives the other, at one time.
fn exchange(fabric: &Fabric, connection: AlertToken, [own, peer]: [u64; 2], half_way: impl FnOnce()) {
    thread::scope(|scope| {
        scope.spawn(|| {
            for from in (0..STREAM_BYTES).step_by(10_000) {
                let bytes = (STREAM_BYTES - from).min(10_000) as usize;
                fabric.send(connection, &octets(own, from, bytes)).expect("sent");
            }
            fabric.shut_down(connection);
        });
        let (mut got, mut half_way) = (0, Some(half_way));
        loop {
            let received = fabric.receive(connection, 30_000).expect("received");
            if received.is_empty() {
                break;
            }
            assert!(received == octets(peer, got, received.len()), "octets behind {got}");
            got += received.len() as u64;
            if got > STREAM_BYTES / 2
                && let Some(half_way) = half_way.take()
            {
                half_way();
            }
        }
        assert_eq!(got, STREAM_BYTES);
    });
    fabric.close(connection);
}

pub fn wait_for(fabric: &Fabric, state: GroupState) {
    for _ in 0..1_000 {
        if fabric.state() == state {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("the group is {:?}, not {state:?}", fabric.state());
}

#[test]
fn two_processes_exchange_streams_over_two_links_of_which_one_goes_down() {
    let directory = tempfile::tempdir().expect("a directory");
    let captures = ["server.pcap", "client.pcap"].map(|name| directory.path().join(name));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a listener");
    let place = listener.local_addr().expect("an address");
    let mut client = Command::new(env::current_exe().expect("a test has a file"))
        .args(["--exact", "pair::client", "--nocapture"])
        .env(SERVER, format!("{} {place}", process::id()))
        .env(CAPTURE, &captures[1])
        .spawn()
        .expect("a process");
    let (fabric, sent) = fabric(process::id(), Role::Server);
    let (mut tcp, _) = listener.accept().expect("the client");
    let accept = fabric.accept().expect("a first contact");
    send_message(&mut tcp, &Clc::Accept(accept));
    let Clc::Confirm(confirm) = receive_message(&mut tcp) else { panic!("a Confirm") };
    fabric.confirmed(accept.token, &confirm).expect("the client's end");
    wait_for(&fabric, GroupState::Symmetric);
    exchange(&fabric, accept.token, [1, 2], || fabric.port_down(PortNumber::First));
    wait_for(&fabric, GroupState::Single);
    drop(fabric);
    assert!(client.wait().expect("the client ends").success());
    check(&captures, &sent);
}

/// Checks datagrams of both ends: as tshark has it, each is a packet, and there are those of every layer.
fn check(captures: &[impl AsRef<Path>; 2], sent: &mpsc::Receiver<SentDatagram>) {
    capture::write(captures[0].as_ref(), &sent.try_iter().collect::<Vec<_>>());
    if !capture::is_tshark_there() {
        return;
    }
    for capture in captures {
        let frames = capture::frames(capture.as_ref());
        let count = |is_such: fn(&&capture::Frame) -> bool| frames.iter().filter(is_such).count();
        assert_eq!(count(|frame| frame.is_malformed || frame.identification != 0), 0);
        assert_eq!(count(|frame| frame.opcode.is_none()), 0, "something else than packets");
        let kinds = [
            count(|frame| frame.opcode == Some(17)),
            count(|frame| frame.write_bytes > 0),
            count(|frame| frame.is_smc && frame.opcode == Some(4)),
        ];
        assert!(kinds.iter().all(|&count| count > 10), "acknowledgements, writes, messages: {kinds:?}");
    }
}

/// Client of the other test, in its own process.
#[test]
fn client() {
    let (Ok(server), Ok(path)) = (env::var(SERVER), env::var(CAPTURE)) else { return };
    let (process, place) = server.split_once(' ').expect("process and place");
    let place: SocketAddr = place.parse().expect("a place");
    let (fabric, sent) = fabric(process.parse().expect("a process"), Role::Client);
    let mut tcp = TcpStream::connect(place).expect("the server");
    let Clc::Accept(accept) = receive_message(&mut tcp) else { panic!("an Accept") };
    let confirm = fabric.confirm(&accept).expect("the server's end");
    send_message(&mut tcp, &Clc::Confirm(confirm));
    wait_for(&fabric, GroupState::Symmetric);
    exchange(&fabric, confirm.token, [2, 1], || {});
    drop(fabric);
    capture::write(Path::new(&path), &sent.try_iter().collect::<Vec<_>>());
}
