//! Lines in virtual time: what carries the octets of a channel path, or of a part of it, with its length and its faults.
//!
//! Octets that are on their way stay so when an end is closed: the other end gets them first and the end of the link after
//! them, as behind directors. A stalled line keeps all it has and brings it later. At a cable an end sees besides that the
//! other one is closed, though it has not taken what came before.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::rc::Rc;

use halftrack_base::{Span, Time};
use halftrack_engine::RandomStream;
use halftrack_link::driver::Connector;
use halftrack_link::line_effects::{Lane, LineEffect, carry};
use halftrack_link::{InBuffer, OutBuffer, Received, Transport};

/// How long octets are on their way at least.
pub const LEAST_DELAY: Span = Span::from_us(1);

/// Batches whose memory a line keeps.
const MEMORY_MAX: usize = 16;

/// The two ways: to the control unit, and to the channel.
pub const TO_CONTROL_UNIT: usize = 0;
pub const TO_CHANNEL: usize = 1;

/// One link.
#[derive(Default)]
struct Link {
    lanes: [Lane; 2],
    /// The ends that have lost the light, by the way that octets go from them, and those that are gone.
    dark: [bool; 2],
    gone: [bool; 2],
}

/// A line: the cable of one path, over which one link comes after the other.
pub struct Line {
    now: Rc<Cell<Time>>,
    delay: Span,
    /// The end that opens links, by the way that octets go from it.
    opener: usize,
    is_cable: bool,
    /// Nothing arrives before, by way.
    pub stalled: [Time; 2],
    /// No new link before.
    pub down: Time,
    /// Links that something is on its way over, the newest last.
    links: Vec<Rc<RefCell<Link>>>,
    /// A link that its other end has not taken yet.
    offered: Option<LineEnd>,
    /// Faults of what crosses it.
    pub effects: Vec<LineEffect>,
    random: RandomStream,
    /// Memory of batches that have arrived, for those to come.
    memory: Vec<Vec<u8>>,
    fd: Rc<File>,
}

/// The common parts of all lines of a world: its time, its seed, and a file for those who wait for octets, which nobody does.
#[derive(Debug)]
pub struct LineClock {
    /// Time of the world.
    pub now: Rc<Cell<Time>>,
    seed: u64,
    lines: Cell<u64>,
    fd: Rc<File>,
}

impl LineClock {
    /// Returns the clock of a world of this seed, at time zero.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn new(seed: u64) -> io::Result<Self> {
        let fd = Rc::new(File::open("/dev/null")?);
        Ok(Self { now: Rc::default(), seed, lines: Cell::new(0), fd })
    }

    /// Returns the random stream of the next line.
    fn random(&self) -> RandomStream {
        let line = self.lines.get();
        self.lines.set(line + 1);
        RandomStream::new(self.seed, &format!("line {line}"))
    }
}

/// A line that its ends share.
pub type SharedLine = Rc<RefCell<Line>>;

impl Line {
    /// Returns a line of this length between a channel and a control unit.
    pub fn new(clock: &LineClock, delay: Span) -> SharedLine {
        Self::of(clock, delay, TO_CONTROL_UNIT, false)
    }

    /// Returns a cable whose links the end opens that octets going this way come from.
    pub fn cable(clock: &LineClock, opener: usize) -> SharedLine {
        Self::of(clock, LEAST_DELAY, opener, true)
    }

    fn of(clock: &LineClock, delay: Span, opener: usize, is_cable: bool) -> SharedLine {
        Rc::new(RefCell::new(Line {
            now: Rc::clone(&clock.now),
            delay,
            opener,
            is_cable,
            stalled: [Time::ZERO; 2],
            down: Time::ZERO,
            links: Vec::new(),
            offered: None,
            effects: Vec::new(),
            random: clock.random(),
            memory: Vec::new(),
            fd: Rc::clone(&clock.fd),
        }))
    }

    /// Loses all frames until then, before anything else happens to them.
    pub fn cut(&mut self, until: Time) {
        self.effects.insert(0, LineEffect::no_frames(until));
    }

    /// Darkens one direction: the end that sends in it detects the end of the link at once.
    pub fn darken(&mut self, way: usize) {
        if let Some(link) = self.links.last() {
            link.borrow_mut().dark[way] = true;
        }
    }

    /// Resets the link: both ends of a cable detect its end at once, and the channel's of a line.
    pub fn reset(&mut self) {
        self.darken(TO_CONTROL_UNIT);
        if self.is_cable {
            self.darken(TO_CHANNEL);
        }
    }

