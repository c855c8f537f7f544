//! Faults of the disk under the control unit.

use halftrack_base::Span;
use halftrack_faults::{FaultEvent, FaultKind, Hosts, Machine, Part, Script, Verdict, check};

/// Runs a fault of one second, from the first second on, on a machine of two paths.
fn run(kind: FaultKind, late_us: u64) -> Verdict {
    let machine = Machine {
        km: vec![0; 2],
        cascades: vec![None; 2],
        record_bytes: 4096,
        records: 4,
        jobs: 8,
        is_sync: true,
        ..Machine::of_hosts(1, Hosts::Ficon)
    };
    let (at, lasts, late) = (Span::from_s(1), Span::from_s(1), Span::from_us(late_us));
    let event = FaultEvent { at, lasts, kind, part: Part::ControlUnit, share_ppm: 1_000_000, late };
    check(&machine, &Script { duration: Span::from_s(4), events: vec![event] }, None)
}

/// While there is no space every I/O ends, those after the first write with an error; with space and a process that began
/// anew they end well, and nothing that was acknowledged is lost.
#[test]
fn a_full_disk_fences_the_volume_until_it_is_opened_with_space() {
    let verdict = run(FaultKind::DiskFull, 0);
    assert!(verdict.is_good() && verdict.failed > 0, "{verdict:?}");
    assert!(verdict.ios - verdict.failed > verdict.ios / 2, "{verdict:?}");
}

/// The I/Os of a slow disk take longer, and none of them fails.
#[test]
fn a_slow_disk_is_waited_for() {
    let (slow, quick) = (run(FaultKind::DiskSlow, 10_000), run(FaultKind::DiskSlow, 1));
    assert!(slow.is_good() && slow.failed == 0, "{slow:?}");
    assert!(slow.longest > quick.longest.saturating_add(Span::from_ms(20)), "{slow:?}, {quick:?}");
}

/// A process that ends in the middle of a write, and a disk without power, keep every write that was acknowledged.
#[test]
fn torn_writes_and_power_cuts_lose_nothing() {
    for kind in [FaultKind::DiskTorn, FaultKind::PowerLost] {
        let verdict = run(kind, 0);
        assert!(verdict.is_good(), "{kind:?}: {verdict:?}");
        assert!(verdict.links.iter().all(|links| *links >= 1), "{kind:?}: {verdict:?}");
    }
}
