//! Thread that drives an end: commands, packets and time.

use core::net::IpAddr;
use std::io;
use std::net::UdpSocket;
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::mpsc::{Receiver, Sender};

use halftrack_base::{Span, Time};
use halftrack_roce::packet::{PACKET_BYTES_MAX, PacketBuffer};
use halftrack_smc::link_group::{PORTS_MAX, PortNumber};
use halftrack_smc::message::llc::DeleteReason;
use halftrack_smc_stack::{PortSettings, Stack};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::carriage::Carriage;
use crate::clock::Clock;
use crate::command::{Command, StreamCommand};
use crate::fabric::SentDatagram;
use crate::sockets;

/// Packets of a socket that are taken before others have their turn.
const PACKETS_OF_TURN: usize = 64;
/// Longest wait for what an operator does to ports (our choice).
const OPERATOR_WAIT: Span = Span::from_ms(50);
/// Longest time for the last messages of an end that stops (our choice).
const LINGER: Span = Span::from_s(2);

/// Socket of a port.
type PortSocket = (PortNumber, IpAddr, UdpSocket);

/// Outcome of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// Another turn: there may be more to do.
    Again,
    /// A wait.
    Idle,
    /// The end has stopped.
    Ended,
}

/// Driver.
pub(crate) struct Driver {
    stack: Stack,
    ports: [Option<PortSettings>; PORTS_MAX],
    sockets: Vec<PortSocket>,
    commands: Receiver<Command>,
    wake: OwnedFd,
    copies: Option<Sender<SentDatagram>>,
    clock: Clock,
    /// Commands that wait until octets can move.
    waiting: Vec<StreamCommand>,
    /// Connections whose octets lie in the memory of programs.
    carriages: Vec<Carriage>,
    /// Ports that an operator has taken away.
    is_down: [bool; PORTS_MAX],
    scratch: Vec<u8>,
    /// End of the time for the last messages, once the end stops.
    stop_at: Option<Time>,
    buffer: PacketBuffer,
}

impl Driver {
    pub(crate) fn new(
        (stack, ports): (Stack, [Option<PortSettings>; PORTS_MAX]),
        sockets: Vec<PortSocket>,
        (commands, wake): (Receiver<Command>, OwnedFd),
        copies: Option<Sender<SentDatagram>>,
    ) -> Self {
        Self {
            stack,
            ports,
            sockets,
            commands,
            wake,
            copies,
            clock: Clock::start(),
            waiting: Vec::new(),
            carriages: Vec::new(),
            is_down: [false; PORTS_MAX],
            scratch: Vec::new(),
            stop_at: None,
            buffer: [0; PACKET_BYTES_MAX],
        }
    }

    fn now(&self) -> Time {
        self.clock.now()
    }

    /// Runs until the handle is gone.
    pub(crate) fn run(mut self) -> io::Result<()> {
        loop {
            match self.turn()? {
                Turn::Again => {}
                Turn::Ended => return Ok(()),
                Turn::Idle => {
                    self.wait()?;
                    self.receive()?;
                }
            }
        }
    }

    /// Does what is due, once. What a packet brought may have to be answered: nothing waits behind one.
    fn turn(&mut self) -> io::Result<Turn> {
        while let Ok(command) = self.commands.try_recv() {
            self.take(command);
        }
        let now = self.now();
        if self.stack.poll_timeout().is_some_and(|due| due <= now) {
            self.stack.handle_timeout(now);
        }
        self.follow_operator();
        self.serve();
        self.carry();
        self.transmit();
        let has_received = self.receive()?;
        if self.carry() {
            return Ok(Turn::Again);
        }
        if self.try_end(now) {
            return Ok(Turn::Ended);
        }
        Ok(if has_received { Turn::Again } else { Turn::Idle })
    }

