//! Programs whose threads share them.

use std::sync::atomic::{AtomicUsize, Ordering};

use halftrack_base::{Span, Time};

use super::*;
use crate::SharedProgram;
use crate::clock::Clock;

#[test]
fn threads_of_a_program_have_requests_at_a_time() {
    let machine = Machine::new(2, 1);
    let program = Program::open(machine.place(), ProgramOptions::default()).unwrap();
    let shared = SharedProgram::new(program);
    let done = AtomicUsize::new(0);
    thread::scope(|scope| {
        for number in 0..8 {
            let (shared, done) = (&shared, &done);
            scope.spawn(move || {
                let data = text(200_000 + number);
                let room = deflate_bound_bytes(data.len());
                let allocated = |bytes| shared.with(|program| program.allocate(bytes)).unwrap();
                let (input, output) = (allocated(data.len()), allocated(room));
                shared.with(|program| program.store(input, 0, &data)).unwrap();
                for _ in 0..10 {
                    let input = &[shared.with(|program| program.segment(input, 0, data.len())).unwrap()];
                    let area = &[shared.with(|program| program.segment(output, 0, room)).unwrap()];
                    let parameters = Autonomous { options: Options::default(), input, output: area };
                    let end = shared.run(parameters).unwrap();
                    assert_eq!((end.answer, end.consumed_bytes as usize), (Answer::Done, data.len()));
                    let mut stream = vec![0; end.produced_bytes as usize];
                    shared.with(|program| program.load(output, 0, &mut stream)).unwrap();
                    let mut back = Vec::new();
                    DeflateDecoder::new(&stream[..]).read_to_end(&mut back).unwrap();
                    assert!(back == data);
                    done.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(done.into_inner(), 80);
    assert_eq!(shared.end(), Ok(()));
    assert_eq!(shared.end(), Err(Answer::BadRendezvousToken));
    assert_eq!(shared.with(Program::probe), Err(Answer::BadRendezvousToken));
}

/// A card lets a program go that has ended, whoever else has its descriptors.
#[test]
fn connections_of_a_program_that_has_ended_are_closed_for_all_that_have_them() {
    let machine = Machine::new(1, 1);
    let program = Program::open(machine.place(), ProgramOptions::default()).unwrap();
    let inherited = program.inherited();
    assert_eq!(programs(&machine), 1);
    program.end();
    let clock = Clock::default();
    while programs(&machine) != 0 {
        assert!(clock.now() < Time::ZERO + Span::from_s(10), "the card keeps a program that has ended");
    }
    drop(inherited);
}

fn programs(machine: &Machine) -> usize {
    let status = crate::operate(&machine.place(), card(0), crate::Command::Show).unwrap();
    status.functions[0].processes.len()
}

#[test]
fn no_more_memory_is_allocated_than_a_card_takes() {
    let machine = Machine::new(1, 1);
    let mut user = machine.user(0);
    for bytes in [4 << 30, usize::MAX, 1 << 62] {
        assert_eq!(user.program.allocate(bytes), Err(Answer::BadRegionLength));
    }
    user.round_trip(b"the card is still there");
}
