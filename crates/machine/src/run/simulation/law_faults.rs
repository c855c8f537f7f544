//! Every law notices its fault: one is injected into a run under way, and the law is broken.

use std::path::Path;

use halftrack_catalog::Catalog;
use halftrack_config::{
    CardMachine, CompressedStream, Compression, CompressionArrivals, CompressionWork, Directions,
    SynchronousIo, SynchronousLink, SynchronousRequest, SynchronousStream,
};
use halftrack_record::Run;
use halftrack_zedc::sizing::CardSpeed;
use halftrack_zedc::{Operation, ResourceGroup};
use halftrack_zedc_twin::{Exploiter, InstallationPlan};

use super::*;
use crate::host::faults::FrameLoss;
use crate::run::throughput_bounds;
use crate::wiring::options::{Fidelity, Options};

const STARTS: &str = "every start ends exactly once";
const FRAMES: &str = "frames and bytes are conserved";
const LITTLE: &str = "Little's law for the open exchanges of every channel";
const CREDITS: &str = "credits are never negative, leaked or left while frames wait";
const SYNCHRONOUS: &str = "every synchronous request has an outcome, and every reject becomes an I/O";
const COMPRESSION: &str = "every request for compression is done by a card or in software, or in progress";
const RESPONSE: &str = "response time is the sum of its components";

/// Makes one channel full of 4K reads.
fn configuration() -> halftrack_config::Configuration {
    let study = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/fex32s-zhpf-4k");
    let loaded = halftrack_config::load(&study, &Catalog::load(&[]).0);
    loaded.configuration.expect("the study is right")
}

/// Runs such a channel frame by frame, so that credits count, until a millisecond after its start.
fn under_way() -> Simulation {
    let mut simulation = wired();
    simulation.advance(Span::from_ms(1));
    assert_eq!(broken(&mut simulation), [""; 0], "no law is broken before a fault");
    simulation
}

fn wired() -> Simulation {
    let mut configuration = configuration();
    configuration.streams[0].selection = halftrack_config::Selection::Uniform;
    configuration.run.warmup = Span::from_ms(5);
    configuration.run.interval = Span::from_ms(20);
    let options = Options { fidelity: Fidelity::Frame, ..Options::new(1) };
    Simulation::new(Arc::new(configuration), options).expect("the study can be wired")
}

/// Returns the laws that are broken now.
fn broken(simulation: &mut Simulation) -> Vec<String> {
    let reports = simulation.check().into_iter();
    reports.filter(|report| !report.violations.is_empty()).map(|report| report.law).collect()
}

fn demand_seen(simulation: &mut Simulation, law: &str) {
    let broken = broken(simulation);
    assert!(broken.iter().any(|one| one == law), "broken are {broken:?}, not {law:?}");
}

/// Returns the first channel's fibre towards the director.
fn fibre(simulation: &Simulation) -> u32 {
    simulation.wiring.hops[simulation.wiring.paths[0].outbound.range()][0].link
}

#[test]
fn a_double_ending_is_seen() {
    let mut simulation = under_way();
    simulation.sides().0.end_early();
    assert_eq!(broken(&mut simulation), [""; 0], "it has ended once so far");
    simulation.advance(Span::from_ms(1));
    demand_seen(&mut simulation, STARTS);
}

#[test]
fn a_double_start_is_seen() {
    let mut simulation = under_way();
    simulation.sides().0.start_again();
    demand_seen(&mut simulation, STARTS);
}

#[test]
fn a_lost_frame_is_seen_whether_it_was_taken_in_or_forgotten() {
    for loss in [FrameLoss::Uncounted, FrameLoss::Forgotten] {
        let mut simulation = under_way();
        while !simulation.sides().0.lose_frame(loss) {
            simulation.advance(Span::from_us(1));
        }
        demand_seen(&mut simulation, FRAMES);
    }
}

#[test]
fn an_exchange_that_is_closed_twice_is_seen() {
    let mut simulation = under_way();
    simulation.sides().0.close_exchange_early();
    demand_seen(&mut simulation, LITTLE);
}

#[test]
fn a_frame_that_waits_while_there_are_credits_is_seen() {
    let mut simulation = under_way();
    let link = fibre(&simulation);
    let credits = simulation.sides().0.withhold_credits(link);
    simulation.advance(Span::from_us(100));
    simulation.sides().0.give_credits_in_silence(link, credits);
    demand_seen(&mut simulation, CREDITS);
}

#[test]
fn a_lost_credit_is_seen() {
    let mut simulation = under_way();
    let link = fibre(&simulation);
    simulation.sides().0.lose_credit(link);
    demand_seen(&mut simulation, CREDITS);
}

#[test]
fn a_credit_given_twice_is_seen() {
    let mut simulation = under_way();
    let link = fibre(&simulation);
    while !simulation.sides().0.double_credit(link) {
        simulation.advance(Span::from_us(1));
    }
    demand_seen(&mut simulation, CREDITS);
}

#[test]
fn a_wrong_instant_is_seen_in_the_components() {
    let mut simulation = under_way();
    simulation.sides().0.backdate_start();
    simulation.advance(Span::from_ms(1));
    demand_seen(&mut simulation, RESPONSE);
}

