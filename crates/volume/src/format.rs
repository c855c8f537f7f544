//! The image formats of a volume: uncompressed, or compressed.

use crate::cckd::CckdImage;
use crate::ckd_layout::CkdLayout;
use crate::fba_layout::FbaLayout;
use crate::layout::{Layout, LayoutError, Place};
use crate::medium::Medium;
use crate::redo::RedoRecord;

/// How the units of a volume lie in its files.
#[derive(Debug, Clone)]
pub enum Format<P> {
    /// As they are.
    Plain(P),
    /// Packed one by one.
    Compressed(Box<CckdImage>),
}

/// Formats of CKD volumes.
pub type CkdFormat = Format<CkdLayout>;
/// Formats of FBA volumes.
pub type FbaFormat = Format<FbaLayout>;

impl<P> Format<P> {
    /// Returns whether units are packed.
    pub fn is_compressed(&self) -> bool {
        matches!(self, Self::Compressed(_))
    }
}

impl<M: Medium, P: Layout<M>> Layout<M> for Format<P> {
    fn units(&self) -> u32 {
        match self {
            Self::Plain(plain) => plain.units(),
            Self::Compressed(image) => Layout::<M>::units(&**image),
        }
    }

    fn unit_bytes(&self) -> u32 {
        match self {
            Self::Plain(plain) => plain.unit_bytes(),
            Self::Compressed(image) => Layout::<M>::unit_bytes(&**image),
        }
    }

    #[inline]
    fn place(&self, unit: u32) -> Option<Place> {
        match self {
            Self::Plain(plain) => plain.place(unit),
            Self::Compressed(image) => Layout::<M>::place(&**image, unit),
        }
    }

    fn read(&self, files: &[M], unit: u32, into: &mut Vec<u8>) -> Result<(), LayoutError> {
        match self {
            Self::Plain(plain) => plain.read(files, unit, into),
            Self::Compressed(image) => image.read(files, unit, into),
        }
    }

    fn write(
        &mut self,
        files: &[M],
        unit: u32,
        octets: &[u8],
        redo: &mut RedoRecord,
    ) -> Result<(), LayoutError> {
        match self {
            Self::Plain(plain) => plain.write(files, unit, octets, redo),
            Self::Compressed(image) => image.write(files, unit, octets, redo),
        }
    }

    fn settled(&mut self) {
        match self {
            Self::Plain(plain) => plain.settled(),
            Self::Compressed(image) => Layout::<M>::settled(&mut **image),
        }
    }
}
