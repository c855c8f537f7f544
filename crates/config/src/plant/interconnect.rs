//! Interconnects that the cards of a plant share on their way to memory: domains and fanouts.

use halftrack_input::{Expect, Fields, Located};

use crate::cpc_name::CpcName;
use crate::plant::cpcs::{Cpc, read_owner};
use crate::unique::check_unique;

/// One `[[domain]]`: an I/O interconnect and the cards behind it.
#[derive(Debug, Clone)]
pub struct Domain {
    /// The CPC that it is in.
    pub cpc: CpcName,
    /// Name.
    pub name: Located<String>,
    /// The fanout that the interconnect is on.
    pub fanout: Option<Located<String>>,
    /// The domain whose interconnect takes over when this one's is lost.
    pub standby: Option<Located<String>>,
}

/// One `[[fanout]]`.
#[derive(Debug, Clone)]
pub struct Fanout {
    /// The CPC that it is in.
    pub cpc: CpcName,
    /// Name.
    pub name: Located<String>,
    /// The slot of the machine that it is in, from 1; any free one by default.
    pub slot: Option<Located<u16>>,
}

/// Returns the name of a domain or fanout.
pub(crate) fn interconnect_name() -> Expect<'static, String> {
    Expect::parsed("a name of 1 to 8 characters A-Z and 0-9", |text| {
        let fits = (1..=8).contains(&text.len());
        let known = text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
        (fits && known).then(|| text.to_owned())
    })
}

pub(super) fn read_domains(fields: &mut Fields<'_>, cpcs: &[Cpc]) -> Vec<Domain> {
    let domains = fields.tables("domain", |domain| {
        let cpc = read_owner(domain, cpcs);
        let name = domain.required("name", interconnect_name());
        let fanout = domain.optional("fanout", interconnect_name());
        let standby = domain.optional("standby", interconnect_name());
        Some(Domain { cpc: cpc?, name: name?, fanout, standby })
    });
    check_unique(fields, "domain", domains.iter().map(|domain| domain.name.clone()));
    domains
}

pub(super) fn read_fanouts(fields: &mut Fields<'_>, cpcs: &[Cpc]) -> Vec<Fanout> {
    let fanouts = fields.tables("fanout", |fanout| {
        let cpc = read_owner(fanout, cpcs);
        let name = fanout.required("name", interconnect_name());
        let slot = fanout.optional("slot", Expect::integer(1..=1024));
        Some(Fanout { cpc: cpc?, name: name?, slot })
    });
    check_unique(fields, "fanout", fanouts.iter().map(|fanout| fanout.name.clone()));
    fanouts
}
