//! zEDC engines.
mod engine;
pub use engine::*;
