//! An image without the space that nothing uses.

use super::image::CckdImage;
use super::image_writer::CckdWriter;
use super::packed_unit::unpack_unit;
use super::{CckdFault, Finding};
use crate::layout::{Layout, LayoutError};
use crate::medium::Medium;

/// Writes the image in `file` into the empty file `into`, its units in order and without space between them.
/// Returns the bytes of the new image. Every unit is unpacked once to see that it can be. `watch` gets the number of
/// units that are done, and of all.
///
/// # Errors
/// A unit cannot be read: the image has to be repaired first; a file cannot be read or written.
pub fn compact<M: Medium, N: Medium>(
    file: &M,
    into: &mut N,
    watch: &mut dyn FnMut(u32, u32),
) -> Result<u64, LayoutError> {
    let image = CckdImage::open(file)?;
    let device = image.device();
    let mut writer = CckdWriter::with_header(into, *image.header())?;
    let (mut packed, mut octets) = (Vec::new(), Vec::new());
    let units = Layout::<M>::units(&image);
    for unit in 0..units {
        watch(unit, units);
        let Some(entry) = image.located(file, unit)?? else {
            writer.add_null(unit, image.null_format_of(unit))?;
            continue;
        };
        packed.resize(usize::from(entry.length), 0);
        file.read_at(u64::from(entry.position), &mut packed)?;
        octets.clear();
        let found = |fault: CckdFault| Finding::of_unit(unit, u64::from(entry.position), fault);
        let taken = unpack_unit(device, unit, &packed, &mut octets).map_err(found)?;
        writer.add_image(unit, &packed[..taken])?;
    }
    writer.finish()
}
