//! One alarm for each of a fixed number of components.

use crate::Order;
use crate::event_key::EventKey;
use halftrack_base::Time;

/// An alarm of a component or, in an inner node, the first of the alarms below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Alarm {
    key: EventKey,
    component: u32,
}

/// Alarms, at most one for each component, which it may move and clear as often as it likes; the first of all is at
/// hand.
///
/// It stands beside a [`crate::PendingSet`], whose events cannot be moved, and its alarms have their place among
/// those events by time and [`Order`]. A tree of which each node holds the first alarm of its two children (a winner
/// tree: Knuth, *The Art of Computer Programming*, vol. 3, 5.4.1): to move an alarm costs a step a level up to where
/// another alarm is first before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alarms {
    /// The root at 1, the children of `n` at `2 n` and `2 n + 1`, the components' own alarms last.
    nodes: Vec<Alarm>,
    components: usize,
    /// First alarm, as in the root.
    first: Alarm,
}

impl Alarms {
    /// Makes alarms of `components` components, which are numbered from zero; none is set.
    pub fn new(components: usize) -> Self {
        let components = components.next_power_of_two();
        let alarm = |node: usize| Alarm { key: EventKey::NEVER, component: (node % components) as u32 };
        Self { nodes: (0..2 * components).map(alarm).collect(), components, first: alarm(1) }
    }

    /// Sets the alarm of `component`, or moves it: it is due at `at`, and has the place `order` in that instant.
    /// [`Time::MAX`] clears it.
    ///
    /// # Panics
    /// When there is no such component.
    #[inline(always)]
    pub fn set(&mut self, component: u32, at: Time, order: Order) {
        let key = if at == Time::MAX { EventKey::NEVER } else { EventKey { at, order } };
        let mut alarm = Alarm { key, component };
        let mut node = self.components + component as usize;
        loop {
            self.nodes[node] = alarm;
            if node == 1 {
                self.first = alarm;
                return;
            }
            let sibling = self.nodes[node ^ 1];
            node /= 2;
            let first = if sibling.key < alarm.key { sibling } else { alarm };
            // Another alarm was first here and still is.
            if first == self.nodes[node] {
                return;
            }
            alarm = first;
        }
    }

    /// Returns the component whose alarm is first; of no meaning when none is set.
    #[inline]
    pub fn first(&self) -> u32 {
        self.first.component
    }

    /// Returns the time of the first alarm, and its place in that instant; [`EventKey::NEVER`] when none is set.
    #[inline]
    pub fn first_due(&self) -> EventKey {
        self.first.key
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RandomStream, Rank};

    #[test]
    fn the_first_alarm_is_that_of_a_list() {
        let mut stream = RandomStream::new(1, "alarms");
        for components in [1_usize, 2, 3, 8, 13] {
            let mut alarms = Alarms::new(components);
            let mut list = vec![EventKey::NEVER; components];
            assert_eq!(alarms.first_due(), EventKey::NEVER);
            for sequence in 0..500 {
                let component = stream.below(components as u64) as u32;
                let at = match stream.below(30) {
                    0..5 => Time::MAX,
                    ps => Time::from_ps(ps),
                };
                let order = Order::new(Rank::from_position(component), sequence);
                alarms.set(component, at, order);
                list[component as usize] =
                    if at == Time::MAX { EventKey::NEVER } else { EventKey { at, order } };
                let (first, due) = (0..).zip(&list).min_by_key(|(_, due)| **due).unwrap();
                assert_eq!(alarms.first_due(), *due);
                assert!(*due == EventKey::NEVER || alarms.first() == first);
            }
        }
    }
}
