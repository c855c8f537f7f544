//! Functions of a card beside one another.

use crate::rig::*;
use crate::*;

const LONG: usize = INPUT_BYTES_MAX;
const SHORT: usize = 4096;

/// Returns the one card of a machine.
fn card(machine: &Machine) -> CardId {
    machine.cpc.cards().next().expect("a card")
}

/// Fills the queues of every program but the last one with long requests.
fn flood(machine: &mut Machine) {
    for program in 0..machine.programs.len() - 1 {
        for _ in 0..DEPTH_DEFAULT {
            machine
                .start(program, Operation::Deflate, LONG, deflate_bound_bytes(LONG))
                .expect("there is room");
        }
        let full = machine.start(program, Operation::Deflate, LONG, deflate_bound_bytes(LONG));
        assert_eq!(full, Err(Answer::QueuesFull));
    }
}

/// A short request waits for one slice of each function that has work at most, wherever these are in their long requests.
#[test]
fn a_short_request_overtakes_a_flood_of_long_ones() {
    let mut machine = Machine::new(1, 15);
    flood(&mut machine);
    let card = card(&machine);
    for slices_before in [0, 1, 7, 14, 20, 60] {
        for _ in 0..slices_before {
            machine.slice(card);
        }
        machine.start(14, Operation::Deflate, SHORT, deflate_bound_bytes(SHORT)).expect("there is room");
        let mut slices = [0; 15];
        let last = &mut machine.programs[14].partition;
        assert_eq!(last.in_flight(), 1);
        while machine.programs[14].partition.in_flight() == 1 {
            let slice = machine.slice(card).expect("there is work");
            assert!(slice.bytes <= SLICE_BYTES_MAX);
            slices[usize::from(slice.function.get()) - 1] += 1;
            let Machine { programs, cpc, .. } = &mut machine;
            programs[14].partition.collect(cpc);
        }
        assert_eq!(slices[14], 1, "a short request is one slice");
        assert!(slices.iter().all(|slices| *slices <= 1), "{slices:?}");
        let (_, end) = machine.programs[14].partition.poll().expect("it has ended");
        assert!(end.queue_time.as_us_f64() <= 14.0 * 32.768 + 0.001, "at 1 GB/s: {end:?}");
    }
}

/// Functions that have work all the time get as many octets, whether their requests are long or short.
#[test]
fn long_and_short_requests_get_as_many_octets() {
    let mut machine = Machine::new(1, 3);
    let card = card(&machine);
    let lengths = [LONG, SHORT, 30_000];
    let mut bytes = [0_usize; 3];
    for _ in 0..2000 {
        for (program, length) in lengths.into_iter().enumerate() {
            while machine.programs[program].partition.in_flight() < 8 {
                machine
                    .start(program, Operation::Deflate, length, deflate_bound_bytes(length))
                    .expect("room");
            }
        }
        let slice = machine.slice(card).expect("there is work");
        bytes[usize::from(slice.function.get()) - 1] += slice.bytes;
        for program in &mut machine.programs {
            program.partition.collect(&mut machine.cpc);
        }
    }
    let most = bytes.iter().max().expect("three");
    assert!(bytes.iter().all(|one| most - one <= SLICE_BYTES_MAX), "{bytes:?}");
}

/// Requests of one program as they end beside a neighbour that does `harm`: ends, output, and the slices of the neighbour.
fn beside(harm: impl Fn(&mut Machine)) -> (Vec<Completion>, Vec<u8>, usize) {
    let mut machine = Machine::new(1, 2);
    let card = card(&machine);
    machine.put(1, &text(200_000));
    let mut ends = Vec::new();
    let mut neighbours_slices = 0;
    for _ in 0..20 {
        harm(&mut machine);
        machine.start(1, Operation::Deflate, SHORT, deflate_bound_bytes(SHORT)).expect("there is room");
        while machine.programs[1].partition.in_flight() != 0 {
            let slice = machine.slice(card).expect("there is work");
            neighbours_slices += usize::from(slice.function == vf(1));
            for program in &mut machine.programs {
                program.partition.collect(&mut machine.cpc);
            }
        }
        while machine.programs[0].partition.poll().is_some() {}
        let (_, end) = machine.programs[1].partition.poll().expect("it has ended");
        ends.push(Completion { queue_time: halftrack_base::Span::ZERO, ..end });
    }
    let output = machine.output(1, AREA_BYTES).to_vec();
    (ends, output, neighbours_slices)
}

