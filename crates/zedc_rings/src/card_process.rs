//! A card as a process: its engine, and the programs that use its functions.
//!
//! One thread is the card: it takes submissions from the rings, does a slice of the request whose turn it is, and gives ends
//! back. While requests come it does not sleep.

mod arrivals;
mod operator;

use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use halftrack_base::{Span, Time};
use halftrack_shared_memory::{Pause, SocketPlace};
use halftrack_zedc::{
    CardId, Cpc, CpcError, DEPTH_DEFAULT, Engine, FUNCTIONS_MAX, FunctionError, FunctionPlace, FunctionState,
    Partition, PartitionId, ResourceGroup, VfNumber,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::clock::Clock;
use crate::connection::{Connection, Reach};
use crate::message::{FromCard, ToCard};
use crate::program_space::ProgramSpaces;
use arrivals::Arrivals;

/// How long the card polls after the last submission before it sleeps. Our choice: several times what sleeping and
/// waking cost.
const SPIN: Span = Span::from_us(100);
/// Interval at which sockets are served while requests come.
const TEND_STEP: Span = Span::from_ms(2);
/// Programs of a function, at most (our choice).
const PROGRAMS_MAX: usize = 256;

/// Options of a card.
#[derive(Debug, Clone)]
pub struct CardOptions {
    /// Number in the machine.
    pub card: CardId,
    /// Resource group.
    pub group: ResourceGroup,
    /// Functions, 1 to this number.
    pub functions: u8,
    /// Users that may use it, beside that of the process; numbers.
    pub users: Vec<u32>,
    /// Version that is shown as that of the firmware.
    pub firmware: String,
}

/// Card with its programs.
pub struct CardProcess {
    options: CardOptions,
    cpc: Cpc,
    /// The one card of `cpc`, whatever its number in the machine is.
    card: CardId,
    engine: Box<dyn Engine>,
    partitions: BTreeMap<VfNumber, Partition>,
    spaces: ProgramSpaces,
    connections: Vec<Connection>,
    /// Connection that is first in the next turn.
    first: usize,
    arrivals: Arrivals,
    clock: Clock,
    last_space: u64,
}

impl CardProcess {
    /// Makes a card whose programs connect at `place`.
    ///
    /// # Errors
    /// An error of the operating system.
    pub fn new(options: CardOptions, engine: Box<dyn Engine>, place: SocketPlace) -> io::Result<Self> {
        let mut cpc = Cpc::default();
        let card =
            cpc.install(options.group, Time::ZERO).map_err(|error: CpcError| io::Error::other(error))?;
        let mut partitions = BTreeMap::new();
        for number in 1..=options.functions.min(FUNCTIONS_MAX as u8) {
            let Some(vf) = VfNumber::new(number) else { continue };
            cpc.card_mut(card).configure(vf, DEPTH_DEFAULT).map_err(io::Error::other)?;
            partitions.insert(vf, Partition::new(PartitionId(number), true));
        }
        let mut process = Self {
            options,
            cpc,
            card,
            engine,
            partitions,
            spaces: ProgramSpaces::default(),
            connections: Vec::new(),
            first: 0,
            arrivals: Arrivals::new(place)?,
            clock: Clock::default(),
            last_space: 0,
        };
        for vf in process.partitions.keys().copied().collect::<Vec<_>>() {
            process.online(vf).map_err(io::Error::other)?;
        }
        Ok(process)
    }

    /// Begins or ends the update of the firmware.
    pub fn set_update(&mut self, is_updated: bool) {
        if is_updated {
            // An update that is under way already goes on.
            let _ = self.cpc.begin_update(self.options.group, self.clock.now());
        } else {
            self.cpc.end_update();
        }
        self.show();
    }

    /// Returns how many programs use the card.
    pub fn programs(&self) -> usize {
        self.connections.len()
    }

    /// Runs until `is_stopping`. `other` is what wakes the card for that.
    ///
    /// # Errors
    /// An error of the operating system.
    pub fn run(&mut self, is_stopping: impl Fn() -> bool, other: BorrowedFd<'_>) -> io::Result<()> {
        let pause = Pause::default();
        let (mut worked, mut tended) = (self.clock.now(), Time::ZERO);
        while !is_stopping() {
            let did_work = self.turn();
            let now = self.clock.now();
            if now.saturating_since(tended) >= TEND_STEP {
                tended = now;
                self.tend();
            }
            if did_work {
                worked = now;
            } else if pause.shares_processor() || now.saturating_since(worked) >= SPIN {
                self.sleep(other)?;
                tended = Time::ZERO;
            } else {
                pause.wait();
            }
        }
        Ok(())
    }

    /// Takes submissions, does a slice, and gives ends back; true when there was something to do.
    fn turn(&mut self) -> bool {
        let now = self.clock.now();
        let mut worked = self.take_submissions(now);
        let card = self.cpc.card_mut(self.card);
        if card.begin_slice(&mut *self.engine, &mut self.spaces, now).is_some() {
            card.end_slice(self.clock.now());
            worked = true;
        }
        // Nothing ends by itself, and no state changes.
        if worked {
            self.give_ends();
        }
        worked
    }

    fn take_submissions(&mut self, now: Time) -> bool {
        let mut worked = false;
        let mut malformed = Vec::new();
        let count = self.connections.len();
        for at in (0..count).map(|at| (self.first + at) % count) {
            let connection = &mut self.connections[at];
            let Some(partition) = self.partitions.get_mut(&connection.vf) else { continue };
            let (cpc, spaces) = (&mut self.cpc, &mut self.spaces);
            match connection.take(&mut Reach { partition, cpc, spaces, now }) {
                Ok(taken) => worked |= taken,
                Err(_) => malformed.push(at),
            }
        }
        self.first = (self.first + 1) % count.max(1);
        malformed.sort_unstable();
        for at in malformed.into_iter().rev() {
            self.let_go(at);
        }
        worked
    }

    /// Gives ends back, and shows programs the state of their functions.
    fn give_ends(&mut self) {
        for partition in self.partitions.values_mut() {
            partition.collect(&mut self.cpc);
            while let Some((token, completion)) = partition.poll() {
                if let Some(connection) = self.connections.iter_mut().find(|one| one.token == token) {
                    connection.end(&completion);
                }
            }
        }
        self.show();
    }

    fn show(&mut self) {
        let card = self.cpc.card(self.card);
        for connection in &mut self.connections {
            let partition = PartitionId(connection.vf.get());
            let state = card.state(connection.vf).unwrap_or(FunctionState::InError);
            let backlog = card.backlog_bytes(connection.vf, partition).unwrap_or(0);
            connection.rings.show(state, backlog);
        }
    }

    /// Lets programs in, answers their messages, and lets those go that are gone.
    fn tend(&mut self) {
        self.arrivals.accept(self.clock.now());
        while let Some((stream, message)) = self.arrivals.next() {
            match message {
                ToCard::Attach { vf } => self.attach(stream, vf),
                ToCard::Operate(command) => self.operate(&stream, command),
                // Nobody registers memory before it is let in.
                ToCard::Register { .. } | ToCard::Deregister { .. } => {}
            }
        }
        for at in (0..self.connections.len()).rev() {
            loop {
                match ToCard::receive(&self.connections[at].stream) {
                    Ok(None) => break,
                    Ok(Some((message, descriptors))) => {
                        if self.answer(at, message, descriptors).is_err() {
                            self.let_go(at);
                            break;
                        }
                    }
                    Err(_) => {
                        self.let_go(at);
                        break;
                    }
                }
            }
        }
    }

    /// Answers a message of a program.
    fn answer(&mut self, at: usize, message: ToCard, descriptors: Vec<OwnedFd>) -> io::Result<()> {
        let now = self.clock.now();
        let connection = &mut self.connections[at];
        let partition = self.partitions.get_mut(&connection.vf).ok_or(io::ErrorKind::NotFound)?;
        let reach = &mut Reach { partition, cpc: &mut self.cpc, spaces: &mut self.spaces, now };
        let answer = match message {
            ToCard::Register { token, address, bytes } => {
                connection.register(token, (address, bytes), descriptors.into_iter().next(), reach)
            }
            ToCard::Deregister { token } => connection.deregister(token, reach),
            ToCard::Attach { .. } | ToCard::Operate(_) => return Err(io::ErrorKind::InvalidData.into()),
        };
        // Requests that ended with the region are given back before the program goes on.
        self.give_ends();
        FromCard::Answered(answer).send(&self.connections[at].stream, &[])
    }

    fn place(&self, vf: VfNumber) -> FunctionPlace {
        FunctionPlace { card: self.card, vf }
    }

    /// Configures a function online.
    fn online(&mut self, vf: VfNumber) -> Result<(), FunctionError> {
        let place = self.place(vf);
        let partition = self.partitions.get_mut(&vf).ok_or(FunctionError::NotConfigured)?;
        partition.attach(place, &mut self.cpc)
    }

    /// Configures a function offline: it is pending while it has requests.
    fn offline(&mut self, vf: VfNumber) -> Result<(), FunctionError> {
        let place = self.place(vf);
        let partition = self.partitions.get_mut(&vf).ok_or(FunctionError::NotConfigured)?;
        partition.detach(place, &mut self.cpc)
    }

    /// Gives up what a program has.
    fn let_go(&mut self, at: usize) {
        let connection = self.connections.remove(at);
        if let Some(partition) = self.partitions.get_mut(&connection.vf) {
            // It has begun with a rendezvous, so that it has something to end.
            let _ = partition.end(connection.token, &mut self.cpc, self.clock.now());
        }
        self.give_ends();
        self.spaces.0.remove(&connection.space);
    }

    /// Sleeps until a program or an operator has something, or `other`.
    fn sleep(&mut self, other: BorrowedFd<'_>) -> io::Result<()> {
        self.connections.iter().for_each(|one| one.rings.set_asleep(true));
        let is_idle = self.connections.iter().all(|one| one.rings.waiting() == Ok(0));
        if is_idle {
            let programs = self.connections.iter().flat_map(|one| [one.stream.as_fd(), one.event.as_fd()]);
            let fds = [other].into_iter().chain(self.arrivals.fds()).chain(programs);
            let mut fds: Vec<_> = fds.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)).collect();
            let limit = Timespec { tv_sec: 1, tv_nsec: 0 };
            match poll(&mut fds, Some(&limit)) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        for one in &self.connections {
            one.rings.set_asleep(false);
            one.event.reset();
        }
        Ok(())
    }
}
