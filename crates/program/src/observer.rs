//! Observation of a channel: each control word as fetched, its data, its ending.

use crate::ccw::Ccw;
use crate::data_port::Octets;
use crate::dcw::PlacedDcw;
use crate::device::{DeviceEnd, OperationEnd};
use crate::status::SubchannelStatus;
use crate::tcw::Tcw;
use crate::tidaw::Tidaw;

/// Which way data moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From storage to the device.
    Output,
    /// From the device to storage.
    Input,
    /// From the device, and not stored: the area is skipped.
    Skipped,
}

/// Watches a channel. Every method does nothing unless it is written; `()` watches nothing at no cost.
pub trait Observer {
    /// Whether anything is watched; where not, nothing is prepared for the methods.
    const WATCHES: bool = true;

    /// Observes a fetched CCW: a command, a part of a data chain, or a transfer in channel.
    fn ccw(&mut self, address: u32, ccw: &Ccw) {
        let _ = (address, ccw);
    }

    /// Observes a run of data moved between the device and storage at `address`. Of an area stored from high to low
    /// addresses, the address is the lowest, and the octets are in the order of the device.
    fn moved(&mut self, direction: Direction, address: u64, octets: Octets<'_>) {
        let _ = (direction, address, octets);
    }

    /// Observes the end of a command at the device. `fault` is the check that the channel found while data moved, or
    /// zero.
    fn command_ended(&mut self, end: &DeviceEnd, fault: SubchannelStatus) {
        let _ = (end, fault);
    }

    /// Observes that the chain was suspended before the CCW at `address`.
    fn suspended(&mut self, address: u32) {
        let _ = address;
    }

    /// Observes a fetched TCW.
    fn tcw(&mut self, address: u32, tcw: &Tcw) {
        let _ = (address, tcw);
    }

    /// Observes a fetched TCCB.
    fn tccb(&mut self, tccb: &[u8]) {
        let _ = tccb;
    }

    /// Observes a DCW of the TCCB, when its list can be read.
    fn dcw(&mut self, dcw: &PlacedDcw) {
        let _ = dcw;
    }

    /// Observes a fetched TIDAW.
    fn tidaw(&mut self, address: u64, tidaw: &Tidaw) {
        let _ = (address, tidaw);
    }

    /// Observes the end of a transport-mode operation at the device. `fault` is the check that the channel found
    /// while data moved, or zero.
    fn operation_ended(&mut self, end: &OperationEnd, fault: SubchannelStatus) {
        let _ = (end, fault);
    }
}

impl Observer for () {
    const WATCHES: bool = false;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::orb::{OrbFlags, OrbProgram};
    use crate::rig::{Answer, PROGRAM, Rig, ccw};
    use crate::tcw::Transfer;
    use crate::tidaw::TidawFlags;

    /// Record of all observations.
    #[derive(Default)]
    struct Journal(Vec<String>);

    impl Observer for Journal {
        fn ccw(&mut self, address: u32, ccw: &Ccw) {
            self.0.push(format!("CCW {:02x} at {address:x}", ccw.command));
        }

        fn moved(&mut self, direction: Direction, address: u64, octets: Octets<'_>) {
            self.0.push(format!("{direction:?} {address:x} {:?}", octets.bytes().unwrap_or_default()));
        }

        fn command_ended(&mut self, end: &DeviceEnd, fault: SubchannelStatus) {
            self.0.push(format!("ended {:02x} {:02x}", end.status.0, fault.0));
        }

        fn suspended(&mut self, address: u32) {
            self.0.push(format!("suspended at {address:x}"));
        }

        fn tcw(&mut self, address: u32, _: &Tcw) {
            self.0.push(format!("TCW at {address:x}"));
        }

        fn tccb(&mut self, tccb: &[u8]) {
            self.0.push(format!("TCCB of {}", tccb.len()));
        }

        fn dcw(&mut self, dcw: &PlacedDcw) {
            self.0.push(format!("DCW {:02x} at {}", dcw.dcw.command, dcw.offset));
        }

        fn tidaw(&mut self, address: u64, tidaw: &Tidaw) {
            self.0.push(format!("TIDAW of {} at {address:x}", tidaw.count));
        }

        fn operation_ended(&mut self, end: &OperationEnd, fault: SubchannelStatus) {
            self.0.push(format!("operation ended {:02x} {:02x}", end.status.0, fault.0));
        }
    }

    fn observed(rig: &mut Rig, program: OrbProgram) -> Vec<String> {
        let mut journal = Journal::default();
        let orb = rig.orb_of(program);
        rig.subchannel.start(&orb, &mut rig.storage, &mut rig.device, &mut journal);
        journal.0
    }

    #[test]
    fn every_step_of_a_command_mode_program_is_told_in_order() {
        let mut rig = Rig::with([Answer::Takes(2), Answer::Gives(vec![1, 2, 3])]);
        rig.flags = OrbFlags::SUSPEND;
        let chain = [ccw(5, 0x40, 2, 0x2000), ccw(8, 0, 0, 0x1800)];
        rig.put_ccws(PROGRAM, &chain);
        let rest = [ccw(6, 0x90, 1, 0), ccw(0, 0x40, 2, 0x3000), ccw(6, 2, 1, 0)];
        rig.put_ccws(0x1800, &rest);
        rig.put(0x2000, &[8, 9]);
        let program = rig.orb().program;
        assert_eq!(
            observed(&mut rig, program),
            [
                "CCW 05 at 1000",
                "Output 2000 [8, 9]",
                "ended 0c 00",
                "CCW 08 at 1008",
                "CCW 06 at 1800",
                "Skipped 0 [1]",
                "CCW 00 at 1808",
                "Input 3000 [2, 3]",
                "ended 0c 00",
                "CCW 06 at 1810",
                "suspended at 1810",
            ]
        );
    }

    #[test]
    fn every_step_of_an_operation_is_told_in_order() {
        let mut rig = Rig::with([Answer::Gives(vec![1, 2, 3])]);
        let tcw = Tcw {
            flags: crate::tcw::TcwFlags::INPUT_TIDAWS,
            tccb_length: 12,
            transfer: Transfer::Read,
            output_address: 0,
            input_address: 0x2000,
            tsb_address: 0x1200,
            tccb_address: 0x1100,
            output_count: 0,
            input_count: 2,
            interrogate_address: 0,
        };
        rig.put(u64::from(PROGRAM), &tcw.emit());
        rig.put(0x1110, &[0x86, 0, 0, 0, 0, 0, 0, 3]);
        rig.put(0x2000, &Tidaw { flags: TidawFlags::LAST, count: 2, address: 0x3000 }.emit());
        assert_eq!(
            observed(&mut rig, OrbProgram::Transport { address: PROGRAM }),
            [
                "TCW at 1000",
                "TCCB of 32",
                "DCW 86 at 0",
                "TIDAW of 2 at 2000",
                "Input 3000 [1, 2]",
                "operation ended 0c 00",
            ]
        );
    }
}
