//! A link of a host: connected, greeted, used for requests, and given up when the control unit is gone.
//!
//! ```text
//! Down ─ connected ─► Greeting ─ welcome with the memory ─► Operational
//!  ▲                     │                                      │
//!  └── after a while ◄───┴── the control unit is gone, refuses, or keeps a request ◄┘
//! ```
//!
//! A request that the control unit has taken is over when it is answered, or the memory is given up. The latter happens
//! when the control unit is gone, or has kept it for a second: it does what it has taken before it takes anything else.

use std::io::{self, ErrorKind, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use halftrack_base::{Span, Time};
use halftrack_control_unit::PathGroupId;
use halftrack_exchange::synchronous::{Completion, Function, GivenUp, LocalReject};
use halftrack_shared_memory::{Event, Pause, connect_at_once, is_gone};
use halftrack_wire::synchronous::{Greeting, SynchronousRequest};

use super::handover;
use super::shared_area::SharedArea;
use crate::clock::Clock;

/// How long a link that was lost stays down before it is tried again.
const RETRY: Span = Span::from_ms(250);
/// How long a welcome may take.
const WELCOME_WAIT: Span = Span::from_s(1);
/// How long the control unit may keep a request that it has taken.
const TAKEN_MAX: Span = Span::from_s(1);
/// Interval at which a link is tended.
const TEND_STEP: Span = Span::from_ms(5);
/// Polls between two readings of the clock.
const POLLS: u32 = 16;
/// Time that light in a fibre takes for a metre (performance reference, section 4: 5 µs a kilometre).
const PS_PER_METRE: f64 = 5_000.0;

/// Options of a link.
#[derive(Debug, Clone, PartialEq)]
pub struct HostLinkOptions {
    /// Socket of the control unit.
    pub socket: PathBuf,
    /// Functions that the host would have.
    pub functions: u8,
    /// Time-out of a request.
    pub timeout: Span,
    /// Length of the cable that is simulated, m.
    pub metres: f64,
    /// Path group of the host.
    pub group: PathGroupId,
}

/// A request that was given up while the control unit had it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pending {
    /// Place of the link.
    pub(super) link: usize,
    connection: u64,
    function: u8,
}

/// A link in use.
#[derive(Debug)]
struct Operational {
    stream: UnixStream,
    area: SharedArea,
    waker: Event,
    functions: Vec<Function>,
    /// When the oldest request was given up that may not be over.
    kept_since: Option<Time>,
}

#[derive(Debug)]
enum State {
    Down { retry_at: Time },
    Greeting { stream: UnixStream, until: Time },
    Operational(Box<Operational>),
}

/// A link of a host.
#[derive(Debug)]
pub(super) struct HostLink {
    place: usize,
    options: HostLinkOptions,
    clock: Clock,
    pause: Pause,
    state: State,
    /// Links so far: distinguishes each from the earlier ones.
    connection: u64,
    tend_at: Time,
    trouble: String,
}

impl HostLink {
    /// Returns a link that is down, `place` among those of its host.
    pub fn new(place: usize, options: HostLinkOptions, clock: Clock) -> Self {
        let state = State::Down { retry_at: Time::ZERO };
        let (pause, tend_at) = (Pause::default(), Time::ZERO);
        Self { place, options, clock, pause, state, connection: 0, tend_at, trouble: String::new() }
    }

    /// Returns whether requests can be sent.
    pub fn is_operational(&self) -> bool {
        matches!(self.state, State::Operational(_))
    }

    /// Returns why it is not operational; empty when nothing went wrong.
    pub fn trouble(&self) -> &str {
        &self.trouble
    }

    /// Returns how often it was operational.
    pub fn connections(&self) -> u64 {
        self.connection
    }

    /// Changes the options.
    #[cfg(test)]
    pub fn set_options(&mut self, options: HostLinkOptions) {
        self.options = options;
    }

    pub fn options(&self) -> &HostLinkOptions {
        &self.options
    }

    /// Connects, greets, and finds out whether the control unit is gone, as far as it is time to.
    #[inline]
    pub fn tend(&mut self, now: Time) {
        if now >= self.tend_at {
            self.tend_at = now.saturating_add(TEND_STEP);
            if let Err(error) = self.advance(now) {
                self.trouble = format!("{}: {error}", self.options.socket.display());
                self.state = State::Down { retry_at: now.saturating_add(RETRY) };
            }
        }
    }

