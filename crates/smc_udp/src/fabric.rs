//! Handle of a driver.

use core::net::IpAddr;
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd, RawFd};
use std::sync::Arc;
use std::sync::mpsc::{self, Sender, SyncSender};
use std::thread::JoinHandle;

use halftrack_roce::packet::ROCE_PORT;
use halftrack_smc::buffer::ElementSize;
use halftrack_smc::link_group::{GroupState, PORTS_MAX, PortNumber, Role};
use halftrack_smc::message::clc::{Diagnosis, Endpoint};
use halftrack_smc::message::{AlertToken, Mac, Mtu, PeerId};
use halftrack_smc_host::SharedEnd;
use halftrack_smc_stack::{self as smc_stack, PortSettings, Stack};
use rustix::event::{EventfdFlags, eventfd};

use crate::carriage::{Bells, Carriage};
use crate::command::{Command, FabricError, StreamCommand};
use crate::driver::Driver;
use crate::sockets;

/// Copy of a datagram that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentDatagram {
    /// Sender.
    pub source: IpAddr,
    /// Receiver.
    pub destination: IpAddr,
    /// Packet.
    pub octets: Vec<u8>,
}

/// Settings of an end.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Role.
    pub role: Role,
    /// Name of the stack.
    pub peer: PeerId,
    /// MAC and IP address of each port.
    pub ports: [Option<(Mac, IpAddr)>; PORTS_MAX],
    /// Largest packet.
    pub mtu: Mtu,
    /// Size of the elements.
    pub size: ElementSize,
    /// Elements of each buffer.
    pub elements: u8,
    /// Number from which names, keys and first packet numbers are made.
    pub seed: u32,
    /// Receiver of copies of everything that is sent.
    pub copies: Option<Sender<SentDatagram>>,
}

/// End of a link group that a thread drives.
#[derive(Debug)]
pub struct Fabric {
    commands: Sender<Command>,
    wake: OwnedFd,
    descriptors: Vec<RawFd>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl Fabric {
    /// Opens the sockets and starts the thread.
    ///
    /// # Errors
    /// A socket, its option, or the thread cannot be made.
    pub fn start(settings: Settings) -> io::Result<Self> {
        let mut open = Vec::new();
        let mut ports = [None; PORTS_MAX];
        for number in PortNumber::ALL {
            if let Some((mac, address)) = settings.ports[number.index()] {
                open.push((number, address, sockets::open(address)?));
                let (source_port, mtu) = (ROCE_PORT, settings.mtu);
                ports[number.index()] = Some(PortSettings { mac, address, source_port, mtu });
            }
        }
        let stack = Stack::new(smc_stack::Settings {
            role: settings.role,
            peer: settings.peer,
            ports,
            size: settings.size,
            elements: settings.elements,
            seed: settings.seed,
        });
        let wake = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let (commands, receiver) = mpsc::channel();
        let of_driver = wake.try_clone()?;
        let mut descriptors: Vec<_> = open.iter().map(|(.., socket)| socket.as_raw_fd()).collect();
        descriptors.extend([wake.as_raw_fd(), of_driver.as_raw_fd()]);
        let driver = Driver::new((stack, ports), open, (receiver, of_driver), settings.copies);
        let thread = std::thread::Builder::new().name("smc-udp".to_owned()).spawn(move || driver.run())?;
        Ok(Self { commands, wake, descriptors, thread: Some(thread) })
    }

    /// Returns the descriptors of sockets and of the wake, which are open as long as this is there.
    pub fn descriptors(&self) -> &[RawFd] {
        &self.descriptors
    }

    /// Makes the own end of an Accept, at a server.
    ///
    /// # Errors
    /// No connection is possible, by the reason.
    pub fn accept(&self) -> Result<Endpoint, Diagnosis> {
        self.answer(Command::Accept).unwrap_or(Err(Diagnosis::INTERNAL))
    }

    /// Takes an Accept, and makes the own end of the Confirm, at a client.
    ///
    /// # Errors
    /// The server's end does not fit, by the reason.
    pub fn confirm(&self, accept: &Endpoint) -> Result<Endpoint, Diagnosis> {
        self.answer(|answer| Command::Confirm(*accept, answer)).unwrap_or(Err(Diagnosis::INTERNAL))
    }

    /// Takes the Confirm for an Accept, at a server.
    ///
    /// # Errors
    /// The client's end does not fit, by the reason.
    pub fn confirmed(&self, connection: AlertToken, confirm: &Endpoint) -> Result<(), Diagnosis> {
        self.answer(|answer| Command::Confirmed(connection, *confirm, answer))
            .unwrap_or(Err(Diagnosis::INTERNAL))
    }

    /// Returns the state of the group.
    pub fn state(&self) -> GroupState {
        self.answer(Command::State).unwrap_or(GroupState::None)
    }

    /// Sends all octets of a connection; waits until they are taken.
    ///
    /// # Errors
    /// The connection was reset or shut down, or the driver has ended.
    pub fn send(&self, connection: AlertToken, octets: &[u8]) -> Result<(), FabricError> {
        let mut rest = octets;
        while !rest.is_empty() {
            let octets = rest.to_vec();
            let send = |answer| Command::Stream(StreamCommand::Send { connection, octets, answer });
            let taken = self.answer(send).ok_or(FabricError::Ended)?.map_err(FabricError::Stream)?;
            rest = &rest[taken..];
        }
        Ok(())
    }

    /// Receives up to `most` octets of a connection; waits until some are there. None stand for the end.
    ///
    /// # Errors
    /// The connection was reset, or the driver has ended.
    pub fn receive(&self, connection: AlertToken, most: usize) -> Result<Vec<u8>, FabricError> {
        let receive = |answer| Command::Stream(StreamCommand::Receive { connection, most, answer });
        self.answer(receive).ok_or(FabricError::Ended)?.map_err(FabricError::Stream)
    }

    /// Carries the octets of a connection between its links and the peer of a program's end in memory. The program's end shows the links.
    pub fn carry(&self, connection: AlertToken, inner: SharedEnd, program: Arc<SharedEnd>, bells: Bells) {
        self.command(Command::Carry(Box::new(Carriage::new(connection, inner, program, bells))));
    }

    /// Sends no more, behind the octets taken.
    pub fn shut_down(&self, connection: AlertToken) {
        self.command(Command::ShutDown(connection));
    }

    /// Closes a connection, behind the octets taken.
    pub fn close(&self, connection: AlertToken) {
        self.command(Command::Close(connection));
    }

    /// Takes a port away, with its link: connections move to the other one.
    pub fn port_down(&self, port: PortNumber) {
        self.command(Command::PortDown(port));
    }

    fn answer<T>(&self, command: impl FnOnce(SyncSender<T>) -> Command) -> Option<T> {
        let (sender, answer) = mpsc::sync_channel(1);
        self.command(command(sender));
        answer.recv().ok()
    }

    fn command(&self, command: Command) {
        // A driver that has ended takes no command: then its answer is missing.
        let _ = self.commands.send(command);
        let _ = rustix::io::write(&self.wake, &1_u64.to_ne_bytes());
    }
}

impl Drop for Fabric {
    /// Waits until connections that are closed have ended, for a moment at most, and ends the group.
    fn drop(&mut self) {
        self.command(Command::Stop);
        if let Some(thread) = self.thread.take() {
            // Errors of sockets end the thread; those who wait for its answers have found that.
            let _ = thread.join();
        }
    }
}
