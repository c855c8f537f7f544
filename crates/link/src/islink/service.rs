//! A system's part in a link: it sends and receives its streams, and ends when both systems have what they need.

mod disks;

use halftrack_base::{Span, Time};
use halftrack_isfc::{DeviceNumber, DeviceReport, Notice, Payload, StreamId};

use super::conversation::Conversation;
use super::directory::{DIRECTORY_STREAM, Part, ReceivedDirectory, SentDirectory};
use super::logical_link::LogicalLink;
use super::service_error::ServiceError;
use super::service_report::{ServiceProgress, ServiceReport};
use super::stream::{Sink, Source};
use crate::driver::{DiskRun, Taps};
use crate::plug::Plug;
use crate::{Clock, StopSignal};

/// How long the last answers may take when both systems have what they need.
const LINGER: Span = Span::from_ms(500);
/// Interval of progress reports.
const PROGRESS_STEP: Span = Span::from_ms(250);

/// A stream that is sent.
pub struct Outgoing {
    /// Number.
    pub stream: u32,
    /// Octets.
    pub source: Box<dyn Source>,
}

/// A stream that is received.
pub struct Incoming {
    /// Number.
    pub stream: u32,
    /// Destination of the octets.
    pub sink: Box<dyn Sink>,
}

/// A stream that goes both ways.
pub struct Duplex {
    /// Number of its stream.
    pub stream: u32,
    /// Application.
    pub conversation: Box<dyn Conversation>,
}

/// Streams of a system.
#[derive(Default)]
pub struct Streams {
    /// Streams that it sends.
    pub outgoing: Vec<Outgoing>,
    /// Streams that it receives.
    pub incoming: Vec<Incoming>,
    /// Conversations.
    pub conversations: Vec<Duplex>,
}

/// Callbacks and controls of a service's owner.
pub struct ServiceSurroundings<'a> {
    /// Captures.
    pub taps: &'a mut Taps<'a>,
    /// Receives the progress.
    pub progress: &'a mut dyn FnMut(&ServiceProgress),
    /// Receives every notice of the link, and of channels that come and go.
    pub notices: &'a mut dyn FnMut(Time, &ServiceNotice<'_>),
    /// Whether somebody wishes that it end.
    pub stop: Option<&'a mut StopSignal>,
}

