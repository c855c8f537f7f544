//! Runs of both ends over a link with faults, and the laws that all of them keep.

use halftrack_base::{Span, Time};
use halftrack_exchange::rig::{RigOptions, Transcript, run};
use halftrack_exchange::{ChannelOutcome, PlanId, PlanKey, Plans};

use crate::common::IDENTITY;

pub fn record(key: PlanKey) -> (Plans, PlanId) {
    let mut plans = Plans::default();
    let id = plans.record(key).unwrap();
    (plans, id)
}

pub fn run_key(key: PlanKey, options: RigOptions) -> Transcript {
    let (plans, id) = record(key);
    run(&plans, id, IDENTITY, options)
}

pub fn assert_ends_once(transcript: &Transcript) {
    assert!(!transcript.gave_up, "the exchange does not end");
    assert_eq!(transcript.channel.len(), 1, "{transcript:?}");
    assert_eq!(transcript.control_unit.len(), usize::from(transcript.control_unit_begun), "{transcript:?}");
}

pub fn us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

pub fn options(seed: u64) -> RigOptions {
    RigOptions { seed, delay_max: [Span::from_us(9), Span::from_us(9)], ..RigOptions::default() }
}

/// Demands of an end that reports a normal end that every byte was moved.
pub fn assert_data_of_a_normal_end(key: PlanKey, options: RigOptions) {
    let (plans, id) = record(key);
    let transcript = run(&plans, id, IDENTITY, options);
    if let [ChannelOutcome::Ended { .. }] = transcript.channel[..] {
        let lost_data = transcript.sent.iter().filter(|sent| sent.lost && sent.step.data_bytes > 0);
        assert_eq!(lost_data.count(), 0);
        assert_eq!(transcript.channel[0], plans[id].channel_outcome);
    }
}
