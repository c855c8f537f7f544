//! Units found over a path before I/O goes over it: REPORT LUNS, then for each TEST UNIT READY, INQUIRY, its
//! identification (page 83) and READ CAPACITY.

use halftrack_base::fields::{u32_at, u64_at};
use halftrack_exchange::fcp::{FcpOutcome, FcpRequest};
use halftrack_scsi::{Sense, SenseCode};
use halftrack_wire::fcp::{Lun, ScsiStatus};

use super::command;

/// Room for the answer to REPORT LUNS: 255 units and the head.
const LUNS_ROOM: u32 = 8 * 256;
/// Room for the answer to INQUIRY, and to READ CAPACITY(16).
const INQUIRY_ROOM: u16 = 255;
const CAPACITY_ROOM: u32 = 32;
/// Page of identification.
const IDENTIFICATION: u8 = 0x83;
/// Type of an identifier: NAA.
const NAA: u8 = 0x03;
/// Most conditions of a unit that are reported once and cleared.
const ATTENTIONS_MAX: u8 = 16;
/// Sense key of a unit attention.
const UNIT_ATTENTION: u8 = 0x06;

/// A unit as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LunSize {
    /// Its blocks.
    pub blocks: u64,
    /// Bytes of a block.
    pub block_bytes: u32,
    /// Its identifier, which is the same over all paths.
    pub identifier: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    ReportLuns,
    Ready,
    Inquiry,
    Identification,
    Capacity,
}

/// The search for units.
#[derive(Debug)]
pub struct Finding {
    luns: Vec<u8>,
    at: usize,
    step: Step,
    attentions: u8,
    identifier: Vec<u8>,
    found: Vec<(u8, LunSize)>,
}

impl Finding {
    /// Begins to find these units.
    pub fn new(luns: &[u8]) -> Self {
        Self {
            luns: luns.to_vec(),
            at: 0,
            step: Step::ReportLuns,
            attentions: 0,
            identifier: Vec::new(),
            found: Vec::new(),
        }
    }

    /// Returns the units, when all were found.
    pub fn found(&self) -> Option<&[(u8, LunSize)]> {
        (self.at == self.luns.len() && self.step != Step::ReportLuns).then_some(&self.found)
    }

    /// Returns the next command; none when all were found.
    pub fn request(&self) -> Option<FcpRequest> {
        if self.step == Step::ReportLuns {
            return Some(FcpRequest::read(Lun::REPORT_LUNS, command::report_luns(LUNS_ROOM), LUNS_ROOM));
        }
        let unit = Lun::of_number((*self.luns.get(self.at)?).into())?;
        let inquiry =
            |page| FcpRequest::read(unit, command::inquiry(page, INQUIRY_ROOM), INQUIRY_ROOM.into());
        Some(match self.step {
            Step::Ready | Step::ReportLuns => FcpRequest::without_data(unit, command::test_unit_ready()),
            Step::Inquiry => inquiry(None),
            Step::Identification => inquiry(Some(IDENTIFICATION)),
            Step::Capacity => FcpRequest::read(unit, command::read_capacity(CAPACITY_ROOM), CAPACITY_ROOM),
        })
    }

    /// Takes the end of the command. One that met a unit attention, or was lost, is sent again.
    ///
    /// # Errors
    /// Why a unit cannot be used.
    pub fn handle_end(&mut self, outcome: &FcpOutcome, data: &[u8]) -> Result<(), String> {
        let lun = self.luns.get(self.at).copied();
        let named = |why: String| lun.map_or_else(|| why.clone(), |lun| format!("LUN {lun}: {why}"));
        match outcome {
            FcpOutcome::Ended { status: ScsiStatus::GOOD, .. } => self.step_on(data).map_err(named),
            FcpOutcome::Ended { sense, .. }
                if Sense::key_of(sense) == Some(UNIT_ATTENTION) && self.attentions < ATTENTIONS_MAX =>
            {
                self.attentions += 1;
                Ok(())
            }
            FcpOutcome::CommandLost if self.attentions < ATTENTIONS_MAX => {
                self.attentions += 1;
                Ok(())
            }
            FcpOutcome::Ended { status, sense, .. } => Err(named(match Sense::code_of(sense) {
                Some(SenseCode { key, code, qualifier }) => {
                    format!("{:?} ends with sense {key:X}/{code:02X}/{qualifier:02X}", self.step)
                }
                None => format!("{:?} ends with SCSI status {:02X}", self.step, status.0),
            })),
            other => Err(named(format!("{:?}: {other:?}", self.step))),
        }
    }

