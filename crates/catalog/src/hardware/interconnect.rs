//! Interconnects and fanouts, which carry the data of several cards between I/O drawers and memory: each interconnect
//! has its domain of cards, each fanout holds interconnects.

use halftrack_input::{Expect, Fields, Sourced};

use crate::hardware::channel::CardLimits;

/// One I/O interconnect and the domain of cards behind it.
#[derive(Debug, Clone, PartialEq)]
pub struct Domain {
    /// Cards of one domain at most.
    pub cards: Sourced<u32>,
    /// Data that the interconnect moves.
    pub limits: CardLimits,
}

/// One fanout card with its interconnects.
#[derive(Debug, Clone, PartialEq)]
pub struct Fanout {
    /// Interconnects of a fanout, one for each domain.
    pub domains: Sourced<u32>,
    /// Cards behind a fanout at most.
    pub cards: Sourced<u32>,
    /// Data that all its interconnects move together; `None` when they never limit each other.
    pub limits: Option<CardLimits>,
}

impl Domain {
    pub(crate) fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let cards = fields.sourced("cards", Expect::integer(1..=256));
        let limits = CardLimits::read(fields);
        Some(Self { cards: cards?, limits: limits? })
    }
}

impl Fanout {
    pub(crate) fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let domains = fields.sourced("domains", Expect::integer(1..=64));
        let cards = fields.sourced("cards", Expect::integer(1..=256));
        let limits = match fields.has("mb_per_s") {
            true => CardLimits::read(fields).map(Some),
            false => Some(None),
        };
        Some(Self { domains: domains?, cards: cards?, limits: limits? })
    }
}
