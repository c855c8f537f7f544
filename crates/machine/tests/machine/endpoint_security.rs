//! Endpoint security in a run: links that are lost and come back under each policy, with the key server there, gone with a
//! cached key, and gone without.

use std::sync::Arc;

use halftrack_base::Span;
use halftrack_config::{Disturbance, DisturbanceKind, EndpointSecurity, KeyServer, Part};
use halftrack_fabric::endpoint_security::{Connection, Endpoint, Policy, Protection, Terms};
use halftrack_machine::Simulation;
use halftrack_record::{Moment, Run};
use halftrack_wire::FrameProtection;

use crate::site::{Knobs, OPTIONS, closed, configuration, run, stream};

const CLEAR: Connection = Connection::Open(Protection::None);
const ENCRYPTED: Connection = Connection::Open(Protection::Encrypted);

/// The loss of the fibre of channel 0, and of the box with all that is in its memory.
const FIBRE: DisturbanceKind = DisturbanceKind::PathLost { channel: 0 };
const BOX: DisturbanceKind = DisturbanceKind::PartLost { part: Part::ControlUnit(0) };
const KEYS: DisturbanceKind = DisturbanceKind::KeyServerLost;

/// Returns ESP with AES-GCM, and half a microsecond in each engine.
pub fn security(server: Option<KeyServer>) -> EndpointSecurity {
    EndpointSecurity {
        key_server: server,
        frames: FrameProtection { header_bytes: 16, trailer_bytes: 2, align_bytes: 4, check_bytes: 16 },
        payload_bytes: 2048,
        engine_latency: Span::from_ns(500),
    }
}

/// Returns terms of ends that both encrypt, under `policy`.
pub fn terms(policy: Policy) -> Terms {
    Terms::of([Endpoint { capability: Protection::Encrypted, policy }; 2], true)
}

/// Returns the key server that is reached, with keys that last for ever.
pub const SERVER: KeyServer = KeyServer { is_reachable: true, key_lifetime: None };

/// Makes a site of two channels under `policy`, whose events are at ms, for ms.
fn knobs(policy: Policy, server: Option<KeyServer>, events: &[(u64, u64, DisturbanceKind)]) -> Knobs {
    let (ms, one) = (Span::from_ms, |(at, lasts, kind): &(u64, u64, DisturbanceKind)| (*at, *lasts, *kind));
    let event = |(at, lasts, kind)| Disturbance { at: ms(at), lasts: ms(lasts), kind };
    let disturbances = events.iter().map(one).map(event).collect();
    let security = (terms(policy), Some(security(server)));
    Knobs {
        channels: 2,
        streams: vec![stream("work", closed(32))],
        disturbances,
        security,
        ..Knobs::default()
    }
}

fn moment(knobs: &Knobs, at_ms: u64) -> Moment {
    let mut simulation = Simulation::new(Arc::new(configuration(knobs)), OPTIONS).expect("wired");
    simulation.advance(Span::from_ms(at_ms));
    simulation.moment()
}

/// Returns the connection of the first path of the first control unit at a time, and whether the path is online.
fn at(knobs: &Knobs, at_ms: u64) -> (Connection, bool) {
    let moment = moment(knobs, at_ms);
    let connection = moment.connection(0, (0, 0), 0).expect("it takes part");
    (connection, moment.path(0, 0, 0).is_none_or(|path| path.online))
}

fn started(run: &Run, channel: usize) -> u64 {
    run.intervals[0].channels[channel].started()
}

/// Returns the connection after the link of channel 0 was lost from 6 to 8 ms.
fn after_a_link_loss(policy: Policy, more: &[(u64, u64, DisturbanceKind)]) -> (Connection, bool) {
    let events = [more, &[(6, 2, FIBRE)]].concat();
    let knobs = knobs(policy, Some(SERVER), &events);
    assert_eq!(at(&knobs, 7), (CLEAR, false), "{policy:?}: a link that is dark has no connection");
    at(&knobs, 9)
}

#[test]
fn a_path_is_what_its_policy_makes_of_it_from_the_start() {
    for (policy, server, expected) in [
        (Policy::Off, Some(SERVER), (CLEAR, true)),
        (Policy::Audit, Some(SERVER), (ENCRYPTED, true)),
        (Policy::Enforced, Some(SERVER), (ENCRYPTED, true)),
        (Policy::Audit, None, (CLEAR, true)),
        (Policy::Enforced, None, (Connection::Refused, false)),
        (Policy::Audit, Some(KeyServer { is_reachable: false, ..SERVER }), (CLEAR, true)),
        (Policy::Enforced, Some(KeyServer { is_reachable: false, ..SERVER }), (Connection::Refused, false)),
    ] {
        assert_eq!(at(&knobs(policy, server, &[]), 1), expected, "{policy:?} {server:?}");
    }
}

#[test]
fn with_the_key_server_there_a_link_comes_back_as_it_was() {
    assert_eq!(after_a_link_loss(Policy::Off, &[]), (CLEAR, true));
    assert_eq!(after_a_link_loss(Policy::Audit, &[]), (ENCRYPTED, true));
    assert_eq!(after_a_link_loss(Policy::Enforced, &[]), (ENCRYPTED, true));
}

