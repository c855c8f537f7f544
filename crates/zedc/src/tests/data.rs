//! Data through a card.

use flate2::{Compress, Compression, FlushCompress};
use proptest::prelude::*;

use crate::rig::*;
use crate::*;

fn deflated_elsewhere(data: &[u8]) -> Vec<u8> {
    let mut stream = Vec::with_capacity(data.len() + 1024);
    let mut compress = Compress::new(Compression::new(6), false);
    compress.compress_vec(data, &mut stream, FlushCompress::Finish).expect("it compresses");
    stream
}

fn check_values(data: &[u8]) -> (u32, u32) {
    let engine = ZlibRs::default();
    (engine.crc32(0, data), engine.adler32(1, data))
}

#[test]
fn data_of_any_length_are_deflated_and_come_back() {
    let mut machine = Machine::new(1, 1);
    for bytes in [0, 1, 4096, SLICE_BYTES_MAX, SLICE_BYTES_MAX + 1, 100_000, INPUT_BYTES_MAX] {
        for data in [text(bytes), incompressible(bytes), vec![0; bytes]] {
            machine.put(0, &data);
            let end = machine.run_one(Operation::Deflate, bytes, deflate_bound_bytes(bytes));
            assert_eq!((end.answer, end.consumed_bytes as usize), (Answer::Done, bytes));
            assert_eq!((end.crc32, end.adler32), check_values(&data));
            let stream = machine.output(0, end.produced_bytes as usize).to_vec();
            assert!(inflated_elsewhere(&stream) == data);
            if stream.len() > INPUT_BYTES_MAX {
                continue;
            }

            machine.put(0, &stream);
            let back = machine.run_one(Operation::Inflate, stream.len(), bytes);
            assert_eq!((back.answer, back.consumed_bytes as usize), (Answer::Done, stream.len()));
            assert_eq!((back.crc32, back.adler32), (end.crc32, end.adler32));
            assert_eq!(machine.output(0, bytes), data);
        }
    }
}

#[test]
fn blocks_of_open_requests_are_one_stream_with_those_that_follow() {
    let mut machine = Machine::new(1, 1);
    let (mut stream, mut all) = (Vec::new(), Vec::new());
    for (bytes, options) in
        [(100_000, Options::OPEN), (0, Options::OPEN), (40_000, Options::OPEN), (0, Options::default())]
    {
        let data = text(bytes);
        machine.put(0, &data);
        machine.start_with(0, options, bytes, deflate_bound_bytes(bytes)).expect("a card takes it");
        let end = machine.run().remove(0).remove(0);
        assert_eq!((end.answer, end.consumed_bytes as usize), (Answer::Done, bytes));
        stream.extend_from_slice(machine.output(0, end.produced_bytes as usize));
        all.extend(data);
    }
    assert!(inflated_elsewhere(&stream) == all);
    let refused = machine.start_with(0, Options::OPEN | Options::INFLATE, 1, 1);
    assert_eq!(refused, Err(Answer::BadOptions), "a stream that is inflated has its own end");
}

/// A program that falls back gets the octets that a card with the engine gives.
#[test]
fn software_gives_the_octets_of_the_card() {
    let mut machine = Machine::new(1, 1);
    for data in [text(300_000), incompressible(70_000), vec![]] {
        machine.put(0, &data);
        let end = machine.run_one(Operation::Deflate, data.len(), deflate_bound_bytes(data.len()));
        let mut output = vec![0; deflate_bound_bytes(data.len())];
        let bytes =
            software::deflate(&mut ZlibRs::default(), &data, &mut output).expect("it is within the bound");
        assert_eq!(machine.output(0, end.produced_bytes as usize), &output[..bytes]);
        let short = software::deflate(&mut ZlibRs::default(), &data, &mut output[..bytes - 1]);
        assert_eq!(short, Err(EngineFault::OutputFull));
    }
}

#[test]
fn an_output_of_the_exact_length_is_enough_and_one_octet_less_is_not() {
    let mut machine = Machine::new(1, 1);
    for data in [text(1), text(20_000), text(500_000), incompressible(100_000)] {
        machine.put(0, &data);
        let bytes = machine.run_one(Operation::Deflate, data.len(), AREA_BYTES / 2).produced_bytes as usize;
        let stream = machine.output(0, bytes).to_vec();
        for (operation, input, bytes) in
            [(Operation::Deflate, &data, bytes), (Operation::Inflate, &stream, data.len())]
        {
            machine.put(0, input);
            assert_eq!(machine.run_one(operation, input.len(), bytes).answer, Answer::Done);
            let untouched = machine.output(0, AREA_BYTES)[bytes - 1..].to_vec();
            let end = machine.run_one(operation, input.len(), bytes - 1);
            assert_eq!(end.answer, Answer::OutputTooSmall);
            assert_eq!((end.consumed_bytes, end.produced_bytes, end.crc32, end.adler32), (0, 0, 0, 0));
            assert!(machine.output(0, AREA_BYTES)[bytes - 1..] == untouched, "nothing is written behind it");
        }
    }
}

