//! Login: negotiation without authentication, then the session with its nexus.

use halftrack_scsi::{LogicalBlocks, Nexus};

use super::TARGET_NAME;
use super::engine::Engine;
use super::negotiation::{pairs, text};
use super::pdu::{DATA_BYTES_MAX, Pdu, answer};

const TRANSIT: u8 = 0x80;
const CONTINUE: u8 = 0x40;
const OPERATIONAL_STAGE: u8 = 1;
const FULL_FEATURE: u8 = 3;
/// Text of a login that the gateway gathers.
const LOGIN_TEXT_BYTES_MAX: usize = 64 << 10;

/// Status of a login that fails: class and detail (RFC 7143, 11.13.5).
#[derive(Debug, Clone, Copy)]
enum Failure {
    InitiatorError = 0x0200,
    NotFound = 0x0203,
    MissingParameter = 0x0207,
}

impl<B: LogicalBlocks> Engine<B> {
    /// Takes in a PDU of a login. One that fails ends the connection.
    pub fn log_in(&mut self, at: u64, pdu: &Pdu) {
        let Some(connection) = self.connections.get_mut(&at) else { return };
        if !connection.has_begun {
            (connection.has_begun, connection.next_command) = (true, pdu.command_number());
        }
        connection.login_text.extend(&pdu.data);
        let result = if connection.login_text.len() > LOGIN_TEXT_BYTES_MAX {
            Err(Failure::InitiatorError)
        } else if pdu.flags() & CONTINUE != 0 {
            Ok((Vec::new(), pdu.flags() & !(CONTINUE | TRANSIT)))
        } else {
            self.negotiate(at, pdu)
        };
        let Some(connection) = self.connections.get_mut(&at) else { return };
        let mut answer = Pdu::new(answer::LOGIN, 0, pdu.tag());
        answer.header[8..14].copy_from_slice(&pdu.header[8..14]);
        match result {
            Ok((data, flags)) => {
                answer.header[1] = flags;
                if connection.is_logged_in {
                    answer.header[15] = 1;
                }
                answer.data = data;
                connection.send(answer);
            }
            Err(failure) => {
                answer.header[36..38].copy_from_slice(&(failure as u16).to_be_bytes());
                connection.send(answer);
                connection.close();
            }
        }
    }

    /// Answers the offers of a stage; returns text and flags of the answer.
    fn negotiate(&mut self, at: u64, pdu: &Pdu) -> Result<(Vec<u8>, u8), Failure> {
        let (stage, next) = (pdu.flags() >> 2 & 3, pdu.flags() & 3);
        let is_transit = pdu.flags() & TRANSIT != 0;
        if stage > OPERATIONAL_STAGE || is_transit && (next <= stage || next == 2) {
            return Err(Failure::InitiatorError);
        }
        let connection = self.connections.get_mut(&at).ok_or(Failure::InitiatorError)?;
        let offers = pairs(&std::mem::take(&mut connection.login_text));
        let mut data = Vec::new();
        for (key, value) in &offers {
            if key == "TargetName" && value != TARGET_NAME {
                return Err(Failure::NotFound);
            }
            if let Some(answer) = connection.settings.answer(key, value) {
                data.extend(text([(key.as_str(), answer.as_str())]));
            }
        }
        if connection.settings.initiator.is_empty() {
            return Err(Failure::MissingParameter);
        }
        if offers.iter().any(|(key, _)| key == "InitiatorName") && !connection.settings.is_discovery {
            let group = connection.target_port.to_string();
            data.extend(text([("TargetPortalGroupTag", group.as_str())]));
        }
        if stage == OPERATIONAL_STAGE {
            data.extend(text([("MaxRecvDataSegmentLength", DATA_BYTES_MAX.to_string().as_str())]));
        }
        if is_transit && next == FULL_FEATURE {
            connection.is_logged_in = true;
            if !connection.settings.is_discovery {
                self.begin_session(at, &pdu.header[8..14]);
            }
        }
        Ok((data, if is_transit { pdu.flags() } else { stage << 2 }))
    }

    /// Begins the session of a nexus; an old one of the same nexus ends.
    fn begin_session(&mut self, at: u64, isid: &[u8]) {
        let Some(connection) = self.connections.get(&at) else { return };
        let initiator = number(connection.settings.initiator.as_bytes(), isid);
        let nexus = Nexus { initiator, target_port: connection.target_port };
        if let Some(old) = self.connection_of(nexus) {
            self.lose(old);
        }
        if let Some(connection) = self.connections.get_mut(&at) {
            connection.nexus = Some(nexus);
        }
    }
}

/// Returns a number that the name of an initiator port determines (FNV-1a).
fn number(name: &[u8], isid: &[u8]) -> u64 {
    name.iter()
        .chain(isid)
        .fold(0xCBF2_9CE4_8422_2325, |hash, octet| (hash ^ u64::from(*octet)).wrapping_mul(0x0100_0000_01B3))
}
