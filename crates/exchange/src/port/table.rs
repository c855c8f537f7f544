//! The open exchanges of a port, each in a place with a number that does not come again soon.
//!
//! The number of an exchange is the place and, above it, how often the place was taken before. The low 16 bits are the
//! exchange id on the link, or its distance from the first one of a control unit; places are taken in turn, so that an id
//! comes again when all others have been used, and a late frame of an exchange that is over finds another number in its
//! place.
//!
//! The id of an exchange that was given up rests for R_A_TOV. A place of whose ids half rest is not used until one of
//! them has rested. So one or two probes find an id, and a port that gives up exchanges for ever runs out of places and
//! not of memory: it then takes no exchange until the first id has rested.

use std::collections::VecDeque;

use halftrack_base::Time;
use halftrack_wire::choices::{CHANNEL_EXCHANGES, CONTROL_UNIT_EXCHANGES, STATUS_EXCHANGES};

use super::resting::Resting;

/// Most open exchanges of a port. The other bits of an exchange id distinguish the exchanges of one place.
pub const OPEN_EXCHANGES_MAX: u16 = 4096;
/// Exchange ids that the tables of either end use: as many as a control unit may use, a multiple of the places of the
/// largest table.
const IDS: u32 = (*CONTROL_UNIT_EXCHANGES.end() - *CONTROL_UNIT_EXCHANGES.start()) as u32 + 1;
const _: () = assert!(
    *CHANNEL_EXCHANGES.start() == 0
        && IDS <= *STATUS_EXCHANGES.start() as u32
        && *STATUS_EXCHANGES.end() <= *CHANNEL_EXCHANGES.end()
        && IDS.is_multiple_of(2 * OPEN_EXCHANGES_MAX as u32)
);
/// Bits of a number that are its exchange id.
const ID: u32 = 0xFFFF;

/// Open exchanges.
#[derive(Debug)]
pub(crate) struct Table<T> {
    places: Vec<Place<T>>,
    /// Places that are free, the one that has been for longest first.
    free: VecDeque<u16>,
    place_bits: u32,
    resting: Resting,
    open: usize,
}

#[derive(Debug)]
struct Place<T> {
    /// Number of the exchange that is here, or was.
    number: u32,
    exchange: Option<T>,
    /// Number of exchanges that were here and whose id rests.
    resting: u16,
}

impl<T> Table<T> {
    /// Makes a table with room for this many exchanges, 1 to [`OPEN_EXCHANGES_MAX`] and as many again.
    pub(crate) fn new(room: u16) -> Self {
        let room = room.clamp(1, 2 * OPEN_EXCHANGES_MAX);
        let places = (0..room).map(|place| Place { number: u32::from(place), exchange: None, resting: 0 });
        Self {
            places: places.collect(),
            free: (0..room).collect(),
            place_bits: u32::from(room).next_power_of_two().trailing_zeros(),
            resting: Resting::new(),
            open: 0,
        }
    }

    /// Returns the exchanges that are open.
    pub(crate) fn open(&self) -> usize {
        self.open
    }

    /// Returns true when another can be opened.
    pub(crate) fn has_room(&self) -> bool {
        !self.free.is_empty()
    }

    /// Opens the exchange that `make` makes from its number, and returns its place.
    pub(crate) fn insert(&mut self, now: Time, make: impl FnOnce(u32) -> T) -> Option<u16> {
        self.wake(now);
        let index = self.free.pop_front()?;
        let place = &mut self.places[usize::from(index)];
        loop {
            place.number = place.number.wrapping_add(1 << self.place_bits);
            if place.number & ID >= IDS {
                place.number = (place.number | ID).wrapping_add(1) | u32::from(index);
            }
            // Less than half of the place's ids rest.
            if !self.resting.has(place.number as u16) {
                break;
            }
        }
        place.exchange = Some(make(place.number));
        self.open += 1;
        Some(index)
    }

    /// Lets ids be used again that have rested.
    pub(crate) fn wake(&mut self, now: Time) {
        while let Some(id) = self.resting.wake(now) {
            let index = id & ((1 << self.place_bits) - 1);
            let at_most = self.resting_max();
            let place = &mut self.places[usize::from(index)];
            if place.resting == at_most && place.exchange.is_none() {
                self.free.push_back(index);
            }
            place.resting -= 1;
        }
    }

    /// Returns the time at which there will be room again, if there is none because too many ids rest.
    pub(crate) fn poll_timeout(&self) -> Option<Time> {
        let waits = self.free.is_empty() && self.open < self.places.len();
        self.resting.next().filter(|_| waits)
    }

    /// Returns the ids of one place that may rest at a time before the place is not used.
    fn resting_max(&self) -> u16 {
        ((IDS >> self.place_bits) / 2).max(1) as u16
    }

    /// Returns the place of the exchange whose number agrees with `number` in the bits of `mask`.
    pub(crate) fn find(&self, number: u32, mask: u32) -> Found {
        let index = number & ((1 << self.place_bits) - 1);
        match self.places.get(index as usize) {
            Some(Place { number: here, exchange: Some(_), .. }) if (here ^ number) & mask == 0 => {
                Found::Place(index as u16)
            }
            Some(_) => Found::Over,
            None => Found::Nothing,
        }
    }

