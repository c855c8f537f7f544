//! I/Os whose starts end with a condition of the device.

use halftrack_base::Span;
use halftrack_control_unit::{Sense, UnitCheck};
use halftrack_program::{Geometry, TrackAddress};
use halftrack_subsystem::MISSING_INTERRUPT;

use super::*;
use crate::driver::Driven;
use crate::driver::io_driver::fencing::tests::{Run, ended};

/// Returns the end of a start with this unit check.
fn unit_check(reason: UnitCheck) -> ChannelOutcome {
    let geometry = Geometry::with_cylinders(1).expect("a volume of one cylinder");
    ChannelOutcome::Ended {
        device_status: 0x0E,
        residual: 4096,
        sense: Some(*Sense::new(reason, TrackAddress::default(), &geometry).bytes()),
        incorrect_length: false,
        last_command: 1,
    }
}

/// Ends the last start with a unit check, and returns the number of starts after it.
fn end_last(run: &mut Run, reason: UnitCheck) -> usize {
    let last = *run.paths.started.last().expect("a start");
    run.end(last, unit_check(reason), true);
    run.paths.started.len()
}

/// A resetting event on each path in turn costs a start each, and no time.
#[test]
fn a_resetting_event_is_followed_by_a_start_at_once() {
    let mut run = Run::new(2);
    assert_eq!([1, 2].map(|_| end_last(&mut run, UnitCheck::ResettingEvent)), [2, 3]);
    let paths: Vec<u8> = run.paths.started.iter().map(|start| start.path).collect();
    assert_eq!(paths, [0, 1, 0]);
    run.end(run.paths.started[2], ended(), true);
    assert_eq!((run.driver.ledger().completed, run.driver.ledger().failed), (1, 0));
    let counted = &run.driver.streams()[0].statistics.conditions;
    assert_eq!(counted.get(&DeviceCondition::ResettingEvent), Some(&2));
}

/// A device that changes its state for longer than the interval for a missing interrupt delays an I/O, which does not end
/// in error for that, and is not started more often than once in the wait.
#[test]
fn a_pending_state_change_is_waited_for_however_long_it_takes() {
    let mut run = Run::new(2);
    let waits = 3 * MISSING_INTERRUPT.as_ps() / STATE_CHANGE_WAIT.as_ps();
    for starts in 1..=waits as usize {
        assert_eq!(end_last(&mut run, UnitCheck::StateChangePending), starts, "it waits");
        run.pass(STATE_CHANGE_WAIT.saturating_sub(Span::from_us(1)));
        assert_eq!(run.paths.started.len(), starts);
        run.pass(Span::from_us(2));
        assert_eq!(run.paths.started.len(), starts + 1);
    }
    let last = *run.paths.started.last().expect("a start");
    run.end(last, ended(), true);
    assert_eq!((run.driver.ledger().completed, run.driver.ledger().failed), (1, 0));
}

/// Another unit check ends the I/O.
#[test]
fn a_unit_check_that_is_no_condition_ends_the_io() {
    let mut run = Run::new(1);
    assert_eq!(end_last(&mut run, UnitCheck::EquipmentCheck), 1);
    assert_eq!(run.driver.ledger().failed, 1);
}
