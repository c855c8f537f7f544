//! One I/O from its start to its end: attempts over the paths, the comparison of what was read, the account.

use std::cmp::Reverse;

use halftrack_base::{Decision, Span, Time};
use halftrack_config::channel_file::Synchronous;
use halftrack_exchange::{BusyKind, Cause, ChannelOutcome, ExchangeEnd};
use halftrack_program::ProgramShape;
use halftrack_subsystem::{Attempt, Ending, NextAction, PathGroup, StartFunction, Waiting};
use halftrack_wire::StartNumber;
use halftrack_wire::timers::RESOURCE_ALLOCATION_TIMEOUT;
use halftrack_workload::Pattern;

use super::conditions::condition_of;
use super::fencing::FENCE_TAG;
use super::synchronous::{Attempted, KEPT_STEP};
use super::{Io, IoDriver, IoPart, MISSING_STEP, State, Timer};
use crate::driver::contents::Contents;
use crate::driver::io_observer::{IoEnd, IoStart};
use crate::driver::paths::ChannelPaths;
use crate::driver::region::Place;
use crate::driver::statistics::{Completed, IoCarrier, IoError};
use crate::driver::volume::Request;

/// How long a start that found the control unit or the device busy waits before it is driven again. Our choice: busy
/// ends with an end status that nobody counts on here.
const BUSY_WAIT: Span = Span::from_us(100);

impl IoDriver {
    /// Starts a request over `unit`; false when all records that were tried are in use.
    #[inline]
    pub(super) fn start(
        &mut self,
        now: Time,
        request: Request,
        unit: u8,
        paths: &mut impl ChannelPaths,
    ) -> bool {
        let Some((part, data)) = self.claim(now, request, unit) else { return false };
        let IoPart { device, place, .. } = part;
        self.note_start(&part);
        let mut kept = None;
        let is_synchronous = self.streams[usize::from(request.stream)].synchronous != Synchronous::None;
        if is_synchronous {
            match self.attempt(now, &part, &data) {
                Attempted::Ended => return true,
                Attempted::Kept(pending) => kept = Some(pending),
                Attempted::Not => {}
            }
        }
        let template = self.streams[usize::from(request.stream)].template(device, request.write);
        let program = if request.write { template.write(place, data) } else { template.read(place) };
        let Ok(program) = program else {
            // The first program of the template was built, so that all can be.
            self.settle(now, &part, Err(IoError::NotOperational), &[], IoCarrier::Synchronous);
            self.release(&part);
            return true;
        };
        let now = self.ended_at_once.unwrap_or(now);
        let (start, action) = StartFunction::begin(now, &mut self.group);
        let state = kept.map_or(State::Waiting, State::Kept);
        let io = Io {
            request,
            device,
            unit,
            place,
            generation: part.generation,
            program,
            start,
            number_of_io: part.number_of_io,
            began: part.began,
            path: 0,
            number: StartNumber::default(),
            unsettled: false,
            rests: Time::ZERO,
            state,
        };
        let slot = self.add(io);
        if kept.is_some() {
            self.timers.push(Reverse((now.saturating_add(KEPT_STEP), Timer::Kept { slot })));
        } else {
            self.act(now, slot, action, paths);
        }
        true
    }

    /// Claims a record for a request, and makes the data that it writes; nothing when all records that were tried are in use.
    fn claim(&mut self, now: Time, request: Request, unit: u8) -> Option<(IoPart, Vec<u8>)> {
        let stream = &mut self.streams[usize::from(request.stream)];
        let device = stream.device(request.device);
        let contents = self.volumes[usize::from(device.volume)].contents(device.contents);
        let place = stream.claim(device, contents, request.write)?;
        let (mut generation, mut data) = (0, Vec::new());
        if request.write {
            self.generation = self.generation.wrapping_add(1).max(1);
            generation = self.generation;
            let shape = *stream.template(device, true).shape();
            data = written(&self.pattern, contents, place, &shape, generation);
        }
        let number_of_io = self.next_io;
        self.next_io += 1;
        Some((IoPart { request, device, unit, place, generation, number_of_io, began: now }, data))
    }

