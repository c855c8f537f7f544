//! Device-command word, and the list of them that a transport-command area is.
//!
//! ```text
//! 0 command | 1 flags | 2 zero | 3 control-data count | 4-7 data count | 8- control data, padded to 4
//! ```

use thiserror::Error;

use halftrack_base::fields::{round_up_4, u32_at};

/// Bytes of a DCW without its control data.
pub const DCW_BYTES: usize = 8;
/// Most bytes of control data of one DCW.
pub const CONTROL_DATA_MAXIMUM_BYTES: usize = 232;
/// Most bytes of a transport-command area, and so of a DCW list.
pub const DCW_AREA_MAXIMUM_BYTES: usize = 240;
/// Flag: another DCW follows.
const CHAIN_COMMAND: u8 = 0x40;

/// A device-command word. Its place in the list determines whether another follows.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Dcw {
    /// Command code.
    pub command: u8,
    /// Control data, at most 232 bytes.
    pub control_data: Vec<u8>,
    /// Bytes of data that the command moves, check words not counted.
    pub data_count: u32,
}

impl Dcw {
    /// Returns the bytes that the DCW takes in a transport-command area.
    pub fn length_bytes(&self) -> usize {
        DCW_BYTES + padded(self.control_data.len())
    }
}

fn padded(control_bytes: usize) -> usize {
    control_bytes.next_multiple_of(4)
}

/// A DCW and where it begins.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PlacedDcw {
    /// Offset in bytes from the start of the transport-command area.
    pub offset: u16,
    /// The DCW.
    pub dcw: Dcw,
}

/// Fault of a DCW list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum DcwFault {
    /// No room is left for the 8 bytes of a DCW.
    #[error("the area ends inside a DCW")]
    Truncated,
    /// A flag other than command chaining, or a reserved byte that is not zero.
    #[error("reserved bits are on")]
    Reserved,
    /// More than 232 bytes of control data, or more than are left.
    #[error("the control-data count extends beyond the area")]
    ControlData,
    /// The padding after the control data is not zero.
    #[error("the padding is not zero")]
    Padding,
    /// Command chaining on the last DCW of the area.
    #[error("command chaining on the last DCW")]
    ChainedLast,
    /// No command chaining, and bytes left in the area.
    #[error("bytes are left after the last DCW")]
    LeftOver,
    /// A list without a DCW, or one that is longer than 240 bytes.
    #[error("the list does not fit an area")]
    AreaLength,
}

/// A fault and the DCW that has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("DCW at offset {offset}: {fault}")]
pub struct DcwListError {
    /// Offset of the DCW in bytes from the start of the transport-command area.
    pub offset: u16,
    /// The fault.
    pub fault: DcwFault,
}

/// A DCW where it stands in its transport-command area.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DcwView<'a> {
    /// Offset in bytes from the start of the area.
    pub offset: u16,
    /// Command code.
    pub command: u8,
    /// Control data, without the padding.
    pub control_data: &'a [u8],
    /// Data count in bytes.
    pub data_count: u32,
}

/// The DCWs of a transport-command area, one after the other, without copies; nothing after the first fault.
#[derive(Debug, Clone)]
pub struct DcwList<'a> {
    area: &'a [u8],
    at: usize,
    over: bool,
}

impl<'a> DcwList<'a> {
    /// Returns the list in `area`.
    #[inline]
    pub fn new(area: &'a [u8]) -> Self {
        Self { area, at: 0, over: false }
    }

    #[inline]
    fn step(&mut self) -> Result<DcwView<'a>, DcwListError> {
        let offset = self.at as u16;
        let at_fault = |fault| DcwListError { offset, fault };
        if self.area.len() > DCW_AREA_MAXIMUM_BYTES {
            return Err(at_fault(DcwFault::AreaLength));
        }
        let (dcw, chained) = parse_one(&self.area[self.at..], offset).map_err(at_fault)?;
        self.at += DCW_BYTES + padded(dcw.control_data.len());
        self.over = !chained;
        match (chained, self.at == self.area.len()) {
            (true, true) => Err(at_fault(DcwFault::ChainedLast)),
            (false, false) => Err(at_fault(DcwFault::LeftOver)),
            (true, false) | (false, true) => Ok(dcw),
        }
    }
}

impl<'a> Iterator for DcwList<'a> {
    type Item = Result<DcwView<'a>, DcwListError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        let step = self.step();
        self.over |= step.is_err();
        Some(step)
    }
}

/// Parses a transport-command area: a list of DCWs that fills it exactly.
///
/// # Errors
/// The first [`DcwFault`] with the offset of its DCW.
pub fn parse_dcws(area: &[u8]) -> Result<Vec<PlacedDcw>, DcwListError> {
    let placed = |view: DcwView<'_>| PlacedDcw {
        offset: view.offset,
        dcw: Dcw {
            command: view.command,
            control_data: view.control_data.to_vec(),
            data_count: view.data_count,
        },
    };
    DcwList::new(area).map(|step| step.map(placed)).collect()
}

#[inline]
fn parse_one(rest: &[u8], offset: u16) -> Result<(DcwView<'_>, bool), DcwFault> {
    let head = rest.first_chunk::<DCW_BYTES>().ok_or(DcwFault::Truncated)?;
    if head[1] & !CHAIN_COMMAND != 0 || head[2] != 0 {
        return Err(DcwFault::Reserved);
    }
    let count = usize::from(head[3]);
    let end = DCW_BYTES + count;
    let padded_end = DCW_BYTES + padded(count);
    if count > CONTROL_DATA_MAXIMUM_BYTES || padded_end > rest.len() {
        return Err(DcwFault::ControlData);
    }
    if rest[end..padded_end].iter().any(|&byte| byte != 0) {
        return Err(DcwFault::Padding);
    }
    let control_data = &rest[DCW_BYTES..end];
    let dcw = DcwView { offset, command: head[0], control_data, data_count: u32_at(head, 4) };
    Ok((dcw, head[1] & CHAIN_COMMAND != 0))
}

