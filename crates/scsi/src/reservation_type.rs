//! Types of persistent reservations, and the commands that they forbid (SPC-4, 5.13; SBC-3, 4.17).

use crate::operation::Traits;

/// Type of a persistent reservation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ReservationType {
    /// Only the holder writes.
    WriteExclusive = 1,
    /// Only the holder reads or writes.
    ExclusiveAccess = 3,
    /// Only registrants write.
    WriteExclusiveRegistrantsOnly = 5,
    /// Only registrants read or write.
    ExclusiveAccessRegistrantsOnly = 6,
    /// Only registrants write, and all of them are holders.
    WriteExclusiveAllRegistrants = 7,
    /// Only registrants read or write, and all of them are holders.
    ExclusiveAccessAllRegistrants = 8,
}

impl ReservationType {
    /// Returns the type of scope and type of a CDB, of which only the scope of the whole unit exists.
    pub const fn of_cdb_byte(byte: u8) -> Option<Self> {
        Some(match byte {
            1 => Self::WriteExclusive,
            3 => Self::ExclusiveAccess,
            5 => Self::WriteExclusiveRegistrantsOnly,
            6 => Self::ExclusiveAccessRegistrantsOnly,
            7 => Self::WriteExclusiveAllRegistrants,
            8 => Self::ExclusiveAccessAllRegistrants,
            _ => return None,
        })
    }

    /// Returns whether every registrant is a holder.
    pub const fn is_of_all_registrants(self) -> bool {
        matches!(self, Self::WriteExclusiveAllRegistrants | Self::ExclusiveAccessAllRegistrants)
    }

    /// Returns whether registrants have the access of the holder.
    pub const fn admits_registrants(self) -> bool {
        !matches!(self, Self::WriteExclusive | Self::ExclusiveAccess)
    }

    /// Returns whether it forbids a command to a nexus that does not hold it.
    pub(crate) const fn forbids(self, traits: Traits, is_registered: bool) -> bool {
        let excludes_reads = matches!(
            self,
            Self::ExclusiveAccess
                | Self::ExclusiveAccessRegistrantsOnly
                | Self::ExclusiveAccessAllRegistrants
        );
        let is_admitted = is_registered && self.admits_registrants();
        let reads = traits.contains(Traits::READS) && excludes_reads;
        !is_admitted && (reads || traits.contains(Traits::CHANGES))
    }
}
