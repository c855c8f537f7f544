//! The processor complex's side of a plant: partitions and channel cards.

use std::ops::Range;

use halftrack_catalog::{Expect, Fields};
use halftrack_deck::model::Located;

use crate::place::hex;
use crate::plant::interconnect::interconnect_name;
use crate::plant::speed_setting::SpeedSetting;
use crate::unique::check_unique;

/// One `[[lpar]]`.
#[derive(Debug, Clone)]
pub struct Lpar {
    /// Name, as in the deck's RESOURCE.
    pub name: Located<String>,
    /// Central processors.
    pub cps: u16,
    /// `ZHPF=YES` in force.
    pub zhpf: Located<bool>,
    /// `HYPERPAV=YES` in force.
    pub hyperpav: bool,
}

/// One `[[card]]`.
#[derive(Debug, Clone)]
pub struct Card {
    /// Catalog id of the card.
    pub kind: Located<String>,
    /// PCHIDs of its ports.
    pub pchids: Vec<Located<u16>>,
    /// What its ports are set to.
    pub speed: SpeedSetting,
    /// The domain that it is in.
    pub domain: Option<Located<String>>,
    /// The whole table.
    pub span: Range<usize>,
}

/// Words for a partition name.
const PARTITION_WORDS: &str = "a partition name of 1 to 8 characters A-Z and 0-9, a letter first";

/// YES or NO, as IECIOSxx has it.
fn yes_no() -> Expect<'static, bool> {
    Expect::one_of([("YES", true), ("NO", false)])
}

pub(super) fn read_lpars(fields: &mut Fields<'_>) -> Vec<Lpar> {
    let mut names = Vec::new();
    let lpars = fields.tables("lpar", |lpar| {
        let name = lpar.required("name", Expect::parsed(PARTITION_WORDS, partition));
        names.extend(name.clone());
        let cps = lpar.required("cps", Expect::integer(1..=256));
        let zhpf = lpar.optional("zhpf", yes_no());
        let hyperpav = lpar.or("hyperpav", yes_no(), false);
        let zhpf = zhpf.unwrap_or_else(|| Located::new(false, lpar.span()));
        Some(Lpar { name: name?, cps: cps?.value, zhpf, hyperpav })
    });
    check_unique(fields, "partition", names);
    lpars
}

pub(super) fn read_cards(fields: &mut Fields<'_>) -> Vec<Card> {
    let cards = fields.tables("card", |card| {
        let kind = card.required("type", Expect::text());
        let pchids = card.list("pchids", pchid());
        let speed = SpeedSetting::read(card, "link_gbps");
        let domain = card.optional("domain", interconnect_name());
        Some(Card { kind: kind?, pchids: pchids?, speed, domain, span: card.span() })
    });
    let pchids = cards.iter().flat_map(|card| &card.pchids);
    check_unique(fields, "PCHID", pchids.map(pchid_name));
    cards
}

/// A PCHID as messages show it.
pub(super) fn pchid_name(pchid: &Located<u16>) -> Located<String> {
    Located::new(format!("{:03X}", pchid.value), pchid.span.clone())
}

/// A PCHID of three hexadecimal digits.
pub(super) fn pchid() -> Expect<'static, u16> {
    Expect::parsed("a PCHID of three hexadecimal digits such as \"100\"", |text| {
        hex(text, 3).map(|pchid| pchid as u16)
    })
}

/// A partition name: letters and digits, a letter first (IOCP, RESOURCE).
fn partition(text: &str) -> Option<String> {
    let fits = (1..=8).contains(&text.len()) && text.as_bytes()[0].is_ascii_uppercase();
    let known = text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    (fits && known).then(|| text.to_owned())
}