    /// Returns the exchange in a place.
    pub(crate) fn get_mut(&mut self, place: u16) -> Option<&mut T> {
        self.places.get_mut(usize::from(place))?.exchange.as_mut()
    }

    /// Ends the exchange in a place, and returns it. Its id rests if it was given up: frames of it may come yet.
    pub(crate) fn remove(&mut self, place: u16, was_given_up: bool) -> Option<T> {
        let resting_max = self.resting_max();
        let here = self.places.get_mut(usize::from(place))?;
        let ended = here.exchange.take()?;
        self.open -= 1;
        if was_given_up {
            here.resting += 1;
            self.resting.add(here.number as u16);
        }
        if here.resting < resting_max {
            self.free.push_back(place);
        }
        Some(ended)
    }

    /// Returns the first place with an open exchange, counted from place `from`.
    pub(crate) fn next_open(&self, from: u16) -> Option<u16> {
        let places = self.places.iter().enumerate().skip(usize::from(from));
        places.filter(|(_, place)| place.exchange.is_some()).map(|(index, _)| index as u16).next()
    }
}

/// Result of finding an exchange by its number.
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
    use std::collections::{BTreeMap, BTreeSet};

    use halftrack_base::Span;
    use halftrack_engine::RandomStream;

    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO.saturating_add(Span::from_ms(ms))
    }

    /// Opens an exchange and returns its place and exchange id.
    fn open(table: &mut Table<()>, now: Time) -> Option<(u16, u16)> {
        let mut number = 0;
        let place = table.insert(now, |given| number = given)?;
        assert_eq!(table.find(number, 0xFFFF), Found::Place(place));
        Some((place, number as u16))
    }

    #[test]
    fn a_number_does_not_come_again_soon() {
        let mut table = Table::new(3);
        let mut ids = BTreeSet::new();
        for _ in 0..18_000 {
            let (place, id) = open(&mut table, Time::ZERO).unwrap();
            assert!(ids.insert(id), "{id:#x}");
            table.remove(place, false);
            assert_eq!(table.find(u32::from(id), 0xFFFF), Found::Over);
        }
    }

    #[test]
    fn ids_of_others_are_left_alone() {
        for room in [1, 3, 5128, 8192] {
            let mut table = Table::new(room);
            for _ in 0..70_000 {
                let (place, id) = open(&mut table, Time::ZERO).unwrap();
                assert!(CHANNEL_EXCHANGES.contains(&id), "{id:#x}");
                assert!(CONTROL_UNIT_EXCHANGES.contains(&(CONTROL_UNIT_EXCHANGES.start() + id)), "{id:#x}");
                table.remove(place, false);
            }
        }
    }

    #[test]
    fn room_is_bounded() {
        let mut table = Table::new(2);
        let places: Vec<_> = std::iter::from_fn(|| table.insert(Time::ZERO, |number| number)).collect();
        assert_eq!((places.len(), table.open(), table.has_room()), (2, 2, false));
        assert_eq!(table.find(5, 0xFFFF), Found::Over);
        assert_eq!(Table::<()>::new(3).find(3, 0), Found::Nothing);
        assert_eq!((table.next_open(0), table.next_open(1), table.next_open(2)), (Some(0), Some(1), None));
        table.remove(places[0], false);
        table.remove(places[0], false);
        assert_eq!((table.open(), table.next_open(0)), (1, Some(1)));
    }

    /// Whatever is opened and given up, in whatever order and however fast: no id that was given up comes again within
    /// R_A_TOV, and when all have rested there is as much room as ever.
    #[test]
    fn an_id_that_was_given_up_rests() {
        for (room, step_ms) in [(1, 0), (3, 1), (128, 2), (5128, 1)] {
            let mut table = Table::new(room);
            let mut random = RandomStream::new(u64::from(room), "table");
            let (mut held, mut rested, mut now) = (Vec::new(), BTreeMap::new(), 0);
            for _ in 0..120_000 {
                now += random.below(2) * step_ms;
                if random.below(2) == 0 {
                    let Some((place, id)) = open(&mut table, at(now)) else { continue };
                    let until = rested.get(&id).copied().unwrap_or(0);
                    assert!(until <= now, "{id:#x} rests until {until} and is used at {now}");
                    held.push((place, id));
                } else if !held.is_empty() {
                    let (place, id) = held.swap_remove(random.below(held.len() as u64) as usize);
                    let given_up = random.below(4) == 0;
                    table.remove(place, given_up);
                    table.wake(at(now));
                    if given_up {
                        rested.insert(id, now + 10_000);
                    }
                }
            }
            for (place, _) in held {
                table.remove(place, true);
            }
            table.wake(at(now));
            table.wake(at(now + 10_000));
            assert_eq!((table.open(), table.free.len()), (0, usize::from(room)));
        }
    }

    #[test]
    fn when_too_many_ids_rest_there_is_no_room_until_one_has_rested() {
        let mut table = Table::new(4096);
        let mut given_up = 0;
        while let Some((place, _)) = open(&mut table, at(given_up / 10)) {
            table.remove(place, true);
            given_up += 1;
        }
        assert_eq!((given_up, table.open(), table.has_room()), (4096 * 3, 0, false));
        assert_eq!(table.poll_timeout(), Some(at(10_000)));
        table.wake(at(9_999));
        assert!(!table.has_room());
        table.wake(at(10_000));
        assert!(table.has_room() && open(&mut table, at(10_000)).is_some());
    }
}