/// Emits a transport-command area.
///
/// # Errors
/// [`DcwFault::AreaLength`] for an empty list or one that is too long, [`DcwFault::ControlData`] for too
/// much control data, each with the offset of the DCW.
pub fn emit_dcws<'a>(dcws: impl ExactSizeIterator<Item = &'a Dcw>) -> Result<Vec<u8>, DcwListError> {
    let mut area = Vec::new();
    let last = dcws.len().checked_sub(1).ok_or(DcwListError { offset: 0, fault: DcwFault::AreaLength })?;
    for (index, dcw) in dcws.enumerate() {
        let offset = area.len() as u16;
        let control_bytes = dcw.control_data.len();
        if control_bytes > CONTROL_DATA_MAXIMUM_BYTES {
            return Err(DcwListError { offset, fault: DcwFault::ControlData });
        }
        let flags = if index == last { 0 } else { CHAIN_COMMAND };
        area.extend_from_slice(&[dcw.command, flags, 0, control_bytes as u8]);
        area.extend_from_slice(&dcw.data_count.to_be_bytes());
        area.extend_from_slice(&dcw.control_data);
        area.resize(round_up_4(area.len() as u32) as usize, 0);
        if area.len() > DCW_AREA_MAXIMUM_BYTES {
            return Err(DcwListError { offset, fault: DcwFault::AreaLength });
        }
    }
    Ok(area)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{PREFIX, READ_DATA, multi_track};
    use proptest::prelude::*;

    fn prefix(control_bytes: usize) -> Dcw {
        Dcw { command: PREFIX, control_data: vec![0; control_bytes], data_count: 0 }
    }

    fn read(data_count: u32) -> Dcw {
        Dcw { command: multi_track(READ_DATA), control_data: Vec::new(), data_count }
    }

    #[test]
    fn two_dcws_to_the_octet() {
        let first = Dcw { command: 0x63, control_data: vec![1, 2, 3, 4, 5], data_count: 0 };
        let area = emit_dcws([&first, &read(4096)].into_iter()).unwrap();
        let octets = [0x63, 0x40, 0, 5, 0, 0, 0, 0, 1, 2, 3, 4, 5, 0, 0, 0, 0x86, 0, 0, 0, 0, 0, 0x10, 0];
        assert_eq!(area, octets);
        let list = parse_dcws(&octets).unwrap();
        assert_eq!(list[0], PlacedDcw { offset: 0, dcw: first });
        assert_eq!(list[1], PlacedDcw { offset: 16, dcw: read(4096) });
    }

    #[test]
    fn a_prefix_leaves_room_for_21_plain_dcws() {
        let fits: Vec<_> = std::iter::once(prefix(64)).chain((0..21).map(|_| read(4096))).collect();
        assert_eq!(emit_dcws(fits.iter()).unwrap().len(), DCW_AREA_MAXIMUM_BYTES);
        let too_many: Vec<_> = fits.into_iter().chain([read(4096)]).collect();
        let error = emit_dcws(too_many.iter()).unwrap_err();
        assert_eq!(error, DcwListError { offset: 240, fault: DcwFault::AreaLength });
        assert!(emit_dcws([].iter()).is_err());
        assert_eq!(emit_dcws([&prefix(233)].into_iter()).unwrap_err().fault, DcwFault::ControlData);
    }

    #[test]
    fn a_list_fills_its_area_exactly() {
        let octets = emit_dcws([&prefix(4), &read(4096)].into_iter()).unwrap();
        let fault = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut octets = octets.clone();
            change(&mut octets);
            let error = parse_dcws(&octets).unwrap_err();
            (error.offset, error.fault)
        };
        assert_eq!(fault(&|area| area[13] = 0x40), (12, DcwFault::ChainedLast));
        assert_eq!(fault(&|area| area[1] = 0), (0, DcwFault::LeftOver));
        assert_eq!(fault(&|area| area.truncate(16)), (12, DcwFault::Truncated));
        assert_eq!(fault(&|area| area[15] = 4), (12, DcwFault::ControlData));
        assert_eq!(fault(&|area| area[14] = 1), (12, DcwFault::Reserved));
        assert_eq!(fault(&|area| (area[3], area[11]) = (3, 9)), (0, DcwFault::Padding));
        assert_eq!(fault(&|area| area.resize(244, 0)), (0, DcwFault::AreaLength));
        assert_eq!(parse_dcws(&[]).unwrap_err().fault, DcwFault::Truncated);
    }

    fn dcw() -> impl Strategy<Value = Dcw> {
        (any::<u8>(), prop::collection::vec(any::<u8>(), 0..30), any::<u32>())
            .prop_map(|(command, control_data, data_count)| Dcw { command, control_data, data_count })
    }

    proptest! {
        #[test]
        fn lists_emit_and_parse_back(list in prop::collection::vec(dcw(), 1..6)) {
            let area = emit_dcws(list.iter()).unwrap();
            let parsed: Vec<_> = parse_dcws(&area).unwrap().into_iter().map(|placed| placed.dcw).collect();
            prop_assert_eq!(parsed, list);
        }

        #[test]
        fn any_bytes_parse_or_fail(area in prop::collection::vec(any::<u8>(), 0..260)) {
            if let Ok(list) = parse_dcws(&area) {
                prop_assert_eq!(emit_dcws(list.iter().map(|placed| &placed.dcw)).unwrap(), area);
            }
        }
    }
}
