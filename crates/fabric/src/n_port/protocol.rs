//! FC-4 protocol of a port: a channel is of FICON or of FCP, and so is a port of a control unit.

use halftrack_wire::els::{FcpLogin, ProcessLogin, SbLogin, ServicePage};

/// FC-4 protocol of a port, with the service parameters that it offers in PRLI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PortProtocol {
    /// FICON, with a page of transport mode; none: command mode only.
    Ficon(Option<SbLogin>),
    /// FCP.
    Fcp(FcpLogin),
}

impl PortProtocol {
    /// Returns the page of transport mode.
    #[must_use]
    pub const fn transport(self) -> Option<SbLogin> {
        match self {
            Self::Ficon(transport) => transport,
            Self::Fcp(_) => None,
        }
    }

    /// Returns whether the port is one of FCP.
    #[must_use]
    pub const fn is_fcp(self) -> bool {
        matches!(self, Self::Fcp(_))
    }

    /// Returns whether the port takes a PRLI.
    #[must_use]
    pub const fn takes_process_login(self) -> bool {
        !matches!(self, Self::Ficon(None))
    }

    /// Returns the page that the port offers.
    pub(super) const fn page(self) -> Option<ServicePage> {
        match self {
            Self::Ficon(None) => None,
            Self::Ficon(Some(transport)) => Some(ServicePage::sb(transport)),
            Self::Fcp(login) => Some(ServicePage::fcp(login)),
        }
    }

    /// Returns whether a page is of this protocol.
    pub(super) const fn has_type_of(self, page: &ServicePage) -> bool {
        if self.is_fcp() { page.fcp_login().is_some() } else { page.sb_login().is_some() }
    }

    /// Returns whether a page is of the protocol that this port is not.
    const fn forbids(self, page: &ServicePage) -> bool {
        if self.is_fcp() { page.sb_login().is_some() } else { page.fcp_login().is_some() }
    }

    /// Returns the answer of a control unit's port to a PRLI, page by page: a page of the other protocol is refused by
    /// configuration. None when it answers none of them.
    pub(super) fn answer(self, login: &ProcessLogin) -> Option<ProcessLogin> {
        let own = |page: &ServicePage| self.page().is_some() && self.has_type_of(page);
        let known = |page: &ServicePage| own(page) || self.forbids(page);
        login.pages.iter().any(known).then(|| {
            let answer = |page: &ServicePage| self.answer_page(page);
            ProcessLogin { pages: login.pages.iter().map(answer).collect() }
        })
    }

    fn answer_page(self, page: &ServicePage) -> ServicePage {
        let granted = match self {
            Self::Ficon(Some(own)) => page
                .sb_login()
                .map(|asked| ServicePage::sb(SbLogin { flags: own.flags & asked.flags, ..own })),
            Self::Ficon(None) => None,
            Self::Fcp(own) => page.fcp_login().and_then(|asked| own.granted(asked)).map(ServicePage::fcp),
        };
        let refusal = if self.forbids(page) { ServicePage::FORBIDDEN } else { ServicePage::NOT_SUPPORTED };
        match granted {
            Some(granted) => granted.with_response(ServicePage::EXECUTED),
            None => page.refused(refusal),
        }
    }
}
