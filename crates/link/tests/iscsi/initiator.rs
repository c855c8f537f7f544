//! An initiator of a few lines, which can also send what no initiator sends.

use std::io::Write;
use std::net::{SocketAddr, TcpStream};

use halftrack_base::fields::put;

use crate::gateway::TARGET_NAME;
use crate::gateway::pdu::{FINAL, NO_TAG, Pdu, answer, request};

/// Immediate delivery.
pub const IMMEDIATE: u8 = 0x40;

/// A session.
pub struct Initiator {
    stream: TcpStream,
    /// Number of the next command.
    pub next_command: u32,
    next_tag: u32,
}

impl Initiator {
    /// Logs in, as one of several ports of an initiator.
    ///
    /// # Panics
    /// The login fails.
    pub fn log_in(address: SocketAddr, name: &str, port: u8) -> Self {
        let stream = TcpStream::connect(address).expect("a gateway");
        let mut initiator = Self { stream, next_command: 1, next_tag: 1 };
        let mut login = Pdu::new(request::LOGIN | IMMEDIATE, 0x87, 0);
        login.header[13] = port;
        let keys = format!("InitiatorName={name}\0TargetName={TARGET_NAME}\0SessionType=Normal\0");
        login.data = keys.into_bytes();
        initiator.send(login.with_word(24, 1));
        let answer = initiator.receive().expect("an answer");
        assert_eq!((answer.opcode(), answer.word(36)), (answer::LOGIN, 0));
        initiator
    }

    /// Sends a PDU as it is.
    pub fn send(&mut self, pdu: Pdu) {
        self.send_octets(&pdu.to_octets());
    }

    /// Sends octets. The gateway may have ended the connection.
    pub fn send_octets(&mut self, octets: &[u8]) {
        let _ = self.stream.write_all(octets);
    }

    /// Receives a PDU; none at the end of the connection.
    pub fn receive(&mut self) -> Option<Pdu> {
        Pdu::read(&mut self.stream).ok().flatten()
    }

    /// Returns a command with the next numbers.
    pub fn command(&mut self, lun: u8, flags: u8, bytes: u32, cdb: &[u8]) -> Pdu {
        let mut pdu = Pdu::new(request::COMMAND, flags | FINAL, self.next_tag)
            .with_word(20, bytes)
            .with_word(24, self.next_command);
        pdu.header[9] = lun;
        put(&mut pdu.header, 32, cdb);
        self.next_tag += 1;
        self.next_command = self.next_command.wrapping_add(1);
        pdu
    }

    /// Carries out a command without data; returns status, sense key, code and qualifier.
    pub fn run(&mut self, lun: u8, cdb: &[u8]) -> [u8; 4] {
        let pdu = self.command(lun, 0, 0, cdb);
        let tag = pdu.tag();
        self.send(pdu);
        loop {
            let answer = self.receive().expect("an answer");
            if answer.opcode() == answer::RESPONSE && answer.tag() == tag {
                let sense = answer.data.get(2..).unwrap_or_default();
                let at = |place: usize| sense.get(place).copied().unwrap_or(0);
                return [answer.header[3], at(2), at(12), at(13)];
            }
        }
    }

    /// Sends a PDU that is not valid; returns the reason for which it is rejected.
    pub fn rejection(&mut self, pdu: Pdu) -> u8 {
        let header = pdu.header;
        self.send(pdu);
        let answer = self.receive().expect("an answer");
        assert_eq!((answer.opcode(), answer.tag()), (answer::REJECT, NO_TAG));
        assert_eq!((answer.data[0], answer.data[8..].to_vec()), (header[0], header[8..].to_vec()));
        answer.header[2]
    }

    /// Performs a function of task management; returns its response.
    pub fn manage(&mut self, lun: u8, function: u8, tag: u32) -> u8 {
        let mut pdu = Pdu::new(request::TASK_MANAGEMENT | IMMEDIATE, FINAL | function, 0xFFFF)
            .with_word(20, tag)
            .with_word(24, self.next_command);
        pdu.header[9] = lun;
        self.send(pdu);
        loop {
            let answer = self.receive().expect("an answer");
            if answer.opcode() == answer::TASK_MANAGEMENT {
                return answer.header[2];
            }
        }
    }
}
