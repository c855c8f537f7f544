//! A working link follows the plans: the frames between a channel and a control unit over TCP, as captured at the
//! channel, are those recorded for a program of the same shape, protocol and login, information unit for
//! information unit.

mod replay;

use halftrack_config::{ChannelFile, read_channel};
use halftrack_exchange::plan::frame_payload_bytes;
use halftrack_exchange::{Carrier, Login, PlanKey, Plans};
use halftrack_input::SourceFile;
use halftrack_link::LinkCapture;
use halftrack_link::connector::TcpConnector;
use halftrack_link::driver::{Drive, Surroundings};
use halftrack_program::{Grouping, Operation, Positioning, ProgramShape, Protocol};
use halftrack_wire::FrameProtection;
use halftrack_wire::capture::CaptureWriter;
use halftrack_wire::choices::{COMMAND_FRAME_PAYLOAD_BYTES, TRANSPORT_FRAME_PAYLOAD_BYTES};

use crate::control_unit::server::Server;
use replay::Conversation;

/// Many more than the frames of a run.
const FRAMES_MAX: u64 = 1_000_000;

/// Parameters that both ends agree on: the server's values, and the driver's.
const LOGIN: Login = Login {
    frame_payload_bytes: COMMAND_FRAME_PAYLOAD_BYTES,
    // What the control unit granted for the first program of the path holds for those after it.
    initial_pacing: 64,
    granted_pacing: 64,
    first_transfer_bytes: 65_536,
    transfer_ready_bytes: 0,
    carrier: Carrier::Ficon,
    window_bytes: 0,
    protection: FrameProtection::NONE,
};

fn channel(address: &str, block: &str, protocol: &str) -> ChannelFile {
    let text = format!(
        "name = \"PROD1\"\nnode = \"50:05:07:64:00:00:00:01\"\n\
         [[path]]\nchpid = \"40\"\nconnect = \"{address}\"\nwwpn = \"50:05:07:64:00:00:00:40\"\n\
         [run]\nios = 60\n\
         [[stream]]\nname = \"oltp\"\ndevices = [\"00\"]\ncylinders = \"1-2\"\nread_share = 0.5\n\
         program = {{ {block} }}\nprotocol = \"{protocol}\"\nclosed = {{ jobs = 1 }}\n"
    );
    let (file, found) = read_channel(&SourceFile::new("channel.toml", text));
    file.unwrap_or_else(|| panic!("{found:?}"))
}

/// Runs the streams and gives the capture of the one link.
fn captured(file: ChannelFile) -> Vec<u8> {
    let connectors = file.paths.iter().map(|path| TcpConnector::new(&path.connect)).collect();
    let mut drive = Drive::new(file, connectors);
    let writer = CaptureWriter::new(Vec::new(), FRAMES_MAX).unwrap();
    let capture = LinkCapture::new(writer, drive.clock());
    let mut taps = |_| Some(capture.tap("path 40", false).unwrap());
    let mut around = Surroundings { taps: &mut taps, progress: &mut |_| {}, stop: None };
    let report = drive.run(true, &mut around).unwrap();
    assert!(report.is_right());
    drop(drive);
    capture.finish().unwrap().expect("every tap is gone with its link")
}

fn assert_follows_the_plans(block: &str, records: u16, protocol: Protocol) {
    let server = Server::start(None);
    let name = match protocol {
        Protocol::Command => "command",
        Protocol::Transport => "transport",
    };
    let file = captured(channel(&server.address, block, name));
    server.end();
    let conversations = Conversation::all_of(&file);
    let frame_payload_bytes =
        frame_payload_bytes(protocol, LOGIN.frame_payload_bytes, TRANSPORT_FRAME_PAYLOAD_BYTES);
    let login = Login { frame_payload_bytes, ..LOGIN };
    let mut plans = Plans::default();
    for operation in [Operation::Read, Operation::UpdateWrite] {
        let shape = ProgramShape {
            operation,
            record_bytes: 4096,
            records,
            grouping: Grouping::Records,
            positioning: Positioning::Prefix,
        };
        let id = plans.record(PlanKey { shape, protocol, hit: true, login }).unwrap();
        let of_shape = conversations.iter().filter(|conversation| conversation.is_of(&plans[id]));
        let mut count = 0;
        for conversation in of_shape {
            conversation.assert_follows(&plans[id], frame_payload_bytes);
            count += 1;
        }
        assert!(count >= 10, "{count} programs of {operation:?} among {}", conversations.len());
    }
}

#[test]
fn a_4k_block_in_transport_mode() {
    assert_follows_the_plans("block = \"4K\"", 1, Protocol::Transport);
}

#[test]
fn a_4k_block_in_command_mode() {
    assert_follows_the_plans("block = \"4K\"", 1, Protocol::Command);
}

#[test]
fn a_track_of_4k_blocks_in_both_modes() {
    assert_follows_the_plans("block = \"4K\", records = 12", 12, Protocol::Transport);
    assert_follows_the_plans("block = \"4K\", records = 12", 12, Protocol::Command);
}
