//! A control unit on sockets of this host: strangers, hosts that may not log in, and one that may.

pub mod server;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use halftrack_config::{ChannelFile, read_channel};
use halftrack_input::SourceFile;
use halftrack_link::connector::TcpConnector;
use halftrack_link::driver::{Drive, DriveError, Surroundings};
use halftrack_wire::WorldWideName;
use halftrack_wire::fcip::{SpecialFrame, TimeStamp};

use server::Server;

/// The host that may log in where there is a list.
pub const HOST: &str = "50:05:07:64:00:00:00:40";

/// Reads until the other end closes; what came.
pub fn drained(stream: &mut TcpStream) -> Vec<u8> {
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let mut came = Vec::new();
    let mut octets = [0; 4096];
    loop {
        match stream.read(&mut octets) {
            Ok(0) => return came,
            Ok(count) => came.extend_from_slice(&octets[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => return came,
            Err(error) => panic!("the connection stays open: {error}"),
        }
    }
}

pub fn special() -> Vec<u8> {
    let mut octets = Vec::new();
    SpecialFrame::first(WorldWideName(7), 1).emit(TimeStamp::default(), &mut octets);
    octets
}

/// Returns a channel that reads and writes for a moment.
pub fn channel(address: &str) -> ChannelFile {
    let text = format!(
        "name = \"PROD1\"\nnode = \"50:05:07:64:00:00:00:01\"\n\
         [[path]]\nchpid = \"40\"\nconnect = \"{address}\"\nwwpn = \"{HOST}\"\n\
         [run]\nios = 200\n\
         [[stream]]\nname = \"oltp\"\ndevices = [\"00\"]\ncylinders = \"1-2\"\nread_share = 0.5\n\
         program = {{ block = \"4K\" }}\nclosed = {{ jobs = 4 }}\n"
    );
    let (file, found) = read_channel(&SourceFile::new("channel.toml", text));
    file.unwrap_or_else(|| panic!("{found:?}"))
}

fn drive(address: &str) -> Result<halftrack_link::driver::Report, DriveError> {
    let file = channel(address);
    let connectors = file.paths.iter().map(|path| TcpConnector::new(&path.connect)).collect();
    let mut around = Surroundings { taps: &mut |_| None, progress: &mut |_| {}, stop: None };
    Drive::new(file, connectors).run(true, &mut around)
}

#[test]
fn strangers_are_closed_with_a_reason_and_touch_nothing_else() {
    let server = Server::start(None);
    let mut oversized = special();
    // A frame of 1023 words, where 545 is the most.
    let mut header = special()[..32].to_vec();
    header[8..12].copy_from_slice(&[0, 0, 0xFF, 0xFF]);
    header[12..16].copy_from_slice(&[0x03, 0xFF, 0xFC, 0x00]);
    oversized.extend_from_slice(&header);
    let mut early = special()[..32].to_vec();
    early[8..12].copy_from_slice(&[0, 0, 0xFF, 0xFF]);
    for octets in [b"GET / HTTP/1.1\r\n\r\n".to_vec(), vec![0; 100_000], oversized, early] {
        let mut stranger = TcpStream::connect(&server.address).unwrap();
        // The other end may close before all of it is sent.
        let _ = stranger.write_all(&octets);
        assert!(drained(&mut stranger).is_empty());
    }
    let report = drive(&server.address).unwrap();
    assert!(report.is_right(), "the port works on");
    let told = server.end();
    assert_eq!(told.iter().filter(|line| line.contains("closed: no FCIP")).count(), 4, "{told:?}");
}

/// Returns a stranger that gives buffer credits for as long as it is let.
fn hold(address: &str) -> std::thread::JoinHandle<()> {
    let mut stranger = TcpStream::connect(address).unwrap();
    stranger.write_all(&special()).unwrap();
    let mut credit = Vec::new();
    SpecialFrame::credits(1).emit(TimeStamp::default(), &mut credit);
    std::thread::spawn(move || {
        while stranger.write_all(&credit).is_ok() {
            std::thread::sleep(Duration::from_millis(50));
        }
    })
}

#[test]
fn a_stranger_that_gives_credits_now_and_then_holds_no_port() {
    let server = Server::start(Some(HOST));
    let strangers: Vec<_> = (0..12).map(|_| hold(&server.address)).collect();
    // The channel gets in while they are there.
    assert!(drive(&server.address).unwrap().is_right());
    // And they are closed, whoever comes.
    strangers.into_iter().for_each(|stranger| stranger.join().unwrap());
    let told = server.end();
    assert!(told.iter().any(|line| line.contains("nobody has logged in")), "{told:?}");
    assert!(told.iter().any(|line| line.contains("too many connections wait")), "{told:?}");
}

#[test]
fn only_hosts_of_the_list_log_in() {
    let other = Server::start(Some("50:05:07:64:00:00:00:41"));
    let refused = drive(&other.address);
    assert!(matches!(refused, Err(DriveError::NoPath(_))), "{refused:?}");
    let told = other.end();
    let line = format!("no login with {HOST}: the host list does not name the port");
    assert!(told.iter().any(|told| told.contains(&line)), "{told:?}");
    let listed = Server::start(Some(HOST));
    assert!(drive(&listed.address).unwrap().is_right());
    let told = listed.end();
    assert!(told.iter().any(|line| line.contains("logged in")), "{told:?}");
}
