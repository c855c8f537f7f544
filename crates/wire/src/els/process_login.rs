//! PRLI and its LS_ACC, with the pages of transport mode and of FCP (reference section 5.2).

use super::fcp_login::FcpLogin;
use super::pages;
use crate::choices;
use crate::error::ParseError;
use crate::fc_header::fc_type;
use halftrack_base::Octets;

/// Octets of a service parameter page.
pub const PAGE_BYTES: usize = 16;
/// Most pages: one for each TYPE would be 256, but two ports need one or two.
pub const PAGES_MAX: usize = 16;

/// A service parameter page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ServicePage {
    /// TYPE that the page is about.
    pub fc_type: u8,
    /// Extension of the TYPE.
    pub type_extension: u8,
    /// Flags: the constants of this type, and the response code.
    pub flags: u8,
    /// Originator's process associator.
    pub originator_associator: u32,
    /// Responder's process associator.
    pub responder_associator: u32,
    /// Service parameters, by TYPE.
    pub parameters: u32,
}

impl ServicePage {
    /// Flag: an image pair is to be established, or was.
    pub const IMAGE_PAIR: u8 = 0x20;
    /// Response code: the request was executed.
    pub const EXECUTED: u8 = 0x01;
    /// Response code: the configuration of the port forbids the image pair.
    pub const FORBIDDEN: u8 = 0x05;
    /// Response code: the TYPE is not supported.
    pub const NOT_SUPPORTED: u8 = 0x08;

    /// Makes the page that offers transport mode.
    #[must_use]
    pub const fn sb(login: SbLogin) -> Self {
        Self::of_type(fc_type::SB_CHANNEL, login.parameters())
    }

    /// Makes the page that offers FCP.
    #[must_use]
    pub const fn fcp(login: FcpLogin) -> Self {
        Self::of_type(fc_type::FCP, login.0)
    }

    const fn of_type(fc_type: u8, parameters: u32) -> Self {
        Self {
            fc_type,
            type_extension: 0,
            flags: Self::IMAGE_PAIR,
            originator_associator: 0,
            responder_associator: 0,
            parameters,
        }
    }

    /// Returns the same page as an answer.
    #[must_use]
    pub const fn with_response(self, code: u8) -> Self {
        Self { flags: self.flags & 0xF0 | code & 0x0F, ..self }
    }

    /// Returns the same page as an answer that establishes no image pair.
    #[must_use]
    pub const fn refused(self, code: u8) -> Self {
        let page = self.with_response(code);
        Self { flags: page.flags & !Self::IMAGE_PAIR, ..page }
    }

    /// Returns the response code of an LS_ACC, 4 bits.
    #[must_use]
    pub const fn response(&self) -> u8 {
        self.flags & 0x0F
    }

    /// Returns the service parameters of FCP, when it is of that TYPE.
    #[must_use]
    pub const fn fcp_login(&self) -> Option<FcpLogin> {
        if self.fc_type == fc_type::FCP { Some(FcpLogin(self.parameters)) } else { None }
    }

    /// Returns what the page says of transport mode, when it is of that TYPE.
    #[must_use]
    pub const fn sb_login(&self) -> Option<SbLogin> {
        if self.fc_type == fc_type::SB_CHANNEL {
            Some(SbLogin::from_parameters(self.parameters))
        } else {
            None
        }
    }
}

/// Service parameters of SB: what the sides agree on for transport mode. Where the fields stand is a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SbLogin {
    /// Buffer for the data of a write that follow the command at once, units of 4 KiB; 0 when none may.
    pub first_transfer_4k: u16,
    /// Longest time that the control unit may take to begin an operation, seconds.
    pub initiation_delay_s: u8,
    /// Flags: the constants of this type.
    pub flags: u8,
}

impl SbLogin {
    /// Transport mode.
    pub const TRANSPORT_MODE: u8 = choices::PRLI_TRANSPORT_MODE;
    /// The first transfer-ready of a write is left out.
    pub const FIRST_TRANSFER_READY_DISABLED: u8 = choices::PRLI_FIRST_TRANSFER_READY_DISABLED;
    /// Bidirectional operations.
    pub const BIDIRECTIONAL: u8 = choices::PRLI_BIDIRECTIONAL;

    /// Returns whether all bits of `flags` are on.
    #[must_use]
    pub const fn has(self, flags: u8) -> bool {
        self.flags & flags == flags
    }

    /// Returns the octets of a write that may follow the command at once; 0 when none may.
    #[must_use]
    pub const fn first_transfer_bytes(self) -> u32 {
        if self.has(Self::FIRST_TRANSFER_READY_DISABLED) { self.first_transfer_4k as u32 * 4096 } else { 0 }
    }

    const fn parameters(self) -> u32 {
        (self.first_transfer_4k as u32) << 16 | (self.initiation_delay_s as u32) << 8 | self.flags as u32
    }

    const fn from_parameters(word: u32) -> Self {
        Self {
            first_transfer_4k: (word >> 16) as u16,
            initiation_delay_s: (word >> 8) as u8,
            flags: word as u8,
        }
    }
}

/// PRLI or its LS_ACC: at most 16 pages.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProcessLogin {
    /// The pages; those beyond [`PAGES_MAX`] are not sent.
    pub pages: Vec<ServicePage>,
}

impl ProcessLogin {
    /// Makes a list of one page.
    #[must_use]
    pub fn new(page: ServicePage) -> Self {
        Self { pages: vec![page] }
    }

    /// Returns what the first SB page says of transport mode.
    #[must_use]
    pub fn sb_login(&self) -> Option<SbLogin> {
        self.pages.iter().find_map(ServicePage::sb_login)
    }

    pub(super) fn parse(head: [u8; 4], octets: &mut Octets<'_>) -> Result<Self, ParseError> {
        let pages = pages::count(head, PAGE_BYTES, PAGES_MAX)?;
        let mut login = Self { pages: Vec::with_capacity(pages) };
        for _ in 0..pages {
            let head: [u8; 4] = octets.array()?;
            login.pages.push(ServicePage {
                fc_type: head[0],
                type_extension: head[1],
                flags: head[2],
                originator_associator: octets.word()?,
                responder_associator: octets.word()?,
                parameters: octets.word()?,
            });
        }
        Ok(login)
    }

    pub(super) fn emit(&self, into: &mut Vec<u8>) {
        let pages = self.pages.iter().take(PAGES_MAX);
        pages::announce(pages.len(), PAGE_BYTES, into);
        for page in pages {
            into.extend_from_slice(&[page.fc_type, page.type_extension, page.flags, 0]);
            for word in [page.originator_associator, page.responder_associator, page.parameters] {
                into.extend_from_slice(&word.to_be_bytes());
            }
        }
    }
}