    /// Adds an I/O under way; returns its slot.
    fn add(&mut self, io: Io) -> u32 {
        self.under_way += 1;
        if let Some(slot) = self.free.pop() {
            self.ios[slot as usize] = Some(io);
            return slot;
        }
        self.ios.push(Some(io));
        (self.ios.len() - 1) as u32
    }

    /// Shows the start of an I/O to the observer.
    fn note_start(&mut self, part: &IoPart) {
        let Some(observer) = &mut self.observer else { return };
        let stream = &mut self.streams[usize::from(part.request.stream)];
        let records = stream.template(part.device, part.request.write).shape().records;
        let contents = self.volumes[usize::from(part.device.volume)].contents(part.device.contents);
        let places = contents.region().places(part.place, records);
        let records = places.map(|place| contents.id(place)).collect();
        let job = (part.request.stream, part.request.job);
        let write = part.request.write.then_some(part.generation);
        observer.started(part.began, &IoStart { io: part.number_of_io, job, records, write });
    }

    /// Performs the next action of a start function.
    #[inline]
    pub(super) fn act(
        &mut self,
        now: Time,
        slot: u32,
        mut action: NextAction,
        paths: &mut impl ChannelPaths,
    ) {
        let Some(io) = self.ios.get_mut(slot as usize).and_then(Option::as_mut) else { return };
        loop {
            match action {
                NextAction::Try(path) => {
                    let has_room = has_room(&self.group, path, self.under_way, paths);
                    if has_room && let Some(number) = paths.start(now, path, io.unit, &io.program, slot) {
                        (io.path, io.number, io.state) = (path, number, State::Attempt);
                        return;
                    }
                    action = io.start.handle_attempt(path, Attempt::ChannelBusy, &mut self.group);
                }
                NextAction::Wait(waiting) => {
                    io.state = State::Waiting;
                    match waiting {
                        Waiting::Channel => self.waiting_channel.push_back(slot),
                        Waiting::DirectorPort | Waiting::ControlUnit | Waiting::Device => {
                            let at = now.saturating_add(BUSY_WAIT);
                            self.timers.push(Reverse((at, Timer::Redrive { slot })));
                        }
                    }
                    return;
                }
                // Without a path it waits for one, until the missing-interrupt handler gives it up.
                NextAction::End(Ending::NotOperational) => action = NextAction::Wait(Waiting::Channel),
                NextAction::End(ending) => {
                    self.give_up(now, slot, ending, paths);
                    return;
                }
            }
        }
    }

    /// Tries again what waits.
    pub(super) fn redrive(&mut self, now: Time, slot: u32, paths: &mut impl ChannelPaths) {
        let Some(io) = self.ios.get_mut(slot as usize).and_then(Option::as_mut) else { return };
        if io.state == State::Waiting && now >= io.rests {
            let action = io.start.redrive(&mut self.group);
            self.act(now, slot, action, paths);
        }
    }

    /// Tries again what rests for an exchange whose end is not known.
    pub(super) fn end_rest(&mut self, now: Time, slot: u32, paths: &mut impl ChannelPaths) {
        let Some(io) = self.ios.get_mut(slot as usize).and_then(Option::as_mut) else { return };
        if std::mem::replace(&mut io.rests, Time::ZERO) > now {
            self.redrive(now, slot, paths);
        }
    }

    /// Handles the end of an exchange over `path`.
    #[inline]
    pub fn handle_end(&mut self, now: Time, path: u8, end: &ExchangeEnd, paths: &mut impl ChannelPaths) {
        let slot = end.tag & !FENCE_TAG;
        let io = self.ios.get(slot as usize).and_then(Option::as_ref).filter(|io| io.unit == end.device);
        match io.map(|io| (io.state, io.number == end.number && io.path == path)) {
            Some((State::Attempt, true)) => self.attempt_over(now, end, paths),
            Some((State::Fencing(fencing), is_own)) => {
                self.fence_step(now, slot, (fencing, is_own), end);
            }
            // Of a start that was fenced before its exchange ended.
            Some(_) | None => {}
        }
        // A place on the path is free.
        if let Some(slot) = self.waiting_channel.pop_front() {
            self.redrive(now, slot, paths);
        }
    }

