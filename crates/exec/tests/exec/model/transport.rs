//! Transport mode: one operation of a TCW, its TCCB and its data, executed step by step.

use crate::model::ccw::Orb;
use crate::model::fault::{Fault, Sense};
use crate::model::line::Line;
use crate::model::storage::{Check, Memory, number};
use crate::model::tidaws::{Pieces, Purpose, fetch_block};
use crate::model::unit::Unit;

/// How an operation ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    /// Subchannel-status word.
    pub scsw: [u8; 12],
    /// Bytes 0, 1 and 7 of the sense.
    pub sense: Option<Sense>,
}

/// Fields of a TCW.
struct Tcw {
    list_in: bool,
    list_tccb: bool,
    list_out: bool,
    area_bytes: usize,
    read: bool,
    write: bool,
    output: u64,
    input: u64,
    tsb: u64,
    tccb: u64,
    output_count: u64,
    input_count: u64,
}

/// One device-command word.
struct Dcw {
    offset: u16,
    command: u8,
    control: Vec<u8>,
    count: u32,
}

/// How the device ended the operation.
#[derive(Default)]
pub struct DeviceEnding {
    /// Device status.
    pub status: u8,
    /// Bytes of the data counts that did not move.
    pub residual: u32,
    /// The DCW executed last, or at fault.
    pub dcw_offset: Option<u16>,
    /// Reason of a device-detected program check.
    pub program_check: Option<u8>,
    /// Sense of a unit check.
    pub sense: Option<Sense>,
    /// The operation was an interrogation, and this is the answer to it.
    pub answered: bool,
}

/// Runs the operation of an ORB.
pub fn run(memory: &mut Memory, unit: &mut Unit, orb: &Orb) -> Ending {
    let ran = started(memory, unit, orb);
    unit.end_chain(false);
    let (tsb, device, check) = match ran {
        Ok(ran) => ran,
        Err(check) => return Ending { scsw: scsw(orb, 0, check.bit(), false), sense: None },
    };
    let stored = store_tsb(memory, orb.key, tsb, &device);
    let mut subchannel_status = check.map_or(0, Check::bit) | stored.err().map_or(0, Check::bit);
    if device.program_check.is_some() {
        subchannel_status |= 0x20;
    }
    let mut scsw = scsw(orb, device.status, subchannel_status, stored.is_ok());
    scsw[1] |= if device.sense.is_some() { 0x02 } else { 0 };
    Ending { scsw, sense: device.sense }
}

/// Sends the operation to the device: where its status block lies, how the device ended it, and what the channel
/// found.
fn started(
    memory: &mut Memory,
    unit: &mut Unit,
    orb: &Orb,
) -> Result<(u64, DeviceEnding, Option<Check>), Check> {
    let tcw = tcw(memory, orb)?;
    let tccb = fetch_block(memory, orb.key, tcw.tccb, tcw.list_tccb, 16 + tcw.area_bytes + 8)?;
    let (purpose, address, list, count) = match (tcw.read, tcw.write) {
        (true, _) => (Purpose::Input, tcw.input, tcw.list_in, tcw.input_count),
        (_, true) => (Purpose::Output, tcw.output, tcw.list_out, tcw.output_count),
        _ => (Purpose::Input, 0, false, 0),
    };
    let mut pieces = Pieces::new(memory, orb.key, purpose, address, list, count);
    // An interrogation has no data.
    let probed = if interrogates(&tccb) { None } else { pieces.probe() };
    if let Some(check) = probed {
        return Err(check);
    }
    let direction = match (tcw.read, tcw.write) {
        (true, _) => Direction::Read,
        (_, true) => Direction::Write,
        _ => Direction::Nowhere,
    };
    let mut device = operation(unit, &tccb, direction, &mut pieces);
    if pieces.check.is_some() {
        // A choice: the ending of a device that was cut short by the channel does not count.
        (device.status, device.sense, device.program_check) = (0x0C, None, None);
    }
    Ok((tcw.tsb, device, pieces.check))
}

fn tcw(memory: &mut Memory, orb: &Orb) -> Result<Tcw, Check> {
    let b: [u8; 64] = memory.field(u64::from(orb.program), orb.key)?;
    let tcw = Tcw {
        list_in: b[1] & 0x04 != 0,
        list_tccb: b[1] & 0x02 != 0,
        list_out: b[1] & 0x01 != 0,
        area_bytes: usize::from(b[5] & 0xFC).saturating_sub(4),
        read: b[5] & 0x02 != 0,
        write: b[5] & 0x01 != 0,
        output: number(&b[8..16]),
        input: number(&b[16..24]),
        tsb: number(&b[24..32]),
        tccb: number(&b[32..40]),
        output_count: number(&b[40..44]),
        input_count: number(&b[44..48]),
    };
    let zeros = [0, 2, 3, 4, 6, 7].iter().all(|&at| b[at] == 0) && b[48..60].iter().all(|&byte| byte == 0);
    let length = b[5] & 0xFC;
    let sound = zeros
        && b[1] & 0xF8 == 0
        && (4..=244).contains(&length)
        && tcw.tsb.is_multiple_of(8)
        && tcw.tccb.is_multiple_of(8)
        && !(tcw.read && tcw.write)
        && !(tcw.read && tcw.input_count == 0)
        && !(tcw.write && tcw.output_count == 0);
    if sound { Ok(tcw) } else { Err(Check::Program) }
}

