//! Frames captured at the channels.

use std::sync::Arc;

use halftrack_config::ProtocolChoice;
use halftrack_machine::{Capture, ExchangeMode, Fidelity, Options, Simulation};
use halftrack_program::{Operation, Protocol};
use halftrack_wire::FcFrame;

use crate::site::{Knobs, OPTIONS, Topology, closed, configuration, shape, stream};

/// Reads and writes of both protocols, over fibres without a director.
fn site() -> Knobs {
    let mut writes = stream("writes", closed(4));
    (writes.write, writes.read_ppm) = (shape(Operation::UpdateWrite, 8, 4096), 300_000);
    let mut chains = stream("chains", closed(4));
    chains.protocol = ProtocolChoice::Always(Protocol::Command);
    chains.read = shape(Operation::Read, 2, 27_998);
    Knobs { topology: Topology::Direct, streams: vec![writes, chains], ..Knobs::default() }
}

fn capture(options: Options, frames: u64) -> Capture {
    let mut simulation = Simulation::new(Arc::new(configuration(&site())), options).expect("a machine");
    simulation.capture(frames);
    simulation.run(&mut |_| ());
    simulation.take_capture()
}

/// Frames as they can be compared.
fn frames(capture: &Capture) -> Vec<(usize, bool, u64, Vec<u8>)> {
    let plain = |frame: halftrack_machine::CapturedFrame<'_>| {
        (frame.channel, frame.inbound, frame.at.as_ps(), frame.frame.to_vec())
    };
    capture.frames().map(plain).collect()
}

#[test]
fn frames_are_sound_and_in_order_of_time() {
    for fidelity in [Fidelity::Burst, Fidelity::Frame] {
        let captured = capture(Options { fidelity, ..OPTIONS }, 2000);
        assert!(captured.is_full() && captured.channels()[0].starts_with("CHPID 0."));
        let found = frames(&captured);
        assert_eq!(found.len(), 2000);
        assert!(found.is_sorted_by_key(|frame| frame.2));
        for (_, inbound, _, octets) in &found {
            let header = FcFrame::parse(octets).expect("a sound frame").header;
            let ends = if *inbound { (2, 1) } else { (1, 2) };
            assert_eq!((header.s_id, header.d_id), ends, "two ports on a link without a director");
        }
        let distinct = |inbound| found.iter().filter(|frame| frame.1 == inbound).count();
        assert!(distinct(true) > 0 && distinct(false) > 0);
    }
}

#[test]
fn planned_and_live_exchanges_send_the_same_frames() {
    let planned = capture(OPTIONS, 1500);
    let live = capture(Options { exchange: ExchangeMode::Live, ..OPTIONS }, 1500);
    assert!(frames(&planned) == frames(&live));
}
