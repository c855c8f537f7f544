//! Faults of frames and of the disk under logical units, one kind at a time.

use halftrack_base::{Decision, Span};
use halftrack_faults::{FaultEvent, FaultKind, FcpHost, Hosts, Machine, Part, Script, Verdict, check};

/// Runs a fault of one second, from the first second on, on a machine of two paths to one unit.
fn run(kind: FaultKind, part: Part, share_ppm: u32, late_us: u64) -> Verdict {
    let host =
        FcpHost { first_path: 0, io_bytes: 65_536, block_bytes: 4096, units: 1, pace: 2, is_hasty: false };
    let machine = Machine {
        km: vec![10, 0],
        cascades: vec![None; 2],
        jobs: 8,
        is_sync: true,
        fcp: Some(host),
        ..Machine::of_hosts(1, Hosts::Fcp)
    };
    let (at, lasts, late) = (Span::from_s(1), Span::from_s(1), Span::from_us(late_us));
    let event = FaultEvent { at, lasts, kind, part, share_ppm, late };
    check(&machine, &Script { duration: Span::from_s(4), events: vec![event] }, None)
}

fn count(verdict: &Verdict, decision: Decision) -> u64 {
    verdict.decisions[decision as usize]
}

/// Data of lost frames are requested again, and no I/O fails.
#[test]
fn lost_and_damaged_frames_are_requested_again() {
    for kind in [FaultKind::FramesDropped, FaultKind::FramesCorrupted] {
        let verdict = run(kind, Part::Channel(0), 20_000, 0);
        assert!(verdict.is_good() && verdict.failed == 0, "{kind:?}: {verdict:?}");
        let counts = [Decision::StateRequested, Decision::RetransmissionRequested, Decision::Retransmitted];
        assert!(counts.iter().all(|one| count(&verdict, *one) > 0), "{kind:?}: {verdict:?}");
    }
}

/// Frames that come twice, late, or behind others do no harm.
#[test]
fn doubled_late_and_overtaken_frames_do_no_harm() {
    for kind in [FaultKind::FramesDuplicated, FaultKind::FramesDelayed, FaultKind::FramesReordered] {
        for late_us in [500, 300_000] {
            let verdict = run(kind, Part::Port(0), 200_000, late_us);
            assert!(verdict.is_good() && verdict.failed == 0, "{kind:?}, {late_us}: {verdict:?}");
        }
    }
}

/// A process that ends, also in the middle of a write, and a disk without power, keep every write that was acknowledged.
#[test]
fn torn_writes_and_power_cuts_lose_nothing() {
    for kind in [FaultKind::ProcessKilled, FaultKind::DiskTorn, FaultKind::PowerLost] {
        let verdict = run(kind, Part::ControlUnit, 1_000_000, 0);
        assert!(verdict.is_good(), "{kind:?}: {verdict:?}");
        assert!(verdict.links.iter().all(|links| *links >= 1), "{kind:?}: {verdict:?}");
    }
}

/// While there is no space writes end with an error; nothing that was acknowledged is lost.
#[test]
fn a_full_disk_fails_writes_until_there_is_space() {
    let verdict = run(FaultKind::DiskFull, Part::ControlUnit, 1_000_000, 0);
    assert!(verdict.is_good() && verdict.failed > 0, "{verdict:?}");
    assert!(verdict.ios - verdict.failed > verdict.ios / 2, "{verdict:?}");
}
