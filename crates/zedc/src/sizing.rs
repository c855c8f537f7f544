//! Sizing: how many cards a load needs, also while the firmware of a resource group is updated.
//!
//! A card is a queue with one server and requests of one length, M/D/1: the wait is `S·ρ / (2·(1 - ρ))` (Pollaczek-Khinchine
//! without variance) for a service time `S` of set-up and data, and a busy share `ρ`, with the load spread evenly over the cards.
//! Requests that choose the card with the fewest octets wait less; long ones that share their card with other partitions end
//! later, since the engine turns to each of them. Cards are busy up to a limit, and what is beyond goes to software.

use crate::card::FUNCTIONS_MAX;
use crate::cpc::{CARDS_MAX, ResourceGroup};

/// Fewest cards that are advised: one is left during an update (workshop of 2015, figure `zedc-recommended-min`).
pub const CARDS_ADVISED_MIN: usize = fewest_that_leave(1);
/// Cards that are advised for availability: one is left when another is lost during an update (figure `zedc-recommended-ha`).
pub const CARDS_ADVISED: usize = fewest_that_leave(2);

/// Speed of a card.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CardSpeed {
    /// Rate of data that are not compressed, MB/s.
    pub mb_per_s: f64,
    /// Time that a request takes besides, µs.
    pub setup_us: f64,
}

/// Work for the cards of a machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Load {
    /// Rate of data that are not compressed, MB/s.
    pub mb_per_s: f64,
    /// Length of a request before compression, bytes.
    pub request_bytes: f64,
    /// Partitions that compress.
    pub partitions: usize,
}

/// Cards at work, and software for what they leave.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Situation {
    /// Cards that work.
    pub cards: usize,
    /// Share of their time that the whole load would take, above 1 when they cannot do it; `None` without a card.
    pub demand: Option<f64>,
    /// Wait of a request at the share that they are busy, µs; `None` without a card.
    pub queue_us: Option<f64>,
    /// Wait and service of it, µs; `None` without a card.
    pub response_us: Option<f64>,
    /// Data that software does, MB/s.
    pub software_mb_per_s: f64,
}

/// Verdict on a number of cards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// They carry the load, during an update too.
    Enough,
    /// They carry it, except during an update.
    ExceptInUpdate,
    /// They do not carry it.
    TooFew,
    /// They have too few functions for one in each resource group for every partition.
    TooFewFunctions,
}

/// Number of cards, and what it does under a load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice {
    /// All cards.
    pub all: Situation,
    /// Cards left while the resource group with the most cards is updated.
    pub update: Situation,
    /// Cards left when one more is lost meanwhile.
    pub update_and_loss: Situation,
    /// Verdict.
    pub verdict: Verdict,
}

/// Cards for a load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sizing {
    /// Speed of each card.
    pub speed: CardSpeed,
    /// Load.
    pub load: Load,
    /// Share of its time that a card may be busy, above 0 and below 1.
    pub busy_limit: f64,
}

impl Sizing {
    /// Returns the service time of a request, µs.
    pub fn service_us(&self) -> f64 {
        self.speed.setup_us + self.load.request_bytes / self.speed.mb_per_s
    }

    /// Returns the rate of a card that is busy all the time with requests of the load, MB/s.
    pub fn card_mb_per_s(&self) -> f64 {
        self.load.request_bytes / self.service_us()
    }

    /// Returns what this many working cards do.
    pub fn situation(&self, cards: usize) -> Situation {
        let capacity_mb_per_s = cards as f64 * self.card_mb_per_s();
        let done_mb_per_s = self.load.mb_per_s.min(capacity_mb_per_s * self.busy_limit);
        let software_mb_per_s = self.load.mb_per_s - done_mb_per_s;
        if cards == 0 {
            return Situation { cards, demand: None, queue_us: None, response_us: None, software_mb_per_s };
        }
        let busy = done_mb_per_s / capacity_mb_per_s;
        let queue_us = self.service_us() * busy / (2.0 * (1.0 - busy));
        Situation {
            cards,
            demand: Some(self.load.mb_per_s / capacity_mb_per_s),
            queue_us: Some(queue_us),
            response_us: Some(queue_us + self.service_us()),
            software_mb_per_s,
        }
    }

    /// Returns what this many cards do, spread evenly over the resource groups.
    pub fn choice(&self, cards: usize) -> Choice {
        let left = left_in_update(cards);
        let (all, update) = (self.situation(cards), self.situation(left));
        let carries = |one: &Situation| one.demand.is_some_and(|demand| demand <= self.busy_limit);
        let verdict = match (carries(&all), carries(&update)) {
            (false, _) => Verdict::TooFew,
            _ if self.load.partitions > partitions_max(cards) => Verdict::TooFewFunctions,
            (true, false) => Verdict::ExceptInUpdate,
            (true, true) => Verdict::Enough,
        };
        Choice { all, update, update_and_loss: self.situation(left.saturating_sub(1)), verdict }
    }

    /// Returns every number of cards that a machine takes, from one on.
    pub fn choices(&self) -> impl Iterator<Item = Choice> + '_ {
        (1..=CARDS_MAX).map(|cards| self.choice(cards))
    }

    /// Returns the fewest cards that carry the load during an update too; `None` when a machine does not take as many.
    pub fn needed(&self) -> Option<Choice> {
        self.choices().find(|choice| choice.verdict == Verdict::Enough)
    }
}

/// Returns how many partitions have a function in each resource group at most; with one card, one at all.
pub const fn partitions_max(cards: usize) -> usize {
    match cards {
        0 => 0,
        1 => FUNCTIONS_MAX,
        _ => left_in_update(cards) * FUNCTIONS_MAX,
    }
}

