//! Frames that tshark decodes, octet for octet (section 9.3 of the project's Fibre Channel reference): built from
//! their fields, and read back.

use halftrack_wire::fc_header::NO_EXCHANGE;
use halftrack_wire::heading::{FromSide, Heading, Place, heading};
use halftrack_wire::link_control::{LinkFunction, PathFeatures};
use halftrack_wire::{
    Address, Body, ChainFlags, CommandDib, CommandMode, ControlDib, ControlFunction, DataFlags, Dib, Eof,
    FcFrame, FcHeader, Iu, IuData, LinkControl, Sof, StatusDib, emit_frame,
};

const CHANNEL: u32 = 0x01_0100;
const CONTROL_UNIT: u32 = 0x01_0200;

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    let octet = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.chunks(2).map(octet).collect()
}

/// Returns a frame with its delimiters; each vector is one frame, the first and last of its sequence.
fn framed(header: &FcHeader, payload: &[u8]) -> Vec<u8> {
    let mut octets = Sof::Initiate3.word().to_vec();
    emit_frame(header, &[payload], &mut octets).unwrap();
    octets.extend_from_slice(&Eof::Terminate.word());
    octets
}

fn assert_vector(octets: &str, heading: Heading, from: FromSide, seq_id: u8, ox_id: u16, payload: &[u8]) {
    let octets = hex(octets);
    let (s_id, d_id) = match from {
        FromSide::Channel => (CHANNEL, CONTROL_UNIT),
        FromSide::ControlUnit => (CONTROL_UNIT, CHANNEL),
    };
    let header = FcHeader {
        r_ctl: heading.r_ctl,
        fc_type: heading.fc_type,
        f_ctl: heading.frame_control(true),
        parameter: heading.frame_parameter(0),
        s_id,
        d_id,
        seq_id,
        ox_id,
        rx_id: NO_EXCHANGE,
        ..FcHeader::default()
    };
    assert_eq!(framed(&header, payload), octets);
    let (begin, rest) = octets.split_first_chunk().unwrap();
    let (frame, end) = rest.split_last_chunk().unwrap();
    assert_eq!((Sof::from_word(*begin), Eof::from_word(*end)), (Some(Sof::Initiate3), Some(Eof::Terminate)));
    assert_eq!(FcFrame::parse(frame), Ok(FcFrame { header, optional: &[], payload }));
}

#[test]
fn command_mode() {
    use FromSide::{Channel, ControlUnit};
    let first = Place { first: true, ..Place::default() };
    let last = Place { last: true, ..Place::default() };
    let flags = ChainFlags::SLI.with(ChainFlags::CRR);
    let read = CommandDib { command: 0x86, flags, count: 4096, ..CommandDib::default() };
    let accepted = ControlDib::plain(ControlFunction::StatusAccepted);
    let status = StatusDib { device_status: 0x0C, ..StatusDib::default() };
    let vectors = [
        (
            "bcb55656 0601020000010100 1b08000001000000 0012ffff00000000 0001000200340000 110000020000abcd \
             8628100000000000 00020000 971fbbcd 743be45b bcb57575",
            (Channel, Place::default(), 1, 0x0012),
            (Dib::Command(read), 2),
        ),
        (
            "bcb55656 03010100000102001c280000000000000112ffff00000000 0001000200340000130000020000abcd \
             100000100000000000010000 0334abdd 1816f5d7 bcb57575",
            (ControlUnit, first, 0, 0x0112),
            (Dib::Control(ControlDib::command_response(16)), 1),
        ),
        (
            "bcb55656 07010100000102001c180000020000000112ffff00000000 0001000200340000120000020000abcd \
             010c00000000000000030000 133aabcd 716ca87e bcb57575",
            (ControlUnit, Place::default(), 2, 0x0112),
            (Dib::Status(StatusDib { flags: halftrack_wire::StatusFlags::RESIDUAL_VALID, ..status }), 3),
        ),
        (
            "bcb55656 03010200000101001b180000020000000012ffff00000000 0001000200340000130000020000abcd \
             a00000000000000000030000 b336abcd 4cca6a27 bcb57575",
            (Channel, last, 2, 0x0012),
            (Dib::Control(accepted), 3),
        ),
    ];
    for (octets, (from, place, seq_id, ox_id), (dib, iu_count)) in vectors {
        let address = Address { channel_image: 1, control_unit_image: 2, device: 0x34, token: 0xABCD };
        let fields = CommandMode { flags: DataFlags::default(), ccw: 2, iu_count, dib };
        let iu = Iu { address, body: Body::CommandMode(fields), data: IuData::None };
        let payload = iu.emit().unwrap();
        assert_vector(octets, heading(&iu, from, place), from, seq_id, ox_id, &payload);
        assert_eq!(Iu::parse_command_mode(&payload), Ok(iu));
    }
}

#[test]
fn establish_logical_path() {
    let function = LinkFunction::EstablishPath(PathFeatures::ENHANCED_CRC);
    let elp = LinkControl::new(1, 2, function);
    let octets = "bcb55656 02010200000101001b380000000000000011ffff00000000 00010002000000000500000000000000 \
                  004100010000000000010000 05410003 4366fc86 bcb57575";
    let heading = Heading::of_link_control(&function, FromSide::Channel);
    assert_vector(octets, heading, FromSide::Channel, 0, 0x0011, &elp.emit());
}

/// Not of this product, but of the same frames: an FCP READ(10).
#[test]
fn another_protocol_s_frame_comes_back_as_it_was() {
    let octets =
        hex("bcb55656 0601020000010100 0829000000000000 1234ffff00000000 0000000000000000 00000002 \
         2800000010000000 0800000000000000 00001000 d76bdb14 bcb57575");
    let frame = FcFrame::parse(&octets[4..octets.len() - 4]).unwrap();
    assert_eq!((frame.header.ox_id, frame.header.fc_type, frame.payload.len()), (0x1234, 8, 32));
    assert_eq!(framed(&frame.header, frame.payload), octets);
}