    fn step_on(&mut self, data: &[u8]) -> Result<(), String> {
        self.step = match self.step {
            Step::ReportLuns => {
                let reported = reported(data);
                let missing = self.luns.iter().find(|lun| !reported.contains(&u32::from(**lun)));
                if let Some(lun) = missing {
                    return Err(format!("the target does not report LUN {lun}: it has none, or masks it"));
                }
                Step::Ready
            }
            Step::Ready => Step::Inquiry,
            Step::Inquiry if data.first() != Some(&0) => return Err("it is no disk".to_owned()),
            Step::Inquiry => Step::Identification,
            Step::Identification => {
                self.identifier = identifier(data).ok_or("it has no identifier")?.to_vec();
                Step::Capacity
            }
            Step::Capacity => {
                let (Some(head), true) = (data.get(..12), self.at < self.luns.len()) else {
                    return Err("its capacity is cut short".to_owned());
                };
                let (blocks, block_bytes) = (u64_at(head, 0).wrapping_add(1), u32_at(head, 8));
                let identifier = std::mem::take(&mut self.identifier);
                self.found.push((self.luns[self.at], LunSize { blocks, block_bytes, identifier }));
                self.at += 1;
                self.attentions = 0;
                Step::Ready
            }
        };
        Ok(())
    }
}

/// Returns the numbers in the answer to REPORT LUNS.
fn reported(data: &[u8]) -> Vec<u32> {
    let Some((head, rest)) = data.split_first_chunk::<8>() else { return Vec::new() };
    let stated = u32_at(head, 0) as usize;
    let luns = rest.get(..stated.min(rest.len())).unwrap_or_default();
    luns.chunks_exact(Lun::BYTES).filter_map(|octets| Lun(octets.try_into().ok()?).number()).collect()
}

/// Returns the NAA identifier of the unit in page 83.
fn identifier(page: &[u8]) -> Option<&[u8]> {
    let mut rest = page.get(4..)?;
    while let Some((&[_, association, _, bytes], behind)) = rest.split_first_chunk::<4>() {
        let identifier = behind.get(..usize::from(bytes))?;
        if association & 0x3F == NAA {
            return Some(identifier);
        }
        rest = behind.get(usize::from(bytes)..)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use halftrack_wire::fcp::Residual;

    use super::*;

    fn good() -> FcpOutcome {
        let (status, residual) = (ScsiStatus::GOOD, Residual::None);
        FcpOutcome::Ended { status, residual, sense: Vec::new(), retry_delay: 0 }
    }

    fn capacity() -> Vec<u8> {
        let mut data = vec![0; 32];
        data[7] = 99;
        data[10] = 0x02;
        data
    }

    #[test]
    fn a_unit_is_found_behind_its_attentions() {
        let mut finding = Finding::new(&[7]);
        let mut attention = vec![0x70, 0, 6, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x29, 0];
        attention.resize(18, 0);
        let attention = FcpOutcome::Ended {
            status: ScsiStatus::CHECK_CONDITION,
            residual: Residual::None,
            sense: attention,
            retry_delay: 0,
        };
        let luns = [&[0, 0, 0, 8, 0, 0, 0, 0, 0, 7][..], &[0; 6]].concat();
        let page = [&[0, 0x83, 0, 12, 2, 1, 0, 0, 1, 3, 0, 4][..], &[6, 1, 2, 3]].concat();
        finding.handle_end(&good(), &luns).unwrap();
        finding.handle_end(&attention, &[]).unwrap();
        for data in [&[][..], &[0; 36], &page, &capacity()] {
            assert!(finding.found().is_none() && finding.request().is_some());
            finding.handle_end(&good(), data).unwrap();
        }
        let size = LunSize { blocks: 100, block_bytes: 512, identifier: vec![6, 1, 2, 3] };
        assert_eq!((finding.found(), finding.request()), (Some(&[(7, size)][..]), None));
    }

    #[test]
    fn a_unit_that_is_not_reported_or_no_disk_is_an_error() {
        let mut finding = Finding::new(&[7]);
        let luns = [&[0, 0, 0, 8, 0, 0, 0, 0, 0, 6][..], &[0; 6]].concat();
        assert!(finding.handle_end(&good(), &luns).unwrap_err().contains("does not report LUN 7"));
        let mut finding = Finding::new(&[]);
        finding.handle_end(&good(), &[0; 8]).unwrap();
        assert_eq!(finding.found(), Some(&[][..]));
        assert_eq!(identifier(&[0, 0x83, 0, 4, 1, 3, 0, 9]), None, "cut short");
    }
}
