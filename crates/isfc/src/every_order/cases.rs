//! Cases, all of whose situations are visited.

use super::*;

/// A block each way over one device, from the first hello on.
const FRESH: Case = Case {
    devices: 1,
    blocks: [1, 1],
    losses: 0,
    returns: true,
    starts: 0,
    corruptions: 0,
    send_bytes: 8,
    late_attention: false,
    is_up: false,
};
/// A block each way over one device that is active.
const UP: Case = Case { is_up: true, ..FRESH };
/// Two blocks each way.
const TWO_BLOCKS: Case = Case { blocks: [2, 2], ..UP };
const LATE: Case = Case { late_attention: true, ..FRESH };
const TWO_DEVICES: Case = Case { devices: 2, ..UP };
const THREE_DEVICES: Case = Case { devices: 3, ..UP };

/// Visits all situations of cases. Returns how many there are, the collisions in them, and the blocks that went again.
fn visit(cases: &[Case]) -> (usize, u64, u64) {
    let (mut situations, mut collisions, mut resends) = (0, 0, 0);
    for case in cases {
        let mut search = Search::<Right>::new(*case);
        situations += search.visit();
        collisions += search.collisions;
        resends += search.resends;
    }
    (situations, collisions, resends)
}

#[test]
fn over_one_device_writes_collide_and_every_octet_is_delivered_once() {
    let (situations, collisions, resends) =
        visit(&[FRESH, LATE, TWO_BLOCKS, Case { blocks: [2, 2], ..LATE }]);
    assert!(situations > 5_000 && collisions > 100, "{situations} situations, {collisions} collisions");
    assert_eq!(resends, 0, "a collision sends nothing twice");
}

#[test]
fn over_one_device_losses_lose_nothing() {
    let (situations, _, resends) = visit(&[
        Case { losses: 1, ..LATE },
        Case { losses: 2, ..UP },
        Case { losses: 1, corruptions: 1, ..UP },
    ]);
    assert!(situations > 100_000 && resends > 1_000, "{situations} situations, {resends} resends");
}

#[test]
fn over_one_device_a_system_that_starts_anew_goes_on_at_its_offset() {
    let (situations, ..) = visit(&[
        Case { starts: 1, ..LATE },
        Case { starts: 1, ..TWO_BLOCKS },
        Case { starts: 2, ..UP },
        Case { starts: 1, losses: 1, ..UP },
    ]);
    assert!(situations > 30_000, "{situations}");
}

#[test]
fn blocks_with_other_octets_are_sent_again() {
    let corrupt = Case { corruptions: 2, ..TWO_BLOCKS };
    let (situations, _, resends) = visit(&[corrupt, Case { corruptions: 1, ..TWO_DEVICES }]);
    assert!(situations > 30_000 && resends > 1_000, "{situations} situations, {resends} resends");
}

#[test]
fn a_full_buffer_is_confirmed_and_filled_again() {
    let narrow = Case { blocks: [4, 0], send_bytes: 2, ..UP };
    let cases = [
        Case { blocks: [6, 2], send_bytes: 4, ..UP },
        Case { losses: 1, ..narrow },
        Case { devices: 2, ..narrow },
        Case { devices: 3, send_bytes: 3, blocks: [6, 0], ..narrow },
    ];
    let (situations, ..) = visit(&cases);
    assert!(situations > 20_000, "{situations}");
}

#[test]
fn over_two_devices_every_octet_is_delivered_once() {
    let fresh = Case { is_up: false, ..TWO_DEVICES };
    let (situations, collisions, _) = visit(&[fresh, Case { blocks: [3, 3], ..TWO_DEVICES }]);
    assert!(situations > 40_000 && collisions > 1_000, "{situations} situations, {collisions} collisions");
}

#[test]
fn over_two_devices_losses_and_starts_lose_nothing() {
    let (situations, _, resends) = visit(&[
        Case { losses: 1, ..TWO_DEVICES },
        Case { losses: 1, returns: false, blocks: [2, 2], ..TWO_DEVICES },
        Case { starts: 1, ..TWO_DEVICES },
    ]);
    assert!(situations > 200_000 && resends > 5_000, "{situations} situations, {resends} resends");
}

#[test]
fn over_three_devices_blocks_overtake_each_other_and_are_put_in_order() {
    let (situations, collisions, _) = visit(&[Case { blocks: [2, 2], ..THREE_DEVICES }]);
    assert!(situations > 10_000 && collisions > 100, "{situations} situations, {collisions} collisions");
}

#[test]
fn over_three_devices_a_lost_one_is_not_needed() {
    let (situations, _, resends) = visit(&[Case { losses: 1, returns: false, ..THREE_DEVICES }]);
    assert!(situations > 10_000 && resends > 100, "{situations} situations, {resends} resends");
}

#[test]
#[ignore = "takes ten minutes; the tests above have smaller cases of each kind"]
fn larger_cases_lose_nothing() {
    let (situations, ..) = visit(&[
        Case { losses: 2, ..LATE },
        Case { devices: 2, ..LATE },
        Case { losses: 1, blocks: [2, 2], ..TWO_DEVICES },
        Case { losses: 1, blocks: [4, 0], send_bytes: 2, ..TWO_DEVICES },
        Case { blocks: [3, 3], ..THREE_DEVICES },
        Case { losses: 1, ..THREE_DEVICES },
        Case { starts: 1, ..THREE_DEVICES },
    ]);
    assert!(situations > 10_000_000, "{situations}");
}
