//! A planned and a live end are the same to whoever drives them.

use crate::common::{IDENTITY, any_fcp_key, any_key, fcp_key, key, read, write};
use crate::runs::record;
use halftrack_base::Span;
use halftrack_exchange::rig::{RigOptions, Transcript, run};
use halftrack_exchange::{ControlUnitOutcome, PlanId, PlanKey, Plans, Side};
use halftrack_program::Protocol;
use proptest::prelude::*;

fn delays(seed: u64) -> RigOptions {
    let delay_max = [seed % 7, seed / 7 % 11].map(Span::from_us);
    RigOptions { seed, delay_max, ..RigOptions::default() }
}

/// Asserts that the run is the plan: its steps, edges included, and its outcomes.
fn assert_is_plan(plans: &Plans, id: PlanId, transcript: &Transcript) {
    let plan = &plans[id];
    assert_eq!(transcript.steps(Side::Channel), plan.outbound);
    assert_eq!(transcript.steps(Side::ControlUnit), plan.inbound);
    assert_eq!(transcript.channel, [plan.channel_outcome]);
    assert_eq!(transcript.control_unit, [ControlUnitOutcome::Completed]);
    assert!(!transcript.gave_up);
}

/// Returns every step with its time and sender, and the shapes that arrived at the receivers.
fn schedule(transcript: &Transcript) -> impl PartialEq + std::fmt::Debug {
    let sent: Vec<_> = transcript.sent.iter().map(|sent| (sent.at, sent.from, sent.step)).collect();
    // Delays and edges are the sender's: a receiver that has only the IU does not have them.
    let arrived: Vec<_> = transcript
        .arrived
        .iter()
        .map(|(side, step)| (*side, step.kind, step.payload_bytes, step.frames, step.receive))
        .collect();
    (sent, arrived)
}

/// The live machines give the recorded graph whatever the delays: pacing, transfer-ready and the order of a
/// direction are all that orders an exchange.
#[test]
fn the_graph_is_the_same_under_a_thousand_delays() {
    let keys = [
        key(read(4096, 40), Protocol::Command),
        key(write(27_998, 6), Protocol::Command),
        key(write(4096, 40), Protocol::Transport),
        key(read(27_998, 6), Protocol::Transport),
        fcp_key(read(4096, 40)),
        fcp_key(write(4096, 40)),
    ];
    for key in keys {
        let login = halftrack_exchange::Login {
            granted_pacing: 20,
            first_transfer_bytes: 16_384,
            transfer_ready_bytes: 32_768,
            ..key.login
        };
        let (plans, id) = record(PlanKey { login, ..key });
        for seed in 0..1000 {
            let options = RigOptions { channel_live: true, control_unit_live: true, ..delays(seed) };
            assert_is_plan(&plans, id, &run(&plans, id, IDENTITY, options));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn planned_and_live_ends_keep_the_same_schedule(key in prop_oneof![any_key(), any_fcp_key()], seed: u64) {
        let (plans, id) = record(key);
        let planned = run(&plans, id, IDENTITY, delays(seed));
        assert_is_plan(&plans, id, &planned);
        for (channel_live, control_unit_live) in [(true, false), (false, true), (true, true)] {
            let options = RigOptions { channel_live, control_unit_live, ..delays(seed) };
            let live = run(&plans, id, IDENTITY, options);
            prop_assert_eq!(schedule(&live), schedule(&planned));
            prop_assert_eq!(&live.channel, &planned.channel);
            prop_assert_eq!(&live.control_unit, &planned.control_unit);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// After any number of IUs sent and received, at either end.
    #[test]
    fn leaving_the_plan_changes_nothing(key in prop_oneof![any_key(), any_fcp_key()], seed: u64, peer_live: bool) {
        let (plans, id) = record(key);
        let planned = run(&plans, id, IDENTITY, delays(seed));
        let points = (plans[id].outbound.len() + plans[id].inbound.len()) as u32;
        for side in [Side::Channel, Side::ControlUnit] {
            for after in 0..=points {
                let options = RigOptions {
                    leave: Some((side, after)),
                    channel_live: peer_live && side == Side::ControlUnit,
                    control_unit_live: peer_live && side == Side::Channel,
                    ..delays(seed)
                };
                let left = run(&plans, id, IDENTITY, options);
                prop_assert_eq!(schedule(&left), schedule(&planned), "{:?} after {}", side, after);
                assert_is_plan(&plans, id, &left);
            }
        }
    }
}

/// The IUs of a live end carry its own addresses, those of a plan the representative ones.
#[test]
fn live_ius_carry_the_exchange_s_addresses() {
    let (plans, id) = record(key(read(4096, 2), Protocol::Command));
    let live = RigOptions { channel_live: true, control_unit_live: true, ..RigOptions::default() };
    let transcript = run(&plans, id, IDENTITY, live);
    assert!(!transcript.sent.is_empty());
    for sent in &transcript.sent {
        let recorded = match sent.from {
            Side::Channel => &plans[id].outbound_ius,
            Side::ControlUnit => &plans[id].inbound_ius,
        };
        let iu = sent.iu.as_ref().unwrap();
        assert_eq!(iu.address, IDENTITY.into());
        assert!(recorded.iter().any(|recorded| recorded.same_but_address(iu)));
    }
}
