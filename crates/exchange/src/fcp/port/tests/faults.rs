//! Every single frame lost, and every pair; tasks that wait or are ended by others.

use halftrack_wire::fcp::{ScsiStatus, TaskManagement};

use super::link::*;
use crate::fcp::rig::{UNIT, cdb};
use crate::fcp::{CommandEnd, FcpOutcome, FcpRequest, ScsiProgress};
use crate::outcome::Cause;

fn requests() -> [FcpRequest; 4] {
    [
        read(3, 9),
        write(3, 9, 0xEE),
        FcpRequest::without_data(UNIT, cdb(0x00, 0, 0)),
        // With sense, and a confirmation.
        FcpRequest::without_data(UNIT, cdb(0xFF, 0, 0)),
    ]
}

/// Runs a request with these frames lost; sends it again while the target has nothing of it.
fn run(is_retried: bool, request: &FcpRequest, lost: &[usize]) -> (Link, CommandEnd, usize) {
    let mut link = Link::new(is_retried, 4);
    link.lost = lost.to_vec();
    for again in 0..4 {
        assert!(link.start(request.clone(), 7));
        let mut ends = link.run();
        let end = ends.pop().expect("an end");
        assert!(ends.is_empty() && end.tag == 7);
        if end.outcome != FcpOutcome::CommandLost {
            return (link, end, again);
        }
    }
    panic!("lost four times");
}

fn assert_right(link: &Link, request: &FcpRequest, end: &CommandEnd, lost: &[usize]) {
    let [reading, writing, testing, _] = requests();
    let fresh = Link::new(true, 1).disk.blocks;
    let extent = 3 * BLOCK..12 * BLOCK;
    if *request == reading {
        assert!(is_good(end) && end.data == fresh[extent], "{lost:?}: {:?}", end.outcome);
    } else if *request == writing {
        assert!(is_good(end), "{lost:?}: {:?}", end.outcome);
        assert!(link.disk.blocks[extent].iter().all(|octet| *octet == 0xEE), "{lost:?}");
    } else if *request == testing {
        assert!(is_good(end), "{lost:?}: {:?}", end.outcome);
    } else {
        let FcpOutcome::Ended { status, sense, .. } = &end.outcome else { panic!("{:?}", end.outcome) };
        assert_eq!((*status, sense.len()), (ScsiStatus::CHECK_CONDITION, 18));
    }
}

/// With REC and SRR the loss of any one or two frames costs time, and no abort.
#[test]
fn the_loss_of_any_frame_is_recovered() {
    for request in requests() {
        let (link, end, _) = run(true, &request, &[]);
        assert_right(&link, &request, &end, &[]);
        let frames = link.sent.len();
        for first in 0..frames {
            let (link, end, _) = run(true, &request, &[first]);
            assert_right(&link, &request, &end, &[first]);
            for second in first + 1..link.sent.len() {
                let lost = [first, second];
                let (link, end, _) = run(true, &request, &lost);
                assert_right(&link, &request, &end, &lost);
            }
        }
        assert!(frames >= 2, "{frames}");
    }
}

/// Without them the exchange is aborted, at once where a gap is seen, and the upper layer sends its command again.
#[test]
fn without_retry_a_loss_ends_in_an_abort() {
    for request in requests() {
        let frames = run(false, &request, &[]).0.sent.len();
        for lost in 0..frames {
            let (mut link, end, _) = run(false, &request, &[lost]);
            let is_over = matches!(end.outcome, FcpOutcome::Aborted(Cause::Timeout | Cause::Length));
            let FcpOutcome::Ended { .. } = end.outcome else {
                assert!(is_over && end.is_settled, "{lost}: {:?}", end.outcome);
                assert!(link.start(request.clone(), 7));
                let end = link.run().pop().expect("an end");
                assert_right(&link, &request, &end, &[lost]);
                continue;
            };
            // Only the confirmation may be missed.
            assert_right(&link, &request, &end, &[lost]);
        }
    }
}

#[test]
fn a_command_that_waits_goes_on_when_its_device_reports_so() {
    let mut link = Link::new(false, 4);
    link.disk.holds = true;
    assert!(link.start(read(0, 1), 1) && link.start(read(1, 1), 2));
    while link.carry() {}
    let second = link.initiator.poll_end().expect("the second");
    assert_eq!((second.tag, link.initiator.poll_end()), (2, None));
    let ox_id = link.sent[0].header.ox_id;
    let task = (INITIATOR, ox_id);
    let data = link.disk.blocks[..BLOCK].to_vec();
    let ending = crate::fcp::ScsiEnding { data, ..Default::default() };
    link.disk.progress.push_back((task, ScsiProgress::Ended(ending)));
    link.target.take_progress(link.now, &mut link.disk);
    while link.carry() {}
    let first = link.initiator.poll_end().expect("the first");
    assert!(is_good(&first) && first.tag == 1 && first.data.len() == BLOCK);
}

#[test]
fn a_task_that_a_function_ends_has_no_response_and_is_found_lost() {
    let mut link = Link::new(true, 4);
    link.lost = vec![2];
    assert!(link.start(write(0, 1, 0xEE), 1));
    assert!(link.carry() && link.carry(), "command, transfer ready, and data that are lost");
    assert!(link.start(FcpRequest::management(UNIT, TaskManagement::LogicalUnitReset), 2));
    let ends = link.run();
    let outcome = |tag| ends.iter().find(|end| end.tag == tag).map(|end| end.outcome.clone());
    assert_eq!(outcome(2), Some(FcpOutcome::Managed(halftrack_wire::fcp::ResponseCode::Complete)));
    assert_eq!(outcome(1), Some(FcpOutcome::Aborted(Cause::Timeout)));
    assert!(link.disk.blocks[..BLOCK].iter().all(|octet| *octet != 0xEE), "nothing is written");
}
