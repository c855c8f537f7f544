//! Cards that are lost, updated or taken away.

use halftrack_base::Time;

use crate::rig::*;
use crate::*;

const BYTES: usize = 300_000;

fn start(machine: &mut Machine, count: usize) {
    for _ in 0..count {
        machine.start(0, Operation::Deflate, BYTES, deflate_bound_bytes(BYTES)).expect("there is room");
    }
}

fn states(machine: &Machine) -> Vec<FunctionState> {
    machine.cpc.cards().map(|card| machine.cpc.card(card).state(vf(1)).expect("it is configured")).collect()
}

fn requests_of_cards(machine: &Machine) -> Vec<u64> {
    let requests = |card| machine.cpc.card(card).counters(vf(1)).expect("it is configured").requests;
    machine.cpc.cards().map(requests).collect()
}

#[test]
fn a_ninth_card_is_refused_with_a_message() {
    let mut machine = Machine::new(CARDS_MAX, 1);
    let refused = machine.cpc.install(ResourceGroup::One, Time::ZERO).expect_err("there are eight");
    assert_eq!(refused.to_string(), "a CPC has at most 8 zEDC Express cards: a ninth is not installed");
    assert_eq!(machine.cpc.cards().count(), 8);
}

/// Requests go to the resource groups in turn, and within one to where the fewest octets wait.
#[test]
fn requests_are_spread_over_groups_and_cards() {
    let mut machine = Machine::new(4, 1);
    start(&mut machine, 8);
    let backlog = |card| machine.cpc.card(card).backlog_bytes(vf(1), PartitionId(0)).expect("it is usable");
    assert!(machine.cpc.cards().all(|card| backlog(card) == 2 * BYTES));
    machine.run();
    assert_eq!(requests_of_cards(&machine), [2; 4]);
}

/// The requests of a card that is lost in the midst of them are done by another one, without an octet changed.
#[test]
fn requests_of_a_lost_card_are_done_by_another() {
    let mut machine = Machine::new(2, 1);
    machine.put(0, &text(BYTES));
    start(&mut machine, 6);
    let cards: Vec<_> = machine.cpc.cards().collect();
    for _ in 0..3 {
        machine.slice(cards[0]);
    }
    let now = machine.now;
    machine.cpc.card_mut(cards[0]).begin_slice(&mut *machine.engine, &mut machine.memory, now);
    machine.cpc.card_mut(cards[0]).lose(now);
    machine.cpc.card_mut(cards[0]).end_slice(now);
    assert_eq!(states(&machine), [FunctionState::InError, FunctionState::Allocated]);
    let ended = machine.run().remove(0);
    assert_eq!(ended.len(), 6);
    for end in &ended {
        assert_eq!(end.answer, Answer::Done);
        assert!(inflated_elsewhere(machine.output(0, end.produced_bytes as usize)) == text(BYTES));
    }
    assert_eq!(requests_of_cards(&machine), [0, 6], "a request counts where it ends");
    machine.cpc.restore(cards[0], now);
    assert_eq!(states(&machine), [FunctionState::Allocated; 2]);
}

/// Without any card the answer is that the program falls back, for requests in flight and for new ones.
#[test]
fn without_a_card_programs_fall_back() {
    let mut machine = Machine::new(2, 1);
    start(&mut machine, 4);
    let cards: Vec<_> = machine.cpc.cards().collect();
    for card in cards {
        machine.slice(card);
        let now = machine.now;
        machine.cpc.card_mut(card).lose(now);
    }
    let ended = machine.run().remove(0);
    assert_eq!(ended.iter().map(|end| end.answer).collect::<Vec<_>>(), [Answer::NoHardware; 4]);
    assert_eq!(machine.start(0, Operation::Deflate, 1, 100), Err(Answer::NoHardware));
    let Program { partition, token, .. } = &machine.programs[0];
    assert_eq!(partition.probe(*token, &machine.cpc), Err(Answer::NoHardware));
    assert_eq!(partition.counters(*token), Ok(Counters::default()), "nothing was done by a card");
}

