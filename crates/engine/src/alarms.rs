//! One alarm for each of a fixed number of components.

use serde::{Deserialize, Serialize};

use crate::event_key::EventKey;
use crate::heads::Heads;
use crate::{Order, SimTime};

/// For each component at most one alarm, which it may move and clear as often as it likes; the first of all is known
/// at once.
///
/// It stands beside a [`crate::PendingSet`], whose events cannot be moved, and its alarms have their place among those
/// events by time and [`Order`]. Its components' alarms are [`Heads`] by groups, and the groups' first ones are so again
/// until one group has the first of all. Alarms that are cleared are equal, whatever else they were set to.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(into = "Vec<EventKey>", from = "Vec<EventKey>")]
pub struct Alarms {
    /// By level from the components up to the root: a tournament for each group.
    levels: Vec<Vec<Heads>>,
    components: usize,
}

impl Alarms {
    /// No alarm is set for any of `components` components, which are numbered from zero.
    pub fn new(components: usize) -> Self {
        let mut levels = vec![vec![Heads::new(); components.div_ceil(Heads::LEAVES).max(1)]];
        while let Some(groups) = levels.last().map(Vec::len).filter(|groups| *groups > 1) {
            levels.push(vec![Heads::new(); groups.div_ceil(Heads::LEAVES)]);
        }
        Self { levels, components }
    }

    /// Sets the alarm of `component`, or moves it: it is due at `at`, and has the place `order` in that instant.
    /// [`SimTime::MAX`] clears it.
    ///
    /// # Panics
    /// When there is no such component.
    #[inline]
    pub fn set(&mut self, component: u32, at: SimTime, order: Order) {
        let (mut position, mut at, mut order) = (component as usize, at, order);
        for level in &mut self.levels {
            let group = &mut level[position / Heads::LEAVES];
            group.set(Heads::LEAVES + position % Heads::LEAVES, at, order);
            (position, at, order) = (position / Heads::LEAVES, group.first_at(), group.first_order());
        }
    }

    /// The component whose alarm is first; of no meaning when none is set.
    #[inline]
    pub fn first(&self) -> u32 {
        let down =
            |group: usize, level: &Vec<Heads>| group * Heads::LEAVES + level[group].first() % Heads::LEAVES;
        self.levels.iter().rev().fold(0, down) as u32
    }

    /// When the first alarm is due, and its place in that instant; [`EventKey::NEVER`] when none is set.
    #[inline]
    pub fn first_due(&self) -> EventKey {
        let root = &self.levels[self.levels.len() - 1][0];
        let (at, order) = (root.first_at(), root.first_order());
        if at == SimTime::MAX { EventKey::NEVER } else { EventKey { at, order } }
    }

    /// The alarm of `component`; [`EventKey::NEVER`] if it has none.
    fn due(&self, component: usize) -> EventKey {
        self.levels[0][component / Heads::LEAVES].due(Heads::LEAVES + component % Heads::LEAVES)
    }
}

impl From<Alarms> for Vec<EventKey> {
    /// By component.
    fn from(alarms: Alarms) -> Self {
        (0..alarms.components).map(|component| alarms.due(component)).collect()
    }
}

impl From<Vec<EventKey>> for Alarms {
    fn from(keys: Vec<EventKey>) -> Self {
        let mut alarms = Self::new(keys.len());
        (0..).zip(keys).for_each(|(component, key)| alarms.set(component, key.at, key.order));
        alarms
    }
}

impl PartialEq for Alarms {
    fn eq(&self, other: &Self) -> bool {
        let due = |alarms: &Self, component| alarms.due(component);
        self.components == other.components
            && (0..self.components).all(|component| due(self, component) == due(other, component))
    }
}

impl Eq for Alarms {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RandomStream, Rank};

    #[test]
    fn the_first_alarm_is_that_of_a_list() {
        let mut stream = RandomStream::new(1, "alarms");
        for components in [1_usize, 2, 3, 8, 13, 64, 65, 5_000] {
            let mut alarms = Alarms::new(components);
            let mut list = vec![EventKey::NEVER; components];
            assert_eq!(alarms.first_due(), EventKey::NEVER);
            for sequence in 0..500 {
                let component = stream.below(components as u64) as u32;
                let at = match stream.below(30) {
                    0..5 => SimTime::MAX,
                    ps => SimTime::from_ps(ps),
                };
                let order = Order::new(Rank::from_position(component), sequence);
                alarms.set(component, at, order);
                list[component as usize] =
                    if at == SimTime::MAX { EventKey::NEVER } else { EventKey { at, order } };
                let (first, due) = (0..).zip(&list).min_by_key(|(_, due)| **due).unwrap();
                assert_eq!(alarms.first_due(), *due);
                assert!(*due == EventKey::NEVER || alarms.first() == first);
            }
            assert_eq!(Vec::from(alarms.clone()), list);
            assert_eq!(Alarms::from(list), alarms);
        }
    }
}