/// Returns how many cards are left while the resource group that has the most is updated.
const fn left_in_update(cards: usize) -> usize {
    cards - cards.div_ceil(ResourceGroup::ALL.len())
}

/// Returns the fewest cards of which `left` are left in an update.
const fn fewest_that_leave(left: usize) -> usize {
    let mut cards = left;
    while left_in_update(cards) < left {
        cards += 1;
    }
    cards
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PUBLISHED: CardSpeed = CardSpeed { mb_per_s: 1000.0, setup_us: 0.0 };

    fn sizing(mb_per_s: f64) -> Sizing {
        let load = Load { mb_per_s, request_bytes: 1e6, partitions: 1 };
        Sizing { speed: PUBLISHED, load, busy_limit: 0.8 }
    }

    /// Four cards have 4 GB/s, and half of it during an update (workshop of 2015).
    #[test]
    fn four_cards_have_the_published_rates() {
        let all = sizing(4000.0).choice(4);
        assert_eq!((all.all.demand, all.update.cards, all.update.demand), (Some(1.0), 2, Some(2.0)));
        assert_eq!(sizing(2000.0).choice(4).update.demand, Some(1.0));
    }

    #[test]
    fn cards_left_in_an_update_carry_the_load() {
        let needed = |mb_per_s| sizing(mb_per_s).needed().map(|choice| choice.all.cards);
        // One card is left of two, two of four, four of eight; each is to be busy 80 % at most.
        assert_eq!([1.0, 800.0, 801.0, 1600.0, 1601.0, 3200.0].map(needed), [2, 2, 4, 4, 6, 8].map(Some));
        assert_eq!(needed(3201.0), None);
        let verdicts = sizing(1000.0).choices().map(|choice| choice.verdict).collect::<Vec<_>>();
        assert_eq!(
            verdicts[..4],
            [Verdict::TooFew, Verdict::ExceptInUpdate, Verdict::ExceptInUpdate, Verdict::Enough]
        );
    }

    #[test]
    fn one_card_is_never_enough_and_an_odd_one_does_not_help_in_an_update() {
        let one = sizing(1.0).choice(1);
        assert_eq!((one.verdict, one.update.demand), (Verdict::ExceptInUpdate, None));
        assert_eq!(one.update.software_mb_per_s, 1.0);
        assert_eq!(sizing(1000.0).choice(3).update, sizing(1000.0).choice(2).update);
        let lost = |cards| sizing(1.0).choice(cards).update_and_loss.cards;
        assert_eq!([1, 2, 3, 4, 8].map(lost), [0, 0, 0, 1, 3]);
    }

    /// The document advises two at least, and four for availability (workshop of 2015).
    #[test]
    fn the_advised_numbers_leave_one_card_in_an_update_and_one_after_a_loss_in_it() {
        assert_eq!((CARDS_ADVISED_MIN, CARDS_ADVISED), (2, 4));
        let left =
            |cards| (sizing(1.0).choice(cards).update.cards, sizing(1.0).choice(cards).update_and_loss.cards);
        assert_eq!((left(CARDS_ADVISED_MIN).0, left(CARDS_ADVISED_MIN - 1).0), (1, 0));
        assert_eq!((left(CARDS_ADVISED).1, left(CARDS_ADVISED - 1).1), (1, 0));
    }

    #[test]
    fn functions_for_each_group_limit_the_partitions() {
        let verdict = |partitions, cards| {
            let mut one = sizing(1.0);
            one.load.partitions = partitions;
            one.choice(cards).verdict
        };
        assert_eq!(
            [(15, 2), (16, 2), (16, 3), (16, 4), (60, 8), (61, 8)].map(|(p, c)| verdict(p, c)),
            [
                Verdict::Enough,
                Verdict::TooFewFunctions,
                Verdict::TooFewFunctions,
                Verdict::Enough,
                Verdict::Enough,
                Verdict::TooFewFunctions
            ]
        );
    }

    /// At a share of one half, M/D/1 waits half a service time, M/M/1 a whole one.
    #[test]
    fn the_wait_is_that_of_m_d_1() {
        let half = sizing(500.0).situation(1);
        assert_eq!((half.queue_us, half.response_us), (Some(500.0), Some(1500.0)));
    }

    #[test]
    fn set_up_takes_a_share_of_the_rate_of_short_requests() {
        let mut short = sizing(1.0);
        short.speed.setup_us = 8.0;
        short.load.request_bytes = 4000.0;
        assert!((short.card_mb_per_s() - 1000.0 / 3.0).abs() < 1e-9, "{}", short.card_mb_per_s());
    }

    proptest! {
        /// Cards and software do the whole load together, no card is busier than it may be, and more cards leave less.
        #[test]
        fn nothing_of_the_load_is_lost(
            mb_per_s in 0.1..20_000.0_f64,
            request_bytes in 1.0..1_048_576.0_f64,
            setup_us in 0.0..100.0_f64,
            busy_limit in 0.05..0.99_f64,
        ) {
            let speed = CardSpeed { mb_per_s: 1000.0, setup_us };
            let load = Load { mb_per_s, request_bytes, partitions: 1 };
            let sizing = Sizing { speed, load, busy_limit };
            let mut before = f64::INFINITY;
            for cards in 0..=CARDS_MAX {
                let one = sizing.situation(cards);
                let limit_mb_per_s = cards as f64 * sizing.card_mb_per_s() * busy_limit;
                prop_assert!(mb_per_s - one.software_mb_per_s <= limit_mb_per_s * (1.0 + 1e-9));
                prop_assert!((0.0..=mb_per_s).contains(&one.software_mb_per_s));
                prop_assert!(one.software_mb_per_s <= before);
                prop_assert_eq!(cards == 0, one.demand.is_none());
                before = one.software_mb_per_s;
            }
        }
    }
}
