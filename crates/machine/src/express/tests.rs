//! The express lane against the common lane.

use std::path::Path;
use std::sync::Arc;

use halftrack_base::Span;
use halftrack_catalog::Catalog;
use halftrack_config::{Configuration, Disturbance, DisturbanceKind};

use crate::run::simulation::Simulation;
use crate::wiring::Wiring;
use crate::wiring::options::Options;

/// Returns one channel full of 4K reads in transport mode, for some milliseconds.
fn configuration() -> Configuration {
    let study = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/fex32s-zhpf-4k");
    let loaded = halftrack_config::load(&study, &Catalog::load(&[]).0);
    let mut configuration = loaded.configuration.expect("the study is right");
    configuration.run.warmup = Span::from_ms(2);
    configuration.run.interval = Span::from_ms(10);
    configuration.run.intervals = 2;
    configuration
}

/// Wires the machine, in which no exchange takes the express lane unless `express` is set.
fn wired(configuration: &Configuration, express: bool) -> Simulation {
    let wiring = Wiring::new(Arc::new(configuration.clone()), Options::new(1));
    let mut wiring = wiring.expect("the study can be wired");
    assert!(wiring.paths.iter().any(|path| path.is_express));
    wiring.paths.iter_mut().for_each(|path| path.is_express &= express);
    Simulation::of(Arc::new(wiring))
}

/// Answers in the express lane that are under way to the channel, over a millisecond of instants.
fn answers_seen(mut simulation: Simulation) -> usize {
    let at_instant = |_| {
        simulation.advance(Span::from_us(10));
        simulation.answers_under_way()
    };
    (0..100).map(at_instant).sum()
}

fn same_in_both_lanes(configuration: &Configuration) {
    let [express, common] = [true, false].map(|express| wired(configuration, express).run(&mut |_| ()));
    assert!(express.1.ios > 1000, "{:?}", express.1);
    assert_eq!(express, common);
}

#[test]
fn short_reads_take_the_express_lane_where_there_is_one() {
    let configuration = configuration();
    assert!(answers_seen(wired(&configuration, true)) > 0);
    assert_eq!(answers_seen(wired(&configuration, false)), 0);
}

#[test]
fn both_lanes_give_the_same_record() {
    same_in_both_lanes(&configuration());
}

/// The fibre is lost again and again at odd times, and the control unit and the channel are busy for a while.
#[test]
fn exchanges_that_leave_the_express_lane_in_any_step_give_the_same_record() {
    let us = Span::from_us;
    let lost = |at: u64| {
        let kind = DisturbanceKind::PathLost { channel: 0 };
        Disturbance { at: us(2500 + 137 * at), lasts: us(41), kind }
    };
    let mut configuration = configuration();
    configuration.disturbances = (0..60).map(lost).collect();
    let busy = [
        (12_000, DisturbanceKind::ControlUnitBusy { lcu: 0 }),
        (12_700, DisturbanceKind::ChannelBusy { channel: 0 }),
    ];
    configuration.disturbances.extend(busy.map(|(at, kind)| Disturbance {
        at: us(at),
        lasts: us(200),
        kind,
    }));
    same_in_both_lanes(&configuration);
}
