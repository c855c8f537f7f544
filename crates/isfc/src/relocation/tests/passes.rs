//! Passes of a relocation.

use halftrack_base::{Span, Time};

use super::super::*;

const MIB: u64 = 1 << 20;

fn plan(pages_per_s: u64, otherwise: Otherwise) -> Plan {
    Plan {
        memory_bytes: 1024 * MIB,
        changes: Changes::Modelled { pages_per_s, working_set_pages: 128 * MIB / PAGE_BYTES },
        quiesce_max: Span::from_ms(200),
        passes_max: 8,
        otherwise,
    }
}

/// Moves a guest over a link of a rate, of which each acknowledgement is a MiB.
fn run(plan: Plan, mib_per_s: u64) -> Relocation {
    let mut now = Time::ZERO;
    let mut relocation = Relocation::new(plan, now);
    let mut acknowledged = 0;
    while relocation.to_send_bytes() > 0 {
        let bytes = relocation.to_send_bytes().min(MIB);
        relocation.sent(bytes);
        acknowledged += bytes;
        now += Span::from_us(1_000_000 * bytes / (mib_per_s * MIB));
        relocation.acknowledged(acknowledged, now);
    }
    relocation
}

fn outcome(relocation: &Relocation) -> Outcome {
    match relocation.phase() {
        Phase::Over(outcome) => outcome,
        phase => panic!("{phase:?}"),
    }
}

#[test]
fn passes_become_shorter_until_the_rest_is_within_the_quiesce_time() {
    let relocation = run(plan(10_000, Otherwise::Cancel), 256);
    assert_eq!(outcome(&relocation), Outcome::Converged);
    let bytes: Vec<_> = relocation.passes().iter().map(|pass| pass.bytes).collect();
    assert!(bytes.is_sorted_by(|one, next| one > next), "{bytes:?}");
    assert!(relocation.quiesce().unwrap() <= Span::from_ms(201), "{relocation:?}");
    let sum: u64 = relocation.passes().iter().map(|pass| pass.span.as_ps()).sum();
    assert_eq!(relocation.total().unwrap().as_ps(), sum);
    // Four seconds of 10,000 writes a second on 32,768 pages: 32,768 * (1 - exp(-1.22)).
    assert!((22_700..=23_200).contains(&(bytes[1] / PAGE_BYTES)), "{}", bytes[1] / PAGE_BYTES);
}

#[test]
fn a_guest_that_changes_pages_faster_than_the_link_moves_them_does_not_converge() {
    let fast = 4 * 256 * MIB / PAGE_BYTES;
    let cancelled = run(plan(fast, Otherwise::Cancel), 256);
    assert_eq!((outcome(&cancelled), cancelled.passes().len()), (Outcome::Cancelled, 8));
    assert_eq!(cancelled.quiesce(), None);
    let quiesced = run(plan(fast, Otherwise::Quiesce), 256);
    assert_eq!((outcome(&quiesced), quiesced.passes().len()), (Outcome::Quiesced, 9));
    assert!(quiesced.quiesce().unwrap() > Span::from_ms(200));
}

#[test]
fn a_guest_at_rest_needs_one_pass_and_no_time_to_stop() {
    let relocation = run(plan(0, Otherwise::Cancel), 256);
    assert_eq!((outcome(&relocation), relocation.quiesce()), (Outcome::Converged, Some(Span::ZERO)));
    assert_eq!(relocation.passes().len(), 2);
    let nothing = Plan { memory_bytes: 0, ..plan(5, Otherwise::Cancel) };
    assert_eq!(outcome(&Relocation::new(nothing, Time::ZERO)), Outcome::Converged);
}

#[test]
fn pages_of_a_real_guest_are_counted_once_more_when_it_stands() {
    let plan =
        Plan { memory_bytes: 10 * PAGE_BYTES, changes: Changes::Counted, ..plan(0, Otherwise::Cancel) };
    let mut relocation = Relocation::new(plan, Time::ZERO);
    relocation.sent(10 * PAGE_BYTES);
    relocation.acknowledged(10 * PAGE_BYTES, Time::ZERO + Span::from_ms(1000));
    assert_eq!(relocation.phase(), Phase::Counting);
    relocation.counted(1, Time::ZERO + Span::from_ms(1000));
    assert_eq!((relocation.phase(), relocation.to_send_bytes()), (Phase::Stopping, 0));
    relocation.counted(2, Time::ZERO + Span::from_ms(1010));
    assert_eq!((relocation.phase(), relocation.to_send_bytes()), (Phase::Quiesced, 3 * PAGE_BYTES));
    relocation.sent(3 * PAGE_BYTES);
    relocation.acknowledged(13 * PAGE_BYTES, Time::ZERO + Span::from_ms(1200));
    assert_eq!((relocation.phase(), relocation.quiesce()), (Phase::Resuming, None));
    relocation.resumed(Time::ZERO + Span::from_ms(1250));
    assert_eq!(outcome(&relocation), Outcome::Converged);
    assert_eq!(relocation.quiesce(), Some(Span::from_ms(250)));
}

#[test]
fn time_beside_the_last_pass_is_foreseen() {
    let plan =
        Plan { memory_bytes: 10 * PAGE_BYTES, changes: Changes::Counted, ..plan(0, Otherwise::Cancel) };
    let at = |ms| Time::ZERO + Span::from_ms(ms);
    for (reserve_ms, expected) in [(100, Phase::Stopping), (101, Phase::Passing)] {
        let mut relocation = Relocation::new(plan, at(0));
        relocation.reserve(Span::from_ms(reserve_ms));
        relocation.sent(10 * PAGE_BYTES);
        relocation.acknowledged(10 * PAGE_BYTES, at(1000));
        // A page takes 100 ms of the 200 that the guest may stand.
        relocation.counted(1, at(1000));
        assert_eq!(relocation.phase(), expected, "{reserve_ms}");
    }
}
