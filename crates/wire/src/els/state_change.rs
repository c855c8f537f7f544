//! SCR and RSCN: registration for changes, and the changes (FC-LS).

use super::pages;
use crate::error::ParseError;
use halftrack_base::Octets;

/// Octets of a page of an RSCN.
const PAGE_BYTES: usize = 4;
/// Most pages of an RSCN: FC-LS gives the payload at most 1024 octets.
pub const PAGES_MAX: usize = 255;

/// SCR: changes that a port registers for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Registration {
    /// Changes that the fabric detects.
    Fabric,
    /// Changes that ports report.
    Port,
    /// Both.
    Full,
    /// None any more.
    Clear,
}

impl Registration {
    const ALL: [(Self, u8); 4] = [(Self::Fabric, 1), (Self::Port, 2), (Self::Full, 3), (Self::Clear, 0xFF)];

    pub(super) fn parse(octets: &mut Octets<'_>) -> Result<Self, ParseError> {
        let code = octets.array::<4>()?[3];
        let found = Self::ALL.into_iter().find(|entry| entry.1 == code).map(|entry| entry.0);
        found.ok_or(ParseError::Field { field: "registration function", value: u32::from(code) })
    }

    pub(super) fn emit(self, into: &mut Vec<u8>) {
        into.extend_from_slice(&[0, 0, 0, Self::ALL[self as usize].1]);
    }
}

/// A page of an RSCN: what changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ChangedArea {
    /// How much changed: 0 the port, 1 the area, 2 the domain, 3 the fabric.
    pub format: u8,
    /// Event qualifier, 4 bits; 0 without details.
    pub qualifier: u8,
    /// Address, 24 bits; those parts that the format leaves out are 0.
    pub address: u32,
}

impl ChangedArea {
    /// Format: one port.
    pub const PORT: u8 = 0;
    /// Format: all ports of an area.
    pub const AREA: u8 = 1;
    /// Format: all ports of a domain.
    pub const DOMAIN: u8 = 2;
    /// Format: the whole fabric.
    pub const FABRIC: u8 = 3;

    /// Event qualifier: what the address stood for is gone (FC-LS: removed object).
    pub const REMOVED: u8 = 5;

    /// Makes the page of one changed port.
    #[must_use]
    pub const fn port(address: u32) -> Self {
        Self { format: Self::PORT, qualifier: 0, address }
    }

    /// Makes the page of one port that is gone.
    #[must_use]
    pub const fn removed_port(address: u32) -> Self {
        Self { format: Self::PORT, qualifier: Self::REMOVED, address }
    }

    /// Returns true when the port with this address is in what changed.
    #[must_use]
    pub const fn covers(&self, address: u32) -> bool {
        match self.format & 0x03 {
            Self::PORT => self.address == address,
            Self::AREA => self.address >> 8 == address >> 8,
            Self::DOMAIN => self.address >> 16 == address >> 16,
            _ => true,
        }
    }
}

/// RSCN: what changed. At least one page; those beyond 255 are not sent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StateChange {
    /// The pages.
    pub pages: Vec<ChangedArea>,
}

impl StateChange {
    /// Makes the notification of one changed port.
    #[must_use]
    pub fn port(address: u32) -> Self {
        Self { pages: vec![ChangedArea::port(address)] }
    }

    pub(super) fn parse(head: [u8; 4], octets: &mut Octets<'_>) -> Result<Self, ParseError> {
        let pages = pages::count(head, PAGE_BYTES, PAGES_MAX)?;
        let mut change = Self { pages: Vec::with_capacity(pages) };
        for _ in 0..pages {
            let word = octets.word()?;
            change.pages.push(ChangedArea {
                format: (word >> 24) as u8 & 0x03,
                qualifier: (word >> 26) as u8 & 0x0F,
                address: word & 0x00FF_FFFF,
            });
        }
        Ok(change)
    }

    pub(super) fn emit(&self, into: &mut Vec<u8>) {
        let pages = self.pages.iter().take(PAGES_MAX);
        pages::announce(pages.len(), PAGE_BYTES, into);
        for page in pages {
            let event = (page.qualifier & 0x0F) << 2 | page.format & 0x03;
            into.extend_from_slice(&(u32::from(event) << 24 | page.address & 0x00FF_FFFF).to_be_bytes());
        }
    }
}
