//! Laws for any octets: a parser ends without a panic, and the result is emitted to octets that read the same. The
//! tests of `wire` run the committed corpora through the same functions.

use halftrack_wire::ct::{NameReply, NameRequest};
use halftrack_wire::els::{Els, ElsReply};
use halftrack_wire::fc_header::{FcHeader, FrameControl, fc_type};
use halftrack_wire::fcip::{Encapsulated, SPECIAL_FRAME_BYTES, encapsulate_frame};
use halftrack_wire::fcp::{FcpIu, Retransmission};
use halftrack_wire::heading::FromSide;
use halftrack_wire::lrc::lrc;
use halftrack_wire::{Address, FcFrame, Iu, LinkControl, TransportPart};

/// Reads a frame between its delimiters, without a check of its CRC.
pub fn fc_frame(octets: &[u8]) {
    let Ok(frame) = FcFrame::parse_without_crc_check(octets) else { return };
    let mut emitted = Vec::new();
    frame.emit(&mut emitted).expect("what was a frame fits");
    let again = FcFrame::parse(&emitted).expect("its CRC is right now");
    assert_eq!((again.optional, again.payload), (frame.optional, frame.payload));
    assert_eq!(again.optional_headers(), frame.optional_headers());
    assert_eq!(emitted.len(), octets.len());
}

/// Reads the code of a request, then an extended link service or a CT information unit of the name server.
pub fn els(input: &[u8]) {
    let Some((request, octets)) = input.split_first() else { return };
    if let Ok(els) = Els::parse(octets) {
        assert_eq!(Els::parse(&els.emit()), Ok(els));
    }
    if let Ok(reply) = ElsReply::parse(*request, octets) {
        assert_eq!(ElsReply::parse(*request, &reply.emit()), Ok(reply));
    }
    if let Ok(asked) = NameRequest::parse(octets) {
        assert_eq!(NameRequest::parse(&asked.emit()), Ok(asked));
    }
    for request in [
        NameRequest::PortName { address: 1 },
        NameRequest::PortId { port_name: Default::default() },
        NameRequest::PortIdsByType { domain: 0, area: 0, fc_type: 0x1B },
        NameRequest::RegisterSymbolicPortName { address: 1, name: Vec::new() },
    ] {
        if let Ok(reply) = NameReply::parse(&request, octets) {
            assert_eq!(NameReply::parse(&request, &reply.emit()), Ok(reply));
        }
    }
}

/// Reads an information unit of command mode, transport mode, or link control, also with a correct LRC.
pub fn sb_iu(octets: &[u8]) {
    information_unit(octets);
    if let Some((overhead, _)) = octets.split_first_chunk::<32>() {
        let mut right = octets.to_vec();
        right[28..32].copy_from_slice(&lrc(&overhead[..28]).to_be_bytes());
        information_unit(&right);
    }
}

fn information_unit(octets: &[u8]) {
    if let Ok(iu) = Iu::parse_command_mode(octets) {
        assert_eq!(Iu::parse_command_mode(&iu.emit().expect("it was one")), Ok(iu));
    }
    if let Ok(iu) = LinkControl::parse(octets) {
        assert_eq!(LinkControl::parse(&iu.emit()), Ok(iu));
    }
    let data = |ends_transfer| TransportPart::Data { relative_offset: 0, inserted_bytes: 0, ends_transfer };
    for part in [
        TransportPart::Command,
        TransportPart::TransferReady,
        data(false),
        data(true),
        TransportPart::Response,
        TransportPart::Abort,
        TransportPart::AbortAccept,
    ] {
        let address = Address::default();
        if let Ok(iu) = Iu::parse_transport_mode(part, address, octets) {
            let emitted = iu.emit().expect("it was one");
            assert_eq!(Iu::parse_transport_mode(part, address, &emitted), Ok(iu));
        }
    }
}

/// Reads an information unit of FCP, of a basic link service or SRR: the first octet is the category, the second the type.
pub fn fcp_iu(octets: &[u8]) {
    if let Ok(request) = Retransmission::parse(octets) {
        assert_eq!(Retransmission::parse(&request.emit()), Ok(request));
    }
    if let Ok(answer) = Retransmission::parse_answer(octets) {
        let again = Retransmission::parse_answer(&Retransmission::emit_answer(answer));
        assert_eq!(again, Ok(answer));
    }
    let [r_ctl, kind, octets @ ..] = octets else { return };
    let fc_type = if kind & 1 == 0 { fc_type::FCP } else { fc_type::BASIC_LINK_SERVICE };
    let f_ctl = if kind & 2 == 0 { FrameControl::RELATIVE_OFFSET } else { FrameControl(0) };
    let header = FcHeader { r_ctl: *r_ctl, fc_type, f_ctl, parameter: (*kind).into(), ..FcHeader::default() };
    let Ok(iu) = FcpIu::parse(&header, octets) else { return };
    for side in [FromSide::Channel, FromSide::ControlUnit] {
        let heading = iu.heading(side);
        let header = FcHeader {
            r_ctl: heading.r_ctl,
            fc_type: heading.fc_type,
            f_ctl: heading.frame_control(true),
            parameter: heading.parameter,
            ..FcHeader::default()
        };
        let (parts, data) = iu.clone().into_parts();
        let emitted = [parts.before(), &data[..parts.data_bytes as usize], parts.behind()].concat();
        assert_eq!(FcpIu::parse(&header, &emitted), Ok(iu.clone()));
    }
}

/// Reads a stream of encapsulated frames. Every part of it is a frame, a fault, or less than a frame, however the
/// stream is divided.
pub fn fcip(stream: &[u8]) {
    let mut rest = stream;
    loop {
        let consumed = match Encapsulated::parse(rest) {
            Ok(Encapsulated::Incomplete { needed }) => {
                assert!(needed > rest.len());
                return;
            }
            Ok(Encapsulated::Frame { sof, frame, eof, stamp, consumed }) => {
                assert!(matches!(
                    Encapsulated::parse(&rest[..consumed - 1]),
                    Ok(Encapsulated::Incomplete { needed }) if needed == consumed
                ));
                let mut emitted = Vec::new();
                encapsulate_frame(&mut emitted, stamp, sof, frame, eof).expect("it was one");
                let again = Encapsulated::parse(&emitted);
                assert_eq!(again, Ok(Encapsulated::Frame { sof, frame, eof, stamp, consumed }));
                fc_frame(frame);
                consumed
            }
            Ok(Encapsulated::Special { special, stamp }) => {
                let mut emitted = Vec::new();
                special.emit(stamp, &mut emitted);
                assert_eq!(Encapsulated::parse(&emitted), Ok(Encapsulated::Special { special, stamp }));
                SPECIAL_FRAME_BYTES
            }
            Err(fault) => {
                // It is as wrong with more behind it.
                let longer = [rest, &[0]].concat();
                assert_eq!(Encapsulated::parse(&longer), Err(fault));
                return;
            }
        };
        rest = &rest[consumed..];
    }
}