/// Firmware is updated one group at a time while the cards of the other one do all requests.
#[test]
fn an_update_takes_one_group_while_the_load_goes_on() {
    let mut machine = Machine::new(4, 1);
    let mut done = 0;
    for group in [ResourceGroup::One, ResourceGroup::Two] {
        start(&mut machine, 8);
        for card in machine.cpc.cards() {
            machine.slice(card);
        }
        machine.cpc.begin_update(group, machine.now).expect("none is updated");
        let other = machine.cpc.begin_update(group.other(), machine.now).expect_err("one group at a time");
        assert_eq!(
            other.to_string(),
            format!(
                "the firmware of {group} is updated: that of another resource group waits until it is done"
            )
        );
        let updated = machine.cpc.cards().filter(|card| machine.cpc.card(*card).group() == group);
        let updated: Vec<_> = updated.collect();
        assert_eq!(states(&machine).iter().filter(|state| **state == FunctionState::InUpdate).count(), 2);
        let before = requests_of_cards(&machine);
        start(&mut machine, 2);
        let ended = machine.run().remove(0);
        assert!(ended.iter().all(|end| end.answer == Answer::Done));
        done += ended.len();
        for (at, card) in machine.cpc.cards().enumerate() {
            let is_idle = requests_of_cards(&machine)[at] == before[at];
            assert_eq!(is_idle, updated.contains(&card), "only the other group works");
        }
        machine.cpc.end_update();
        assert_eq!(states(&machine), [FunctionState::Allocated; 4]);
    }
    assert_eq!(done, 20);
}

/// A card that is lost stays lost through an update, and one that comes during the update of its group joins it.
#[test]
fn an_update_does_not_bring_a_lost_card_back() {
    let mut machine = Machine::new(2, 1);
    let cards: Vec<_> = machine.cpc.cards().collect();
    machine.cpc.card_mut(cards[0]).lose(Time::ZERO);
    machine.cpc.begin_update(ResourceGroup::One, Time::ZERO).expect("none is updated");
    assert_eq!(states(&machine)[0], FunctionState::InError);
    machine.cpc.restore(cards[0], Time::ZERO);
    assert_eq!(states(&machine)[0], FunctionState::InUpdate);
    machine.cpc.end_update();
    assert_eq!(states(&machine)[0], FunctionState::Allocated);
    machine.cpc.card_mut(cards[0]).lose(Time::ZERO);
    machine.cpc.begin_update(ResourceGroup::One, Time::ZERO).expect("none is updated");
    machine.cpc.end_update();
    assert_eq!(states(&machine)[0], FunctionState::InError);
    machine.cpc.begin_update(ResourceGroup::Two, Time::ZERO).expect("none is updated");
    machine.cpc.install(ResourceGroup::Two, Time::ZERO).expect("there is room");
    let added = machine.cpc.cards().last().expect("it was added");
    machine.cpc.card_mut(added).configure(vf(1), 1).expect("a function");
    assert_eq!(machine.cpc.card(added).state(vf(1)), Ok(FunctionState::InUpdate));
}

/// A function that is given up with requests in flight does them, takes no others, and is free once they were collected.
#[test]
fn deallocation_is_pending_until_requests_have_ended() {
    let mut machine = Machine::new(2, 1);
    start(&mut machine, 4);
    let card = machine.cpc.cards().next().expect("a card");
    let place = FunctionPlace { card, vf: vf(1) };
    machine.programs[0].partition.detach(place, &mut machine.cpc).expect("it is used");
    assert_eq!(states(&machine)[0], FunctionState::DeallocatePending);
    let mut other = Partition::new(PartitionId(9), true);
    let refused = other.attach(place, &mut machine.cpc).expect_err("it is used");
    assert_eq!(refused.to_string(), "the function is de-allocate pending");
    assert_eq!(
        machine.cpc.card_mut(card).deconfigure(vf(1)),
        Err(FunctionError::State(FunctionState::DeallocatePending))
    );
    start(&mut machine, 4);
    let ended = machine.run().remove(0);
    assert!(ended.len() == 8 && ended.iter().all(|end| end.answer == Answer::Done));
    assert_eq!(requests_of_cards(&machine), [2, 6]);
    assert_eq!(states(&machine), [FunctionState::Configured, FunctionState::Allocated]);
    assert_eq!(
        machine.programs[0].partition.detach(place, &mut machine.cpc),
        Err(FunctionError::NotAllocated)
    );
    other.attach(place, &mut machine.cpc).expect("it is free");
    start(&mut machine, 1);
    assert_eq!(requests_of_cards(&machine), [2, 6], "the first partition uses its other function");
}

