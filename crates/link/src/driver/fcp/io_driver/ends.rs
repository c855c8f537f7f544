//! Ends of commands over FCP: what follows for their I/Os, and the ends of those.

use std::cmp::Reverse;

use halftrack_base::{Decision, Span, Time};
use halftrack_exchange::fcp::CommandEnd;
use halftrack_wire::timers::RESOURCE_ALLOCATION_TIMEOUT;

use super::{FcpIoDriver, Timer};
use crate::connector::Connector;
use crate::driver::fcp::path::FcpPath;
use crate::driver::fcp::under_way::Io;
use crate::driver::fcp::verdict::{Verdict, judge};
use crate::driver::io_observer::IoEnd;
use crate::driver::statistics::{Completed, IoCarrier, IoError};

/// Wait of a command that found something busy.
const BUSY_WAIT: Span = Span::from_us(500);
/// Times that this wait is doubled while it goes on: to 16 ms. Our choice.
const BUSY_DOUBLINGS: u8 = 5;
/// Attempts of an I/O before it fails. Our choice: more than there are paths that may be lost one after the other.
const ATTEMPTS_MAX: u8 = 32;

impl FcpIoDriver {
    /// Handles the end of a command; returns the buffer of data read.
    #[inline]
    pub fn handle_end<C: Connector>(
        &mut self,
        now: Time,
        path: u8,
        end: CommandEnd,
        paths: &mut [FcpPath<C>],
    ) -> Vec<u8> {
        let slot = end.tag;
        let CommandEnd { outcome, is_settled, data, .. } = end;
        let Some(io) = self.ios.get_mut(slot as usize).and_then(Option::as_mut) else { return data };
        if io.path != Some(path) {
            return data;
        }
        io.path = None;
        io.is_unsettled |= !is_settled;
        let verdict = judge(&outcome);
        let (writes, is_worn) = (io.request.write, io.attempts >= ATTEMPTS_MAX);
        let statistics = &mut self.streams[usize::from(io.request.stream)].statistics;
        match verdict {
            Verdict::Again(why) if !is_worn => {
                statistics.sent_again(why);
                if writes {
                    io.data = data;
                }
                Decision::Redriven.count();
                self.attempt(now, slot, paths);
                self.count_failover(slot, path);
                return Vec::new();
            }
            // A target that is full is no error: the I/O has all its time.
            Verdict::Busy => {
                statistics.busy += 1;
                io.attempts = io.attempts.saturating_sub(1);
                let wait = BUSY_WAIT * (1 << io.busy.min(BUSY_DOUBLINGS));
                io.busy = io.busy.saturating_add(1);
                if writes {
                    io.data = data;
                }
                self.timers.push(Reverse((now.saturating_add(wait), Timer::Again { slot })));
                return Vec::new();
            }
            Verdict::Ended(result) => self.end(now, slot, result, path, &data),
            Verdict::Again(_) => {
                Decision::PermanentError.count();
                self.end(now, slot, Err(IoError::PermanentError), path, &data);
            }
        }
        if writes {
            self.spare.push(data);
            return Vec::new();
        }
        data
    }

    /// Counts an attempt that goes over another path than the one before.
    fn count_failover(&self, slot: u32, before: u8) {
        let io = self.ios.get(slot as usize).and_then(Option::as_ref);
        if io.and_then(|io| io.path).is_some_and(|path| path != before) {
            Decision::FailedOver.count();
        }
    }

    /// Ends an I/O.
    #[inline]
    pub(super) fn end(&mut self, now: Time, slot: u32, result: Result<(), IoError>, path: u8, data: &[u8]) {
        let Some(io) = self.ios.get_mut(slot as usize).and_then(Option::take) else { return };
        let Io { number, request, volume, place, generation, began, is_unsettled, .. } = io;
        self.free.push(slot);
        self.under_way -= 1;
        if let Some(observer) = &mut self.observer {
            observer.ended(now, &IoEnd { io: number, result, data });
        }
        let stream = &mut self.streams[usize::from(request.stream)];
        let contents = &mut self.volumes[usize::from(volume)].contents;
        let mut result = result;
        if request.write {
            contents.written(place, stream.records, result.is_ok().then_some(generation));
        } else if result.is_ok() {
            let compared = contents.compare(&self.pattern, place, stream.records, data);
            if compared.mismatches > 0 {
                result = Err(IoError::Mismatch);
            }
            stream.statistics.compared(&compared);
        }
        if request.write && is_unsettled {
            Decision::RecordsRest.count();
            let until = now.saturating_add(RESOURCE_ALLOCATION_TIMEOUT);
            self.resting.push_back((until, volume, place, stream.records));
        } else {
            contents.release(place, stream.records, request.write);
        }
        match result {
            Ok(()) => {
                self.ledger.completed += 1;
                if self.phases.counts(now) {
                    stream.statistics.completed(&Completed {
                        write: request.write,
                        bytes: stream.block_bytes,
                        carrier: IoCarrier::Fcp(path),
                        response: now.saturating_since(request.arrived),
                        queued: began.saturating_since(request.arrived),
                    });
                }
            }
            Err(error) => {
                self.ledger.failed += 1;
                self.phases.fail();
                stream.statistics.failed(error);
            }
        }
        if stream.is_open() || !self.phases.has_requests() {
            return;
        }
        let think = stream.state.think();
        if think == Span::ZERO {
            self.ready.push_back((request.stream, request.job));
        } else {
            let timer = Timer::Job { stream: request.stream, job: request.job };
            self.timers.push(Reverse((now.saturating_add(think), timer)));
        }
    }
}
