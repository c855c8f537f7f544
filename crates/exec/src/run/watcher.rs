//! Watches the channel for the trace, and for where data were stored.

use halftrack_program::command::{CommandClass, DEFINE_EXTENT, class};
use halftrack_program::{
    Ccw, CcwFormat, DeviceEnd, Direction, Observer, Octets, OperationEnd, PlacedDcw, SubchannelStatus, Tcw,
    Tidaw,
};

use crate::assembly::commands::encoded;
use crate::command_name::{by_code, name_of};
use crate::content::AddressText;
use crate::disassembly::data_words::hexadecimal;
use crate::disassembly::setting_words::settings;
use crate::parameter::blocks::FIXED_BLOCK_EXTENT;
use crate::parameter::channel_blocks::{TCAH, TCW, TIDAW};
use crate::parameter::decoding::{Length, decode};
use crate::parameter::field::Block;
use crate::run::record::{DeviceEnding, Hex, Moved, TraceKind, TraceRecord};
use crate::run::running::RunOptions;
use crate::status_name::{DEVICE_STATUS, SUBCHANNEL_STATUS, words};
use crate::text::command_text::FLAGS;

/// Most records of a function that are kept.
const RECORDS_MAX: usize = 50_000;
/// Most runs of data of one word that are kept apart.
const RUNS_MAX: usize = 1000;
/// Octets of a run that are kept: enough for the parameters of any command.
const OCTETS_MAX: usize = 256;
/// Runs and octets of a function that are kept, all words together.
const ALL_RUNS_MAX: usize = 500_000;
const ALL_OCTETS_MAX: usize = 32 << 20;
/// Pieces of storage from which on those that touch are joined.
const STORED_MAX: usize = 1 << 20;

/// Watches one function.
#[derive(Debug)]
pub(crate) struct Watcher {
    options: RunOptions,
    format: CcwFormat,
    pub records: Vec<TraceRecord>,
    pub left_out: u64,
    /// Begins and ends of what was stored.
    pub stored: Vec<(u64, u64)>,
    /// Address of the TSB of the operation.
    pub tsb_address: Option<u64>,
    /// The record that data belong to.
    current: Option<usize>,
    runs: usize,
    octets: usize,
}

impl Watcher {
    pub(crate) fn new(options: RunOptions, format: CcwFormat) -> Self {
        Self {
            options,
            format,
            records: Vec::new(),
            left_out: 0,
            stored: Vec::new(),
            tsb_address: None,
            current: None,
            runs: 0,
            octets: 0,
        }
    }

    fn record(&mut self, kind: TraceKind, address: Option<u64>, octets: Vec<u8>, text: String) {
        self.current = None;
        if !self.options.trace {
            return;
        }
        if self.records.len() == RECORDS_MAX {
            self.left_out += 1;
            return;
        }
        self.current = Some(self.records.len());
        let octets = Hex(octets);
        let moved = Vec::new();
        self.records.push(TraceRecord { kind, address, octets, text, parameters: None, moved, ending: None });
    }

    fn stored(&mut self, address: u64, bytes: u64) {
        match self.stored.last_mut() {
            Some((_, end)) if *end == address => *end += bytes,
            _ => {
                if self.stored.len() >= STORED_MAX {
                    join(&mut self.stored);
                }
                self.stored.push((address, address.saturating_add(bytes)));
            }
        }
    }

    fn ended(&mut self, ending: DeviceEnding) {
        if let Some(record) = self.current.and_then(|current| self.records.get_mut(current)) {
            record.parameters = parameters(record, self.options.fixed_blocks);
            record.ending = Some(ending);
        }
    }
}

/// Joins pieces that touch or overlap.
fn join(pieces: &mut Vec<(u64, u64)>) {
    pieces.sort_unstable();
    pieces.dedup_by(|next, before| {
        let touches = next.0 <= before.1;
        if touches {
            before.1 = before.1.max(next.1);
        }
        touches
    });
}

/// Returns the parameters of a control command, as they went to the device.
fn parameters(record: &TraceRecord, fixed_blocks: bool) -> Option<String> {
    let code = *record.octets.0.first()?;
    let block = match by_code(code)?.parameters? {
        // Both kinds of device have the code, each with parameters of its own.
        _ if fixed_blocks && code == DEFINE_EXTENT => &FIXED_BLOCK_EXTENT,
        block => block,
    };
    let output = record.moved.iter().filter(|moved| moved.direction == "output");
    let octets: Vec<u8> = output.flat_map(|moved| moved.octets.0.iter().copied()).collect();
    Some(settings(block, &decode(block, &octets, Length::Exact)?))
}

fn block_text(block: &Block, octets: &[u8]) -> String {
    decode(block, octets, Length::Exact).map_or_else(|| hexadecimal(octets), |found| settings(block, &found))
}

fn channel_found(fault: SubchannelStatus) -> Option<String> {
    (!fault.is_empty()).then(|| words(u64::from(fault.0), SUBCHANNEL_STATUS))
}

