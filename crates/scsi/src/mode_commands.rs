//! MODE SENSE and MODE SELECT.

use halftrack_base::fields::{u16_at, u32_at};

use crate::command::PageSelection;
use crate::mode_parameters::{ModeParameters, PAGES};
use crate::response::Refusal;
use crate::sense::{Sense, SenseCode};

/// Bytes of a short block descriptor.
const BLOCK_DESCRIPTOR_BYTES: usize = 8;
/// All pages.
const ALL_PAGES: u8 = 0x3F;
/// All subpages.
const ALL_SUBPAGES: u8 = 0xFF;
/// DPO and FUA are accepted, in the device-specific byte.
const FORCE_UNIT_ACCESS: u8 = 0x10;
/// Write protected, in the device-specific byte.
const WRITE_PROTECTED: u8 = 0x80;

/// Mode parameters of a unit with the properties that the header shows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ModePages {
    pub current: ModeParameters,
    pub default: ModeParameters,
    pub is_read_only: bool,
    pub blocks: u64,
    pub block_bytes: u32,
}

impl ModePages {
    /// Returns the data of MODE SENSE: of 10 bytes (`long`) or of 6.
    pub fn sense(&self, long: bool, descriptor: bool, selection: PageSelection) -> Result<Vec<u8>, Refusal> {
        let descriptor = if descriptor { self.block_descriptor().to_vec() } else { Vec::new() };
        let pages = self.pages(selection)?;
        let protected = self.is_read_only || self.current.write_protect;
        let specific = FORCE_UNIT_ACCESS | if protected { WRITE_PROTECTED } else { 0 };
        let behind = descriptor.len() + pages.len();
        let mut data = if long {
            let mut header = vec![0, 0, 0, specific, 0, 0, 0, descriptor.len() as u8];
            header[..2].copy_from_slice(&((behind + 6) as u16).to_be_bytes());
            header
        } else {
            vec![(behind + 3) as u8, 0, specific, descriptor.len() as u8]
        };
        data.extend(descriptor);
        data.extend(pages);
        Ok(data)
    }

    fn pages(&self, selection: PageSelection) -> Result<Vec<u8>, Refusal> {
        let page = |page| match selection.control {
            0 => self.current.page(page),
            1 => ModeParameters::changeable(page),
            _ => self.default.page(page),
        };
        if selection.control == 3 {
            return Err(SenseCode::SAVING_NOT_SUPPORTED.into());
        }
        let is_all = selection.page == ALL_PAGES;
        if selection.subpage != 0 && !(is_all && selection.subpage == ALL_SUBPAGES) {
            return Err(Sense::of_cdb_byte(3).into());
        }
        if is_all {
            return Ok(PAGES.into_iter().filter_map(page).flatten().collect());
        }
        page(selection.page).ok_or_else(|| Sense::of_cdb_byte(2).into())
    }

    fn block_descriptor(&self) -> [u8; BLOCK_DESCRIPTOR_BYTES] {
        let [a, b, c, d] = u32::try_from(self.blocks).unwrap_or(u32::MAX).to_be_bytes();
        let [_, e, f, g] = self.block_bytes.to_be_bytes();
        [a, b, c, d, 0, e, f, g]
    }

    /// Returns the parameters after MODE SELECT of this list, of which nothing is applied when anything is wrong.
    pub fn select(&self, long: bool, list: &[u8]) -> Result<ModeParameters, Refusal> {
        let header = if long { 8 } else { 4 };
        if list.len() < header {
            return Err(SenseCode::PARAMETER_LIST_LENGTH.into());
        }
        let descriptor = if long { u16_at(list, 6).into() } else { usize::from(list[3]) };
        let medium = if long { 2 } else { 1 };
        if list[medium] != 0 {
            return Err(Sense::of_list_byte(medium).into());
        }
        if descriptor != 0 && descriptor != BLOCK_DESCRIPTOR_BYTES || long && list[4] != 0 {
            return Err(Sense::of_list_byte(header - 1).into());
        }
        let mut at = header + descriptor;
        if list.len() < at {
            return Err(SenseCode::PARAMETER_LIST_LENGTH.into());
        }
        if descriptor != 0 {
            self.check_descriptor(&list[header..at], header)?;
        }
        let mut parameters = self.current;
        while at < list.len() {
            at += take_page(&mut parameters, &list[at..], at)?;
        }
        Ok(parameters)
    }

    /// Makes sure that a block descriptor changes neither size nor number of blocks.
    fn check_descriptor(&self, descriptor: &[u8], at: usize) -> Result<(), Refusal> {
        let own = self.block_descriptor();
        let blocks = u32_at(descriptor, 0);
        if blocks != 0 && blocks != u32::MAX && descriptor[..4] != own[..4] {
            return Err(Sense::of_list_byte(at).into());
        }
        if descriptor[5..] != own[5..] {
            return Err(Sense::of_list_byte(at + 5).into());
        }
        Ok(())
    }
}

/// Takes over the page at the begin of `rest`, which is at `at` in the list; returns its bytes.
fn take_page(parameters: &mut ModeParameters, rest: &[u8], at: usize) -> Result<usize, Refusal> {
    // PS is reserved here and ignored; SPF makes it a page of another format, of which there is none.
    let code = rest[0] & 0x7F;
    let own = parameters.page(code).ok_or_else(|| Sense::of_list_byte(at))?;
    let changeable = ModeParameters::changeable(code).ok_or_else(|| Sense::of_list_byte(at))?;
    let length = *rest.get(1).ok_or(SenseCode::PARAMETER_LIST_LENGTH)?;
    if length != own[1] {
        return Err(Sense::of_list_byte(at + 1).into());
    }
    let page = rest.get(..own.len()).ok_or(SenseCode::PARAMETER_LIST_LENGTH)?;
    for (byte, ((given, own), may)) in page.iter().zip(&own).zip(&changeable).enumerate().skip(2) {
        if (given ^ own) & !may != 0 {
            return Err(Sense::of_list_byte(at + byte).into());
        }
    }
    parameters.set_page(page);
    Ok(page.len())
}
