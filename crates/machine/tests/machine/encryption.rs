//! The cost of encrypted frames: their octets on the links, and the time in the engines of both adapters; nothing else.

use halftrack_base::Span;
use halftrack_config::{
    Disturbance, DisturbanceKind, EndpointSecurity, KeyServer, Part, ProtocolChoice, Stream,
};
use halftrack_fabric::endpoint_security::{Policy, Terms};
use halftrack_machine::{ExchangeMode, Fidelity, Options, Threads};
use halftrack_program::Protocol;
use halftrack_record::Run;

use crate::endpoint_security::{SERVER, security, terms};
use crate::site::{Knobs, OPTIONS, Topology, closed, run, shape, stream};

/// Returns the endpoint security of the sites here, encrypted or not.
fn secured(is_encrypted: bool) -> (Terms, Option<EndpointSecurity>) {
    let policy = if is_encrypted { Policy::Audit } else { Policy::Off };
    (terms(policy), Some(security(Some(SERVER))))
}

/// Reads, and writes where `read_ppm` is less than all, of `records` records of `bytes` in closed jobs.
fn work(jobs: u32, (records, bytes): (u16, u16), read_ppm: u32) -> Stream {
    let of = |operation| shape(operation, records, bytes);
    let (read, write) =
        (of(halftrack_program::Operation::Read), of(halftrack_program::Operation::UpdateWrite));
    Stream { read, write, read_ppm, ..stream("work", closed(jobs)) }
}

fn knobs(work: Stream, is_encrypted: bool) -> Knobs {
    Knobs { streams: vec![work], security: secured(is_encrypted), ..Knobs::default() }
}

fn rate(run: &Run) -> f64 {
    run.streams[0].rate_per_s.mean
}

fn response_us(run: &Run) -> f64 {
    run.streams[0].response_us.mean
}

/// Returns the octets on all links for each octet of data that the channels read.
fn octets(run: &Run) -> f64 {
    let interval = &run.intervals[0];
    let on_links: u64 = interval.links.iter().map(|link| link.wire_bytes).sum();
    let moved: u64 = interval.channels.iter().map(|channel| channel.read_bytes + channel.write_bytes).sum();
    on_links as f64 / moved as f64
}

/// Runs both ways, clear and encrypted.
fn both(work: &Stream, more: impl Fn(&mut Knobs), options: Options) -> [Run; 2] {
    [false, true].map(|is_encrypted| {
        let mut knobs = knobs(work.clone(), is_encrypted);
        more(&mut knobs);
        run(&knobs, options).0
    })
}

const FIDELITIES: [Fidelity; 2] = [Fidelity::Burst, Fidelity::Frame];

/// A full frame is 2,148 octets and 24 of fill, with 36 octets more of ESP: 1.6 % longer.
#[test]
fn a_full_link_loses_what_the_longer_frames_take_and_less_than_the_paper_allows() {
    for fidelity in FIDELITIES {
        for (read_ppm, records) in [(1_000_000, 16), (0, 16), (1_000_000, 32)] {
            let full = |knobs: &mut Knobs| (knobs.fill_bytes, knobs.interval) = (24, Span::from_ms(100));
            let [clear, encrypted] =
                both(&work(64, (records, 4096), read_ppm), full, Options { fidelity, ..OPTIONS });
            let loss = 100.0 * (1.0 - rate(&encrypted) / rate(&clear));
            assert!((1.2..2.0).contains(&loss), "{fidelity:?} {read_ppm} {records}: {loss} %");
            let longer = octets(&encrypted) / octets(&clear);
            assert!((1.015..1.02).contains(&longer), "{longer}");
        }
    }
}

#[test]
fn a_busy_channel_processor_hides_the_longer_frames_of_4k() {
    let longer = |knobs: &mut Knobs| knobs.interval = Span::from_ms(100);
    let [clear, encrypted] = both(&work(64, (1, 4096), 1_000_000), longer, OPTIONS);
    let loss = 100.0 * (1.0 - rate(&encrypted) / rate(&clear));
    assert!(loss.abs() < 0.1, "{loss} %");
    let busy = |run: &Run| run.intervals[0].channels[0].processor_busy_ps as f64;
    assert!((busy(&encrypted) / busy(&clear) - 1.0).abs() < 0.001, "it is free for the processor");
}

