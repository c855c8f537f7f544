//! Subchannels that share an FCP channel as virtual ports (NPIV), their logins, and the queues of their requests.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use halftrack_base::{Span, Time};
use halftrack_config::{Disturbance, DisturbanceKind, Part, Prices, ProtocolChoice, Stream};
use halftrack_machine::{Capture, Fidelity, Simulation};
use halftrack_program::Operation;
use halftrack_record::PoolInterval;
use halftrack_wire::els::{Els, code};
use halftrack_wire::{FcFrame, FcHeader};

use crate::site::{
    Fcp, Knobs, OPTIONS, Topology, closed, configuration, open, run, same_every_way, shape, stream, us,
};

const ELS: u8 = 0x01;
const FCP: u8 = 0x08;
const COMMAND: u8 = 0x06;

/// Makes reads of so many records of 4 KiB on those devices.
fn reads(name: &str, devices: std::ops::Range<u32>, jobs: u32, records: u16) -> Stream {
    Stream {
        devices: devices.collect(),
        protocol: ProtocolChoice::Fcp,
        read: shape(Operation::Read, records, 4096),
        ..stream(name, closed(jobs))
    }
}

/// Makes two sets of logical units over a subchannel each of one FCP channel.
fn shared(streams: Vec<Stream>) -> Knobs {
    Knobs {
        ports: 2,
        fcp: Some(Fcp { channels: 1, queue_depth: 32, write: us(2.0) }),
        transport: Prices { program: us(1.6), ..Prices::default() },
        first_transfer_bytes: 0,
        streams,
        ..Knobs::default()
    }
}

fn two_systems() -> Knobs {
    shared(vec![reads("one", 0..64, 8, 1), reads("other", 64..128, 8, 1)])
}

fn capture(knobs: &Knobs, frames_max: u64) -> Capture {
    let mut simulation = Simulation::new(Arc::new(configuration(knobs)), OPTIONS).expect("a machine");
    simulation.capture(frames_max);
    simulation.run(&mut |_| ());
    simulation.take_capture()
}

/// A captured frame: when, whether to the channel, header, and code of a request of a link service.
type Captured = (Time, bool, FcHeader, Option<u8>);

fn captured(capture: &Capture) -> Vec<Captured> {
    let frames = capture.frames().map(|captured| {
        let frame = FcFrame::parse(captured.frame).expect("a sound frame");
        let request = (frame.header.fc_type == ELS).then(|| Els::code_of(frame.payload)).flatten();
        (captured.at, captured.inbound, frame.header, request)
    });
    frames.collect()
}

#[test]
fn every_subchannel_logs_in_with_a_name_of_its_own_and_sends_from_its_own_address() {
    let found = captured(&capture(&two_systems(), 3000));
    let sent = |wanted: u8| found.iter().filter(move |one| !one.1 && one.3 == Some(wanted)).count();
    assert_eq!((sent(code::FLOGI), sent(code::FDISC)), (1, 2));
    assert_eq!((sent(code::PRLI), found[0].3), (2, Some(code::FLOGI)));
    let mut of_initiators = BTreeMap::<u32, BTreeSet<u32>>::new();
    for (_, _, header, _) in found.iter().filter(|one| one.2.fc_type == FCP && one.2.r_ctl == COMMAND) {
        of_initiators.entry(header.s_id).or_default().insert(header.d_id);
    }
    let expected = [(0x61_2001, [0x61_2100].into()), (0x61_2002, [0x61_2200].into())];
    assert_eq!(of_initiators, expected.into(), "each goes to the port of its own units");
}

#[test]
fn no_command_goes_out_before_its_login_is_over() {
    for knobs in [two_systems(), Knobs { topology: Topology::Row(3), km: 20, ..two_systems() }] {
        let found = captured(&capture(&knobs, 3000));
        for initiator in [0x61_2001, 0x61_2002] {
            let logged_in = |one: &&Captured| one.1 && one.2.d_id == initiator && one.2.fc_type == ELS;
            let last = found.iter().filter(logged_in).map(|one| one.0).max().expect("it logs in");
            let command = |one: &&Captured| one.2.s_id == initiator && one.2.fc_type == FCP;
            let first = found.iter().find(command).expect("it sends").0;
            let late = first.since(last);
            assert!(first >= last && late < us(60.0), "{initiator:06X}: {late:?}");
            // FLOGI, FDISC, PLOGI, registration, the name server's answer, PLOGI and PRLI: each a round trip.
            let round_trip = us(10.0) * knobs.km;
            assert!(last.since(Time::ZERO) > round_trip * 7, "{last:?}");
        }
    }
}