impl Observer for Watcher {
    fn ccw(&mut self, address: u32, ccw: &Ccw) {
        let operand = AddressText::absolute(0);
        let mut octets = encoded(self.format, ccw.command, ccw.flags.0, ccw.count, operand).bytes;
        let [_, high, middle, low] = ccw.address.to_be_bytes();
        match self.format {
            CcwFormat::Zero => octets[1..4].copy_from_slice(&[high, middle, low]),
            CcwFormat::One => octets[4..].copy_from_slice(&ccw.address.to_be_bytes()),
        }
        let text = if class(ccw.command) == CommandClass::TransferInChannel {
            format!("tic 0x{:X}", ccw.address)
        } else {
            let flags = FLAGS.iter().filter(|(_, bit)| ccw.flags.0 & bit != 0);
            let flags: String = flags.map(|(name, _)| format!(" {name}")).collect();
            format!("{}{flags} {} @0x{:X}", name_of(ccw.command), ccw.count, ccw.address)
        };
        self.record(TraceKind::Ccw, Some(u64::from(address)), octets, text);
    }

    fn moved(&mut self, direction: Direction, address: u64, octets: Octets<'_>) {
        let bytes = u64::from(octets.len());
        if direction == Direction::Input {
            self.stored(address, bytes);
        }
        let Some(record) = self.current.and_then(|current| self.records.get_mut(current)) else { return };
        let direction = match direction {
            Direction::Output => "output",
            Direction::Input => "input",
            Direction::Skipped => "skipped",
        };
        let octets = octets.bytes().unwrap_or(&[]);
        let has_room = record.moved.len() < RUNS_MAX && self.runs < ALL_RUNS_MAX;
        let kept = |kept: usize| {
            OCTETS_MAX.saturating_sub(kept).min(ALL_OCTETS_MAX.saturating_sub(self.octets)).min(octets.len())
        };
        match record.moved.last_mut() {
            Some(last) if last.direction == direction && last.address + last.bytes == address => {
                last.bytes += bytes;
                let kept = kept(last.octets.0.len());
                last.octets.0.extend_from_slice(&octets[..kept]);
                self.octets += kept;
            }
            _ if has_room => {
                let octets = Hex(octets[..kept(0)].to_vec());
                self.octets += octets.0.len();
                self.runs += 1;
                record.moved.push(Moved { direction, address, bytes, octets });
            }
            _ => {}
        }
    }

    fn command_ended(&mut self, end: &DeviceEnd, fault: SubchannelStatus) {
        self.ended(DeviceEnding {
            device_status: words(u64::from(end.status.0), DEVICE_STATUS),
            channel_found: channel_found(fault),
            moved_bytes: end.moved_bytes,
            device_bytes: Some(end.device_bytes),
        });
    }

    fn suspended(&mut self, address: u32) {
        self.record(TraceKind::Suspended, Some(u64::from(address)), Vec::new(), "suspended".to_owned());
    }

    fn tcw(&mut self, address: u32, tcw: &Tcw) {
        self.tsb_address = Some(tcw.tsb_address);
        let octets = tcw.emit().to_vec();
        let text = format!("tcw {}", block_text(&TCW, &octets));
        self.record(TraceKind::Tcw, Some(u64::from(address)), octets, text);
    }

    fn tccb(&mut self, tccb: &[u8]) {
        let head = &tccb[..tccb.len().min(TCAH.bytes)];
        let text = format!("tcah {}", block_text(&TCAH, head));
        self.record(TraceKind::Tccb, None, tccb.to_vec(), text);
    }

    fn dcw(&mut self, dcw: &PlacedDcw) {
        let PlacedDcw { offset, dcw } = dcw;
        let mut octets = vec![dcw.command, 0, 0, dcw.control_data.len() as u8];
        octets.extend(dcw.data_count.to_be_bytes());
        octets.extend(&dcw.control_data);
        let text = format!("{} {}", name_of(dcw.command), dcw.data_count);
        self.record(TraceKind::Dcw, Some(u64::from(*offset)), octets, text);
        if let Some(record) = self.current.and_then(|current| self.records.get_mut(current)) {
            let block = by_code(dcw.command).and_then(|known| known.parameters);
            record.parameters = block
                .filter(|_| !dcw.control_data.is_empty())
                .and_then(|block| Some(settings(block, &decode(block, &dcw.control_data, Length::Padded)?)));
        }
    }

    fn tidaw(&mut self, address: u64, tidaw: &Tidaw) {
        let octets = tidaw.emit().to_vec();
        let text = format!("tidaw {}", block_text(&TIDAW, &octets));
        self.record(TraceKind::Tidaw, Some(address), octets, text);
    }

    fn operation_ended(&mut self, end: &OperationEnd, fault: SubchannelStatus) {
        let check = end.program_check.map(|reason| format!("device-detected program check, reason {reason}"));
        self.record(TraceKind::Operation, None, Vec::new(), check.unwrap_or("operation".to_owned()));
        self.ended(DeviceEnding {
            device_status: words(u64::from(end.status.0), DEVICE_STATUS),
            channel_found: channel_found(fault),
            moved_bytes: end.moved_bytes,
            device_bytes: None,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_storage_are_joined() {
        let mut pieces = vec![(8, 16), (0, 4), (4, 6), (10, 12), (20, 21)];
        join(&mut pieces);
        assert_eq!(pieces, [(0, 6), (8, 16), (20, 21)]);
    }
}
