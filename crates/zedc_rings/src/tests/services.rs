//! Services between processes.

use super::*;
use crate::{Command, operate};

#[test]
fn data_of_any_length_are_deflated_and_come_back() {
    let machine = Machine::new(1, 1);
    let mut user = machine.user(0);
    for bytes in [0, 1, 4096, 100_000, 1 << 20] {
        let data = text(bytes);
        user.round_trip(&data);
        let (_, stream) = user.run(Options::default(), &data, deflate_bound_bytes(bytes));
        let (end, back) = user.run(Options::INFLATE, &stream, bytes.max(1));
        assert_eq!((end.answer, end.consumed_bytes as usize), (Answer::Done, stream.len()));
        assert!(back == data);
    }
    let counters = user.program.counters();
    assert_eq!((counters.requests, counters.deflate_in_bytes), (15, 2 * (1 + 4096 + 100_000 + (1 << 20))));
    let status = operate(&machine.place(), card(0), Command::Show).unwrap();
    assert_eq!((status.functions[0].requests, status.functions[0].processes.len()), (15, 1));
    assert_eq!(status.functions[0].state, "allocated");
}

#[test]
fn lists_of_a_request_cross_the_ring() {
    let machine = Machine::new(1, 1);
    let mut user = machine.user(0);
    let data = text(300_000);
    user.program.store(user.input, 0, &data).unwrap();
    let of = |token, parts: &[(usize, usize)], program: &Program| -> Vec<_> {
        parts.iter().map(|(offset, bytes)| program.segment(token, *offset, *bytes).unwrap()).collect()
    };
    let pages: Vec<_> = (0..257).map(|at| (at * 1000, 1000)).collect();
    let input = of(user.input, &pages, &user.program);
    let rooms: Vec<_> = (0..257).map(|at| (at * 1200, 1200)).collect();
    let output = of(user.output, &rooms, &user.program);
    let options = Options::INPUT_LIST | Options::OUTPUT_LIST;
    let id = user.program.start(Autonomous { options, input: &input, output: &output }).unwrap();
    let end = user.program.wait(id).unwrap();
    assert_eq!((end.answer, end.consumed_bytes), (Answer::Done, 257_000));
    let mut stream = vec![0; end.produced_bytes as usize];
    user.program.load(user.output, 0, &mut stream).unwrap();
    let mut back = Vec::new();
    DeflateDecoder::new(&stream[..]).read_to_end(&mut back).unwrap();
    assert!(back == data[..257_000]);
}

#[test]
fn programs_of_every_function_work_at_once() {
    let machine = Machine::new(2, 15);
    thread::scope(|scope| {
        for vf in 1..=15 {
            let machine = &machine;
            scope.spawn(move || {
                let mut user = machine.user(vf);
                (0..10).for_each(|at| user.round_trip(&text(20_000 * usize::from(vf) + at)));
            });
        }
    });
    for number in 0..2 {
        let status = operate(&machine.place(), card(number), Command::Show).unwrap();
        assert!(status.functions.iter().all(|function| function.requests == 5), "groups take turns");
    }
}

#[test]
fn sixty_four_requests_are_under_way_and_each_ends_once() {
    let machine = Machine::new(1, 1);
    let mut user = machine.user(0);
    user.program.store(user.input, 0, &text(AREA_BYTES)).unwrap();
    let mut started = Vec::new();
    let refused = loop {
        let slot = started.len() * 8192;
        let input = &[user.program.segment(user.input, slot, 8192).unwrap()];
        let output = &[user.program.segment(user.output, slot, 8192).unwrap()];
        match user.program.start(Autonomous { options: Options::default(), input, output }) {
            Ok(id) => started.push(id),
            Err(answer) => break answer,
        }
        if started.len() == 128 {
            break Answer::Done;
        }
    };
    assert!(started.len() >= 64 && (refused == Answer::QueuesFull || started.len() == 128));
    for id in started.into_iter().rev() {
        assert_eq!(user.program.wait(id).unwrap().answer, Answer::Done);
        assert!(user.program.wait(id).is_none(), "it ends once");
    }
}

#[test]
fn bad_requests_have_the_answers_of_the_services() {
    let machine = Machine::new(1, 1);
    let mut user = machine.user(0);
    let data = text(50_000);
    let (end, _) = user.run(Options::default(), &data, 100);
    assert_eq!(end.answer, Answer::OutputTooSmall);
    let (end, _) = user.run(Options::INFLATE, &data, 100_000);
    assert_eq!(end.answer, Answer::Corrupt);
    assert_eq!(user.start(Options(1), 10, 10), Err(Answer::BadOptions));
    assert_eq!(user.start(Options::default(), (1 << 20) + 1, 10), Err(Answer::TooLong));
    let area = user.program.segment(user.input, 0, 100).unwrap();
    let same = Autonomous { options: Options::default(), input: &[area], output: &[area] };
    assert_eq!(user.program.start(same), Err(Answer::AreaOverlap));
    assert_eq!(user.program.segment(user.input, AREA_BYTES, 1), Err(Answer::OutsideRegion));
    user.program.free(user.input).unwrap();
    assert_eq!(user.program.free(user.input), Err(Answer::BadRegionToken));
    let same = Autonomous { options: Options::default(), input: &[area], output: &[area] };
    assert_eq!(user.program.start(same), Err(Answer::BadRegionToken));
}

#[test]
fn a_region_is_free_when_its_requests_have_ended() {
    let machine = Machine::new(1, 1);
    let mut user = machine.user(0);
    user.program.store(user.input, 0, &text(1 << 20)).unwrap();
    let started: Vec<_> = (0..8)
        .map(|_| user.start(Options::default(), 1 << 20, deflate_bound_bytes(1 << 20)).unwrap())
        .collect();
    user.program.free(user.output).unwrap();
    let ends: Vec<_> = started.into_iter().map(|id| user.program.wait(id).unwrap().answer).collect();
    assert!(ends.iter().all(|answer| matches!(answer, Answer::Done | Answer::RegionFreed)), "{ends:?}");
    assert_eq!(ends.last(), Some(&Answer::RegionFreed));
    user.output = user.program.allocate(AREA_BYTES).unwrap();
    user.round_trip(&text(1 << 20));
}

#[test]
fn a_card_that_sleeps_is_woken() {
    let machine = Machine::new(1, 1);
    let mut user = machine.user(0);
    for _ in 0..5 {
        thread::sleep(std::time::Duration::from_millis(5));
        user.round_trip(b"after a while");
    }
}
