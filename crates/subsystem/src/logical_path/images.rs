//! Which images a control unit has.

/// A set of the 256 images.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ImageSet([u64; 4]);

impl ImageSet {
    /// Returns whether the image is in the set.
    #[must_use]
    pub fn contains(&self, image: u8) -> bool {
        self.0[usize::from(image / 64)] & 1 << (image % 64) != 0
    }

    /// Returns the set as a bitmap of 32 octets, the leftmost bit for image 0.
    #[must_use]
    pub fn bitmap(&self) -> [u8; 32] {
        let words = self.0.map(|word| word.reverse_bits().to_be_bytes());
        std::array::from_fn(|at| words[at / 8][at % 8])
    }
}

impl FromIterator<u8> for ImageSet {
    fn from_iter<I: IntoIterator<Item = u8>>(images: I) -> Self {
        let mut set = Self::default();
        for image in images {
            set.0[usize::from(image / 64)] |= 1 << (image % 64);
        }
        set
    }
}

#[test]
fn a_bitmap_counts_from_the_left() {
    let set: ImageSet = [0, 9, 255].into_iter().collect();
    assert!(set.contains(9) && !set.contains(10));
    let mut bitmap = [0; 32];
    (bitmap[0], bitmap[1], bitmap[31]) = (0x80, 0x40, 0x01);
    assert_eq!(set.bitmap(), bitmap);
}