    fn take(&mut self, command: Command) {
        let now = self.now();
        // Who does not wait for an answer any more has no use for it.
        match command {
            Command::Accept(answer) => _ = answer.send(self.stack.accept(now)),
            Command::Confirm(accept, answer) => _ = answer.send(self.stack.confirm(now, &accept)),
            Command::Confirmed(connection, confirm, answer) => {
                _ = answer.send(self.stack.confirmed(now, connection, &confirm));
            }
            Command::State(answer) => _ = answer.send(self.stack.state()),
            Command::Stream(command) => self.waiting.push(command),
            Command::ShutDown(connection) => self.stack.shut_down(connection),
            Command::Close(connection) => self.stack.close(now, connection),
            Command::Carry(carriage) => self.carriages.push(*carriage),
            Command::PortDown(port) => self.stack.handle_port_down(now, port),
            Command::Stop => self.stop_at = Some(now.saturating_add(LINGER)),
        }
    }

    /// Answers commands for which octets can move.
    fn serve(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        self.waiting = waiting.into_iter().filter_map(|command| self.try_move(command)).collect();
    }

    /// Moves octets; returns the command where it has to wait.
    fn try_move(&mut self, command: StreamCommand) -> Option<StreamCommand> {
        match command {
            StreamCommand::Send { connection, octets, answer } => {
                match self.stack.send(connection, &octets) {
                    Ok(0) => return Some(StreamCommand::Send { connection, octets, answer }),
                    result => _ = answer.send(result),
                }
            }
            StreamCommand::Receive { connection, most, answer } => {
                let mut octets = vec![0; most];
                match self.stack.receive(connection, &mut octets) {
                    Ok(0) if !self.stack.is_end(connection) => {
                        return Some(StreamCommand::Receive { connection, most, answer });
                    }
                    result => {
                        let result = result.map(|bytes| {
                            octets.truncate(bytes);
                            octets
                        });
                        _ = answer.send(result);
                    }
                }
            }
        }
        None
    }

    /// Moves octets of all carriages; returns whether any were.
    fn carry(&mut self) -> bool {
        let (now, mut has_moved) = (self.now(), false);
        for carriage in &mut self.carriages {
            has_moved |= carriage.move_octets(&mut self.stack, now, &mut self.scratch);
        }
        self.carriages.retain(|carriage| !carriage.is_over());
        has_moved
    }

    /// Takes ports away that an operator has taken away, and gives them back.
    fn follow_operator(&mut self) {
        let mut is_down = [false; PORTS_MAX];
        let down = self.carriages.iter().flat_map(Carriage::ports_down);
        down.for_each(|port| is_down[port.index()] = true);
        let now = self.now();
        for port in PortNumber::ALL {
            match (self.is_down[port.index()], is_down[port.index()], self.ports[port.index()]) {
                (false, true, _) => self.stack.handle_port_down(now, port),
                (true, false, Some(settings)) => self.stack.handle_port_up(now, port, settings),
                _ => {}
            }
        }
        self.is_down = is_down;
    }

    fn transmit(&mut self) {
        let now = self.now();
        while let Some(datagram) = self.stack.poll_transmit(now, &mut self.buffer) {
            let octets = &self.buffer[..datagram.bytes];
            let Some((_, source, socket)) = self.sockets.iter().find(|(port, ..)| *port == datagram.port)
            else {
                continue;
            };
            if self.is_down[datagram.port.index()] {
                // A port that is away sends nothing, and nothing comes to it.
                continue;
            }
            sockets::send(socket, datagram.destination, octets);
            if let Some(copies) = &self.copies {
                let (source, destination) = (*source, datagram.destination);
                // A receiver that is gone needs no copies.
                let _ = copies.send(SentDatagram { source, destination, octets: octets.to_vec() });
            }
        }
    }

    /// Ends the group of an end that stops; returns whether its last message has left, or its time is over.
    fn try_end(&mut self, now: Time) -> bool {
        let Some(stop_at) = self.stop_at else { return false };
        if self.stack.end().is_none() && (self.stack.is_idle() || stop_at <= now) {
            self.stack.end_group(now, DeleteReason::PROGRAM);
            self.transmit();
        }
        stop_at <= now || self.stack.is_silent()
    }

