//! The cards of a machine and their resource groups.

use std::fmt;

use halftrack_base::Time;
use thiserror::Error;

use crate::card::Card;

/// Most cards of a machine (zEC12, zBC12, z13).
pub const CARDS_MAX: usize = 8;

/// Card of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CardId(u8);

impl CardId {
    /// Returns the card of a number; none when a machine has no place for it.
    pub const fn new(number: u8) -> Option<Self> {
        if (number as usize) < CARDS_MAX { Some(Self(number)) } else { None }
    }

    /// Returns the number, from 0.
    pub const fn get(self) -> u8 {
        self.0
    }
}

/// Resource group: firmware that manages half of the native adapters, and is updated by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ResourceGroup {
    /// RG1.
    One,
    /// RG2.
    Two,
}

impl ResourceGroup {
    /// Both.
    pub const ALL: [Self; 2] = [Self::One, Self::Two];

    /// Returns the other group.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::One => Self::Two,
            Self::Two => Self::One,
        }
    }
}

impl fmt::Display for ResourceGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::One => "RG1",
            Self::Two => "RG2",
        })
    }
}

/// Why something is not done on a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
pub enum CpcError {
    /// It has as many cards as it can have.
    #[error("a CPC has at most {CARDS_MAX} zEDC Express cards: a ninth is not installed")]
    TooManyCards,
    /// Firmware is updated already: one resource group at a time.
    #[error("the firmware of {0} is updated: that of another resource group waits until it is done")]
    UpdateInProgress(ResourceGroup),
}

/// Cards of a machine.
#[derive(Debug, Default)]
pub struct Cpc {
    cards: Vec<Card>,
    update: Option<ResourceGroup>,
}

impl Cpc {
    /// Installs a card.
    ///
    /// # Errors
    /// [`CpcError::TooManyCards`].
    pub fn install(&mut self, group: ResourceGroup, now: Time) -> Result<CardId, CpcError> {
        if self.cards.len() == CARDS_MAX {
            return Err(CpcError::TooManyCards);
        }
        let mut card = Card::new(group);
        if self.update == Some(group) {
            card.begin_update(now);
        }
        self.cards.push(card);
        Ok(CardId(self.cards.len() as u8 - 1))
    }

    /// Returns a card.
    pub fn card(&self, id: CardId) -> &Card {
        &self.cards[usize::from(id.0)]
    }

    /// Returns a card, to be changed.
    pub fn card_mut(&mut self, id: CardId) -> &mut Card {
        &mut self.cards[usize::from(id.0)]
    }

    /// Returns every card.
    pub fn cards(&self) -> impl Iterator<Item = CardId> + use<> {
        (0..self.cards.len() as u8).map(CardId)
    }

    /// Returns the resource group whose firmware is updated.
    pub const fn update(&self) -> Option<ResourceGroup> {
        self.update
    }

    /// Has a card again in the place of one that was lost.
    pub fn restore(&mut self, id: CardId, now: Time) {
        let update = self.update;
        let card = self.card_mut(id);
        card.restore();
        if update == Some(card.group()) {
            card.begin_update(now);
        }
    }

    /// Begins the update of the firmware of a group. Its cards give back their requests and take none; the others go on.
    ///
    /// # Errors
    /// [`CpcError::UpdateInProgress`].
    pub fn begin_update(&mut self, group: ResourceGroup, now: Time) -> Result<(), CpcError> {
        if let Some(other) = self.update {
            return Err(CpcError::UpdateInProgress(other));
        }
        self.update = Some(group);
        for card in self.cards.iter_mut().filter(|card| card.group() == group) {
            card.begin_update(now);
        }
        Ok(())
    }

    /// Ends the update of firmware, if there is one.
    pub fn end_update(&mut self) {
        self.update = None;
        for card in &mut self.cards {
            card.end_update();
        }
    }
}
