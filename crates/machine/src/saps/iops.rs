//! The I/O processors: threads that carry starts, retries and interrupts.
//!
//! Starts go round the threads, passing over busy ones while a free one is left, so that their numbers come out
//! equal as in the published sample report (sap-2023, Figure 6). So do interrupts where every thread takes them. Where
//! only the first thread of each core does, the core belongs to the subchannel, and a sibling takes the interrupt while
//! the first thread is busy: that is why odd threads have 1.1 % of the interrupts in that report.

use halftrack_base::{Span, Time};
use halftrack_config::{Cpc, EadmKind};
use halftrack_engine::{EventKey, Fifo, Sequencer, ServiceTimes};
use halftrack_record::{IopInterval, Retries};

use super::core_of::CoreOf;
use super::eadm::{EadmPrices, EadmThread};
use super::iop_choice::IopChoice;
use super::leaving::Leaving;
use crate::events::crossing::RetryCause;
use crate::laws::law::Law;

/// One thread. What each request changes fills a line of the cache.
#[derive(Debug)]
#[repr(C, align(64))]
struct Thread {
    server: Fifo,
    /// Starts, interrupts and retries taken since the start of the run.
    taken: [u64; 3],
    /// Time that they need.
    demand: Span,
    /// Sum of the queue lengths that the starts of this interval found, each itself included.
    queue_sum: u64,
    /// Starts given to it that it has not finished.
    outstanding: u32,
    number: u16,
    retries: Retries,
    reported: Reported,
}

/// The counts of a thread at the begin of the interval.
#[derive(Debug, Clone, Copy, Default)]
struct Reported {
    busy_ps: u64,
    taken: [u64; 3],
    outstanding: u32,
}

/// The threads that take interrupts.
#[derive(Debug)]
enum Interrupts {
    /// Every thread, from this one on.
    Round(usize),
    /// The core of the subchannel.
    Core(CoreOf),
}

/// All threads of the CPC.
#[derive(Debug)]
pub(super) struct Iops {
    /// The machine.
    index: u8,
    /// Threads of the machines before this one.
    first_thread: u32,
    threads: Vec<Thread>,
    choice: IopChoice,
    next_start: usize,
    interrupts: Interrupts,
    start: Span,
    interrupt: Span,
    /// The least time that a thread needs for an interrupt.
    shortest_interrupt: Span,
    retry: Span,
    /// Least time that a thread needs for a start or retry.
    shortest_drive: Span,
    /// Starts that leave each thread, where their drives are events of another process.
    leaving: Option<Vec<Leaving>>,
    /// Service times of requests, of these means.
    service: ServiceTimes,
    /// The work of each thread beside I/Os, and the next to do so, on a machine that has EADM subchannels.
    eadm: Option<(EadmPrices, Vec<EadmThread>)>,
    next_operation: usize,
    /// Sequence of the events that the IOPs schedule.
    pub(super) sequencer: Sequencer,
}

impl Iops {
    /// Makes the threads of `cpc`, the machine of this index; those before it have `first_thread` threads.
    pub(super) fn new(
        index: usize,
        cpc: &Cpc,
        first_thread: u32,
        (sequencer, service): (Sequencer, ServiceTimes),
    ) -> Self {
        let thread = |number| Thread {
            server: Fifo::new(),
            taken: [0; 3],
            demand: Span::ZERO,
            queue_sum: 0,
            outstanding: 0,
            number,
            retries: Retries::default(),
            reported: Reported::default(),
        };
        let threads = usize::from(cpc.iop_threads);
        let interrupts = match cpc.interrupt_thread_stride {
            0 | 1 => Interrupts::Round(0),
            stride => Interrupts::Core(CoreOf::new(
                usize::from(stride),
                u32::from(cpc.iop_threads.div_ceil(stride)),
            )),
        };
        Self {
            index: index as u8,
            first_thread,
            threads: (0..cpc.iop_threads).map(thread).collect(),
            choice: IopChoice::new(threads),
            next_start: 0,
            interrupts,
            start: cpc.iop_start,
            interrupt: cpc.iop_interrupt,
            shortest_interrupt: service.shortest(cpc.iop_interrupt),
            retry: cpc.iop_retry,
            shortest_drive: service.shortest(cpc.iop_start.min(cpc.iop_retry)),
            leaving: None,
            service,
            eadm: EadmPrices::of(cpc)
                .map(|prices| (prices, (0..threads).map(|_| EadmThread::default()).collect())),
            next_operation: 0,
            sequencer,
        }
    }