/// A read of 4 KiB is a command and its data with the status: each way through two engines, and 36 octets a frame.
#[test]
fn response_grows_by_the_engines_and_the_octets() {
    for fidelity in FIDELITIES {
        for topology in [Topology::Direct, Topology::Director, Topology::Cascade] {
            let of = |knobs: &mut Knobs| knobs.topology = topology;
            let [clear, encrypted] =
                both(&work(1, (1, 4096), 1_000_000), of, Options { fidelity, ..OPTIONS });
            let grown = response_us(&encrypted) - response_us(&clear);
            assert!((2.0..2.2).contains(&grown), "{fidelity:?} {topology:?}: {grown} us");
        }
    }
}

/// Data of 4 KiB cross an engine of each adapter, as their command did before.
#[test]
fn response_grows_by_the_latency_of_the_engines() {
    let response = |latency_ns| {
        let mut knobs = knobs(work(1, (1, 4096), 1_000_000), true);
        knobs.security.1 =
            Some(EndpointSecurity { engine_latency: Span::from_ns(latency_ns), ..security(Some(SERVER)) });
        response_us(&run(&knobs, OPTIONS).0)
    };
    let [none, low, assumed, high] = [0, 100, 500, 1000].map(response);
    for (slower, us) in [(low, 0.4), (assumed, 2.0), (high, 4.0)] {
        assert!((slower - none - us).abs() < 0.02, "{slower} {none} {us}");
    }
}

/// Octets of ESP are on the links. BUS, READ and WRITE stay payload, and no station of the machine or of the box works longer
/// for what it does: no CP, no SAP, no channel processor. One I/O at a time, as threads of a SAP that are both busy slow each
/// other.
#[test]
fn octets_of_encryption_are_on_the_links_and_nowhere_else() {
    let means = |run: &Run| {
        let interval = &run.intervals[0];
        let channel = &interval.channels[0];
        let payload = [("read", channel.read_bytes), ("written", channel.write_bytes)];
        let busy = [("BUS", channel.bus_busy_ps), ("processor", channel.processor_busy_ps)];
        let of_an_io = payload.into_iter().chain(busy);
        let of_an_io = of_an_io.map(|(name, sum)| (name.to_owned(), sum as f64 / channel.started() as f64));
        let visited = interval.stations.iter().filter(|station| station.completions > 0);
        let of_a_visit = visited.map(|one| (one.name.clone(), one.busy_ps as f64 / one.completions as f64));
        of_an_io.chain(of_a_visit).collect::<Vec<(String, f64)>>()
    };
    for read_ppm in [1_000_000, 0] {
        let longer = |knobs: &mut Knobs| knobs.interval = Span::from_ms(100);
        let [clear, encrypted] = both(&work(1, (4, 4096), read_ppm), longer, OPTIONS);
        assert!(octets(&encrypted) > 1.015 * octets(&clear), "{} {}", octets(&encrypted), octets(&clear));
        let (clear, encrypted) = (means(&clear), means(&encrypted));
        assert_eq!(clear.len(), encrypted.len());
        for ((name, clear), (_, encrypted)) in clear.iter().zip(&encrypted) {
            assert!((encrypted - clear).abs() <= 0.005 * clear, "{name}: {clear} {encrypted}");
        }
    }
}

#[test]
fn writes_and_command_mode_pay_for_every_trip() {
    for (protocol, read_ppm, least) in
        [(Protocol::Transport, 0, 2.0), (Protocol::Command, 1_000_000, 2.0), (Protocol::Command, 0, 2.0)]
    {
        let work = Stream { protocol: ProtocolChoice::Always(protocol), ..work(1, (4, 4096), read_ppm) };
        let [clear, encrypted] = both(&work, |_| {}, OPTIONS);
        let grown = response_us(&encrypted) - response_us(&clear);
        assert!((least..9.0).contains(&grown), "{protocol:?} {read_ppm}: {grown} us");
    }
}