    #[inline]
    fn attempt_over(&mut self, now: Time, end: &ExchangeEnd, paths: &mut impl ChannelPaths) {
        if let Some(condition) = condition_of(&end.outcome) {
            return self.handle_condition(now, end, condition, paths);
        }
        let Some(io) = self.ios.get_mut(end.tag as usize).and_then(Option::as_mut) else { return };
        let statistics = &mut self.streams[usize::from(io.request.stream)].statistics;
        let attempt = match end.outcome {
            ChannelOutcome::Ended { device_status, .. } => Attempt::Ended { device_status },
            ChannelOutcome::Busy(kind) => {
                statistics.busy += 1;
                match kind {
                    BusyKind::ControlUnit => Attempt::ControlUnitBusy,
                    BusyKind::Device => Attempt::DeviceBusy,
                }
            }
            ChannelOutcome::InterfaceControlCheck(cause) => {
                statistics.redriven(cause);
                Attempt::InterfaceControlCheck
            }
            ChannelOutcome::Cancelled => Attempt::Cancelled,
        };
        let gone = matches!(end.outcome, ChannelOutcome::InterfaceControlCheck(Cause::LinkDown));
        io.unsettled |= !end.is_settled;
        if gone {
            self.group.set_online(io.path, false);
        }
        match io.start.handle_attempt(io.path, attempt, &mut self.group) {
            NextAction::End(ending @ Ending::Status { .. }) => self.end(now, end.tag, ending, Some(end)),
            // The only path, which may still carry the old exchange.
            NextAction::Try(path) if path == io.path && !end.is_settled && !gone => {
                Decision::RedriveRests.count();
                io.state = State::Waiting;
                io.rests = now.saturating_add(RESOURCE_ALLOCATION_TIMEOUT);
                self.timers.push(Reverse((io.rests, Timer::Redrive { slot: end.tag })));
            }
            action => self.act(now, end.tag, action, paths),
        }
    }

    /// Ends a start function.
    #[inline]
    pub(super) fn end(&mut self, now: Time, slot: u32, ending: Ending, exchange: Option<&ExchangeEnd>) {
        let Some(io) = self.ios.get_mut(slot as usize).and_then(Option::take) else { return };
        let result = judge(ending, exchange.map(|end| &end.outcome));
        let part = io.part();
        let carrier = IoCarrier::Path(self.streams[usize::from(io.request.stream)].protocol, io.path);
        let data = exchange.map_or(&[][..], |exchange| &exchange.data);
        self.settle(now, &part, result, data, carrier);
        self.streams[usize::from(io.request.stream)]
            .template(io.device, io.request.write)
            .recycle(io.program);
        self.release(&part);
        self.free.push(slot);
        self.under_way -= 1;
    }

    /// Accounts for the end of an I/O, whose job goes on.
    #[inline]
    pub(super) fn settle(
        &mut self,
        now: Time,
        part: &IoPart,
        result: Result<(), IoError>,
        data: &[u8],
        carrier: IoCarrier,
    ) {
        let IoPart { request, device, place, .. } = *part;
        let stream = &mut self.streams[usize::from(request.stream)];
        let contents = self.volumes[usize::from(device.volume)].contents(device.contents);
        let shape = *stream.template(device, request.write).shape();
        if let Some(observer) = &mut self.observer {
            observer.ended(now, &IoEnd { io: part.number_of_io, result, data });
        }
        let mut result = result;
        if request.write {
            contents.written(place, shape.records, result.is_ok().then_some(part.generation));
        } else if result.is_ok() {
            let compared = contents.compare(&self.pattern, place, shape.records, data);
            if compared.mismatches > 0 {
                result = Err(IoError::Mismatch);
            }
            stream.statistics.compared(&compared);
        }
        match result {
            Ok(()) => {
                self.ledger.completed += 1;
                if self.phases.counts(now) {
                    stream.statistics.completed(&Completed {
                        write: request.write,
                        bytes: shape.data_bytes(),
                        carrier,
                        response: now.saturating_since(request.arrived),
                        queued: part.began.saturating_since(request.arrived),
                    });
                }
            }
            Err(error) => {
                self.ledger.failed += 1;
                self.phases.fail();
                stream.statistics.failed(error);
            }
        }
        self.request_again(now, &request);
    }

