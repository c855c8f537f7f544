//! The law checkers over whole runs: each law is applied, and holds at any instant, not only at the end.
//!
//! That each sees its fault is shown where faults can be injected: in `law.rs` and `law_faults.rs`.

use std::sync::Arc;

use halftrack_base::Span;
use halftrack_config::{Disturbance, DisturbanceKind, ProtocolChoice};
use halftrack_machine::{ExchangeMode, Fidelity, Options, Simulation};
use halftrack_program::{Operation, Protocol};

use crate::site::{Knobs, OPTIONS, closed, configuration, shape, stream};

/// The laws, in the order of the reports.
const LAWS: [&str; 6] = [
    "every start ends exactly once",
    "frames and bytes are conserved",
    "Little's law for the open exchanges of every channel",
    "utilisation law of every IOP",
    "credits are never negative, leaked or left while frames wait",
    "response time is the sum of its components",
];

/// Reads and writes of both protocols over too few credits and exchanges, disturbed in every way.
fn busy_site() -> Knobs {
    let mut writes = stream("writes", closed(12));
    (writes.write, writes.read_ppm) = (shape(Operation::UpdateWrite, 8, 4096), 300_000);
    let mut chains = stream("chains", closed(12));
    chains.protocol = ProtocolChoice::Always(Protocol::Command);
    chains.read = shape(Operation::Read, 2, 27_998);
    chains.hit_ppm = 800_000;
    let event = |at_us, lasts_us, kind| Disturbance {
        at: Span::from_us(at_us),
        lasts: Span::from_us(lasts_us),
        kind,
    };
    Knobs {
        channels: 2,
        ports: 2,
        km: 5,
        credits: 12,
        open_exchanges: (8, 4),
        streams: vec![chains, writes],
        disturbances: vec![
            event(1000, 1000, DisturbanceKind::PathLost { channel: 0 }),
            event(2500, 500, DisturbanceKind::ControlUnitBusy { lcu: 1 }),
            event(3500, 700, DisturbanceKind::ChannelBusy { channel: 1 }),
            event(4000, 600, DisturbanceKind::PathLost { channel: 1 }),
        ],
        ..Knobs::default()
    }
}

#[test]
fn every_law_holds_at_any_instant() {
    for fidelity in [Fidelity::Burst, Fidelity::Frame] {
        for exchange in [ExchangeMode::Planned, ExchangeMode::Live] {
            let options = Options { fidelity, exchange, ..OPTIONS };
            let configuration = Arc::new(configuration(&busy_site()));
            let mut simulation = Simulation::new(configuration, options).expect("the site can be wired");
            for step in 0..400 {
                // A step that has nothing to do with any delay of the site.
                simulation.advance(Span::from_ns(20_011));
                for report in simulation.check() {
                    assert!(report.violations.is_empty(), "{options:?}, step {step}: {report:?}");
                }
            }
            let ios = simulation.counters().ios;
            assert!(ios > 80, "{options:?}: {ios} I/Os are too few to mean anything");
        }
    }
}

#[test]
fn every_law_is_applied() {
    let configuration = Arc::new(configuration(&busy_site()));
    let mut simulation = Simulation::new(configuration, OPTIONS).expect("the site can be wired");
    simulation.advance(Span::from_ms(5));
    let reports = simulation.check();
    assert_eq!(reports.iter().map(|report| report.law.as_str()).collect::<Vec<_>>(), LAWS);
    for report in &reports {
        assert!(report.checks > 0, "{} was never applied", report.law);
    }
    // As many verdicts on I/Os as there were I/Os: the per-I/O laws leave none out.
    let ends = simulation.counters().ios;
    assert!(reports[0].checks >= 2 * ends, "{} verdicts on {ends} I/Os", reports[0].checks);
}