/// Command mode fills frames of 2,112 octets in clear text; encrypted ones carry 2,048, as 2,112 would not fit the data field.
#[test]
fn encrypted_frames_of_command_mode_carry_2048_octets() {
    let command =
        Stream { protocol: ProtocolChoice::Always(Protocol::Command), ..work(4, (16, 4096), 1_000_000) };
    let [clear, encrypted] = both(&command, |_| {}, OPTIONS);
    let frames = |run: &Run| run.programs.iter().map(|one| one.frames_in).max().unwrap_or(0);
    assert!(frames(&encrypted) > frames(&clear), "{} {}", frames(&encrypted), frames(&clear));
}

/// Runs in every way and expects one record.
fn one_record_of(knobs: &Knobs) -> Run {
    let first = run(knobs, OPTIONS).0;
    for (exchange, threads) in [(ExchangeMode::Planned, 2), (ExchangeMode::Live, 1), (ExchangeMode::Live, 2)]
    {
        let (other, _) = run(knobs, Options { exchange, threads: Threads::Exactly(threads), ..OPTIONS });
        assert!(other == first, "{exchange:?} on {threads} threads");
    }
    first
}

#[test]
fn planned_and_live_exchanges_give_one_record_on_any_number_of_threads() {
    for (records, read_ppm) in [(1, 700_000), (16, 500_000)] {
        for topology in [Topology::Direct, Topology::Director, Topology::Trunk] {
            let encrypted = knobs(work(24, (records, 4096), read_ppm), true);
            one_record_of(&Knobs { topology, channels: 2, ..encrypted });
        }
    }
}

/// Keys are lost with the box while the server is gone; the paths come back in clear text, over either of two inter-switch
/// links.
#[test]
fn frames_grow_shorter_when_paths_come_back_in_clear_text() {
    let event = |at_ms, lasts_ms, kind| Disturbance {
        at: Span::from_ms(at_ms),
        lasts: Span::from_ms(lasts_ms),
        kind,
    };
    let mut lost = knobs(work(24, (4, 4096), 1_000_000), true);
    lost.topology = Topology::Trunk;
    let whole = octets(&run(&lost, OPTIONS).0);
    lost.disturbances = vec![
        event(1, 900, DisturbanceKind::KeyServerLost),
        event(2, 1, DisturbanceKind::PartLost { part: Part::ControlUnit(0) }),
    ];
    let shorter = octets(&one_record_of(&lost));
    lost.security = secured(false);
    let clear = octets(&run(&lost, OPTIONS).0);
    assert!(whole > 1.01 * clear && (shorter / clear - 1.0).abs() < 0.001, "{whole} {shorter} {clear}");
}

#[test]
fn frames_grow_longer_when_a_path_is_encrypted_at_its_next_login() {
    let event = |at_ms, lasts_ms, kind| Disturbance {
        at: Span::from_ms(at_ms),
        lasts: Span::from_ms(lasts_ms),
        kind,
    };
    let mut later = knobs(work(24, (4, 4096), 1_000_000), true);
    let whole = octets(&run(&later, OPTIONS).0);
    later.security.1 = Some(security(Some(KeyServer { key_lifetime: Some(Span::from_ms(50)), ..SERVER })));
    later.disturbances = vec![
        event(0, 2, DisturbanceKind::KeyServerLost),
        event(3, 1, DisturbanceKind::PathLost { channel: 0 }),
    ];
    let found = octets(&one_record_of(&later));
    assert!((found / whole - 1.0).abs() < 0.001, "{found} {whole}");
}

/// With credits for the round trip of a long fibre and no more, encrypted frames need no more of them: each is longer.
#[test]
fn frames_over_a_long_fibre_keep_their_credits() {
    let long = |knobs: &mut Knobs| (knobs.km, knobs.credits, knobs.fill_bytes) = (50, 1024, 24);
    let [clear, encrypted] = both(&work(256, (16, 4096), 1_000_000), long, OPTIONS);
    let loss = 100.0 * (1.0 - rate(&encrypted) / rate(&clear));
    assert!((0.5..2.5).contains(&loss), "{loss} %");
    let waits = |run: &Run| run.intervals[0].links.iter().map(|link| link.credit_wait_ps).sum::<u64>();
    assert!(waits(&encrypted) <= waits(&clear) + 1_000_000, "{} {}", waits(&encrypted), waits(&clear));
}