/// Runs the reads over one zHyperLink first, until a millisecond after their start.
fn synchronous_under_way() -> Simulation {
    let mut configuration = configuration();
    let request = SynchronousRequest { bytes: 4096, fits: true, is_aligned: true };
    for stream in &mut configuration.streams {
        stream.synchronous = Some(SynchronousStream { read: request, write: request });
    }
    let on = Directions { read: true, write: true };
    let link = SynchronousLink {
        name: "pchid 180.1 > BOXA".to_owned(),
        control_unit: Some(0),
        hold_read: Span::from_us(20),
        hold_write: Span::from_us(40),
        bytes_per_s: 8_000_000_000,
        cpu: Span::from_us(4),
        busy_reject: Span::from_us(1),
        timeout: Span::from_us(100),
    };
    let lpars = vec![on; configuration.lpars.len()];
    let reachable = (0..lpars.len() as u32).map(|lpar| ((lpar, 0), vec![0])).collect();
    configuration.synchronous = SynchronousIo {
        links: vec![link],
        lpars,
        control_units: vec![on],
        reachable,
        ..SynchronousIo::default()
    };
    let mut simulation = Simulation::new(Arc::new(configuration), Options::new(1)).expect("it can be wired");
    simulation.advance(Span::from_ms(1));
    assert!(simulation.images().synchronous_successes() > 0);
    assert_eq!(broken(&mut simulation), [""; 0], "no law is broken before a fault");
    simulation
}

#[test]
fn a_synchronous_request_without_an_outcome_is_seen() {
    let mut simulation = synchronous_under_way();
    simulation.images().lose_synchronous_request();
    demand_seen(&mut simulation, SYNCHRONOUS);
}

#[test]
fn an_io_that_no_reject_explains_is_seen() {
    let mut simulation = synchronous_under_way();
    simulation.images().count_io_of_no_reject();
    demand_seen(&mut simulation, SYNCHRONOUS);
}

#[test]
fn a_request_for_compression_without_an_end_is_seen() {
    let mut configuration = configuration();
    let lpar = &configuration.lpars[0];
    let work = CompressionWork {
        lpar: 0,
        name: "JDK".to_owned(),
        arrivals: CompressionArrivals::Every(Span::from_us(41)),
        request: CompressedStream {
            exploiter: Exploiter::Java,
            operation: Operation::Deflate,
            plain_bytes: 4096,
            ratio: 2.0,
        },
    };
    let speed = CardSpeed { mb_per_s: 1000.0, setup_us: 8.0 };
    let plan = InstallationPlan { groups: vec![ResourceGroup::One], functions: Vec::new() };
    configuration.compression = Compression {
        machines: vec![CardMachine { cpc: lpar.cpc, speed, plan }],
        work: vec![work],
        software_mb_per_s: None,
    };
    let mut simulation = Simulation::new(Arc::new(configuration), Options::new(1)).expect("it can be wired");
    simulation.advance(Span::from_ms(1));
    assert_eq!(broken(&mut simulation), [""; 0], "no law is broken before a fault");
    simulation.images().lose_compression_request();
    demand_seen(&mut simulation, COMPRESSION);
}

#[test]
fn a_throughput_that_no_queue_explains_is_seen() {
    let mut simulation = wired();
    let wiring = Arc::clone(&simulation.wiring);
    let (Run { mut streams, intervals, checkers, .. }, _) = simulation.run(&mut |_| ());
    let bounds = checkers.last().expect("it stands beside the six");
    assert!(checkers.len() == 7 && bounds.checks > 10, "{bounds:?}");
    assert_eq!(bounds.violations, [""; 0], "no law is broken before a fault");
    let completed = streams[0].completed;
    for (counted, words) in
        [(completed / 2, "queues keep at least"), (completed * 11 / 10, "processor: rates")]
    {
        streams[0].completed = counted;
        let found = throughput_bounds::check(&wiring, &streams, &intervals);
        assert!(found.violations.iter().any(|one| one.contains(words)), "{words}: {found:?}");
    }
}

/// Runs a logical link until some blocks have crossed.
fn link_under_way() -> Simulation {
    let study = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/published/isfc");
    let loaded = halftrack_config::load(&study, &Catalog::load(&[]).0);
    let configuration = loaded.configuration.expect("the study is right");
    let mut simulation = Simulation::new(Arc::new(configuration), Options::new(1)).expect("it can be wired");
    simulation.advance(Span::from_ms(100));
    assert_eq!(broken(&mut simulation), [""; 0], "no law is broken before a fault");
    simulation
}

#[test]
fn a_start_of_a_device_that_ends_twice_is_seen() {
    let mut simulation = link_under_way();
    simulation.sides().0.devices_between_channels().end_twice();
    demand_seen(&mut simulation, "every start of a channel-to-channel device ends once");
}

#[test]
fn octets_that_are_delivered_and_were_not_sent_are_seen() {
    let mut simulation = link_under_way();
    // As many as are under way at most, and one more.
    simulation.sides().0.devices_between_channels().deliver_unsent((64 << 20) + 1);
    demand_seen(&mut simulation, "every octet of a logical link is delivered once, or kept by its sender");
}
