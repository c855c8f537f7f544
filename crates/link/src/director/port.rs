//! A port of a director: its fibre, the frames that wait for it, and those under way on a long inter-switch link.

use std::collections::{BTreeMap, VecDeque};

use halftrack_base::{Span, Time};
use halftrack_wire::fcip::TimeStamp;
use halftrack_wire::timers::HOLD_TIME_US;
use halftrack_wire::{Eof, FcHeader, FrameSink, Sof, WorldWideName, emit_frame};

use crate::clock::HostClock;
use crate::fibre::{Closing, Fibre, FibreCounters, FibreOptions, FrameTap};
use crate::lobby::LOGIN_TIMEOUT;
use crate::plug::Plugged;
use crate::transport::Transport;

/// How long a frame may wait in a director before it is discarded, so that a port that takes nothing keeps nobody's
/// buffers for ever.
pub(super) const HOLD_MAX: Span = Span::from_us(HOLD_TIME_US);
/// How long an inter-switch link may be there without carrying frames.
const LINK_TIMEOUT: Span = Span::from_s(30);
/// How long before a frame under way is due the thread stops sleeping, so that it is not late.
const WAKE_BEFORE: Span = Span::from_us(100);
/// Memory of frames that is kept for the next ones, buffers.
const SPARE_MAX: usize = 256;

/// A frame's octets with its delimiters.
#[derive(Debug)]
pub(super) struct CarriedFrame {
    pub(super) sof: Sof,
    pub(super) octets: Vec<u8>,
    pub(super) eof: Eof,
    /// When it was first sent, as far as that is known.
    pub(super) stamp: TimeStamp,
}

impl CarriedFrame {
    /// Returns whether the frame is for the port with this address.
    pub(super) fn is_for(&self, address: u32) -> bool {
        FcHeader::parse(&self.octets).is_ok_and(|header| header.d_id == address)
    }

    /// Returns whether the port with this address sent the frame.
    pub(super) fn is_of(&self, address: u32) -> bool {
        FcHeader::parse(&self.octets).is_ok_and(|header| header.s_id == address)
    }
}

/// A frame that waits for its output port.
#[derive(Debug)]
pub(super) struct WaitingFrame {
    pub(super) frame: CarriedFrame,
    /// Where its buffer is: port, and number of the port's fibre.
    pub(super) from: (usize, u64),
    pub(super) since: Time,
}

/// Memory for frames, used again and again.
#[derive(Debug, Default)]
pub(super) struct FrameMemory(Vec<Vec<u8>>);

impl FrameMemory {
    /// Returns a copy of `octets`.
    pub(super) fn copy(&mut self, octets: &[u8]) -> Vec<u8> {
        let mut copy = self.0.pop().unwrap_or_default();
        copy.clear();
        copy.extend_from_slice(octets);
        copy
    }

    /// Takes memory back.
    pub(super) fn give_back(&mut self, memory: Vec<u8>) {
        if self.0.len() < SPARE_MAX {
            self.0.push(memory);
        }
    }
}

/// Takes the frames that a switch sends of its own onto a long link.
#[derive(Debug, Default)]
pub(super) struct FrameCollector(pub(super) Option<CarriedFrame>);

impl FrameSink for FrameCollector {
    fn frame(&mut self, sof: Sof, header: &FcHeader, parts: &[&[u8]], eof: Eof) {
        let mut octets = Vec::new();
        if emit_frame(header, parts, &mut octets).is_ok() {
            self.0 = Some(CarriedFrame { sof, octets, eof, stamp: TimeStamp::default() });
        }
    }
}

/// A port.
pub(super) struct DirectorPort<T> {
    /// Link address.
    pub(super) area: u8,
    name: WorldWideName,
    credits: u16,
    /// Names of the ports that may log in; none: every port may.
    pub(super) hosts: Option<Vec<WorldWideName>>,
    /// How long a frame, or a buffer that is given back, is under way to the other end.
    pub(super) delay: Span,
    pub(super) fibre: Option<Fibre<T>>,
    /// Counts the port's fibres: buffers belong to one of them.
    pub(super) generation: u64,
    /// This end opened the connection.
    pub(super) opened: bool,
    /// For an inter-switch link.
    is_inter_switch: bool,
    /// A login was refused: the connection is closed when the reject has been sent.
    pub(super) refused: Option<Closing>,
    /// Whether both ends have one clock, as it was reported last.
    pub(super) clock_told: Option<bool>,
    /// The switch has had the event that the link is up.
    pub(super) linked: bool,
    /// When a login must have come.
    pub(super) login_by: Option<Time>,
    pub(super) waiting: VecDeque<WaitingFrame>,
    /// When who is logged in here logged in, by the host's clock: frames from before are not for it.
    pub(super) in_since: TimeStamp,
    /// When each virtual port, by address, logged in.
    pub(super) virtual_since: BTreeMap<u32, TimeStamp>,
    /// Frames under way, and when they are there.
    pub(super) flying: VecDeque<(Time, CarriedFrame)>,
    /// When buffers of this end are free for the other end.
    returning: VecDeque<Time>,
    /// Traffic of earlier fibres.
    carried: FibreCounters,
}

impl<T: Transport> DirectorPort<T> {
    pub(super) fn new(
        area: u8,
        name: WorldWideName,
        credits: u16,
        delay: Span,
        is_inter_switch: bool,
    ) -> Self {
        Self {
            opened: false,
            is_inter_switch,
            refused: None,
            clock_told: None,
            area,
            name,
            credits,
            hosts: None,
            delay,
            fibre: None,
            generation: 0,
            linked: false,
            login_by: None,
            waiting: VecDeque::new(),
            in_since: TimeStamp::default(),
            virtual_since: BTreeMap::new(),
            flying: VecDeque::new(),
            returning: VecDeque::new(),
            carried: FibreCounters::default(),
        }
    }

