//! Remote memory buffers: sizes of elements, which of them are taken, places in them, and when space is reported.

mod elements;
mod position;
mod size;
mod span;
mod window;

pub use elements::{ELEMENTS_MAX, ElementIndex, Elements};
pub use position::{CursorError, Position};
pub use size::{COMPRESSED_SIZE_MAX, ElementSize};
pub use span::{ElementSpan, spans};
pub use window::is_update_due;
