//! Handling with a mistake, each of which the visit finds.

use halftrack_base::Time;

use super::visit::ALL;
use super::{Handling, visit};
use crate::rig::Program;
use crate::virtual_function::VirtualFunction;
use crate::*;

/// Defines the handling of events with a mistake, and the test that the visit finds it.
macro_rules! mistaken {
    ($name:ident, $test:ident, $expected:literal, $($body:item)+) => {
        struct $name;

        impl Handling for $name {
            $($body)+
        }

        #[test]
        #[should_panic(expected = $expected)]
        fn $test() {
            visit::<$name>(&ALL, 5);
        }
    };
}

/// Returns the function of a card.
fn function(cpc: &mut Cpc, card: CardId) -> &mut VirtualFunction {
    cpc.card_mut(card).functions[0].as_mut().expect("it is configured")
}

/// Collects all ends, and hands each of them over.
fn collected(program: &mut Program, cpc: &mut Cpc) -> Vec<Completion> {
    let mut ends = Vec::new();
    for FunctionPlace { card, vf } in program.partition.functions.clone() {
        ends.extend(std::iter::from_fn(|| cpc.card_mut(card).collect(vf, program.partition.id())));
    }
    ends
}

mistaken!(
    ForgetsWaiting,
    a_lost_card_that_forgets_the_waiting_requests_is_found,
    "a request never ends",
    fn lose(cpc: &mut Cpc, card: CardId, now: Time) {
        function(cpc, card).queues.take(|_| true);
        cpc.card_mut(card).lose(now);
    }
);

mistaken!(
    KeepsAtWork,
    a_lost_card_that_keeps_the_request_at_work_is_found,
    "a request never ends",
    fn lose(cpc: &mut Cpc, card: CardId, now: Time) {
        let kept = function(cpc, card).work.take();
        cpc.card_mut(card).lose(now);
        function(cpc, card).work = kept;
    }
);

mistaken!(
    KeepsWaiting,
    a_lost_card_that_keeps_what_it_gave_back_is_found,
    "a request is done twice",
    fn lose(cpc: &mut Cpc, card: CardId, now: Time) {
        let kept = function(cpc, card).queues.submitted.clone();
        cpc.card_mut(card).lose(now);
        function(cpc, card).queues.submitted = kept;
    }
);

mistaken!(
    ShowsLoss,
    a_partition_that_does_not_drive_again_is_found,
    "a request ends with 08/0F02",
    fn collect(program: &mut Program, cpc: &mut Cpc) {
        for end in collected(program, cpc) {
            program.partition.finish(end);
        }
    }
);

mistaken!(
    DrivesUnchecked,
    a_partition_that_drives_again_into_a_freed_region_is_found,
    "a region is written after it was freed",
    fn collect(program: &mut Program, cpc: &mut Cpc) {
        for end in collected(program, cpc) {
            let again = program.partition.in_flight.get(&end.id).cloned();
            let again = again.filter(|_| end.answer == Answer::DeviceLost);
            let driven = again.map(|one| program.partition.drive(one.request, one.submitted, cpc));
            match driven {
                Some(Ok(())) => {}
                Some(Err(answer)) => program.partition.finish(Completion { answer, ..end }),
                None => program.partition.finish(end),
            }
        }
    }
);

mistaken!(
    LeavesRequests,
    a_deregistration_that_leaves_the_requests_is_found,
    "a region is written after it was freed",
    fn deregister(program: &mut Program, _: &mut Cpc, _: Time) -> Result<(), Answer> {
        let Program { partition, token, output, .. } = program;
        partition.spaces.get_mut(token).expect("an address space").regions.deregister(*output)
    }
);

mistaken!(
    FreesAtOnce,
    a_deallocation_that_does_not_wait_is_found,
    "a request never ends",
    fn detach(_: &mut Program, cpc: &mut Cpc, place: FunctionPlace) -> Result<(), FunctionError> {
        function(cpc, place.card).owner = None;
        Ok(())
    }
);

mistaken!(
    UpdatesInTheMidst,
    an_update_that_forgets_the_waiting_requests_is_found,
    "a request never ends",
    fn begin_update(cpc: &mut Cpc, group: ResourceGroup, now: Time) -> Result<(), CpcError> {
        for card in cpc.cards() {
            if cpc.card(card).group() == group {
                function(cpc, card).queues.take(|_| true);
            }
        }
        cpc.begin_update(group, now)
    }
);