    /// Returns the new link, for the end that does not open it.
    pub fn take_offered(&mut self) -> Option<LineEnd> {
        self.offered.take()
    }

    /// Returns the time at which something arrives next that has not come yet.
    pub fn next(&self) -> Option<Time> {
        let now = self.now.get();
        let links = self.links.iter().map(|link| link.borrow());
        let arrivals = links.filter_map(|link| {
            // What nobody takes any more does not arrive.
            let ways = [TO_CONTROL_UNIT, TO_CHANNEL].into_iter().filter(|way| !link.gone[1 - way]);
            let arrivals = ways.filter_map(|way| {
                let lane = &link.lanes[way];
                let first = lane.batches.front().map(|(at, _)| *at).or(lane.ends)?;
                Some(first.max(self.stalled[way])).filter(|at| *at > now)
            });
            arrivals.min()
        });
        arrivals.min()
    }
}

/// One end of a link.
pub struct LineEnd {
    line: SharedLine,
    link: Rc<RefCell<Link>>,
    /// The way that octets go from here.
    way: usize,
    fd: Rc<File>,
}

impl Transport for LineEnd {
    fn send(&mut self, out: &mut OutBuffer) -> io::Result<()> {
        if out.is_empty() {
            return Ok(());
        }
        let mut line = self.line.borrow_mut();
        let batch = out.take_batch(line.memory.pop().unwrap_or_default());
        let mut link = self.link.borrow_mut();
        if link.dark[self.way] {
            return Ok(());
        }
        let now = line.now.get();
        let arrives = now.saturating_add(line.delay);
        line.effects.retain(|effect| effect.until > now);
        let Line { effects, random, .. } = &mut *line;
        carry(&mut link.lanes, self.way, (arrives, batch), effects, random);
        Ok(())
    }

    fn receive(&mut self, into: &mut InBuffer) -> io::Result<Received> {
        let mut line = self.line.borrow_mut();
        let (now, way) = (line.now.get(), 1 - self.way);
        let mut link = self.link.borrow_mut();
        if link.dark[self.way] {
            return Ok(Received::Closed);
        }
        if now < line.stalled[way] {
            return Ok(Received::Nothing);
        }
        let lane = &mut link.lanes[way];
        let mut count = 0;
        while lane.batches.front().is_some_and(|(at, _)| *at <= now) {
            let Some((_, batch)) = lane.batches.pop_front() else { break };
            count += batch.len();
            let memory = into.take_batch(batch);
            if line.memory.len() < MEMORY_MAX {
                line.memory.push(memory);
            }
        }
        if count > 0 {
            return Ok(Received::Octets(count));
        }
        let is_over = lane.batches.is_empty() && lane.ends.is_some_and(|at| at <= now);
        Ok(if is_over { Received::Closed } else { Received::Nothing })
    }

    fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    fn is_given_up(&self) -> bool {
        let (line, link) = (self.line.borrow(), self.link.borrow());
        let ends = link.lanes[1 - self.way].ends;
        link.dark[self.way] || line.is_cable && ends.is_some_and(|at| at <= line.now.get())
    }

    fn peer(&self) -> String {
        "the other end of the line".to_owned()
    }
}

impl Drop for LineEnd {
    fn drop(&mut self) {
        // An end that is never taken goes with its line.
        let Ok(line) = self.line.try_borrow() else { return };
        let mut link = self.link.borrow_mut();
        link.gone[self.way] = true;
        let lane = &mut link.lanes[self.way];
        let last = lane.batches.back().map_or(Time::ZERO, |(at, _)| *at);
        lane.ends.get_or_insert(line.now.get().saturating_add(line.delay).max(last));
    }
}

/// Opens links over a line.
pub struct LineConnector(pub SharedLine);

impl Connector for LineConnector {
    type Transport = LineEnd;

    fn poll_connect(&mut self) -> Option<io::Result<LineEnd>> {
        let mut line = self.0.borrow_mut();
        // The port at the other end has one link at a time.
        if line.now.get() < line.down || line.offered.is_some() {
            return Some(Err(io::ErrorKind::NotConnected.into()));
        }
        let link = Rc::<RefCell<Link>>::default();
        let end =
            |way| LineEnd { line: Rc::clone(&self.0), link: Rc::clone(&link), way, fd: Rc::clone(&line.fd) };
        let (near, far) = (end(line.opener), end(1 - line.opener));
        line.links.retain(|link| Rc::strong_count(link) > 1);
        line.links.push(link);
        line.offered = Some(far);
        Some(Ok(near))
    }
}
