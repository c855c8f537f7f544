//! Values of which each protocol has one.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::Protocol;

/// One value for each protocol, indexed by it.
///
/// It serialises as an object with the protocols' [names](Protocol::name) as keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PerProtocol<T>([T; Protocol::ALL.len()]);

impl<T> PerProtocol<T> {
    /// Calls `of` for each protocol.
    pub fn from_fn(of: impl FnMut(Protocol) -> T) -> Self {
        Self(Protocol::ALL.map(of))
    }

    /// Iterates over the protocols with their values.
    pub fn iter(&self) -> impl Iterator<Item = (Protocol, &T)> {
        Protocol::ALL.into_iter().zip(&self.0)
    }
}

impl<T> Index<Protocol> for PerProtocol<T> {
    type Output = T;

    #[inline]
    fn index(&self, protocol: Protocol) -> &T {
        &self.0[protocol as usize]
    }
}

impl<T> IndexMut<Protocol> for PerProtocol<T> {
    #[inline]
    fn index_mut(&mut self, protocol: Protocol) -> &mut T {
        &mut self.0[protocol as usize]
    }
}

impl<T: Serialize> Serialize for PerProtocol<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(Protocol::ALL.len()))?;
        for (protocol, value) in self.iter() {
            map.serialize_entry(protocol.name(), value)?;
        }
        map.end()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for PerProtocol<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Keys(PhantomData))
    }
}

/// Reader of the object; keys that name no protocol are left to others.
struct Keys<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Keys<T> {
    type Value = PerProtocol<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with a value for each protocol")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = PerProtocol::from_fn(|_| None);
        while let Some(key) = map.next_key::<String>()? {
            match Protocol::ALL.into_iter().find(|protocol| protocol.name() == key) {
                Some(protocol) => found[protocol] = Some(map.next_value()?),
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        match Protocol::ALL.into_iter().find(|protocol| found[*protocol].is_none()) {
            Some(missing) => Err(A::Error::missing_field(missing.name())),
            None => Ok(PerProtocol::from_fn(|protocol| found[protocol].take().expect("none is missing"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_found_by_its_protocol() {
        let mut values = PerProtocol::from_fn(|protocol| protocol.name().len());
        values[Protocol::Command] += 10;
        assert_eq!(values.iter().collect::<Vec<_>>(), [(Protocol::Command, &15), (Protocol::Transport, &4)]);
    }
}