/// Notice of a service.
#[derive(Debug, Clone, Copy)]
pub enum ServiceNotice<'a> {
    /// Of the link.
    Link(&'a Notice),
    /// A channel came, or went for a reason.
    Channel(usize, Option<&'a str>),
    /// The path of this channel-path id to the control unit of disks came, or went for a reason.
    Disks(u8, Option<&'a str>),
}

/// A system's part in a link.
pub struct Service<P: Plug> {
    link: LogicalLink<P>,
    outgoing: Vec<Outgoing>,
    incoming: Vec<Incoming>,
    conversations: Vec<Duplex>,
    directory: SentDirectory,
    partners: ReceivedDirectory,
    block_bytes: usize,
    losses: u32,
    /// Notices of the turn.
    notices: Vec<Notice>,
    /// When the link came up first, and when something happened last.
    began: Option<Time>,
    moved_at: Time,
    /// When something of the streams moved last.
    ended_at: Time,
    /// When both systems had what they need.
    satisfied_at: Option<Time>,
    /// Devices on which this system wrote when it had what it needs: those of a link that is gone are nobody's.
    written: Vec<DeviceNumber>,
    /// Streams of I/O to disks over the same channels.
    disks: Option<DiskRun>,
}

impl<P: Plug> Service<P> {
    /// Returns the part of a system in a link with these streams. Lengths of sources that are open must be certain.
    pub fn new(mut link: LogicalLink<P>, streams: Streams) -> Self {
        let Streams { outgoing, incoming, conversations } = streams;
        let sent =
            outgoing.iter().map(|one| (one.stream, Part::Sender, one.source.len_bytes().unwrap_or(u64::MAX)));
        let parts = conversations.iter().map(|duplex| (duplex.stream, duplex.conversation.part(), 0));
        let directory = SentDirectory::new(&sent.chain(parts).collect::<Vec<_>>());
        for duplex in &conversations {
            link.end_mut().converse(StreamId(duplex.stream));
        }
        for stream in &incoming {
            if stream.sink.taken_bytes() > 0 {
                link.end_mut().resume(StreamId(stream.stream), stream.sink.taken_bytes());
            }
        }
        let block_bytes = link.end().settings().block_bytes as usize;
        Self {
            link,
            outgoing,
            incoming,
            conversations,
            directory,
            partners: ReceivedDirectory::default(),
            block_bytes,
            losses: 0,
            notices: Vec::new(),
            began: None,
            moved_at: Time::ZERO,
            ended_at: Time::ZERO,
            satisfied_at: None,
            written: Vec::new(),
            disks: None,
        }
    }

    /// Returns the end of the link.
    pub fn link(&self) -> &LogicalLink<P> {
        &self.link
    }

    /// Sends and receives until both systems have what they need.
    ///
    /// # Errors
    /// A stream that cannot go on; no progress for `patience`.
    pub fn run(
        &mut self,
        clock: &Clock,
        patience: Span,
        surroundings: &mut ServiceSurroundings<'_>,
    ) -> Result<ServiceReport, ServiceError> {
        self.moved_at = clock.now();
        let mut progress_at = Time::ZERO;
        let mut is_interrupted = false;
        loop {
            let now = clock.now();
            let mut worked = self.link.turn(now, surroundings.taps);
            let mut moved = self.take_notices(now)?;
            moved |= self.take_deliveries(now)?;
            moved |= self.turn_conversations(now)?;
            moved |= self.send(now)?;
            if moved {
                self.ended_at = now;
            }
            worked |= moved | self.link.follow_orders(now);
            worked |= self.turn_disks(now);
            if worked {
                self.moved_at = now;
            }
            let is_over = self.try_end(now)?;
            self.show_notices(now, surroundings.notices);
            if is_over {
                break;
            }
            if surroundings.stop.as_ref().is_some_and(|stop| stop.is_wished()) {
                is_interrupted = true;
                break;
            }
            let idle = now.saturating_since(self.moved_at);
            if idle >= patience {
                self.end_disks(now, "the logical link makes no progress");
                return Err(ServiceError::NoProgress { after_s: patience.as_s_f64(), why: self.troubles() });
            }
            if now >= progress_at {
                progress_at = now.saturating_add(PROGRESS_STEP);
                (surroundings.progress)(&self.progress(now));
            }
            let until = progress_at.min(self.moved_at.saturating_add(patience));
            let until = self.satisfied_at.map_or(until, |at| until.min(at.saturating_add(LINGER)));
            let until = self.disks.as_ref().map_or(until, |disks| until.min(disks.poll_timeout()));
            let due = self.conversations.iter().filter_map(|duplex| duplex.conversation.deadline()).min();
            // One that is due and waits for room is served when there is some.
            let until = due.filter(|due| *due > now).map_or(until, |due| until.min(due));
            let stop = surroundings.stop.as_deref();
            let rested = self.link.rest(clock, worked, until, stop);
            rested.map_err(|error| ServiceError::Io { place: "the links".to_owned(), error })?;
        }
        self.end_disks(clock.now(), "interrupted");
        let report = self.report(is_interrupted);
        self.leave(clock, surroundings);
        Ok(report)
    }

    fn take_notices(&mut self, now: Time) -> Result<bool, ServiceError> {
        let before = self.notices.len();
        while let Some(notice) = self.link.end_mut().poll_notice() {
            self.notices.push(notice);
            match notice {
                Notice::LinkUp { .. } => self.began = self.began.or(Some(now)),
                Notice::NodeAdded { .. } => {
                    self.conversations.iter_mut().for_each(|duplex| duplex.conversation.restarted(now));
                }
                Notice::Gap { stream } => return Err(ServiceError::Gap(stream.0)),
                _ => {}
            }
        }
        Ok(self.notices.len() > before)
    }

    /// Shows what became of channels and devices in a turn. The end of the other system is no loss when both have everything,
    /// which may have come in the same turn.
    fn show_notices(&mut self, now: Time, notify: &mut dyn FnMut(Time, &ServiceNotice<'_>)) {
        let is_over = self.satisfied_at.is_some();
        for (channel, why) in self.link.take_changes() {
            if !is_over {
                self.losses += u32::from(why.is_some());
                notify(now, &ServiceNotice::Channel(channel, why.as_deref()));
            }
        }
        if let Some(disks) = &mut self.disks {
            for (path, why) in disks.take_changes() {
                if !is_over {
                    notify(now, &ServiceNotice::Disks(disks.chpid(path), why.as_deref()));
                }
            }
        }
        for notice in self.notices.drain(..) {
            if !is_over {
                notify(now, &ServiceNotice::Link(&notice));
            }
        }
    }

    fn take_deliveries(&mut self, now: Time) -> Result<bool, ServiceError> {
        let mut worked = false;
        while let Some(delivery) = self.link.end_mut().poll_delivery() {
            worked = true;
            let Payload::Bytes(octets) = &delivery.payload else { continue };
            let stream = delivery.stream.0;
            if stream == DIRECTORY_STREAM {
                self.partners.put(delivery.offset, octets);
                self.check_streams()?;
                continue;
            }
            if let Some(duplex) = self.conversations.iter_mut().find(|duplex| duplex.stream == stream) {
                let put = duplex.conversation.put(delivery.offset, octets, now);
                put.map_err(|error| ServiceError::Conversation { stream, error })?;
                continue;
            }
            let incoming = self.incoming.iter_mut().find(|incoming| incoming.stream == stream);
            let Some(incoming) = incoming else { return Err(ServiceError::NotWanted(stream)) };
            let put = incoming.sink.put(delivery.offset, octets);
            put.map_err(|error| ServiceError::Sink { stream, error })?;
        }
        Ok(worked)
    }

    /// Reports a stream that only one of the systems has, or of which both have one part.
    fn check_streams(&self) -> Result<(), ServiceError> {
        let Some(streams) = self.partners.streams() else { return Ok(()) };
        let part_of = |stream: u32| streams.get(&stream).and_then(|entry| entry.part);
        for duplex in &self.conversations {
            let (stream, here) = (duplex.stream, duplex.conversation.part());
            if part_of(stream) != Some(here.counterpart()) {
                return Err(ServiceError::NoCounterpart { stream, here });
            }
        }
        let is_wanted = |stream: u32| {
            self.incoming.iter().any(|incoming| incoming.stream == stream)
                || self.conversations.iter().any(|duplex| duplex.stream == stream)
        };
        if let Some(stream) = streams.keys().find(|stream| !is_wanted(**stream)) {
            return Err(ServiceError::NotWanted(*stream));
        }
        match self.incoming.iter().find(|incoming| part_of(incoming.stream) != Some(Part::Sender)) {
            Some(incoming) => Err(ServiceError::NotSent(incoming.stream)),
            None => Ok(()),
        }
    }

    /// Does what the conversations have to do beside the link.
    fn turn_conversations(&mut self, now: Time) -> Result<bool, ServiceError> {
        let mut worked = false;
        for Duplex { stream, conversation } in &mut self.conversations {
            conversation.acknowledged(self.link.end().acknowledged(StreamId(*stream)), now);
            let turned = conversation.turn(now);
            worked |= turned.map_err(|error| ServiceError::Conversation { stream: *stream, error })?;
        }
        Ok(worked)
    }

    /// Sends as long as the link has room, of each stream in turn.
    fn send(&mut self, now: Time) -> Result<bool, ServiceError> {
        let mut worked = false;
        while self.link.end().is_up() {
            let mut has_sent = self.send_of(DIRECTORY_STREAM, None)?;
            for place in 0..self.outgoing.len() {
                has_sent |= self.send_of(self.outgoing[place].stream, Some(place))?;
            }
            for place in 0..self.conversations.len() {
                has_sent |= self.converse(place, now)?;
            }
            if !has_sent {
                break;
            }
            worked = true;
        }
        Ok(worked)
    }

    /// Sends one block of a stream; false when it has none, or there is no room.
    fn send_of(&mut self, stream: u32, place: Option<usize>) -> Result<bool, ServiceError> {
        if self.link.end().room_bytes() < self.block_bytes as u64 {
            return Ok(false);
        }
        let source: &mut dyn Source = match place {
            None => &mut self.directory,
            Some(place) => &mut *self.outgoing[place].source,
        };
        let failed = |error| ServiceError::Io { place: format!("stream {stream}"), error };
        let at = self.link.end().next_offset(StreamId(stream));
        source.seek(at).map_err(failed)?;
        let octets = source.take(self.block_bytes).map_err(failed)?;
        if octets.is_empty() {
            return Ok(false);
        }
        Ok(self.link.end_mut().send(StreamId(stream), &Payload::Bytes(octets)))
    }

    /// Sends some octets of a conversation; false when it has none, or there is no room.
    fn converse(&mut self, place: usize, now: Time) -> Result<bool, ServiceError> {
        let room_bytes = self.link.end().room_bytes();
        if room_bytes < self.block_bytes as u64 {
            return Ok(false);
        }
        let Duplex { stream, conversation } = &mut self.conversations[place];
        let taken = conversation.take(room_bytes, now);
        let taken = taken.map_err(|error| ServiceError::Conversation { stream: *stream, error })?;
        Ok(taken.is_some_and(|octets| self.link.end_mut().send(StreamId(*stream), &Payload::Bytes(octets))))
    }

    /// Ends the service when both systems have what they need; true when it is over.
    fn try_end(&mut self, now: Time) -> Result<bool, ServiceError> {
        if self.satisfied_at.is_none() && self.try_complete()? {
            self.directory.satisfy();
            if self.written.is_empty() {
                let written = self.link.end().devices().filter(|device| device.is_written);
                self.written = written.map(|device| device.number).collect();
            }
            self.satisfied_at = self.partners.is_satisfied().then_some(now);
        }
        let Some(at) = self.satisfied_at else { return Ok(false) };
        let is_known =
            self.link.end().acknowledged(StreamId(DIRECTORY_STREAM)) == self.directory.whole_bytes();
        let is_gone = (0..self.link.system().channels().count()).all(|one| !self.link.system().state(one).0);
        Ok(is_known || is_gone || now.saturating_since(at) >= LINGER)
    }

    /// Completes the streams that have all come; true when the partner has everything that is sent, and this system what the
    /// partner sends.
    fn try_complete(&mut self) -> Result<bool, ServiceError> {
        let end = self.link.end();
        let is_sent = |one: &Outgoing| {
            one.source.len_bytes().is_some_and(|bytes| end.acknowledged(StreamId(one.stream)) >= bytes)
        };
        let Some(lengths) = self.partners.streams() else { return Ok(false) };
        if !self.outgoing.iter().all(is_sent)
            || !self.conversations.iter().all(|duplex| duplex.conversation.is_finished())
            || self.disks.as_ref().is_some_and(|disks| !disks.is_over())
        {
            return Ok(false);
        }
        for incoming in &mut self.incoming {
            let stream = incoming.stream;
            let length = lengths.get(&stream).map_or(u64::MAX, |entry| entry.length_bytes);
            let ended = incoming.sink.end_at(length).map_err(|error| ServiceError::Sink { stream, error })?;
            if !ended {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn progress(&self, now: Time) -> ServiceProgress {
        let sent = self.outgoing.iter().map(|one| self.link.end().acknowledged(StreamId(one.stream)));
        let lengths = self.partners.streams().unwrap_or_default();
        let lengths = lengths.values().map(|entry| entry.length_bytes);
        let expected: u64 = lengths.filter(|length| *length != u64::MAX).sum();
        let to_send: u64 = self.outgoing.iter().filter_map(|one| one.source.len_bytes()).sum();
        ServiceProgress {
            sent_bytes: sent.sum(),
            received_bytes: self.incoming.iter().map(|one| one.sink.taken_bytes()).sum(),
            all_bytes: expected + to_send,
            elapsed: self.began.map_or(Span::ZERO, |began| now.saturating_since(began)),
            channels: (0..self.link.system().channels().count())
                .filter(|channel| self.link.system().state(*channel).0)
                .count(),
        }
    }

    /// Returns what was done so far.
    pub fn report(&self, is_interrupted: bool) -> ServiceReport {
        let sent = self.outgoing.iter();
        let elapsed = self.began.map_or(Span::ZERO, |began| self.ended_at.saturating_since(began));
        ServiceReport {
            node: self.link.end().node(),
            sent: sent.map(|one| (one.stream, self.link.end().acknowledged(StreamId(one.stream)))).collect(),
            received: self.incoming.iter().map(|one| (one.stream, one.sink.taken_bytes())).collect(),
            conversations: self
                .conversations
                .iter()
                .map(|duplex| (duplex.stream, duplex.conversation.report()))
                .collect(),
            elapsed,
            channel_losses: self.losses,
            devices: self.devices(),
            is_interrupted,
        }
    }

    fn devices(&self) -> Vec<DeviceReport> {
        let devices = self.link.end().devices().map(|device| {
            let is_written = device.is_written || self.written.contains(&device.number);
            DeviceReport { is_written, ..device }
        });
        devices.collect()
    }

    fn troubles(&self) -> String {
        let system = self.link.system();
        let state = |(place, options): (usize, &crate::ctc::CtcChannelOptions)| {
            let (is_online, trouble) = system.state(place);
            let words = match (is_online, trouble) {
                (true, _) => "online",
                (false, "") => "no link",
                (false, trouble) => trouble,
            };
            format!("channel path {:02X}: {words}", options.chpid)
        };
        system.channels().enumerate().map(state).collect::<Vec<_>>().join("; ")
    }

    /// Logs out, so that the other system does not wait for this one.
    fn leave(&mut self, clock: &Clock, surroundings: &mut ServiceSurroundings<'_>) {
        let until = clock.now().saturating_add(LINGER);
        self.link.log_out(clock.now());
        while clock.now() < until {
            let now = clock.now();
            let worked = self.link.turn(now, surroundings.taps);
            let system = self.link.system();
            if (0..system.channels().count()).all(|channel| !system.state(channel).0)
                || self.link.rest(clock, worked, until, None).is_err()
            {
                return;
            }
        }
    }
}
