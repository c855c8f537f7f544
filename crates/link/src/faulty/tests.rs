//! Laws of the wrappers, in virtual time over links within the process.

use std::cell::Cell;

use halftrack_base::{Span, Time};
use halftrack_config::fault_script::{FaultKind, ScriptFile, read_script};
use halftrack_input::{SourceFile, has_errors};
use halftrack_wire::fcip::{Encapsulated, SPECIAL_FRAME_BYTES, TimeStamp, encapsulate_frame};
use halftrack_wire::{Eof, Sof};

use super::*;
use crate::buffers::{InBuffer, OutBuffer};
use crate::connector::{Connector, SingleConnector};
use crate::in_process::InProcessTransport;
use crate::transport::{Received, Transport};
use std::rc::Rc;

type Link = FaultyTransport<InProcessTransport>;

/// Line with one fault of everything that begins at once and lasts 300 ms.
struct Bench {
    now: Rc<Cell<Time>>,
    time: Rc<ScriptTime>,
    line: Rc<LineFaults>,
}

impl Bench {
    fn new(kind: FaultKind, late: Span) -> Self {
        let now = Rc::<Cell<Time>>::default();
        let clock = Rc::clone(&now);
        let time = Rc::new(ScriptTime::new(move || clock.get()));
        let fault = LineFault { at: Span::ZERO, lasts: Span::from_ms(300), kind, share_ppm: 1_000_000, late };
        let line = LineFaults::new(&time, vec![fault], 1, "40");
        Self { now, time, line }
    }

    /// Returns a link whose other end is without faults. The script begins a millisecond later.
    fn link(&self) -> (Link, InProcessTransport) {
        let (near, far) = InProcessTransport::pair().unwrap();
        let link = FaultyTransport::new(near, &self.line);
        self.at_ms(1);
        assert!(self.time.begin());
        (link, far)
    }

    fn at_ms(&self, ms: u64) {
        self.now.set(Time::ZERO.saturating_add(Span::from_ms(ms)));
    }
}

fn frame() -> Vec<u8> {
    let mut octets = Vec::new();
    encapsulate_frame(&mut octets, TimeStamp::default(), Sof::Initiate3, &[7; 60], Eof::Normal).unwrap();
    octets
}

fn send(transport: &mut impl Transport, octets: &[u8]) {
    let mut out = OutBuffer::new(0);
    out.tail().extend_from_slice(octets);
    transport.send(&mut out).unwrap();
}

fn receive(transport: &mut impl Transport) -> (Received, Vec<u8>) {
    let mut input = InBuffer::new(0);
    (transport.receive(&mut input).unwrap(), input.as_slice().to_vec())
}

#[test]
fn without_a_fault_octets_pass_in_both_directions() {
    let bench = Bench::new(FaultKind::FramesDropped, Span::ZERO);
    let (mut link, mut far) = bench.link();
    bench.at_ms(301);
    send(&mut link, &frame());
    assert_eq!(receive(&mut far).1, frame());
    let (first, rest) = (frame()[..50].to_vec(), frame()[50..].to_vec());
    send(&mut far, &first);
    assert_eq!(receive(&mut link).0, Received::Nothing, "half a frame");
    send(&mut far, &rest);
    assert_eq!(receive(&mut link).1, frame());
    send(&mut far, b"no frames at all");
    assert_eq!(receive(&mut link).1, b"no frames at all");
    drop(far);
    assert_eq!(receive(&mut link).0, Received::Closed);
}

#[test]
fn the_credits_of_lost_frames_are_found_again_at_the_end_that_sent_them() {
    let bench = Bench::new(FaultKind::FramesDropped, Span::ZERO);
    let (mut link, mut far) = bench.link();
    send(&mut link, &frame());
    assert_eq!(receive(&mut far).0, Received::Nothing);
    let (_, octets) = receive(&mut link);
    let Ok(Encapsulated::Special { special, .. }) = Encapsulated::parse(&octets) else {
        panic!("{octets:?}")
    };
    assert_eq!((special.credits_given(), octets.len()), (Some(1), SPECIAL_FRAME_BYTES));
    send(&mut far, &frame());
    assert_eq!(receive(&mut link).0, Received::Nothing);
    link.send(&mut OutBuffer::new(0)).unwrap();
    assert_eq!(receive(&mut far).0, Received::Octets(SPECIAL_FRAME_BYTES));
}

#[test]
fn late_frames_wake_the_sleeper_when_they_arrive() {
    let bench = Bench::new(FaultKind::FramesDelayed, Span::from_ms(20));
    let (mut link, mut far) = bench.link();
    send(&mut far, &frame());
    assert_eq!(receive(&mut link).0, Received::Nothing);
    assert_eq!(link.poll_timeout(), Some(Time::ZERO.saturating_add(Span::from_ms(21))));
    bench.at_ms(21);
    assert_eq!(receive(&mut link).1, frame());
}