    #[cold]
    fn advance(&mut self, now: Time) -> io::Result<()> {
        match &self.state {
            State::Down { retry_at } if now >= *retry_at => {
                let stream = connect_at_once(&self.options.socket)?;
                let greeting = Greeting { functions: self.options.functions, group: self.options.group };
                (&stream).write_all(&greeting.to_octets())?;
                self.state = State::Greeting { stream, until: now.saturating_add(WELCOME_WAIT) };
            }
            State::Down { .. } => {}
            State::Greeting { stream, until } => match handover::receive(stream)? {
                Some((welcome, descriptors)) => {
                    let functions = welcome.functions.map_err(io::Error::other)?;
                    let Ok([memory, waker]) = <[OwnedFd; 2]>::try_from(descriptors) else {
                        return Err(ErrorKind::InvalidData.into());
                    };
                    let area = SharedArea::open(memory, functions)?;
                    self.begin(area, waker.into())?;
                }
                None if now >= *until => return Err(ErrorKind::TimedOut.into()),
                None => {}
            },
            State::Operational(link) => {
                let is_kept = link.kept_since.is_some_and(|since| now.saturating_since(since) > TAKEN_MAX);
                if is_kept {
                    return Err(io::Error::new(ErrorKind::TimedOut, "a request was not answered"));
                }
                if is_gone(&link.stream) {
                    return Err(ErrorKind::ConnectionReset.into());
                }
            }
        }
        Ok(())
    }

    fn begin(&mut self, area: SharedArea, waker: Event) -> io::Result<()> {
        let before = std::mem::replace(&mut self.state, State::Down { retry_at: Time::ZERO });
        let State::Greeting { stream, .. } = before else { return Err(ErrorKind::NotConnected.into()) };
        let functions = vec![Function::default(); usize::from(area.functions())];
        self.connection += 1;
        self.trouble.clear();
        let link = Operational { stream, area, waker, functions, kept_since: None };
        self.state = State::Operational(Box::new(link));
        Ok(())
    }

    /// Executes a request and waits for its end, as long as the time-out lets it. What a read brought is in `read`.
    ///
    /// # Errors
    /// The request was given up and may be executed yet: it is over when [`HostLink::try_end`] has ended it.
    #[inline]
    pub fn execute(
        &mut self,
        request: &SynchronousRequest,
        written: &[u8],
        read: &mut Vec<u8>,
    ) -> Result<Completion, Pending> {
        let State::Operational(link) = &mut self.state else {
            return Ok(Completion::Local(LocalReject::NotOperational));
        };
        let Some(number) = link.functions.iter().position(Function::is_free) else {
            return Ok(Completion::Local(LocalReject::LinkBusy));
        };
        let (function, slot) = (&mut link.functions[number], link.area.slot(number as u8));
        let until = self.clock.now().saturating_add(self.options.timeout);
        function.post(&slot, request, written);
        if link.area.is_asleep() {
            link.waker.set();
        }
        loop {
            for _ in 0..POLLS {
                if let Some(completion) = function.poll(&slot, read) {
                    let way = Span::from_ps((2.0 * PS_PER_METRE * self.options.metres) as u64);
                    wait_for_way(&self.clock, way);
                    return Ok(completion);
                }
                self.pause.wait();
            }
            if self.clock.now() >= until {
                break;
            }
        }
        match function.give_up(&slot) {
            GivenUp::Withdrawn => Ok(Completion::TimedOut),
            GivenUp::Taken => {
                link.kept_since.get_or_insert(until);
                Err(Pending { link: self.place, connection: self.connection, function: number as u8 })
            }
        }
    }

    /// Ends a request that was given up; false while it is neither answered nor its memory given up.
    pub fn try_end(&mut self, pending: &Pending) -> bool {
        let State::Operational(link) = &mut self.state else { return true };
        if pending.connection != self.connection {
            return true;
        }
        let number = usize::from(pending.function);
        let is_over = link.functions[number].poll_over(&link.area.slot(pending.function));
        if link.functions.iter().all(Function::is_free) {
            link.kept_since = None;
        }
        is_over
    }
}

/// Waits as long as light takes for the simulated cable.
#[inline]
fn wait_for_way(clock: &Clock, way: Span) {
    if way > Span::ZERO {
        let until = clock.now().saturating_add(way);
        while clock.now() < until {}
    }
}