#[test]
fn initiators_without_a_director_share_the_address_of_their_channel() {
    let knobs = Knobs { ports: 1, topology: Topology::Direct, ..shared(vec![reads("one", 0..64, 8, 1)]) };
    let found = captured(&capture(&knobs, 500));
    let sources: BTreeSet<u32> = found
        .iter()
        .filter(|one| one.2.r_ctl == COMMAND && one.2.fc_type == FCP)
        .map(|one| one.2.s_id)
        .collect();
    assert_eq!(sources.len(), 1, "{sources:X?}");
    assert!(found.iter().all(|one| one.3 != Some(code::FDISC)));
}

#[test]
fn a_channel_whose_light_comes_back_logs_in_again_before_it_takes_commands() {
    let lost = Disturbance {
        at: Span::from_ms(4),
        lasts: Span::from_ms(1),
        kind: DisturbanceKind::PartLost { part: Part::Channel(0) },
    };
    let work = Stream { arrivals: open(20_000), ..reads("one", 0..64, 8, 1) };
    let knobs = Knobs { km: 20, disturbances: vec![lost], warmup: Span::ZERO, ..shared(vec![work]) };
    let found = captured(&capture(&knobs, 3000));
    let back = Time::ZERO + Span::from_ms(5);
    let again = found.iter().filter(|one| one.0 >= back && one.3 == Some(code::FLOGI) && !one.1);
    assert_eq!(again.map(|one| one.0).collect::<Vec<_>>(), [back]);
    let commands = || found.iter().filter(|one| one.2.r_ctl == COMMAND && one.2.fc_type == FCP);
    assert!(commands().any(|one| one.0 < Time::ZERO + Span::from_ms(4)), "before the loss");
    let first = commands().find(|one| one.0 > back).expect("after it").0;
    let replied = found.iter().filter(|one| one.1 && one.2.fc_type == ELS).map(|one| one.0).max();
    assert!(first >= replied.expect("a login"), "{first:?}");
    assert!(first.since(back) > Span::from_us(200) * 7, "{first:?}");
    same_every_way(&knobs, Fidelity::Burst, 100);
}

fn queue<'r>(run: &'r halftrack_record::Run, name: &str) -> &'r PoolInterval {
    let mut pools = run.intervals[0].pools.iter();
    pools.find(|pool| pool.name == name).unwrap_or_else(|| panic!("{:?}", run.intervals[0].pools))
}

/// By Little's law 128 requests of one buffer are open at most, or 64 of two.
#[test]
fn a_full_request_queue_keeps_requests_in_the_host() {
    for (records, requests_max) in [(1, 128.0), (16, 64.0)] {
        let knobs = shared(vec![reads("one", 0..64, 512, records)]);
        let (run, _) = run(&knobs, OPTIONS);
        let queue = queue(&run, "lpar PROD1 FCP 6000 request queue");
        let length_ps = run.intervals[0].length_ps;
        let taken = queue.taken_ns as f64 * 1000.0 / length_ps as f64;
        assert!(queue.tokens == 128 && taken > 120.0 && taken <= 128.0, "{queue:?}");
        assert!(queue.short_ps as f64 > 0.95 * length_ps as f64, "{queue:?}");
        let channel = run.intervals[0].pools.iter().find(|pool| pool.name.ends_with("open exchanges"));
        let open = channel.expect("exchanges are open").taken_ns as f64 * 1000.0 / length_ps as f64;
        assert!(open <= requests_max && open > 0.9 * requests_max, "{open}");
        same_every_way(&knobs, Fidelity::Burst, 100);
    }
}

#[test]
fn requests_of_few_jobs_wait_for_no_buffers() {
    let (run, _) = run(&two_systems(), OPTIONS);
    for name in ["lpar PROD1 FCP 6000 request queue", "lpar PROD1 FCP 6010 request queue"] {
        let queue = queue(&run, name);
        let taken = queue.taken_ns as f64 * 1000.0 / run.intervals[0].length_ps as f64;
        assert!(queue.short_ps == 0 && taken > 1.0 && taken < 8.0, "{queue:?}");
    }
}
