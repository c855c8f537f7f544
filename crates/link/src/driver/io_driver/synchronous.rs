//! I/Os that are synchronous first: whatever does not succeed there is driven again over the channel paths.
//!
//! ```text
//! start ─► request over a link ─ data moved ────────────────────────────► ended
//!            │  └─ rejected, taken back after its time, CRC error ──┐
//!            └─ kept by the control unit ─ over, or its link is ────┴─► attempt over a path
//! ```

use std::cmp::Reverse;

use halftrack_base::{Span, Time};
use halftrack_exchange::synchronous::{Completion, LocalReject, check_buffer};
use halftrack_subsystem::StartFunction;
use halftrack_wire::synchronous::{SynchronousOperation, SynchronousRequest, data_check};

use super::{IoDriver, IoPart, State, Timer};
use crate::driver::paths::ChannelPaths;
use crate::driver::statistics::IoCarrier;
use crate::driver::synchronous::{Pending, SynchronousEnd, SynchronousPath};
use crate::driver::volume_size::RecordPlace;

/// Interval at which a request is checked that the control unit has kept.
pub(super) const KEPT_STEP: Span = Span::from_ms(1);

/// Result of an attempt over a link.
pub(super) enum Attempted {
    /// The I/O has ended.
    Ended,
    /// The request is not over yet.
    Kept(Pending),
    /// Nothing has come of it: the I/O goes over a path.
    Not,
}

impl IoDriver {
    /// Uses these links from now on.
    pub fn set_synchronous(&mut self, links: Box<dyn SynchronousPath>) {
        self.links = Some(links);
    }

    /// Attempts an I/O of a stream that has synchronous ones over a link.
    #[inline]
    pub(super) fn attempt(&mut self, now: Time, part: &IoPart, written: &[u8]) -> Attempted {
        let request = self.request_of(part, written);
        let mut read = std::mem::take(&mut self.read);
        let (end, at) = match (request, &mut self.links) {
            (Ok(request), Some(links)) => {
                let (end, at) = links.execute(&request, written, &mut read);
                self.ended_at_once = Some(at);
                (end, at)
            }
            (Ok(_), None) => (SynchronousEnd::Completed(Completion::Local(LocalReject::NotOperational)), now),
            (Err(reason), _) => (SynchronousEnd::Completed(Completion::Local(reason)), now),
        };
        let (completion, attempted) = match end {
            SynchronousEnd::Completed(Completion::Done) => (Completion::Done, Attempted::Ended),
            SynchronousEnd::Completed(completion) => (completion, Attempted::Not),
            SynchronousEnd::Pending(pending) => (Completion::TimedOut, Attempted::Kept(pending)),
        };
        let stream = &mut self.streams[usize::from(part.request.stream)];
        let bytes = stream.template(part.device, part.request.write).shape().data_bytes();
        let account = &mut stream.statistics.by_synchronous[usize::from(part.request.write)];
        account.count(completion, at.saturating_since(now), bytes);
        if completion == Completion::Done {
            self.settle(at, part, Ok(()), &read, IoCarrier::Synchronous);
            self.release(part);
        }
        self.read = read;
        attempted
    }

    /// Returns the request of an I/O.
    #[inline]
    fn request_of(&mut self, part: &IoPart, written: &[u8]) -> Result<SynchronousRequest, LocalReject> {
        let writes = part.request.write;
        let stream = &mut self.streams[usize::from(part.request.stream)];
        if !stream.synchronous.covers(writes) {
            return Err(LocalReject::NotEnabled);
        }
        let shape = *stream.template(part.device, writes).shape();
        let volume = &self.volumes[usize::from(part.device.volume)];
        let place = volume.size.record_place(part.place, shape.record_bytes);
        let (RecordPlace::Track(record), 1) = (place, shape.records) else {
            return Err(LocalReject::NotCapable);
        };
        let data_bytes = shape.data_bytes();
        let buffer = if writes { written.as_ptr() } else { self.read.as_ptr() }.addr() as u64;
        check_buffer(buffer, data_bytes)?;
        Ok(SynchronousRequest {
            operation: if writes { SynchronousOperation::Write } else { SynchronousOperation::Read },
            image: (self.image >> 8) as u8,
            unit: volume.base,
            cylinder: record.cylinder,
            head: record.head,
            record: record.record,
            data_bytes,
            buffer,
            check: if writes { data_check(written) } else { 0 },
        })
    }

    /// Starts an I/O over a path whose request is over that the control unit had kept.
    pub(super) fn check_kept(&mut self, now: Time, slot: u32, paths: &mut impl ChannelPaths) {
        let Some(io) = self.ios.get_mut(slot as usize).and_then(Option::as_mut) else { return };
        let State::Kept(pending) = io.state else { return };
        if self.links.as_mut().is_none_or(|links| links.try_end(&pending)) {
            let (start, action) = StartFunction::begin(now, &mut self.group);
            (io.start, io.state) = (start, State::Waiting);
            self.act(now, slot, action, paths);
        } else {
            self.timers.push(Reverse((now.saturating_add(KEPT_STEP), Timer::Kept { slot })));
        }
    }
}
