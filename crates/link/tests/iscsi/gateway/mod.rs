//! A thin iSCSI gateway (RFC 7143) over the SCSI target, for foreign initiators: one connection for each session, error
//! recovery level 0, no digests and no authentication. Each portal is a target port. It exists for the tests only.
//!
//! The engine owns the target and is a thread of its own; each connection has a thread that reads and one that writes.

mod connection;
mod engine;
mod gathering;
mod login;
mod negotiation;
pub mod pdu;
mod requests;

use std::io::{self, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};

use halftrack_scsi::{LogicalBlocks, Target};

use connection::Connection;
use engine::{Engine, Event};
use pdu::Pdu;

/// Name of the target.
pub const TARGET_NAME: &str = "iqn.2026-01.test:halftrack";

/// A gateway that serves.
pub struct Gateway<B> {
    addresses: Vec<SocketAddr>,
    is_over: Arc<AtomicBool>,
    events: Sender<Event>,
    engine: JoinHandle<Target<B>>,
    listeners: Vec<JoinHandle<()>>,
}

impl<B: LogicalBlocks + Send + 'static> Gateway<B> {
    /// Starts the gateway on free ports of the local host, one for each of so many target ports.
    pub fn start(target: Target<B>, ports: u16) -> Self {
        let bound: Vec<_> = (0..ports).map(|_| TcpListener::bind("127.0.0.1:0").expect("a port")).collect();
        let addresses: Vec<_> = bound.iter().map(|one| one.local_addr().expect("an address")).collect();
        let (events, received) = mpsc::channel();
        let engine = Engine::new(target, addresses.iter().map(SocketAddr::to_string).collect());
        let engine = thread::spawn(move || engine.run(&received));
        let (is_over, numbers) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let listen = |(listener, target_port): (TcpListener, u16)| {
            let (is_over, numbers, events) = (Arc::clone(&is_over), Arc::clone(&numbers), events.clone());
            thread::spawn(move || {
                for stream in listener.incoming() {
                    if is_over.load(Ordering::Acquire) {
                        break;
                    }
                    let at = numbers.fetch_add(1, Ordering::Relaxed);
                    if let Ok(stream) = stream {
                        // A connection that is lost at once needs no service.
                        let _ = serve(at, stream, target_port, &events);
                    }
                }
            })
        };
        let listeners = bound.into_iter().zip(1..).map(listen).collect();
        Self { addresses, is_over, events, engine, listeners }
    }

    /// Returns the address of a target port, from 1.
    pub fn address(&self, target_port: usize) -> SocketAddr {
        self.addresses[target_port - 1]
    }

    /// Returns the URL of a unit at a target port.
    pub fn url(&self, target_port: usize, lun: u32) -> String {
        format!("iscsi://{}/{TARGET_NAME}/{lun}", self.address(target_port))
    }

    /// Cuts all connections and gives the target back.
    ///
    /// # Panics
    /// The engine has panicked.
    pub fn stop(self) -> Target<B> {
        self.is_over.store(true, Ordering::Release);
        // Wakes the listeners.
        self.addresses.iter().for_each(|address| drop(TcpStream::connect(address)));
        self.events.send(Event::Stop).expect("the engine works");
        self.listeners.into_iter().for_each(|one| one.join().expect("a listener ends"));
        self.engine.join().expect("the engine ends")
    }
}

/// Begins to serve a connection.
fn serve(at: u64, mut stream: TcpStream, target_port: u16, events: &Sender<Event>) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let (output, queue) = mpsc::channel();
    let connection = Connection::new(stream.try_clone()?, output, target_port);
    let sink = stream.try_clone()?;
    let events = events.clone();
    // It fails once the engine is over; the connection is then dropped with the event.
    let _ = events.send(Event::Opened(at, connection));
    thread::spawn(move || write(sink, &queue));
    thread::spawn(move || {
        loop {
            let event = match Pdu::read(&mut stream) {
                Ok(Some(pdu)) => Event::Received(at, pdu),
                Err(error) if error.kind() == io::ErrorKind::InvalidData => Event::TooLong(at),
                Ok(None) | Err(_) => Event::Lost(at),
            };
            let is_last = !matches!(event, Event::Received(..));
            if events.send(event).is_err() || is_last {
                break;
            }
        }
        // Octets behind data that is too long have no meaning; the writer ends the connection.
        let _ = io::copy(&mut stream, &mut io::sink());
        let _ = events.send(Event::Lost(at));
    });
    Ok(())
}

/// Writes until the engine closes the connection.
fn write(mut sink: TcpStream, queue: &Receiver<Vec<u8>>) {
    while let Ok(octets) = queue.recv() {
        if sink.write_all(&octets).is_err() {
            break;
        }
    }
    let _ = sink.shutdown(Shutdown::Both);
}
