//! Changes of keys, and the points that they make.

mod change;
mod matrix;
mod points;