    /// Puts a start on an initiative queue, at an event whose key is `instant`. Returns the thread, and the key of the event when it
    /// has done its part.
    #[inline(always)]
    pub(super) fn start(&mut self, instant: EventKey) -> (u16, EventKey) {
        let now = instant.at;
        let chosen = self.choice.of_all(now, self.next_start);
        self.next_start = if chosen + 1 < self.threads.len() { chosen + 1 } else { 0 };
        let thread = &mut self.threads[chosen];
        if let Some(leaving) = &mut self.leaving {
            thread.outstanding -= leaving[chosen].leave_before(instant);
        }
        // The request in service has left the queue already; what is found is what waits behind it.
        thread.queue_sum += u64::from(thread.outstanding.max(1));
        thread.outstanding += 1;
        thread.taken[0] += 1;
        let done = thread.work(now, self.service.draw(self.start));
        self.choice.engage(chosen, done);
        let due = EventKey { at: done, order: self.sequencer.next() };
        if let Some(leaving) = &mut self.leaving {
            leaving[chosen].expect(due);
        }
        (chosen as u16, due)
    }

    /// Has starts leave their threads when their drives are due.
    pub(super) fn part_from_channels(&mut self) {
        self.leaving = Some(self.threads.iter().map(|_| Leaving::default()).collect());
    }

    /// Returns the number of `thread` over all machines.
    #[inline(always)]
    pub(super) fn of_all_machines(&self, thread: u16) -> u32 {
        self.first_thread + u32::from(thread)
    }

    /// Takes the start on `thread` off, which has left it.
    #[inline]
    pub(super) fn started(&mut self, thread: u16) {
        self.threads[usize::from(thread)].outstanding -= 1;
    }

    /// Has `thread` try a request again: when it has done its part.
    pub(super) fn retry(&mut self, now: Time, thread: u16, cause: RetryCause) -> Time {
        let chosen = usize::from(thread);
        let thread = &mut self.threads[chosen];
        match cause {
            RetryCause::ChannelPathBusy => thread.retries.channel_path_busy += 1,
            RetryCause::DirectorPortBusy => thread.retries.director_port_busy += 1,
            RetryCause::ControlUnitBusy => thread.retries.control_unit_busy += 1,
            RetryCause::DeviceBusy => thread.retries.device_busy += 1,
            RetryCause::Redrive => {}
        }
        thread.taken[2] += 1;
        let done = thread.work(now, self.service.draw(self.retry));
        self.choice.engage(chosen, done);
        done
    }

    /// Has a thread process an interrupt of `subchannel`, the number of its unit control block: the thread, counted over
    /// all machines, and when it has.
    #[inline(always)]
    pub(super) fn interrupt(&mut self, now: Time, subchannel: u32) -> (u32, Time) {
        let chosen = match &mut self.interrupts {
            Interrupts::Core(core) => self.choice.of_core(now, core.first_thread(subchannel), core.threads),
            Interrupts::Round(next) => {
                let chosen = self.choice.of_all(now, *next);
                *next = if chosen + 1 < self.threads.len() { chosen + 1 } else { 0 };
                chosen
            }
        };
        let thread = &mut self.threads[chosen];
        thread.taken[1] += 1;
        let done = thread.work(now, self.service.draw(self.interrupt));
        self.choice.engage(chosen, done);
        (self.first_thread + chosen as u32, done)
    }

    /// Returns the time from `next` on in which no thread can have processed an interrupt that comes at `next` or later. A thread does
    /// one request after the other, so that it is no less than the wait for the thread that is free first.
    #[inline]
    pub(super) fn interrupt_lookahead(&self, next: Time) -> Span {
        self.choice.first_free_at().saturating_since(next) + self.shortest_interrupt
    }