/// Streams cut short, changed, or expanding a thousand times are answers, and the card goes on.
#[test]
fn bad_streams_are_answers() {
    let mut machine = Machine::new(1, 1);
    for data in [text(10_000), text(900_000)] {
        let mut stream = deflated_elsewhere(&data);
        machine.put(0, &stream);
        for cut in [0, 1, stream.len() / 2, stream.len() - 1] {
            assert_eq!(
                machine.run_one(Operation::Inflate, cut, data.len() + 1).answer,
                Answer::Truncated,
                "{cut}"
            );
        }
        stream[0] |= 6;
        machine.put(0, &stream);
        assert_eq!(machine.run_one(Operation::Inflate, stream.len(), data.len()).answer, Answer::Corrupt);
    }
    let bomb = deflated_elsewhere(&vec![0; 64 << 20]);
    assert!(bomb.len() < 70_000);
    machine.put(0, &bomb);
    assert_eq!(machine.run_one(Operation::Inflate, bomb.len(), 10_000).answer, Answer::OutputTooSmall);
    let end = machine.run_one(Operation::Inflate, bomb.len(), OUTPUT_BYTES_MAX);
    assert_eq!(end.answer, Answer::ExpandsTooFar);
    assert!(machine.output(0, AREA_BYTES)[OUTPUT_BYTES_MAX..].iter().all(|octet| *octet == 0));
}

#[test]
fn octets_behind_a_stream_are_not_consumed() {
    let mut machine = Machine::new(1, 1);
    for data in [text(1000), text(500_000)] {
        let stream = deflated_elsewhere(&data);
        let mut input = stream.clone();
        input.extend_from_slice(&[0xA5; 100]);
        machine.put(0, &input);
        let end = machine.run_one(Operation::Inflate, input.len(), data.len());
        assert_eq!((end.answer, end.consumed_bytes as usize), (Answer::Done, stream.len()));
        assert_eq!(machine.output(0, data.len()), data);
    }
}

/// Returns a list over `bytes` octets of a region whose segments have these lengths, with a gap behind each.
fn scattered(region: RegionToken, from: u64, bytes: usize, lengths: &[u32]) -> Vec<Segment> {
    let (mut address, mut left) = (from, bytes as u32);
    let mut list = Vec::new();
    for length in lengths.iter().cycle().take(200) {
        let length_bytes = left.min(*length);
        list.push(Segment { region, address, length_bytes });
        address += u64::from(length_bytes) + 3;
        left -= length_bytes;
    }
    list.push(Segment { region, address, length_bytes: left });
    list
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Lists of any segments give the octets of flat areas, and nothing between the segments is touched.
    #[test]
    fn lists_give_the_octets_of_flat_areas(
        bytes in 0_usize..200_000,
        inputs in prop::collection::vec(0_u32..3000, 1..20),
        outputs in prop::collection::vec(0_u32..3000, 1..20),
    ) {
        let mut machine = Machine::new(1, 1);
        let data = text(bytes);
        machine.put(0, &data);
        let flat = machine.run_one(Operation::Deflate, bytes, deflate_bound_bytes(bytes));
        let expected = machine.output(0, flat.produced_bytes as usize).to_vec();

        let Program { partition, token, space, input, output } = &mut machine.programs[0];
        let input = scattered(*input, 0, bytes, &inputs);
        let output = scattered(*output, AREA_BYTES as u64, expected.len(), &outputs);
        let storage = machine.memory.0.get_mut(space).expect("an address space");
        storage.bytes_mut().fill(0xA5);
        let mut from = 0;
        for segment in &input {
            let length = segment.length_bytes as usize;
            storage.bytes_mut()[segment.address as usize..][..length].copy_from_slice(&data[from..][..length]);
            from += length;
        }
        let mut untouched = storage.clone();
        let options = Options::INPUT_LIST | Options::OUTPUT_LIST;
        let parameters = Autonomous { options, input: &input, output: &output };
        partition.compress(*token, parameters, &mut machine.cpc, machine.now).expect("a card takes it");
        let space = *space;
        let end = machine.run()[0][0];
        prop_assert_eq!((end.answer, end.produced_bytes), (Answer::Done, flat.produced_bytes));
        let mut gathered = Vec::new();
        for segment in &output {
            let range = segment.address as usize..segment.address as usize + segment.length_bytes as usize;
            let octets = machine.memory.0[&space].bytes()[range.clone()].to_vec();
            untouched.bytes_mut()[range].copy_from_slice(&octets);
            gathered.extend(octets);
        }
        prop_assert!(gathered == expected);
        prop_assert!(machine.memory.0[&space] == untouched, "nothing between the segments is touched");
    }
}
