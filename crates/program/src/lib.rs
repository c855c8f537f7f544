//! Placeholder, being written.
pub mod shape; pub use shape::*;