#[test]
fn functions_are_configured_once_and_by_number() {
    let mut machine = Machine::new(1, 1);
    let card = machine.cpc.cards().next().expect("a card");
    let card = machine.cpc.card_mut(card);
    assert_eq!((VfNumber::new(0), VfNumber::new(16)), (None, None));
    assert_eq!(card.configure(vf(1), 1), Err(FunctionError::Duplicate));
    assert_eq!(card.state(vf(2)), Err(FunctionError::NotConfigured));
    assert_eq!(card.allocate(vf(2), PartitionId(1)), Err(FunctionError::NotConfigured));
    card.configure(vf(2), 1).expect("it is new");
    assert_eq!(card.state(vf(2)), Ok(FunctionState::Configured));
    card.deconfigure(vf(2)).expect("nobody uses it");
    assert_eq!(card.state(vf(2)), Err(FunctionError::NotConfigured));
}

/// A function that failed takes no requests until it is recovered, and only its own requests go elsewhere.
#[test]
fn a_failed_function_is_recovered() {
    let mut machine = Machine::new(1, 1);
    start(&mut machine, 2);
    let card = machine.cpc.cards().next().expect("a card");
    machine.cpc.card_mut(card).fail_function(vf(1), Time::ZERO).expect("it is configured");
    assert_eq!(states(&machine), [FunctionState::InError]);
    let ended = machine.run().remove(0);
    assert!(ended.iter().all(|end| end.answer == Answer::NoHardware) && ended.len() == 2);
    machine.cpc.card_mut(card).recover_function(vf(1)).expect("it is configured");
    start(&mut machine, 1);
    assert_eq!(machine.run()[0][0].answer, Answer::Done);
}

/// The counts of a card, of its functions and of address spaces agree with the requests.
#[test]
fn counts_agree_with_the_requests() {
    let mut machine = Machine::new(2, 1);
    let data = text(BYTES);
    machine.put(0, &data);
    let deflated = machine.run_one(Operation::Deflate, BYTES, deflate_bound_bytes(BYTES));
    let stream = machine.output(0, deflated.produced_bytes as usize).to_vec();
    machine.put(0, &stream);
    let inflated = machine.run_one(Operation::Inflate, stream.len(), BYTES);
    let refused = machine.run_one(Operation::Inflate, stream.len(), 10);
    assert_eq!(refused.answer, Answer::OutputTooSmall);
    let Program { partition, token, .. } = &machine.programs[0];
    let counters = partition.counters(*token).expect("it is known");
    let mut of_cards = Counters::default();
    for card in machine.cpc.cards() {
        of_cards += machine.cpc.card(card).counters(vf(1)).expect("it is configured");
    }
    assert_eq!(of_cards, counters);
    let execution_time = deflated.execution_time + inflated.execution_time + refused.execution_time;
    assert_eq!((counters.requests, counters.execution_time), (3, execution_time));
    let (plain, compressed) = (BYTES as u64, stream.len() as u64);
    assert_eq!((counters.deflate_in_bytes, counters.deflate_out_bytes), (plain, compressed));
    assert_eq!((counters.inflate_in_bytes, counters.inflate_out_bytes), (compressed, plain));
    assert!((counters.ratio() - plain as f64 / compressed as f64).abs() < 1e-9);
    assert!((counters.busy_percent(execution_time + execution_time) - 50.0).abs() < 1e-9);
    assert_eq!(deflated.execution_time.as_us_f64(), BYTES as f64 / 1000.0, "at 1 GB/s");
}