    /// Returns a fibre for the port, the `nonce`-th of the director, whose clock this is.
    pub(super) fn fibre_of(
        &self,
        now: Time,
        plugged: Plugged<T>,
        nonce: u64,
        clock: Option<HostClock>,
    ) -> Fibre<T> {
        let options =
            FibreOptions { own_name: self.name, receive_credit: self.credits, check_crc: true, clock };
        if plugged.opened {
            Fibre::open(plugged.transport, options, nonce, now)
        } else {
            Fibre::accept(plugged.transport, options, now)
        }
    }

    /// Takes a fibre.
    pub(super) fn plug(
        &mut self,
        now: Time,
        mut fibre: Fibre<T>,
        opened: bool,
        tap: Option<Box<dyn FrameTap>>,
    ) {
        if let Some(tap) = tap {
            fibre.set_tap(tap);
        }
        self.generation += 1;
        self.opened = opened;
        self.refused = None;
        self.clock_told = None;
        self.expect_login(now);
        self.fibre = Some(fibre);
    }

    /// Begins the time within which the other end has to log in, again or for the first time.
    pub(super) fn expect_login(&mut self, now: Time) {
        let span = if self.is_inter_switch { LINK_TIMEOUT } else { LOGIN_TIMEOUT };
        self.login_by = Some(now.saturating_add(span));
    }

    /// Returns why a connection without a login is closed.
    pub(super) fn no_login(&self) -> Closing {
        let span = if self.is_inter_switch { LINK_TIMEOUT } else { LOGIN_TIMEOUT };
        Closing::NoLogin { after_ms: span.as_ps() / 1_000_000_000 }
    }

    /// Returns when the port with this address, physical or virtual, logged in.
    #[inline]
    pub(super) fn since(&self, address: u32) -> TimeStamp {
        self.virtual_since.get(&address).copied().unwrap_or(self.in_since)
    }

    /// Takes the fibre away; those whose frames waited for it get their buffers back.
    pub(super) fn unplug(&mut self) -> impl Iterator<Item = (usize, u64)> + use<T> {
        if let Some(fibre) = self.fibre.take() {
            add(&mut self.carried, fibre.counters());
        }
        self.linked = false;
        self.login_by = None;
        self.flying.clear();
        self.returning.clear();
        std::mem::take(&mut self.waiting).into_iter().map(|waiting| waiting.from)
    }

    /// Gives back the buffer of the last received frame, which the fibre holds, after the time of the way back.
    pub(super) fn free_later(&mut self, now: Time) {
        self.returning.push_back(now.saturating_add(self.delay));
    }

    /// Frees a buffer of this port's fibre number `generation`.
    pub(super) fn release(&mut self, now: Time, generation: u64) {
        let Some(fibre) = self.fibre.as_mut().filter(|_| self.generation == generation) else { return };
        if self.delay.is_zero() {
            fibre.release();
        } else {
            self.free_later(now);
        }
    }

    /// Gives buffers back, and hands over the frames, whose time under way is over.
    pub(super) fn arrive(&mut self, now: Time, memory: &mut FrameMemory) -> bool {
        let Some(fibre) = &mut self.fibre else { return false };
        let mut worked = false;
        while self.returning.pop_front_if(|due| *due <= now).is_some() {
            fibre.release();
            worked = true;
        }
        while fibre.can_send()
            && let Some((_, frame)) = self.flying.pop_front_if(|(due, _)| *due <= now)
        {
            fibre.forward(frame.sof, &frame.octets, frame.eof, frame.stamp);
            memory.give_back(frame.octets);
            worked = true;
        }
        worked
    }

    /// Returns whether a frame may go out now: with distance those under way have taken credits already.
    pub(super) fn can_send(&self) -> bool {
        let Some(fibre) = &self.fibre else { return false };
        fibre.can_send() && fibre.available_credit() as usize > self.flying.len()
    }

    /// Returns whether something under way is due so soon that sleeping would make it late.
    pub(super) fn is_due_soon(&self, now: Time) -> bool {
        self.next_arrival().is_some_and(|due| due <= now.saturating_add(WAKE_BEFORE))
    }

    fn next_arrival(&self) -> Option<Time> {
        let frame = self.flying.front().map(|(due, _)| *due);
        frame.into_iter().chain(self.returning.front().copied()).min()
    }

    /// Returns the time at which the thread must be awake for frames under way.
    pub(super) fn wake_for_arrival(&self) -> Option<Time> {
        self.next_arrival().map(|due| due.saturating_sub(WAKE_BEFORE))
    }

    /// Returns the time at which the port is due.
    pub(super) fn poll_timeout(&self) -> Option<Time> {
        let fibre = self.fibre.as_ref()?.poll_timeout();
        let arrival = self.next_arrival();
        let old = self.waiting.front().map(|waiting| waiting.since.saturating_add(HOLD_MAX));
        [Some(fibre), arrival, old, self.login_by].into_iter().flatten().min()
    }

    /// Returns what the port's fibres carried.
    pub(super) fn counters(&self) -> FibreCounters {
        let mut counters = self.carried;
        if let Some(fibre) = &self.fibre {
            add(&mut counters, fibre.counters());
        }
        counters
    }
}

fn add(sum: &mut FibreCounters, more: FibreCounters) {
    sum.frames_in += more.frames_in;
    sum.frames_out += more.frames_out;
    sum.bytes_in += more.bytes_in;
    sum.bytes_out += more.bytes_out;
    sum.damaged += more.damaged;
    sum.too_old += more.too_old;
}
