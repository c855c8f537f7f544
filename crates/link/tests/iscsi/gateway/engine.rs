//! The target with all connections: PDUs in, PDUs out, in the order in which they come.

use std::collections::BTreeMap;
use std::sync::mpsc::Receiver;

use halftrack_base::Time;
use halftrack_scsi::{LogicalBlocks, Nexus, Response, ScsiStatus, Target, Transmit};

use super::connection::{Connection, Refused};
use super::gathering::Gathering;
use super::pdu::{FINAL, NO_TAG, Pdu, answer, request};

const OVER: u8 = 0x04;
const UNDER: u8 = 0x02;

/// An event at the gateway; connections have numbers.
#[derive(Debug)]
pub enum Event {
    Opened(u64, Connection),
    Received(u64, Pdu),
    /// A PDU has more data than the gateway takes; the octets behind it have no meaning.
    TooLong(u64),
    Lost(u64),
    Stop,
}

/// The engine.
#[derive(Debug)]
pub struct Engine<B> {
    pub target: Target<B>,
    pub connections: BTreeMap<u64, Connection>,
    /// Addresses of the portals, in the order of the target ports.
    pub portals: Vec<String>,
    /// Events so far, which are the time.
    events: u64,
}

impl<B: LogicalBlocks> Engine<B> {
    /// Creates the engine of a target without connections.
    pub fn new(target: Target<B>, portals: Vec<String>) -> Self {
        Self { target, connections: BTreeMap::new(), portals, events: 0 }
    }

    /// Handles events until it is stopped; gives the target back.
    pub fn run(mut self, events: &Receiver<Event>) -> Target<B> {
        while let Ok(event) = events.recv() {
            self.events += 1;
            match event {
                Event::Opened(at, connection) => drop(self.connections.insert(at, connection)),
                Event::Received(at, pdu) => self.receive(at, pdu),
                Event::TooLong(at) => {
                    self.reject(at, &Pdu::new(0, 0, NO_TAG), Refused::ProtocolError);
                    self.connections.get_mut(&at).into_iter().for_each(Connection::close);
                }
                Event::Lost(at) => self.lose(at),
                Event::Stop => break,
            }
        }
        self.connections.values_mut().for_each(Connection::cut);
        self.target
    }

    /// Returns the time.
    pub const fn now(&self) -> Time {
        Time::from_ps(self.events)
    }

    fn receive(&mut self, at: u64, pdu: Pdu) {
        let Some(connection) = self.connections.get_mut(&at) else { return };
        if connection.is_closed() {
            return;
        }
        if !connection.is_logged_in {
            if pdu.opcode() == request::LOGIN {
                self.log_in(at, &pdu);
            } else {
                connection.cut();
            }
        } else if pdu.is_immediate() || pdu.opcode() == request::DATA_OUT {
            self.perform_or_reject(at, pdu);
        } else {
            connection.hold(pdu);
            while let Some(next) = self.connections.get_mut(&at).and_then(Connection::next_in_order) {
                self.perform_or_reject(at, next);
            }
        }
    }

    fn perform_or_reject(&mut self, at: u64, pdu: Pdu) {
        let copy = Pdu { header: pdu.header, additional: Vec::new(), data: Vec::new() };
        if let Err(reason) = self.perform(at, pdu) {
            self.reject(at, &copy, reason);
        }
        self.pump();
    }

    fn reject(&mut self, at: u64, pdu: &Pdu, reason: Refused) {
        if let Some(connection) = self.connections.get_mut(&at) {
            let mut reject = Pdu::new(answer::REJECT, FINAL, NO_TAG);
            reject.header[2] = reason as u8;
            reject.data = pdu.header.to_vec();
            connection.send(reject);
        }
    }

    /// Ends a connection, and with it its session and nexus.
    pub fn lose(&mut self, at: u64) {
        let Some(mut connection) = self.connections.remove(&at) else { return };
        connection.cut();
        if let Some(nexus) = connection.nexus {
            self.target.handle_nexus_loss(self.now(), nexus);
        }
        self.pump();
    }

    /// Returns the connection of a nexus.
    pub fn connection_of(&self, nexus: Nexus) -> Option<u64> {
        self.connections.iter().find(|(_, one)| one.nexus == Some(nexus)).map(|(at, _)| *at)
    }

    /// Carries out all that the target has to send.
    pub fn pump(&mut self) {
        while let Some(transmit) = self.target.poll_transmit() {
            let (Transmit::DataOut { task, .. }
            | Transmit::Response { task, .. }
            | Transmit::Aborted { task }) = transmit;
            let Some(at) = self.connection_of(task.nexus) else { continue };
            let Some(connection) = self.connections.get_mut(&at) else { continue };
            let tag = task.tag as u32;
            match transmit {
                Transmit::DataOut { bytes, .. } => {
                    let burst_bytes = connection.settings.burst_bytes;
                    let Some(open) = connection.tasks.get_mut(&tag) else { continue };
                    let gathering = Gathering::new(std::mem::take(&mut open.immediate), bytes, burst_bytes);
                    self.go_on(at, tag, gathering);
                }
                Transmit::Response { response, .. } => respond(connection, tag, &response),
                Transmit::Aborted { .. } => drop(connection.tasks.remove(&tag)),
            }
        }
    }

    /// Gives whole data-out to the target, or requests more.
    pub fn go_on(&mut self, at: u64, tag: u32, mut gathering: Gathering) {
        let now = self.now();
        let Some(connection) = self.connections.get_mut(&at) else { return };
        let Some(task) = connection.task_id(tag) else { return };
        if gathering.is_whole() {
            self.target.handle_data_out(now, task, &gathering.into_data());
            return;
        }
        let Some(open) = connection.tasks.get_mut(&tag) else { return };
        let ready = gathering.ready(open.lun.0, tag);
        open.numbered += 1;
        open.gathering = Some(gathering);
        connection.send_ready(ready);
    }
}

/// Sends data-in and response of a task, which ends with them.
fn respond(connection: &mut Connection, tag: u32, response: &Response) {
    let Some(open) = connection.tasks.remove(&tag) else { return };
    let mut number = open.numbered;
    let (piece, burst) = (connection.settings.receive_bytes, connection.settings.burst_bytes as usize);
    let data = &response.data_in;
    let mut begin = 0;
    while begin < data.len() {
        let burst_end = (begin / burst + 1) * burst;
        let end = (begin + piece).min(burst_end).min(data.len());
        let flags = if end == burst_end || end == data.len() { FINAL } else { 0 };
        let mut pdu = Pdu::new(answer::DATA_IN, flags, tag)
            .with_word(20, NO_TAG)
            .with_word(36, number)
            .with_word(40, begin as u32);
        pdu.data = data[begin..end].to_vec();
        connection.send_data(pdu);
        (begin, number) = (end, number + 1);
    }
    connection.send(status(tag, response, number));
}

fn status(tag: u32, response: &Response, numbered: u32) -> Pdu {
    use halftrack_scsi::Residual;
    let (flag, residual) = match response.residual {
        Residual::None => (0, 0),
        Residual::Over(bytes) => (OVER, bytes),
        Residual::Under(bytes) => (UNDER, bytes),
    };
    let mut pdu =
        Pdu::new(answer::RESPONSE, FINAL | flag, tag).with_word(36, numbered).with_word(44, residual);
    let ScsiStatus(code) = response.status;
    pdu.header[3] = code;
    if !response.sense.is_empty() {
        pdu.data = (response.sense.len() as u16).to_be_bytes().to_vec();
        pdu.data.extend(&response.sense);
    }
    pdu
}
