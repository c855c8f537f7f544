//! Endings of programs.

use halftrack_base::Time;
use halftrack_control_unit::ctc::INTERVENTION_REQUIRED;
use halftrack_program::DeviceStatus;

use super::End;
use crate::block::HEADER_BYTES;
use crate::device::{Program, Writing};
use crate::device_number::DeviceNumber;
use crate::order::{Notice, ProgramEnd, Received, Refusal};

/// Meaning of the ending of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Normal,
    /// The partner's command must be met first.
    PartnerWaits,
    PartnerNotReady,
    Failed,
}

impl End {
    /// Takes the ending of the program that was ordered at a device.
    pub fn program_ended(&mut self, device: DeviceNumber, end: ProgramEnd, now: Time) {
        let Some(at) = self.index(device) else { return };
        let Some(program) = self.devices[at].program.take() else { return };
        let (meaning, status) = (meaning(&end), end.status);
        match (program, meaning) {
            (Program::SetMode, Meaning::Normal) => self.devices[at].has_mode = true,
            (Program::SetMode, Meaning::PartnerWaits) => self.attention(device),
            (Program::SetMode, Meaning::PartnerNotReady) => {
                // A side in basic mode does not see that: the mode is set.
                self.devices[at].has_mode = true;
                self.partner_lost(at, now);
            }
            (Program::Read, Meaning::Normal) => {
                self.devices[at].has_inbound = false;
                self.received(at, end.received);
            }
            (Program::Read, Meaning::PartnerWaits) => {
                // A Write would have been met: it is a Read.
                (self.devices[at].has_inbound, self.devices[at].partner_reads) = (false, true);
            }
            (Program::Read, Meaning::PartnerNotReady) => self.partner_lost(at, now),
            (Program::Write(writing), Meaning::Normal) => self.written(at, writing, end.moved_bytes),
            (Program::Write(writing), Meaning::PartnerWaits) => self.collided(at, writing),
            (Program::Write(writing), Meaning::PartnerNotReady) => {
                self.take_back(at, writing);
                self.partner_lost(at, now);
            }
            (_, Meaning::Failed) => {
                self.devices[at].program = Some(program);
                self.refuse(at, Refusal::Failed(status));
            }
        }
    }

    /// Takes the normal end of a Write: a Read of the partner took the block.
    fn written(&mut self, at: usize, writing: Writing, moved_bytes: u32) {
        let counters = &mut self.devices[at].counters.write;
        counters.blocks += 1;
        match writing {
            Writing::Hello => self.open(at),
            Writing::Numbered(sequence, bytes, is_data) => {
                if moved_bytes < bytes + HEADER_BYTES as u32 {
                    return self.take_back(at, writing);
                }
                counters.octets += if is_data { u64::from(bytes) } else { 0 };
                if let Some((stream, offset)) = self.outbound.end(sequence) {
                    self.notify(Notice::Acknowledged { stream, offset });
                }
            }
            Writing::Filler | Writing::Obsolete => {}
        }
    }

    /// Takes a Write that met a command of the partner: that is read first, and the block goes to the head of the queue.
    fn collided(&mut self, at: usize, writing: Writing) {
        let device = &mut self.devices[at];
        (device.has_inbound, device.not_ready) = (true, None);
        device.counters.collisions += 1;
        let number = device.number;
        match writing {
            Writing::Hello => device.owes_hello = true,
            Writing::Numbered(sequence, ..) => {
                self.outbound.put_back(sequence);
            }
            Writing::Filler | Writing::Obsolete => {}
        }
        self.notify(Notice::Collision(number));
    }

    /// Takes the data of a Read.
    fn received(&mut self, at: usize, received: Received) {
        match received {
            Received::Nothing => {}
            Received::Block(block) => self.receive(at, block),
            Received::Corrupt => self.corrupt(at),
        }
    }
}

fn meaning(end: &ProgramEnd) -> Meaning {
    let status = end.status;
    if status.contains(DeviceStatus::UNIT_CHECK) {
        let is_not_ready = end.sense & INTERVENTION_REQUIRED != 0;
        return if is_not_ready { Meaning::PartnerNotReady } else { Meaning::Failed };
    }
    if status.contains(DeviceStatus::BUSY.with(DeviceStatus::ATTENTION)) {
        return Meaning::PartnerWaits;
    }
    if status.without(DeviceStatus::UNIT_EXCEPTION) == DeviceStatus::NORMAL_END {
        return Meaning::Normal;
    }
    Meaning::Failed
}