#[test]
fn with_the_server_gone_a_cached_key_encrypts_a_link_that_comes_back() {
    let gone = [(2, 10, KEYS)];
    assert_eq!(after_a_link_loss(Policy::Off, &gone), (CLEAR, true));
    assert_eq!(after_a_link_loss(Policy::Audit, &gone), (ENCRYPTED, true));
    assert_eq!(after_a_link_loss(Policy::Enforced, &gone), (ENCRYPTED, true));
}

#[test]
fn with_the_server_gone_and_no_key_an_audited_link_comes_back_clear_and_an_enforced_one_not() {
    // The box loses its power, and its key with it, when the server is gone.
    let gone = [(2, 10, KEYS), (4, 1, BOX)];
    assert_eq!(after_a_link_loss(Policy::Off, &gone), (CLEAR, true));
    assert_eq!(after_a_link_loss(Policy::Audit, &gone), (CLEAR, true));
    assert_eq!(after_a_link_loss(Policy::Enforced, &gone), (Connection::Refused, false));
}

#[test]
fn losing_the_server_changes_no_path_that_runs() {
    for policy in [Policy::Audit, Policy::Enforced] {
        assert_eq!(at(&knobs(policy, Some(SERVER), &[(2, 10, KEYS)]), 5), (ENCRYPTED, true), "{policy:?}");
    }
}

#[test]
fn a_refused_path_comes_online_with_the_server_and_a_clear_one_is_encrypted_at_its_next_login() {
    let from_the_start = |policy, more: &[_]| knobs(policy, Some(SERVER), &[&[(0, 5, KEYS)], more].concat());
    let enforced = from_the_start(Policy::Enforced, &[]);
    assert_eq!((at(&enforced, 4), at(&enforced, 6)), ((Connection::Refused, false), (ENCRYPTED, true)));
    let audit = from_the_start(Policy::Audit, &[(8, 1, FIBRE)]);
    assert_eq!([4, 6, 10].map(|ms| at(&audit, ms).0), [CLEAR, CLEAR, ENCRYPTED]);
}

#[test]
fn a_key_that_grows_too_old_without_the_server_is_gone_and_the_path_runs_on() {
    let server = KeyServer { key_lifetime: Some(Span::from_ms(3)), ..SERVER };
    let events = [(2, 20, KEYS), (8, 1, FIBRE)];
    let audit = knobs(Policy::Audit, Some(server), &events);
    assert_eq!([7, 10].map(|ms| at(&audit, ms).0), [ENCRYPTED, CLEAR]);
    let enforced = knobs(Policy::Enforced, Some(server), &events);
    assert_eq!((at(&enforced, 7), at(&enforced, 10)), ((ENCRYPTED, true), (Connection::Refused, false)));
    // With the server there it is renewed, last after 5 ms.
    let server = KeyServer { key_lifetime: Some(Span::from_ms(5)), ..SERVER };
    let renewed = knobs(Policy::Enforced, Some(server), &[(8, 1, FIBRE), (8, 20, KEYS)]);
    assert_eq!(at(&renewed, 10), (ENCRYPTED, true));
}

#[test]
fn a_loss_of_the_box_takes_its_key_and_one_of_a_port_does_not() {
    let after = |part| {
        let events = [(2, 20, KEYS), (4, 1, DisturbanceKind::PartLost { part })];
        at(&knobs(Policy::Audit, Some(SERVER), &events), 6).0
    };
    let parts = [Part::Port(0), Part::Channel(0), Part::ControlUnit(0), Part::Power];
    assert_eq!(parts.map(after), [ENCRYPTED, ENCRYPTED, CLEAR, CLEAR]);
}

/// Of two channels under `enforced` the second comes back while the server and the key are gone: the first carries all, and
/// every I/O ends once.
#[test]
fn starts_avoid_a_path_that_is_refused() {
    let mut refused = knobs(Policy::Enforced, Some(SERVER), &[(1, 900, KEYS)]);
    let server = KeyServer { key_lifetime: Some(Span::from_ms(2)), ..SERVER };
    refused.security.1 = Some(security(Some(server)));
    let lost = DisturbanceKind::PathLost { channel: 1 };
    refused.disturbances.push(Disturbance { at: Span::from_ms(4), lasts: Span::from_ms(1), kind: lost });
    let (run, _) = run(&refused, OPTIONS);
    assert_eq!(run.streams[0].failed, 0);
    assert_eq!(started(&run, 1), 0, "the measured time begins when it is refused");
    assert!(started(&run, 0) > 500, "{}", started(&run, 0));
}

#[test]
fn without_a_path_left_starts_end_and_go_on_when_the_server_is_back() {
    let knobs = knobs(Policy::Enforced, Some(SERVER), &[(0, 12, KEYS)]);
    let (run, _) = run(&knobs, OPTIONS);
    assert!(run.streams[0].failed > 0 && run.streams[0].completed > 500, "{:?}", run.streams[0]);
}
