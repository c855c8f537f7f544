//! Frames of a working link beside those that the twin plans, for records of every length.

use halftrack_base::Time;
use halftrack_exchange::device::PlanDevice;
use halftrack_exchange::eckd_device::EckdDevice;
use halftrack_exchange::plan::frame_payload_bytes;
use halftrack_exchange::port::{Opened, Start, Units};
use halftrack_exchange::{Carrier, ChannelPort, ControlUnitPort, Login, PlanKey, Plans, Program, Side};
use halftrack_program::{ProgramShape, Protocol};
use halftrack_wire::FcFrame;
use halftrack_wire::choices::{COMMAND_FRAME_PAYLOAD_BYTES, TRANSPORT_FRAME_PAYLOAD_BYTES};

use crate::common::{LOGIN, key, read, write};
use crate::ports::link::{CHANNEL, Fibre, target};
use crate::ports::{PROTOCOLS, is_normal};

/// An agreement of two ports that take FC-2's largest frames.
const AGREED: Login =
    Login { frame_payload_bytes: COMMAND_FRAME_PAYLOAD_BYTES, first_transfer_bytes: 65_536, ..LOGIN };

/// A device with the twin's tracks.
struct Tracks(Option<EckdDevice>);

impl Units for Tracks {
    type Device = EckdDevice;

    fn open(&mut self, _: &Start) -> Opened<EckdDevice> {
        self.0.take().map_or(Opened::AddressException, Opened::Device)
    }

    fn close(&mut self, device: EckdDevice) {
        self.0 = Some(device);
    }
}

/// Frames that channel and control unit send in an exchange over two ports.
fn on_the_link(shape: &ProgramShape, protocol: Protocol) -> [usize; 2] {
    let mut channel = ChannelPort::new(1);
    let mut control_unit = ControlUnitPort::new(1);
    control_unit.log_in(CHANNEL, AGREED);
    let mut tracks = Tracks(Some(EckdDevice::for_shape(shape)));
    let program = Program::of_shape(shape, protocol, Carrier::Ficon).unwrap();
    assert!(channel.start(Time::ZERO, &target(AGREED, 0), &program, 1));
    let mut sent = [0; 2];
    loop {
        let mut fibres = [Fibre::default(), Fibre::default()];
        while channel.poll_frame(&mut fibres[0]) {}
        while control_unit.poll_frame(&mut fibres[1]) {}
        let [outbound, inbound] = fibres.map(|fibre| fibre.frames);
        if outbound.is_empty() && inbound.is_empty() {
            break;
        }
        sent = [sent[0] + outbound.len(), sent[1] + inbound.len()];
        for octets in outbound {
            control_unit.handle_frame(Time::ZERO, &FcFrame::parse(&octets).unwrap(), &mut tracks).unwrap();
        }
        for octets in inbound {
            channel.handle_frame(Time::ZERO, &FcFrame::parse(&octets).unwrap()).unwrap();
        }
    }
    let end = channel.poll_end().expect("an end");
    assert!(is_normal(&end.outcome), "{shape:?} {protocol:?}: {:?}", end.outcome);
    sent
}

/// Frames of the two in the twin's plan.
fn planned(shape: ProgramShape, protocol: Protocol) -> [usize; 2] {
    let frame_payload_bytes =
        frame_payload_bytes(protocol, COMMAND_FRAME_PAYLOAD_BYTES, TRANSPORT_FRAME_PAYLOAD_BYTES);
    let login = Login { frame_payload_bytes, ..AGREED };
    let mut plans = Plans::default();
    let id = plans.record(PlanKey { login, ..key(shape, protocol) }).unwrap();
    [Side::Channel, Side::ControlUnit].map(|side| plans[id].frames(side) as usize)
}

#[test]
fn an_exchange_takes_as_many_frames_as_its_plan_whatever_it_moves() {
    let edges =
        [1, 2, 3, 4, 2012, 2048, 2076, 2077, 4096, 4160, 6236, 8188, 8192, 8193, 16_384, 27_998, 56_664];
    for record_bytes in edges.into_iter().chain((5..56_664).step_by(977)) {
        for shape in [read(record_bytes, 1), write(record_bytes, 1)] {
            for protocol in PROTOCOLS {
                let found = on_the_link(&shape, protocol);
                assert_eq!(found, planned(shape, protocol), "{protocol:?}: {shape:?}");
            }
        }
    }
}

/// 8 KiB of data, header and check word are four frames (FC-SB: an information unit has at most four).
#[test]
fn data_of_8_kib_take_four_frames_in_command_mode() {
    // The command response, the data, the status.
    assert_eq!(on_the_link(&read(8192, 1), Protocol::Command)[1], 1 + 4 + 1);
    // Data of 8 KiB with their check word in whole blocks, and the response.
    assert_eq!(on_the_link(&read(8192, 1), Protocol::Transport)[1], 5 + 1);
}