pub fn operation(unit: &mut Unit, tccb: &[u8], direction: Direction, line: &mut impl Line) -> DeviceEnding {
    if interrogates(tccb) {
        return match interrogation(tccb, direction) {
            Ok(()) => {
                DeviceEnding { status: 0x0C, dcw_offset: Some(0), answered: true, ..DeviceEnding::default() }
            }
            Err((reason, offset)) => refused(reason, offset, 0),
        };
    }
    let (dcws, trailer) = match parse(tccb, direction) {
        Ok(parsed) => parsed,
        Err((reason, offset)) => return refused(reason, offset, 0),
    };
    let total = dcws.iter().map(|dcw| dcw.count).sum();
    let mut run = Run { unit, direction, moved: 0, link: 0, starved: false };
    let mut ending = DeviceEnding { status: 0x0C, residual: total, ..DeviceEnding::default() };
    for dcw in &dcws {
        ending.dcw_offset = Some(dcw.offset);
        let before = run.moved;
        match run.dcw(dcw, line) {
            DcwEnd::Status(status) => ending.status = status,
            DcwEnd::UnitCheck(sense) => (ending.status, ending.sense) = (0x0E, Some(sense)),
            DcwEnd::ProgramCheck(reason) => return refused(reason, Some(dcw.offset), total),
        }
        // A choice: data that fall short of a DCW's count end the operation.
        if run.moved - before < dcw.count || ending.status != 0x0C {
            break;
        }
    }
    ending.residual = total - run.moved;
    let normal = ending.status == 0x0C;
    let wrong_count = normal && ending.residual == 0 && !counts(trailer, run.link);
    if normal && run.starved || wrong_count {
        return refused(7, None, total);
    }
    // Behind the last DCW there is none that the domain could go on with.
    let last = dcws.last().map(|dcw| dcw.offset);
    if ending.sense.is_none()
        && ending.dcw_offset == last
        && let Some(sense) = run.unit.end_chain(true)
    {
        (ending.status, ending.sense) = (0x0E, Some(sense));
    }
    ending
}

/// Which direction the data go.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// None move.
    Nowhere,
    /// From the device.
    Read,
    /// To the device.
    Write,
}

/// Returns a device-detected program check. The reason codes are a choice.
fn refused(reason: u8, dcw_offset: Option<u16>, residual: u32) -> DeviceEnding {
    DeviceEnding {
        status: 0x0E,
        residual,
        dcw_offset,
        program_check: Some(reason),
        ..DeviceEnding::default()
    }
}

/// Returns whether a transport count is that of data and inserted check words. Without data, 0 is accepted.
fn counts(trailer: u32, bytes: u32) -> bool {
    match bytes {
        0 => trailer == 4 || trailer == 0,
        _ => trailer == bytes.next_multiple_of(4) + 4,
    }
}

/// Returns whether the service action is that of an interrogation.
fn interrogates(tccb: &[u8]) -> bool {
    tccb[8..10] == [0x1F, 0xFF]
}

/// Checks the header of a TCCB and its length.
fn check_header(tccb: &[u8]) -> Result<(), (u8, Option<u16>)> {
    let length = usize::from(tccb[7]);
    if tccb[0] != 0x7F || tccb[1..7].iter().any(|&byte| byte != 0) {
        return Err((4, None));
    }
    if !(20..=252).contains(&length) || length % 4 != 0 {
        return Err((3, None));
    }
    let action = interrogates(tccb) || tccb[8..10] == [0x1F, 0xFE];
    if !action || tccb[10] != 0 || tccb[12..16].iter().any(|&byte| byte != 0) {
        return Err((4, None));
    }
    if tccb.len() == 16 + length - 12 + 8 { Ok(()) } else { Err((3, None)) }
}

