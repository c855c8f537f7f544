//! The processor complex's side of a plant: partitions and channel cards.

use std::ops::Range;

use halftrack_fabric::endpoint_security::Policy;
use halftrack_input::messages::toml_file::CHOOSE_ONE;
use halftrack_input::{Expect, Fields, Located};
use halftrack_wire::WorldWideName;

use crate::channel_file::world_wide_name;
use crate::channel_plug::ChannelPlug;
use crate::cpc_name::CpcName;
use crate::identity::ChannelIdentity;
use crate::place::hex;
use crate::plant::cpcs::{Cpc, read_owner};
use crate::plant::interconnect::interconnect_name;
use crate::plant::security::policy;
use crate::plant::speed_setting::SpeedSetting;
use crate::plant::zhyperlink::oper;
use crate::synchronous::Directions;
use crate::unique::check_unique;

/// One `[[lpar]]`.
#[derive(Debug, Clone)]
pub struct Lpar {
    /// Name, as in the deck's RESOURCE.
    pub name: Located<String>,
    /// SMF system id.
    pub smfid: Option<Located<String>>,
    /// Central processors, or IFLs.
    pub cps: Located<u16>,
    /// They are IFLs, each with so many threads: a partition of Linux or z/VM.
    pub ifl_threads: Option<u8>,
    /// `ZHPF=YES` in force.
    pub zhpf: Located<bool>,
    /// `HYPERPAV=YES` in force.
    pub hyperpav: bool,
    /// `ZHYPERLINK,OPER=` in force.
    pub zhyperlink: Directions,
    /// Its systems are guests of z/VM.
    pub guest: bool,
    /// Port names that its FCP subchannels have in place of those made by rule.
    pub port_names: Vec<PortName>,
}

/// One `[[lpar.initiator]]`: the port name of an FCP subchannel.
#[derive(Debug, Clone)]
pub struct PortName {
    /// Device number of the subchannel.
    pub device: Located<u16>,
    /// The name.
    pub name: Located<WorldWideName>,
}

/// One `[[card]]`.
#[derive(Debug, Clone)]
pub struct Card {
    /// The CPC that it is in.
    pub cpc: CpcName,
    /// Catalog id of the card.
    pub kind: Located<String>,
    /// Its ports.
    pub ports: Vec<Located<ChannelIdentity>>,
    /// Speed that its ports are set to.
    pub speed: SpeedSetting,
    /// The domain that it is in.
    pub domain: Option<Located<String>>,
    /// Policy of endpoint security of its ports.
    pub endpoint_security: Option<Located<Policy>>,
    /// The whole table.
    pub span: Range<usize>,
}

impl Card {
    /// Returns its ports among those of all machines.
    pub fn plugs(&self) -> impl Iterator<Item = ChannelPlug> {
        self.ports.iter().map(|port| ChannelPlug { cpc: self.cpc, port: port.value })
    }
}

/// Words for a partition name.
const PARTITION_WORDS: &str = "a partition name of 1 to 8 characters A-Z and 0-9, a letter first";

/// Words for an SMF system id.
const SMFID_WORDS: &str = "a system id of 1 to 4 characters A-Z, 0-9, $, # and @";

/// Returns YES or NO, as IECIOSxx has it.
fn yes_no() -> Expect<'static, bool> {
    Expect::one_of([("YES", true), ("NO", false)])
}

pub(super) fn read_lpars(fields: &mut Fields<'_>) -> Vec<Lpar> {
    let (mut names, mut port_names) = (Vec::new(), Vec::new());
    let lpars = fields.tables("lpar", |lpar| {
        let name = lpar.required("name", Expect::parsed(PARTITION_WORDS, partition));
        names.extend(name.clone());
        let smfid = lpar.optional("smfid", Expect::parsed(SMFID_WORDS, smfid));
        let (cps, ifl_threads) = read_processors(lpar);
        let zhpf = lpar.optional("zhpf", yes_no());
        let hyperpav = lpar.or("hyperpav", yes_no(), false);
        let zhyperlink = lpar.or("zhyperlink", oper(), Directions::default());
        let guest = lpar.or("guest", Expect::flag(), false);
        let zhpf = zhpf.unwrap_or_else(|| Located::new(false, lpar.span()));
        let own = read_port_names(lpar);
        port_names.extend(own.iter().map(|one| one.name.clone()));
        Some(Lpar {
            name: name?,
            smfid,
            cps: cps?,
            ifl_threads,
            zhpf,
            hyperpav,
            zhyperlink,
            guest,
            port_names: own,
        })
    });
    check_unique(fields, "partition", names);
    check_unique(fields, "port name", port_names);
    lpars
}

