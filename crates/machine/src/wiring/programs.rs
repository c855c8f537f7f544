//! The recorded exchanges of every stream as plain records.

use halftrack_config::Stream;
use halftrack_exchange::{Carrier, Plan, Side, Step};
use halftrack_program::Operation;
use halftrack_record::ProgramSummary;

use crate::wiring::Wiring;

/// Summarises each different exchange that the I/Os of a stream can have. Streams come in their order, reads before writes,
/// command mode before transport mode, hits before misses.
pub(crate) fn programs(w: &Wiring) -> Vec<ProgramSummary> {
    let mut summaries = Vec::new();
    for (index, stream) in w.configuration.streams.iter().enumerate() {
        let mut plans: Vec<&Plan> = w.plans_of(index as u32);
        plans.sort_by_key(|plan| {
            (plan.key.shape.operation != Operation::Read, plan.key.protocol, !plan.key.hit)
        });
        let mut own: Vec<ProgramSummary> = Vec::new();
        for plan in plans {
            let summary = summary(stream, plan);
            // Login values, such as a remembered pacing window, may change when units are sent but not what is sent.
            if !own.contains(&summary) {
                own.push(summary);
            }
        }
        summaries.extend(own);
    }
    summaries
}

fn summary(stream: &Stream, plan: &Plan) -> ProgramSummary {
    let operation = plan.key.shape.operation;
    let data_side = match operation {
        Operation::Read => Side::ControlUnit,
        Operation::UpdateWrite => Side::Channel,
    };
    let data_bytes = |steps: &[Step]| steps.iter().map(|step| u64::from(step.data_bytes)).sum();
    ProgramSummary {
        stream: stream.name.clone(),
        operation: match operation {
            Operation::Read => "read",
            Operation::UpdateWrite => "write",
        }
        .into(),
        protocol: plan.key.protocol,
        is_scsi: plan.key.login.carrier == Carrier::Fcp,
        hit: plan.key.hit,
        // A plan counts the units of a direction in 16 bits.
        units_out: plan.outbound.len() as u32,
        units_in: plan.inbound.len() as u32,
        frames_out: plan.frames(Side::Channel),
        frames_in: plan.frames(Side::ControlUnit),
        wire_out_bytes: plan.wire_bytes(Side::Channel),
        wire_in_bytes: plan.wire_bytes(Side::ControlUnit),
        data_out_bytes: data_bytes(&plan.outbound),
        data_in_bytes: data_bytes(&plan.inbound),
        mean_frame_bytes: plan.mean_frame_bytes(data_side),
    }
}