/// Checks an interrogation: no data, one DCW with its parameters (reference 6.5).
fn interrogation(tccb: &[u8], direction: Direction) -> Result<(), (u8, Option<u16>)> {
    check_header(tccb)?;
    if direction != Direction::Nowhere {
        return Err((6, None));
    }
    let dcws = dcws(&tccb[16..tccb.len() - 8]).unwrap_or_default();
    match &dcws[..] {
        [dcw] if dcw.command == 0x40 && dcw.count == 0 && dcw.control.len() >= 32 && dcw.control[0] == 0 => {
            Ok(())
        }
        _ => Err((5, Some(0))),
    }
}

/// Returns the DCWs and the transport count of a TCCB.
fn parse(tccb: &[u8], direction: Direction) -> Result<(Vec<Dcw>, u32), (u8, Option<u16>)> {
    check_header(tccb)?;
    let area = &tccb[16..tccb.len() - 8];
    let dcws = dcws(area).map_err(|offset| (5, Some(offset)))?;
    let total: u64 = dcws.iter().map(|dcw| u64::from(dcw.count)).sum();
    if total > u64::from(u32::MAX) {
        return Err((5, None));
    }
    if (direction == Direction::Nowhere) != (total == 0) {
        return Err((6, None));
    }
    let trailer = number(&tccb[tccb.len() - 4..]) as u32;
    let least = u64::from(trailer) >= if total == 0 { 4 } else { total.next_multiple_of(4) + 4 };
    let sound = if direction == Direction::Write { least } else { counts(trailer, total as u32) };
    if sound { Ok((dcws, trailer)) } else { Err((7, None)) }
}

/// Returns the words of an area that they fill exactly; or the offset of the one at fault.
fn dcws(area: &[u8]) -> Result<Vec<Dcw>, u16> {
    let mut list = Vec::new();
    let mut at = 0;
    loop {
        let offset = at as u16;
        let head = area.get(at..at + 8).ok_or(offset)?;
        let control = usize::from(head[3]);
        let end = at + 8 + control;
        let padded = at + 8 + control.div_ceil(4) * 4;
        let sound = head[1] & 0xBF == 0 && head[2] == 0 && control <= 232 && padded <= area.len();
        if !sound || area[end..padded].iter().any(|&byte| byte != 0) {
            return Err(offset);
        }
        let count = number(&head[4..8]) as u32;
        list.push(Dcw { offset, command: head[0], control: area[at + 8..end].to_vec(), count });
        at = padded;
        match (head[1] & 0x40 != 0, at == area.len()) {
            (true, false) => {}
            (false, true) => return Ok(list),
            _ => return Err(offset),
        }
    }
}

/// The line of one DCW: at most its count of the operation's data.
struct DcwLine<'a, L: Line> {
    line: &'a mut L,
    left: u32,
    moved: u32,
    starved: bool,
}

impl<L: Line> Line for DcwLine<'_, L> {
    fn give(&mut self, byte: Option<u8>) -> bool {
        let given = self.left > 0 && self.line.give(byte);
        self.left -= u32::from(given);
        self.moved += u32::from(given);
        given
    }

    fn take(&mut self) -> Option<u8> {
        if self.left == 0 {
            return None;
        }
        let taken = self.line.take();
        self.starved |= taken.is_none();
        self.left -= u32::from(taken.is_some());
        self.moved += u32::from(taken.is_some());
        taken
    }
}

/// The DCWs in execution.
struct Run<'a> {
    unit: &'a mut Unit,
    direction: Direction,
    /// Bytes of data moved.
    moved: u32,
    /// Number of bytes with check words and their padding.
    link: u32,
    /// Whether the device requested data that did not come.
    starved: bool,
}

/// How a DCW ended.
enum DcwEnd {
    Status(u8),
    UnitCheck(Sense),
    ProgramCheck(u8),
}

/// Returns the direction that the data of a command other than a control go; nothing for a command that there is not.
fn direction_of(command: u8) -> Option<Direction> {
    match command {
        0x04 | 0x14 | 0x22 | 0x34 | 0x3E | 0x64 | 0x94 | 0xA4 | 0xB4 | 0xE4 | 0xFA => Some(Direction::Read),
        0x02 | 0x0A | 0x5E | 0xA6 | 0xDE => Some(Direction::Read),
        0x11 | 0x15 | 0x19 | 0x95 | 0xA5 => Some(Direction::Write),
        _ => match command & 0x7F {
            0x06 | 0x0E | 0x12 | 0x16 | 0x1A | 0x1E => Some(Direction::Read),
            0x05 | 0x0D | 0x1D | 0x29 | 0x31 | 0x39 | 0x49 | 0x51 | 0x69 | 0x71 => Some(Direction::Write),
            _ => None,
        },
    }
}