/// Reads the port names of FCP subchannels.
fn read_port_names(lpar: &mut Fields<'_>) -> Vec<PortName> {
    lpar.tables("initiator", |initiator| {
        let number = |text: &str| hex(text, 4).map(|number| number as u16);
        let words = "a device number of four hexadecimal digits such as \"6000\"";
        let device = initiator.required("device", Expect::parsed(words, number));
        let name = initiator.required("wwpn", world_wide_name());
        Some(PortName { device: device?, name: name? })
    })
}

/// Reads `cps`, or `ifls` with `smt`.
fn read_processors(lpar: &mut Fields<'_>) -> (Option<Located<u16>>, Option<u8>) {
    let smt = lpar.or("smt", Expect::flag(), false);
    let ifls = lpar.optional("ifls", Expect::integer(1..=256));
    if !lpar.has("ifls") {
        if lpar.has("smt") {
            let message = "`smt` is about IFLs, and the partition has none";
            lpar.error(CHOOSE_ONE, lpar.span(), message, "remove `smt`, or give `ifls` in place of `cps`");
        }
        return (lpar.required("cps", Expect::integer(1..=256)), None);
    }
    if lpar.has("cps") {
        let message = "a partition has either `cps` or `ifls`";
        lpar.error(CHOOSE_ONE, lpar.span(), message, "remove one of them");
        lpar.optional("cps", Expect::integer(1..=256));
    }
    (ifls, Some(if smt { 2 } else { 1 }))
}

pub(super) fn read_cards(fields: &mut Fields<'_>, cpcs: &[Cpc]) -> Vec<Card> {
    let cards = fields.tables("card", |card| {
        let cpc = read_owner(card, cpcs);
        let kind = card.required("type", Expect::text());
        let ports = read_ports(card);
        let speed = SpeedSetting::read(card, "link_gbps");
        let domain = card.optional("domain", interconnect_name());
        let endpoint_security = card.optional("endpoint_security", policy());
        let span = card.span();
        Some(Card { cpc: cpc?, kind: kind?, ports: ports?, speed, domain, endpoint_security, span })
    });
    let ports = || cards.iter().flat_map(|card| card.ports.iter().map(|port| (card.cpc, port)));
    for (what, is_pchid) in [("PCHID", true), ("CHPID", false)] {
        let of_kind =
            |(_, port): &(CpcName, &Located<ChannelIdentity>)| port.value.pchid().is_some() == is_pchid;
        check_unique(fields, what, ports().filter(of_kind).map(|(cpc, port)| digits(cpc, port)));
    }
    cards
}

/// Reads `pchids`, or `chpids` on machines without PCHIDs.
fn read_ports(card: &mut Fields<'_>) -> Option<Vec<Located<ChannelIdentity>>> {
    let chpids = card.optional_list("chpids", chpid());
    if !card.has("chpids") {
        return card.list("pchids", pchid());
    }
    let pchids = card.optional_list("pchids", pchid());
    if card.has("pchids") {
        let span = pchids.iter().flatten().next().map_or(card.span(), |first| first.span.clone());
        named_twice(card, span, "the card", "chpids", "pchids");
        return None;
    }
    chpids
}

/// Reports ports that are named by PCHID and by CHPID.
pub(super) fn named_twice(fields: &Fields<'_>, span: Range<usize>, what: &str, one: &str, other: &str) {
    let message = format!("{what} has both `{one}` and `{other}`");
    let fix = format!("keep `{other}`, or on machines older than the z990 `{one}`");
    fields.error(CHOOSE_ONE, span, message, fix);
}

/// Returns the digits of a port of `cpc` as messages show them.
pub(super) fn digits(cpc: CpcName, port: &Located<ChannelIdentity>) -> Located<String> {
    Located::new(format!("{}{}", cpc.prefix(), port.value.digits()), port.span.clone())
}

/// Returns a PCHID of three hexadecimal digits.
pub(super) fn pchid() -> Expect<'static, ChannelIdentity> {
    Expect::parsed("a PCHID of three hexadecimal digits such as \"100\"", |text| {
        hex(text, 3).map(|pchid| ChannelIdentity::Pchid(pchid as u16))
    })
}

/// Returns a CHPID of two hexadecimal digits.
pub(super) fn chpid() -> Expect<'static, ChannelIdentity> {
    Expect::parsed("a CHPID of two hexadecimal digits such as \"40\"", |text| {
        hex(text, 2).map(|chpid| ChannelIdentity::Chpid(chpid as u8))
    })
}

/// Returns an SMF system id (SMFPRMxx, SID).
fn smfid(text: &str) -> Option<String> {
    let known = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || b"$#@".contains(&byte);
    ((1..=4).contains(&text.len()) && text.bytes().all(known)).then(|| text.to_owned())
}

/// Returns a partition name: letters and digits, a letter first (IOCP, RESOURCE).
pub(super) fn partition(text: &str) -> Option<String> {
    let fits = (1..=8).contains(&text.len()) && text.as_bytes()[0].is_ascii_uppercase();
    let known = text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    (fits && known).then(|| text.to_owned())
}
