//! Streams whose data are compressed: their channels move what is left, and their jobs wait for the cards.

use halftrack_base::Span;
use halftrack_config::{
    Arrivals, CompressedStream, Compression, CompressionArrivals, CompressionWork, Stream,
};
use halftrack_machine::Fidelity;
use halftrack_program::{Operation, ProgramShape};
use halftrack_record::{CompressionInterval, Run};
use halftrack_zedc::Operation as Function;
use halftrack_zedc_twin::Exploiter;

use crate::compression::cards;
use crate::site::{Knobs, OPTIONS, closed, open, run, same_every_way, stream};

/// Records of an I/O, and octets of each before compression.
const RECORDS: u16 = 16;
const RECORD_BYTES: u16 = 4096;
/// Time of a card for the 64 KiB of an I/O, us: 8 and 65.536.
const REQUEST_US: f64 = 73.536;

/// Makes a stream that reads or writes records of so many octets.
fn sequential(function: Function, record_bytes: u16, arrivals: Arrivals) -> Stream {
    let mut stream = stream("BSAM", arrivals);
    let shape =
        |operation, of: ProgramShape| ProgramShape { operation, record_bytes, records: RECORDS, ..of };
    stream.read = shape(Operation::Read, stream.read);
    stream.write = shape(Operation::UpdateWrite, stream.write);
    stream.read_ppm = if function == Function::Inflate { 1_000_000 } else { 0 };
    stream
}

/// Makes a site with the stream, whose data shrink to a quarter; `lpar` is its partition.
fn compressed(function: Function, arrivals: Arrivals, lpar: u32) -> Knobs {
    let plain_bytes = u32::from(RECORDS) * u32::from(RECORD_BYTES);
    let request =
        CompressedStream { exploiter: Exploiter::Bsam, operation: function, plain_bytes, ratio: 4.0 };
    let mut stream = sequential(function, RECORD_BYTES / 4, arrivals);
    (stream.lpar, stream.compression) = (lpar, Some(request));
    let arrivals = CompressionArrivals::Stream(0);
    let work = vec![CompressionWork { lpar, name: "BSAM".to_owned(), arrivals, request }];
    let compression = Compression { machines: vec![cards()], work, software_mb_per_s: Some(100.0) };
    Knobs { compression, streams: vec![stream], lpars: 2, interval: Span::from_ms(200), ..Knobs::default() }
}

fn of(run: &Run) -> &CompressionInterval {
    &run.intervals[0].compression[0]
}

/// Returns the mean time between two I/Os of the one job of a stream, us.
fn cycle_us(run: &Run) -> f64 {
    run.intervals[0].length_ps as f64 / 1e6 / run.streams[0].completed as f64
}

#[test]
fn a_job_waits_for_its_card_and_its_channel_moves_what_is_left() {
    for function in [Function::Deflate, Function::Inflate] {
        let run_compressed = same_every_way(&compressed(function, closed(1), 0), Fidelity::Burst, 1_000);
        let mut plain = compressed(function, closed(1), 0);
        (plain.compression, plain.streams) =
            (Compression::default(), vec![sequential(function, RECORD_BYTES / 4, closed(1))]);
        let (run_plain, _) = run(&plain, OPTIONS);
        let longer_us = cycle_us(&run_compressed) - cycle_us(&run_plain);
        assert!((longer_us - REQUEST_US).abs() < 5.0, "{function:?}: {longer_us} us");
        let bytes = |run: &Run| {
            let channels = run.intervals[0].channels.iter();
            channels.map(|channel| channel.read_bytes + channel.write_bytes).sum::<u64>() as f64
        };
        let per_io = |run: &Run| bytes(run) / run.streams[0].completed as f64;
        assert!((per_io(&run_compressed) / per_io(&run_plain) - 1.0).abs() < 0.01, "the same octets an I/O");
        let counted = of(&run_compressed);
        assert!(counted.requests > 100 && counted.software_requests == 0, "{counted:?}");
        assert!(counted.started.abs_diff(run_compressed.streams[0].completed) <= 2, "a request an I/O");
        assert!(run_compressed.checkers.iter().all(|law| law.violations.is_empty()));
    }
}

/// 655.36 us at 100 MB/s.
#[test]
fn a_job_without_a_card_waits_for_software() {
    let (with_card, _) = run(&compressed(Function::Deflate, closed(1), 0), OPTIONS);
    let (alone, _) = run(&compressed(Function::Deflate, closed(1), 1), OPTIONS);
    assert!(of(&alone).requests == 0 && of(&alone).software_requests > 50, "{:?}", of(&alone));
    let longer_us = cycle_us(&alone) - cycle_us(&with_card);
    assert!((longer_us - 655.36 + REQUEST_US).abs() < 20.0, "{longer_us} us");
}

#[test]
fn arrivals_that_nothing_limits_all_come_to_their_disks() {
    for function in [Function::Deflate, Function::Inflate] {
        let run = same_every_way(&compressed(function, open(2_000), 0), Fidelity::Burst, 300);
        let (ios, requests) = (run.streams[0].completed, of(&run).requests);
        assert!(ios > 300 && ios.abs_diff(requests) <= 5, "{ios} I/Os and {requests} requests");
        assert!(run.checkers.iter().all(|law| law.violations.is_empty()));
    }
}

#[test]
fn cards_that_hold_a_stream_back_are_the_busiest_stations() {
    let (run, _) = run(&compressed(Function::Deflate, closed(12), 0), OPTIONS);
    let interval = &run.intervals[0];
    let is_card = |name: &str| name.starts_with("compression card ");
    let cards: Vec<_> = interval.stations.iter().filter(|one| is_card(&one.name)).collect();
    assert_eq!(
        cards.iter().map(|one| &one.name[..]).collect::<Vec<_>>(),
        ["compression card 108", "compression card 178"]
    );
    for (card, function) in cards.iter().zip(&interval.compression_functions) {
        assert!(card.busy_ps <= interval.length_ps && card.busy_ps > interval.length_ps * 9 / 10, "{card:?}");
        assert_eq!(card.completions, function.requests);
        // The function counts a request when it has ended.
        let apart_us = card.busy_ps.abs_diff(function.execution_ps) as f64 / 1e6;
        assert!(apart_us < 10.0 * REQUEST_US, "{card:?} beside {function:?}");
    }
    let others = interval.stations.iter().filter(|one| !is_card(&one.name));
    assert!(others.map(|one| one.busy_ps / u64::from(one.servers.max(1))).max() < Some(cards[0].busy_ps));
}
