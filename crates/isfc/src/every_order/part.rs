//! Parts of a situation, shared between situations, and their keys.

use std::cell::Cell;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// Key of a value: 128 bits of its hash.
pub type Key = [u64; 2];

/// A part of a situation.
#[derive(Clone)]
pub struct Part<T> {
    value: Rc<T>,
    /// Key of the value, once it was needed.
    key: Cell<Option<Key>>,
}

impl<T: Clone + Hash> Part<T> {
    /// Makes a part.
    pub fn new(value: T) -> Self {
        Self { value: Rc::new(value), key: Cell::new(None) }
    }

    /// Returns the value.
    pub fn value(&self) -> &T {
        &self.value
    }

    /// Returns the key of the value.
    pub fn key(&self) -> Key {
        let key = self.key.get().unwrap_or_else(|| key_of(&*self.value));
        self.key.set(Some(key));
        key
    }

    /// Changes the value here, and in no other situation.
    pub fn change<R>(&mut self, change: impl FnOnce(&mut T) -> R) -> R {
        self.key.set(None);
        change(Rc::make_mut(&mut self.value))
    }
}

fn key_of(value: &impl Hash) -> Key {
    let mut lanes = Lanes::default();
    value.hash(&mut lanes);
    lanes.key()
}

/// Factors of the lanes: odd, with as many ones as zeros.
const FACTORS: [u64; 2] = [0x9E37_79B9_7F4A_7C15, 0xD6E8_FEB8_6659_FD93];

/// Hasher of two lanes of folded products.
#[derive(Default)]
pub struct Lanes(Key);

impl Lanes {
    /// Returns both lanes.
    pub const fn key(&self) -> Key {
        self.0
    }

    fn mix(&mut self, word: u64) {
        for (lane, factor) in self.0.iter_mut().zip(FACTORS) {
            let product = u128::from(*lane ^ word ^ factor.rotate_left(32)) * u128::from(factor);
            *lane = (product as u64) ^ (product >> 64) as u64 ^ lane.rotate_left(23);
        }
    }
}

impl Hasher for Lanes {
    fn finish(&self) -> u64 {
        self.0[0]
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.mix(u64::from_le_bytes(word));
        }
        self.mix(bytes.len() as u64);
    }

    fn write_u8(&mut self, value: u8) {
        self.mix(value.into());
    }

    fn write_u32(&mut self, value: u32) {
        self.mix(value.into());
    }

    fn write_u64(&mut self, value: u64) {
        self.mix(value);
    }

    fn write_usize(&mut self, value: usize) {
        self.mix(value as u64);
    }

    fn write_isize(&mut self, value: isize) {
        self.mix(value as u64);
    }
}
