//! The open exchanges of a port, each in a place with a number that does not come again soon.
//!
//! The number of an exchange is the place and, above it, how often the place was taken before. The low 16 bits are the
//! exchange id on the link, one of those that a channel's exchanges have; places are taken in turn, so that an id comes
//! again when all others have been used, and a late frame of an exchange that is over finds another number in its place.

use std::collections::VecDeque;

use halftrack_wire::choices::CHANNEL_EXCHANGES;

/// Most open exchanges of a port, for some bits of an exchange id have to tell it from those before.
pub const OPEN_EXCHANGES_MAX: u16 = 4096;

/// Open exchanges.
#[derive(Debug)]
pub(crate) struct Table<T> {
    places: Vec<Place<T>>,
    /// Places that are free, the one that has been for longest first.
    free: VecDeque<u16>,
    place_bits: u32,
}

#[derive(Debug)]
struct Place<T> {
    /// Number of the exchange that is here, or was.
    number: u32,
    exchange: Option<T>,
}

impl<T> Table<T> {
    /// Room for this many exchanges, 1 to [`OPEN_EXCHANGES_MAX`] and as many again.
    pub(crate) fn new(room: u16) -> Self {
        let room = room.clamp(1, 2 * OPEN_EXCHANGES_MAX);
        let places = (0..room).map(|place| Place { number: u32::from(place), exchange: None });
        Self {
            places: places.collect(),
            free: (0..room).collect(),
            place_bits: u32::from(room).next_power_of_two().trailing_zeros(),
        }
    }

    /// Exchanges that are open.
    pub(crate) fn open(&self) -> usize {
        self.places.len() - self.free.len()
    }

    /// True when another can be opened.
    pub(crate) fn has_room(&self) -> bool {
        !self.free.is_empty()
    }

    /// Opens the exchange that `make` makes from its number; its place.
    pub(crate) fn insert(&mut self, make: impl FnOnce(u32) -> T) -> Option<u16> {
        let index = self.free.pop_front()?;
        let place = &mut self.places[usize::from(index)];
        let step = 1 << self.place_bits;
        place.number = place.number.wrapping_add(step);
        if !CHANNEL_EXCHANGES.contains(&(place.number as u16)) {
            // On to the next number of the place whose low bits are an exchange id of a channel.
            place.number = place.number.wrapping_add(u32::from(*CHANNEL_EXCHANGES.end()) + 1);
        }
        place.exchange = Some(make(place.number));
        Some(index)
    }

    /// The place of the exchange whose number has these bits, when `mask` says which count.
    pub(crate) fn find(&self, number: u32, mask: u32) -> Found {
        let index = number & ((1 << self.place_bits) - 1);
        match self.places.get(index as usize) {
            Some(Place { number: here, exchange: Some(_) }) if (here ^ number) & mask == 0 => {
                Found::Place(index as u16)
            }
            Some(_) => Found::Over,
            None => Found::Nothing,
        }
    }

    /// The exchange in a place.
    pub(crate) fn get_mut(&mut self, place: u16) -> Option<&mut T> {
        self.places.get_mut(usize::from(place))?.exchange.as_mut()
    }

    /// Ends the exchange in a place.
    pub(crate) fn remove(&mut self, place: u16) {
        let Some(here) = self.places.get_mut(usize::from(place)) else { return };
        if here.exchange.is_some() {
            here.exchange = None;
            self.free.push_back(place);
        }
    }

    /// The places with an open exchange, from the first that `from` names.
    pub(crate) fn next_open(&self, from: u16) -> Option<u16> {
        let places = self.places.iter().enumerate().skip(usize::from(from));
        places.filter(|(_, place)| place.exchange.is_some()).map(|(index, _)| index as u16).next()
    }
}

/// What a number leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// An open exchange in this place.
    Place(u16),
    /// A place whose exchange with this number is over, or never was.
    Over,
    /// No place.
    Nothing,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_does_not_come_again_soon() {
        let mut table = Table::new(3);
        let mut numbers = std::collections::BTreeSet::new();
        for _ in 0..24_000 {
            let mut number = 0;
            let place = table.insert(|given| number = given).unwrap();
            assert_eq!(table.find(number, 0xFFFF), Found::Place(place));
            assert!(numbers.insert(number as u16), "{number:#x}");
            table.remove(place);
            assert_eq!(table.find(number, 0xFFFF), Found::Over);
        }
    }

    #[test]
    fn numbers_are_exchange_ids_of_a_channel() {
        for room in [1, 3, 8192] {
            let mut table = Table::new(room);
            for _ in 0..70_000 {
                let is_one = |number| CHANNEL_EXCHANGES.contains(&(number as u16));
                let place = table.insert(|number| assert!(is_one(number), "{number:#x}")).unwrap();
                table.remove(place);
            }
        }
    }

    #[test]
    fn room_is_bounded() {
        let mut table = Table::new(2);
        let places: Vec<_> = std::iter::from_fn(|| table.insert(|number| number)).collect();
        assert_eq!((places.len(), table.open(), table.has_room()), (2, 2, false));
        assert_eq!(table.find(5, 0xFFFF), Found::Over);
        assert_eq!(Table::<()>::new(3).find(3, 0), Found::Nothing);
        assert_eq!((table.next_open(0), table.next_open(1), table.next_open(2)), (Some(0), Some(1), None));
        table.remove(places[0]);
        table.remove(places[0]);
        assert_eq!((table.open(), table.next_open(0)), (1, Some(1)));
    }
}
