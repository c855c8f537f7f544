//! One connection, which is all of its session: numbers, settings and open tasks.

use std::collections::BTreeMap;
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::Sender;

use halftrack_base::fields::put;
use halftrack_scsi::{Lun, Nexus, TaskId};

use super::gathering::Gathering;
use super::negotiation::Settings;
use super::pdu::Pdu;

/// Commands that an initiator may send ahead.
pub const WINDOW: u32 = 64;

/// Reason of a Reject (RFC 7143, 11.17.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    ProtocolError = 0x04,
    NotSupported = 0x05,
    TaskInProgress = 0x07,
    InvalidField = 0x09,
}

/// A command that has not ended.
#[derive(Debug)]
pub struct OpenTask {
    /// Logical unit number.
    pub lun: Lun,
    /// Data that came with the command.
    pub immediate: Vec<u8>,
    /// Data-out on its way.
    pub gathering: Option<Gathering>,
    /// PDUs of data and of readiness that the initiator counts.
    pub numbered: u32,
}

/// A connection.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    output: Option<Sender<Vec<u8>>>,
    /// Relative identifier of the target port.
    pub target_port: u16,
    /// Settings of the session.
    pub settings: Settings,
    /// Text of a login that is not complete.
    pub login_text: Vec<u8>,
    /// Nexus of the session, once it is logged in; none of a session for discovery.
    pub nexus: Option<Nexus>,
    /// Login is over.
    pub is_logged_in: bool,
    /// The first PDU of the login has come.
    pub has_begun: bool,
    status_number: u32,
    /// Number of the next command.
    pub next_command: u32,
    /// Commands that came ahead of others.
    held: BTreeMap<u32, Pdu>,
    /// Open tasks by their tags.
    pub tasks: BTreeMap<u32, OpenTask>,
}

impl Connection {
    /// Creates a connection whose PDUs go to `output`.
    pub fn new(stream: TcpStream, output: Sender<Vec<u8>>, target_port: u16) -> Self {
        Self {
            stream,
            output: Some(output),
            target_port,
            settings: Settings::default(),
            login_text: Vec::new(),
            nexus: None,
            is_logged_in: false,
            has_begun: false,
            status_number: 1,
            next_command: 0,
            held: BTreeMap::new(),
            tasks: BTreeMap::new(),
        }
    }

    /// Sends a PDU that has a status number of its own.
    pub fn send(&mut self, pdu: Pdu) {
        let pdu = pdu.with_word(24, self.status_number);
        self.status_number = self.status_number.wrapping_add(1);
        self.emit(pdu);
    }

    /// Sends a PDU with the number that the next status will have.
    pub fn send_ready(&mut self, pdu: Pdu) {
        let pdu = pdu.with_word(24, self.status_number);
        self.emit(pdu);
    }

    /// Sends data, which has no status.
    pub fn send_data(&mut self, pdu: Pdu) {
        self.emit(pdu);
    }

    fn emit(&mut self, mut pdu: Pdu) {
        put(&mut pdu.header, 28, &self.next_command.to_be_bytes());
        put(&mut pdu.header, 32, &self.next_command.wrapping_add(WINDOW - 1).to_be_bytes());
        if let Some(output) = &self.output {
            // The connection may be lost already, which its reader reports.
            let _ = output.send(pdu.to_octets());
        }
    }

    /// Sends all that waits, then ends the connection.
    pub fn close(&mut self) {
        self.output = None;
    }

    /// Ends the connection at once.
    pub fn cut(&mut self) {
        self.output = None;
        let _ = self.stream.shutdown(Shutdown::Both);
    }

    /// Returns whether the connection has been ended here.
    pub const fn is_closed(&self) -> bool {
        self.output.is_none()
    }

    /// Takes a numbered PDU in; one that is outside the window, or the second of its number, is dropped.
    pub fn hold(&mut self, pdu: Pdu) {
        if pdu.command_number().wrapping_sub(self.next_command) < WINDOW {
            self.held.entry(pdu.command_number()).or_insert(pdu);
        }
    }

    /// Takes out the PDU whose turn it is.
    pub fn next_in_order(&mut self) -> Option<Pdu> {
        let next = self.held.remove(&self.next_command)?;
        self.next_command = self.next_command.wrapping_add(1);
        Some(next)
    }

    /// Returns the task with this tag, if the session has a nexus.
    pub fn task_id(&self, tag: u32) -> Option<TaskId> {
        Some(TaskId { nexus: self.nexus?, tag: tag.into() })
    }
}