/// A function that floods, is malformed, fails, or whose storage goes away changes nothing for its neighbour, and delays each
/// of its requests by one slice at most.
#[test]
fn the_harm_of_a_function_is_invisible_to_its_neighbour() {
    let (ends, output, _) = beside(|_| ());
    assert!(ends.iter().all(|end| end.answer == Answer::Done));
    let flood = |machine: &mut Machine| {
        while machine.start(0, Operation::Deflate, LONG, deflate_bound_bytes(LONG)).is_ok() {}
    };
    let malformed = |machine: &mut Machine| {
        machine.put(0, &[0xFF; 4096]);
        let _ = machine.start(0, Operation::Inflate, 4096, LONG);
        let _ = machine.start(0, Operation::Inflate, 0, 0);
        let _ = machine.start(0, Operation::Deflate, LONG, 1);
        let _ = machine.start(0, Operation::Deflate, AREA_BYTES + 1, LONG);
    };
    let failure = |machine: &mut Machine| {
        let card = card(machine);
        let _ = machine.start(0, Operation::Deflate, LONG, deflate_bound_bytes(LONG));
        let now = machine.now;
        let card = machine.cpc.card_mut(card);
        card.begin_slice(&mut *machine.engine, &mut machine.memory, now);
        card.fail_function(vf(1), now).expect("it is configured");
        card.end_slice(now);
    };
    let storage = |machine: &mut Machine| {
        let _ = machine.start(0, Operation::Deflate, LONG, deflate_bound_bytes(LONG));
        machine.memory.0.remove(&SpaceId(0));
    };
    let harms: [fn(&mut Machine); 4] = [flood, malformed, failure, storage];
    for (at, harm) in harms.into_iter().enumerate() {
        let (harmed_ends, harmed_output, slices) = beside(harm);
        assert!(harmed_ends == ends && harmed_output == output, "harm {at}");
        assert!(slices <= ends.len(), "harm {at}: {slices}");
    }
}

/// Requests without data are not free: a flood of them stops nobody.
#[test]
fn empty_requests_do_not_starve_a_function() {
    let mut machine = Machine::new(1, 2);
    let card = card(&machine);
    machine.start(1, Operation::Deflate, LONG, deflate_bound_bytes(LONG)).expect("there is room");
    let mut slices = 0;
    while machine.programs[1].partition.in_flight() != 0 {
        while machine.start(0, Operation::Deflate, 0, 16).is_ok() {}
        machine.slice(card).expect("there is work");
        slices += 1;
        for program in &mut machine.programs {
            program.partition.collect(&mut machine.cpc);
        }
    }
    assert!(slices <= 9 * LONG / SLICE_BYTES_MAX, "{slices}");
}

/// A program that does not collect stops nobody but itself.
#[test]
fn ends_that_are_not_collected_fill_the_own_queues_only() {
    let mut machine = Machine::new(1, 2);
    let card = card(&machine);
    let mut taken = 0;
    for _ in 0..3 * DEPTH_DEFAULT {
        taken += usize::from(machine.start(0, Operation::Deflate, 0, 16).is_ok());
        machine.start(1, Operation::Deflate, 0, 16).expect("the neighbour collects");
        while machine.slice(card).is_some() {}
        let Machine { programs, cpc, .. } = &mut machine;
        programs[1].partition.collect(cpc);
    }
    assert_eq!(taken, DEPTH_DEFAULT);
}