    /// Waits for a packet, a command, or the next instant at which something is due.
    fn wait(&mut self) -> io::Result<()> {
        if self.carriages.iter().fold(false, |is_due, carriage| carriage.arm() | is_due) {
            return Ok(());
        }
        let operator = (!self.carriages.is_empty()).then(|| self.now().saturating_add(OPERATOR_WAIT));
        let due = [self.stack.poll_timeout(), self.stop_at, operator].into_iter().flatten().min();
        let span = due.map(|due| due.saturating_since(self.now()));
        let timeout = span.map(|span| {
            let ns = span.as_ps().div_ceil(1_000);
            Timespec { tv_sec: (ns / 1_000_000_000) as i64, tv_nsec: (ns % 1_000_000_000) as _ }
        });
        let sockets = self.sockets.iter().map(|(.., socket)| PollFd::new(socket, PollFlags::IN));
        let bells = self
            .carriages
            .iter()
            .map(|carriage| PollFd::from_borrowed_fd(carriage.bell().as_fd(), PollFlags::IN));
        let mut descriptors: Vec<PollFd<'_>> =
            sockets.chain([PollFd::new(&self.wake, PollFlags::IN)]).chain(bells).collect();
        match poll(&mut descriptors, timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        // The counter of wakes, which may be zero.
        let _ = rustix::io::read(&self.wake, &mut [0; 8]);
        self.carriages.iter().for_each(|carriage| carriage.bell().reset());
        Ok(())
    }

    /// Takes packets in; returns whether there was one.
    fn receive(&mut self) -> io::Result<bool> {
        let mut has_received = false;
        for at in 0..self.sockets.len() {
            for _ in 0..PACKETS_OF_TURN {
                let (port, _, socket) = &self.sockets[at];
                let Some((bytes, from)) = sockets::receive(socket, &mut self.buffer)? else { break };
                has_received = true;
                let (now, port, octets) = (self.now(), *port, &self.buffer[..bytes]);
                if self.is_down[port.index()] {
                    continue;
                }
                self.stack.handle_datagram(now, port, (from.ip(), from.port()), octets);
            }
        }
        Ok(has_received)
    }
}

#[cfg(test)]
mod tests {
    use core::net::Ipv4Addr;

    use halftrack_smc::buffer::ElementSize;
    use halftrack_smc::link_group::Role;
    use halftrack_smc::message::PeerId;
    use rustix::event::{EventfdFlags, eventfd};

    use super::*;

    /// A packet that comes in the middle of a turn has its answer before the thread waits: the peer's next one may never come.
    #[test]
    fn no_wait_begins_behind_a_packet() {
        let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let socket = UdpSocket::bind((address, 0)).expect("a socket");
        socket.set_nonblocking(true).expect("a socket");
        let own = socket.local_addr().expect("an address");
        let ports = [None; PORTS_MAX];
        let stack = Stack::new(halftrack_smc_stack::Settings {
            role: Role::Client,
            peer: PeerId([1; 8]),
            ports,
            size: ElementSize::at_least(0),
            elements: 2,
            seed: 1,
        });
        let wake = eventfd(0, EventfdFlags::NONBLOCK).expect("a bell");
        let (_commands, receiver) = std::sync::mpsc::channel();
        let mut driver =
            Driver::new((stack, ports), vec![(PortNumber::ALL[0], address, socket)], (receiver, wake), None);
        assert_eq!(driver.turn().expect("a turn"), Turn::Idle);
        let peer = UdpSocket::bind((address, 0)).expect("a socket");
        peer.send_to(&[0; 64], own).expect("a packet");
        let (first, second) = (driver.turn().expect("a turn"), driver.turn().expect("a turn"));
        assert_eq!((first, second), (Turn::Again, Turn::Idle));
    }
}
