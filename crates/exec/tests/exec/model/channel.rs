//! Command mode: a chain of CCWs executed step by step.

use crate::model::areas::Areas;
use crate::model::ccw::{self, Bounds, CC, CD, Ccw, Orb, PCI, Reached, SLI, SUSPEND};
use crate::model::fault::Sense;
use crate::model::storage::Memory;
use crate::model::unit::{End, Unit};

/// How a start ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    /// Subchannel-status word.
    pub scsw: [u8; 12],
    /// Bytes 0, 1 and 7 of the sense.
    pub sense: Option<Sense>,
    /// Suspended at this CCW, with this status of the command before.
    pub suspended: Option<(u32, u8)>,
}

/// State at the stop of a chain.
struct Stop {
    ccw: Ccw,
    device_status: u8,
    subchannel_status: u8,
    residual: u32,
    sense: Option<Sense>,
    suspended: bool,
    /// The device ended a command without unit check that did not indicate command chaining.
    unchained: bool,
}

/// Runs the chain of an ORB from `address`: the ORB's own, or where it was suspended, resumed with the status of the
/// command before.
pub fn run(memory: &mut Memory, unit: &mut Unit, orb: &Orb, address: u32, resumed: Option<u8>) -> Ending {
    let mut stop = chain(memory, unit, orb, address, resumed);
    // A suspension is the end of the chain for the device, too: it gets no indication of command chaining.
    if let Some(sense) = unit.end_chain(stop.unchained) {
        (stop.device_status, stop.sense) = (0x0E, Some(sense));
    }
    ending(orb, &stop)
}

fn chain(memory: &mut Memory, unit: &mut Unit, orb: &Orb, address: u32, resumed: Option<u8>) -> Stop {
    let mut address = address;
    let mut reached = if resumed.is_some() { Reached::Command } else { Reached::Start };
    let mut bounds = Bounds::default();
    let mut pci = 0;
    // A choice: a check before a command is begun comes with the device status of the command before.
    let mut status = resumed.unwrap_or(0);
    loop {
        let (ccw, check) = ccw::fetch(memory, orb, &mut bounds, address, reached);
        if let Some(check) = check {
            return stopped(ccw, status, check.bit() | pci, 0);
        }
        if ccw.flags & SUSPEND != 0 {
            return Stop { suspended: true, ..stopped(ccw, status, pci, ccw.count) };
        }
        if ccw.flags & PCI != 0 {
            pci = 0x80;
        }
        let mut areas = Areas::new(memory, orb, &mut bounds, ccw);
        if let Some(check) = areas.probe() {
            return stopped(ccw, status, check.bit() | pci, ccw.count);
        }
        let end = unit.execute(ccw.command, &mut areas);
        // A choice where a count is used up and data chaining is due: the next CCW is the one in use, although
        // the device has ended.
        areas.ready();
        if areas.interrupted {
            pci = 0x80;
        }
        if areas.moved > 0 {
            areas.bounds.backward = 0;
        }
        let stop = after(orb, &areas, &end, pci);
        let goes_on = end.status & 0x0F == 0x0C && end.status & 0x10 == 0;
        if stop.subchannel_status & 0x7F != 0 || !goes_on || areas.ccw.flags & (CD | CC) != CC {
            return stop;
        }
        let skipped = if end.status & 0x40 != 0 { 16 } else { 8 };
        status = end.status & !0x40;
        address = areas.ccw.address.wrapping_add(skipped);
        reached = Reached::Command;
    }
}

fn stopped(ccw: Ccw, device_status: u8, subchannel_status: u8, residual: u32) -> Stop {
    Stop { ccw, device_status, subchannel_status, residual, sense: None, suspended: false, unchained: false }
}

/// Returns the stop that the ending of a command would be.
fn after(orb: &Orb, areas: &Areas<'_>, end: &End, pci: u8) -> Stop {
    if let Some(check) = areas.check {
        // A choice: the ending of a device that was cut short by the channel does not count.
        return stopped(areas.ccw, 0x0C, check.bit() | pci, areas.left);
    }
    let subchannel_status = if incorrect_length(orb, areas, end) { 0x40 } else { 0 } | pci;
    let unchained = end.status & 0x0E == 0x0C && areas.ccw.flags & (CD | CC) != CC;
    Stop { sense: end.sense, unchained, ..stopped(areas.ccw, end.status, subchannel_status, areas.left) }
}

fn incorrect_length(orb: &Orb, areas: &Areas<'_>, end: &End) -> bool {
    let flags = areas.ccw.flags;
    if end.immediate && (!orb.format_1 || orb.length_suppressed()) {
        return false;
    }
    if flags & CD != 0 {
        return true;
    }
    (areas.left > 0 || end.device_bytes > areas.moved) && flags & SLI == 0
}

fn ending(orb: &Orb, stop: &Stop) -> Ending {
    let mut scsw = [0; 12];
    scsw[0] = orb.byte_4 & 0xF8;
    let concurrent = stop.sense.is_some();
    scsw[1] = orb.byte_5 & 0xF8 | if concurrent { 0x02 } else { 0 };
    let unusual = stop.device_status & 0x03 != 0 || stop.subchannel_status & 0x7F != 0;
    scsw[2] = 0x40;
    scsw[3] = if unusual { 0x17 } else { 0x07 };
    // A choice: a program-controlled interruption that joins the ending still counts as intermediate status.
    if stop.subchannel_status & 0x80 != 0 {
        scsw[3] |= 0x08;
    }
    scsw[4..8].copy_from_slice(&stop.ccw.address.wrapping_add(8).to_be_bytes());
    if stop.suspended {
        scsw[3] = 0x29;
    } else {
        scsw[8] = stop.device_status;
    }
    scsw[9] = stop.subchannel_status;
    scsw[10..12].copy_from_slice(&(stop.residual as u16).to_be_bytes());
    Ending {
        scsw,
        sense: stop.sense,
        suspended: stop.suspended.then_some((stop.ccw.address, stop.device_status)),
    }
}
