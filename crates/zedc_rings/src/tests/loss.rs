//! Cards that are lost, updated, plugged and configured offline under a load.

use super::*;
use crate::{Command, OpenError, operate};

#[test]
fn without_a_card_nothing_is_opened() {
    let machine = Machine::new(0, 1);
    let error = Program::open(machine.place(), ProgramOptions::default()).unwrap_err();
    assert!(matches!(error, OpenError::NoCard(..)), "{error}");
    let machine = Machine::new(1, 1);
    let error =
        Program::open(machine.place(), ProgramOptions { vf: 2, ..ProgramOptions::default() }).unwrap_err();
    assert!(error.to_string().contains("no such function"), "{error}");
}

#[test]
fn requests_of_a_card_that_ends_are_done_by_another_and_then_by_none() {
    let mut machine = Machine::new(2, 1);
    let mut user = machine.user(0);
    let data = text(1 << 20);
    user.program.store(user.input, 0, &data).unwrap();
    let started: Vec<_> = (0..6)
        .map(|_| user.start(Options::default(), 1 << 20, deflate_bound_bytes(1 << 20)).unwrap())
        .collect();
    drop(machine.cards.remove(0));
    for id in started {
        assert_eq!(user.program.wait(id).unwrap().answer, Answer::Done);
    }
    let id = user.start(Options::default(), 1 << 20, deflate_bound_bytes(1 << 20)).unwrap();
    drop(machine.cards.remove(0));
    let answer = user.program.wait(id).unwrap().answer;
    assert!(answer == Answer::Done || answer.is_software_fallback(), "{answer}");
    assert_eq!(user.program.probe(), Err(Answer::NoHardware));
    assert_eq!(user.start(Options::default(), 10, 100), Err(Answer::NoHardware));
    machine.plug(5, 1);
    thread::sleep(std::time::Duration::from_millis(150));
    assert_eq!(user.program.probe(), Ok(()), "a card that was plugged is found");
    user.round_trip(&data);
    assert_eq!(user.program.cards().collect::<Vec<_>>(), [card(5)]);
}

#[test]
fn an_update_takes_one_group_while_the_load_goes_on() {
    let machine = Machine::new(2, 1);
    let mut user = machine.user(0);
    let data = text(500_000);
    let requests =
        |number| operate(&machine.place(), card(number), Command::Show).unwrap().functions[0].requests;
    let show = operate(&machine.place(), card(1), Command::BeginUpdate).unwrap();
    assert_eq!(show.functions[0].state, "in update");
    (0..6).for_each(|_| user.round_trip(&data));
    assert_eq!((requests(0), requests(1)), (6, 0));
    operate(&machine.place(), card(1), Command::EndUpdate).unwrap();
    (0..6).for_each(|_| user.round_trip(&data));
    assert_eq!((requests(0), requests(1)), (9, 3));
}

#[test]
fn functions_go_offline_and_fail_by_themselves() {
    let machine = Machine::new(1, 2);
    let (mut first, mut second) = (machine.user(1), machine.user(2));
    let command = |command| operate(&machine.place(), card(0), command);
    for (down, up, state) in [
        (Command::Offline(1), Command::Online(1), "configured"),
        (Command::Fail(1), Command::Recover(1), "in error"),
    ] {
        first.round_trip(b"before");
        assert_eq!(command(down).unwrap().functions[0].state, state);
        assert_eq!(first.start(Options::default(), 5, 100), Err(Answer::NoHardware));
        second.round_trip(b"the other function does not notice");
        assert_eq!(command(up).unwrap().functions[0].state, "allocated");
        first.round_trip(b"after");
    }
    assert!(command(Command::Offline(3)).is_err(), "there are two");
    assert!(operate(&machine.place(), card(4), Command::Show).is_err(), "there is one card");
}

#[test]
fn a_card_that_keeps_a_request_is_given_up_with_its_memory() {
    let mut machine = Machine::new(1, 1);
    let mut user = machine.user(0);
    let data = text(200_000);
    user.round_trip(&data);
    machine.plug(1, 1);
    thread::sleep(std::time::Duration::from_millis(150));
    assert_eq!(user.program.probe(), Ok(()));
    let (address, _) = user.program.region(user.input).unwrap();
    user.program.give_up(card(0));
    assert_eq!(user.program.region(user.input).unwrap().0, address, "pointers stay");
    let mut kept = vec![0; data.len()];
    user.program.load(user.input, 0, &mut kept).unwrap();
    assert!(kept == data);
    user.round_trip(&text(300_000));
    let mut old = machine.user(0);
    old.round_trip(&data);
}