impl Run<'_> {
    fn dcw(&mut self, dcw: &Dcw, line: &mut impl Line) -> DcwEnd {
        let mut line = DcwLine { line, left: dcw.count, moved: 0, starved: false };
        if let Some(direction) = direction_of(dcw.command) {
            if dcw.count > 0 && direction != self.direction {
                return DcwEnd::ProgramCheck(6);
            }
            // There is no DCW that a satisfied search could skip.
            let search = matches!(dcw.command & 0x7F, 0x29 | 0x31 | 0x39 | 0x49 | 0x51 | 0x69 | 0x71);
            return if search {
                DcwEnd::UnitCheck(Fault::Reject(1).sense())
            } else {
                self.access(dcw.command, &mut line)
            };
        }
        let (command, direction) = match dcw.command {
            0xEA => (0xE7, Direction::Read),
            command if dcw.count > 0 && command & 0x03 == 0x03 => (command, Direction::Write),
            command => (command, self.direction),
        };
        if direction != self.direction {
            return DcwEnd::ProgramCheck(6);
        }
        match self.unit.control(command, &dcw.control) {
            Err(fault) => DcwEnd::UnitCheck(self.unit.sense_of(fault, command)),
            Ok(_) if dcw.count == 0 => DcwEnd::Status(0x0C),
            Ok(_) => self.imbedded(&mut line),
        }
    }

    /// Treats the data of a control as data of its imbedded command.
    fn imbedded(&mut self, line: &mut DcwLine<'_, impl Line>) -> DcwEnd {
        let rejected = DcwEnd::UnitCheck(Fault::Reject(4).sense());
        let imbedded = self.unit.chain.domain.as_ref().and_then(|domain| domain.imbedded);
        let Some((imbedded, direction)) =
            imbedded.and_then(|imbedded| Some((imbedded, direction_of(imbedded.command)?)))
        else {
            return rejected;
        };
        if direction != self.direction {
            return DcwEnd::ProgramCheck(6);
        }
        for unit in 1..=imbedded.units {
            let before = self.moved;
            let end = self.access(imbedded.command, line);
            let bytes = self.moved - before;
            if imbedded.check_words && unit < imbedded.units {
                self.link += bytes.next_multiple_of(4) - bytes + 4;
            }
            if !matches!(end, DcwEnd::Status(0x0C)) {
                return end;
            }
        }
        DcwEnd::Status(0x0C)
    }

    fn access(&mut self, command: u8, line: &mut DcwLine<'_, impl Line>) -> DcwEnd {
        let before = line.moved;
        let outcome = self.unit.access(command, line);
        self.moved += line.moved - before;
        self.link += line.moved - before;
        self.starved |= line.starved;
        match outcome {
            Ok(done) => DcwEnd::Status(0x0C | done.status),
            Err(fault) => DcwEnd::UnitCheck(self.unit.sense_of(fault, command)),
        }
    }
}

fn store_tsb(memory: &mut Memory, key: u8, address: u64, device: &DeviceEnding) -> Result<(), Check> {
    let mut tsb = [None; 64];
    let format = match (device.program_check, device.answered) {
        (Some(_), _) => 2,
        (None, true) => 3,
        (None, false) => 1,
    };
    let offset = device.dcw_offset.unwrap_or(0).to_be_bytes();
    let valid = if device.dcw_offset.is_some() { 0x80 } else { 0 };
    tsb[0] = Some(if device.sense.is_some() || format > 1 { 64 } else { 32 });
    tsb[1] = Some(valid | 0x40 | format);
    (tsb[2], tsb[3]) = (Some(offset[0]), Some(offset[1]));
    for (byte, value) in tsb[4..8].iter_mut().zip(device.residual.to_be_bytes()) {
        *byte = Some(value);
    }
    tsb[15] = device.program_check;
    if device.answered {
        // A choice: the states of control unit, device and operation are valid, and mean that no operation is there.
        tsb[12..].fill(Some(0));
        tsb[13] = Some(0xE0);
    }
    if let Some(sense) = device.sense {
        (tsb[32], tsb[33], tsb[39]) = (Some(sense[0]), Some(sense[1]), Some(sense[2]));
    }
    for (at, byte) in (0u64..).zip(tsb) {
        memory.store(address.wrapping_add(at), key, byte)?;
    }
    Ok(())
}

fn scsw(orb: &Orb, device_status: u8, subchannel_status: u8, tsb: bool) -> [u8; 12] {
    let unusual = device_status & 0x03 != 0 || subchannel_status != 0;
    let mut scsw = [orb.byte_4 & 0xF0, 0x10, 0x40, if unusual { 0x17 } else { 0x07 }, 0, 0, 0, 0, 0, 0, 0, 0];
    scsw[4..8].copy_from_slice(&orb.program.to_be_bytes());
    (scsw[8], scsw[9], scsw[10]) = (device_status, subchannel_status, u8::from(tsb));
    scsw
}
