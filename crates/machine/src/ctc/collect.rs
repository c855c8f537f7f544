//! Counts of adapters and of the work over them, and their laws.

use halftrack_base::{Span, Time};
use halftrack_config::{IsLinkFlow, IsLinkWork};
use halftrack_isfc::End;
use halftrack_isfc::relocation::{Outcome, Phase, Relocation};
use halftrack_record::{
    CheckerReport, IsLinkDeviceInterval, IsLinkFlowInterval, RelocationOutcome, RelocationPass,
    RelocationSummary,
};

use super::Adapters;
use super::adapter::EndCounts;
use crate::laws::law::Law;
use crate::wiring::Wiring;

impl Adapters {
    /// Collects both ends of every device since the last collection, by logical link, end and number.
    pub(crate) fn collect(&mut self, w: &Wiring, now: Time) -> Vec<IsLinkDeviceInterval> {
        let c = &w.configuration;
        let mut records = Vec::new();
        for ((link, first), systems) in c.islinks.iter().zip(&w.lanes.first_device).zip(&self.systems) {
            for end in 0..2 {
                let [lpar, partner] = [end, 1 - end].map(|end| &c.lpars[link.lpars[end] as usize]);
                let adapters = &mut self.adapters[*first as usize..];
                for ((place, device), adapter) in link.devices.iter().enumerate().zip(adapters) {
                    let taken_bytes = systems[1 - end].received_bytes(place);
                    let bytes = adapter.collect_bytes(end, taken_bytes);
                    let EndCounts { starts, blocks, collisions, .. } = adapter.collect(end);
                    let channel = &c.channels[device.channels[end] as usize];
                    records.push(IsLinkDeviceInterval {
                        islink: link.name.clone(),
                        lpar: lpar.name.clone(),
                        partner: partner.name.clone(),
                        cpc: lpar.cpc,
                        chpid: channel.chpid,
                        number: device.numbers[end],
                        starts,
                        blocks,
                        bytes,
                        collisions,
                        active_ps: adapter.collect_active_ps(end, now),
                    });
                }
            }
        }
        records
    }

    /// Checks that every start has ended once or is in progress.
    pub(crate) fn check_starts(&self) -> CheckerReport {
        let mut law = Law::new("every start of a channel-to-channel device ends once");
        for (device, adapter) in self.adapters.iter().enumerate() {
            for end in 0..2 {
                let counts = adapter.counts(end);
                let in_progress = u64::from(adapter.is_started(end));
                law.check(counts.starts == counts.ended + counts.withdrawn + in_progress, || {
                    format!(
                        "device {device} end {end}: {} starts, {} endings, {} withdrawn, {in_progress} in progress",
                        counts.starts, counts.ended, counts.withdrawn
                    )
                });
            }
        }
        law.report()
    }

    /// Checks that no octet of a stream is delivered that was not sent, or twice: those that are missing are kept by the sender.
    pub(crate) fn check_streams(&self, w: &Wiring) -> CheckerReport {
        let mut law = Law::new("every octet of a logical link is delivered once, or kept by its sender");
        for (link, systems) in w.configuration.islinks.iter().zip(&self.systems) {
            for from in 0..2 {
                let (sender, receiver) = (&systems[from], &systems[1 - from]);
                let sum = |bytes: &dyn Fn(usize) -> u64| (0..link.flows.len()).map(bytes).sum::<u64>();
                let sent = sum(&|flow| sender.flows.counts(flow).sent_bytes);
                let received = sum(&|flow| receiver.flows.counts(flow).received_bytes);
                let kept = sender.kept_bytes();
                law.check(received <= sent && sent - received <= kept, || {
                    format!("{} end {from}: {sent} octets sent, {received} delivered, {kept} kept", link.name)
                });
            }
        }
        law.report()
    }

    /// Collects bulks and requests since the last collection, by logical link, in the order of the workload.
    pub(crate) fn collect_flows(&mut self, w: &Wiring) -> Vec<IsLinkFlowInterval> {
        let c = &w.configuration;
        let mut records = Vec::new();
        for (link, systems) in c.islinks.iter().zip(&mut self.systems) {
            for (index, flow) in link.flows.iter().enumerate() {
                let from = usize::from(flow.from);
                let (name, depth, think) = name(flow);
                let (own, longest) = systems[from].flows.collect(index);
                let (other, _) = systems[1 - from].flows.collect(index);
                let lpar = |end: usize| c.lpars[link.lpars[end] as usize].name.clone();
                records.push(IsLinkFlowInterval {
                    islink: link.name.clone(),
                    name,
                    from: lpar(from),
                    to: lpar(1 - from),
                    bytes: other.received_bytes,
                    answered_bytes: own.received_bytes,
                    depth,
                    think_ps: think.as_ps(),
                    responses: own.responses,
                    response_ps: own.response_ps,
                    response_max_ps: longest.as_ps(),
                });
            }
        }
        records
    }

    /// Returns the ends of all logical links, each with the partition of its system.
    pub(crate) fn moment(&self, w: &Wiring) -> Vec<(u32, End)> {
        let links = w.configuration.islinks.iter().zip(&self.systems);
        let ends = links.flat_map(|(link, systems)| link.lpars.into_iter().zip(systems));
        ends.map(|(lpar, system)| (lpar, system.end().clone())).collect()
    }

    /// Returns the relocations that have begun, in the order of the workload.
    pub(crate) fn relocations(&self, w: &Wiring) -> Vec<RelocationSummary> {
        let c = &w.configuration;
        let mut summaries = Vec::new();
        for (link, systems) in c.islinks.iter().zip(&self.systems) {
            for (index, flow) in link.flows.iter().enumerate() {
                let from = usize::from(flow.from);
                let IsLinkWork::Relocation(guest) = &flow.work else { continue };
                let Some(relocation) = systems[from].flows.relocation(index) else { continue };
                let lpar = |end: usize| c.lpars[link.lpars[end] as usize].name.clone();
                summaries.push(RelocationSummary {
                    guest: guest.guest.clone(),
                    islink: link.name.clone(),
                    from: lpar(from),
                    to: lpar(1 - from),
                    start_ps: guest.at.as_ps(),
                    wanted_quiesce_ps: guest.plan.quiesce_max.as_ps(),
                    passes: relocation.passes().iter().map(pass).collect(),
                    quiesce_ps: relocation.quiesce().map(Span::as_ps),
                    total_ps: relocation.total().map(Span::as_ps),
                    outcome: outcome(relocation),
                });
            }
        }
        summaries
    }
}

/// Returns the name of a flow, and the depth and think time of requests.
fn name(flow: &IsLinkFlow) -> (String, u32, Span) {
    match &flow.work {
        IsLinkWork::Bulk => (String::new(), 0, Span::ZERO),
        IsLinkWork::Requests(requests) => (requests.name.clone(), requests.depth, requests.think),
        IsLinkWork::Relocation(guest) => (guest.guest.clone(), 0, Span::ZERO),
    }
}

const fn pass(pass: &halftrack_isfc::relocation::Pass) -> RelocationPass {
    RelocationPass { bytes: pass.bytes, span_ps: pass.span.as_ps(), is_quiesced: pass.is_quiesced }
}

const fn outcome(relocation: &Relocation) -> RelocationOutcome {
    match relocation.phase() {
        Phase::Over(Outcome::Converged) => RelocationOutcome::Converged,
        Phase::Over(Outcome::Quiesced) => RelocationOutcome::Quiesced,
        Phase::Over(Outcome::Cancelled) => RelocationOutcome::Cancelled,
        _ => RelocationOutcome::Unfinished,
    }
}