    /// Returns the time from `next` on in which no drive can come due. Starts and retries that come at `next` or later are meant.
    #[inline]
    pub(super) fn drive_lookahead(&self, next: Time) -> Span {
        self.choice.first_free_at().saturating_since(next) + self.shortest_drive
    }

    /// Has a thread do an operation of an EADM subchannel. They go round as starts do, on their own. Returns when it begins and ends,
    /// on a machine that has such subchannels.
    #[cold]
    pub(super) fn operate(&mut self, now: Time, kind: EadmKind) -> Option<(Time, Time)> {
        let (prices, eadm) = self.eadm.as_mut()?;
        let chosen = self.choice.of_all(now, self.next_operation);
        self.next_operation = if chosen + 1 < self.threads.len() { chosen + 1 } else { 0 };
        let price = prices.of_kind(kind);
        let done = self.threads[chosen].server.arrive(now, price);
        self.choice.engage(chosen, done);
        eadm[chosen].take(now, kind, done);
        Some((done - price, done))
    }

    /// Checks the utilisation law of every thread, exact to the picosecond. The time that it was busy and still has to do is
    /// the time of its starts, interrupts, retries and EADM operations.
    pub(super) fn check_utilisation(&self, now: Time, law: &mut Law) {
        for (index, thread) in self.threads.iter().enumerate() {
            let busy = thread.server.busy_before(now) + thread.server.busy_until(now);
            let operations = self.eadm.as_ref().map(|(prices, eadm)| eadm[index].demand(prices));
            let demand = thread.demand + operations.unwrap_or_default();
            law.check(busy == demand, || {
                let number = thread.number;
                format!("IOP {number}: {} ps of work for {} ps of requests", busy.as_ps(), demand.as_ps())
            });
        }
    }

    /// Collects the counters of the interval that ends at `now`, and begins the next.
    pub(super) fn collect(&mut self, now: Time) -> Vec<IopInterval> {
        let (cpc, eadm) = (self.index, &mut self.eadm);
        let leaving = &mut self.leaving;
        let collect_one = |(index, thread): (usize, &mut Thread)| {
            if let Some(leaving) = leaving {
                thread.outstanding -= leaving[index].leave_before(EventKey::before(now));
            }
            let mut counters = thread.collect(cpc, now);
            if let Some((prices, eadm)) = eadm {
                [counters.compression_busy_ps, counters.scm_busy_ps] = eadm[index].collect(prices, now);
            }
            counters
        };
        self.threads.iter_mut().enumerate().map(collect_one).collect()
    }
}

impl Thread {
    /// Takes a request that needs `work`: when it is done.
    #[inline(always)]
    fn work(&mut self, now: Time, work: Span) -> Time {
        self.demand += work;
        self.server.arrive(now, work)
    }

