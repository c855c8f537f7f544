//! Control-unit and device numbers that a deck has free.

use std::collections::{BTreeMap, BTreeSet};

use super::devices::DeviceRun;
use crate::model::Deck;

/// Numbers that are taken in a deck.
pub(super) struct Numbers<'a> {
    units: BTreeSet<u16>,
    /// Partitions that may use the devices of a number; an empty list is all of them.
    devices: BTreeMap<u16, Vec<&'a [(u8, String)]>>,
}

impl<'a> Numbers<'a> {
    pub(super) fn of(deck: &'a Deck) -> Self {
        let mut devices: BTreeMap<u16, Vec<&[(u8, String)]>> = BTreeMap::new();
        for device in &deck.devices {
            for number in (0..device.count).map(|step| device.number.value.wrapping_add(step)) {
                devices.entry(number).or_default().push(&device.candidates);
            }
        }
        Self { units: deck.control_units.iter().map(|unit| unit.number.value).collect(), devices }
    }

    /// Returns `wish` where it is free, else the next number that is.
    pub(super) fn unit(&mut self, wish: u16) -> u16 {
        let free =
            (wish..u16::MAX).chain(0..wish).find(|number| !self.units.contains(number)).unwrap_or(wish);
        self.units.insert(free);
        free
    }

    /// Takes the numbers of `runs` for `users`, if all of them are in use in none of these; returns true then.
    pub(super) fn take(&mut self, runs: &[DeviceRun], users: &'a [(u8, String)]) -> bool {
        let is_free = runs.iter().all(|run| self.are_free(run.number, run.count, users));
        if is_free {
            runs.iter().for_each(|run| self.enter(run.number, run.count, users));
        }
        is_free
    }

    /// Returns true when `count` numbers from `first` on are in use in none of `users`; an empty list is all
    /// partitions.
    pub(super) fn are_free(&self, first: u16, count: u16, users: &[(u8, String)]) -> bool {
        let unseen = |by: &&[(u8, String)]| {
            !by.is_empty() && !users.is_empty() && !users.iter().any(|user| by.contains(user))
        };
        let is_free = |number: u16| self.devices.get(&number).is_none_or(|lists| lists.iter().all(unseen));
        (0..count).all(|step| first.checked_add(step).is_some_and(is_free))
    }

    /// Returns the first of `count` numbers that are in use in none of `users`. The search begins at `wish`, because
    /// both ends had best have equal numbers, else at a multiple of 16.
    pub(super) fn devices(&mut self, wish: u16, count: u16, users: &'a [(u8, String)]) -> u16 {
        let others = (wish / 16 + 1..0x1000).chain(0..wish / 16).map(|sixteen| sixteen * 16);
        let first = std::iter::once(wish).chain(others).find(|&first| self.are_free(first, count, users));
        let first = first.unwrap_or(wish);
        self.enter(first, count, users);
        first
    }

    fn enter(&mut self, first: u16, count: u16, users: &'a [(u8, String)]) {
        for number in (0..count).filter_map(|step| first.checked_add(step)) {
            self.devices.entry(number).or_default().push(users);
        }
    }
}