    /// Requests the next I/O of the job whose I/O is over.
    #[inline]
    fn request_again(&mut self, now: Time, request: &Request) {
        let Request { stream: index, job, .. } = *request;
        let stream = &mut self.streams[usize::from(index)];
        if stream.is_open() || !self.phases.has_requests() {
            return;
        }
        let think = stream.state.think();
        if think == Span::ZERO {
            self.ready.push_back((index, job));
        } else {
            self.timers.push(Reverse((now.saturating_add(think), Timer::Job { stream: index, job })));
        }
    }

    /// Gives back what an I/O had: its records and its address.
    #[inline]
    pub(super) fn release(&mut self, part: &IoPart) {
        let IoPart { request, device, place, .. } = *part;
        let records =
            self.streams[usize::from(request.stream)].template(device, request.write).shape().records;
        let volume = &mut self.volumes[usize::from(device.volume)];
        volume.free(part.unit);
        volume.contents(device.contents).release(place, records, request.write);
        self.pending.push_back(device.volume);
    }

    /// Looks for starts whose interrupt is missing, when it is time to.
    pub fn handle_timeout(&mut self, now: Time, paths: &mut impl ChannelPaths) {
        if now < self.missing_at {
            return;
        }
        self.missing_at = now.saturating_add(MISSING_STEP);
        for slot in 0..self.ios.len() as u32 {
            let Some(io) = &mut self.ios[slot as usize] else { continue };
            if matches!(io.state, State::Fencing(_) | State::Kept(_)) || now < io.start.poll_timeout() {
                continue;
            }
            if let NextAction::End(ending) = io.start.handle_timeout() {
                self.give_up(now, slot, ending, paths);
            }
        }
    }
}

/// Returns whether a path may have another of the I/Os under way. It has no more than half of them while another path
/// has fewer, so that a path that hangs never holds all. Our choice.
#[inline]
fn has_room(group: &PathGroup, path: u8, under_way: usize, paths: &impl ChannelPaths) -> bool {
    let open = paths.open(path);
    let mut others = (0..8).filter(|&other| group.online().contains(other));
    2 * open <= under_way || !others.any(|other| paths.open(other) < open)
}

/// Returns what a write puts into its records.
fn written(
    pattern: &Pattern,
    contents: &Contents,
    place: Place,
    shape: &ProgramShape,
    generation: u32,
) -> Vec<u8> {
    let mut octets = Vec::with_capacity(shape.data_bytes() as usize);
    for place in contents.region().places(place, shape.records) {
        pattern.append(contents.id(place), generation, shape.record_bytes, &mut octets);
    }
    octets
}

/// Returns whether an ending is a success.
#[inline]
fn judge(ending: Ending, outcome: Option<&ChannelOutcome>) -> Result<(), IoError> {
    match (ending, outcome) {
        (_, Some(ChannelOutcome::Ended { residual, incorrect_length, .. })) if ending.is_normal() => {
            if *residual == 0 && !incorrect_length {
                Ok(())
            } else {
                Err(IoError::Length)
            }
        }
        (Ending::Status { device_status }, outcome) => {
            let sense = match outcome {
                Some(ChannelOutcome::Ended { sense: Some(sense), .. }) => Some([sense[0], sense[1]]),
                _ => None,
            };
            Err(IoError::Status { device_status, sense })
        }
        (Ending::NotOperational, _) => Err(IoError::NotOperational),
        (Ending::PermanentError, _) => Err(IoError::PermanentError),
        (Ending::Cancelled, _) => Err(IoError::Cancelled),
        (Ending::MissingInterrupt, _) => Err(IoError::MissingInterrupt),
    }
}