    /// Collects the counters of the interval that ends at `now`, but those of EADM operations, and begins the next.
    fn collect(&mut self, cpc: u8, now: Time) -> IopInterval {
        let before = self.reported;
        let busy_ps = self.server.busy_before(now).as_ps();
        self.reported = Reported { busy_ps, taken: self.taken, outstanding: self.outstanding };
        let enqueued = self.taken[0] - before.taken[0];
        IopInterval {
            cpc,
            number: self.number,
            busy_ps: busy_ps - before.busy_ps,
            enqueued,
            queue_sum: std::mem::take(&mut self.queue_sum),
            started: enqueued + u64::from(before.outstanding) - u64::from(self.outstanding),
            interrupts: self.taken[1] - before.taken[1],
            retries: std::mem::take(&mut self.retries),
            ..IopInterval::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use halftrack_config::{CpcName, Eadm};
    use halftrack_engine::{Rank, ServiceDistribution};
    use proptest::prelude::*;
    use std::sync::Arc;

    fn iops() -> Iops {
        let cpc = Cpc {
            name: CpcName::UNNAMED,
            iocds: String::new(),
            definition_file: None,
            basic: false,
            machine_type: 3931,
            model: "Max39".into(),
            drawers: 1,
            sap_cores: Vec::new(),
            threads_per_core: 2,
            iop_threads: 4,
            iop_start: Span::from_us(3),
            iop_interrupt: Span::from_us(2),
            iop_retry: Span::from_us(1),
            interrupt_thread_stride: 2,
            cp_start: Span::ZERO,
            cp_interrupt: Span::ZERO,
            image_serial: Span::ZERO,
            eadm: Some(Eadm { compression: Span::from_us(4), scm: Span::from_us(7) }),
        };
        let constant = ServiceTimes::new(Arc::new(ServiceDistribution::constant()), 1, "SAPs");
        Iops::new(0, &cpc, 0, (Sequencer::new(Rank::from_position(0)), constant))
    }

    #[test]
    fn starts_spread_evenly_and_interrupts_go_to_every_second_thread() {
        let mut iops = iops();
        for turn in 0..8_u32 {
            let now = Time::from_ps(u64::from(turn) * 10_000_000);
            let (thread, due) = iops.start(EventKey::before(now));
            assert_eq!(due.at.since(now), Span::from_us(3));
            iops.started(thread);
            iops.interrupt(due.at, turn);
        }
        let rows = iops.collect(Time::from_ps(100_000_000));
        assert!(rows.iter().all(|row| row.started == 2 && row.queue_sum == row.enqueued));
        assert_eq!(rows.iter().map(|row| row.interrupts).collect::<Vec<_>>(), [4, 0, 4, 0]);
        assert_eq!(rows[0].busy_ps, 2 * 3_000_000 + 4 * 2_000_000);
    }

    #[test]
    fn the_odd_sibling_takes_the_interrupt_only_while_the_even_thread_is_busy() {
        let mut iops = iops();
        let us = |us| Time::ZERO + Span::from_us(us);
        // Subchannels 5 and 7 belong to the second core, threads 2 and 3.
        assert_eq!(iops.interrupt(us(0), 5).1, us(2));
        assert_eq!(iops.interrupt(us(1), 7).1, us(3));
        // Both are busy: the one that is free first.
        assert_eq!(iops.interrupt(us(1), 5).1, us(4));
        // The even one is free again, although the odd one was not the last.
        assert_eq!(iops.interrupt(us(9), 5).1, us(11));
        let interrupts: Vec<_> = iops.collect(us(20)).iter().map(|row| row.interrupts).collect();
        assert_eq!(interrupts, [0, 0, 3, 1]);
    }

    #[test]
    fn the_utilisation_law_sees_work_without_a_request() {
        let mut iops = iops();
        let (thread, EventKey { at: done, .. }) = iops.start(EventKey::before(Time::ZERO));
        iops.retry(done, thread, RetryCause::ChannelPathBusy);
        let mut law = Law::new("utilisation");
        iops.check_utilisation(done, &mut law);
        assert!(law.report().violations.is_empty(), "{:?}", law.report());
        iops.threads[0].server.arrive(done, Span::from_us(1));
        iops.check_utilisation(done, &mut law);
        assert_eq!(law.report().violations.len(), 1);
    }

    #[test]
    fn the_utilisation_law_sees_an_operation_that_is_counted_twice() {
        let mut iops = iops();
        let now = Time::ZERO + Span::from_us(1);
        iops.operate(now, EadmKind::Compression);
        iops.operate(now, EadmKind::Scm);
        let mut law = Law::new("utilisation");
        iops.check_utilisation(now, &mut law);
        assert!(law.report().violations.is_empty(), "{:?}", law.report());
        iops.eadm.as_mut().unwrap().1[1].taken[EadmKind::Scm as usize] += 1;
        iops.check_utilisation(now, &mut law);
        assert_eq!(law.report().violations.len(), 1);
    }

    #[test]
    fn operations_are_busy_time_of_their_kind_and_nothing_else() {
        let mut iops = iops();
        let us = |us| Time::ZERO + Span::from_us(us);
        // Of four compressions and four operations of storage-class memory, those of threads 0 to 3 in turn.
        for kind in [EadmKind::Compression, EadmKind::Scm] {
            for _ in 0..4 {
                iops.operate(us(0), kind);
            }
        }
        iops.start(EventKey::before(us(0)));
        // The compressions are over, and one microsecond of each operation of storage-class memory is done.
        let first = iops.collect(us(5));
        for row in &first {
            assert_eq!((row.compression_busy_ps, row.scm_busy_ps), (4_000_000, 1_000_000));
            assert_eq!((row.busy_ps, row.interrupts, row.started), (5_000_000, 0, 0));
        }
        // The start follows them on the first thread.
        let second = iops.collect(us(100));
        let busy: Vec<_> = second.iter().map(|row| row.busy_ps).collect();
        assert_eq!(busy, [9_000_000, 6_000_000, 6_000_000, 6_000_000]);
        assert!(second.iter().all(|row| (row.compression_busy_ps, row.scm_busy_ps) == (0, 6_000_000)));
    }

    #[test]
    fn a_busy_thread_is_passed_over_while_one_is_free() {
        let mut iops = iops();
        let now = Time::ZERO;
        let threads: Vec<_> = (0..4).map(|_| iops.start(EventKey::before(now)).0).collect();
        assert_eq!(threads, [0, 1, 2, 3]);
        let (thread, due) = iops.start(EventKey::before(now));
        assert_eq!((thread, due.at), (0, now + Span::from_us(6)));
    }

    /// An interrupt that comes while every thread is busy waits for the first, and none waits while one is free.
    #[test]
    fn the_lookahead_of_interrupts_grows_with_the_queues() {
        let mut iops = iops();
        let us = |us| Time::ZERO + Span::from_us(us);
        for thread in 0..4 {
            assert_eq!((iops.interrupt_lookahead(us(0)), thread), (Span::from_us(2), thread));
            iops.start(EventKey::before(us(0)));
        }
        assert_eq!(iops.interrupt_lookahead(us(0)), Span::from_us(5));
        assert_eq!(iops.interrupt_lookahead(us(2)), Span::from_us(3));
        assert_eq!(iops.interrupt_lookahead(us(4)), Span::from_us(2));
    }

    proptest! {
        /// Whatever comes at an instant or later, its interrupt is processed no earlier than the lookahead has it.
        #[test]
        fn no_interrupt_comes_within_the_lookahead(
            requests in proptest::collection::vec((0..3_u8, 0..1_500_u64, any::<u32>()), 1..200),
        ) {
            let mut iops = iops();
            let varying = Arc::new(ServiceDistribution::gamma(0.25));
            iops.service = ServiceTimes::new(varying, 1, "SAPs");
            iops.shortest_interrupt = iops.service.shortest(iops.interrupt);
            let (mut now, mut none_before) = (Time::ZERO, Time::ZERO);
            for (kind, later_ns, subchannel) in requests {
                now += Span::from_ns(later_ns);
                none_before = none_before.max(now + iops.interrupt_lookahead(now));
                match kind {
                    0 => _ = iops.start(EventKey::before(now)),
                    1 => _ = iops.operate(now, EadmKind::Compression),
                    _ => prop_assert!(iops.interrupt(now, subchannel).1 >= none_before),
                }
            }
        }

        /// Whatever comes at an instant or later, its drive is due no earlier than the lookahead has it.
        #[test]
        fn no_drive_comes_within_the_lookahead(
            requests in proptest::collection::vec((0..4_u8, 0..1_500_u64, any::<u32>()), 1..200),
        ) {
            let mut iops = iops();
            iops.service = ServiceTimes::new(Arc::new(ServiceDistribution::gamma(0.25)), 1, "SAPs");
            iops.shortest_drive = iops.service.shortest(iops.retry);
            iops.part_from_channels();
            let (mut now, mut none_before, mut taken) = (Time::ZERO, Time::ZERO, 0_u32);
            for (kind, later_ns, number) in requests {
                now += Span::from_ns(later_ns);
                none_before = none_before.max(now + iops.drive_lookahead(now));
                match kind {
                    0 | 1 => {
                        prop_assert!(iops.start(EventKey::before(now)).1.at >= none_before);
                        taken += 1;
                    }
                    2 => prop_assert!(iops.retry(now, number as u16 % 4, RetryCause::Redrive) >= none_before),
                    _ => _ = iops.interrupt(now, number),
                }
            }
            let rows = iops.collect(now + Span::from_s(1));
            prop_assert_eq!(rows.iter().map(|row| row.started).sum::<u64>(), u64::from(taken), "all have left");
        }
    }
}