#[test]
fn a_line_without_light_ends_its_link_after_the_timeout_and_has_no_other_until_it_is_back() {
    let bench = Bench::new(FaultKind::LightLost, Span::ZERO);
    let (mut link, _far) = bench.link();
    bench.at_ms(100);
    assert_eq!(receive(&mut link).0, Received::Nothing);
    bench.at_ms(101);
    assert_eq!((receive(&mut link).0, link.is_given_up()), (Received::Closed, true));
    let (near, _other) = InProcessTransport::pair().unwrap();
    let mut connector = FaultyConnector::new(SingleConnector(Some(near)), Rc::clone(&bench.line));
    assert!(connector.poll_connect().is_some_and(|opened| opened.is_err()));
    bench.at_ms(301);
    let mut link = connector.poll_connect().unwrap().unwrap();
    assert_eq!(receive(&mut link).0, Received::Nothing, "the new link lives");
}

#[test]
fn a_reset_ends_the_link_at_once_and_not_the_next() {
    let bench = Bench::new(FaultKind::LinkReset, Span::ZERO);
    let (mut link, _far) = bench.link();
    assert_eq!(receive(&mut link).0, Received::Closed);
    let (near, _other) = InProcessTransport::pair().unwrap();
    let mut link = FaultyTransport::new(near, &bench.line);
    assert_eq!(receive(&mut link).0, Received::Nothing);
}

#[test]
fn frames_of_a_channel_that_is_gone_arrive_late() {
    let bench = Bench::new(FaultKind::ChannelLost, Span::from_ms(5));
    let (mut link, mut far) = bench.link();
    send(&mut link, &frame());
    assert_eq!(receive(&mut far).0, Received::Nothing);
    drop(link);
    let octets = std::iter::repeat_with(|| receive(&mut far)).find(|(got, _)| *got != Received::Nothing);
    assert_eq!(octets.unwrap().1, frame());
    let end = std::iter::repeat_with(|| receive(&mut far).0).find(|got| *got != Received::Nothing);
    assert_eq!(end, Some(Received::Closed));
}

fn script(events: &str) -> ScriptFile {
    let (file, found) = read_script(&SourceFile::new("s.toml", format!("duration_s = 9\n{events}")));
    assert!(!has_errors(&found), "{found:?}");
    file.unwrap()
}

fn event(kind: &str, part: &str) -> String {
    format!("[[event]]\nat_s = 1\nlasts_s = 2\nkind = \"{kind}\"\n{part}\n")
}

#[test]
fn each_process_has_its_own_events() {
    let kinds = [
        ("light-lost", "chpid = \"41\""),
        ("card-lost", "card = \"0\"\nlate_us = 9"),
        ("host-adapter-lost", "port = \"003a\""),
        ("interconnect-lost", "domain = \"1\""),
        ("isl-lost", "isl = \"61.E0\""),
        ("director-lost", "director = \"61\""),
        ("process-stopped", "director = \"62\""),
        ("process-killed", ""),
        ("power-lost", ""),
    ];
    let script = script(&kinds.map(|(kind, part)| event(kind, part)).concat());
    let of = |parts: &ProcessParts| {
        let fitted = fit(&script, parts).unwrap();
        let lines: Vec<_> = fitted.lines.iter().map(Vec::len).collect();
        (lines, fitted.process.len(), fitted.elsewhere.len())
    };
    assert_eq!(of(&ProcessParts::Channel { chpids: vec![0x40, 0x41, 0x42] }), (vec![1, 2, 0], 0, 7));
    let ports = ["0030", "003A", "0031"].map(str::to_owned).to_vec();
    assert_eq!(of(&ProcessParts::ControlUnit { ports }), (vec![0, 2, 0], 2, 5));
    let ports = vec![(0x04, false), (0xE0, true)];
    assert_eq!(of(&ProcessParts::Director { domain: 0x61, ports: ports.clone() }), (vec![1, 2], 1, 6));
    assert_eq!(of(&ProcessParts::Director { domain: 0x62, ports }), (vec![0, 0], 2, 7));
}

#[test]
fn a_part_that_no_process_can_have_is_refused() {
    let script = script(
        &[
            event("host-adapter-lost", "port = \"30\""),
            event("isl-lost", "isl = \"61.E7\""),
            event("isl-lost", "isl = \"E7\""),
            event("director-lost", "director = \"FF\""),
            event("interconnect-lost", "domain = \"2\""),
        ]
        .concat(),
    );
    let parts = ProcessParts::Director { domain: 0x61, ports: vec![(0xE0, true)] };
    assert_eq!(fit(&script, &parts).unwrap_err().len(), 5);
    let parts = ProcessParts::Channel { chpids: vec![0x40] };
    assert_eq!(fit(&script, &parts).unwrap_err().len(), 4, "61.E7 may be of a director");
}
