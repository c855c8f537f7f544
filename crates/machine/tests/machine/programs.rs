//! Information units and frames that programs put on the fibre, computed beforehand and counted on the links.

use halftrack_config::ProtocolChoice;
use halftrack_machine::{Fidelity, Options};
use halftrack_program::{Operation, Protocol};
use halftrack_record::{LinkInterval, ProgramSummary, Run};

use crate::site::{Knobs, OPTIONS, Topology, closed, run, shape, stream};

fn reads(records: u16, protocol: Protocol) -> ProgramSummary {
    let mut work = stream("work", closed(1));
    work.protocol = ProtocolChoice::Always(protocol);
    work.read = shape(Operation::Read, records, 4096);
    let knobs = Knobs { streams: vec![work], ..Knobs::default() };
    let mut programs = run(&knobs, OPTIONS).0.programs;
    assert_eq!(programs.len(), 1, "only reads that hit occur: {programs:?}");
    programs.remove(0)
}

/// Three information units each way in command mode, one and two in transport mode (fex32s-2023).
#[test]
fn a_4k_read_takes_the_published_units() {
    let program = reads(1, Protocol::Command);
    assert_eq!((program.units_out, program.units_in), (3, 3));
    assert_eq!((program.data_out_bytes, program.data_in_bytes), (0, 4096));
    let program = reads(1, Protocol::Transport);
    assert_eq!((program.units_out, program.units_in), (1, 2));
    assert_eq!((program.operation.as_str(), program.protocol), ("read", Protocol::Transport));
}

/// Mean frame sizes of zHPF reads (fex32s-2023, Figure 12).
#[test]
fn mean_frames_have_the_published_sizes() {
    for (records, published) in [(1, 1083.0), (32, 2023.0), (128, 2068.0)] {
        let mean = reads(records, Protocol::Transport).mean_frame_bytes;
        assert!((mean / published - 1.0).abs() < 0.01, "{records} records: {mean} against {published}");
    }
}

#[test]
fn every_kind_of_io_has_a_program_and_no_other() {
    let mut mixed = stream("mixed", closed(4));
    (mixed.read_ppm, mixed.hit_ppm) = (500_000, 900_000);
    let mut writes = stream("writes", closed(4));
    (writes.read_ppm, writes.protocol) = (0, ProtocolChoice::Always(Protocol::Command));
    let knobs = Knobs { streams: vec![mixed, writes], ..Knobs::default() };
    let programs = run(&knobs, OPTIONS).0.programs;
    let kinds: Vec<_> =
        programs.iter().map(|it| (it.stream.as_str(), it.protocol, it.operation.as_str(), it.hit)).collect();
    assert_eq!(
        kinds,
        [
            ("mixed", Protocol::Transport, "read", true),
            ("mixed", Protocol::Transport, "read", false),
            ("mixed", Protocol::Transport, "write", true),
            ("writes", Protocol::Command, "write", true),
        ]
    );
}

/// Returns the links that anything was sent on.
fn used(run: &Run) -> Vec<&LinkInterval> {
    run.intervals[0].links.iter().filter(|link| link.sent > 0).collect()
}

/// One job, one channel, one port: frames and bytes of the links are those of the program, times the I/Os.
#[test]
fn links_carry_what_the_programs_say() {
    for protocol in [Protocol::Command, Protocol::Transport] {
        let mut work = stream("work", closed(1));
        work.protocol = ProtocolChoice::Always(protocol);
        let knobs = Knobs { ports: 1, topology: Topology::Direct, streams: vec![work], ..Knobs::default() };
        let (run, _) = run(&knobs, Options { fidelity: Fidelity::Frame, ..OPTIONS });
        let (program, ios) = (&run.programs[0], run.streams[0].completed);
        let used = used(&run);
        assert_eq!(used.len(), 2);
        for link in used {
            let (frames, wire_bytes) = match link.name.starts_with("channel") {
                true => (u64::from(program.frames_out), program.wire_out_bytes),
                false => (u64::from(program.frames_in), program.wire_in_bytes),
            };
            let found = (link.frames.unwrap(), link.wire_bytes);
            // An I/O that is under way at an end of the interval makes the difference.
            assert!(found.0.abs_diff(ios * frames) <= frames, "{}: {found:?}", link.name);
            assert!(found.1.abs_diff(ios * wire_bytes) <= wire_bytes, "{}: {found:?}", link.name);
        }
    }
}

#[test]
fn what_a_link_cannot_say_it_leaves_out() {
    let knobs = Knobs { streams: vec![stream("work", closed(8))], ..Knobs::default() };
    let (burst, _) = run(&knobs, OPTIONS);
    let (frame, _) = run(&knobs, Options { fidelity: Fidelity::Frame, ..OPTIONS });
    assert!(used(&burst).iter().all(|link| link.frames.is_none()));
    assert!(used(&frame).iter().all(|link| link.frames == Some(link.sent)));
    for link in used(&burst) {
        assert!(link.busy_ps > 0 && link.busy_ps <= burst.intervals[0].length_ps, "{link:?}");
        // All links of the site are equally fast.
        assert!(link.wire_bytes > 0, "{link:?}");
    }
}
