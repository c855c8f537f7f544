//! From CCW to CCW: fetching, transfer in channel, and the rules that a CCW has to keep (reference 2.2).

use crate::ccw::{CCW_BYTES, Ccw, CcwFlags, CcwFormat};
use crate::command::CommandClass;
use crate::interpreter::control_check;
use crate::observer::Observer;
use crate::orb::OrbFlags;
use crate::status::SubchannelStatus;
use crate::storage::Storage;

/// CCWs that one start or resume fetches; the next one ends as a channel-control check. Not in the architecture,
/// which lets a program loop for ever; our choice.
pub const CCWS_MAXIMUM: u32 = 1 << 20;
/// Transfers in channel to lower addresses without any data moved between them; the next one ends as a program
/// check. Not in the architecture; our choice.
pub const BACKWARD_TRANSFERS_MAXIMUM: u16 = 255;

const PROGRAM_CHECK: SubchannelStatus = SubchannelStatus::PROGRAM_CHECK;

/// How a CCW comes to be fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reached {
    /// By start subchannel.
    Start,
    /// By command chaining, or by resume subchannel.
    CommandChaining,
    /// By data chaining.
    DataChaining,
}

/// The place of a channel program.
#[derive(Debug, Clone)]
pub(crate) struct CcwWalk {
    format: CcwFormat,
    key: u8,
    allowed: OrbFlags,
    next: u32,
    current: u32,
    left: u32,
    backward_transfers: u16,
    is_interrupting: bool,
}

impl CcwWalk {
    pub(crate) const fn new(format: CcwFormat, key: u8, allowed: OrbFlags, address: u32, limit: u32) -> Self {
        Self {
            format,
            key,
            allowed,
            next: address,
            current: address,
            left: limit,
            backward_transfers: 0,
            is_interrupting: false,
        }
    }

    /// Key of the program.
    pub(crate) const fn key(&self) -> u8 {
        self.key
    }

    /// Address of the CCW fetched last.
    pub(crate) const fn address(&self) -> u32 {
        self.current
    }

    /// What the status word says of the place: the address of the last CCW used and 8.
    pub(crate) const fn address_after(&self) -> u32 {
        self.current.wrapping_add(CCW_BYTES as u32)
    }

    /// The first address that a CCW of this format, its data or its list cannot have.
    pub(crate) const fn address_limit(&self) -> u64 {
        match self.format {
            CcwFormat::Zero => 1 << 24,
            CcwFormat::One => 1 << 31,
        }
    }

    /// Passes over the next CCW.
    pub(crate) const fn skip(&mut self) {
        self.next = self.next.wrapping_add(CCW_BYTES as u32);
    }

    /// Goes back to the CCW fetched last, to fetch it again with `limit` CCWs to go.
    pub(crate) const fn go_back(&mut self, limit: u32) {
        self.next = self.current;
        self.left = limit;
    }

    /// Data have moved since the last transfer in channel.
    #[inline]
    pub(crate) const fn note_data(&mut self) {
        self.backward_transfers = 0;
    }

    /// Whether a CCW with program-controlled interruption has been fetched since the last call.
    pub(crate) const fn take_interruption(&mut self) -> bool {
        std::mem::replace(&mut self.is_interrupting, false)
    }

    /// Fetches the next CCW that is not a transfer in channel.
    ///
    /// # Errors
    /// The subchannel status of the ending.
    #[inline]
    pub(crate) fn fetch(
        &mut self,
        storage: &mut impl Storage,
        observer: &mut impl Observer,
        reached: Reached,
    ) -> Result<Ccw, SubchannelStatus> {
        let mut ccw = self.fetch_one(storage, observer)?;
        if ccw.is_transfer_in_channel() {
            if reached == Reached::Start {
                return Err(PROGRAM_CHECK);
            }
            self.transfer(&ccw)?;
            ccw = self.fetch_one(storage, observer)?;
            if ccw.is_transfer_in_channel() {
                return Err(PROGRAM_CHECK);
            }
        }
        self.check(&ccw, reached)?;
        let interrupts = CcwFlags::PROGRAM_CONTROLLED_INTERRUPTION;
        self.is_interrupting |= ccw.flags.contains(interrupts) && !ccw.flags.contains(CcwFlags::SUSPEND);
        Ok(ccw)
    }

    #[inline]
    fn fetch_one(
        &mut self,
        storage: &mut impl Storage,
        observer: &mut impl Observer,
    ) -> Result<Ccw, SubchannelStatus> {
        self.current = self.next;
        if u64::from(self.current) >= self.address_limit() {
            return Err(PROGRAM_CHECK);
        }
        self.left = self.left.checked_sub(1).ok_or(SubchannelStatus::CHANNEL_CONTROL_CHECK)?;
        let octets = storage.fetch_array::<CCW_BYTES>(u64::from(self.current), self.key);
        let octets = octets.map_err(control_check)?;
        let ccw = Ccw::parse(&octets, self.format).map_err(|_| PROGRAM_CHECK)?;
        observer.ccw(self.current, &ccw);
        self.next = self.current + CCW_BYTES as u32;
        Ok(ccw)
    }

    fn transfer(&mut self, ccw: &Ccw) -> Result<(), SubchannelStatus> {
        if ccw.address <= self.current {
            self.backward_transfers += 1;
            if self.backward_transfers > BACKWARD_TRANSFERS_MAXIMUM {
                return Err(PROGRAM_CHECK);
            }
        }
        self.next = ccw.address;
        Ok(())
    }

    /// The rules that depend on the ORB and on how the CCW was reached; [`Ccw::parse`] has checked the others.
    #[inline]
    fn check(&self, ccw: &Ccw, reached: Reached) -> Result<(), SubchannelStatus> {
        let flags = ccw.flags;
        let chains_data = flags.contains(CcwFlags::CHAIN_DATA);
        let in_data_chain = reached == Reached::DataChaining;
        let is_no_command = !in_data_chain && ccw.class() == CommandClass::Invalid;
        let is_empty_in_chain = ccw.count == 0 && (in_data_chain || chains_data);
        let may_suspend = self.allowed.contains(OrbFlags::SUSPEND) && !chains_data && !in_data_chain;
        let other_area = flags.0 & (CcwFlags::INDIRECT | CcwFlags::SKIP).0 != 0;
        let may_modify = self.allowed.contains(OrbFlags::MIDAWS) && !other_area;
        let is_wrong = is_no_command
            || is_empty_in_chain
            || flags.contains(CcwFlags::SUSPEND) && !may_suspend
            || flags.contains(CcwFlags::MODIFIED_INDIRECT) && !may_modify;
        if is_wrong { Err(PROGRAM_CHECK) } else { Ok(()) }
    }
}
