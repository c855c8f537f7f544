//! Work on EADM subchannels: compressions and operations of storage-class memory.
//!
//! Such a subchannel has no device number and no path: the firmware makes it at IPL and no IODF has it (sap-2023, RMF
//! section). Its operations keep SAPs busy (% IOP BUSY), and the times are shown apart (% CMPR BUSY, % SCM BUSY). They are
//! no starts and end in no interrupt that RMF counts.

use std::collections::VecDeque;

use halftrack_base::{Span, Time};
use halftrack_config::{Cpc, EadmKind, EadmWork};
use halftrack_engine::Sequencer;
use halftrack_record::EadmInterval;
use halftrack_workload::EadmState;

use super::{Outside, Saps};
use crate::events::event::HostEvent;
use crate::wiring::{ComponentKind, Wiring};

/// A flow of operations in a run.
#[derive(Debug)]
pub(super) struct EadmFlow {
    state: EadmState,
    kind: EadmKind,
    /// The machine whose IOPs do the work.
    cpc: u8,
    sequencer: Sequencer,
    /// In this interval.
    counted: EadmInterval,
}

impl EadmFlow {
    pub(super) fn new(w: &Wiring, index: usize, work: &EadmWork) -> Self {
        Self {
            state: EadmState::new(work, w.options.seed),
            kind: work.kind,
            cpc: w.configuration.lpars[work.lpar as usize].cpc,
            sequencer: w.sequencer(ComponentKind::Eadm, index),
            counted: EadmInterval {
                name: work.name.clone(),
                lpar: w.configuration.lpars[work.lpar as usize].name.clone(),
                kind: work.kind.name().to_owned(),
                ..EadmInterval::default()
            },
        }
    }
}

impl Saps {
    /// Puts the first operation of every flow into the event set.
    pub(crate) fn begin(&mut self, out: &mut impl Outside) {
        for flow in 0..self.eadm.len() as u32 {
            self.expect_eadm(out, flow);
        }
    }

    fn expect_eadm(&mut self, out: &mut impl Outside, flow: u32) {
        let run = &mut self.eadm[flow as usize];
        let at = out.now() + run.state.next_interarrival();
        out.push(at, run.sequencer.next(), HostEvent::Eadm { flow });
    }

    /// Hands an operation of `flow`, which comes, to an IOP.
    #[cold]
    pub(crate) fn on_eadm(&mut self, out: &mut impl Outside, flow: u32) {
        self.expect_eadm(out, flow);
        let EadmFlow { kind, cpc, counted, .. } = &mut self.eadm[flow as usize];
        let Some((begins, ends)) = self.iops[usize::from(*cpc)].operate(out.now(), *kind) else { return };
        counted.started += 1;
        counted.queue_ps += begins.since(out.now()).as_ps();
        counted.service_ps += ends.since(begins).as_ps();
    }

    /// Collects the flows since the last collection.
    pub(super) fn collect_eadm(&mut self) -> Vec<EadmInterval> {
        let collect = |flow: &mut EadmFlow| {
            let EadmInterval { name, lpar, kind, .. } = flow.counted.clone();
            std::mem::replace(&mut flow.counted, EadmInterval { name, lpar, kind, ..EadmInterval::default() })
        };
        self.eadm.iter_mut().map(collect).collect()
    }
}

/// Prices of operations on a thread, on a machine that has them.
#[derive(Debug, Clone, Copy)]
pub(super) struct EadmPrices([Span; 2]);

impl EadmPrices {
    pub(super) fn of(cpc: &Cpc) -> Option<Self> {
        cpc.eadm.map(|eadm| Self([eadm.compression, eadm.scm]))
    }

    pub(super) fn of_kind(&self, kind: EadmKind) -> Span {
        self.0[kind as usize]
    }
}

/// The operations of one thread.
#[derive(Debug, Default)]
pub(super) struct EadmThread {
    /// Operations of each kind taken since the start of the run.
    pub(super) taken: [u64; 2],
    /// Ends of those that were not over when the last one was taken, in order.
    under_way: VecDeque<(Time, EadmKind)>,
    reported_ps: [u64; 2],
}

impl EadmThread {
    /// Takes an operation that ends at `done`.
    pub(super) fn take(&mut self, now: Time, kind: EadmKind, done: Time) {
        while self.under_way.front().is_some_and(|(done, _)| *done <= now) {
            self.under_way.pop_front();
        }
        self.under_way.push_back((done, kind));
        self.taken[kind as usize] += 1;
    }

    /// Adds up the thread time of all operations taken.
    pub(super) fn demand(&self, prices: &EadmPrices) -> Span {
        prices.0[0] * self.taken[0] + prices.0[1] * self.taken[1]
    }

    /// Collects the time busy with each kind until `now` since the last collection, ps.
    pub(super) fn collect(&mut self, prices: &EadmPrices, now: Time) -> [u64; 2] {
        [EadmKind::Compression, EadmKind::Scm].map(|kind| {
            let price = prices.of_kind(kind);
            let of_kind = self.under_way.iter().filter(|(_, other)| *other == kind);
            let left: Span = of_kind.map(|(done, _)| done.saturating_since(now).min(price)).sum();
            let busy = (price * self.taken[kind as usize]).saturating_sub(left).as_ps();
            let reported = &mut self.reported_ps[kind as usize];
            busy - std::mem::replace(reported, busy)
        })
    }
}
