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

    /// Returns the key of the program.
    pub(crate) const fn key(&self) -> u8 {
        self.key
    }

    /// Address of the CCW fetched last.
    pub(crate) const fn address(&self) -> u32 {
        self.current
    }

    /// Returns the address for the status word: that of the last CCW used and 8.
    pub(crate) const fn address_after(&self) -> u32 {
        self.current.wrapping_add(CCW_BYTES as u32)
    }

    /// Returns the first address that a CCW of this format, its data or its list cannot have.
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

    /// Notes that data have moved since the last transfer in channel.
    #[inline]
    pub(crate) const fn note_data(&mut self) {
        self.backward_transfers = 0;
    }

    /// Returns whether a CCW with program-controlled interruption has been fetched since the last call.
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

    /// Returns the rules that depend on the ORB and on how the CCW was reached; [`Ccw::parse`] has checked the others.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::main_storage::StorageKey;
    use crate::rig::{Answer, PROGRAM, Rig, ccw, status_of};

    const CC: u8 = 0x40;
    const CD: u8 = 0x80;
    const READ: u8 = 0x06;
    const NOP: u8 = 0x03;
    const TIC: u8 = 0x08;

    #[test]
    fn a_chain_runs_in_both_formats() {
        for format in [CcwFormat::Zero, CcwFormat::One] {
            let mut rig = Rig::with([Answer::Takes(16), Answer::Gives(vec![7; 80])]);
            rig.ccw_format = format;
            rig.put(0x3000, &[9; 16]);
            let scsw = rig.run(&[ccw(0x47, CC, 16, 0x3000), ccw(READ, 0, 80, 0x2000)]);
            assert_eq!(status_of(&scsw), (0x0C, 0, 0, PROGRAM + 16), "{format:?}");
            assert_eq!(scsw.controls.to_bits(), 0x4007);
            assert_eq!(rig.at(0x2000, 81), [[7; 80].as_slice(), &[0]].concat());
            assert_eq!(rig.device.commands, [(0x47, vec![9; 16]), (READ, vec![])]);
            assert_eq!(rig.device.chains_ended, 1);
        }
    }

    #[test]
    fn a_transfer_in_channel_is_followed() {
        let mut rig = Rig::new();
        rig.put_ccws(0x1800, &[ccw(READ, 0, 4096, 0x2000)]);
        let scsw = rig.run(&[ccw(NOP, CC | 0x20, 1, 0), ccw(TIC, 0, 0, 0x1800)]);
        assert_eq!(status_of(&scsw), (0x0C, 0, 0, 0x1808));
    }

    #[test]
    fn a_status_modifier_skips_a_ccw() {
        let mut rig = Rig::with([Answer::Presents(0x4C, None)]);
        let search = ccw(0x31, CC | 0x20, 5, 0x3000);
        let scsw = rig.run(&[search, ccw(TIC, 0, 0, PROGRAM), ccw(READ, 0, 4096, 0x2000)]);
        assert_eq!(status_of(&scsw), (0x0C, 0, 0, PROGRAM + 24));
        let codes: Vec<_> = rig.device.commands.iter().map(|(command, _)| *command).collect();
        assert_eq!(codes, [0x31, READ]);
    }

    /// Returns the subchannel status and CCW address of a program in format 1 that ends before the device acts.
    fn check_of(rig: &mut Rig, ccws: &[Ccw]) -> (u8, u32) {
        let scsw = rig.run(ccws);
        assert_eq!(scsw.controls.to_bits(), 0x4017, "primary, secondary, alert");
        (scsw.subchannel_status.0, scsw.ccw_address)
    }

    #[test]
    fn wrong_sequences_are_program_checks() {
        let first = [ccw(TIC, 0, 0, PROGRAM)];
        assert_eq!(check_of(&mut Rig::new(), &first), (0x20, PROGRAM + 8), "first CCW");
        let twice = [ccw(NOP, CC | 0x20, 1, 0), ccw(TIC, 0, 0, PROGRAM + 16), ccw(TIC, 0, 0, PROGRAM)];
        assert_eq!(check_of(&mut Rig::new(), &twice), (0x20, PROGRAM + 24), "to another one");
        let outside = [ccw(NOP, CC | 0x20, 1, 0), ccw(TIC, 0, 0, 0x0100_0000)];
        assert_eq!(check_of(&mut Rig::new(), &outside), (0x20, 0x0100_0008), "outside storage");
        let odd = [ccw(NOP, CC | 0x20, 1, 0), ccw(TIC, 0, 0, 0x1804)];
        assert_eq!(check_of(&mut Rig::new(), &odd), (0x20, PROGRAM + 16), "off its boundary");
    }

    #[test]
    fn wrong_ccws_are_program_checks() {
        for (what, bad) in [
            ("no command", ccw(0x40, 0, 1, 0x2000)),
            ("bit 0 of the address", ccw(READ, 0, 1, 0x8000_2000)),
            ("no count in a data chain", ccw(READ, CD, 0, 0x2000)),
            ("suspension not allowed", ccw(READ, 0x02, 1, 0x2000)),
            ("MIDAWs not allowed", ccw(READ, 0x01, 1, 0x2000)),
        ] {
            let mut rig = Rig::new();
            assert_eq!(check_of(&mut rig, &[bad]), (0x20, PROGRAM + 8), "{what}");
            assert_eq!((rig.device.commands.len(), rig.device.chains_ended), (0, 1), "{what}");
        }
        let mut rig = Rig::new();
        rig.flags = OrbFlags::SUSPEND | OrbFlags::MIDAWS;
        for flags in [0x02 | CD, 0x01 | 0x04, 0x01 | 0x10] {
            assert_eq!(check_of(&mut rig, &[ccw(READ, flags, 1, 0x2000)]), (0x20, PROGRAM + 8));
        }
        rig.ccw_format = CcwFormat::Zero;
        assert_eq!(check_of(&mut rig, &[ccw(READ, 0, 0, 0x2000)]), (0x20, PROGRAM + 8), "no count");
    }

    #[test]
    fn a_check_after_a_command_keeps_its_status() {
        let mut rig = Rig::new();
        let scsw = rig.run(&[ccw(READ, CC, 4096, 0x2000), ccw(0x40, 0, 1, 0x2000)]);
        assert_eq!(status_of(&scsw), (0x0C, 0x20, 0, PROGRAM + 16));
    }

    #[test]
    fn under_data_chaining_the_command_byte_says_nothing() {
        let mut rig = Rig::with([Answer::Gives(vec![5; 6])]);
        let scsw = rig.run(&[ccw(READ, CD, 4, 0x2000), ccw(0x40, 0, 2, 0x3000)]);
        assert_eq!(status_of(&scsw), (0x0C, 0, 0, PROGRAM + 16));
        assert_eq!((rig.at(0x2000, 5), rig.at(0x3000, 3)), (&[5, 5, 5, 5, 0][..], &[5, 5, 0][..]));
        for bad in [ccw(0, 0, 0, 0x3000), ccw(0, 0x02, 2, 0x3000)] {
            let mut rig = Rig::new();
            rig.flags = OrbFlags::SUSPEND;
            let scsw = rig.run(&[ccw(READ, CD, 4, 0x2000), bad]);
            assert_eq!(status_of(&scsw), (0x0C, 0x20, 0, PROGRAM + 16), "{bad:?}");
        }
    }

    #[test]
    fn a_protected_program_is_a_protection_check() {
        let mut rig = Rig::new();
        rig.key = 3;
        rig.storage.set_key(u64::from(PROGRAM), StorageKey::new(4, true)).unwrap();
        assert_eq!(check_of(&mut rig, &[ccw(READ, 0, 1, 0x2000)]), (0x10, PROGRAM + 8));
    }

    #[test]
    fn a_program_beyond_24_bits_is_none_in_format_0() {
        let mut walk = CcwWalk::new(CcwFormat::Zero, 0, OrbFlags(0), 0x00FF_FFF8, 9);
        walk.skip();
        let mut storage = crate::main_storage::MainStorage::new(4096);
        let status = walk.fetch(&mut storage, &mut (), Reached::CommandChaining).unwrap_err();
        assert_eq!((status, walk.address_after()), (PROGRAM_CHECK, 0x0100_0008));
    }

    #[test]
    fn a_loop_without_data_is_a_program_check() {
        let mut rig = Rig::new();
        let scsw = rig.run(&[ccw(NOP, CC | 0x20, 1, 0), ccw(TIC, 0, 0, PROGRAM)]);
        assert_eq!(status_of(&scsw), (0x0C, 0x20, 0, PROGRAM + 16));
        assert_eq!(rig.device.commands.len(), usize::from(BACKWARD_TRANSFERS_MAXIMUM) + 1);
    }

    #[test]
    fn a_loop_with_data_is_stopped_by_the_limit() {
        let mut rig = Rig::new();
        rig.subchannel.set_ccw_limit(2001);
        let scsw = rig.run(&[ccw(READ, CC, 4096, 0x2000), ccw(TIC, 0, 0, PROGRAM)]);
        assert_eq!(status_of(&scsw), (0x0C, 0x04, 0, PROGRAM + 16));
        assert_eq!(rig.device.commands.len(), 1001);
    }
}
