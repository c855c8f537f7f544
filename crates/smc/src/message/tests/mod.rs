mod anything;
mod captured;
pub mod vectors;
