//! Cards of a study in their domains and fanouts, and the ports that these places give them.

use halftrack_catalog::Cpc;

/// PCHIDs of a slot are as many as the ports of its card, and at least four; the first slot begins at 100 (hexadecimal).
const FIRST_PCHID: usize = 0x100;
const PCHIDS_PER_SLOT: usize = 4;
/// Three hexadecimal digits.
pub const LAST_PCHID: usize = 0xFFF;

/// A channel card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// Domain that it is in, where the machine has domains.
    pub domain: Option<usize>,
    /// Its channels, in the order of its ports.
    pub channels: Vec<usize>,
    /// PCHID of its first port.
    pub pchid: usize,
}

/// Domains and fanouts that so many cards need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interconnects {
    /// Cards that a domain has places for.
    places: usize,
    /// Domains, 0 where the machine has none.
    pub domains: usize,
    /// Domains of a fanout; `None` where the machine has no fanouts.
    pub per_fanout: Option<usize>,
}

impl Interconnects {
    /// Creates the interconnects that `cards` cards need in `cpc`.
    pub fn new(cpc: &Cpc, cards: usize) -> Self {
        let Some(domain) = &cpc.processor.domain else {
            return Self { places: cards, domains: 0, per_fanout: None };
        };
        let places = domain.cards.value as usize;
        let Some(fanout) = &cpc.processor.fanout else {
            return Self { places, domains: cards.div_ceil(places), per_fanout: None };
        };
        let domains = fanout.domains.value as usize;
        let fanouts = cards.div_ceil((fanout.cards.value as usize).min(places * domains));
        Self { places, domains: fanouts * domains, per_fanout: Some(domains) }
    }

    /// Fanouts.
    pub fn fanouts(&self) -> usize {
        self.per_fanout.map_or(0, |domains| self.domains / domains)
    }

    /// Returns the fanout of `domain`.
    pub fn fanout_of(&self, domain: usize) -> Option<usize> {
        self.per_fanout.map(|domains| domain / domains)
    }

    /// Returns the domain that stands by for `domain`: the next of its fanout.
    pub fn standby_of(&self, domain: usize) -> Option<usize> {
        let domains = self.per_fanout.filter(|domains| *domains > 1)?;
        Some(domain / domains * domains + (domain + 1) % domains)
    }

    /// Returns cards with `ports` ports for the channels in `order`. They are dealt to the domains one by one, so that
    /// the paths of a control unit are in as many of them as can be.
    pub fn plug(&self, order: &[usize], ports: usize) -> Vec<Card> {
        let per_slot = ports.next_multiple_of(PCHIDS_PER_SLOT);
        let card = |(at, channels): (usize, &[usize])| {
            let domain = (self.domains > 0).then(|| at % self.domains);
            let slot = domain.map_or(at, |domain| domain * self.places + at / self.domains);
            Card { domain, channels: channels.to_vec(), pchid: FIRST_PCHID + slot * per_slot }
        };
        order.chunks(ports).enumerate().map(card).collect()
    }
}
